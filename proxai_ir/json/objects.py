"""Converts objects of vendors' clients to JSON: models, dataclasses, mappings, and bytes inside of them.

Rule 1: no client is imported, and objects are searched for only after a payload was refused. Rule 2: a model becomes
what its client would send: by alias, without members that the client excludes from requests, without unset members that
are None. Bytes become standard base64, as servers write them.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import AsyncIterator, Awaitable, Collection, Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, Protocol

from .types import described

Json = Any
SCALARS = frozenset({str, int, float, bool, type(None)})
EXPECTED = "expected parsed JSON (a dict, or a list of events), bytes, or an object with `model_dump`"

TEXT = "the payload is a str; expected bytes or parsed JSON: encode it as UTF-8, or parse it"


class Model(Protocol):
    """What models of clients have in common: those of pydantic, and of others that dump as it does."""

    def model_dump(self, *, mode: str = ..., by_alias: bool | None = ..., warnings: bool = ...) -> Any: ...


def as_payload(value: Any, kind: str | None, client_only: Collection[str] = ()) -> Json:
    """Return the payload of `value` as JSON; `value` itself if it is JSON already.

    `client_only`: members of a client's objects that are never sent. Raises TypeError for what is not a payload.
    """
    if value.__class__ in SCALARS:
        if isinstance(value, str) and kind != "error":
            raise TypeError(TEXT) from None
        return value
    if isinstance(value, (bytes, bytearray, memoryview, tuple)):
        return value
    if isinstance(value, Iterator):
        return plain([*value])
    made = plain(value)
    if made.__class__ not in SCALARS and not isinstance(made, (dict, list)):
        raise TypeError(f"the payload is {described(value)}; {_advice(value)}") from None
    if made is value or isinstance(made, list):
        return made
    return {name: one for name, one in made.items() if name not in client_only}


def plain(value: Any) -> Json:
    """Return the same with JSON in place of every object; `value` itself where there is none, or where it is too
    deep."""
    try:
        return _plain(value, {})
    except RecursionError:
        return value


def _plain(value: Any, known: dict[int, Any]) -> Json:
    """`known`: the results by id of the container, so that a shared one is converted once."""
    if value.__class__ in SCALARS:
        return value
    if isinstance(value, (dict, list)):
        if id(value) not in known:
            known[id(value)] = value  # of itself, too
            known[id(value)] = _container(value, known)
        return known[id(value)]
    if isinstance(value, (bytes, bytearray)):
        return b64encode(value).decode()
    if isinstance(value, type):
        return value
    if callable(getattr(value, "model_dump", None)):
        return _of_model(value)
    if is_dataclass(value):
        members = ((one, getattr(value, one.name)) for one in fields(value))
        return {one.name: _plain(held, known) for one, held in members if held is not None or one.default is not None}
    if isinstance(value, Mapping):
        return {name: _plain(held, known) for name, held in value.items()}
    return value.value if isinstance(value, Enum) else value


def _container(value: Any, known: dict[int, Any]) -> Any:
    if isinstance(value, dict):
        members = {name: _plain(held, known) for name, held in value.items()}
        return members if any(members[name] is not held for name, held in value.items()) else value
    items = [_plain(held, known) for held in value]
    return items if any(made is not held for made, held in zip(items, value, strict=True)) else value


def _of_model(model: Any) -> Json:
    try:
        dump = model.model_dump(mode="json", by_alias=True, warnings=False)
    except RecursionError:
        raise
    except Exception as error:  # of a class that is not ours
        raise TypeError(f"the {type(model).__name__} cannot be dumped: {error}") from error
    return _as_sent(model, dump)


def _as_sent(value: Any, dump: Json) -> Json:
    """Return the dump of a value as its client would send it."""
    if isinstance(value, bytes) and isinstance(dump, str):
        return b64encode(value).decode()
    if isinstance(value, (list, tuple)) and isinstance(dump, list) and len(value) == len(dump):
        return [_as_sent(*both) for both in zip(value, dump, strict=True)]
    if not isinstance(dump, dict):
        return dump
    declared: Any = getattr(type(value), "model_fields", None)
    if declared is None:
        held = value if isinstance(value, Mapping) else {}
        return {key: _as_sent(held.get(key), one) for key, one in dump.items()}
    names = {one.serialization_alias or one.alias or name: name for name, one in declared.items()}
    stated, excluded = getattr(value, "model_fields_set", names), _excluded(value)
    made = {}
    for key, one in dump.items():
        name = names.get(key, key)
        if name not in excluded and (one is not None or name in stated):
            made[key] = _as_sent(getattr(value, str(name), None), one)
    return made


def _excluded(model: Any) -> Collection[str]:
    """Return members that a client excludes from requests, such as values that it parsed from a response."""
    excluded = getattr(model, "__api_exclude__", None) or ()
    return [name for name, all_ in excluded.items() if all_ is True] if isinstance(excluded, dict) else excluded


ADVICE = {
    "content": "pass its `content`, the bytes of the body",
    "read": "pass the bytes that its `read()` returns",
    "parse": "pass what its `parse()` returns",
}
"""By attribute: what else holds a payload."""


def _advice(value: Any) -> str:
    if isinstance(value, type):
        return f"{EXPECTED}; pass an instance of the class"
    if isinstance(value, Awaitable):
        return "await it, and pass the result"
    if isinstance(value, AsyncIterator) or hasattr(value, "__aiter__"):
        return "`aconvert_stream` converts what is iterated asynchronously"
    return next((advice for name, advice in ADVICE.items() if hasattr(value, name)), EXPECTED)
