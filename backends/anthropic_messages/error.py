"""The IR of an error as an Anthropic error body."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxai_ir.ir.error import Error
from proxai_ir.wire import anthropic_messages as wire

from .._lib.writing import Json, Object, give_back, put, whole


def raise_error(error: Error, home: bool, options: Mapping[str, Any]) -> Json:
    if home and error.verbatim:
        return whole(error)
    kind = error.type if home and error.type else wire.ERROR_TYPE_OF[error.category]
    built: Object = {"type": "error", "error": {"type": kind, "message": error.message}}
    return give_back(put(built, request_id=error.request_id), error.extra, home)
