"""Makes Chat Completions payloads: requests, responses, error bodies, and streams chunk by chunk."""

from __future__ import annotations

from typing import Any

from ..sample import Events, Json
from ..shared import NO_PARAMETERS, assistant, text, user

__all__ = ["assistant", "text", "user"]


def request(*messages: Json, **settings: Any) -> Json:
    return {"model": "gpt", "max_completion_tokens": 64, "messages": list(messages), **settings}


def tool(name: str, **members: Any) -> Json:
    return {"type": "function", "function": {"name": name, "parameters": NO_PARAMETERS, **members}}


def call(name: str, arguments: str = "{}", call_id: str = "call_1") -> Json:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def result(content: Any, call_id: str = "call_1") -> Json:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def response(finish: str | None = "stop", usage: Json | None = None, **message: Any) -> Json:
    """A response of one choice, whose message has these members."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1700000000,
        "model": "gpt",
        "choices": [{"index": 0, "message": assistant(**message), "finish_reason": finish}],
        "usage": usage or {"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12},
    }


def error(kind: str | None, message: str = "No.", param: str | None = None, code: Any = None) -> Json:
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


# --- streams ----------------------------------------------------------------------------------------------------------

DONE = "[DONE]"


def chunk(delta: Json | None = None, finish: str | None = None, **members: Any) -> Json:
    """A chunk of one choice; without a delta and a finish reason one of no choice."""
    choices = [] if delta is None and finish is None else [{"index": 0, "delta": delta or {}, "finish_reason": finish}]
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1700000000, "model": "gpt"}
    return {**head, "choices": choices, **members}


def usage_chunk(into: int = 9, out: int = 7, **members: Any) -> Json:
    usage = {"prompt_tokens": into, "completion_tokens": out, "total_tokens": into + out}
    return chunk(usage=usage, **members)


def fragment(index: int, arguments: str | None = None, call_id: str | None = None, name: str | None = None) -> Json:
    """A piece of a call; with an id and a name its first."""
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    if call_id is None:
        return {"index": index, "function": function}
    return {"index": index, "id": call_id, "type": "function", "function": function}


def calls(*fragments: Json) -> Json:
    """The delta that holds these pieces."""
    return {"tool_calls": list(fragments)}


def stream(*deltas: Json, finish: str | None = "stop", usage: bool = True, done: bool = True) -> Events:
    """A whole stream: the role, these deltas, the finish reason, the usage, [DONE]."""
    return [
        chunk({"role": "assistant", "content": ""}),
        *map(chunk, deltas),
        *([chunk({}, finish)] if finish is not None else []),
        *([usage_chunk()] if usage else []),
        *([DONE] if done else []),
    ]
