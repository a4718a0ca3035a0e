"""An Anthropic error body into the IR (ERR-1): `{"type": "error", "error": {"type", "message"}, "request_id"}`."""

from __future__ import annotations

from proxai_ir.ir.error import Error, by_status
from proxai_ir.wire import anthropic_messages as wire

from ..errors import read_or_keep
from ..reading import Object, constant, optional, own, required


def lower_error(payload: Object, status: int | None = None) -> Error:
    """The category comes from the type, else from the HTTP status."""
    return read_or_keep(wire.NAME, payload, status, lambda: _read(payload, status))


def _read(payload: Object, status: int | None) -> Error:
    constant(payload, "type", "error")
    error = required(payload, "error", dict)
    kind = required(error, "type", str)
    known = wire.ERROR_TYPE.get(kind)
    inner = own(error, {"type", "message"} if known else {"message"})
    return Error(
        wire.NAME,
        known or by_status(status),
        required(error, "message", str),
        kind if known else None,
        request_id=optional(payload, "request_id", str),
        status=status,
        src=payload,
        own=own(payload, {"type", "error", "request_id"}, error=inner),
    )
