"""Law: one call that a response has twice is one call for every client, whole and streamed (TUL-77).

Bridges send a call again, with its id, at the end of a stream (QuantumNous/new-api#6223), and a client runs each call.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

import proxai_ir
from proxai_ir import StreamConverter
from proxai_ir.ir.parts import FunctionCall
from proxai_ir.ir.request import ASSISTANT, Turn
from proxai_ir.ir.response import Candidate, Response, StopReason, Terminal, Usage
from proxai_ir.passes.calls import ANSWERED
from proxai_ir.protocol.registry import backend

Json = Any

CHAT = "openai_chat_completions"
FIRST, OTHER = "toolu_first", "toolu_other"
PROTOCOLS = [name for name in proxai_ir.protocols() if backend(name).stream is not None]
AGAIN = {"the same": {"x": 1}, "other arguments": {"x": 2}}


def renamed(payload: Json) -> Json:
    """The payload in which the second call has the id of the first."""
    return json.loads(json.dumps(payload).replace(OTHER, FIRST))


def response(again: Json) -> Json:
    calls = [FunctionCall(FIRST, "pay", {"x": 1}), FunctionCall(OTHER, "pay", again)]
    root = Response(None, "r1", "m", [Candidate([Turn(ASSISTANT, [*calls])], Terminal(StopReason.TOOL_CALLS, None))])
    root.usage = Usage(3, None, None, 2)
    return proxai_ir.raise_to(root, CHAT)


def whole(src: str, again: Json) -> Json:
    sent = response(again)
    return renamed(sent if src == CHAT else proxai_ir.convert(sent, CHAT, src, kind="response"))


def stream(src: str, again: Json) -> list[Json]:
    if src == CHAT:  # there and back, as events
        other = "anthropic_messages"
        events = proxai_ir.convert(stream_of(other, again), other, CHAT, kind="stream")
    else:
        events = stream_of(src, again)
    return renamed(events)  # type: ignore[no-any-return]


def stream_of(src: str, again: Json) -> list[Json]:
    converter = StreamConverter(CHAT, src)
    return [*converter.feed_whole(response(again)), *converter.close()]


def calls(payload: Json, protocol: str) -> list[Any]:
    node: Any = proxai_ir.lower(payload, protocol, kind="response")
    return [part for candidate in node.candidates for part in candidate.parts if isinstance(part, ANSWERED)]


def has_ids(src: str) -> bool:
    return len({call.id for call in calls(whole(src, AGAIN["the same"]), src)}) == 1


def test_all_protocols_have_ids() -> None:
    assert [name for name in PROTOCOLS if not has_ids(name)] == []


@pytest.mark.parametrize("again", AGAIN)
@pytest.mark.parametrize("dst", PROTOCOLS)
@pytest.mark.parametrize("src", PROTOCOLS)
def test_a_call_that_comes_twice_is_one(src: str, dst: str, again: str) -> None:
    if src == dst:  # which is passed on as it is
        return
    wanted = 1 if again == "the same" else 2
    made = proxai_ir.compile(whole(src, AGAIN[again]), src, dst, kind="response")
    assert len(calls(made.output, dst)) == wanted
    assert sum(one.rule == "TUL-77" for one in made.diagnostics) == 2 - wanted

    converter = StreamConverter(src, dst, keep_response=True)
    events = [one for event in stream(src, AGAIN[again]) for one in converter.feed(event)] + converter.close()
    assert sum(one.rule == "TUL-77" for one in converter.diagnostics) == 2 - wanted
    assert len(calls(converter.response, dst)) == wanted
    back = StreamConverter(dst, src, keep_response=True)
    for event in events:
        back.feed(event)
    back.close()
    assert len(calls(back.response, src)) == wanted
