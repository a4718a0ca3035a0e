"""Makes Anthropic Messages payloads: requests, responses, error bodies, and streams block by block."""

from __future__ import annotations

from typing import Any

from ..sample import Events, Json
from ..shared import NO_PARAMETERS, assistant, text, user

__all__ = ["assistant", "text", "user"]

Block = list[Json]
"""The events of one block, which have no index yet."""


CITED: Json = {
    "type": "char_location",
    "cited_text": "x",
    "document_index": 0,
    "document_title": "Notes",
    "start_char_index": 2,
    "end_char_index": 3,
}
CITED_RESULT: Json = {
    "type": "search_result_location",
    "cited_text": "x",
    "source": "s",
    "title": "t",
    "search_result_index": 0,
    "start_block_index": 0,
    "end_block_index": 1,
}
"""What an assistant of an earlier turn cited: a place in a document, and a search result that is no page of the web."""


def request(*messages: Json, **settings: Any) -> Json:
    return {"model": "claude", "max_tokens": 64, "messages": list(messages), **settings}


def tool(name: str, **members: Any) -> Json:
    return {"name": name, "input_schema": NO_PARAMETERS, **members}


def tool_use(name: str, arguments: Json | None = None, call_id: str = "call_1") -> Json:
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments or {}}


def tool_result(content: Any, call_id: str = "call_1") -> Json:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content}


def response(*content: Json, stop: str | None = "end_turn", usage: Json | None = None, **members: Any) -> Json:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude",
        "content": list(content),
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": usage or {"input_tokens": 7, "output_tokens": 5},
        **members,
    }


def error(kind: str, message: str = "No.", **members: Any) -> Json:
    return {"type": "error", "error": {"type": kind, "message": message}, **members}


# --- streams ----------------------------------------------------------------------------------------------------------

PING: Json = {"type": "ping"}
MESSAGE_STOP: Json = {"type": "message_stop"}


def message_start(usage: Json | None = None, **members: Any) -> Json:
    message = response(stop=None, **members)
    del message["usage"]
    return {"type": "message_start", "message": message if usage is None else {**message, "usage": usage}}


def block(start: Json, *deltas: Json) -> Block:
    return [
        {"type": "content_block_start", "content_block": start},
        *({"type": "content_block_delta", "delta": delta} for delta in deltas),
        {"type": "content_block_stop"},
    ]


def text_block(*pieces: str) -> Block:
    return block(text(""), *({"type": "text_delta", "text": piece} for piece in pieces))


def thinking_block(*pieces: str, signature: str | None = None) -> Block:
    deltas: list[Json] = [{"type": "thinking_delta", "thinking": piece} for piece in pieces]
    if signature is not None:
        deltas.append({"type": "signature_delta", "signature": signature})
    return block({"type": "thinking", "thinking": "", "signature": ""}, *deltas)


def call_block(call_id: str, name: str, *fragments: str, kind: str = "tool_use", **members: Any) -> Block:
    start = {"type": kind, "id": call_id, "name": name, "input": {}, **members}
    return block(start, *({"type": "input_json_delta", "partial_json": fragment} for fragment in fragments))


def cited_block(citation: Json, *pieces: str) -> Block:
    """A text whose citation comes before its deltas."""
    start, *rest = text_block(*pieces)
    return [start, {"type": "content_block_delta", "delta": {"type": "citations_delta", "citation": citation}}, *rest]


def numbered(index: int, events: Block) -> Block:
    return [{"type": event["type"], "index": index, **event} for event in events]


def message_delta(stop: str | None = "end_turn", usage: Json | None = None, **delta: Any) -> Json:
    event: Json = {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None, **delta}}
    return event if usage is None else {**event, "usage": usage}


def stream(*blocks: Block, stop: str | None = "end_turn", usage: Json | None = None, **start: Any) -> Events:
    """A whole stream of blocks, one after the other."""
    inner = [event for index, events in enumerate(blocks) for event in numbered(index, events)]
    return [
        message_start({"input_tokens": 9, "output_tokens": 1}, **start),
        *inner,
        message_delta(stop, usage or {"output_tokens": 7}),
        MESSAGE_STOP,
    ]
