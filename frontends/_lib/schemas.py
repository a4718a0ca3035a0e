"""Reads JSON schemas with Google's type names, which are in capitals, as standard JSON Schema.

Clients that build their tools with Google's SDK send them so to any server. Rule: only the type of the schema itself or
of its first property is looked at, so that other schemas cost nothing.
"""

from __future__ import annotations

from typing import Any

from proxai_ir.json.pointer import Respelled
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.schemas.from_openapi import LOWER, normalised

from .reading import Object


def json_schema(schema: Object) -> Object:
    """The schema itself, or, if it is Google's, the equivalent JSON Schema."""
    if _in_capitals(schema):
        return normalised(schema, respelled)
    properties = schema.get("properties")
    if isinstance(properties, dict):
        for first in properties.values():
            return normalised(schema, respelled) if _in_capitals(first) else schema
    return schema


def _in_capitals(schema: Any) -> bool:
    kind = schema.get("type") if isinstance(schema, dict) else None
    return isinstance(kind, str) and kind in LOWER


def respelled(schema: Object, names: dict[str, str]) -> Object:
    """The empty copy of a schema in which what is renamed keeps its place."""
    for name, other in names.items():
        if schema.get(name) is not None:
            raise Refusal("SHP-4", (schema, other), f"`{name}` and `{other}` are two names of one member")
    return Respelled({}, schema, names)
