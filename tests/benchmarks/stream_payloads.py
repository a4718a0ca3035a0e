"""Owns the events of the streams that are measured: one response of about 2,000 events.

Fragments are about three tokens long, as servers send them, and one in four is of a text that is not ASCII. Events are
made one by one, so that a stream may have a million of them.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator
from itertools import chain, cycle, islice
from typing import Any

import orjson

import proxai_ir

from .payloads import ANTHROPIC, CHAT, GEMINI, RESPONSES, Json, prose

Event = Any
"""An object, or the word that ends a stream of chunks."""
THINKING, TEXT, ARGUMENTS = "thinking", "text", "arguments"
Piece = tuple[str, Iterable[str]]
"""A kind of content, and its fragments: a block of a stream."""
DONE = "[DONE]"

LENGTHS = (5, 14, 9, 18, 4, 12, 16, 8)
"""Of fragments, in characters: a mean of about eleven, which makes an event of Anthropic Messages 96 bytes."""
INPUT, CACHED, OUTPUT = 1_204, 9_216, 5_310


def fragments(kind: str, count: int, seed: int = 50, *, foreign: bool = False) -> Iterator[str]:
    """Fragments of a text, from the beginning again where it is over; those of arguments are one JSON object."""
    text = prose(seed, 8_192, foreign=foreign)
    if kind != ARGUMENTS:
        return islice(cycle(_cut(text)), count)
    inner = cycle(_cut(orjson.dumps(text)[1:-1].decode()))
    return chain(['{"note": "'], islice(inner, max(0, count - 2)), ['"}'])


def _cut(text: str) -> list[str]:
    pieces: list[str] = []
    start = 0
    for length in cycle(LENGTHS):
        if start >= len(text):
            return pieces
        pieces.append(text[start : start + length])
        start += length
    return pieces


def reference(thinking: str = THINKING, call: str = ARGUMENTS) -> list[Piece]:
    """Thoughts and the arguments of a call (as the given kinds), and two texts."""
    return [
        (thinking, fragments(TEXT, 395, 50)),
        (TEXT, fragments(TEXT, 700, 60)),
        (TEXT, fragments(TEXT, 500, 70, foreign=True)),
        (call, fragments(call, 390, 80)),
    ]


SIGNATURE = base64.b64encode(prose(11, 220).encode()).decode()
BLOCKS: dict[str, tuple[Json, str, str]] = {
    TEXT: ({"type": "text", "text": ""}, "text_delta", "text"),
    THINKING: ({"type": "thinking", "thinking": "", "signature": ""}, "thinking_delta", "thinking"),
    ARGUMENTS: (
        {"type": "tool_use", "id": "toolu_42", "name": "apply_file_2", "input": {}},
        "input_json_delta",
        "partial_json",
    ),
}


def anthropic_events(pieces: Iterable[Piece]) -> Iterator[Event]:
    """A ping comes after every 200 deltas."""
    usage = {"input_tokens": INPUT, "cache_creation_input_tokens": 0, "cache_read_input_tokens": CACHED}
    message = {"id": "msg_000000000000000000000042", "type": "message", "role": "assistant", "content": []}
    more = {"model": "claude-sonnet-4-5", "stop_reason": None, "stop_sequence": None}
    yield {"type": "message_start", "message": {**message, **more, "usage": {**usage, "output_tokens": 1}}}
    for index, (kind, texts) in enumerate(pieces):
        block, delta, key = BLOCKS[kind]
        yield {"type": "content_block_start", "index": index, "content_block": {**block}}
        for number, text in enumerate(texts):
            if number % 200 == 199:
                yield {"type": "ping"}
            yield {"type": "content_block_delta", "index": index, "delta": {"type": delta, key: text}}
        if kind == THINKING:
            signed = {"type": "signature_delta", "signature": SIGNATURE}
            yield {"type": "content_block_delta", "index": index, "delta": signed}
        yield {"type": "content_block_stop", "index": index}
    ended = {"stop_reason": "tool_use", "stop_sequence": None}
    yield {"type": "message_delta", "delta": ended, "usage": {**usage, "output_tokens": OUTPUT}}
    yield {"type": "message_stop"}


def events_of(protocol: str, pieces: Iterable[Piece]) -> Iterator[Event]:
    """The stream in any protocol: what our own conversion makes of it, with what the vendors' servers add to events."""
    events = anthropic_events(pieces)
    if protocol == ANTHROPIC:
        return events
    return map(AS_SENT[protocol], proxai_ir.convert_stream(events, ANTHROPIC, protocol))


def _as_chunk(event: Event) -> Event:
    if event == DONE or not event["choices"]:
        return event
    (choice,) = event["choices"]
    return {**event, "system_fingerprint": "fp_000042", "choices": [{**choice, "logprobs": None}]}


def _as_delta(event: Event) -> Event:
    return {**event, "obfuscation": "Xq7LbT0mWc4v"} if event["type"].endswith(".delta") else event


def _as_response(event: Event) -> Event:
    return {"usageMetadata": {"promptTokenCount": INPUT, "totalTokenCount": INPUT}, **event}


AS_SENT = {CHAT: _as_chunk, RESPONSES: _as_delta, GEMINI: _as_response}


def reference_stream(protocol: str) -> list[Event]:
    """Of Chat Completions with the thoughts as text: the vendor's own chunks have no member for them. Of Gemini with
    the arguments as text: its calls come whole."""
    thinking, call = TEXT if protocol == CHAT else THINKING, TEXT if protocol == GEMINI else ARGUMENTS
    return list(events_of(protocol, reference(thinking, call)))


def stream_of(protocol: str, kind: str, count: int) -> Iterator[Event]:
    """A stream with one block, of so many fragments of one kind; made while it is read."""
    return events_of(protocol, [(kind, fragments(kind, count))])
