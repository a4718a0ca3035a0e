"""Streams as servers of other vendors send them: the text arrives, and in their own protocol they come back whole."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir
from proxai_ir.testing.equality import canonical

from ..samples.anthropic_messages import building as anthropic
from ..samples.openai_chat_completions import building as chat
from ..samples.sample import Events, Json

ANTHROPIC, CHAT, RESPONSES = "anthropic_messages", "openai_chat_completions", "openai_responses"


FILTER: Json = {"id": "", "object": "", "created": 0, "model": ""}
UNFILTERED = {"hate": {"filtered": False, "severity": "safe"}}


def azure() -> Events:
    """The findings of filters come before the response, with its end, and after it."""
    first = {
        **FILTER,
        "choices": [],
        "prompt_filter_results": [{"prompt_index": 0, "content_filter_results": UNFILTERED}],
    }
    last = {**FILTER, "choices": [{"index": 0, "finish_reason": None, "content_filter_results": UNFILTERED}]}
    start, *chunks, done = chat.stream({"content": "Hi"}, usage=False)
    return [first, start, *chunks, last, done]


def vllm() -> Events:
    """Reasoning has parts of its own kind of event."""
    thought = {"id": "rs_1", "type": "reasoning", "summary": []}
    piece = {"type": "reasoning_text", "text": "Hm."}
    text = {"type": "output_text", "text": "Hi", "annotations": []}
    message: Json = {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": [text]}
    response = {"id": "resp_1", "object": "response", "created_at": 1, "model": "m", "output": []}
    where = {"output_index": 0, "item_id": "rs_1", "content_index": 0}
    output = [{**thought, "content": [piece]}, message]
    return [
        {"type": "response.created", "response": {**response, "status": "in_progress"}},
        {"type": "response.output_item.added", "output_index": 0, "item": thought},
        {"type": "response.reasoning_part.added", **where, "part": {**piece, "text": ""}},
        {"type": "response.reasoning_text.delta", **where, "delta": "Hm."},
        {"type": "response.reasoning_text.done", **where, "text": "Hm."},
        {"type": "response.reasoning_part.done", **where, "part": piece},
        {"type": "response.output_item.done", "output_index": 0, "item": output[0]},
        {"type": "response.output_item.done", "output_index": 1, "item": message},
        {"type": "response.completed", "response": {**response, "status": "completed", "output": output}},
    ]


def hesitant() -> Events:
    """A finish reason that is "" until there is one, and chunks without choices while the model thinks."""
    *chunks, done = chat.stream({"content": "H"}, {"content": "i"}, usage=False)
    for chunk in chunks:
        (choice,) = chunk["choices"]
        choice["finish_reason"] = choice.get("finish_reason") or ""
    waiting: Json = {"id": "c1", "object": "chat.completion.chunk", "created": 7, "model": "m", "choices": None}
    return [waiting, chunks[0], waiting, *chunks[1:], done]


def ended_like_chat() -> Events:
    return [*anthropic.stream(anthropic.text_block("Hi")), chat.DONE]


def whole_at_once() -> Events:
    """Nothing grows: the text and the arguments stand where they begin."""
    text, call = {"type": "text", "text": "Hi"}, {"type": "tool_use", "id": "t_1", "name": "f", "input": {"a": 1}}
    return anthropic.stream(anthropic.block(text), anthropic.block(call), stop="tool_use")


SERVERS = {
    "azure": (CHAT, azure()),
    "hesitant": (CHAT, hesitant()),
    "vllm": (RESPONSES, vllm()),
    "ended like chat": (ANTHROPIC, ended_like_chat()),
    "all at once": (ANTHROPIC, whole_at_once()),
}


def text_of(protocol: str, events: Events) -> str:
    """The response's text, from its deltas."""
    if protocol == CHAT:
        choices = [choice for event in events if event != chat.DONE for choice in event["choices"] or ()]
        return "".join(choice["delta"].get("content") or "" for choice in choices)
    if protocol == ANTHROPIC:
        deltas = [event["delta"] for event in events if event["type"] == "content_block_delta"]
        return "".join(delta.get("text", "") for delta in deltas)
    return "".join(event["delta"] for event in events if event["type"] == "response.output_text.delta")


@pytest.mark.parametrize("dst", [CHAT, ANTHROPIC, RESPONSES])
@pytest.mark.parametrize("name", SERVERS)
def test_the_text_arrives(name: str, dst: str) -> None:
    src, events = SERVERS[name]
    made = proxai_ir.compile(events, src, dst, kind="stream")
    assert src == dst or text_of(dst, made.output) == "Hi"


@pytest.mark.parametrize("name", SERVERS)
def test_it_comes_back_in_its_own_protocol(name: str) -> None:
    src, events = SERVERS[name]
    again = proxai_ir.raise_to(proxai_ir.lower(events, src, kind="stream"), src)
    assert canonical(again) == canonical(events)


def test_what_filters_found_is_named() -> None:
    made = proxai_ir.compile(azure(), CHAT, ANTHROPIC)
    found = [(one.code, one.path) for one in made.diagnostics if one.code.startswith("UNK-")]
    assert found == [("UNK-6", "/0/prompt_filter_results"), ("UNK-6", "/4/choices/0/content_filter_results")]


def test_arguments_that_come_at_once_are_one_fragment() -> None:
    events: list[Any] = proxai_ir.convert(whole_at_once(), ANTHROPIC, RESPONSES)
    fragments = [event["delta"] for event in events if event["type"] == "response.function_call_arguments.delta"]
    assert fragments == ['{"a":1}']
    assert events[-1]["response"]["output"][1]["arguments"] == '{"a":1}'


def test_an_error_that_comes_with_a_chunk_is_an_error() -> None:
    """As routers report that their provider failed."""
    start, text, *_ = chat.stream({"content": "Hi"})
    piece = {**chat.chunk({"content": ""}, "error"), "error": {"code": 502, "message": "Gone"}}
    made = proxai_ir.compile([start, text, piece], CHAT, ANTHROPIC)
    assert made.output[-1]["error"]["message"] == "Gone"
    about = {(one.severity, one.code, one.path) for one in made.diagnostics if one.code.startswith("ERR")}
    assert about == {("loss", "ERR-2", "/2/choices"), ("info", "ERR-6", "/2/error/code")}
