"""An error body of Cohere's into the IR (ERR-1): `{"id", "message"}`, whose category is that of the HTTP status."""

from __future__ import annotations

from proxai_ir.ir.error import Error, by_status
from proxai_ir.wire import cohere_v2_chat as wire

from .._lib.reading import Object, extra_fields, optional, read_or_keep, required

INVALID_TOKEN = 498
"""Cohere's own status for a key that it does not accept."""


def lower_error(payload: Object, status: int | None = None) -> Error:
    return read_or_keep(wire.NAME, payload, status, lambda: _read(payload, status))


def _read(payload: Object, status: int | None) -> Error:
    return Error(
        wire.NAME,
        by_status(401 if status == INVALID_TOKEN else status),
        required(payload, "message", str),
        request_id=optional(payload, "id", str),
        status=status,
        src=payload,
        extra=extra_fields(payload, {"message", "id"}),
    )
