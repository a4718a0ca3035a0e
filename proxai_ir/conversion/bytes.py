"""Payloads as bytes, parsed and written, and as instances of an SDK's classes."""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from contextlib import suppress
from functools import lru_cache
from typing import Any

import orjson

from ..json.types import why_no_json
from ..reporting.diagnostics import InvalidPayload, Refusal, render

# --- bytes ------------------------------------------------------------------------------------------------------------
# Payloads as bytes: parsed and written by orjson, with the few cases that orjson does not cover.


Json = Any
BINARY = (bytes, bytearray, memoryview)


def parsed(payload: bytes | bytearray | memoryview, kind: str | None = None) -> Json:
    """Return the JSON value of bytes; raise InvalidPayload for what is not JSON (SHP-6).

    A byte order mark is ignored (RFC 8259, 8.1). The body of an error may be text, such as a page of a gateway (ERR-5).
    """
    try:
        return orjson.loads(payload)
    except orjson.JSONDecodeError as error:
        why = str(error)  # the error itself holds the payload
    data = bytes(payload)
    if data.startswith(BOM_UTF8):
        with suppress(orjson.JSONDecodeError):
            return orjson.loads(data[len(BOM_UTF8) :])
    if kind == "error":
        with suppress(UnicodeDecodeError):
            return data.decode()
    raise InvalidPayload(render([("SHP-6", None, why_no_json(data, why))], None))


def dumped(made: Json) -> bytes:
    """Return a value as JSON; raise Refusal for what JSON cannot hold (SHP-7)."""
    try:
        return orjson.dumps(made)
    except TypeError as error:
        why = str(error)
    try:  # integers beyond 64 bits, which tool arguments may hold
        return json.dumps(made, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    except (TypeError, ValueError, RecursionError):
        raise Refusal("SHP-7", None, why) from None


# --- typed ------------------------------------------------------------------------------------------------------------
# Instances of an SDK's classes from converted payloads: `convert(…, output_type=Message)`.
#
# Rule 1: no SDK is imported; pydantic, which they all use, is imported when it is needed. Rule 2: a class that cannot
# hold the output is the caller's mistake, a TypeError that names the first place.


DONE = "[DONE]"
"""The last event of some streams, which SDKs do not hand on."""


def typed(output: Any, output_type: Any) -> Any:
    """Return the output as an instance of an SDK's class; for a stream, the list of its events as instances.

    output_type  a pydantic model, a TypedDict, or a union of them, as SDKs declare their events
    """
    from pydantic import ValidationError

    value = orjson.loads(output) if isinstance(output, BINARY) else output
    try:
        adapter = _adapter(output_type)
        if isinstance(value, list):
            return [adapter.validate_python(event) for event in value if event != DONE]
        return adapter.validate_python(value)
    except ValidationError as error:
        first = error.errors()[0]
        place = "".join(f"/{one}" for one in first["loc"])
        name = getattr(output_type, "__name__", output_type)
        raise TypeError(
            f"output_type: {name} does not hold the output: {first['msg']} at {place or 'the whole of it'}"
        ) from None


@lru_cache(64)
def _adapter(output_type: Any) -> Any:
    from pydantic import PydanticUserError, TypeAdapter

    try:
        return TypeAdapter(output_type)
    except PydanticUserError as error:
        raise TypeError(f"output_type: expected a class of an SDK, found {output_type!r}") from error
