"""Errors of `/api/chat` into the IR."""

from __future__ import annotations

from proxai_ir.ir.error import Error, by_status
from proxai_ir.wire import ollama_chat as wire

from .._lib.reading import Object, extra_fields, read_or_keep, required


def lower_error(payload: Object, status: int | None = None) -> Error:
    """The category is the HTTP status's; the body is but a text."""

    def read() -> Error:
        message, extra = required(payload, "error", str), extra_fields(payload, {"error"})
        return Error(wire.NAME, by_status(status), message, status=status, src=payload, extra=extra)

    return read_or_keep(wire.NAME, payload, status, read)
