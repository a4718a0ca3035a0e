"""Reads sound Converse payloads (see sample.Reading)."""

from __future__ import annotations

import json
from typing import Any

from ..sample import Conversation, Events, Json

# --- whole payloads ---------------------------------------------------------------------------------------------------


def _text(block: Json) -> str | None:
    """The text of a block, however it stands there."""
    if "citationsContent" in block:
        return "".join(one["text"] for one in block["citationsContent"].get("content") or [])
    if "guardContent" in block:
        found: str | None = block["guardContent"].get("text", {}).get("text")
        return found
    if "json" in block:
        return json.dumps(block["json"], ensure_ascii=False, separators=(",", ":"))
    text: str | None = block.get("text")
    return text


def texts(content: Any) -> list[str]:
    return [text for block in content or [] if (text := _text(block)) is not None]


def conversation(request: Json) -> Conversation:
    found = Conversation(None)
    found.add_texts("system", texts(request.get("system")))
    for message in request.get("messages") or []:
        found.add_texts(message["role"], texts(message["content"]))
        for block in message["content"]:
            call, result = block.get("toolUse"), block.get("toolResult")
            if call and call.get("type") != "server_tool_use":
                found.calls.append((call["toolUseId"], call["name"], call["input"]))
            elif result and message["role"] == "user":
                found.results.append((result["toolUseId"], [text for text in texts(result["content"]) if text]))
    return found


KNOWN = {"text", "citationsContent", "reasoningContent", "toolUse"}


def summary(response: Json) -> Json:
    message, usage = response["output"]["message"], response.get("usage") or {}
    assert message["role"] == "assistant"
    content = message["content"]
    thoughts = [
        block["reasoningContent"].get("reasoningText") or {} for block in content if "reasoningContent" in block
    ]
    calls = [block["toolUse"] for block in content if "toolUse" in block]
    shown = response.get("additionalModelResponseFields")
    return {
        "text": "".join(texts(content)),
        "thinking": "".join(one.get("text", "") for one in thoughts),
        "signatures": [one["signature"] for one in thoughts if one.get("signature")],
        "calls": [(call["toolUseId"], call["name"], call["input"]) for call in calls],
        "others": [sorted(block) for block in content if not KNOWN & block.keys()],
        "ending": (response["stopReason"], shown.get("stop_sequence") if isinstance(shown, dict) else None),
        "usage": (usage.get("inputTokens"), usage.get("outputTokens"), usage.get("cacheReadInputTokens")),
    }


def message(error: Json) -> str:
    text: str = error["message"] if "message" in error else error["Message"]
    return text


# --- streams ----------------------------------------------------------------------------------------------------------


def whole(events: Events) -> Json:
    content: dict[int, Json] = {}
    inputs: dict[int, str] = {}
    found: Json = {"output": {"message": {"role": "assistant"}}}
    for event in events:
        kind, inner = next(iter(event.items()))
        index = inner.get("contentBlockIndex")
        if kind == "contentBlockStart":
            content[index] = {name: dict(value) for name, value in inner["start"].items()}
            if "toolUse" in inner["start"]:
                inputs[index] = ""
        elif kind == "contentBlockDelta":
            _grow(content, inputs, index, inner["delta"])
        elif kind in ("messageStop", "metadata"):
            found |= inner
    for index, text in inputs.items():
        content[index]["toolUse"]["input"] = json.loads(text) if text.strip() else {}
    found["output"]["message"]["content"] = [_cited(content[index]) for index in sorted(content)]
    return found


def _grow(content: dict[int, Json], inputs: dict[int, str], index: int, delta: Json) -> None:
    block = content.setdefault(index, {})
    if "toolUse" in delta:
        inputs[index] += delta["toolUse"]["input"]
    elif "text" in delta:
        block["text"] = block.get("text", "") + delta["text"]
    elif "citation" in delta:
        block.setdefault("citations", []).append(delta["citation"])
    elif "toolResult" in delta:
        block["toolResult"].setdefault("content", []).extend(delta["toolResult"])
    elif "reasoningContent" in delta:
        inner, more = block.setdefault("reasoningContent", {}), delta["reasoningContent"]
        if "redactedContent" in more:
            inner["redactedContent"] = more["redactedContent"]
        else:
            text = inner.setdefault("reasoningText", {"text": ""})
            text["text"] += more.get("text", "")
            text |= {key: value for key, value in more.items() if key == "signature"}


def _cited(block: Json) -> Json:
    if "citations" not in block:
        return block
    return {"citationsContent": {"content": [{"text": block.get("text", "")}], "citations": block["citations"]}}


def is_error(event: Any) -> bool:
    return isinstance(event, dict) and any(
        key.endswith("Exception") and isinstance(value.get("message"), str) for key, value in event.items()
    )


def outcomes(events: Events) -> list[str]:
    """A stream is whole once its message has stopped; what follows are facts about it."""
    kinds = {"messageStop": "final", "metadata": "end"}
    return ["error" if is_error(event) else kinds.get(next(iter(event)), "") for event in events]


def is_complete(events: Events) -> bool:
    return any((isinstance(event, dict) and "messageStop" in event) or is_error(event) for event in events)
