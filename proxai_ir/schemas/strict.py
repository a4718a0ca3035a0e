"""JSON schemas of tools and outputs, which the IR keeps as they are: what vendors' strict modes ask of one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

Json = Any

NOT_STRICT = frozenset({"allOf", "oneOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas"})


def closed(schema: Json) -> bool:
    """Whether every object of a schema forbids further members and requires its own: what strict modes ask for.

    They take no keyword that composes schemas but `anyOf`.
    """
    waiting = [schema]
    seen: set[int] = set()
    while waiting:
        one = waiting.pop()
        if not isinstance(one, (dict, list)) or id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, list):
            waiting += one
        else:
            if not NOT_STRICT.isdisjoint(one):
                return False
            properties, kind = one.get("properties"), one.get("type")
            if kind == "object" or (isinstance(kind, list) and "object" in kind) or isinstance(properties, dict):
                required = one.get("required")
                named = set(properties) if isinstance(properties, dict) else set()
                if one.get("additionalProperties") is not False or not named <= set(_hashable(required)):
                    return False
            for key in ("properties", "$defs", "definitions"):
                if isinstance(one.get(key), dict):
                    waiting += one[key].values()
            waiting += [one.get("items"), one.get("anyOf")]
    return True


def _hashable(values: Json) -> Iterable[str]:
    return (value for value in values if isinstance(value, str)) if isinstance(values, list) else ()
