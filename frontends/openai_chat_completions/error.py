"""An error of OpenAI Chat Completions into the IR: an HTTP body, or what stands in place of a response or a chunk."""

from __future__ import annotations

from proxai_ir.frontends._openai import reading as openai
from proxai_ir.ir.error import Error, stands_for_error
from proxai_ir.wire import openai_chat_completions as wire

from .._lib.reading import Json, Object


def lower_error(payload: Object | list[Json], status: int | None = None) -> Error:
    return openai.lower_error(wire.NAME, payload, status)


def failure(payload: Object) -> Error | None:
    """The error of a response or a chunk that has one: in its envelope, or in its only choice (STS-9)."""
    choices, error = payload.get("choices"), payload.get("error")
    if error or (error is not None and not choices) or payload.get("object") == wire.ERROR:
        return lower_error(payload)
    if choices is None and stands_for_error(payload):
        return lower_error(payload)
    if isinstance(choices, list) and len(choices) == 1 and isinstance(choices[0], dict):
        inner = choices[0].get("error")
        if inner and isinstance(inner, dict):
            return openai.error_of_choice(wire.NAME, payload, inner)
    return None
