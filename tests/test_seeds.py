"""The examples of the texts that the rules come from convert into each other, where those texts are at hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import proxai_ir

TEXTS = Path(__file__).parents[2] / "shared" / "seeds"


def objects(name: str) -> list[Any]:
    """The JSON objects in a text, the outermost ones."""
    text, found, at, decoder = (TEXTS / name).read_text(encoding="utf-8"), [], 0, json.JSONDecoder()
    while (at := text.find("{", at)) >= 0:
        try:
            value, at = decoder.raw_decode(text, at)
        except ValueError:
            at += 1
        else:
            found.append(value)
    return [one for one in found if isinstance(one, dict) and one]


CHAT, CLAUDE, RESPONSES = "openai_chat_completions", "anthropic_messages", "openai_responses"
there = pytest.mark.skipif(not TEXTS.is_dir(), reason="the texts are not there")


@there
def test_the_examples_of_placement_convert_into_each_other() -> None:
    system, developer, placed, user, asked, calls, result, answered, several, _ = objects("message-placement.txt")
    given = {"model": "m", "messages": [system, developer, user, asked, result]}
    made = proxai_ir.convert(given, CHAT, CLAUDE, kind="request")
    assert made["system"] == placed["system"]
    assert made["messages"][0]["content"][1]["source"] == {"type": "url", "url": "https://example.test/a.png"}
    assert made["messages"][1] == calls
    del answered["content"][0]["is_error"]  # which chat does not have
    assert made["messages"][2] == answered
    back = proxai_ir.convert({**made, "messages": [made["messages"][0], calls, answered]}, CLAUDE, CHAT, kind="request")
    assert json.loads(back["messages"][2]["tool_calls"][0]["function"]["arguments"]) == {"query": "proxai"}
    assert back["messages"][3] == result
    for dst in (CLAUDE, RESPONSES):
        with pytest.raises(proxai_ir.Unrepresentable) as refused:
            proxai_ir.convert(several, CHAT, dst, kind="response")
        assert refused.value.rule == "CHO-1"


@there
def test_the_examples_of_refusals_convert_into_each_other() -> None:
    item, apart, twice, begun, ended, refused, expected = objects("refusal-and-status-mapping.txt")
    made = proxai_ir.convert({"status": "completed", "output": [item]}, RESPONSES, CHAT, kind="response")
    assert made["choices"][0]["message"] == {
        "role": "assistant",
        "content": item["content"][0]["text"],
        "refusal": item["content"][1]["refusal"],
    }
    for message in (apart, twice):
        whole = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
        claude = proxai_ir.convert(whole, CHAT, CLAUDE, kind="response")
        assert claude["content"] == [{"type": "text", "text": apart["refusal"]}]
        assert claude["stop_reason"] == "refusal"
    events = proxai_ir.convert([begun, ended, "[DONE]"], CHAT, CLAUDE, kind="stream")
    assert [one["delta"]["text"] for one in events if one["type"] == "content_block_delta"] == [
        "I can't help with that."
    ]
    assert next(one["delta"]["stop_reason"] for one in events if one["type"] == "message_delta") == "refusal"
    chat = proxai_ir.convert(refused, CLAUDE, CHAT, kind="response")
    (choice,) = chat["choices"]
    assert choice.pop("logprobs", None) is None
    assert choice["message"].pop("content") is None
    assert [choice] == expected["choices"]
