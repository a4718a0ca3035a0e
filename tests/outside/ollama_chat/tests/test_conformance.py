"""The conformance suite on this package's samples."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proxai_ir import check
from proxai_ir.ir.error import Error
from proxai_ir.ir.parts import Document, PlainText, ToolResult
from proxai_ir.ir.request import Request, Role, Streaming, Turn
from proxai_ir.ir.response import Terminal
from proxai_ir.testing import Check, Conformance

from .samples import ERRORS, REQUESTS, RESPONSES, STREAMS


def document() -> tuple[Request, Document]:
    node = Document(PlainText("Once.", "text/plain"))
    return Request(None, "m", [Turn(Role.USER, [node])]), node


SUITE = Conformance(
    protocol="ollama_example",
    requests=REQUESTS,
    responses=RESPONSES,
    errors=ERRORS,
    streams=STREAMS,
    repeats={
        r"request .*/tool_calls/\d+/function/index": "the position",
        r"stream .*/[1-9]\d*/logprobs/.*": "a loss is reported once in a stream",
        r"stream .*/[1-9]\d*/created_at": "the first chunk's time counts",
    },
    exempt={
        (Streaming, "stream"): "written in any case, since this server streams by default",
        (ToolResult, "name"): "that of the call counts",
        (Error, "category"): "the HTTP status, which is not in the body",
        (Terminal, "reason"): "two words for all of them",
    },
    specimens={Document: document},
)


@pytest.mark.parametrize("check", SUITE.checks(), ids=str)
def test_conformance(check: Check) -> None:
    check()


@pytest.mark.parametrize("kind", ["request", "response", "error", "stream"])
@settings(
    max_examples=50,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    derandomize=True,
)
@given(data=st.data())
def test_generated_payloads(kind: str, data: Any) -> None:
    SUITE.holds(kind, data.draw(SUITE.strategy(kind)))


def test_ids_of_calls_are_named_where_they_stand() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
    response = {"id": "r", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    found = check(response, "openai_chat_completions", "ollama_example", kind="response")
    assert [one.path for one in found if one.rule == "OLLAMA-5"] == ["/choices/0/message/tool_calls/0/id"]
