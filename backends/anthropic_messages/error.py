"""The IR of an error as an Anthropic error body."""

from __future__ import annotations

from proxai_ir.binding.server import Server
from proxai_ir.ir.error import Error
from proxai_ir.wire import anthropic_messages as wire

from .._lib.writing import Json, Object, put, whole, with_extra


def raise_error(error: Error, server: Server) -> Json:
    if error.verbatim:
        return whole(error)
    built: Object = {"type": "error", "error": {"type": wire.ERROR_TYPE_OF[error.category], "message": error.message}}
    return with_extra(put(built, request_id=error.request_id), error)
