"""Google's `Schema` object, a subset of OpenAPI 3.0, as JSON Schema.

Rule 1: a schema that is JSON Schema already is not copied. Rule 2: the time is linear in its size. `openapi` has the
other direction.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .openapi import COUNTS, TYPES

Json = Any
Object = dict[str, Any]

OPENAPI_NAMES = {
    "additional_properties": "additionalProperties",
    "any_of": "anyOf",
    "defs": "$defs",
    "max_items": "maxItems",
    "max_length": "maxLength",
    "max_properties": "maxProperties",
    "min_items": "minItems",
    "min_length": "minLength",
    "min_properties": "minProperties",
    "property_ordering": "propertyOrdering",
    "ref": "$ref",
}
"""Keywords of `Schema` by names that JSON Schema does not know."""
NOT_JSON_SCHEMA = OPENAPI_NAMES.keys() | {"nullable", "propertyOrdering"}
LOWER = {word: name for name, word in TYPES.items()}
NO_TYPE = "TYPE_UNSPECIFIED"
NUMBERED = (NO_TYPE, *TYPES)  # the enum's words, which TYPES has in its order
HOLDERS = ("properties", "$defs", "definitions")
INNER = ("items", "additionalProperties", "not")
LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")

Make = Callable[[Object, dict[str, str]], Object]


def normalised(schema: Object, make: Make = lambda *_: {}) -> Object:
    """Google's `Schema` as JSON Schema; the given one itself where that is what it is, else a copy of what differs.

    `make` gets a schema and the names of its renamed keywords, new name to old, and returns the empty copy of it; it
    may refuse a schema that has a keyword under both names.
    """
    if not _differs(schema):
        return schema
    copies: dict[int, Object] = {}
    waiting: list[tuple[Object, Object]] = []

    def copied(given: Json) -> Json:
        if not isinstance(given, dict):
            return given
        if id(given) not in copies:
            renamed = {new: old for old, new in OPENAPI_NAMES.items() if old in given and _is_keyword(old, given[old])}
            copies[id(given)] = make(given, renamed)
            waiting.append((given, copies[id(given)]))
        return copies[id(given)]

    made: Object = copied(schema)
    for given, copy in waiting:  # which grows meanwhile
        for old, value in given.items():
            key = OPENAPI_NAMES[old] if old in OPENAPI_NAMES and _is_keyword(old, value) else old
            if key in HOLDERS and isinstance(value, dict):
                copy[key] = {name: copied(one) for name, one in value.items()}
            elif key in INNER:
                copy[key] = copied(value)
            elif key in LISTS and isinstance(value, list):
                copy[key] = [copied(one) for one in value]
            else:
                copy[key] = _value(key, value)
        _allow_null(given, copy)
        _in_order(copy)
    return made


def _is_keyword(old: str, value: Json) -> bool:
    """Whether this is the keyword of this name, and no other member that happens to be called so."""
    return isinstance(value, {"ref": str, "defs": dict}.get(old, object))


def _value(key: str, value: Json) -> Json:
    if key == "type" and type(value) is int and 0 <= value < len(NUMBERED):
        return NUMBERED[value]
    if not isinstance(value, str):
        return value
    if key == "type":
        return LOWER.get(value.upper(), value)
    if key in COUNTS and value.isdecimal() and value.isascii():
        return int(value) if len(value) < MOST_DIGITS else value
    if key == "$ref" and value.startswith("#/defs/"):
        return "#/$defs/" + value[len("#/defs/") :]
    return value


MOST_DIGITS = 20  # of 64 bits


def _allow_null(given: Object, copy: Object) -> None:
    """`nullable` is a type more; where the values are listed, null is one of them."""
    if copy.get("type") == NO_TYPE:
        del copy["type"]
    if copy.get("format") == "enum":
        del copy["format"]
    if not isinstance(given.get("nullable"), bool):
        return
    if copy.pop("nullable"):
        if isinstance(copy.get("type"), str):
            copy["type"] = [copy["type"], "null"]
        elif isinstance(copy.get("anyOf"), list):
            copy["anyOf"] = [*copy["anyOf"], {"type": "null"}]
        if isinstance(copy.get("enum"), list) and None not in copy["enum"]:
            copy["enum"] = [*copy["enum"], None]


def _in_order(copy: Object) -> None:
    """The order of all properties is that in which they are listed."""
    order, properties = copy.get("propertyOrdering"), copy.get("properties")
    if isinstance(order, list) and isinstance(properties, dict) and all(isinstance(name, str) for name in order):
        if len(order) == len(properties) and {*order} == properties.keys():
            copy["properties"] = {name: properties[name] for name in copy.pop("propertyOrdering")}


def _differs(schema: Object) -> bool:
    """Whether something in a schema is not JSON Schema."""
    waiting: list[Json] = [schema]
    seen: set[int] = set()
    for one in waiting:  # which grows meanwhile
        if not isinstance(one, dict) or id(one) in seen:
            continue
        seen.add(id(one))
        if not NOT_JSON_SCHEMA.isdisjoint(one) or one.get("format") == "enum" or one.get("type") == NO_TYPE:
            return True
        for key, value in one.items():
            if key in HOLDERS and isinstance(value, dict):
                waiting += value.values()
            elif key in INNER:
                waiting.append(value)
            elif key in LISTS and isinstance(value, list):
                waiting += value
            elif isinstance(value, (str, int)) and _value(key, value) != value:
                return True
    return False
