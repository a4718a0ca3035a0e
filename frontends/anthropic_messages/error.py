"""An Anthropic error body into the IR (ERR-1): `{"type": "error", "error": {"type", "message"}, "request_id"}`."""

from __future__ import annotations

from proxai_ir.ir.error import Error, judged
from proxai_ir.wire import anthropic_messages as wire

from .._lib.reading import Object, constant, extra_fields, optional, read_or_keep, required


def lower_error(payload: Object, status: int | None = None) -> Error:
    """The category comes from the type, else from the HTTP status; a type for errors of every kind comes last."""
    return read_or_keep(wire.NAME, payload, status, lambda: _read(payload, status))


def _read(payload: Object, status: int | None) -> Error:
    constant(payload, "type", "error")
    error = required(payload, "error", dict)
    kind = optional(error, "type", str)
    known = wire.ERROR_TYPE.get(kind or "")
    message = required(error, "message", str)
    inner = extra_fields(error, {"type", "message"} if known else {"message"})
    specific = None if kind in wire.GENERIC_ERRORS else known
    return Error(
        wire.NAME,
        judged([specific], status, known),
        message,
        kind if known else None,
        request_id=optional(payload, "request_id", str),
        status=status,
        src=payload,
        extra=extra_fields(payload, {"type", "error", "request_id"}, nested={"error": inner}),
    )
