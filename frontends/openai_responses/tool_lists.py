"""Where Responses lists tools: in the request, in namespaces, and in items of the conversation (TUL-25)."""

from __future__ import annotations

from proxai_ir.ir import parts
from proxai_ir.ir import tools as ir
from proxai_ir.ir.request import Request
from proxai_ir.wire import openai_responses as wire

from .._lib.reading import Json, Object, each_object, optional, required
from .tools import read_tool


def read_tools(listed: list[Json]) -> list[ir.Tool]:
    """A list of tools, those of a namespace behind it."""
    found: list[ir.Tool] = each_object(listed, read_tool)
    for tool in found:
        if type(tool) is ir.ToolGroup:
            return [one for tool in found for one in (tool, *_members(tool))]
    return found


def _members(tool: ir.Tool) -> list[ir.Tool]:
    """The tools of a namespace; the description that they share stands before that of the first (TUL-25)."""
    if type(tool) is not ir.ToolGroup:
        return []
    name, inner = required(tool.raw, "name", str), required(tool.raw, "tools", list)
    members = each_object(inner, _member)
    named = [one for one in members if isinstance(one, (ir.FunctionTool, ir.CustomTool))]
    for one in named:
        one.namespace = name
    shared = optional(tool.raw, "description", str)
    if shared and named:
        named[0].description = "\n\n".join(text for text in (shared, named[0].description) if text)
    return members


def _member(tool: Object) -> ir.Tool:
    """A tool of a namespace, which holds no other namespace."""
    made = read_tool(tool)
    return ir.UnknownTool(made.kind, made.raw, made.raw) if type(made) is ir.ToolGroup else made


def define_late(request: Request) -> None:
    """The tools that items of the conversation define are tools of the request.

    An item that does nothing else leaves the conversation.
    """
    turns, kept = request.turns or [], []
    late: list[ir.Tool] = []
    for turn in turns:
        item: Json = turn.src if turn.parts and type(turn.parts[0]) in RETURNED else {}
        kind = item.get("type")
        if kind not in wire.LISTINGS:
            kept.append(turn)
            continue
        if kind == wire.ADDITIONAL_TOOLS:
            late.append(ir.ToolGroup(kind, item, len(kept), item))
        else:
            kept.append(turn)
        late += read_tools(required(item, "tools", list))
    if late:
        request.turns = kept
        request.tools = request.tools or []
        plain = {tool.name for tool in request.tools if isinstance(tool, NAMED) and tool.namespace is None}
        for tool in late:
            if isinstance(tool, NAMED) and tool.namespace == tool.name and tool.name in plain:
                tool.namespace = None  # which a search puts what it found alone into
            request.tools.append(tool)


NAMED = (ir.FunctionTool, ir.CustomTool)
RETURNED = (parts.HostedResult, parts.ClientResult)
