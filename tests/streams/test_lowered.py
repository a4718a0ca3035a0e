"""The IR of streams with parts that come late, or before their place: other protocols get of it what they get of the
events, and its own protocol the events."""

from __future__ import annotations

import pytest

from proxai_ir.testing.streams import is_kept_in_json

from ..samples import others
from ..samples.anthropic_messages import building as anthropic
from ..samples.openai_chat_completions import building as chat
from ..samples.sample import Events

ANTHROPIC, CHAT = "anthropic_messages", "openai_chat_completions"


def _opened_by_the_start(stop: str | None) -> Events:
    start = anthropic.message_start(content=[{"type": "text", "text": "Well."}])
    start["message"]["stop_reason"] = stop
    _, *text, delta, end = anthropic.stream(anthropic.text_block("Hi."))
    return [start, *({**event, "index": 1} for event in text), delta, end]


def _whole_at_the_start() -> Events:
    start = anthropic.message_start(content=[{"type": "text", "text": "Well."}, anthropic.tool_use("sky")])
    start["message"]["stop_reason"] = "tool_use"
    return [start, anthropic.MESSAGE_STOP]


def _page_at_the_start() -> Events:
    page = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_fetch", "input": {"url": "https://e.com/"}}
    start = anthropic.message_start(content=[page, anthropic.tool_use("refusal", {"reason": "No."})])
    start["message"]["stop_reason"] = "tool_use"
    return [start, anthropic.MESSAGE_STOP]


def _broken_off() -> Events:
    *begun, _, delta, end = anthropic.stream(anthropic.call_block("c1", "sky", '{"day'), stop="max_tokens")
    return [*begun, delta, end]


def _refused(stop: str) -> Events:
    return anthropic.stream(anthropic.call_block("c1", "refusal", '{"reason":', '"No."}'), stop=stop)


def _page(*pieces: str) -> Events:
    return anthropic.stream(anthropic.call_block("srvtoolu_1", "web_fetch", *pieces, kind="server_tool_use"))


def _without_a_name() -> Events:
    begun = {"index": 0, "id": "call_1", "type": "function", "function": {"arguments": ""}}
    named = {"index": 0, "function": {"name": "sky", "arguments": ""}}
    return chat.stream(chat.calls(begun), chat.calls(named), chat.calls(chat.fragment(0, "{}")), finish="tool_calls")


def _declined(*refusal: str) -> Events:
    return chat.stream({"content": "I can"}, {"content": "'t."}, *({"refusal": one} for one in refusal))


STREAMS: dict[str, tuple[str, Events]] = {
    "the start has the first block": (ANTHROPIC, _opened_by_the_start(None)),
    "the start has the first block and the ending": (ANTHROPIC, _opened_by_the_start("end_turn")),
    "the start has everything": (ANTHROPIC, _whole_at_the_start()),
    "the start has a page": (ANTHROPIC, _page_at_the_start()),
    "a limit ends a block": (ANTHROPIC, _broken_off()),
    "a refusal of an older model": (ANTHROPIC, _refused("end_turn")),
    "a call of that name": (ANTHROPIC, _refused("tool_use")),
    "a page": (ANTHROPIC, _page('{"url":', '"https://e.com/"}')),
    "a page without a URL": (ANTHROPIC, _page()),
    "a call whose name comes late": (CHAT, _without_a_name()),
    "a refusal that repeats the content": (CHAT, _declined("I can't", ".")),
    "a refusal that begins like the content": (CHAT, _declined("I can", " not", ".")),
}


@pytest.mark.parametrize("name", STREAMS)
def test_the_ir_is_raised_as_the_events_are_converted(name: str) -> None:
    protocol, events = STREAMS[name]
    is_kept_in_json(events, protocol, others(protocol))
