"""Pain 12: an answer says that it ended naturally although it calls tools, and the agent stops."""

from __future__ import annotations

import pytest

from .support import (
    ENVELOPE,
    anthropic_answer,
    chat_answer,
    function,
    losses,
    notes,
    text,
    to_anthropic,
    to_chat,
    tool_use,
)


@pytest.mark.parametrize("finish", ["stop", "tool_calls", "function_call"])
def test_a_call_makes_anthropic_wait_for_its_result(finish: str) -> None:
    made = to_anthropic(chat_answer(finish, tool_calls=[function("look", '{"at":1}')]), "response")
    assert made.output["stop_reason"] == "tool_use"
    assert made.output["content"] == [tool_use("look", {"at": 1})]
    assert losses(made) == []


@pytest.mark.parametrize("stop", ["end_turn", "tool_use"])
def test_a_call_makes_chat_wait_for_its_result(stop: str) -> None:
    made = to_chat(anthropic_answer(text("I look."), tool_use("look", {"at": 1}), stop=stop), "response")
    assert made.output["choices"][0]["finish_reason"] == "tool_calls"
    assert made.output["choices"][0]["message"]["tool_calls"] == [function("look", '{"at":1}')]
    assert losses(made) == []


def test_no_call_means_no_waiting() -> None:
    assert to_anthropic(chat_answer("tool_calls", content="Done."), "response").output["stop_reason"] == "end_turn"
    made = to_chat(anthropic_answer(text("Done."), stop="tool_use"), "response")
    assert made.output["choices"][0]["finish_reason"] == "stop"


def test_an_answer_that_was_cut_off_is_not_said_to_be_whole() -> None:
    """A limit outranks calls: the last of them may be half of one."""
    assert (
        to_anthropic(chat_answer("length", tool_calls=[function("look")]), "response").output["stop_reason"]
        == "max_tokens"
    )
    made = to_chat(anthropic_answer(tool_use("look"), stop="max_tokens"), "response")
    assert made.output["choices"][0]["finish_reason"] == "length"


def test_a_legacy_call_waits_too_and_gets_an_id_from_the_answer() -> None:
    made = to_anthropic(chat_answer("function_call", function_call={"name": "look", "arguments": "{}"}), "response")
    assert made.output["stop_reason"] == "tool_use"
    assert made.output["content"] == [tool_use("look", {}, "toolu_chatcmpl-1_0")]
    assert notes(made) == [*ENVELOPE, ("TUL-17", "/choices/0/message/function_call")]
