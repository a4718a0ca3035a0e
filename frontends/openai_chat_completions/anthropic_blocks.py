"""Anthropic's blocks, tools and tool choices in a Chat Completions payload, which Cursor sends to any server.

They are read as in Anthropic Messages, in place; their members are reported like any others.
"""

from __future__ import annotations

from typing import Any

from proxai_ir import ir
from proxai_ir.ir.envelope import read_seal
from proxai_ir.wire import openai_chat_completions as wire

from .._lib.reading import Json, Object, extra_fields, optional, required

CALL_KEYS = frozenset({"type", "id", "name", "input"})
RESULT_KEYS = frozenset({"type", "tool_use_id", "content", "is_error"})


def read_call(block: Object) -> ir.Part:
    given = block.get("input")
    arguments = given if isinstance(given, str) else required(block, "input", dict)
    identity, name = required(block, "id", str), required(block, "name", str)
    return ir.FunctionCall(identity, name, arguments, None, block, extra_fields(block, CALL_KEYS))


def read_result(block: Object, parts: list[ir.Part]) -> ir.Part:
    """`parts`: what its content is read as."""
    result = ir.ToolResult(required(block, "tool_use_id", str), parts, optional(block, "is_error", bool), None, block)
    result.extra = extra_fields(block, RESULT_KEYS)
    return result


def read_thinking(block: Object) -> ir.Part:
    signature = optional(block, "signature", str)
    seal = read_seal(signature, wire.ANTHROPIC, "signature") if signature else None
    return ir.Reasoning(block["thinking"], seal, block, extra_fields(block, {"type", "thinking", "signature"}))


def read_redacted(block: Object) -> ir.Part:
    seal = read_seal(required(block, "data", str), wire.ANTHROPIC, "redacted")
    return ir.Reasoning(None, seal, block, extra_fields(block, {"type", "data"}))


def read_image(block: Object) -> ir.Part:
    source = required(block, "source", dict)
    found: ir.Source
    if source.get("type") == "base64":
        found, known = ir.Inline(required(source, "data", str), optional(source, "media_type", str), source), INLINE
    elif source.get("type") == "url":
        found, known = ir.Url(required(source, "url", str), source), LINKED
    else:
        return ir.UnknownPart("image", block, block)
    inner = extra_fields(source, known)
    return ir.Image(found, None, None, block, extra_fields(block, {"type", "source"}, nested={"source": inner}))


INLINE, LINKED = frozenset({"type", "data", "media_type"}), frozenset({"type", "url"})

# --- tools ------------------------------------------------------------------------------------------------------------

CHOICES = {"auto": ir.ChoiceMode.AUTO, "any": ir.ChoiceMode.REQUIRED, "none": ir.ChoiceMode.NONE}


def read_choice(choice: Object, kind: Json) -> ir.ToolChoice | None:
    """None for a choice that is not Anthropic's."""
    if kind == "tool":
        return ir.NamedChoice(required(choice, "name", str), choice, _rest(choice, {"type", "name"}))
    mode = CHOICES.get(kind) if isinstance(kind, str) else None
    return None if mode is None else ir.Choice(mode, choice, _rest(choice, {"type"}))


PARALLEL = "disable_parallel_tool_use"


def _rest(choice: Object, known: set[str]) -> Any:
    return extra_fields(choice, known | ({PARALLEL} if type(choice.get(PARALLEL)) is bool else set()))
