"""An error of Interactions into the IR (ERR-1): a body or an event `{"error": {"code", "message"}}`, or an interaction
that failed. Servers before the API reject requests with Google's own bodies, whose code is the HTTP status.
"""

from __future__ import annotations

from proxai_ir.ir.error import Error, ErrorCategory, judged
from proxai_ir.wire import gemini_interactions as wire

from .._lib.reading import Json, Object, extra_fields, from_array, optional, read_or_keep, required, wrong


def lower_error(payload: Object | list[Json], status: int | None = None) -> Error:
    """The category comes from the word for it, else from the HTTP status."""
    if not isinstance(payload, dict):
        return from_array(wire.NAME, payload, status, lambda body: lower_error(body, status))
    error = payload.get("error")
    code = error.get("code") if isinstance(error, dict) else None
    known = code if status is None and type(code) is int else status
    return read_or_keep(wire.NAME, payload, known, lambda: _read(payload, required(payload, "error", dict), known))


def _read(payload: Object, error: Object, status: int | None) -> Error:
    code = error.get("code")
    if code is not None and not isinstance(code, (str, int)):
        raise wrong(error, "code", "a string")
    word = optional(error, "status", str) if isinstance(code, int) else code
    category = wire.ERRORS.get((word or "").lower())
    message = required(error, "message", str)
    made = Error(wire.NAME, ErrorCategory.UNKNOWN, message, word if category else None, status=status, src=payload)
    specific = None if (word or "").lower() in wire.GENERIC else category
    made.category = judged([specific], status, category)
    known = {"message", *(("status" if isinstance(code, int) else "code",) if category else ())}
    made.extra = extra_fields(payload, {"error", "event_type"}, nested={"error": extra_fields(error, known)})
    return made


def failed(payload: Object) -> Error:
    """The first error of an interaction that failed, and the rest of it for this protocol."""
    errors = payload.get("errors")
    first = errors[0] if isinstance(errors, list) and errors and isinstance(errors[0], dict) else {}
    message, word = optional(first, "message", str) or "", optional(first, "code", str)
    category = wire.ERRORS.get((word or "").lower())
    made = Error(wire.NAME, category or ErrorCategory.SERVER, message, word, src=payload)  # which stands in an array
    known = {"message", *(("code",) if category else ())}
    alone = errors == [first] and not first.keys() - known
    made.extra = extra_fields(payload, {"errors"} if alone else set())
    return made
