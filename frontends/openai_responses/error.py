"""An error of OpenAI Responses into the IR (ERR-1): an HTTP body, an error event, or an answer that failed (STS-9)."""

from __future__ import annotations

from proxai_ir.ir.error import Error
from proxai_ir.wire import openai_responses as wire

from ..errors import by_status, read_or_keep
from ..reading import Object, missing, own, wrong

KNOWN = frozenset({"message", "type", "param", "code"})
BARE = frozenset({"message", "param", "code"})


def lower_error(payload: Object, status: int | None = None) -> Error:
    """The category comes from the code, else the type, else the HTTP status; a bare string is the message."""
    return read_or_keep(wire.NAME, payload, status, lambda: _read(payload, status))


def _read(payload: Object, status: int | None) -> Error:
    error = payload.get("error")
    if isinstance(error, str):
        kept = own(payload, {"error"}, "string")
        return Error(wire.NAME, by_status(status), error, status=status, src=payload, own=kept)
    if error is None and "message" in payload:  # the error event of a stream, or an error without its envelope
        found = _told(payload, payload, status)
        found.own = own(payload, BARE, "bare")
        return found
    if not isinstance(error, dict):
        raise missing(payload, "error") if error is None else wrong(payload, "error", "an object")
    found = _told(payload, error, status)
    inner = own(error, KNOWN if found.type is not None else KNOWN - {"type"})
    found.own = own(payload, {"error"}, error=inner)
    return found


def _told(payload: Object, error: Object, status: int | None) -> Error:
    message, kind, code = error.get("message"), error.get("type"), error.get("code")
    if not isinstance(message, str):
        raise missing(error, "message") if message is None else wrong(error, "message", "a string")
    if code is not None and (not isinstance(code, (str, int)) or isinstance(code, bool)):
        raise wrong(error, "code", "a string or an integer")
    for key in ("type", "param"):
        if not isinstance(error.get(key), (str, type(None))):
            raise wrong(error, key, "a string")
    known = wire.ERROR_TYPE.get(str(kind))
    category = (
        wire.ERROR_CODE.get(code if isinstance(code, str) else "")
        or known
        or by_status(code if isinstance(code, int) else status)
    )
    word = kind if known else None
    return Error(wire.NAME, category, message, word, code, error.get("param"), status=status, src=payload)
