"""What every error frontend shares: bodies of a shape that nobody knows (ERR-5).

Gateways, proxies and small servers put in front of a provider answer with bodies of their own. Such a body is kept
whole: its JSON text is the message.
"""

from __future__ import annotations

from collections.abc import Callable

from proxai_ir.diagnostics import Refusal
from proxai_ir.ir.error import Error, kept_whole

from .reading import Object


def read_or_keep(protocol: str, payload: Object, status: int | None, read: Callable[[], Error]) -> Error:
    """What `read` makes of the body, or an error that says the whole body in its message."""
    try:
        return read()
    except Refusal as refusal:
        try:
            return kept_whole(protocol, payload, status)
        except (TypeError, ValueError, RecursionError):
            raise refusal from None
