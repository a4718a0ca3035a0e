"""What requests, responses and streams have in common, out of the IR: canonical objects, then what the source had.

Rule: an object is written from the legal node alone; what only this protocol's own source had is put back where the
node has `extra`, which nodes of other protocols have lost by now.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxai_ir.authoring import arguments, merge, put, whole
from proxai_ir.ir import parts, response
from proxai_ir.ir.error import Error
from proxai_ir.ir.node import Extra
from proxai_ir.ir.terminal import StopReason, Terminal
from proxai_ir.ir.turns import Role, Turn
from proxai_ir.ir.usage import Usage

from . import wire

Object = dict[str, Any]
Options = Mapping[str, Any]


def restored(built: Object, extra: Extra) -> Object:
    """With the members that only this protocol has."""
    return merge(built, extra.fields) if extra.fields else built


# --- messages ---------------------------------------------------------------------------------------------------------

ROLE = {Role.SYSTEM: "system", Role.DEVELOPER: "system", Role.USER: "user", Role.ASSISTANT: "assistant"}


def message(turn: Turn) -> Object:
    if turn.role is Role.TOOL:
        return result(turn)
    built: Object = {
        "role": ROLE[turn.role],
        "content": joined(turn.parts, "" if turn.role is Role.ASSISTANT else "\n"),
    }
    thinking = "".join(part.text or "" for part in turn.parts if isinstance(part, parts.Reasoning))
    images = [
        part.source.data for part in turn.parts if isinstance(part, parts.Image) and type(part.source) is parts.Inline
    ]
    calls = [call(part) for part in turn.parts if isinstance(part, parts.FunctionCall)]
    put(built, thinking=thinking or None, images=images or None, tool_calls=calls or None)
    if turn.extra is None:
        return built
    if "no content" in turn.extra.wire_forms:
        del built["content"]
    if "no thinking" in turn.extra.wire_forms:
        built["thinking"] = ""
    return restored(built, turn.extra)


def joined(listed: list[parts.Part], separator: str) -> str:
    return separator.join(part.text for part in listed if isinstance(part, parts.Text))


def result(turn: Turn) -> Object:
    (part,) = turn.parts
    assert isinstance(part, parts.ToolResult)
    built = put({"role": "tool"}, content=joined(part.parts, "\n"), tool_name=part.name)
    if part.extra is not None:
        if "name" in part.extra.wire_forms:
            built["name"] = built.pop("tool_name")
        if "id" in part.extra.wire_forms:
            built["tool_call_id"] = part.call_id
    return built if turn.extra is None else restored(built, turn.extra)


def call(part: parts.FunctionCall) -> Object:
    function: Object = {"name": part.name, "arguments": arguments(part.arguments, (part, "arguments"))}
    built: Object = {"function": function}
    if part.extra is None:
        return built
    if "no arguments" in part.extra.wire_forms:
        del function["arguments"]
    if "id" in part.extra.wire_forms:
        built = {"id": part.id, **built}
    return restored(built, part.extra)


# --- responses --------------------------------------------------------------------------------------------------------


def envelope(node: response.Response, options: Options) -> Object:
    model = node.model if node.model is not None else options.get("model")
    return put({}, model=model, created_at=None if node.created is None else wire.time_of(node.created))


def ending(terminal: Terminal) -> Object:
    if terminal.reason is StopReason.UNFINISHED:
        return put({"done": False}, done_reason=terminal.raw)
    built: Object = {"done": True, "done_reason": wire.WORD[terminal.reason]}
    if terminal.extra is None:
        return built
    if "no word" in terminal.extra.wire_forms:
        del built["done_reason"]
    return restored(built, terminal.extra)


def counts(usage: Usage) -> Object:
    into = None if usage.input is None else usage.all_input
    return put({}, prompt_eval_count=into, eval_count=None if usage.output is None else usage.all_output)


def error(node: Error) -> Any:
    if node.verbatim:
        return whole(node)
    built: Object = {"error": node.message}
    return built if node.extra is None else restored(built, node.extra)
