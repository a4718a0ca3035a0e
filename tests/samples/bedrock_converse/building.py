"""Makes Converse payloads: requests, responses, and streams block by block."""

from __future__ import annotations

from typing import Any

from ..sample import Events, Json
from ..shared import NO_PARAMETERS

Block = list[Json]
"""The events of one block, which have no index yet."""

METRICS: Json = {"latencyMs": 41}
USAGE: Json = {"inputTokens": 6, "outputTokens": 7, "totalTokens": 13}


def text(words: str) -> Json:
    return {"text": words}


def user(*content: Json) -> Json:
    return {"role": "user", "content": list(content)}


def assistant(*content: Json) -> Json:
    return {"role": "assistant", "content": list(content)}


def request(*messages: Json, **settings: Any) -> Json:
    return {"messages": list(messages), **settings}


def tool(name: str, **members: Any) -> Json:
    return {"toolSpec": {"name": name, "inputSchema": {"json": NO_PARAMETERS}, **members}}


def tool_use(name: str, given: Json | None = None, call_id: str = "call_1", **members: Any) -> Json:
    return {"toolUse": {"toolUseId": call_id, "name": name, "input": given or {}, **members}}


def tool_result(*content: Json, call_id: str = "call_1", **members: Any) -> Json:
    return {"toolResult": {"toolUseId": call_id, "content": list(content), **members}}


def thought(words: str, signature: str | None = None) -> Json:
    signed = {} if signature is None else {"signature": signature}
    return {"reasoningContent": {"reasoningText": {"text": words, **signed}}}


def response(*content: Json, stop: str = "end_turn", usage: Json | None = None, **members: Any) -> Json:
    return {
        "output": {"message": assistant(*content)},
        "stopReason": stop,
        "usage": USAGE if usage is None else usage,
        "metrics": METRICS,
        **members,
    }


# --- streams ----------------------------------------------------------------------------------------------------------

START: Json = {"messageStart": {"role": "assistant"}}


def delta(**members: Any) -> Json:
    return {"contentBlockDelta": {"delta": members}}


def block(*events: Json) -> Block:
    return [*events, {"contentBlockStop": {}}]


def text_block(*pieces: str) -> Block:
    return block(*(delta(text=piece) for piece in pieces))


def thinking_block(*pieces: str, signature: str | None = None) -> Block:
    signed = [] if signature is None else [delta(reasoningContent={"signature": signature})]
    return block(*(delta(reasoningContent={"text": piece}) for piece in pieces), *signed)


def call_block(call_id: str, name: str, *pieces: str, **members: Any) -> Block:
    start = {"contentBlockStart": {"start": {"toolUse": {"toolUseId": call_id, "name": name, **members}}}}
    return block(start, *(delta(toolUse={"input": piece}) for piece in pieces))


def numbered(events: Block, index: int) -> Events:
    return [{kind: {**inner, "contentBlockIndex": index} for kind, inner in event.items()} for event in events]


def stream(*blocks: Block, stop: str = "end_turn", usage: Json | None = None, **members: Any) -> Events:
    content = [event for index, one in enumerate(blocks) for event in numbered(one, index)]
    metadata = {"usage": USAGE if usage is None else usage, "metrics": METRICS, **members}
    return [START, *content, {"messageStop": {"stopReason": stop}}, {"metadata": metadata}]
