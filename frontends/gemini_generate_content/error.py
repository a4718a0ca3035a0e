"""An error body of Google's APIs into the IR (ERR-1): `{"error": {"code", "message", "status", "details"}}`."""

from __future__ import annotations

import re

from proxai_ir.ir.error import Error, ErrorCategory, judged
from proxai_ir.wire import gemini_generate_content as wire
from proxai_ir.wire import google

from .._lib.reading import Json, Object, extra_fields, from_array, optional, read_or_keep, required


def lower_error(payload: Object | list[Json], status: int | None = None) -> Error:
    """The category comes from the reason or the status word, else from the HTTP status, which `code` is too.

    Where a stream was asked for as JSON, its error is the one element of an array.
    """
    if isinstance(payload, dict):
        known = _code(payload) if status is None else status
        return read_or_keep(wire.NAME, payload, known, lambda: _read(payload, known))
    return from_array(wire.NAME, payload, status, lambda body: lower_error(body, status))


def _code(payload: Object) -> int | None:
    """The HTTP status that a body repeats, if it does."""
    error = payload.get("error")
    code = error.get("code") if isinstance(error, dict) else None
    return code if type(code) is int else None


def _read(payload: Object, status: int | None) -> Error:
    error = required(payload, "error", dict)
    optional(error, "code", int)
    kind = optional(error, "status", str)
    known, message = google.STATUS.get(kind or ""), required(error, "message", str)
    made = Error(wire.NAME, ErrorCategory.UNKNOWN, message, kind if known else None, status=status, src=payload)
    _read_details(made, optional(error, "details", list) or [])
    specific = None if kind in google.GENERIC_STATUS else known
    made.category = judged([wire.REASON.get(str(made.code)), specific], status, known)
    inner = extra_fields(error, {"message", "status"} if known else {"message"})
    made.extra = extra_fields(payload, {"error"}, nested={"error": inner})
    return made


DELAY = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?s")


def _read_details(made: Error, details: list[Json]) -> None:
    """What the IR has of them: when to try again, the reason, and the first member of the request that is wrong."""
    for detail in details:
        if not isinstance(detail, dict):
            continue
        kind, delay, reason = detail.get("@type"), detail.get("retryDelay"), detail.get("reason")
        if kind == wire.RETRY_INFO and isinstance(delay, str) and DELAY.fullmatch(delay):
            made.retry_after = float(delay[:-1])
        elif kind == wire.ERROR_INFO and isinstance(reason, str):
            made.code = reason
        elif kind == wire.BAD_REQUEST and made.param is None:
            made.param = _violated(detail.get("fieldViolations"))


def _violated(violations: Json) -> str | None:
    first = violations[0] if isinstance(violations, list) and violations else None
    field = first.get("field") if isinstance(first, dict) else None
    return field if isinstance(field, str) else None
