"""Reads sound Bedrock Converse payloads (see sample.Reading)."""

from __future__ import annotations

import json
from typing import Any

from ..sample import Conversation, Events, Json

# --- whole payloads ---------------------------------------------------------------------------------------------------


def texts(content: Any) -> list[str]:
    found = []
    for block in content or []:
        if "text" in block:
            found.append(block["text"])
        elif "json" in block:
            found.append(json.dumps(block["json"], ensure_ascii=False, separators=(",", ":")))
        elif "text" in block.get("guardContent", {}):
            found.append(block["guardContent"]["text"]["text"])
        elif "citationsContent" in block:
            found.append("".join(piece["text"] for piece in block["citationsContent"]["content"]))
    return found


def conversation(request: Json) -> Conversation:
    found = Conversation(request.get("modelId"))
    found.add_texts("system", texts(request.get("system")))
    for message in request["messages"]:
        found.add_texts(message["role"], texts(message["content"]))
        for block in message["content"]:
            if "toolUse" in block and block["toolUse"].get("type") != "server_tool_use":
                call = block["toolUse"]
                found.calls.append((call["toolUseId"], call["name"], call["input"]))
            elif "toolResult" in block and message["role"] == "user":
                result = block["toolResult"]
                found.results.append((result["toolUseId"], [text for text in texts(result["content"]) if text]))
    return found


KNOWN = ("text", "citationsContent", "reasoningContent", "toolUse", "cachePoint")


def summary(response: Json) -> Json:
    message, usage = response["output"]["message"], response.get("usage") or {}
    assert message["role"] == "assistant"
    content = message["content"]
    thoughts = [block["reasoningContent"].get("reasoningText", {}) for block in content if "reasoningContent" in block]
    calls = [block["toolUse"] for block in content if "toolUse" in block]
    return {
        "text": "".join(texts(content)),
        "thinking": "".join(one.get("text", "") for one in thoughts),
        "signatures": [one["signature"] for one in thoughts if one.get("signature")],
        "calls": [(call["toolUseId"], call["name"], call["input"]) for call in calls],
        "others": [name for block in content for name in block if name not in KNOWN],
        "ending": response["stopReason"],
        "usage": (usage.get("inputTokens"), usage.get("outputTokens"), usage.get("cacheReadInputTokens")),
    }


def message(error: Json) -> str:
    text: str = error["message"]
    return text


# --- streams ----------------------------------------------------------------------------------------------------------


def whole(events: Events) -> Json:
    built: Json = {}
    content: dict[int, Json] = {}
    inputs: dict[int, str] = {}
    for event in events:
        ((name, inner),) = [(key, value) for key, value in event.items() if key[:1] != ":"]
        if name == "contentBlockStart":
            content[inner["contentBlockIndex"]] = {key: dict(one) for key, one in inner["start"].items()}
        elif name == "contentBlockDelta":
            _grow(content, inner["contentBlockIndex"], inner["delta"], inputs)
        elif name == "messageStop" or name == "metadata":
            built |= inner
    for index, block in content.items():
        if "toolUse" in block:
            text = inputs.get(index, "")
            block["toolUse"]["input"] = json.loads(text) if text.strip() else {}
    blocks = [content[index] for index in sorted(content)]
    return {"output": {"message": {"role": "assistant", "content": blocks}}, **built}


def _grow(content: dict[int, Json], index: int, delta: Json, inputs: dict[int, str]) -> None:
    block = content.setdefault(index, {})
    if "text" in delta:
        if "citationsContent" in block:
            block["citationsContent"]["content"][0]["text"] += delta["text"]
        else:
            block["text"] = block.get("text", "") + delta["text"]
    elif "citation" in delta:
        cited = block.setdefault("citationsContent", {"content": [{"text": block.pop("text", "")}], "citations": []})
        cited["citations"].append(delta["citation"])
    elif "toolUse" in delta:
        inputs[index] = inputs.get(index, "") + delta["toolUse"]["input"]
    elif "toolResult" in delta:
        block["toolResult"]["content"] = [*block["toolResult"].get("content", []), *delta["toolResult"]]
    elif "reasoningContent" in delta:
        inner = block.setdefault("reasoningContent", {})
        given = delta["reasoningContent"]
        if "redactedContent" in given:
            inner["redactedContent"] = given["redactedContent"]
        else:
            text = inner.setdefault("reasoningText", {"text": ""})
            text["text"] += given.get("text", "")
            text |= {"signature": given["signature"]} if "signature" in given else {}


def is_error(event: Any) -> bool:
    return isinstance(event, dict) and any(name.endswith("Exception") for name in event)


def is_end(event: Any) -> bool:
    return isinstance(event, dict) and "metadata" in event


def outcomes(events: Events) -> list[str]:
    return ["error" if is_error(event) else "end" if is_end(event) else "" for event in events]


def is_complete(events: Events) -> bool:
    return any(is_error(event) or is_end(event) for event in events)
