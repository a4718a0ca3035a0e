"""Pain 12: a response calls tools, but its stop reason is that of a normal end, and the agent stops."""

from __future__ import annotations

import pytest

from .support import (
    anthropic,
    chat,
    endings,
    losses,
    notes,
    stream_to_anthropic,
    stream_to_chat,
)

# --- streams ----------------------------------------------------------------------------------------------------------

CALL = chat.calls(chat.fragment(0, '{"at":', "call_1", "look"))
REST = chat.calls(chat.fragment(0, "1}"))


@pytest.mark.parametrize("finish", ["stop", "tool_calls", "function_call"])
def test_a_call_in_a_stream_makes_anthropic_wait_for_its_result(finish: str) -> None:
    made = stream_to_anthropic(chat.stream({"content": "I look."}, CALL, REST, finish=finish))
    assert endings(made.output) == ["tool_use", "the end"]
    assert losses(made) == []


@pytest.mark.parametrize("stop", ["end_turn", "tool_use"])
def test_a_call_in_a_stream_makes_chat_wait_for_its_result(stop: str) -> None:
    look = anthropic.call_block("call_1", "look", '{"at":', "1}")
    made = stream_to_chat(anthropic.stream(anthropic.text_block("I look."), look, stop=stop))
    assert endings(made.output) == ["tool_calls", "the end"]
    assert losses(made) == []


def test_no_call_in_a_stream_means_no_waiting() -> None:
    assert endings(stream_to_anthropic(chat.stream({"content": "Done."}, finish="tool_calls")).output)[0] == "end_turn"
    assert endings(stream_to_chat(anthropic.stream(anthropic.text_block("Done."), stop="tool_use")).output)[0] == "stop"


def test_a_limit_outranks_calls_in_a_stream() -> None:
    assert endings(stream_to_anthropic(chat.stream(CALL, finish="length")).output)[0] == "max_tokens"
    half = anthropic.stream(anthropic.call_block("call_1", "look", '{"at":'), stop="max_tokens")
    assert endings(stream_to_chat(half).output)[0] == "length"


def test_a_contradiction_is_reported_at_the_stop_reason() -> None:
    made = stream_to_anthropic(chat.stream(CALL, REST, finish="stop"))
    assert ("STS-12", "/3/choices/0/finish_reason") in notes(made)
    look = anthropic.stream(anthropic.call_block("call_1", "look", "{}"), stop="end_turn")
    assert ("STS-12", "/4/delta/stop_reason") in notes(stream_to_chat(look))


def test_a_legacy_call_in_a_stream_gets_an_id_from_the_response() -> None:
    deltas = ({"function_call": {"name": "look", "arguments": ""}}, {"function_call": {"arguments": "{}"}})
    made = stream_to_anthropic(chat.stream(*deltas, finish="function_call"))
    assert endings(made.output) == ["tool_use", "the end"]
    assert made.output[1]["content_block"] == anthropic.tool_use("look", {}, "toolu_chatcmpl-1_0")
    assert ("TUL-17", "/1/choices/0/delta/function_call") in notes(made)


def test_hosted_calls_are_nothing_to_wait_for() -> None:
    """The provider runs them itself: a response without other calls ends."""
    search = anthropic.call_block("srv_1", "web_search", "{}", kind="server_tool_use")
    made = stream_to_chat(anthropic.stream(search, anthropic.text_block("Done.")))
    assert endings(made.output) == ["stop", "the end"]
