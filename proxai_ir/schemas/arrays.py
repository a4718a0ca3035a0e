"""Completes arrays without `items`, which some vendors require, in a JSON schema."""

from __future__ import annotations

from typing import Any

from .subset import MOST_LOOKED_AT

Json = Any
Object = dict[str, Any]

NAMED = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
LISTED = ("anyOf", "oneOf", "allOf", "prefixItems")
SINGLE = ("items", "additionalProperties", "contains", "not", "if", "then", "else", "propertyNames")
"""Keywords that hold schemas: by name, in a list, or one."""


def with_items(schema: Object) -> Object:
    """Return the schema with `items: {}` in each array that has none, or the same object if there is no such array."""
    return _Copy().of(schema) if _may_lack_items(schema) else schema


def _lacks_items(schema: Object) -> bool:
    kind = schema.get("type")
    is_array = kind == "array" or (isinstance(kind, list) and "array" in kind)
    return is_array and schema.get("items") is None and "prefixItems" not in schema


def _may_lack_items(schema: Object) -> bool:
    """Return whether an array inside has no `items`; True, too, if there are too many schemas to look at each.

    A schema that is shared is looked at each time it is met, which costs little in schemas of the usual size.
    """
    waiting: list[Json] = [schema]
    for one in waiting:  # it grows meanwhile
        if not isinstance(one, dict):
            continue
        for key in one:
            if key in HOLDING:
                held = one[key]
                if held.__class__ is list:
                    waiting += held
                elif key in NAMED and isinstance(held, dict):
                    waiting += held.values()
                else:
                    waiting.append(held)
            elif key == "type":
                kind = one[key]
                if (kind == "array" or kind.__class__ is list) and _lacks_items(one):
                    return True
        if len(waiting) > MOST_LOOKED_AT:
            return True
    return False


HOLDING = frozenset((*NAMED, *LISTED, *SINGLE))


class _Copy:
    """A copy of all schemas in a schema, each made once."""

    def __init__(self) -> None:
        self._changed = False
        self._copies: dict[int, Object] = {}
        self._waiting: list[Object] = []

    def of(self, schema: Object) -> Object:
        made: Object = self._copied(schema)
        for one in self._waiting:  # it grows meanwhile
            if _lacks_items(one):
                one["items"] = {}
                self._changed = True
            for key in NAMED:
                if isinstance(one.get(key), dict):
                    one[key] = {name: self._copied(value) for name, value in one[key].items()}
            for key in LISTED:
                if isinstance(one.get(key), list):
                    one[key] = [self._copied(value) for value in one[key]]
            for key in SINGLE:
                if key in one:
                    one[key] = self._copied(one[key])
        return made if self._changed else schema

    def _copied(self, value: Json) -> Json:
        if not isinstance(value, dict):
            return value
        made = self._copies.get(id(value))
        if made is None:
            made = self._copies[id(value)] = dict(value)
            self._waiting.append(made)
        return made
