"""An error of OpenAI into the IR (ERR-1), as all its protocols write it.

`{"error": {"message", "type", "param", "code"}}`, the same without its envelope, or a bare string as the message.
"""

from __future__ import annotations

from proxai_ir.ir.error import Error
from proxai_ir.vendors import openai

from .errors import by_status, read_or_keep
from .reading import Object, missing, own, wrong

KNOWN = frozenset({"message", "type", "param", "code"})
BARE = frozenset({"message", "param", "code"})


def lower_error(protocol: str, payload: Object, status: int | None) -> Error:
    """The category comes from the code, else the type, else the HTTP status."""
    return read_or_keep(protocol, payload, status, lambda: _read(protocol, payload, status))


def _read(protocol: str, payload: Object, status: int | None) -> Error:
    error = payload.get("error")
    if isinstance(error, str):
        kept = own(payload, {"error"}, "string")
        return Error(protocol, by_status(status), error, status=status, src=payload, own=kept)
    if error is None and "message" in payload:
        found = _told(protocol, payload, payload, status)
        found.own = own(payload, BARE, "bare")
        return found
    if not isinstance(error, dict):
        raise missing(payload, "error") if error is None else wrong(payload, "error", "an object")
    found = _told(protocol, payload, error, status)
    inner = own(error, KNOWN if found.type is not None else KNOWN - {"type"})
    found.own = own(payload, {"error"}, error=inner)
    return found


def _told(protocol: str, payload: Object, error: Object, status: int | None) -> Error:
    message, kind, code = error.get("message"), error.get("type"), error.get("code")
    if not isinstance(message, str):
        raise missing(error, "message") if message is None else wrong(error, "message", "a string")
    if code is not None and (not isinstance(code, (str, int)) or isinstance(code, bool)):
        raise wrong(error, "code", "a string or an integer")
    for key in ("type", "param"):
        if not isinstance(error.get(key), (str, type(None))):
            raise wrong(error, key, "a string")
    known = openai.ERROR_TYPE.get(str(kind))
    category = (
        openai.ERROR_CODE.get(code if isinstance(code, str) else "")
        or known
        or by_status(code if isinstance(code, int) else status)
    )
    word = kind if known else None
    return Error(protocol, category, message, word, code, error.get("param"), status=status, src=payload)
