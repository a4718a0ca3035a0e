"""Completes arrays without `items`, which some vendors require, in a JSON schema."""

from __future__ import annotations

from typing import Any

from .subset import MOST_LOOKED_AT, Copies

Json = Any
Object = dict[str, Any]

NAMED = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
LISTED = ("anyOf", "oneOf", "allOf", "prefixItems")
SINGLE = ("items", "additionalProperties", "contains", "not", "if", "then", "else", "propertyNames")
"""Keywords that hold schemas: by name, in a list, or one."""


def with_items(schema: Object) -> Object:
    """Return the schema with `items: {}` in each array that has none, or the same object if there is no such array."""
    return _completed(schema) if _may_lack_items(schema) else schema


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


def _completed(schema: Object) -> Object:
    """Return a copy in which each array has `items`, or the schema itself if each has already."""
    copies, changed = Copies(), False
    made: Object = copies.copy(schema)
    for given, copy in copies.waiting:  # it grows meanwhile
        copy.update(given)
        for key in NAMED:
            if isinstance(given.get(key), dict):
                copy[key] = {name: copies.copy(one) for name, one in given[key].items()}
        for key in LISTED:
            if isinstance(given.get(key), list):
                copy[key] = [copies.copy(one) for one in given[key]]
        for key in SINGLE:
            if key in given:
                copy[key] = copies.copy(given[key])
        if _lacks_items(given):
            copy["items"] = {}
            changed = True
    return made if changed else schema
