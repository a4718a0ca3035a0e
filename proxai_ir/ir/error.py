"""An error that an upstream answered with, as a value (ERR-1)."""

from __future__ import annotations

import json
from enum import Enum
from typing import Any

from attrs import define, field

from .node import Extra, bookkeeping


class ErrorCategory(Enum):
    """What went wrong, with the HTTP status that is usual for it; what has no status of its own has a word."""

    INVALID_REQUEST = 400
    CONTEXT_LENGTH = "context_length"  # the prompt is too long for the model: clients shorten it and try again
    AUTHENTICATION = 401
    BILLING = 402
    PERMISSION = 403
    NOT_FOUND = 404
    TOO_LARGE = 413
    RATE_LIMIT = 429
    SERVER = 500
    TIMEOUT = 504
    OVERLOADED = 529
    UNKNOWN = 0


BY_STATUS = {category.value: category for category in ErrorCategory if isinstance(category.value, int)} | {
    408: ErrorCategory.TIMEOUT,
    409: ErrorCategory.INVALID_REQUEST,
    422: ErrorCategory.INVALID_REQUEST,
    502: ErrorCategory.SERVER,
    503: ErrorCategory.OVERLOADED,
}


BY_CLASS = {4: ErrorCategory.INVALID_REQUEST, 5: ErrorCategory.SERVER}  # hundreds of statuses that are not listed


def by_status(status: int | None) -> ErrorCategory:
    """The category of an HTTP status, for bodies that do not name one (ERR-1)."""
    found = BY_STATUS.get(status or 0)
    if found is not None:
        return found
    return BY_CLASS.get((status or 0) // 100, ErrorCategory.UNKNOWN)


OVERFLOWS = (
    "prompt is too long",
    "exceed context limit",
    "maximum context length",
    "context_length_exceeded",
    "exceeds the context window",
)
"""What the messages of errors contain where the prompt was too long and no code shows it."""
VAGUE = (ErrorCategory.INVALID_REQUEST, ErrorCategory.UNKNOWN)


def refined(category: ErrorCategory, message: str) -> ErrorCategory:
    """The category, or a more exact one that only the message shows (ERR-7)."""
    if category in VAGUE and any(text in message[:MOST_READ].lower() for text in OVERFLOWS):
        return ErrorCategory.CONTEXT_LENGTH
    return category


MOST_READ = 1000  # characters of a message


@define
class Error:
    """`type` is the vendor's own word for the category; `status` the HTTP status, where the caller knew it.

    `verbatim`: the body has an unknown shape, and `message` is its JSON text, or the body itself where that is text.
    `retry_after`: seconds to wait before the next attempt.
    """

    protocol: str | None
    category: ErrorCategory
    message: str
    type: str | None = None
    code: str | int | None = None
    param: str | None = None
    request_id: str | None = None
    status: int | None = None
    verbatim: bool | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None
    retry_after: float | None = field(default=None, kw_only=True)


def kept_whole(protocol: str, body: Any, status: int | None) -> Error:
    """The error of a body of unknown shape (ERR-5).

    Raises TypeError, ValueError or RecursionError where it cannot be written as JSON.
    """
    wire_forms = Extra(None, ("text",)) if isinstance(body, str) else None
    text = body if wire_forms else json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Error(protocol, by_status(status), text, status=status, verbatim=True, src=body, extra=wire_forms)
