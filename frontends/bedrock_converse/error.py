"""An error into the IR (ERR-1): its body has a message, and a header or the name of an event says what it is."""

from __future__ import annotations

from collections.abc import Mapping

from proxai_ir.ir.error import Error, judged
from proxai_ir.wire import bedrock_converse as wire

from .._lib.reading import Object, extra_fields, optional, read_or_keep, required

NO_HEADERS: dict[str, str] = {}


def lower_error(payload: Object, status: int | None = None, headers: Mapping[str, str] = NO_HEADERS) -> Error:
    """`x-amzn-ErrorType` may have an address behind the name; servers of AWS write it into the body as well."""
    return read_or_keep(wire.NAME, payload, status, lambda: _read(payload, status, headers))


def _read(payload: Object, status: int | None, headers: Mapping[str, str]) -> Error:
    stated = optional(payload, "__type", str)
    name = headers.get(wire.ERROR_TYPE) or stated
    kind = name.partition(":")[0].rpartition("#")[2] if name else None
    found = named(payload, kind, status)
    found.request_id = headers.get(wire.REQUEST_ID)
    return found


def named(payload: Object, kind: str | None, status: int | None = None) -> Error:
    """The error of an exception of this name."""
    category = wire.ERRORS.get(kind or "")
    message = required(payload, "Message" if "message" not in payload and "Message" in payload else "message", str)
    known = {"message", "Message", *(() if category is None else ("__type", "code"))}
    specific = None if kind in (wire.VALIDATION, wire.INTERNAL) else category
    return Error(
        wire.NAME,
        judged([specific], status, category),
        message,
        kind,
        status=status,
        src=payload,
        extra=extra_fields(payload, known),
    )
