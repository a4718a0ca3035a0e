"""Items of Responses that are no messages: reasoning, runs of code, and calls that the server ran itself."""

from __future__ import annotations

from typing import Any

from proxai_ir.ir import parts as ir
from proxai_ir.ir import tools
from proxai_ir.ir.calls import PYTHON
from proxai_ir.ir.envelope import read_seal
from proxai_ir.ir.node import Extra
from proxai_ir.ir.turns import ASSISTANT, Role, Turn
from proxai_ir.wire import openai as openai
from proxai_ir.wire import openai_responses as wire

from .._lib.reading import Json, Object, an_object, constant, each, kept, optional, required

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


def code_tool(tool: Object) -> tools.Tool:
    """The tool; its container is the source's own (HST-1)."""
    return tools.CodeTool(wire.CODE_TOOL, None, tool, kept(tool, {"type"}))


RUN_KEYS = frozenset({"type", "id", "code", "outputs"})


def code_run(item: Object) -> Turn:
    """A run with what it wrote, where the item has that: it does only if the request includes it."""
    identity, code = required(item, "id", str), optional(item, "code", str)
    outputs = optional(item, "outputs", list)
    call = ir.CodeCall(identity, code or "", PYTHON, None, item)
    found: list[ir.Part] = [call]
    own = {"container_id", "status"} if item.get("status") == wire.FAILED else {"container_id"}
    call.extra = kept(item, item.keys() - own)
    if outputs is not None:
        logs = [one["logs"] for one in outputs if wire.is_log(one)]
        result = ir.CodeResult(identity, PYTHON, "".join(logs), None, None, None, None, item)
        if [*map(_log, filter(None, logs[:1]))] != outputs:
            result.extra = kept({"outputs": outputs}, frozenset())
        found.append(result)
    return Turn(ASSISTANT, found, None, item, kept(item, RUN_KEYS | own))


def _log(text: str) -> Object:
    return {"type": "logs", "logs": text}


CLIENT_TOOLS = ("function", "custom", "namespace")
CUSTOM_CALL = "custom_tool_call"


def custom_tools(tools: Json) -> frozenset[str] | None:
    """The names of the client's custom tools among those that a response repeats; None: whose a call is cannot be seen.

    It can where there is a tool of the server's that may have made the call, and no group that may hold others.
    """
    listed = [tool for tool in tools if isinstance(tool, dict)] if isinstance(tools, list) else []
    kinds = [tool.get("type") for tool in listed]
    if "namespace" in kinds or all(kind in CLIENT_TOOLS for kind in kinds):
        return None
    names = (tool.get("name") for tool in listed if tool.get("type") == "custom")
    return frozenset(name for name in names if isinstance(name, str))


def as_run(turn: Turn, customs: frozenset[str] | None) -> Turn:
    """The turn of an item; where that is a call that the server ran, there is nothing for the client to run (TUL-6):
    xAI reports the steps of its own searches as calls of custom tools. In doubt a call is the client's."""
    call = turn.parts[0] if turn.parts else None
    if customs is None or type(call) is not ir.CustomCall or call.name in customs or not isinstance(turn.src, dict):
        return turn
    return Turn(turn.role, [ir.HostedCall(CUSTOM_CALL, call.id, turn.src, turn.src)], None, turn.src)
