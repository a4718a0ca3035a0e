"""The IR of an error as Google's error body."""

from __future__ import annotations

from proxai_ir.binding.server import Server
from proxai_ir.ir.error import Error, ErrorCategory, by_status
from proxai_ir.wire import gemini_generate_content as wire
from proxai_ir.wire import google

from .._lib.writing import Json, Object, put, whole, with_extra

VAGUE = (ErrorCategory.INVALID_REQUEST, ErrorCategory.SERVER, ErrorCategory.UNKNOWN)
"""Categories of which the HTTP status may say more."""


def raise_error(error: Error, server: Server) -> Json:
    """The body repeats the HTTP status, which tells apart more than the categories of some protocols do."""
    if error.verbatim:
        return whole(error)
    status = server.status if error.status is None else error.status
    category = by_status(status) if status and error.category is ErrorCategory.SERVER else error.category
    word, usual = wire.STATUS_OF[category]
    if category in VAGUE:
        word = wire.STATUS_OF_HTTP.get(status or 0, word)
    own = google.STATUS.get(error.type or "")
    if error.type is not None and own is not None and (own is error.category or error.type in google.GENERIC_STATUS):
        word = error.type
    stated = error.protocol != wire.NAME  # what an error of this protocol does not state is not known
    built = put({}, code=status or (usual if stated else None), message=error.message)
    put(built, status=word if stated or error.type is not None else None, details=_details(error) or None)
    return with_extra({"error": built}, error)


def _details(error: Error) -> list[Object]:
    """What has no member of its own, in Google's standard messages."""
    made: list[Object] = []
    if isinstance(error.code, str):
        made.append({"@type": wire.ERROR_INFO, "reason": error.code})
    if error.param is not None:
        made.append({"@type": wire.BAD_REQUEST, "fieldViolations": [{"field": error.param}]})
    if error.retry_after is not None:
        made.append({"@type": wire.RETRY_INFO, "retryDelay": f"{error.retry_after:.9f}".rstrip("0").rstrip(".") + "s"})
    return made
