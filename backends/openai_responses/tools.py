"""Tools as Responses defines them, the choice among them, and the items of what the provider runs (TUL-2, TUL-7)."""

from __future__ import annotations

from typing import Any

from proxai_ir.ir import tools
from proxai_ir.ir.parts import FunctionCall, McpCall
from proxai_ir.rules.conditions import prefixed
from proxai_ir.wire import openai_responses as wire

from .._lib.writing import Object, dumps, give_back, put, spelled


def definition(tool: tools.Tool, home: bool) -> Object:
    if isinstance(tool, tools.FunctionTool):
        return _function(tool, home)
    if isinstance(tool, tools.WebSearchTool):
        return _web_search(tool, home)
    if isinstance(tool, tools.CustomTool):
        made = put(
            {"type": "custom", "name": tool.name}, description=tool.description, format=_format(tool.format, home)
        )
        return give_back(made, tool.extra, home)
    if isinstance(tool, tools.McpServer):
        return _mcp_server(tool, home)
    assert isinstance(tool, (tools.HostedTool, tools.UnknownTool))
    return tool.raw


def _format(form: tools.InputFormat | None, home: bool) -> Object | None:
    if form is None or isinstance(form, tools.UnknownFormat):
        return None if form is None else form.raw
    if isinstance(form, tools.FreeText):
        return give_back({"type": "text"}, form.extra, home)
    return give_back({"type": "grammar", "syntax": form.syntax, "definition": form.definition}, form.extra, home)


def _function(tool: tools.FunctionTool, home: bool) -> Object:
    """Both members must be there, and strict mode is this protocol's default: what asks for nothing says so."""
    made = put({"type": "function", "name": tool.name}, description=tool.description)
    if not home:
        made["parameters"] = tool.parameters
        made["strict"] = bool(tool.strict)
        return made
    strict = None if spelled(tool, "unsaid", home) else tool.strict
    return give_back(put(made, parameters=tool.parameters, strict=strict), tool.extra, home)


def _web_search(tool: tools.WebSearchTool, home: bool) -> Object:
    made = put({"type": tool.kind if home else wire.WEB_SEARCH_TOOL}, search_context_size=tool.context_size)
    if tool.allowed_domains is not None:
        made["filters"] = {"allowed_domains": tool.allowed_domains}
    if tool.location is not None:
        place = tool.location
        about: Object = {} if home else {"type": "approximate"}
        put(about, city=place.city, region=place.region, country=place.country, timezone=place.timezone)
        made["user_location"] = give_back(about, place.extra, home)
    return give_back(made, tool.extra, home)


def _mcp_server(server: tools.McpServer, home: bool) -> Object:
    """Others call the tools of a server without asking, which is not what this protocol does unless it is told."""
    made: Object = {"type": wire.MCP_TOOL, "server_label": server.name, "server_url": server.url}
    put(made, authorization=server.authorization)
    if server.allowed_tools is not None:
        allowed = server.allowed_tools
        made["allowed_tools"] = {"tool_names": allowed} if spelled(server, "filter", home) else allowed
    made["require_approval"] = wire.UNATTENDED
    return give_back(made, server.extra, home)


def choice_of(choice: tools.ToolChoice, home: bool) -> Any:
    made: Object
    if isinstance(choice, tools.Choice):
        return choice.mode.value
    if isinstance(choice, tools.HostedChoice):
        return choice.raw
    if isinstance(choice, tools.NamedChoice):
        made = {"type": "function", "name": choice.name}
    elif isinstance(choice, tools.CustomChoice):
        made = {"type": "custom", "name": choice.name}
    else:
        listed = [wire.entry(*one) for one in choice.tools]
        made = {"type": "allowed_tools", "mode": choice.mode.value, "tools": listed}
    return give_back(made, choice.extra, home)


# --- what the provider runs itself ------------------------------------------------------------------------------------


def web_search(parts: list[Any], home: bool) -> Object:
    """One item for a search and what it found; the wire wants a status, and a search is over once it is told."""
    call, *results = parts
    action: Object = {"type": "search"}
    if call.queries and not spelled(call, "queries", home):
        action["query"] = call.queries[0]
    if call.queries and (not home or spelled(call, "queries", home)):
        action["queries"] = [*call.queries]
    failed = False
    for result in results:
        failed = result.error is not None
        if not failed:
            action["sources"] = [give_back({"type": "url", "url": hit.url}, hit.extra, home) for hit in result.hits]
    built: Object = {"type": wire.WEB_SEARCH, "id": call.id if home else prefixed(call.id, wire.WEB_ID)}
    built["action"] = action
    if not home:
        built["status"] = "failed" if failed else wire.COMPLETED
    return give_back(built, call.extra, home)


def arguments_text(call: FunctionCall | McpCall, home: bool) -> str:
    text = call.arguments
    if type(text) is not str:
        return dumps(text, (call, "arguments"))
    if not home and (not text or text.isspace()):
        return "{}"  # no arguments at all: their text must be JSON all the same (TUL-1)
    return text


def mcp_call(parts: list[Any], home: bool) -> Object:
    """One item for a call and what it gave back; one that nothing is known of has not come to its end."""
    call, *results = parts
    built: Object = {"type": wire.MCP_CALL, "id": call.id if home else prefixed(call.id, wire.MCP_ID)}
    built |= {"server_label": call.server, "name": call.name, "arguments": arguments_text(call, home)}
    if not home:
        built["status"] = wire.COMPLETED if results else wire.INCOMPLETE
    for result in results:
        if not result.is_error or spelled(result, "output", home):
            built["output"] = result.text or ""
        elif not home:
            told = [{"type": "text", "text": result.text or ""}]
            built |= {"error": {"type": wire.MCP_FAILED, "content": told}, "status": wire.FAILED}
        give_back(built, result.extra, home)
    return built
