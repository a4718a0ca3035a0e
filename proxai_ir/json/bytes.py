"""Payloads as bytes: parsed and written by orjson, with the few cases that orjson does not cover."""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from contextlib import suppress
from typing import Any

import orjson

from ..reporting.diagnostics import InvalidPayload, Refusal, render
from .unreadable import why_no_json

Json = Any
BINARY = (bytes, bytearray, memoryview)


def parsed(payload: bytes | bytearray | memoryview, kind: str | None = None) -> Json:
    """Raises InvalidPayload (SHP-6) for what is not JSON. A byte order mark before it is ignored (RFC 8259, 8.1).

    A gateway in front of a provider may respond with a page of text: then the text is the body of an error (ERR-5).
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
    """Raises Refusal (SHP-7) for what JSON cannot hold."""
    try:
        return orjson.dumps(made)
    except TypeError as error:
        return _dumped_slowly(made, error)


def _dumped_slowly(made: Json, first: Exception) -> bytes:
    """For integers beyond 64 bits, which tool arguments may hold; what else is wrong fails again."""
    try:
        return json.dumps(made, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    except (TypeError, ValueError, RecursionError):
        raise Refusal("SHP-7", None, str(first)) from None
