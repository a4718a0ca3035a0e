"""Streams of /v2/chat: believable, illegal, endless."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..sample import Events, Json, Streams
from .building import OUTPUT, PAGE, START, block, call_events, cited, cites, end, event, plan, stream

SCORED: Json = {
    **event("content-delta", 0, content={"text": "Hi"}),
    "logprobs": {"text": "Hi", "token_ids": [17], "logprobs": [-0.5]},
}
TALK = stream(block(0, "text", "At 06:12", " in Emden."))
STREAMS: Streams = {
    "text": TALK,
    "thinking": stream(
        block(0, "thinking", "Ti", "des."),
        block(1, "text", "At 06:12.")[:-1],
        cited(0, cites(3, 8, "06:12", PAGE, content_index=1, type="TEXT_CONTENT")),
        [event("content-end", 1)],
    ),
    "calls": stream(
        plan("I ", "look."),
        call_events(0, "call_1", "depth", '{"harbour":', '"Emden"}'),
        call_events(1, "call_2", "clock", "{}"),
        finish="TOOL_CALL",
    ),
    "scored": stream([block(0, "text")[0], SCORED, event("content-end", 0)]),
    "length": stream(block(0, "text", "At"), finish="MAX_TOKENS"),
    "error": [START, *block(0, "text", "At"), {"id": "e1", "message": "internal server error"}],
    "own": [
        {"type": "debug", "prompt": "<BOS>"},
        {**START, "delta": {"message": {"role": "assistant", "content": [], "tool_plan": "", "beam": 3}}},
        event("content-start", 0, content={"type": "text", "text": "De", "beam": 3}),
        {**event("content-delta", 0, content={"text": "ep.", "beam": 3}), "beam": 3},
        event("content-end", 0),
        *cited(0, cites(0, 4, "Deep", OUTPUT, content_index=0)),
        *cited(1, cites(0, 4, "Deep", OUTPUT, type="THINKING_CONTENT")),
        {"type": "telemetry", "n": 1},
        end("TIRED", beam=3),
    ],
    "own_failed": [START, *block(0, "text", "At"), end("ERROR", error="out of memory")],
}

OPEN = block(0, "text", "x")[0]
ILLEGAL: dict[str, tuple[Events, str]] = {
    "a second start": ([START, START], "/1/type"),
    "no start": ([OPEN], "/0"),
    "a block that is opened twice": ([START, OPEN, OPEN], "/2/type"),
    "a block that is opened again": ([START, *block(0, "text", "x"), OPEN], "/4/type"),
    "a delta without a block": ([START, block(0, "text", "x")[1]], "/1/type"),
    "an end without a block": ([START, event("content-end", 0)], "/1/type"),
    "a delta of another call": ([START, *call_events(0, "c", "n")[:1], call_events(1, "c", "n", "{}")[1]], "/2/type"),
    "a second end": ([*TALK, end()], "/6"),
    "anything after the end": ([*TALK, OPEN], "/6"),
}


def _repeating(kind: str) -> Iterator[Any]:
    yield from (START, block(0, kind)[0])
    while True:
        yield event("content-delta", 0, content={kind: "word "})


def _telemetry() -> Iterator[Any]:
    yield START
    while True:
        yield from ({"type": "debug", "prompt": "x"}, {"type": "telemetry", "n": 1})


ENDLESS = {"text": lambda: _repeating("text"), "thinking": lambda: _repeating("thinking"), "debug": _telemetry}


def _blocks(count: int) -> Events:
    parts = [(*block(n, "thinking", "hm"), *call_events(n, f"call_{n}", "sky", "{}")) for n in range(count // 2)]
    return stream(*([*one] for one in parts), finish="TOOL_CALL")


GROWING = {"blocks": _blocks}
