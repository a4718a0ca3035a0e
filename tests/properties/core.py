"""The portable core of a request: what all protocols say in ordinary words, read off the wire, not by us."""

from __future__ import annotations

import json
from typing import Any

from attrs import define, field

from .samples import ANTHROPIC, CHAT, RESPONSES

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


TEXTS = ("text", "input_text", "output_text")


def texts(content: Any) -> list[str]:
    parts = [content] if isinstance(content, str) else [one["text"] for one in content or () if one["type"] in TEXTS]
    return [part for part in parts if part]


def core(request: Object, protocol: str) -> Core:
    found = Core(request["model"])
    found.system += texts(request.get("system")) + texts(request.get("instructions"))
    said = request["input" if protocol == RESPONSES else "messages"]
    for message in [{"role": "user", "content": said}] if isinstance(said, str) else said:
        READERS[protocol](message, found)
    return found


def _said(message: Object, found: Core) -> None:
    said = {"user": found.user, "assistant": found.assistant}.get(message["role"], found.system)
    said += texts(message.get("content"))


def _chat(message: Object, found: Core) -> None:
    if message["role"] == "tool":
        found.results.append((message["tool_call_id"], texts(message["content"])))
        return
    _said(message, found)
    for call in message.get("tool_calls") or ():
        _called(found, call["id"], call[call["type"]])


def _called(found: Core, id_: str, call: Object) -> None:
    """A call of a function, whose arguments are JSON text, or of a custom tool, whose input is any text."""
    given = call["input"] if "input" in call else json.loads(call["arguments"] or "{}")
    found.calls.append((id_, call["name"], given))


def _anthropic(message: Object, found: Core) -> None:
    content = message["content"]
    _said(message, found)
    for block in content if isinstance(content, list) else ():
        if block["type"] == "tool_use":
            found.calls.append((block["id"], block["name"], block["input"]))
        elif block["type"] == "tool_result":
            found.results.append((block["tool_use_id"], texts(block.get("content"))))


def _item(item: Object, found: Core) -> None:
    kind = item.get("type", "message")
    if kind == "message":
        _said(item, found)
    elif kind in ("function_call", "custom_tool_call"):
        _called(found, item["call_id"], item)
    elif kind in ("function_call_output", "custom_tool_call_output"):
        found.results.append((item["call_id"], texts(item["output"])))


READERS = {CHAT: _chat, ANTHROPIC: _anthropic, RESPONSES: _item}
