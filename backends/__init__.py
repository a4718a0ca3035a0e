"""Backends: one package a protocol, each raising legal, placed IR into its wire payloads.

A backend builds; what its protocol cannot represent is declared in its target table and dealt with before it runs.
Every package has the same modules: target, request, response, error; `__init__` ends in BACKEND, which the registry
finds.
"""
