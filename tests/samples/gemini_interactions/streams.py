"""Streams of Gemini Interactions: every event, step and delta, illegal orders, and streams that go on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..sample import Events, Json, Streams
from ..shared import PNG
from .building import UPDATE, call_step, created, numbered, step, stream, text, text_step, thought_step

CITATION: Json = {"type": "url_citation", "url": "https://example.org/", "title": "T", "start_index": 0, "end_index": 2}


def _talk() -> Events:
    """A thought, text with a citation, calls with and without arguments."""
    start, *deltas, stop = text_step("It says: ", "Rain 👋🏽.")
    cited = {"event_type": "step.delta", "delta": {"type": "text_annotation_delta", "annotations": [CITATION]}}
    return stream(
        thought_step("Two", " calls.", signature="EqQB"),
        [start, *deltas, cited, stop],
        call_step("call_1", "sky", "", '{"city":', '"Oslo"}'),
        call_step("call_2", "now"),
        status="requires_action",
        usage={
            "total_input_tokens": 6,
            "total_output_tokens": 7,
            "total_thought_tokens": 2,
            "total_tokens": 15,
        },
        created="2026-06-09T12:01:25Z",
        service_tier="standard",
    )


def _own() -> Events:
    """What only Interactions can express, what the provider ran, and unknown steps and events."""
    *events, end, done = stream(
        thought_step(signature="c2ln"),
        step(
            {"type": "google_search_call", "id": "s1", "arguments": {}},
            {"type": "google_search_call", "arguments": {"queries": ["q"]}, "signature": "c2ln"},
        ),
        step(
            {"type": "google_search_result", "call_id": "s1", "result": []},
            {"type": "google_search_result", "result": [{"search_suggestions": "<b>"}]},
        ),
        step(
            {"type": "url_context_call", "id": "u1", "arguments": {}},
            {"type": "url_context_call", "arguments": {"urls": ["https://a.example/"]}},
        ),
        step({"type": "hologram", "beam": 3}, {"type": "hologram", "ray": 4}),
        step(
            {"type": "model_output"},
            text("Done."),
            {"type": "image", "data": PNG, "mime_type": "image/png"},
            text("More."),
        ),
        updated="2026-06-09T12:01:29Z",
    )
    return [*events, {"event_type": "telemetry", "n": {"deep": [1]}}, end, done]


FAILURE = {"code": "gateway_timeout", "message": "Deadline expired."}
STREAMS: Streams = {
    "talk": _talk(),
    "own": _own(),
    "cut": stream(text_step("Hel", "lo"), status="incomplete"),
    "failure": [*stream(text_step("It"))[:4], {"event_type": "error", "error": FAILURE, "event_id": "e1"}],
}

# --- illegal ----------------------------------------------------------------------------------------------------------

TALK = stream(text_step("Hi"), call_step("call_1", "sky", "{}"), status="requires_action")
START, _, TEXT, WORD, STOP, CALL, _, _, END, DONE = TALK
UNFIT = {**WORD, "delta": {"type": "arguments_delta", "arguments": "{}"}}

ILLEGAL: dict[str, tuple[Events, str]] = {
    "a second start": ([START, START], "/1"),
    "no start": ([TEXT, WORD], "/1"),
    "a step within a step": ([START, TEXT, TEXT], "/2/index"),
    "a delta without a step": ([START, WORD], "/1/index"),
    "a delta for a closed step": ([START, TEXT, STOP, WORD], "/3/index"),
    "a delta of another type": ([START, TEXT, UNFIT], "/2/delta/type"),
    "a stop without a step": ([START, STOP], "/1/index"),
    "a step that stops twice": ([START, TEXT, WORD, STOP, STOP], "/4/index"),
    "anything after the end": ([*TALK[:9], TEXT, WORD], "/10"),
    "a second end": ([*TALK[:9], END], "/9"),
}

# --- that go on -------------------------------------------------------------------------------------------------------


def _repeating(begun: Events, *events: Json) -> Iterator[Any]:
    yield created()
    yield from begun
    while True:
        yield from events


def _deltas(start: Json, delta: Json) -> Iterator[Any]:
    begun, grew, _ = numbered(0, step(start, delta))
    return _repeating([begun], grew)


ENDLESS = {
    "text": lambda: _deltas({"type": "model_output"}, text("word ")),
    "thoughts": lambda: _deltas({"type": "thought"}, {"type": "thought_summary", "content": text("hm ")}),
    "updates": lambda: _repeating([], UPDATE, {"event_type": "telemetry", "n": 1}),
}


def _steps(count: int) -> Events:
    """Steps of which each has something to report."""
    pairs = [
        (thought_step("hm", signature="EqQB"), call_step(f"call_{number}", "sky", "{}")) for number in range(count // 2)
    ]
    return stream(*(one for pair in pairs for one in pair), status="requires_action")


GROWING = {"steps": _steps}
