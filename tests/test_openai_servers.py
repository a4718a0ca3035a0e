"""What real servers of OpenAI's protocols refuse is not sent to them, unless the caller states that they accept it
(CAP-2)."""

from __future__ import annotations

from typing import Any

import pytest

from .pains.support import (
    ANTHROPIC,
    CHAT,
    RESPONSES,
    Json,
    again,
    anthropic,
    assistant,
    chat,
    losses,
    notes,
    responses,
    text,
    to_chat,
    to_responses,
    user,
)

MARKED = {**text("Long."), "cache_control": {"type": "ephemeral"}}
THOUGHT = {"type": "thinking", "thinking": "A greeting.", "signature": "c2lnbmVk"}


# --- cache breakpoints ------------------------------------------------------------------------------------------------


def test_texts_stay_strings_where_breakpoints_are_not_accepted() -> None:
    result = {**anthropic.tool_result("one"), "cache_control": {"type": "ephemeral"}}
    payload = anthropic.request(
        user([MARKED]),
        assistant([anthropic.tool_use("look")]),
        user([result]),
        system=[MARKED],
        tools=[anthropic.tool("look")],
    )
    made = to_chat(payload)
    assert [message["content"] for message in made.output["messages"]] == ["Long.", "Long.", None, "one"]
    found = ["/messages/0/content/0/cache_control", "/messages/2/content/0/cache_control", "/system/0/cache_control"]
    assert sorted(path for rule, path in notes(made) if rule == "CAC-4") == found
    made = to_responses(payload, ANTHROPIC)
    assert made.output["instructions"] == made.output["input"][0]["content"] == "Long."
    assert made.output["input"][-1]["output"] == "one"


def test_newer_models_get_every_breakpoint() -> None:
    payload = anthropic.request(user([MARKED]), cache_control={"type": "ephemeral"})
    for made in (to_chat(payload, cache_breakpoints=True), to_responses(payload, ANTHROPIC, cache_breakpoints=True)):
        assert str(made.output).count("'prompt_cache_breakpoint': {'mode': 'explicit'}") == 1
        assert made.output["prompt_cache_options"] == {"mode": "implicit"}
        assert not losses(made)


# --- reasoning without encrypted content ------------------------------------------------------------------------------


def reasoning_of(output: Json) -> list[Json]:
    return [item for item in output["input"] if item["type"] == "reasoning"]


def test_bare_reasoning_is_left_out() -> None:
    payload = anthropic.request(user("Hi"), assistant([THOUGHT, text("Hello.")]), user("And?"))
    made = to_responses(payload, ANTHROPIC)
    assert reasoning_of(made.output) == []
    assert losses(made) == [("RSN-5", "/messages/1/content/0")]
    payload = chat.request(user("Hi"), {**assistant("Hello."), "reasoning_content": "A greeting."}, user("And?"))
    made = to_responses(payload, CHAT)
    assert reasoning_of(made.output) == []
    assert losses(made) == [("RSN-5", "/messages/1/reasoning_content")]


def test_a_turn_of_nothing_but_bare_reasoning_is_left_out() -> None:
    payload = chat.request(user("Hi"), {"role": "assistant", "reasoning_content": "A greeting."}, user("And?"))
    made = to_responses(payload, CHAT)
    assert [item["role"] for item in made.output["input"]] == ["user", "user"]
    assert losses(made) == [("RSN-5", "/messages/1/reasoning_content"), ("PLC-12", "/messages/1")]


def test_between_the_same_protocols_bare_reasoning_stays() -> None:
    item = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "A greeting."}]}
    payload = responses.request(user("Hi"), item, user("And?"))
    assert again(payload, RESPONSES) == payload


# --- empty messages ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("thought", [{}, {"reasoning_content": "Look."}])
def test_no_empty_message_stands_before_calls(thought: dict[str, Any]) -> None:
    calling = {**assistant(""), **thought, "tool_calls": [chat.call("look")]}
    payload = chat.request(user("Look."), calling, chat.result("one"), tools=[chat.tool("look")])
    made = to_responses(payload, CHAT, bare_reasoning=True)
    kinds = [item["type"] for item in made.output["input"]]
    assert kinds == ["message", *(["reasoning"] if thought else []), "function_call", "function_call_output"]
    assert ("ENV-7", "/messages/1/content") in notes(made)
