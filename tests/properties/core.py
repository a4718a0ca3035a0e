"""The portable core of a request: what both protocols say in ordinary words, read off the wire, not by us."""

from __future__ import annotations

import json
from typing import Any

from attrs import define, field

from .samples import CHAT

Object = dict[str, Any]


@define
class Core:
    """Texts of each speaker, calls and results, each in order; empty texts say nothing."""

    model: str
    system: list[str] = field(factory=list)
    user: list[str] = field(factory=list)
    assistant: list[str] = field(factory=list)
    calls: list[tuple[str, str, Any]] = field(factory=list)
    results: list[tuple[str, list[str]]] = field(factory=list)


def texts(content: Any) -> list[str]:
    parts = (
        [content] if isinstance(content, str) else [part["text"] for part in content or () if part["type"] == "text"]
    )
    return [part for part in parts if part]


def core(request: Object, protocol: str) -> Core:
    found = Core(request["model"])
    found.system += texts(request.get("system"))
    for message in request["messages"]:
        (_chat if protocol == CHAT else _anthropic)(message, found)
    return found


def _chat(message: Object, found: Core) -> None:
    role = message["role"]
    if role == "tool":
        found.results.append((message["tool_call_id"], texts(message["content"])))
        return
    said = {"user": found.user, "assistant": found.assistant}.get(role, found.system)
    said += texts(message.get("content"))
    for call in message.get("tool_calls") or ():
        arguments = json.loads(call["function"]["arguments"] or "{}")
        found.calls.append((call["id"], call["function"]["name"], arguments))


def _anthropic(message: Object, found: Core) -> None:
    content = message["content"]
    said = {"user": found.user, "assistant": found.assistant}.get(message["role"], found.system)
    said += texts(content)
    for block in content if isinstance(content, list) else ():
        if block["type"] == "tool_use":
            found.calls.append((block["id"], block["name"], block["input"]))
        elif block["type"] == "tool_result":
            found.results.append((block["tool_use_id"], texts(block.get("content"))))
