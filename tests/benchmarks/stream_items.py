"""Owns the events of Responses streams for `stream_payloads`: items, their parts, and all that is said again.

What an item's last events repeat is kept while the stream is made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from .transcript import Json

ID = "resp_00000000000000000042"
TEXT, THINKING, ARGUMENTS = "text", "thinking", "arguments"
ITEMS: dict[str, Json] = {
    TEXT: {"id": "msg_42", "type": "message", "role": "assistant", "status": "in_progress", "content": []},
    THINKING: {"id": "rs_42", "type": "reasoning", "summary": []},
    ARGUMENTS: {
        "id": "fc_42",
        "type": "function_call",
        "call_id": "call_000000000000000000000042",
        "name": "apply_file_2",
        "arguments": "",
        "status": "in_progress",
    },
}
PARTS: dict[str, Json] = {
    TEXT: {"type": "output_text", "annotations": [], "logprobs": [], "text": ""},
    THINKING: {"type": "summary_text", "text": ""},
}
FAMILIES = {
    TEXT: ("response.output_text", "response.content_part", "content_index", "text"),
    THINKING: ("response.reasoning_summary_text", "response.reasoning_summary_part", "summary_index", "text"),
    ARGUMENTS: ("response.function_call_arguments", "", "", "arguments"),
}


def items_events(pieces: Iterable[tuple[str, Iterable[str]]]) -> Iterator[Json]:
    """A stream of Responses events, numbered from 0."""
    for number, event in enumerate(_events(pieces)):
        event["sequence_number"] = number
        yield event


def _events(pieces: Iterable[tuple[str, Iterable[str]]]) -> Iterator[Json]:
    yield {"type": "response.created", "response": _answer("in_progress")}
    yield {"type": "response.in_progress", "response": _answer("in_progress")}
    output: list[Json] = []
    for index, (kind, texts) in enumerate(pieces):
        yield from _item(index, kind, texts, output)
    yield {"type": "response.completed", "response": {**_answer("completed"), "output": output, "usage": USAGE}}


def _item(index: int, kind: str, texts: Iterable[str], output: list[Json]) -> Iterator[Json]:
    family, part_events, address, member = FAMILIES[kind]
    item = {**ITEMS[kind], "id": f"{ITEMS[kind]['id']}_{index}"}
    where: Json = {"item_id": item["id"], "output_index": index} | ({address: 0} if address else {})
    yield {"type": "response.output_item.added", "output_index": index, "item": {**item}}
    if address:
        yield {"type": f"{part_events}.added", **where, "part": {**PARTS[kind]}}
    said: list[str] = []
    extra: Json = {"logprobs": []} if kind == TEXT else {}
    for text in texts:
        said.append(text)
        yield {"type": f"{family}.delta", **where, "delta": text, **extra, "obfuscation": "Xq7LbT0mWc4v"}
    whole = "".join(said)
    yield {"type": f"{family}.done", **where, member: whole, **extra}
    if address:
        part = {**PARTS[kind], "text": whole}
        yield {"type": f"{part_events}.done", **where, "part": part}
        item["content" if kind == TEXT else "summary"] = [part]
    else:
        item["arguments"] = whole
    if "status" in item:
        item["status"] = "completed"
    output.append(item)
    yield {"type": "response.output_item.done", "output_index": index, "item": item}


USAGE: Json = {
    "input_tokens": 10_420,
    "input_tokens_details": {"cached_tokens": 9_216},
    "output_tokens": 5_310,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 15_730,
}


def _answer(status: str) -> dict[str, Any]:
    return {
        "id": ID,
        "object": "response",
        "created_at": 1_760_000_000,
        "status": status,
        "error": None,
        "incomplete_details": None,
        "model": "gpt-5",
        "output": [],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": None,
    }
