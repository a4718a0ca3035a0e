"""Makes /v2/chat payloads: requests, responses, error bodies, and streams part by part."""

from __future__ import annotations

from typing import Any

from ..sample import Events, Json
from ..shared import NO_PARAMETERS, text, user

__all__ = ["text", "user"]


def request(*messages: Json, **settings: Any) -> Json:
    return {"model": "command-a-03-2025", "messages": list(messages), **settings}


def call(call_id: str, name: str, arguments: str) -> Json:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def tool(name: str, **members: Any) -> Json:
    return {"type": "function", "function": {"name": name, "parameters": NO_PARAMETERS, **members}}


def result(content: Any, call_id: str = "call_1") -> Json:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def thinking(words: str) -> Json:
    return {"type": "thinking", "thinking": words}


def cites(start: int, end: int, words: str, *sources: Json, **members: Any) -> Json:
    return {"start": start, "end": end, "text": words, "sources": list(sources), **members}


def usage(into: int = 20, out: int = 7, **members: Any) -> Json:
    billed = {"input_tokens": into - 8, "output_tokens": out}
    return {"billed_units": billed, "tokens": {"input_tokens": into, "output_tokens": out}, **members}


def response(*content: Json, finish: str | None = "COMPLETE", message: Json | None = None, **members: Any) -> Json:
    built = {"role": "assistant", **({"content": list(content)} if content else {}), **(message or {})}
    return {"id": "gen_1", "finish_reason": finish, "message": built, "usage": usage(), **members}


PAGE: Json = {"type": "document", "id": "doc:0", "document": {"url": "https://tides.example/emden", "title": "Emden"}}
OUTPUT: Json = {"type": "tool", "id": "call_1:0", "tool_output": {"depth": "4 m"}}

# --- streams ----------------------------------------------------------------------------------------------------------

START: Json = {"type": "message-start", "id": "gen_1", "delta": {"message": {"role": "assistant"}}}


def event(kind: str, index: int | None = None, **message: Any) -> Json:
    built: Json = {"type": kind} if index is None else {"type": kind, "index": index}
    return {**built, "delta": {"message": message}} if message else built


def block(index: int, kind: str, *pieces: str) -> Events:
    return [
        event("content-start", index, content={"type": kind, kind: ""}),
        *(event("content-delta", index, content={kind: piece}) for piece in pieces),
        event("content-end", index),
    ]


def plan(*pieces: str) -> Events:
    return [event("tool-plan-delta", tool_plan=piece) for piece in pieces]


def call_events(index: int, call_id: str, name: str, *pieces: str) -> Events:
    return [
        event("tool-call-start", index, tool_calls=call(call_id, name, "")),
        *(event("tool-call-delta", index, tool_calls={"function": {"arguments": piece}}) for piece in pieces),
        event("tool-call-end", index),
    ]


def cited(index: int, citation: Json) -> Events:
    return [event("citation-start", index, citations=citation), event("citation-end", index)]


def end(finish: str | None = "COMPLETE", **delta: Any) -> Json:
    return {"type": "message-end", "delta": {"finish_reason": finish, "usage": usage(), **delta}}


def stream(*events: Events, finish: str | None = "COMPLETE") -> Events:
    return [START, *(one for part in events for one in part), end(finish)]
