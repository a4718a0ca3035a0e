"""Pain 31: a response that a limit or a filter cut off is refused, since it is empty or its last call is half there."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir

from .support import (
    ANTHROPIC,
    CHAT,
    RESPONSES,
    anthropic,
    chat,
    from_responses,
    losses,
    refusals,
    responses,
    stream_to_anthropic,
    text,
    to_anthropic,
)

ENDINGS = [("length", "max_tokens"), ("model_length", "model_context_window_exceeded"), ("content_filter", "refusal")]


@pytest.mark.parametrize(("finish", "stop"), ENDINGS)
def test_an_ending_explains_that_there_is_nothing(finish: str, stop: str) -> None:
    """CHO-3, whole and as a stream: probes with `max_tokens: 1` of a reasoning model end so every time."""
    whole = to_anthropic(chat.response(finish, content=""), "response")
    assert (whole.output["content"], whole.output["stop_reason"]) == ([], stop)
    events = stream_to_anthropic(chat.stream({"content": ""}, finish=finish)).output
    assert [event["type"] for event in events] == ["message_start", "message_delta", "message_stop"]
    assert events[1]["delta"]["stop_reason"] == stop


def test_a_paused_response_may_be_empty() -> None:
    response = responses.response(status="incomplete", incomplete_details={"reason": "steered"})
    made = from_responses(response, ANTHROPIC, "response")
    assert (made.output["content"], made.output["stop_reason"]) == ([], "pause_turn")


def test_a_natural_ending_does_not_explain_an_empty_response() -> None:
    assert refusals(chat.response("stop", content=""), CHAT, "response") == [("CHO-3", "/choices/0")]
    with pytest.raises(proxai_ir.Unrepresentable) as caught:
        stream_to_anthropic(chat.stream({"content": ""}))
    assert caught.value.rule == "CHO-3"


SEARCH: dict[str, Any] = {"type": "file_search_call", "id": "fs_1", "status": "completed", "queries": ["tides"]}


def test_what_the_provider_ran_itself_is_lost_by_name_and_the_ending_kept() -> None:
    response = responses.response(SEARCH)
    whole = from_responses(response, ANTHROPIC, "response")
    assert (whole.output["content"], whole.output["stop_reason"]) == ([], "end_turn")
    assert losses(whole) == [("TUL-6", "/output/0")]
    stream = proxai_ir.compile(responses.stream(response), RESPONSES, ANTHROPIC, kind="stream")
    assert stream.output[-2]["delta"]["stop_reason"] == "end_turn"
    assert [code for code, _ in losses(stream)] == ["TUL-6"]


# --- calls that are half there ----------------------------------------------------------------------------------------

HALF = '{"day": "Mon'


@pytest.mark.parametrize(("finish", "stop"), ENDINGS)
def test_a_last_call_that_breaks_off_is_left_out(finish: str, stop: str) -> None:
    sound, half = chat.call("sky", "{}", "call_1"), chat.call("sea", HALF, "call_2")
    made = to_anthropic(chat.response(finish, content="Wait.", tool_calls=[sound, half]), "response")
    assert made.output["content"] == [text("Wait."), anthropic.tool_use("sky", {}, "call_1")]
    assert made.output["stop_reason"] == stop
    assert ("TUL-29", "/choices/0/message/tool_calls/1") in losses(made)


def test_only_a_last_call_may_break_off_and_only_where_the_response_does() -> None:
    half, sound = chat.call("sea", HALF, "call_1"), chat.call("sky", "{}", "call_2")
    path = "/choices/0/message/tool_calls/0/function/arguments"
    assert refusals(chat.response("length", tool_calls=[half, sound]), CHAT, "response") == [("TUL-1", path)]
    assert refusals(chat.response("tool_calls", tool_calls=[half]), CHAT, "response") == [("TUL-1", path)]


def test_a_call_that_breaks_off_in_a_stream_is_reported() -> None:
    """What there was of it has been sent by then; the ending is the same."""
    fragments = [chat.calls(chat.fragment(0, HALF, "call_1", "sky"))]
    made = stream_to_anthropic(chat.stream(*fragments, finish="length"))
    assert made.output[-2]["delta"]["stop_reason"] == "max_tokens"
    assert losses(made) == [("TUL-29", "/1/choices/0/delta/tool_calls/0")]
    two = [*fragments, chat.calls(chat.fragment(1, "{}", "call_2", "sea"))]
    with pytest.raises(proxai_ir.Unrepresentable) as caught:
        stream_to_anthropic(chat.stream(*two, finish="length"))
    assert caught.value.rule == "TUL-1"


@pytest.mark.parametrize("dst", [CHAT, RESPONSES])
def test_targets_with_arguments_as_text_get_them_as_far_as_they_got(dst: str) -> None:
    response = responses.response(
        responses.call("sky", HALF, status="incomplete"),
        status="incomplete",
        incomplete_details={"reason": "max_output_tokens"},
    )
    made = from_responses(response, dst, "response").output
    call = made["choices"][0]["message"]["tool_calls"][0]["function"] if dst == CHAT else made["output"][0]
    assert call["arguments"] == HALF


def test_a_call_that_goes_out_whole_is_left_out_where_it_breaks_off() -> None:
    fragments = [chat.calls(chat.fragment(0, '{"day": "Mon', "call_1", "sky"))]
    made = proxai_ir.compile(chat.stream(*fragments, finish="length"), CHAT, "gemini_generate_content", kind="stream")
    parts = [part for one in made.output for part in one["candidates"][0].get("content", {}).get("parts", [])]
    assert not any("functionCall" in part for part in parts)
    (found,) = [one for one in made.diagnostics if one.code == "TUL-29"]
    assert found.path == "/1/choices/0/delta/tool_calls/0"
    assert "has been sent" not in found.message
