"""Tools of /v2/chat, the choice among them, and their calls."""

from __future__ import annotations

from proxai_ir.ir import request as ir
from proxai_ir.ir import tools
from proxai_ir.ir.parts import FunctionCall
from proxai_ir.wire import cohere_v2_chat as wire

from .._lib.objects import ObjectReader, UnionReader
from .._lib.reading import Object, keep, pick, required


def _arguments(function: Object, key: str) -> str:
    return str(function[key])


_CALL = ObjectReader(wire.CALL, {"function/arguments": _arguments})


def call(found: Object) -> FunctionCall:
    """A call, which may have no arguments."""
    made: FunctionCall = _CALL.read(found)
    made.arguments = made.arguments or ""
    return made


TOOLS = UnionReader(wire.TOOLS, other=lambda tool: tools.UnknownTool(str(tool["type"]), tool, tool))


def read_tools(request: ir.Request, payload: Object) -> None:
    request.tools = TOOLS.each(required(payload, "tools", list))


def read_choice(request: ir.Request, payload: Object) -> None:
    mode = pick(wire.CHOICES, payload, "tool_choice")
    if mode is None:
        keep(request, "tool_choice", payload["tool_choice"])
    else:
        request.tool_choice = tools.Choice(mode, src=(payload, "tool_choice"))
