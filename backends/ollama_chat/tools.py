"""Tools of the IR as those of `/api/chat`."""

from __future__ import annotations

from collections.abc import Sequence

from proxai_ir.ir.tools import Tool, UnknownTool
from proxai_ir.wire import ollama_chat as wire

from .._lib.objects import UnionWriter
from .._lib.writing import Object

TOOLS = UnionWriter(wire.TOOLS, {UnknownTool: lambda tool: tool.raw})


def raise_tools(tools: Sequence[Tool] | None) -> list[Object] | None:
    return [TOOLS.write(tool) for tool in tools or ()] or None
