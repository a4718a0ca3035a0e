"""The tools of a request of `/api/chat`."""

from __future__ import annotations

from proxai_ir.ir.request import Request
from proxai_ir.ir.tools import UnknownTool
from proxai_ir.wire import ollama_chat as wire

from .._lib.objects import UnionReader
from .._lib.reading import Object, required

TOOLS = UnionReader(wire.TOOLS, other=lambda tool: UnknownTool(str(tool["type"]), tool, tool))


def read_tools(found: Request, payload: Object) -> None:
    found.tools = TOOLS.each(required(payload, "tools", list))
