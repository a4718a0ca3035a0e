"""The format of chunks: what a part adds to the delta of a choice when it begins and when it grows (STR-7)."""

from __future__ import annotations

from typing import Any

from proxai_ir.ir import parts

from .._lib.writing import Object, dumps
from .parts import sign

MEMBER: dict[type, str] = {parts.Text: "content", parts.Reasoning: "reasoning_content", parts.Refusal: "refusal"}
"""The member of a delta that a part's text is in."""


def chunk(head: Object, delta: Object, finish_reason: str | None = None) -> Object:
    """A chunk of the only choice; `head` is the envelope that all chunks repeat."""
    return {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}]}


def call_start(call: parts.FunctionCall | parts.CustomCall, index: int) -> Object:
    """The first fragment of a call; `index` counts the calls of the choice."""
    start: Object
    if isinstance(call, parts.CustomCall):
        inner = {"name": call.name, "input": call.input}
        start = {"index": index, "id": call.id, "type": "custom", "custom": inner}
    else:
        text = call.arguments if type(call.arguments) is str else dumps(call.arguments, (call, "arguments"))
        start = {"index": index, "id": call.id, "type": "function", "function": {"name": call.name, "arguments": text}}
    return start if call.seal is None else sign(start, call.seal)


def call_growth(call: Any, index: int, text: str) -> Object:
    """A further fragment of a call."""
    if type(call) is parts.CustomCall:
        return {"index": index, "custom": {"input": text}}
    return {"index": index, "function": {"arguments": text}}
