"""Payloads of Bedrock Converse, made by short functions."""

from __future__ import annotations

from typing import Any

from ..sample import Events, Json

USAGE: Json = {"inputTokens": 6, "outputTokens": 5, "totalTokens": 11}
METRICS: Json = {"latencyMs": 120}
POINT: Json = {"cachePoint": {"type": "default"}}
START: Json = {"messageStart": {"role": "assistant"}}


def text(words: str) -> Json:
    return {"text": words}


def said(role: str, *blocks: Any) -> Json:
    return {"role": role, "content": [text(block) if isinstance(block, str) else block for block in blocks]}


def call(identity: str, name: str, given: Any) -> Json:
    return {"toolUse": {"toolUseId": identity, "name": name, "input": given}}


def result(identity: str, *blocks: Any, **members: Any) -> Json:
    content = [text(block) if isinstance(block, str) else block for block in blocks]
    return {"toolResult": {"toolUseId": identity, "content": content, **members}}


def thought(words: str, signature: str | None = None) -> Json:
    inner = {"text": words, "signature": signature} if signature else {"text": words}
    return {"reasoningContent": {"reasoningText": inner}}


def response(*blocks: Any, stop: str = "end_turn", **members: Any) -> Json:
    output = {"message": said("assistant", *blocks)}
    return {"output": output, "stopReason": stop, "usage": USAGE, "metrics": METRICS, **members}


# --- streams ----------------------------------------------------------------------------------------------------------


def delta(inner: Json) -> Json:
    return {"contentBlockDelta": {"delta": inner}}


def text_block(*pieces: str) -> Events:
    return [delta({"text": piece}) for piece in pieces]


def thinking_block(*pieces: str, signature: str | None = None) -> Events:
    found = [delta({"reasoningContent": {"text": piece}}) for piece in pieces]
    return [*found, *([delta({"reasoningContent": {"signature": signature}})] if signature else [])]


def call_block(identity: str, name: str, *pieces: str, **members: Any) -> Events:
    start = {"contentBlockStart": {"start": {"toolUse": {"toolUseId": identity, "name": name, **members}}}}
    return [start, *(delta({"toolUse": {"input": piece}}) for piece in pieces)]


def numbered(index: int, events: Events) -> Events:
    """The events of a block, with its index and its end."""
    whole = [*events, {"contentBlockStop": {}}]
    return [{name: {**inner, "contentBlockIndex": index}} for event in whole for name, inner in event.items()]


def ending(stop: str = "end_turn", usage: Json | None = USAGE, **members: Any) -> Events:
    metadata = {"usage": usage, "metrics": METRICS} if usage is not None else {"metrics": METRICS}
    return [{"messageStop": {"stopReason": stop, **members}}, {"metadata": metadata}]


def stream(*blocks: Events, stop: str = "end_turn", usage: Json | None = USAGE, **members: Any) -> Events:
    inner = [event for index, block in enumerate(blocks) for event in numbered(index, block)]
    return [START, *inner, *ending(stop, usage, **members)]
