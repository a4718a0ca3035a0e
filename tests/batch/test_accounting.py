"""Every leaf of a batch line arrives, is named by a diagnostic, or stops the conversion (LOS-1)."""

from __future__ import annotations

from functools import partial
from typing import Any

from proxai_ir.batch import compile_line

from ..accounts import NEW, silent
from ..cases import each
from . import test_clouds as clouds
from .test_lines import (
    ANTHROPIC,
    BUSY,
    BUSY_OPENAI,
    CANDIDATES,
    CHAT,
    COMPLETION,
    MESSAGE,
    REQUESTS,
    SUCCEEDED,
    VERTEX,
    outcome,
)

LINES: dict[str, Any] = {
    **REQUESTS,
    "response of OpenAI": outcome(COMPLETION),
    "response of Anthropic": SUCCEEDED,
    "response of Gemini": {"key": "q-1", "response": CANDIDATES},
    "response of Vertex AI": {**VERTEX, "response": CANDIDATES},
    "error of OpenAI": outcome(BUSY_OPENAI, 503),
    "error of OpenAI's batch": {"custom_id": "q-1", "response": None, "error": {"code": "x", "message": "Slow"}},
    "error of Anthropic": {"custom_id": "q-1", "result": {"type": "errored", "error": BUSY}},
    "error of Gemini": {"key": "q-1", "error": {"code": 14, "message": "Busy", "details": [{"@type": "x", "a": 1}]}},
    "error of Vertex AI": {**VERTEX, "status": "Bad Request", "response": {}},
    "expired at OpenAI": {"custom_id": "q-1", "response": None, "error": {"code": "batch_expired", "message": "Late"}},
    "expired at Anthropic": {"custom_id": "q-1", "result": {"type": "expired"}},
    "request of Azure": clouds.line("/deployments/d/chat/completions", clouds.BODY),
    "request of Mistral": clouds.line(None, clouds.BODY),
    "request of InvokeModel": clouds.INVOKED,
    "request of Converse": clouds.CONVERSED,
    "request of Claude on Vertex AI": clouds.VERTEX,
    "response of InvokeModel": {**clouds.INVOKED, "modelOutput": MESSAGE},
    "response of Converse": {**clouds.CONVERSED, "modelOutput": clouds.ANSWER},
    "error of Bedrock": {**clouds.INVOKED, "error": {"errorCode": 429, "errorMessage": "Slow down"}},
    "canceled at Gemini": {"key": "q-1", "error": {"code": 1, "message": "Canceled."}},
}


@each("dst", [*REQUESTS, clouds.CONVERSE])
@each("name", LINES)
def test_no_leaf_is_silent(name: str, dst: str) -> None:
    assert silent(LINES[name], partial(compile_line, src=None, dst=dst, model="m")) == []


def test_a_leaf_that_is_dropped_is_found() -> None:
    line = {**REQUESTS[CHAT], "note": "x"}

    def careless(line: Any) -> Any:
        return compile_line({name: value for name, value in line.items() if name in REQUESTS[CHAT]}, CHAT, ANTHROPIC)

    assert silent(line, careless) == ["/note", f"/{NEW}"]
