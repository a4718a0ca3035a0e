"""Tools and the choice among them: canonical output, from a legal tree."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from proxai_ir import ir
from proxai_ir.ir.request import Request
from proxai_ir.wire import gemini_generate_content as wire

from .._lib.writing import Json, Object, put, with_extra


def put_tools(built: Object, request: Request, json_schemas: bool) -> None:
    """All functions in one object, all MCP servers in another, and one for each of the other tools.

    This protocol's own keep their order.
    """
    each = [_member(tool, json_schemas) for tool in request.tools or ()]
    if request.protocol != wire.NAME:
        each.sort(key=lambda one: ORDER.get(one[0], 1))
    made: list[Object] = []
    for key, members in groupby(each, lambda one: one[0]):
        values = [value for _, value in members]
        made += [{key: values}] if key in wire.LISTED else [{key: value} for value in values]
    if made:
        built["tools"] = made


ORDER = {wire.FUNCTIONS: 0, wire.MCP_SERVERS: 2}


def _member(tool: Any, json_schemas: bool) -> tuple[str, Json]:
    """The member of an object of the array that a tool is, or is one of."""
    if isinstance(tool, ir.FunctionTool):
        return wire.FUNCTIONS, _function(tool, json_schemas)
    if isinstance(tool, ir.McpServer):
        return wire.MCP_SERVERS, _mcp_server(tool)
    if isinstance(tool, (ir.WebSearchTool, ir.CodeTool)):
        return _googles(tool)
    ((key, value),) = tool.raw.items()
    return key, value


def _function(tool: ir.FunctionTool, json_schemas: bool) -> Object:
    built = put({"name": tool.name}, description=tool.description)
    if tool.parameters is not None:
        built["parametersJsonSchema" if json_schemas else "parameters"] = tool.parameters
    return with_extra(built, tool)


def _googles(tool: ir.WebSearchTool | ir.CodeTool) -> tuple[str, Json]:
    """The members of these tools are those of the object inside."""
    inner: Object = {}
    if isinstance(tool, ir.CodeTool):
        key = wire.CODE_TOOL
    else:
        key = tool.kind if tool.kind in wire.SEARCH_TOOLS else wire.SEARCH_TOOL
        put(inner, excludeDomains=tool.blocked_domains)
    return key, with_extra(inner, tool)


def _mcp_server(server: ir.McpServer) -> Object:
    transport: Object = {"url": server.url}
    if server.authorization is not None:
        transport["headers"] = {"Authorization": f"Bearer {server.authorization}"}
    built: Object = {"name": server.name, "streamableHttpTransport": transport}
    return with_extra(built, server)


def put_choice(built: Object, request: Request) -> None:
    config: Object = {}
    choice = request.tool_choice
    if isinstance(choice, ir.Choice):
        config = {"mode": wire.MODE_OF[choice.mode]}
    elif isinstance(choice, ir.NamedChoice):
        config = {"mode": "ANY", "allowedFunctionNames": [choice.name]}
    elif isinstance(choice, ir.AllowedChoice):
        mode = "ANY" if choice.mode is ir.ChoiceMode.REQUIRED else "VALIDATED"
        config = {"mode": mode, "allowedFunctionNames": [name for _, name in choice.tools]}
    if choice is not None:
        with_extra(config, choice)
    if config:
        built["toolConfig"] = {"functionCallingConfig": config}
