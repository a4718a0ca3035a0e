"""Tools of Responses: definitions, where these are listed, and the choice among them (TUL-6)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from proxai_ir import ir
from proxai_ir.ir.request import Request
from proxai_ir.schemas.strict import closed
from proxai_ir.wire import openai as openai
from proxai_ir.wire import openai_responses as wire
from proxai_ir.wire import openai_responses_objects as objects

from .._lib.objects import ObjectReader, UnionReader
from .._lib.reading import Json, Object, an_object, each_object, kept, optional, pick, required, tag
from .._lib.schemas import json_schema
from .client_tools import read_client_tool


def read_tool(tool: Object) -> ir.Tool:
    kind = tag(tool)
    read = TOOLS.get(kind)
    if read is not None:
        return read(tool)  # type: ignore[no-any-return]
    if kind == wire.NAMESPACE:
        return ir.ToolGroup(kind, tool, None, tool)
    if (client := read_client_tool(tool, kind)) is not None:
        return client
    if kind in wire.HOSTED_TOOLS:
        return ir.HostedTool(kind, optional(tool, "name", str), tool, tool)
    return ir.UnknownTool(kind, tool, tool)


FUNCTIONS = ObjectReader(objects.TOOLS["function"])


def _function(tool: Object) -> ir.Tool:
    made: ir.FunctionTool = FUNCTIONS.read(tool)
    if made.parameters:
        made.parameters = json_schema(made.parameters)
    if made.strict is None and made.parameters and closed(made.parameters):
        made.strict = True  # the default, where it is possible
    return made


def _format(tool: Object, key: str) -> ir.InputFormat:
    form = tool[key]
    kind, members = form.get("type"), (form.get("syntax"), form.get("definition"))
    if kind == "text" or (kind == "grammar" and all(isinstance(one, str) for one in members)):
        found: ir.InputFormat = INPUT_FORMATS.read(form)
        return found
    return ir.UnknownFormat(kind if isinstance(kind, str) else "", form, form)


INPUT_FORMATS = UnionReader(objects.INPUT_FORMATS)


def _web_search(tool: Object) -> ir.Tool:
    """An empty list of domains allows all."""
    made: ir.WebSearchTool = WEB_SEARCH.read(tool)
    made.allowed_domains = made.allowed_domains or None
    return made


WEB_SEARCH = ObjectReader(objects.TOOLS["web_search"])
SERVED_ELSEWHERE = ("connector_id", "tunnel_id")


def _mcp_server(tool: Object) -> ir.Tool:
    """A server whose tools are called without approval; one that needs approval, or has no URL, is a hosted tool."""
    allowed = _allowed_tools(tool)
    if (
        any(tool.get(key) is not None for key in SERVED_ELSEWHERE)
        or not isinstance(tool.get("server_url"), str)
        or tool.get("require_approval") != wire.UNATTENDED
        or not (allowed is None or (isinstance(allowed, list) and all(isinstance(name, str) for name in allowed)))
    ):
        return ir.HostedTool(wire.MCP_TOOL, optional(tool, "name", str), tool, tool)
    return SERVERS.read(tool)  # type: ignore[no-any-return]


def _allowed_tools(tool: Object, key: str = "allowed_tools") -> Json:
    """The names of those that may be called, None for all; of a filter, unless it has further conditions."""
    found: Json = tool.get(key)
    if isinstance(found, dict):
        return found["tool_names"] if kept(found, {"tool_names"}) is None and found.get("tool_names") else {}
    return found


SERVERS = ObjectReader(objects.TOOLS["mcp"], {"allowed_tools": _allowed_tools})


def _code(tool: Object) -> ir.Tool:
    """The tool; its container is the source's own (HST-1)."""
    return ir.CodeTool(wire.CODE_TOOL, None, tool, kept(tool, {"type"}))


TOOLS: dict[str, Callable[[Object], Any]] = {
    "function": _function,
    "custom": ObjectReader(objects.TOOLS["custom"], {"format": _format}),
    wire.MCP_TOOL: _mcp_server,
    wire.CODE_TOOL: _code,
    **dict.fromkeys(wire.WEB_SEARCH_TOOLS, _web_search),
}


# --- the choice -------------------------------------------------------------------------------------------------------


def read_choice(holder: Object, key: str) -> ir.ToolChoice | None:
    """`tool_choice`; None where the value is not known."""
    value = holder[key]
    if isinstance(value, str):
        mode = pick(openai.CHOICE, holder, key)
        return None if mode is None else ir.Choice(mode, (holder, key))
    choice = an_object(holder, key)
    kind = tag(choice)
    if kind in wire.WEB_SEARCH_TOOLS:
        return ir.WebSearchChoice(choice, kept(choice, frozenset()))
    if kind == wire.CODE_TOOL:
        return ir.CodeChoice(choice, kept(choice, {"type"}))
    if kind in wire.HOSTED_CHOICES:
        return ir.HostedChoice(kind, choice, choice)
    read = CHOICES.get(kind)
    return None if read is None else read(choice)


def _allowed(choice: Object) -> ir.ToolChoice | None:
    mode = pick({"auto": ir.ChoiceMode.AUTO, "required": ir.ChoiceMode.REQUIRED}, choice, "mode")
    if mode is None:
        return None
    listed = required(choice, "tools", list)
    entries = [an_object(listed, index) for index in range(len(listed))]
    names = [(_kind(one), optional(one, wire.named_by(tag(one)), str) or "") for one in entries]
    known = {"type", "mode", "tools"} if listed == [wire.entry(*one) for one in names] else {"type", "mode"}
    return ir.AllowedChoice(mode, names, choice, kept(choice, known))


def _kind(entry: Object) -> str:
    """All versions of web search are one kind of tool."""
    kind = tag(entry)
    return wire.WEB_SEARCH_TOOL if kind in wire.WEB_SEARCH_TOOLS else kind


CHOICES = UnionReader(objects.CHOICES, {"allowed_tools": _allowed}).readers


# --- lists of tools: in the request, in namespaces, and in items of the conversation (TUL-25) -------------------------


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
RETURNED = (ir.HostedResult, ir.ClientResult)
