"""Reads sound Anthropic Messages payloads (see sample.Reading)."""

from __future__ import annotations

import json
from typing import Any

from ..sample import Conversation, Events, Json
from ..shared import counted

INPUT = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
SIDES = (
    (lambda usage: sum(usage.get(key) or 0 for key in INPUT), INPUT),
    (lambda usage: usage.get("output_tokens") or 0, ("output_tokens", "output_tokens_details")),
)

# --- whole payloads ---------------------------------------------------------------------------------------------------


def blocks(content: Any) -> list[Json]:
    """A string is one block of text."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else content or []


def texts(content: Any) -> list[str]:
    return [block["text"] for block in blocks(content) if block["type"] == "text"]


def conversation(request: Json) -> Conversation:
    found = Conversation(request.get("model"))
    found.add_texts("system", texts(request.get("system")))
    for message in request["messages"]:
        found.add_texts(message["role"], texts(message["content"]))
        for block in blocks(message["content"]):
            if block["type"] == "tool_use":
                found.calls.append((block["id"], block["name"], block["input"]))
            elif block["type"] == "tool_result":
                result = [text for text in texts(block.get("content")) if text]
                found.results.append((block["tool_use_id"], result))
    return found


def summary(response: Json) -> Json:
    content, usage = response["content"], response.get("usage") or {}
    assert (response["type"], response["role"]) == ("message", "assistant")
    written = "".join(texts(content))
    return {
        "text": written,
        "thinking": "".join(block["thinking"] for block in content if block["type"] == "thinking"),
        "signatures": [block["signature"] for block in content if block.get("signature")],
        "calls": [(block["id"], block["name"], block["input"]) for block in content if block["type"] == "tool_use"],
        "others": [block["type"] for block in content if block["type"] not in ("text", "thinking", "tool_use")],
        "ending": (response["stop_reason"], response.get("stop_sequence"), _present(response.get("stop_details"))),
        "usage": (usage.get("input_tokens"), usage.get("output_tokens"), usage.get("cache_read_input_tokens")),
    }


def _present(value: Json | None) -> Json:
    return {key: item for key, item in (value or {}).items() if item is not None}


def message(error: Json) -> str:
    assert error["type"] == "error"
    text: str = error["error"]["message"]
    return text


# --- streams ----------------------------------------------------------------------------------------------------------


def whole(events: Events) -> Json:
    message: Json = {}
    content: dict[int, Json] = {}
    inputs: dict[int, str] = {}
    for event in events:
        kind, index = event["type"], event.get("index")
        if kind == "message_start":
            message = dict(event["message"])
        elif kind == "content_block_start":
            content[index] = dict(event["content_block"])
        elif kind == "content_block_delta":
            _grow(content[index], event["delta"], inputs, index)
        elif kind == "message_delta":
            message |= event["delta"]
            message["usage"] = counted(message.get("usage") or {}, event.get("usage") or {}, *SIDES)
    for index, text in inputs.items():
        content[index]["input"] = json.loads(text) if text.strip() else {}
    if not message.get("usage"):
        message.pop("usage", None)
    return {**message, "content": list(content.values())}


def _grow(block: Json, delta: Json, inputs: dict[int, str], index: int) -> None:
    kind = delta["type"]
    if kind == "text_delta":
        block["text"] += delta["text"]
    elif kind == "thinking_delta":
        block["thinking"] += delta["thinking"]
    elif kind == "signature_delta":
        block["signature"] = delta["signature"]
    elif kind == "input_json_delta":
        inputs[index] = inputs.get(index, "") + delta["partial_json"]
    elif kind == "citations_delta":
        block["citations"] = [*(block.get("citations") or ()), delta["citation"]]


def is_error(event: Any) -> bool:
    error = event.get("error") if isinstance(event, dict) else None
    return isinstance(error, dict) and isinstance(error.get("message"), str) and event.get("type") == "error"


def is_end(event: Any) -> bool:
    return isinstance(event, dict) and event.get("type") == "message_stop"


def outcomes(events: Events) -> list[str]:
    return ["error" if is_error(event) else "end" if is_end(event) else "" for event in events]


def is_complete(events: Events) -> bool:
    return any(isinstance(event, dict) and event.get("type") in ("message_stop", "error") for event in events)
