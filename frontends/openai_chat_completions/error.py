"""An error of OpenAI Chat Completions into the IR: an HTTP body, or what stands in place of a response or a chunk."""

from __future__ import annotations

from proxai_ir.frontends._openai import reading as openai
from proxai_ir.ir.error import Error, ErrorCategory, judged, stands_for_error
from proxai_ir.wire import openai_chat_completions as wire

from .._lib.reading import Json, Object, extra_fields, read_or_keep, required


def lower_error(payload: Object | list[Json], status: int | None = None) -> Error:
    if isinstance(payload, dict) and _apart(payload) is not None:
        return read_or_keep(wire.NAME, payload, status, lambda: _read_apart(payload, status))
    return openai.lower_error(wire.NAME, payload, status)


def _apart(payload: Object) -> Object | None:
    """The outcome that MiniMax has next to what a response holds, where it is an error."""
    outcome = payload.get(wire.OUTCOME)
    failed = isinstance(outcome, dict) and outcome.get("status_code") and not payload.get("choices")
    return outcome if failed and payload.get("error") is None else None


def _read_apart(payload: Object, status: int | None) -> Error:
    outcome = required(payload, wire.OUTCOME, dict)
    message, code = required(outcome, "status_msg", str), required(outcome, "status_code", int)
    named = wire.OUTCOME_CODE.get(code)
    category = judged([named], status, ErrorCategory.SERVER)
    inner = extra_fields(outcome, {"status_msg"} if named else {"status_msg", "status_code"})
    extra = extra_fields(payload, {wire.OUTCOME}, nested={wire.OUTCOME: inner})
    stated = None if named else str(code)
    return Error(wire.NAME, category, message, None, stated, status=status, src=payload, extra=extra)


def failure(payload: Object) -> Error | None:
    """The error of a response or a chunk that has one: in its envelope, or in its only choice (STS-9)."""
    choices, error = payload.get("choices"), payload.get("error")
    if error or (error is not None and not choices) or payload.get("object") == wire.ERROR:
        return lower_error(payload)
    if choices is None and (stands_for_error(payload) or _apart(payload) is not None):
        return lower_error(payload)
    if isinstance(choices, list) and len(choices) == 1 and isinstance(choices[0], dict):
        inner = choices[0].get("error")
        if inner and isinstance(inner, dict):
            return openai.error_of_choice(wire.NAME, payload, inner)
    return None
