"""Streams of Anthropic Messages whose blocks start with the message, or end with it."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir
from proxai_ir import StreamError
from proxai_ir.testing.payloads import canonical
from proxai_ir.testing.streams import fed

from ..samples.anthropic_messages import building as anthropic
from ..samples.gemini_generate_content import building as gemini
from ..samples.sample import Events, Json
from .deltas import deltas

ANTHROPIC, CHAT, RESPONSES = "anthropic_messages", "openai_chat_completions", "openai_responses"


def whole_start(*content: Json, stop: str | None, **members: Any) -> Json:
    start = anthropic.message_start(content=list(content), **members)
    start["message"]["stop_reason"] = stop
    return start


CALL = {"type": "tool_use", "id": "toolu_1", "name": "sky", "input": {"day": 1}}
CALLED = {
    "tool_calls": [
        {"index": 0, "id": "toolu_1", "type": "function", "function": {"name": "sky", "arguments": '{"day":1}'}}
    ]
}


def test_a_message_may_be_whole_when_it_starts() -> None:
    events = [whole_start({"type": "text", "text": "Well."}, CALL, stop="tool_use"), anthropic.MESSAGE_STOP]
    done = fed(events, ANTHROPIC, CHAT)
    assert done.error is None
    assert deltas(done.out) == [{"content": "Well."}, CALLED, {"finish": "tool_calls"}]
    again = proxai_ir.raise_to(proxai_ir.lower(events, ANTHROPIC, kind="stream"), ANTHROPIC)
    assert canonical(again) == canonical(events)


@pytest.mark.parametrize("stop", [None, "end_turn"])
def test_a_start_may_have_the_first_blocks(stop: str | None) -> None:
    _, *text, delta, end = anthropic.stream(anthropic.text_block("Hi."))
    later = [{**event, "index": 1} for event in text]
    start = whole_start({"type": "text", "text": "Well."}, stop=stop)
    done = fed([start, *later, delta, end], ANTHROPIC, RESPONSES)
    assert done.error is None
    output = done.out[-1]["response"]["output"]
    assert [part["text"] for item in output for part in item["content"]] == ["Well.", "Hi."]
    assert done.out[-1]["type"] == "response.completed"


def test_a_block_that_the_start_has_may_not_start_again() -> None:
    start = whole_start({"type": "text", "text": "Well."}, stop=None)
    events = [start, *anthropic.stream(anthropic.text_block("Hi."))[1:]]
    with pytest.raises(StreamError, match="STR-9 at /1: "):
        proxai_ir.convert(events, ANTHROPIC, CHAT)


def test_a_message_has_one_stop_reason() -> None:
    events = [whole_start(CALL, stop="tool_use"), anthropic.message_delta("end_turn"), anthropic.MESSAGE_STOP]
    with pytest.raises(StreamError, match="STR-9 at /1/delta/stop_reason: "):
        proxai_ir.convert(events, ANTHROPIC, CHAT)


def without_stop(*blocks: list[Json], stop: str) -> Events:
    """A stream whose last block is not closed."""
    *events, closed, delta, end = anthropic.stream(*blocks, stop=stop)
    assert closed["type"] == "content_block_stop"
    return [*events, delta, end]


@pytest.mark.parametrize(
    ("stop", "reason"),
    [("max_tokens", "length"), ("model_context_window_exceeded", "length"), ("refusal", "content_filter")],
)
def test_a_response_that_is_cut_off_may_leave_its_block_open(stop: str, reason: str) -> None:
    events = without_stop(anthropic.call_block("toolu_1", "sky", '{"day'), stop=stop)
    done = fed(events, ANTHROPIC, CHAT)
    assert done.error is None
    begun = {"index": 0, "id": "toolu_1", "type": "function", "function": {"name": "sky", "arguments": ""}}
    grown = {"index": 0, "function": {"arguments": '{"day'}}
    assert deltas(done.out) == [{"tool_calls": [begun]}, {"tool_calls": [grown]}, {"finish": reason}]
    again = proxai_ir.raise_to(proxai_ir.lower(events, ANTHROPIC, kind="stream"), ANTHROPIC)
    assert canonical(again) == canonical(events)


def test_a_search_that_is_cut_off_has_what_came_of_its_query() -> None:
    searched = anthropic.call_block("srvtoolu_1", "web_search", '{"query":"ti', kind="server_tool_use")
    done = fed(without_stop(searched, stop="max_tokens"), ANTHROPIC, RESPONSES)
    assert done.error is None
    assert done.out[-1]["type"] == "response.incomplete"


def test_a_search_whose_result_came_before_it_gets_no_other_one() -> None:
    result = {"toolType": "GOOGLE_SEARCH_WEB", "id": "s1", "response": {}}
    call = {"toolType": "GOOGLE_SEARCH_WEB", "id": "s1", "args": {"queries": ["tide"]}}
    events = [
        gemini.chunk({"toolResponse": result}),
        gemini.chunk({"toolCall": call}),
        gemini.chunk("High.", finish="STOP"),
    ]
    done = fed(events, "gemini_generate_content", ANTHROPIC)
    blocks = [event["content_block"]["type"] for event in done.out if event["type"] == "content_block_start"]
    assert blocks == ["web_search_tool_result", "server_tool_use", "text"]
