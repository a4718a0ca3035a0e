"""An error of OpenAI Responses into the IR: an HTTP body, an error event, or an answer that failed (STS-9)."""

from __future__ import annotations

from proxai_ir.frontends._openai import reading as openai
from proxai_ir.ir.error import Error
from proxai_ir.wire import openai_responses as wire

from .._lib.reading import Object


def lower_error(payload: Object, status: int | None = None) -> Error:
    return openai.lower_error(wire.NAME, payload, status)
