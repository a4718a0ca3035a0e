"""Responses streams: between them every item, part and delta, illegal orders, and streams that go on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..sample import Events, Json, Streams
from .building import added, call, created, done, ended, in_sequence, message, output_text, response, stream

CITATION = {"type": "url_citation", "url": "https://example.org/", "title": "T", "start_index": 9, "end_index": 13}
SUMMARY = {"type": "summary_text", "text": "Two calls."}
REASONING: Json = {"type": "reasoning", "id": "rs_1", "summary": [SUMMARY], "encrypted_content": "eA=="}
USAGE = {
    "input_tokens": 13,
    "input_tokens_details": {"cached_tokens": 4},
    "output_tokens": 7,
    "output_tokens_details": {"reasoning_tokens": 2},
    "total_tokens": 20,
}
DONE = {"status": "completed"}

TALK = response(
    REASONING,
    message(output_text("It says: Rain 👋🏽.", CITATION), id="msg_1", **DONE),
    call("sky", '{"city":"Oslo"}', id="fc_1", **DONE),
    call("now", "{}", "call_2", id="fc_2", **DONE),
    usage=USAGE,
    service_tier="default",
)
OWN = response(
    {"type": "reasoning", "id": "rs_1", "summary": [], "content": [{"type": "reasoning_text", "text": "Hm."}]},
    {"type": "web_search_call", "id": "ws_1", **DONE, "action": {"type": "search", "query": "q"}},
    {
        "type": "mcp_call",
        "id": "mcp_1",
        "server_label": "s",
        "name": "n",
        "arguments": '{"a":1}',
        "output": "r",
        **DONE,
    },
    {"type": "custom_tool_call", "id": "ctc_1", "call_id": "call_1", "name": "shell", "input": "ls", **DONE},
    {"type": "hologram", "id": "h_1", "beam": 3},
    status="incomplete",
    incomplete_details={"reason": "max_output_tokens"},
    new_field=[1],
)
REFUSAL = response(message({"type": "refusal", "refusal": "I must not."}, id="msg_1", **DONE), usage=USAGE)
FAILURE = {"code": "rate_limit_exceeded", "message": "Slow down."}


def _own() -> Events:
    """What only Responses can express, and an unknown event."""
    *events, end = stream(OWN)
    return in_sequence([*events, {"type": "telemetry", "n": {"deep": [1]}}, end])


STREAMS: Streams = {
    "talk": stream(TALK),
    "own": _own(),
    "refusal": stream(REFUSAL),
    "failure": in_sequence(
        [
            *stream(TALK)[:2],
            {"type": "error", "param": None, **FAILURE},
            ended(status="failed", error=FAILURE),
        ]
    ),
}

# --- illegal ----------------------------------------------------------------------------------------------------------

EMPTY = message(id="msg_1", status="in_progress")
WHERE = {"output_index": 0, "item_id": "msg_1", "content_index": 0}
PART = {"type": "response.content_part.added", **WHERE, "part": output_text("")}
WORD = {"type": "response.output_text.delta", **WHERE, "delta": "Hi"}
WHOLE = message(output_text("Hi"), id="msg_1", **DONE)
BEGUN: Events = [created(), added(EMPTY), PART, WORD]

ILLEGAL: dict[str, tuple[Events, str]] = {
    "a second start": ([created(), created()], "/1"),
    "no start": ([added(EMPTY), PART], "/1"),
    "a delta without an item": ([created(), {key: WORD[key] for key in WORD if key != "item_id"}], "/1"),
    "anything after the end": ([created(), done(WHOLE), ended(WHOLE), WORD], "/3"),
    "a second end": ([created(), done(WHOLE), ended(WHOLE), ended(WHOLE)], "/3"),
}

# --- that go on -------------------------------------------------------------------------------------------------------


def _deltas(item: Json, part: Json | None, delta: Json) -> Iterator[Any]:
    yield from (created(), added(item), *([part] if part else []))
    while True:
        yield delta


ENDLESS = {
    "text": lambda: _deltas(EMPTY, PART, WORD),
    "keep-alives": lambda: _deltas(EMPTY, None, {"type": "keepalive"}),
}
GROWING = {
    "items": lambda count: stream(
        response(
            *(
                item
                for number in range(count // 2)
                for item in (
                    message(output_text("word"), id=f"msg_{number}", **DONE),
                    call("sky", "{}", f"call_{number}", id=f"fc_{number}", **DONE),
                )
            )
        )
    )
}
