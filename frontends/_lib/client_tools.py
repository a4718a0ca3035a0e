"""Reads tools that the client runs in a form of their vendor's own, which more than one protocol defines (TUL-34)."""

from __future__ import annotations

from proxai_ir import ir
from proxai_ir.ir.node import Cache
from proxai_ir.schemas import client_tools

from .reading import Object, extra_fields, optional, required

KEYS = frozenset({"type", "name", "cache_control", "display_width_px", "display_height_px", "strict"})


def typed_tool(tool: Object, kind: str, cache: Cache | None = None) -> ir.ClientTool:
    """Return a tool of a type that is known, with the function that it is elsewhere; its calls and results are those of
    functions."""
    form = client_tools.ANTHROPIC[kind]
    description = form.description
    if "display_width_px" in tool:
        description += f" The screen has {tool['display_width_px']} x {tool.get('display_height_px')} pixels."
    strict = optional(tool, "strict", bool)
    function = ir.FunctionTool(required(tool, "name", str), description, form.schema(), strict, cache, tool)
    function.extra = extra_fields(tool, KEYS)
    return ir.ClientTool(kind, tool, function, None, tool)
