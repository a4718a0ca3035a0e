"""Makes Responses payloads: requests, responses, error bodies, and streams item by item."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..sample import Events, Json
from ..shared import NO_PARAMETERS, user

__all__ = ["user"]


def request(*items: Json, **settings: Any) -> Json:
    return {"model": "gpt", "max_output_tokens": 64, "input": list(items), **settings}


def tool(name: str, **members: Any) -> Json:
    return {"type": "function", "name": name, "parameters": NO_PARAMETERS, "strict": False, **members}


def message(*content: Json, **members: Any) -> Json:
    """What the assistant writes, as an item."""
    return {"type": "message", "role": "assistant", "content": list(content), **members}


def output_text(words: str, *annotations: Json) -> Json:
    return {"type": "output_text", "text": words, "annotations": list(annotations)}


def call(name: str, arguments: str = "{}", call_id: str = "call_1", **members: Any) -> Json:
    return {"type": "function_call", "call_id": call_id, "name": name, "arguments": arguments, **members}


def result(output: Any, call_id: str = "call_1", **members: Any) -> Json:
    return {"type": "function_call_output", "call_id": call_id, "output": output, **members}


def response(*items: Json, status: str = "completed", **members: Any) -> Json:
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1700000000,
        "model": "gpt",
        "output": list(items),
        "status": status,
        **members,
    }


# --- streams ----------------------------------------------------------------------------------------------------------

ENDS = {status: f"response.{status}" for status in ("completed", "incomplete", "failed", "cancelled")}
PARTS = {
    "output_text": ("response.output_text", "text", "content_index"),
    "refusal": ("response.refusal", "refusal", "content_index"),
    "reasoning_text": ("response.reasoning_text", "text", "content_index"),
    "summary_text": ("response.reasoning_summary_text", "text", "summary_index"),
}
"""For each type of part the prefix of its events, the member that grows, and the index that addresses it."""
CALLS = {
    "function_call": ("response.function_call_arguments", "arguments"),
    "custom_tool_call": ("response.custom_tool_call_input", "input"),
    "mcp_call": ("response.mcp_call_arguments", "arguments"),
}
PART_EVENTS = {"content_index": "response.content_part", "summary_index": "response.reasoning_summary_part"}

Cut = Callable[[str], list[str]]
"""Cuts a text into the pieces of its deltas; none where only the done event has the text."""


def halves(text: str) -> list[str]:
    return [text[: len(text) // 2], text[len(text) // 2 :]]


def created(**members: Any) -> Json:
    """The first event."""
    return {"type": "response.created", "response": response(status="in_progress", **members)}


def ended(*items: Json, status: str = "completed", **members: Any) -> Json:
    """The terminal event."""
    return {"type": ENDS[status], "response": response(*items, status=status, **members)}


def added(item: Json, index: int = 0) -> Json:
    return {"type": "response.output_item.added", "output_index": index, "item": item}


def done(item: Json, index: int = 0) -> Json:
    return {"type": "response.output_item.done", "output_index": index, "item": item}


def grown(family: str, member: str, where: Json, text: str, cut: Cut = halves) -> Events:
    """The deltas of a text, and all of it once more."""
    scores: Json = {"logprobs": []} if family == "response.output_text" else {}
    deltas = [{"type": f"{family}.delta", **where, "delta": piece, **scores} for piece in cut(text)]
    return [*deltas, {"type": f"{family}.done", **where, member: text, **scores}]


def part_events(part: Json, where: Json, number: int, cut: Cut = halves) -> Events:
    """A part of a message or of reasoning; one of another type comes with its item only."""
    if part.get("type") not in PARTS:
        return []
    family, member, index = PARTS[part["type"]]
    where = {**where, index: number}
    notes: Json = {"annotations": []} if "annotations" in part else {}
    empty = {"type": part["type"], member: "", **notes}
    return [
        {"type": f"{PART_EVENTS[index]}.added", **where, "part": empty},
        *grown(family, member, where, part[member], cut),
        *(
            {"type": f"{family}.annotation.added", **where, "annotation_index": position, "annotation": note}
            for position, note in enumerate(part.get("annotations") or ())
        ),
        {"type": f"{PART_EVENTS[index]}.done", **where, "part": part},
    ]


def item_events(item: Json, index: int, cut: Cut = halves) -> Events:
    """An item as it begins, all that grows in it, and the whole of it."""
    kind, where = item.get("type"), {"output_index": index, "item_id": item.get("id")}
    begun = {key: value for key, value in item.items() if key != "encrypted_content"}
    inner: Events = []
    if kind in CALLS:
        family, member = CALLS[kind]
        begun[member] = ""
        inner = grown(family, member, where, item[member], cut)
    for member in ("summary", "content"):
        if kind in ("message", "reasoning") and isinstance(item.get(member), list):
            begun[member] = []
            for number, part in enumerate(item[member]):
                inner += part_events(part, where, number, cut)
    if kind == "mcp_call":
        begun = {key: value for key, value in begun.items() if key not in ("output", "error")}
    if kind == "web_search_call":
        inner = [{"type": f"response.web_search_call.{phase}", **where} for phase in ("in_progress", "completed")]
    return [added(begun, index), *inner, done(item, index)]


def stream(whole: Json, cut: Cut = halves) -> Events:
    """The whole stream of a response, item after item."""
    reset: Json = {"status": "in_progress", "output": [], "error": None, "incomplete_details": None}
    begun = {key: value for key, value in {**whole, **reset}.items() if key != "usage"}
    events: Events = [{"type": f"response.{phase}", "response": begun} for phase in ("created", "in_progress")]
    for index, item in enumerate(whole["output"]):
        events += item_events(item, index, cut)
    return in_sequence([*events, {"type": ENDS[whole["status"]], "response": whole}])


def in_sequence(events: Events) -> Events:
    return [{**event, "sequence_number": number} for number, event in enumerate(events)]
