"""Streams of both protocols by hand: one call makes the events of one block or delta, another puts them together."""

from __future__ import annotations

from typing import Any

from ..properties.samples import ANTHROPIC, CHAT, RESPONSES, other

__all__ = ["ANTHROPIC", "CHAT", "PROTOCOLS", "ROUTES", "Events", "Object", "other"]

Object = dict[str, Any]
Events = list[Any]
Block = list[Object]
"""The events of one block, which have no index yet."""

DONE = "[DONE]"
PING: Object = {"type": "ping"}
MESSAGE_STOP: Object = {"type": "message_stop"}
PROTOCOLS = (ANTHROPIC, CHAT)
ROUTES = ((CHAT, ANTHROPIC), (ANTHROPIC, CHAT))
HOMES = ((CHAT, CHAT), (ANTHROPIC, ANTHROPIC))
ENDS = ("response.completed", "response.incomplete", "response.failed")
"""The last words of a Responses stream."""

# --- Anthropic Messages -----------------------------------------------------------------------------------------------


def message_start(usage: Object | None = None, **members: Any) -> Object:
    message: Object = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        **members,
    }
    return {"type": "message_start", "message": message if usage is None else {**message, "usage": usage}}


def block(start: Object, *deltas: Object) -> Block:
    return [
        {"type": "content_block_start", "content_block": start},
        *({"type": "content_block_delta", "delta": delta} for delta in deltas),
        {"type": "content_block_stop"},
    ]


def text(*pieces: str) -> Block:
    return block({"type": "text", "text": ""}, *({"type": "text_delta", "text": piece} for piece in pieces))


def thinking(*pieces: str, signature: str | None = None) -> Block:
    deltas: list[Object] = [{"type": "thinking_delta", "thinking": piece} for piece in pieces]
    if signature is not None:
        deltas.append({"type": "signature_delta", "signature": signature})
    return block({"type": "thinking", "thinking": "", "signature": ""}, *deltas)


def call(identity: str, name: str, *fragments: str, kind: str = "tool_use", **members: Any) -> Block:
    start = {"type": kind, "id": identity, "name": name, "input": {}, **members}
    return block(start, *({"type": "input_json_delta", "partial_json": fragment} for fragment in fragments))


def numbered(index: int, events: Block) -> Block:
    return [{"type": event["type"], "index": index, **event} for event in events]


def message_delta(stop: str | None = "end_turn", usage: Object | None = None, **delta: Any) -> Object:
    event: Object = {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None, **delta}}
    return event if usage is None else {**event, "usage": usage}


def messages(*blocks: Block, stop: str | None = "end_turn", usage: Object | None = None, **start: Any) -> Events:
    """A whole stream of blocks, one after the other."""
    inner = [event for index, events in enumerate(blocks) for event in numbered(index, events)]
    return [
        message_start({"input_tokens": 9, "output_tokens": 1}, **start),
        *inner,
        message_delta(stop, usage or {"output_tokens": 7}),
        MESSAGE_STOP,
    ]


# --- Chat Completions -------------------------------------------------------------------------------------------------


def chunk(delta: Object | None = None, finish: str | None = None, **members: Any) -> Object:
    """A chunk of one choice; without a delta and an ending one of no choice."""
    choices = [] if delta is None and finish is None else [{"index": 0, "delta": delta or {}, "finish_reason": finish}]
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1700000000, "model": "gpt"}
    return {**head, "choices": choices, **members}


def usage_chunk(into: int = 9, out: int = 7, **members: Any) -> Object:
    usage = {"prompt_tokens": into, "completion_tokens": out, "total_tokens": into + out}
    return chunk(usage=usage, **members)


def fragment(index: int, arguments: str | None = None, identity: str | None = None, name: str | None = None) -> Object:
    """A piece of a call; with an id and a name its first."""
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    if identity is None:
        return {"index": index, "function": function}
    return {"index": index, "id": identity, "type": "function", "function": function}


def calls(*fragments: Object) -> Object:
    """The delta that holds these pieces."""
    return {"tool_calls": list(fragments)}


def chunks(*deltas: Object, finish: str | None = "stop", usage: bool = True, done: bool = True) -> Events:
    """A whole stream of chunks: the role, these deltas, the ending, the usage, the word of the end."""
    first = chunk({"role": "assistant", "content": ""})
    ending = [chunk({}, finish)] if finish is not None else []
    return [
        first,
        *map(chunk, deltas),
        *ending,
        *([usage_chunk()] if usage else []),
        *([DONE] if done else []),
    ]


# --- what an event is -------------------------------------------------------------------------------------------------


def is_error(protocol: str, event: Any) -> bool:
    """Whether an event is the protocol's own error event."""
    if not isinstance(event, dict):
        return False
    if protocol == RESPONSES:
        return event.get("type") == "error" and isinstance(event.get("message"), str)
    error = event.get("error")
    told = isinstance(error, dict) and isinstance(error.get("message"), str)
    return told and (event.get("type") == "error" if protocol == ANTHROPIC else "choices" not in event)


def is_success(protocol: str, event: Any) -> bool:
    """Whether an event says that the stream is whole."""
    if protocol == CHAT:
        return bool(event == DONE)
    last = ("message_stop",) if protocol == ANTHROPIC else ENDS
    return isinstance(event, dict) and event.get("type") in last


def is_whole(protocol: str, events: Events) -> bool:
    """Whether a source came to its own end (STR-2): by its last word, every `finish_reason`, or an error."""
    objects = [event for event in events if isinstance(event, dict)]
    if protocol == ANTHROPIC:
        return any(event.get("type") in ("message_stop", "error") for event in objects)
    if protocol == RESPONSES:
        return any(event.get("type") in (*ENDS, "error") for event in objects)
    if any(event.get("error") for event in objects):
        return True
    finishes: dict[int, Any] = {}
    for event in objects:
        for choice in event.get("choices") or ():
            index = choice.get("index") or 0
            finishes[index] = finishes.get(index) or choice.get("finish_reason")
    return bool(finishes) and all(finishes.values())
