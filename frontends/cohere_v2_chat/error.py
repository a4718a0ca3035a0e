"""An error body of Cohere's into the IR (ERR-1): `{"id", "message"}`, whose category is that of the HTTP status."""

from __future__ import annotations

from proxai_ir.ir.error import Error, ErrorCategory, by_status
from proxai_ir.wire import cohere_v2_chat as wire

from .._lib.errors import error_reader
from .._lib.reading import Object, optional

INVALID_TOKEN = 498
"""Cohere's own status for a key that it does not accept."""

lower_error = error_reader(wire.NAME, wire.ERROR, lambda status: by_status(401 if status == INVALID_TOKEN else status))


def lower_failure(ending: Object) -> Error:
    """The failure that a stream ends with before it has begun (ERR-12)."""
    word = optional(ending, "finish_reason", str)
    message = optional(ending, "error", str) or f"The generation failed: {word}."
    return Error(wire.NAME, ErrorCategory.SERVER, message, code=word, src=ending)
