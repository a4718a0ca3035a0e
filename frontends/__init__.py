"""Frontends: one package a protocol, each lowering its wire payloads into the IR.

A frontend reads and checks; it decides nothing about any target. Every package has the same modules: request, response,
error; `__init__` ends in FRONTEND, which the registry finds.
"""
