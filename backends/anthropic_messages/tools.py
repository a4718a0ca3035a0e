"""Tools as Messages defines them, and the choice among them (TUL-2, TUL-7): canonical output, from a legal tree."""

from __future__ import annotations

from proxai_ir import ir
from proxai_ir.ir.parts import ToolChange
from proxai_ir.ir.request import Request
from proxai_ir.wire import anthropic_messages as wire
from proxai_ir.wire import anthropic_messages_values as values

from .._lib.objects import ObjectWriter
from .._lib.writing import Object, put, with_extra
from .parts import BUILD, finish


def put_tools(built: Object, request: Request) -> None:
    """A server stands apart from the tools, and its toolset, which switches its tools on, among them."""
    made: list[Object] = []
    servers: list[Object] = []
    listed = {tool.server for tool in request.tools or () if isinstance(tool, ir.McpToolset)}
    if request.changes:
        changes = [part for turn in request.turns or () for part in turn.parts if type(part) is ToolChange]
        listed |= {change.tool.server for change in changes if isinstance(change.tool, ir.McpToolset)}
    for tool in request.tools or ():
        if isinstance(tool, ir.McpServer):
            servers.append(server := _mcp_server(tool))
            if tool.name not in listed and CONFIGURED not in server:
                made.append(_mcp_toolset(tool))
        else:
            made.append(_definition(tool))
    if made:
        built["tools"] = made
    if servers:
        built["mcp_servers"] = servers


def _definition(tool: ir.Tool) -> Object:
    if isinstance(tool, ir.FunctionTool):
        return FUNCTION_TOOL.write(tool)
    if isinstance(tool, ir.WebSearchTool):
        return {"type": wire.WEB_SEARCH_TOOL, **WEB_SEARCH.write(tool)}
    if isinstance(tool, ir.CodeTool):
        return finish({"type": wire.CODE_TOOL, "name": wire.CODE_NAME}, tool)
    assert isinstance(tool, (ir.McpToolset, ir.ClientTool, ir.HostedTool, ir.UnknownTool))
    return tool.raw


def _change(part: ToolChange) -> Object:
    """The block that gives the model a tool, or takes it away."""
    if part.tool is not None:
        tool: Object = {"type": values.DEFINITION, "definition": _definition(part.tool)}
    else:
        name = wire.CODE_NAME if part.name == ir.KINDS[ir.CodeTool] else part.name
        named = put({}, name=name, server_name=part.server)
        kind = next(kind for kind, keys in values.TOOL_REFERENCES.items() if {*keys} == {*named})
        tool = {"type": kind, **named}
    return finish({"type": values.TOOL_REMOVAL if part.removed else values.TOOL_ADDITION, "tool": tool}, part)


BUILD[ToolChange] = _change


FUNCTION_TOOL, WEB_SEARCH = ObjectWriter(wire.FUNCTION_TOOL), ObjectWriter(wire.WEB_SEARCH_DEFINITION)


CONFIGURED = "tool_configuration"  # of the older beta, in place of a toolset


def _mcp_server(server: ir.McpServer) -> Object:
    built: Object = {"type": "url", "name": server.name, "url": server.url}
    with_extra(put(built, authorization_token=server.authorization), server)
    if CONFIGURED in built:
        built[CONFIGURED] = put({**(built[CONFIGURED] or {})}, allowed_tools=server.allowed_tools) or None
    return built


def _mcp_toolset(server: ir.McpServer) -> Object:
    built: Object = {"type": wire.MCP_TOOLSET, "mcp_server_name": server.name}
    if server.allowed_tools is not None:
        built["default_config"] = {"enabled": False}
        built["configs"] = {name: {"enabled": True} for name in server.allowed_tools}
    return built


MODES = {ir.ChoiceMode.AUTO: "auto", ir.ChoiceMode.REQUIRED: "any", ir.ChoiceMode.NONE: "none"}


def put_choice(built: Object, request: Request) -> None:
    choice, parallel = request.tool_choice, request.parallel_tools
    if choice is None and parallel is None:
        return
    made: Object = {"type": "auto"}
    if isinstance(choice, (ir.Choice, ir.AllowedChoice)):
        made = {"type": MODES[choice.mode]}
    elif isinstance(choice, ir.NamedChoice):
        made = {"type": "tool", "name": choice.name}
    elif isinstance(choice, ir.WebSearchChoice):
        made = {"type": "tool", "name": wire.WEB_SEARCH}
    elif isinstance(choice, ir.CodeChoice):
        made = {"type": "tool", "name": wire.CODE_NAME}
    if parallel is not None:
        made["disable_parallel_tool_use"] = not parallel
    built["tool_choice"] = made if choice is None else with_extra(made, choice)
