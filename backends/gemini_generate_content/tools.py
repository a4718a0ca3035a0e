"""Tools and the choice among them: canonical output, from a legal tree."""

from __future__ import annotations

from typing import Any

from proxai_ir.ir import tools
from proxai_ir.ir.request import Request
from proxai_ir.wire import gemini_generate_content as wire

from .._lib.writing import Object, put
from .conditions import GOOGLES
from .restore import has_openapi_schema, restore


def put_tools(built: Object, request: Request, json_schemas: bool) -> None:
    """All functions in one object, all MCP servers in another, and one for each of the other tools."""
    functions: list[Object] = []
    servers: list[Object] = []
    others: list[Object] = []
    for tool in request.tools or ():
        if isinstance(tool, tools.FunctionTool):
            functions.append(_function(tool, json_schemas))
        elif isinstance(tool, tools.McpServer):
            servers.append(_mcp_server(tool))
        elif isinstance(tool, (tools.WebSearchTool, tools.CodeTool)):
            others.append(_googles(tool))
        else:
            assert isinstance(tool, (tools.HostedTool, tools.UnknownTool))
            others.append(tool.raw)
    made = [{wire.FUNCTIONS: functions}] if functions else []
    made += others
    if servers:
        made.append({wire.MCP_SERVERS: servers})
    if made:
        built["tools"] = made


def _function(tool: tools.FunctionTool, json_schemas: bool) -> Object:
    built = put({"name": tool.name}, description=tool.description)
    if tool.parameters is not None and not has_openapi_schema(tool):
        built["parametersJsonSchema" if json_schemas else "parameters"] = tool.parameters
    return built if tool.extra is None else restore(built, tool)


def _googles(tool: tools.WebSearchTool | tools.CodeTool) -> Object:
    """The members of these tools are those of the object inside."""
    inner: Object = {}
    if isinstance(tool, tools.CodeTool):
        key = wire.CODE_TOOL
    else:
        key = tool.kind if tool.kind in wire.SEARCH_TOOLS else wire.SEARCH_TOOL
        put(inner, excludeDomains=tool.blocked_domains)
    return {key: inner if tool.extra is None else restore(inner, tool)}


def _mcp_server(server: tools.McpServer) -> Object:
    transport: Object = {"url": server.url}
    if server.authorization is not None:
        transport["headers"] = {"Authorization": f"Bearer {server.authorization}"}
    built: Object = {"name": server.name, "streamableHttpTransport": transport}
    return built if server.extra is None else restore(built, server)


def put_choice(built: Object, request: Request) -> None:
    """The choice; and that functions and Google's own tools are used together, which has to be allowed."""
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
    made: Object = {"functionCallingConfig": config} if config else {}
    if request.protocol != wire.NAME and _mixed(request.tools or []):
        made["includeServerSideToolInvocations"] = True
    if made:
        built["toolConfig"] = made


def _mixed(given: list[Any]) -> bool:
    functions = sum(isinstance(tool, tools.FunctionTool) for tool in given)
    return 0 < functions < functions + sum(isinstance(tool, GOOGLES) for tool in given)
