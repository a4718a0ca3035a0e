"""ConverseStreams: between them every event, block and delta, illegal orders, and streams that go on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..sample import Events, Json, Streams
from .building import (
    START,
    block,
    call_block,
    delta,
    numbered,
    stream,
    text_block,
    thinking_block,
)

CITATION: Json = {
    "title": "T",
    "sourceContent": [{"text": "Rain"}],
    "location": {"documentChar": {"documentIndex": 0, "start": 2, "end": 6}},
}


def _talk() -> Events:
    """Thinking, text with a citation, calls with and without arguments."""
    return stream(
        thinking_block("Two", " calls.", signature="EqQB"),
        block(delta(text="It says: "), delta(text="Rain 👋🏽."), delta(citation=CITATION)),
        call_block("tooluse_1", "sky", "", '{"city":', '"Oslo"}'),
        call_block("tooluse_2", "now"),
        stop="tool_use",
        usage={
            "inputTokens": 6,
            "outputTokens": 7,
            "totalTokens": 20,
            "cacheReadInputTokens": 4,
            "cacheWriteInputTokens": 3,
            "cacheDetails": [{"ttl": "5m", "inputTokens": 3}],
        },
        serviceTier={"type": "default"},
    )


def _own() -> Events:
    """What only Converse can express, and unknown blocks and events."""
    result: Json = {"toolUseId": "srv_1", "type": "nova_code_interpreter_result", "status": "success"}
    events = stream(
        block(delta(reasoningContent={"redactedContent": "eA=="})),
        call_block("srv_1", "nova_code_interpreter", '{"snippet":', '"1"}', type="server_tool_use"),
        block({"contentBlockStart": {"start": {"toolResult": result}}}, delta(toolResult=[{"json": {"stdOut": "1"}}])),
        text_block("Done."),
        performanceConfig={"latency": "optimized"},
        trace={"promptRouter": {"invokedModelId": "m"}},
    )
    events[-2]["messageStop"]["additionalModelResponseFields"] = {"id": "msg_1"}
    events[0] = {"messageStart": {"role": "assistant", "p": "abc"}}
    return [*events[:-2], {"telemetry": {"deep": [1]}}, *events[-2:]]


FAILURE: Json = {"throttlingException": {"message": "Too many tokens", "originalStatusCode": 429}}
STREAMS: Streams = {
    "talk": _talk(),
    "own": _own(),
    "filtered": stream(text_block("I must", " not."), stop="content_filtered"),
    "failure": [*stream(text_block("It"))[:2], FAILURE],
}

# --- illegal ----------------------------------------------------------------------------------------------------------

TALK = stream(text_block("Hi"), call_block("tooluse_1", "sky", "{}"), stop="tool_use")
_, WORD, STOP, CALL, PIECE, CALL_STOP, ENDING, END = TALK

MISPLACED: Json = {"contentBlockDelta": {"delta": {"text": "x"}, "contentBlockIndex": 1}}

ILLEGAL: dict[str, tuple[Events, str]] = {
    "a second start": ([START, START], "/1"),
    "no start": ([WORD], "/0"),
    "a block that is opened again": ([START, WORD, STOP, WORD], "/3"),
    "a call that is opened twice": ([START, WORD, STOP, CALL, CALL], "/4"),
    "arguments without a call": ([START, PIECE], "/1/contentBlockDelta/delta/toolUse"),
    "a delta of another type": ([START, CALL, MISPLACED], "/2/contentBlockDelta/delta/text"),
    "a second stop reason": ([*TALK[:7], ENDING], "/7"),
    "a new block after the stop reason": ([*TALK[:3], ENDING, CALL], "/4"),
    "anything after the end": ([*TALK, STOP], "/8"),
}

# --- that go on -------------------------------------------------------------------------------------------------------


def _repeating(*events: Json) -> Iterator[Any]:
    yield START
    while True:
        yield from events


ENDLESS = {
    "text": lambda: _repeating(*numbered([delta(text="word ")], 0)),
    "thinking": lambda: _repeating(*numbered([delta(reasoningContent={"text": "hm "})], 0)),
    "unknown events": lambda: _repeating({"telemetry": {"n": 1}}),
}


def _blocks(count: int) -> Events:
    """Blocks of which each has something to report."""
    pairs = [
        (thinking_block("hm", signature="EqQB"), call_block(f"tooluse_{number}", "sky", "{}", type="tool_use"))
        for number in range(count // 2)
    ]
    return stream(*(one for pair in pairs for one in pair), stop="tool_use")


GROWING = {"blocks": _blocks}
