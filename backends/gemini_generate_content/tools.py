"""Tools and the choice among them: canonical output, from a legal tree."""

from __future__ import annotations

from typing import Any

from proxai_ir.ir import tools
from proxai_ir.ir.request import Request
from proxai_ir.wire import gemini_generate_content as wire

from .._lib.writing import Json, Object, put
from .restore import grouped, has_openapi_schema, restore


def put_tools(built: Object, request: Request, json_schemas: bool) -> None:
    """All functions in one object, all MCP servers in another, and one for each of the other tools."""
    each = [_member(tool, json_schemas) for tool in request.tools or ()]
    made = grouped(request, each)
    if made is None:
        functions, servers = ([value for key, value in each if key == listed] for listed in wire.LISTED)
        made = [{wire.FUNCTIONS: functions}] if functions else []
        made += [{key: value} for key, value in each if key not in wire.LISTED]
        made += [{wire.MCP_SERVERS: servers}] if servers else []
    if made:
        built["tools"] = made


def _member(tool: Any, json_schemas: bool) -> tuple[str, Json]:
    """The member of an object of the array that a tool is, or is one of."""
    if isinstance(tool, tools.FunctionTool):
        return wire.FUNCTIONS, _function(tool, json_schemas)
    if isinstance(tool, tools.McpServer):
        return wire.MCP_SERVERS, _mcp_server(tool)
    if isinstance(tool, (tools.WebSearchTool, tools.CodeTool)):
        return _googles(tool)
    ((key, value),) = tool.raw.items()
    return key, value


def _function(tool: tools.FunctionTool, json_schemas: bool) -> Object:
    built = put({"name": tool.name}, description=tool.description)
    if tool.parameters is not None and not has_openapi_schema(tool):
        built["parametersJsonSchema" if json_schemas else "parameters"] = tool.parameters
    return built if tool.extra is None else restore(built, tool)


def _googles(tool: tools.WebSearchTool | tools.CodeTool) -> tuple[str, Json]:
    """The members of these tools are those of the object inside."""
    inner: Object = {}
    if isinstance(tool, tools.CodeTool):
        key = wire.CODE_TOOL
    else:
        key = tool.kind if tool.kind in wire.SEARCH_TOOLS else wire.SEARCH_TOOL
        put(inner, excludeDomains=tool.blocked_domains)
    return key, inner if tool.extra is None else restore(inner, tool)


def _mcp_server(server: tools.McpServer) -> Object:
    transport: Object = {"url": server.url}
    if server.authorization is not None:
        transport["headers"] = {"Authorization": f"Bearer {server.authorization}"}
    built: Object = {"name": server.name, "streamableHttpTransport": transport}
    return built if server.extra is None else restore(built, server)


def put_choice(built: Object, request: Request) -> None:
    config: Object = {}
    choice = request.tool_choice
    if isinstance(choice, tools.Choice):
        config = {"mode": wire.MODE_OF[choice.mode]}
    elif isinstance(choice, tools.NamedChoice):
        config = {"mode": "ANY", "allowedFunctionNames": [choice.name]}
    elif isinstance(choice, tools.AllowedChoice):
        mode = "ANY" if choice.mode is tools.ChoiceMode.REQUIRED else "VALIDATED"
        config = {"mode": mode, "allowedFunctionNames": [name for _, name in choice.tools]}
    if choice is not None and choice.extra is not None:
        restore(config, choice)
    if config:
        built["toolConfig"] = {"functionCallingConfig": config}
