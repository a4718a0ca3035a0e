"""What requests, responses and streams have in common, out of the IR.

Rule: canonical objects; members without an IR field are in `extra`, which nodes of other protocols have lost by now.
"""

from __future__ import annotations

from typing import Any

from proxai_ir.authoring import Server, arguments, put, whole, with_extra
from proxai_ir.ir import parts, response
from proxai_ir.ir.error import Error
from proxai_ir.ir.terminal import StopReason, Terminal
from proxai_ir.ir.turns import Role, Turn
from proxai_ir.ir.usage import Usage

from . import wire

Object = dict[str, Any]

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
    return with_extra(built, turn)


def joined(listed: list[parts.Part], separator: str) -> str:
    return separator.join(part.text for part in listed if isinstance(part, parts.Text))


def result(turn: Turn) -> Object:
    (part,) = turn.parts
    assert isinstance(part, parts.ToolResult)
    return with_extra(put({"role": "tool"}, content=joined(part.parts, "\n"), tool_name=part.name), turn)


def call(part: parts.FunctionCall) -> Object:
    function: Object = {"name": part.name, "arguments": arguments(part.arguments, (part, "arguments"))}
    return with_extra({"function": function}, part)


# --- responses --------------------------------------------------------------------------------------------------------


def envelope(node: response.Response, server: Server) -> Object:
    model = node.model if node.model is not None else server.model
    return put({}, model=model, created_at=None if node.created is None else wire.time_of(node.created))


def ending(terminal: Terminal) -> Object:
    if terminal.reason is StopReason.UNFINISHED:
        return put({"done": False}, done_reason=terminal.raw)
    return with_extra({"done": True, "done_reason": wire.WORD[terminal.reason]}, terminal)


def counts(usage: Usage) -> Object:
    into = None if usage.input is None else usage.all_input
    return put({}, prompt_eval_count=into, eval_count=None if usage.output is None else usage.all_output)


def error(node: Error) -> Any:
    return whole(node) if node.verbatim else with_extra({"error": node.message}, node)
