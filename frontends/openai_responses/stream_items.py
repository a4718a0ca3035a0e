"""What the items of a Responses stream are made of: their parts, as events name them.

Rule: no state; `stream_repeats` holds what a stream has sent so far.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from proxai_ir.ir import parts
from proxai_ir.ir.node import Extra
from proxai_ir.ir.stream import events
from proxai_ir.ir.turns import Turn
from proxai_ir.wire import openai_responses as wire

from .._lib.reading import Object, extra_fields, optional
from .parts import WRITTEN, kind_of

EVENT_KEYS = frozenset(
    """
    type sequence_number item_id output_index content_index summary_index annotation_index item part delta text refusal
    arguments input name code logprobs obfuscation annotation response message param error partial_image_b64
    partial_image_index background output_format quality size
    """.split()
)
DELTA_KEYS = frozenset(
    "type sequence_number item_id output_index content_index summary_index delta logprobs obfuscation agent".split()
)
THOUGHTS = {wire.FAMILY_OF[kind]: kind for kind in ("summary_text", "reasoning_text")}


def numbered(turn: Turn) -> Iterator[tuple[Any, str, int]]:
    """The parts of an item, each with its family of events and its position; thoughts stand in two lists."""
    summaries = 0
    for position, part in enumerate(turn.parts):
        kind = kind_of(part)
        yield part, wire.FAMILY_OF.get(kind, kind), position if kind != "reasoning_text" else position - summaries
        summaries += kind == "summary_text"


Called = tuple[Any, ...]
"""What is called and by what id; empty where a part is no call."""


def called(part: parts.Part) -> Called:
    if isinstance(part, parts.CALLS):
        return (part.namespace, part.name), part.id
    return ((part.server, part.name), None) if isinstance(part, parts.McpCall) else ()


def contradicted(before: Called, part: parts.Part, item: Object) -> list[events.Event]:
    """A call whose name or id was another when it began, which is the one that was emitted (STR-16)."""
    now = called(part)
    differ = [key for key, was, is_now in zip(("name", "call_id"), before, now, strict=False) if was != is_now]
    fields = {key: item.get(key) for key in differ}
    return [events.UnmappedFields("Contradicted", Extra(fields), src=item)] if fields else []


def as_begun(before: Called, part: parts.Part) -> Object:
    """What a call was called when it began, as members of its item."""
    (namespace, name), identity = before
    if not isinstance(part, parts.CALLS):
        return {"server_label": namespace, "name": name}
    return {"name": name, "call_id": identity} | ({} if namespace is None else {"namespace": namespace})


def member_of(family: str, item: Object) -> str:
    """The member of an item that holds the text of a part, as far as one does."""
    member = wire.FAMILIES[family][0] if family in wire.FAMILIES else "type"
    return member if member in item else "type"


def begun(kind: str, given: Object) -> parts.Part:
    """A content part or a piece of reasoning, as it begins."""
    if kind in ("summary_text", "reasoning_text"):
        summary = True if kind == "summary_text" else None
        unknown = extra_fields(given, {"type", "text"})
        return parts.Reasoning(optional(given, "text", str) or "", None, given, unknown, summary)
    part: parts.Part = WRITTEN.read(given)
    return part
