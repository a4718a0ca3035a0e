"""Ids of responses that have none (ENV-9): the same each time, and others for other responses."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir
from proxai_ir import StreamConverter

ANTHROPIC, CHAT, RESPONSES = "anthropic_messages", "openai_chat_completions", "openai_responses"

HEAD = {"object": "chat.completion.chunk", "created": 7, "model": "m"}
STREAM: list[Any] = [
    {**HEAD, "choices": [{"index": 0, "delta": {"role": "assistant", "content": "Hi"}, "finish_reason": None}]},
    {**HEAD, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
    "[DONE]",
]
WHOLE = {
    **HEAD,
    "object": "chat.completion",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}],
}


@pytest.mark.parametrize("target", [ANTHROPIC, RESPONSES])
def test_a_response_gets_the_same_id_each_time(target: str) -> None:
    made = proxai_ir.compile(WHOLE, CHAT, target, kind="response")
    assert made.output["id"].startswith("generated_")
    assert [one.severity for one in made.diagnostics if one.code == "ENV-9"] == ["info"]
    assert proxai_ir.convert(dict(reversed(WHOLE.items())), CHAT, target, kind="response")["id"] == made.output["id"]


@pytest.mark.parametrize("target", [ANTHROPIC, RESPONSES])
def test_a_stream_gets_one_id_before_it_has_content(target: str) -> None:
    streamed = proxai_ir.compile(STREAM, CHAT, target, kind="stream")
    ids = {one["id"] for event in streamed.output if (one := event.get("message") or event.get("response"))}
    assert len(ids) == 1
    assert [one.code for one in streamed.diagnostics].count("ENV-9") == 1


OTHER_TEXT = {"index": 0, "message": {"role": "assistant", "content": "Ho"}, "finish_reason": "stop"}


def test_another_time_model_or_text_gives_another_id() -> None:
    ids = {
        proxai_ir.convert({**WHOLE, **change}, CHAT, ANTHROPIC)["id"]
        for change in ({}, {"created": 8}, {"model": "n"}, {"system_fingerprint": "f"}, {"choices": [OTHER_TEXT]})
    }
    assert len(ids) == 5


@pytest.mark.parametrize("target", [ANTHROPIC, RESPONSES])
def test_the_option_gives_the_id(target: str) -> None:
    made = proxai_ir.compile(WHOLE, CHAT, target, kind="response", response_id="r1")
    assert made.output["id"] == "r1"
    assert "ENV-9" not in [one.code for one in made.diagnostics]
    converter = StreamConverter(CHAT, target, response_id="r1")
    (first, *_) = converter.feed(STREAM[0])
    assert (first.get("message") or first["response"])["id"] == "r1"


def test_an_id_of_the_source_is_kept() -> None:
    assert proxai_ir.convert({**WHOLE, "id": "c1"}, CHAT, ANTHROPIC, response_id="r1")["id"] == "c1"
