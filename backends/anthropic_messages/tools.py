"""Tools as Messages defines them, and the choice among them (TUL-2, TUL-7)."""

from __future__ import annotations

from proxai_ir.ir import tools
from proxai_ir.ir.request import Request
from proxai_ir.schemas.subset import fitted
from proxai_ir.wire import anthropic_messages as wire

from .._lib.writing import Object, give_back, put, spelled
from .parts import finish

CALLABLE = (tools.FunctionTool, tools.WebSearchTool, tools.McpServer)


def put_tools(built: Object, request: Request, home: bool) -> None:
    out = {id(tool) for tool in tools.excluded(request.tool_choice, request.tools or (), *CALLABLE)}
    listed = [tool for tool in request.tools or () if id(tool) not in out]
    made = [_tool(tool, home) for tool in listed if not (home and isinstance(tool, tools.McpServer))]
    if made:
        built["tools"] = made
    servers = [_mcp_server(tool, home) for tool in listed if isinstance(tool, tools.McpServer)]
    if servers:
        built["mcp_servers"] = servers


def _tool(tool: tools.Tool, home: bool) -> Object:
    if isinstance(tool, tools.FunctionTool):
        return _function(tool, home)
    if isinstance(tool, tools.WebSearchTool):
        return _web_search(tool, home)
    if isinstance(tool, tools.McpServer):
        return _mcp_toolset(tool)
    assert isinstance(tool, (tools.McpToolset, tools.HostedTool, tools.UnknownTool))
    return tool.raw


def _function(tool: tools.FunctionTool, home: bool) -> Object:
    built: Object = {"type": "custom", "name": tool.name} if spelled(tool, "typed", home) else {"name": tool.name}
    if tool.description is not None:
        built["description"] = tool.description
    built["input_schema"] = schema_of(tool, home)
    if tool.strict is not None and (home or not unfit(tool)):
        built["strict"] = tool.strict
    return built if tool.cache is None and tool.extra is None else finish(built, tool, home)


def unfit(tool: tools.FunctionTool) -> bool:
    """Whether a tool asks for strict mode with a schema that cannot be enforced (SCH-1)."""
    return bool(tool.strict) and bool(fitted(tool.parameters or {}, wire.unenforceable)[1])


def schema_of(tool: tools.FunctionTool, home: bool) -> Object:
    """The parameters, which this wire wants to say that they are an object's (SCH-2)."""
    schema = tool.parameters
    if home and schema is not None:
        return schema
    return schema if schema is not None and "type" in schema else {"type": "object", **(schema or {})}


def _web_search(tool: tools.WebSearchTool, home: bool) -> Object:
    built: Object = {"type": tool.kind if home else wire.WEB_SEARCH_TOOL, "name": "web_search"}
    put(built, allowed_domains=tool.allowed_domains, blocked_domains=tool.blocked_domains, max_uses=tool.max_uses)
    if tool.location is not None:
        place = tool.location
        about = put({"type": "approximate"}, city=place.city, region=place.region)
        put(about, country=place.country, timezone=place.timezone)
        built["user_location"] = give_back(about, place.extra, home)
    return finish(built, tool, home)


def _mcp_server(server: tools.McpServer, home: bool) -> Object:
    built: Object = {"type": "url", "name": server.name, "url": server.url}
    put(built, authorization_token=server.authorization)
    if spelled(server, "configured", home):
        built["tool_configuration"] = put({}, allowed_tools=server.allowed_tools)
    return give_back(built, server.extra, home)


def _mcp_toolset(server: tools.McpServer) -> Object:
    built: Object = {"type": wire.MCP_TOOLSET, "mcp_server_name": server.name}
    if server.allowed_tools is not None:
        built["default_config"] = {"enabled": False}
        built["configs"] = {name: {"enabled": True} for name in server.allowed_tools}
    return built


MODES = {tools.ChoiceMode.AUTO: "auto", tools.ChoiceMode.REQUIRED: "any", tools.ChoiceMode.NONE: "none"}


def put_choice(built: Object, request: Request, home: bool) -> None:
    choice, parallel = request.tool_choice, request.parallel_tools
    if (choice is None and parallel is None) or (not home and not built.get("tools")):
        return
    made: Object = {"type": "auto"}
    if isinstance(choice, (tools.Choice, tools.AllowedChoice)):
        made = {"type": MODES[choice.mode]}
    elif isinstance(choice, tools.NamedChoice):
        made = {"type": "tool", "name": choice.name}
    if parallel is not None and (home or made["type"] != "none"):
        made["disable_parallel_tool_use"] = not parallel
    built["tool_choice"] = made if choice is None else give_back(made, choice.extra, home)
