"""The IR of an error as a body of the Interactions API: `{"error": {"code", "message"}}`."""

from __future__ import annotations

from proxai_ir.binding.server import Server
from proxai_ir.ir.error import Error
from proxai_ir.wire import gemini_interactions as wire

from .._lib.writing import Json, whole, with_extra


def raise_error(error: Error, server: Server) -> Json:
    if error.verbatim:
        return whole(error)
    extra = (error.extra.fields if error.extra is not None else None) or {}
    if extra.get("status") == wire.FAILED:  # an interaction that failed
        listed = [{"code": error.type, "message": error.message}]
        return with_extra({"errors": listed}, error)
    inner = extra.get("error") or {}
    made = {"message": error.message}
    if isinstance(inner.get("code"), int) and error.type is not None:  # as servers before the API write it
        made["status"] = error.type
    elif error.type is not None or error.protocol != wire.NAME:
        made["code"] = word_of(error)
    return with_extra({"error": made}, error)


def word_of(error: Error) -> str:
    """This protocol's own word, or that of the category."""
    own = wire.ERRORS.get((error.type or "").lower())
    if error.type is not None and (error.protocol == wire.NAME or own is error.category):
        return error.type
    if isinstance(error.code, str) and wire.ERRORS.get(error.code) is error.category:
        return error.code
    return wire.ERROR_OF[error.category]
