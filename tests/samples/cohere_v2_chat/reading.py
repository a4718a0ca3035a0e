"""Reads sound /v2/chat payloads (see sample.Reading)."""

from __future__ import annotations

import json
from typing import Any

from ..sample import Conversation, Events, Json, arguments


def blocks(content: Any) -> list[Json]:
    """A string is one text."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else content or []


def texts(content: Any) -> list[str]:
    return [one["text"] for one in blocks(content) if one["type"] == "text"]


def answer(block: Json) -> str | None:
    """The text of a result; a document without a title or an address is one, whatever its id."""
    if block["type"] == "text":
        text: str = block["text"]
        return text
    data = block["document"]["data"] if block["type"] == "document" else {"url": ""}
    if isinstance(data, str):
        return data
    if data.keys() == {"text"}:
        return str(data["text"])
    return None if {"title", "url"} & data.keys() else json.dumps(data, separators=(",", ":"), ensure_ascii=False)


def calls(message: Json) -> list[tuple[str, str, Any]]:
    found = []
    for call in message.get("tool_calls") or []:
        assert call["type"] == "function"
        function = call["function"]
        found.append((call["id"], function["name"], arguments(function["arguments"])))
    return found


def conversation(request: Json) -> Conversation:
    found = Conversation(request.get("model"))
    for message in request["messages"]:
        if message["role"] == "tool":
            answered = [one for block in blocks(message["content"]) if (one := answer(block))]
            found.results.append((message["tool_call_id"], answered))
            continue
        plan = message.get("tool_plan")
        found.add_texts(message["role"], [*texts(message.get("content")), *([plan] if plan else [])])
        found.calls += calls(message)
    return found


def summary(response: Json) -> Json:
    message, usage = response["message"], response.get("usage") or {}
    assert message["role"] == "assistant"
    assert isinstance(message.get("content", []), list)
    content, counts = message.get("content") or [], usage.get("tokens") or {}
    return {
        "text": "".join([*texts(content), message.get("tool_plan") or ""]),
        "thinking": "".join(one["thinking"] for one in content if one["type"] == "thinking"),
        "calls": calls(message),
        "citations": sorted(_cited(one) for one in message.get("citations") or ()),
        "ending": response["finish_reason"],
        "usage": (counts.get("input_tokens"), counts.get("output_tokens"), usage.get("cached_tokens")),
        "scores": [(one["text"], one["logprobs"]) for one in response.get("logprobs") or ()],
    }


def _cited(one: Json) -> tuple[int, int, str]:
    return one["start"], one["end"], str(one["sources"])


def message(error: Json) -> str:
    text: str = error["message"]
    return text


# --- streams ----------------------------------------------------------------------------------------------------------


def whole(events: Events) -> Json:
    built: Json = {"role": "assistant"}
    response: Json = {"message": built}
    content: dict[int, Json] = {}
    listed: dict[int, Json] = {}
    for event in (one for one in events if one != "[DONE]"):  # which servers send behind the last event
        kind, index, delta = event["type"], event.get("index", 0), event.get("delta") or {}
        message = delta.get("message") or {}
        if kind == "message-start":
            response["id"] = event.get("id")
        elif kind.startswith("content-"):
            _content(content, index, message.get("content") or {})
            scored = [event["logprobs"]] if event.get("logprobs") else []
            response |= {"logprobs": [*response.get("logprobs", ()), *scored]} if scored else {}
        elif kind == "tool-plan-delta":
            built["tool_plan"] = built.get("tool_plan", "") + message["tool_plan"]
        elif kind.startswith("tool-call-"):
            _call(listed, index, message.get("tool_calls") or {})
        elif kind == "citation-start":
            built.setdefault("citations", []).append(message["citations"])
        elif kind == "message-end":
            response |= {name: delta[name] for name in ("finish_reason", "usage") if delta.get(name) is not None}
    built |= {"content": list(content.values())} if content else {}
    built |= {"tool_calls": list(listed.values())} if listed else {}
    return response


def _content(content: dict[int, Json], index: int, block: Json) -> None:
    if index not in content:
        content[index] = dict(block)
        return
    for name in ("text", "thinking"):
        if name in block:
            content[index][name] += block[name]


def _call(listed: dict[int, Json], index: int, given: Json) -> None:
    if index not in listed:
        listed[index] = {**given, "function": dict(given["function"])}
    elif given:
        listed[index]["function"]["arguments"] += given["function"]["arguments"]


def is_error(event: Any) -> bool:
    """The end of a message that failed; some servers send the body of an error."""
    body = isinstance(event, dict) and isinstance(event.get("message"), str) and "type" not in event
    return body or (is_end(event) and (event.get("delta") or {}).get("finish_reason") in ("ERROR", "TIMEOUT"))


def is_end(event: Any) -> bool:
    return isinstance(event, dict) and event.get("type") == "message-end"


def outcomes(events: Events) -> list[str]:
    return ["error" if is_error(event) else "end" if is_end(event) else "" for event in events]


def is_complete(events: Events) -> bool:
    return any(is_error(event) or is_end(event) for event in events)
