"""Reasoning items of Responses: summaries, texts, and the seal over them (RSN-4)."""

from __future__ import annotations

from typing import Any

from proxai_ir.ir import parts as ir
from proxai_ir.ir.envelope import read_seal
from proxai_ir.ir.node import Extra
from proxai_ir.ir.turns import Role, Turn
from proxai_ir.wire import openai as openai
from proxai_ir.wire import openai_responses as wire

from .._lib.reading import Object, an_object, constant, each, kept, optional, required

THOUGHT_KEYS = frozenset({"type", "summary", "content", "encrypted_content"})


def reasoning(item: Object) -> Turn:
    """Summaries first, then texts, the seal over them with the last; no part at all: its maker keeps it (RSN-4)."""
    summary = optional(item, "summary", list)
    content = optional(item, "content", list)
    sealed = optional(item, "encrypted_content", str)
    parts: list[ir.Reasoning] = [
        *each(range(len(summary or ())), lambda index: _thought(summary, index, "summary_text")),
        *each(range(len(content or ())), lambda index: _thought(content, index, "reasoning_text")),
    ]
    if not parts:
        parts = [ir.Reasoning(None, None, item)]
    parts[-1].src = item  # a finding about the last is one about the item
    if sealed is not None:
        seal = parts[-1].seal = read_seal(sealed, openai.PROVIDER, wire.ENCRYPTED)
        if seal.provider == openai.PROVIDER:
            seal.id = optional(item, "id", str)
    return Turn(Role.ASSISTANT, [*parts], None, item, kept(item, THOUGHT_KEYS))


def _thought(listed: Any, index: int, kind: str) -> ir.Reasoning:
    part = an_object(listed, index)
    constant(part, "type", kind)
    text = required(part, "text", str)
    if kind == "summary_text":
        return ir.Reasoning(text, None, part, kept(part, {"type", "text"}), True)
    return ir.Reasoning(text, None, part, kept(part, {"text"}) or Extra({"type": kind}))  # else a summary
