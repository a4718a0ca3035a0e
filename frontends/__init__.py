"""Frontends: one package a protocol, each lowering its wire payloads into the IR.

A frontend reads and checks; it decides nothing about any target. Every package has the modules parts, request, response
and stream; `__init__` ends in FRONTEND, which the registry finds.
"""
