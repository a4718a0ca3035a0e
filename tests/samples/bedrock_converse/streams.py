"""ConverseStreams: between them every event, block and delta, illegal orders, and streams that go on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..sample import Events, Json, Streams
from .building import START, call_block, delta, ending, numbered, stream, text_block, thinking_block

CITATION: Json = {
    "title": "T",
    "sourceContent": [{"text": "Rain"}],
    "location": {"web": {"url": "https://example.org/"}},
}
USAGE: Json = {
    "inputTokens": 6,
    "outputTokens": 7,
    "totalTokens": 20,
    "cacheReadInputTokens": 4,
    "cacheWriteInputTokens": 3,
    "cacheDetails": [{"ttl": "5m", "inputTokens": 3}],
}


def _talk() -> Events:
    """Thinking, text with a citation and padding, calls with and without arguments."""
    events = stream(
        thinking_block("Two", " calls.", signature="EqQB"),
        [*text_block("It says: ", "Rain 👋🏽."), delta({"citation": CITATION})],
        call_block("tooluse_1", "sky", "", '{"city":', '"Oslo"}'),
        call_block("tooluse_2", "now"),
        stop="tool_use",
        usage=USAGE,
    )
    events[5]["contentBlockDelta"]["p"] = "abcd"
    return events


def _own() -> Events:
    """What only Converse can express, and unknown blocks and events."""
    result = {"toolUseId": "run_1", "type": "nova_result", "status": "success"}
    *events, stop, metadata = stream(
        [delta({"reasoningContent": {"redactedContent": "eHg="}})],
        call_block("run_1", "nova_code_interpreter", '{"snippet":', '"1"}', type="server_tool_use"),
        [{"contentBlockStart": {"start": {"toolResult": result}}}, delta({"toolResult": [{"json": {"stdOut": "1"}}]})],
        [{"contentBlockStart": {"start": {"hologram": {"beam": 3}}}}, delta({"hologram": {"beam": 4}})],
        [],
        text_block("Done."),
        additionalModelResponseFields={"stop_sequence": "END", "x": 1},
    )
    metadata["metadata"] |= {"trace": {"guardrail": {"a": 1}}, "performanceConfig": {"latency": "optimized"}}
    metadata["metadata"]["serviceTier"] = {"type": "flex"}
    return [*events, {"telemetry": {"n": {"deep": [1]}}}, stop, metadata]


STREAMS: Streams = {
    "talk": _talk(),
    "own": _own(),
    "failure": [
        *stream(text_block("It"))[:2],
        {"modelStreamErrorException": {"message": "Broken", "originalStatusCode": 500, "originalMessage": "x"}},
    ],
}

# --- illegal ----------------------------------------------------------------------------------------------------------

TALK = stream(text_block("Hi"), call_block("tooluse_1", "sky", "{}"), stop="tool_use")
WORD, STOP, CALL, GIVEN, _, ENDING, END = TALK[1:]

ILLEGAL: dict[str, tuple[Events, str]] = {
    "a second start": ([START, START], "/1"),
    "no start": ([WORD], "/0"),
    "a block that is opened twice": ([START, CALL, CALL], "/2"),
    "input without a block": ([START, GIVEN], "/1/contentBlockDelta/delta/toolUse"),
    "a delta of another type": ([START, CALL, numbered(1, text_block("x"))[0]], "/2/contentBlockDelta/delta"),
    "a stop reason within a call": ([START, CALL, ENDING], "/2"),
    "a second stop reason": ([*TALK[:7], ENDING], "/7"),
    "the end before the stop reason": ([*TALK[:3], END], "/3"),
    "a second end": ([*TALK, END], "/8"),
}

# --- that go on -------------------------------------------------------------------------------------------------------


def _repeating(*events: Json) -> Iterator[Any]:
    yield START
    while True:
        yield from events


ENDLESS = {
    "text": lambda: _repeating(numbered(0, text_block("word "))[0]),
    "thinking": lambda: _repeating(numbered(0, thinking_block("hm "))[0]),
    "telemetry": lambda: _repeating({"telemetry": {"n": 1}}),
}


def _blocks(count: int) -> Events:
    """Blocks of which each has something to report."""
    blocks = [
        one
        for number in range(count // 2)
        for one in (thinking_block("hm", signature="EqQB"), call_block(f"tooluse_{number}", "sky", "{}"))
    ]
    return [START, *(event for index, one in enumerate(blocks) for event in numbered(index, one)), *ending("tool_use")]


GROWING = {"blocks": _blocks}
