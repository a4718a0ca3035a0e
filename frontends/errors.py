"""What every error frontend shares: a category from the HTTP status, and bodies of a shape that nobody knows (ERR-1).

Gateways, proxies and small servers put in front of a provider answer with bodies of their own. Such a body is kept
whole: its JSON text is the message.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from proxai_ir.diagnostics import Refusal
from proxai_ir.ir.error import Error, ErrorCategory

from .reading import Object

BY_STATUS = {category.value: category for category in ErrorCategory}


def by_status(status: int | None) -> ErrorCategory:
    return BY_STATUS.get(status or 0, ErrorCategory.UNKNOWN)


def read_or_keep(protocol: str, payload: Object, status: int | None, read: Callable[[], Error]) -> Error:
    """What `read` makes of the body, or an error that says the whole body in its message."""
    try:
        return read()
    except Refusal as refusal:
        try:
            text = json.dumps(payload, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        except (TypeError, ValueError, RecursionError):
            raise refusal from None
        return Error(protocol, by_status(status), text, status=status, verbatim=True, src=payload)
