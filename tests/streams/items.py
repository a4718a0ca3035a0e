"""Generated streams of Responses: a generated answer, told event by event as servers tell it, item after item."""

from __future__ import annotations

from copy import deepcopy

from hypothesis import strategies as st

from ..properties import items
from .wire import Events, Object

ENDS = {"completed": "response.completed", "incomplete": "response.incomplete", "failed": "response.failed"}
PART = {  # kind: its events, the member that grows, and the index that addresses it
    "output_text": ("response.output_text", "text", "content_index"),
    "refusal": ("response.refusal", "refusal", "content_index"),
    "reasoning_text": ("response.reasoning_text", "text", "content_index"),
    "summary_text": ("response.reasoning_summary_text", "text", "summary_index"),
}
CALL = {
    "function_call": ("response.function_call_arguments", "arguments"),
    "custom_tool_call": ("response.custom_tool_call_input", "input"),
    "mcp_call": ("response.mcp_call_arguments", "arguments"),
}
ADDED = {"content_index": "response.content_part", "summary_index": "response.reasoning_summary_part"}


@st.composite
def cut(draw: st.DrawFn, text: str) -> list[str]:
    """A text in pieces; none at all where only the done event tells it."""
    places = sorted(draw(st.lists(st.integers(0, len(text)), max_size=3)))
    pieces = [text[start:end] for start, end in zip([0, *places], [*places, len(text)], strict=True)]
    return pieces if draw(st.integers(0, 5)) else []


@st.composite
def grown(draw: st.DrawFn, family: str, member: str, where: Object, text: str) -> Events:
    """Deltas of a text, and all of it once more."""
    scores: Object = {"logprobs": []} if family == "response.output_text" else {}
    deltas = [{"type": f"{family}.delta", **where, "delta": piece, **scores} for piece in draw(cut(text))]
    return [*deltas, {"type": f"{family}.done", **where, member: text, **scores}]


@st.composite
def part(draw: st.DrawFn, given: Object, where: Object, number: int) -> Events:
    """A part of a message or a thought; one of another kind is told with its item."""
    if given.get("type") not in PART:
        return []
    family, member, index = PART[given["type"]]
    where = {**where, index: number}
    kept: Object = {"annotations": []} if "annotations" in given else {}
    said: Events = [{"type": f"{ADDED[index]}.added", **where, "part": {"type": given["type"], member: "", **kept}}]
    said += draw(grown(family, member, where, given[member]))
    for position, note in enumerate(given.get("annotations") or ()):
        kind = "response.output_text.annotation.added"
        said.append({"type": kind, **where, "annotation_index": position, "annotation": note})
    return [*said, {"type": f"{ADDED[index]}.done", **where, "part": given}]


@st.composite
def item(draw: st.DrawFn, whole: Object, index: int) -> Events:
    """An item as it begins, all that grows in it, and the whole of it."""
    kind, where = whole.get("type"), {"output_index": index, "item_id": whole.get("id")}
    begun, inner = dict(whole), []
    if kind in CALL:
        family, member = CALL[kind]
        begun[member] = ""
        inner = draw(grown(family, member, where, whole[member]))
    for member in ("summary", "content"):
        if kind in ("message", "reasoning") and isinstance(whole.get(member), list):
            begun[member] = []
            for number, given in enumerate(whole[member]):
                inner += draw(part(given, where, number))
    if kind == "mcp_call":
        begun.pop("output", None)
        begun.pop("error", None)
    if kind == "web_search_call":
        inner = [{"type": f"response.web_search_call.{word}", **where} for word in ("in_progress", "completed")]
    begun.pop("encrypted_content", None)
    return [
        {"type": "response.output_item.added", "output_index": index, "item": begun},
        *inner,
        {"type": "response.output_item.done", "output_index": index, "item": whole},
    ]


def sound(answer: Object) -> bool:
    """Whether an answer is one that a stream can end with: text in messages, and an ending that ends."""
    contents = [one.get("content") for one in answer["output"] if one.get("type") == "message"]
    return answer["status"] in ENDS and all(isinstance(content, list) for content in contents)


@st.composite
def streams(draw: st.DrawFn) -> Events:
    answer = draw(items.answers().filter(sound))
    begun = {**answer, "status": "in_progress", "output": [], "error": None, "incomplete_details": None}
    begun.pop("usage", None)
    events: Events = [
        {"type": "response.created", "response": begun},
        {"type": "response.in_progress", "response": begun},
    ]
    for index, whole in enumerate(answer["output"]):
        events += draw(item({**whole, "id": f"item_{index}"}, index))
    answer["output"] = [event["item"] for event in events if event["type"] == "response.output_item.done"]
    events.append({"type": ENDS[answer["status"]], "response": answer})
    for extra in draw(st.lists(st.sampled_from([{"type": "keepalive"}, {"type": "telemetry", "n": 1}]), max_size=1)):
        events.insert(draw(st.integers(1, len(events) - 1)), extra)
    return deepcopy([{**event, "sequence_number": number} for number, event in enumerate(events)])
