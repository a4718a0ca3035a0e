"""An error that an upstream answered with, as a value (ERR-1)."""

from __future__ import annotations

from enum import Enum
from typing import Any

from attrs import define

from .node import Own, bookkeeping


class ErrorCategory(Enum):
    """What went wrong, with the HTTP status that usually says so."""

    INVALID_REQUEST = 400
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


@define
class Error:
    """`type` is the vendor's own word for the category; `status` the HTTP status, where the caller knew it.

    `verbatim`: nobody could read the body, and `message` is its JSON text.
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
    own: Own | None = None
