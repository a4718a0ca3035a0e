"""What every error frontend shares: bodies of no known shape (ERR-5).

Gateways, proxies and small servers put in front of a provider answer with bodies of their own. Such a body is kept
whole: its JSON text is the message.
"""

from __future__ import annotations

from collections.abc import Callable

from proxai_ir.ir.error import PLAIN, Error, by_status, kept_whole, refined
from proxai_ir.json.pointer import Unwrapped
from proxai_ir.reporting.diagnostics import Refusal

from .reading import Json, Object


def read_or_keep(protocol: str, payload: Object, status: int | None, read: Callable[[], Error]) -> Error:
    """What `read` makes of the body, or an error with the whole body as its message."""
    try:
        return read()
    except Refusal as refusal:
        plain = _only_a_text(protocol, payload, status)
        if plain is not None:
            return plain
        try:
            return kept_whole(protocol, payload, status)
        except (TypeError, ValueError, RecursionError):
            raise refusal from None


def from_array(protocol: str, body: list[Json], status: int | None, read: Callable[[Object], Error]) -> Error:
    """What `read` makes of the one element of an array, or an error with the whole body as its message."""
    if len(body) == 1 and isinstance(body[0], dict):
        return read(Unwrapped(body))
    try:
        return kept_whole(protocol, body, status)
    except (TypeError, ValueError, RecursionError) as error:
        raise Refusal("SHP-1", None, str(error)) from None


def _only_a_text(protocol: str, payload: Object, status: int | None) -> Error | None:
    """The error of a body of one text: of Bedrock (`message`), FastAPI (`detail`), small servers (`error`)."""
    for key in (*PLAIN, "error") if len(payload) == 1 else ():
        text = payload.get(key)
        if isinstance(text, str):
            category = refined(by_status(status), text)
            return Error(protocol, category, text, status=status, verbatim=True, src=payload)
    return None
