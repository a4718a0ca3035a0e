"""Owns the wire events of what is measured: one answer of about 2,000 events in each protocol's own words.

Fragments are about three tokens long, as servers send them, and one in four is of a text that is not ASCII. Events are
made one by one, so that a stream may have a million of them. A protocol joins with a line in each table at the end.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, cycle, islice
from typing import Any, NamedTuple

import orjson

from . import transcript
from .payloads import ANTHROPIC, CHAT, ITEMS
from .stream_items import items_events
from .transcript import Json

Event = Any
"""An object, or the word that ends a stream of chunks."""

THINKING = "thinking"
TEXT = "text"
ARGUMENTS = "arguments"
KINDS = (TEXT, THINKING, ARGUMENTS)
DONE = "[DONE]"

LENGTHS = (5, 14, 9, 18, 4, 12, 16, 8)
"""Of fragments, in characters: a mean of about eleven, which makes an event of Messages 96 bytes."""
PING_EVERY = 200
CALL = "call_000000000000000000000042"
SIGNATURE = base64.b64encode(transcript.prose(11, 220).encode()).decode()
INPUT_TOKENS, OUTPUT_TOKENS = 1_204, 5_310


class Piece(NamedTuple):
    """A run of one kind of content: a block there, consecutive deltas here."""

    kind: str
    fragments: Iterable[str]


def fragments(kind: str, count: int, seed: int = 50, *, foreign: bool = False) -> Iterator[str]:
    """Fragments of a text, from the beginning again where it is over; those of arguments are one JSON object."""
    text = transcript.prose(seed, 8_192, foreign=foreign)
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


def story(thinking: str = THINKING) -> list[Piece]:
    """The reference answer: thoughts, two texts and a call. `thinking`: as what its thoughts are said."""
    return [
        Piece(thinking, fragments(TEXT, 395, 50)),
        Piece(TEXT, fragments(TEXT, 700, 60)),
        Piece(TEXT, fragments(TEXT, 500, 70, foreign=True)),
        Piece(ARGUMENTS, fragments(ARGUMENTS, 390, 80)),
    ]


# --- Messages ---------------------------------------------------------------------------------------------------------

DELTAS = {
    TEXT: ("text_delta", "text"),
    THINKING: ("thinking_delta", "thinking"),
    ARGUMENTS: ("input_json_delta", "partial_json"),
}
BLOCKS: dict[str, Json] = {
    TEXT: {"type": "text", "text": ""},
    THINKING: {"type": "thinking", "thinking": "", "signature": ""},
    ARGUMENTS: {"type": "tool_use", "id": "toolu_000000000000000000000042", "name": "apply_file_2", "input": {}},
}


def anthropic_events(pieces: Iterable[Piece]) -> Iterator[Event]:
    """A stream of Messages events, with a ping now and then."""
    sent = 0
    last = TEXT
    yield _message_start()
    for index, (kind, texts) in enumerate(pieces):
        last = kind
        yield {"type": "content_block_start", "index": index, "content_block": {**BLOCKS[kind]}}
        member, key = DELTAS[kind]
        for text in texts:
            if sent % PING_EVERY == 0:
                yield {"type": "ping"}
            sent += 1
            yield {"type": "content_block_delta", "index": index, "delta": {"type": member, key: text}}
        if kind == THINKING:
            sealed = {"type": "signature_delta", "signature": SIGNATURE}
            yield {"type": "content_block_delta", "index": index, "delta": sealed}
        yield {"type": "content_block_stop", "index": index}
    yield _message_delta("tool_use" if last == ARGUMENTS else "end_turn")
    yield {"type": "message_stop"}


def _message_start() -> Json:
    message: Json = {
        "id": "msg_000000000000000000000042",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": _anthropic_usage(1),
    }
    return {"type": "message_start", "message": message}


def _message_delta(reason: str) -> Json:
    delta = {"stop_reason": reason, "stop_sequence": None}
    return {"type": "message_delta", "delta": delta, "usage": _anthropic_usage(OUTPUT_TOKENS)}


def _anthropic_usage(output: int) -> Json:
    return {
        "input_tokens": INPUT_TOKENS,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 9_216,
        "output_tokens": output,
    }


# --- Chat Completions -------------------------------------------------------------------------------------------------


def chat_events(pieces: Iterable[Piece]) -> Iterator[Event]:
    """A stream of chunks; thoughts as the servers send them that send them at all."""
    last = TEXT
    yield _chunk({"role": "assistant", "content": "", "refusal": None})
    for kind, texts in pieces:
        last = kind
        if kind == ARGUMENTS:
            named = {"name": BLOCKS[ARGUMENTS]["name"], "arguments": ""}
            yield _chunk({"tool_calls": [{"index": 0, "id": CALL, "type": "function", "function": named}]})
            for text in texts:
                yield _chunk({"tool_calls": [{"index": 0, "function": {"arguments": text}}]})
            continue
        member = "content" if kind == TEXT else "reasoning_content"
        for text in texts:
            yield _chunk({member: text})
    yield _chunk({}, "tool_calls" if last == ARGUMENTS else "stop")
    yield {**_head(), "choices": [], "usage": _chat_usage()}
    yield DONE


def _head() -> Json:
    return {
        "id": "chatcmpl-000042",
        "object": "chat.completion.chunk",
        "created": 1_760_000_000,
        "model": "gpt-4.1",
        "system_fingerprint": "fp_000042",
    }


def _chunk(delta: Json, finish: str | None = None) -> Json:
    return {**_head(), "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}]}


def _chat_usage() -> Json:
    prompt = INPUT_TOKENS + 9_216
    return {
        "prompt_tokens": prompt,
        "completion_tokens": OUTPUT_TOKENS,
        "total_tokens": prompt + OUTPUT_TOKENS,
        "prompt_tokens_details": {"cached_tokens": 9_216, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
    }


def padded(events: Iterable[Event]) -> Iterator[Event]:
    """Chunks as the vendor's own servers send them today: a tier, and padding so that lengths give nothing away."""
    for number, event in enumerate(events):
        padding = {"service_tier": "default", "obfuscation": "Xq7LbT0mWc4vZs"[: 1 + number % 14]}
        yield event if event == DONE else {**event, **padding}


# --- tables -----------------------------------------------------------------------------------------------------------

EVENTS: dict[str, Callable[[Iterable[Piece]], Iterator[Event]]] = {
    ANTHROPIC: anthropic_events,
    CHAT: chat_events,
    ITEMS: items_events,
}


def anthropic_stream() -> list[Event]:
    """The reference answer as Messages events."""
    return list(anthropic_events(story()))


def chat_stream() -> list[Event]:
    """The reference answer as chunks, its thoughts as text: thinking has no place in the vendor's own chunks."""
    return list(chat_events(story(TEXT)))


def items_stream() -> list[Event]:
    """The reference answer as Responses events, its thoughts as a summary."""
    return list(items_events(story()))


STREAMS: dict[str, Callable[[], list[Event]]] = {
    ANTHROPIC: anthropic_stream,
    CHAT: chat_stream,
    ITEMS: items_stream,
}


def stream_of(protocol: str, kind: str, count: int) -> Iterator[Event]:
    """A stream with one block, of so many fragments of one kind; made while it is read."""
    return EVENTS[protocol]([Piece(kind, fragments(kind, count))])
