"""Anthropic Messages streams: between them every event, block and delta, illegal orders, and streams that go on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..sample import Events, Json, Streams
from .building import (
    PING,
    block,
    call_block,
    message_start,
    stream,
    text_block,
    thinking_block,
)

CITATION = {
    "type": "web_search_result_location",
    "url": "https://example.org/",
    "title": "T",
    "cited_text": "Rain",
    "encrypted_index": "E1",
}
USAGE = {
    "input_tokens": 6,
    "output_tokens": 1,
    "cache_read_input_tokens": 4,
    "cache_creation_input_tokens": 3,
    "cache_creation": {"ephemeral_5m_input_tokens": 1, "ephemeral_1h_input_tokens": 2},
    "service_tier": "standard",
}


def _talk() -> Events:
    """Thinking, text with a citation, calls with and without arguments, a keep-alive."""
    start, *deltas, stop = text_block("It says: ", "Rain 👋🏽.")
    cited = {"type": "content_block_delta", "delta": {"type": "citations_delta", "citation": CITATION}}
    events = stream(
        thinking_block("Two", " calls.", signature="EqQB"),
        [start, *deltas, cited, stop],
        call_block("toolu_1", "sky", "", '{"city":', '"Oslo"}', caller={"type": "direct"}),
        call_block("toolu_2", "now"),
        stop="tool_use",
        usage={"input_tokens": 6, "output_tokens": 7, "output_tokens_details": {"thinking_tokens": 2}},
    )
    events[0]["message"]["usage"] = USAGE
    return [events[0], PING, *events[1:]]


def _own() -> Events:
    """What only Anthropic Messages can express, and unknown blocks and events."""
    *events, end = stream(
        block({"type": "redacted_thinking", "data": "eA=="}),
        call_block("srv_1", "web_search", '{"query":', '"q"}', kind="server_tool_use"),
        block({"type": "web_search_tool_result", "tool_use_id": "srv_1", "content": []}),
        block({"type": "compaction", "content": None}, {"type": "compaction_delta", "content": "Earlier."}),
        block({"type": "hologram", "beam": 3}, {"type": "hologram_delta", "beam": 4}),
        text_block("Done."),
        container={"id": "ctr_1", "expires_at": "2030-01-01T00:00:00Z"},
    )
    return [*events, {"type": "telemetry", "n": {"deep": [1]}}, end]


def _refusal() -> Events:
    events = stream(text_block("I must", " not."), stop="refusal")
    events[-2]["delta"]["stop_details"] = {"type": "refusal", "category": "cyber", "explanation": "Policy."}
    return events


FAILURE = {"type": "overloaded_error", "message": "Overloaded", "details": {"x": 1}}

STREAMS: Streams = {
    "talk": _talk(),
    "own": _own(),
    "refusal": _refusal(),
    "failure": [*stream(text_block("It"))[:3], {"type": "error", "error": FAILURE, "request_id": "req_1"}],
}

# --- illegal ----------------------------------------------------------------------------------------------------------

TALK = stream(text_block("Hi"), call_block("toolu_1", "sky", "{}"), stop="tool_use")
START, TEXT, WORD, STOP, CALL, _, _, ENDING, END = TALK
UNFIT = {**WORD, "delta": {"type": "input_json_delta", "partial_json": "{}"}}

ILLEGAL: dict[str, tuple[Events, str]] = {
    "a second start": ([START, START], "/1"),
    "no start": ([TEXT], "/0"),
    "a block that is opened twice": ([START, TEXT, TEXT], "/2"),
    "a block that is opened again": ([START, TEXT, STOP, TEXT], "/3"),
    "a delta without a block": ([START, WORD], "/1/index"),
    "a delta for a closed block": ([START, TEXT, STOP, WORD], "/3/index"),
    "a delta of another type": ([START, TEXT, UNFIT], "/2/delta/type"),
    "a stop without a block": ([START, STOP], "/1"),
    "a block that is closed twice": ([START, TEXT, WORD, STOP, STOP], "/4"),
    "a stop reason within a call": ([START, CALL, ENDING], "/2"),
    "a second stop reason": ([*TALK[:8], ENDING], "/8"),
    "a new block after the stop reason": ([*TALK[:4], ENDING, CALL], "/5"),
    "the end within a block": ([*TALK[:3], END], "/3"),
    "anything after the end": ([*TALK, STOP], "/9"),
    "a second end": ([*TALK, END], "/9"),
}

# --- that go on -------------------------------------------------------------------------------------------------------


def _repeating(begun: Events, *events: Json) -> Iterator[Any]:
    yield message_start({"input_tokens": 1, "output_tokens": 1})
    yield from begun
    while True:
        yield from events


def _deltas(kind: str, member: str, text: str) -> Iterator[Any]:
    start = {"type": "content_block_start", "index": 0, "content_block": {"type": kind, member: ""}}
    delta = {"type": f"{kind}_delta", member: text}
    return _repeating([start], {"type": "content_block_delta", "index": 0, "delta": delta})


ENDLESS = {
    "text": lambda: _deltas("text", "text", "word "),
    "thinking": lambda: _deltas("thinking", "thinking", "hm "),
    "keep-alives": lambda: _repeating([], PING, {"type": "telemetry", "n": 1}),
}


def _blocks(count: int) -> Events:
    """Blocks of which each has something to report."""
    pairs = [
        (
            thinking_block("hm", signature="EqQB"),
            call_block(f"toolu_{number}", "sky", "{}", caller={"type": "direct"}),
        )
        for number in range(count // 2)
    ]
    return stream(*(one for pair in pairs for one in pair), stop="tool_use")


GROWING = {"blocks": _blocks}
