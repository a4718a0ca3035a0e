"""Schemas as strict modes ask for them: every object closed, all its properties required, nothing composed but `anyOf`.

Rule: linear in the size of the schema, however deep it is; the given one is not changed.
"""

from __future__ import annotations

from .subset import Copies, Json, Object

NOT_STRICT = frozenset({"allOf", "oneOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas"})
NAMED = ("properties", "$defs", "definitions")
HOLDING = frozenset({*NAMED, "items", "anyOf"})
COMPOUND = NOT_STRICT | HOLDING


def closed(schema: Json) -> bool:
    """Return whether every object of a schema forbids further members and requires its own."""
    waiting = [schema]
    seen: set[int] = set()
    for one in waiting:  # it grows meanwhile
        if not isinstance(one, dict) or _is_simple(one) or id(one) in seen:
            continue
        seen.add(id(one))
        if not _requires_all(one) or (_is_object(one) and one.get("additionalProperties") is not False):
            return False
        for key, held in one.items():
            if key in HOLDING:
                if isinstance(held, dict):
                    waiting += held.values() if key in NAMED else (held,)
                elif isinstance(held, list) and key not in NAMED:
                    waiting += held
    return True


def _is_simple(schema: Object) -> bool:
    """Return whether a schema has one type that is no object, and holds no others, as most do: such a schema is
    strict."""
    kind = schema.get("type")
    return isinstance(kind, str) and kind != "object" and COMPOUND.isdisjoint(schema)


def _is_object(schema: Object) -> bool:
    kind = schema.get("type")
    return (
        kind == "object" or (isinstance(kind, list) and "object" in kind) or isinstance(schema.get("properties"), dict)
    )


def _requires_all(schema: Object) -> bool:
    """Return whether a schema requires all properties that it lists, and has no keyword that strict modes refuse."""
    if not NOT_STRICT.isdisjoint(schema):
        return False
    properties, required = schema.get("properties"), schema.get("required")
    if not isinstance(properties, dict) or not properties:
        return True
    names = {name for name in required if isinstance(name, str)} if isinstance(required, list) else set[str]()
    return properties.keys() <= names


def closing(schema: Object) -> Object | None:
    """Return the schema with its objects closed, or None if that is not sufficient for strict modes.

    Objects are closed that list their properties and do not say whether there may be others.
    """
    if closed(schema):
        return schema
    copies = Copies()

    def copied(given: Json) -> Json:
        return given if isinstance(given, dict) and _is_simple(given) else copies.copy(given)

    made: Object = copied(schema)
    for given, copy in copies.waiting:  # it grows meanwhile
        if not _requires_all(given):
            return None
        for key, value in given.items():
            if key in NAMED and isinstance(value, dict):
                copy[key] = {name: copied(one) for name, one in value.items()}
            elif key == "anyOf" and isinstance(value, list):
                copy[key] = [copied(one) for one in value]
            else:
                copy[key] = copied(value) if key == "items" else value
        if _is_object(given) and given.get("additionalProperties") is not False:
            if given.get("additionalProperties") is not None or not isinstance(given.get("properties"), dict):
                return None  # a map, which would always be empty
            copy["additionalProperties"] = False
    return made
