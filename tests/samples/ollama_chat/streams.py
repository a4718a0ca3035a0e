"""Ollama streams: between them every member, illegal orders, and streams that go on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..sample import Events, Streams
from .building import METRICS, SCORES, call, chunk, last, stream

STREAMS: Streams = {
    "text": stream({"content": "Hel"}, {"content": "lo!"}, **METRICS),
    "scores": [
        {**chunk(1, content="Hel"), "logprobs": SCORES[:1]},
        {**chunk(1, content="lo!"), "logprobs": SCORES[1:]},
        last(2, **METRICS),
    ],
    "thinking": stream(
        {"thinking": "A greet"},
        {"thinking": "ing."},
        {"content": "Hello"},
        done_reason="length",
        prompt_eval_count=26,
        eval_count=8,
    ),
    "calls": stream(
        {"content": "Let me see."},
        {"tool_calls": [call("weather", {"city": "Oslo"}), call("weather", {"city": "Rome"}, id="call_7")]},
        {"tool_calls": [call("now", {})]},
        prompt_eval_count=26,
        eval_count=8,
    ),
    "own": [
        {**chunk(1, content="Hel"), "remote_model": "qwen3:480b", "x_extra": 1},
        {**chunk(1, content="lo!", mood="calm"), "x_later": {"deep": [1]}},
        last(2, done_reason="exploded", **METRICS),
    ],
    "failure": [chunk(1, content="Hel"), {"error": "an error was encountered while running the model"}],
}

TALK = stream({"content": "Hel"}, {"content": "lo!"})
ILLEGAL: dict[str, tuple[Events, str]] = {
    "anything after the end": ([*TALK, chunk(3, content="!")], "/3"),
    "a second end": ([*TALK, last(3)], "/3"),
    "anything after an error": ([TALK[0], {"error": "out of memory"}, TALK[1]], "/2"),
}


def _endless(**message: Any) -> Iterator[Any]:
    while True:
        yield chunk(1, **message)


ENDLESS = {
    "text": lambda: _endless(content="word "),
    "thinking": lambda: _endless(thinking="hm "),
    "empty chunks": _endless,
}


def _calls(count: int) -> Events:
    return stream(*({"tool_calls": [call("sky", {"n": number})]} for number in range(count)))


GROWING = {"calls": _calls}
