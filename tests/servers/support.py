"""What the models of servers share: running checks, walking messages, schemas and values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

Json = Any
Headers = Mapping[str, str]
Check = Callable[[Json, Headers], Iterator[str]]

DATA_URL = re.compile(r"data:([^;,]*)[;,]")


def collect(checks: Iterable[Check], request: Json, headers: Headers) -> list[str]:
    """What each check finds, with the name of the check."""
    return [f"{check.__name__}: {found}" for check in checks for found in check(request, headers)]


def unknown(value: Json, known: frozenset[str], where: str) -> Iterator[str]:
    """The members of an object that the server does not know."""
    if isinstance(value, dict):
        for name in sorted(value.keys() - known):
            yield f"{where}.{name}"


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def out_of(value: Json, least: float, most: float) -> bool:
    """Whether a number was given and is outside of a range."""
    return isinstance(value, (int, float)) and not least <= value <= most


def media_type(url: Json) -> str | None:
    """The media type of a data URL; None for any other URL."""
    found = DATA_URL.match(url) if isinstance(url, str) else None
    return found[1] if found else None


# --- JSON schemas -----------------------------------------------------------------------------------------------------

NAMED = ("properties", "$defs", "definitions", "patternProperties")
NESTED = ("items", "anyOf", "oneOf", "allOf", "prefixItems", "not", "additionalProperties")


def schemas(schema: Json) -> Iterator[dict[str, Any]]:
    """A schema and all that it holds, each once."""
    waiting, seen = [schema], set[int]()
    for one in waiting:  # which grows meanwhile
        if not isinstance(one, dict) or id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        for key in NAMED:
            if isinstance(one.get(key), dict):
                waiting += one[key].values()
        for key in NESTED:
            waiting += one[key] if isinstance(one.get(key), list) else [one.get(key)]


def is_object(schema: dict[str, Any]) -> bool:
    kind = schema.get("type")
    return kind == "object" or (isinstance(kind, list) and "object" in kind) or "properties" in schema


COMBINED = ("oneOf", "anyOf", "allOf", "enum", "not")


def bad_parameters(schema: Json, where: str, combined: tuple[str, ...] = COMBINED) -> Iterator[str]:
    """What is wrong with the parameters of a function: one object at the top, and items in every array."""
    if schema is None:
        return
    if not isinstance(schema, dict) or (schema and schema.get("type") != "object"):
        yield f"{where}: not of type object"
        return
    for key in combined:
        if key in schema:
            yield f"{where}: {key} at the top level"


def arrays_without_items(schema: Json, where: str) -> Iterator[str]:
    for one in schemas(schema):
        if one.get("type") == "array" and not {"items", "prefixItems"} & one.keys():
            yield f"{where}: an array schema without items"


# The keywords with which OpenAI refuses a strict schema (its guide on structured outputs, "Supported schemas").
NOT_STRICT = words("allOf oneOf not if then else dependentRequired dependentSchemas patternProperties")


def not_strict(schema: Json, where: str) -> Iterator[str]:
    """What OpenAI's strict mode refuses of a schema."""
    if not isinstance(schema, dict):
        return
    if "anyOf" in schema or schema.get("type", "object") != "object":
        yield f"{where}: no object at the root"
    for one in schemas(schema):
        for key in sorted(NOT_STRICT & one.keys()):
            yield f"{where}: {key} is not permitted"
        if is_object(one):
            if one.get("additionalProperties") is not False:
                yield f"{where}: 'additionalProperties' is required to be false"
            missing = {*one.get("properties", {})} - {*one.get("required", ())}
            if missing:
                yield f"{where}: 'required' lacks {sorted(missing)}"
