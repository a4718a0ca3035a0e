"""Tools of Anthropic Messages: definitions, the choice among them, and blocks of what the provider runs (TUL-6)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeGuard

from proxai_ir import ir
from proxai_ir.ir.node import Cache, Extra
from proxai_ir.schemas import client_tools
from proxai_ir.wire import anthropic_messages as wire
from proxai_ir.wire import anthropic_messages_objects as objects
from proxai_ir.wire import anthropic_messages_values as values

from .._lib.objects import ObjectReader
from .._lib.reading import (
    Json,
    Object,
    an_object,
    constant,
    extra_fields,
    keep,
    optional,
    required,
    rest,
    strings,
    tag,
)
from .._lib.schemas import json_schema


def marker(holder: Object) -> Cache | None:
    """An object's `cache_control`; an unknown lifetime is kept as it is (UNK-4)."""
    value = optional(holder, "cache_control", dict)
    return None if value is None else CACHE.read(value)


CACHE = ObjectReader(objects.CACHE)


def read_tool(tool: Object) -> ir.Tool:
    kind = tag(tool, "custom")
    if kind == "custom":
        function: ir.FunctionTool = FUNCTION_TOOL.read(tool)
        if function.parameters:
            function.parameters = json_schema(function.parameters)
        return function
    if kind in wire.WEB_SEARCH_TOOLS:
        return _web_search(tool, kind)
    if kind in wire.CODE_TOOLS:
        return _code_tool(tool, kind)
    if kind in client_tools.ANTHROPIC:
        return _client_tool(tool, kind)
    if kind in values.CLIENT_TOOLSETS:
        return ir.ClientTool(kind, tool, None, None, tool)
    if kind in wire.HOSTED_TOOLS:
        if kind.startswith(wire.WEB_FETCH):
            constant(tool, "name", wire.WEB_FETCH)
        return ir.HostedTool(kind, optional(tool, "name", str), tool, tool)
    return ir.UnknownTool(kind, tool, tool)


FUNCTION_TOOL, WEB_SEARCH = ObjectReader(wire.FUNCTION_TOOL), ObjectReader(wire.WEB_SEARCH_DEFINITION)


def _web_search(tool: Object, kind: str) -> ir.Tool:
    result: ir.WebSearchTool = WEB_SEARCH.read(tool)
    result.allowed_domains = result.allowed_domains or None  # an empty list names none
    result.blocked_domains = result.blocked_domains or None
    if kind != wire.WEB_SEARCH_TOOL:
        result.kind = kind
        keep(result, "type", kind)
    return result


def _code_tool(tool: Object, kind: str) -> ir.Tool:
    constant(tool, "name", wire.CODE_NAME)
    result = ir.CodeTool(kind, marker(tool), tool, extra_fields(tool, {"type", "name", "cache_control"}))
    if kind != wire.CODE_TOOL:
        keep(result, "type", kind)
    return result


def _client_tool(tool: Object, kind: str) -> ir.Tool:
    """A tool that the client runs; its calls and results are those of functions (TUL-34)."""
    form = client_tools.ANTHROPIC[kind]
    description = form.description
    if "display_width_px" in tool:
        description += f" The screen has {tool['display_width_px']} x {tool.get('display_height_px')} pixels."
    strict = optional(tool, "strict", bool)
    function = ir.FunctionTool(required(tool, "name", str), description, form.schema(), strict, marker(tool), tool)
    function.extra = extra_fields(tool, CLIENT_KEYS)
    return ir.ClientTool(kind, tool, function, None, tool)


CLIENT_KEYS = frozenset({"type", "name", "cache_control", "display_width_px", "display_height_px", "strict"})

# --- MCP servers ------------------------------------------------------------------------------------------------------


def read_servers(
    listed: list[Json], defined: list[ir.Tool], later: Iterable[ir.McpToolset] = ()
) -> list[ir.Tool] | None:
    """The tools and the servers behind them, each with what its toolset selects, if it has one; `later`: the toolsets
    that messages define.

    None where they state more than which tools of which server may be called; only this vendor has that.
    """
    listings = [tool.raw for tool in (*defined, *later) if is_toolset(tool) or isinstance(tool, ir.McpToolset)]
    toolsets = {one["mcp_server_name"]: one for one in listings if isinstance(one.get("mcp_server_name"), str)}
    servers = [_server(listed, index, toolsets) for index in range(len(listed))]
    found = [server for server in servers if server is not None]
    apart = len(toolsets) < len(listings) or toolsets.keys() - {server.name for server in found}
    if len(found) < len(listed) or apart:
        return None
    return [*(toolset(tool) if is_toolset(tool) else tool for tool in defined), *found]


def is_toolset(tool: ir.Tool) -> TypeGuard[ir.HostedTool]:
    return isinstance(tool, ir.HostedTool) and tool.kind == wire.MCP_TOOLSET


def toolset(tool: ir.HostedTool) -> ir.McpToolset:
    return ir.McpToolset(required(tool.raw, "mcp_server_name", str), tool.raw, tool.raw)


SERVER_KEYS = frozenset({"type", "name", "url", "authorization_token", "tool_configuration"})


def _server(listed: list[Json], index: int, toolsets: Mapping[str, Object]) -> ir.McpServer | None:
    server = an_object(listed, index)
    name, configuration = required(server, "name", str), optional(server, "tool_configuration", dict)
    toolset = toolsets.get(name)
    allowed, known = _configured(configuration or {}) if toolset is None else _allowed_by(toolset)
    if not known or server.get("type") != "url" or (toolset is not None and configuration is not None):
        return None
    token = optional(server, "authorization_token", str)
    url, extra = required(server, "url", str), extra_fields(server, SERVER_KEYS)
    found = ir.McpServer(name, url, token, allowed, server, extra)
    if toolset is None:
        keep(found, "tool_configuration", None if configuration is None else rest(configuration, {"allowed_tools"}))
    return found


def _configured(configuration: Object) -> tuple[list[str] | None, bool]:
    """What the older beta states with the server itself; only this vendor can switch servers off."""
    return strings(configuration, "allowed_tools"), optional(configuration, "enabled", bool) is not False


def _allowed_by(toolset: Object) -> tuple[list[str] | None, bool]:
    """The names of the tools that a toolset switches on, None for all; and whether it does nothing else."""
    usual, configs = toolset.get("default_config"), toolset.get("configs")
    known = extra_fields(toolset, {"type", "mcp_server_name", "default_config", "configs"}) is None
    if isinstance(configs, dict) and all(one == {"enabled": True} for one in configs.values()):
        return [*configs], known and usual == {"enabled": False}
    return None, known and configs is None and usual in (None, {"enabled": True})


def read_choice(choice: Object) -> tuple[ir.ToolChoice | None, bool | None]:
    """The choice (None: of an unknown type), and whether calls may come in parallel."""
    alone = optional(choice, "disable_parallel_tool_use", bool)
    kind = tag(choice)
    extra = extra_fields(choice, {"type", "disable_parallel_tool_use", "name" if kind == "tool" else "type"})
    if kind == "tool":
        found: ir.ToolChoice | None = ir.NamedChoice(required(choice, "name", str), choice, extra)
    elif kind in MODES:
        found = ir.Choice(MODES[kind], choice, extra)
    else:
        found = None
    return found, None if alone is None else not alone


MODES = {"auto": ir.ChoiceMode.AUTO, "any": ir.ChoiceMode.REQUIRED, "none": ir.ChoiceMode.NONE}


# --- what the provider runs itself ------------------------------------------------------------------------------------


def hosted_call(block: Object) -> ir.Part:
    name, identity = required(block, "name", str), required(block, "id", str)
    if name == wire.WEB_SEARCH and block.get("type") == wire.SERVER_CALL:
        return _search_call(block, identity)
    if name == wire.WEB_FETCH and block.get("type") == wire.SERVER_CALL:
        return _page_call(block, identity) or ir.HostedCall(name, identity, block, block)
    if name in wire.CODE_RUNS and block.get("type") == wire.SERVER_CALL and "input" in block:
        return code_call(block, name, identity)
    return ir.HostedCall(name, identity, block, block)


def hosted_result(block: Object) -> ir.Part:
    return ir.HostedResult(tag(block), required(block, "tool_use_id", str), block, block)


def _search_call(block: Object, identity: str) -> ir.Part:
    query, inner = read_query(required(block, "input", dict))
    call = ir.WebSearchCall(identity, [] if query is None else [query], marker(block), block)
    call.extra = extra_fields(block, {"type", "id", "name", "cache_control", "input"}, nested={"input": inner})
    return call


def _page_call(block: Object, identity: str) -> ir.Part | None:
    """A page that is opened; None where its URL is not known, as at the start of a block of a stream."""
    given = required(block, "input", dict)
    if not isinstance(given.get("url"), str):
        return None
    call = ir.WebSearchCall(identity, [], marker(block), block, page=given["url"])
    inner = extra_fields(given, {"url"})
    call.extra = extra_fields(block, {"type", "id", "name", "cache_control", "input"}, nested={"input": inner})
    return call


def read_query(given: Json) -> tuple[str | None, Extra | None]:
    """What a search was given to look for, and all else that it was given."""
    if not isinstance(given, dict):
        return None, Extra({"query": given})
    query = given.get("query")
    return (query, extra_fields(given, {"query"})) if isinstance(query, str) else (None, extra_fields(given, set()))


def web_result(block: Object) -> ir.Part:
    """Pages, or an error; other content is kept as it is."""
    content = block.get("content")
    hits: list[ir.WebHit] = []
    error, inner = None, None
    if isinstance(content, dict) and content.get("type") == wire.WEB_ERROR:
        error, inner = required(content, "error_code", str), extra_fields(content, {"type", "error_code"})
    elif isinstance(content, list) and all(
        isinstance(one, dict) and one.get("type") == wire.WEB_HIT for one in content
    ):
        hits = HITS.each(content)
    else:
        return hosted_result(block)
    result = ir.WebSearchResult(required(block, "tool_use_id", str), hits, error, marker(block), block)
    result.extra = extra_fields(block, {"type", "tool_use_id", "cache_control", "content"}, nested={"content": inner})
    return result


HITS = ObjectReader(objects.WEB_HIT)


def code_call(block: Object, name: str, identity: str) -> ir.Part:
    language, _ = wire.CODE_RUNS[name]
    code, inner = read_code(required(block, "input", dict), language)
    call = ir.CodeCall(identity, code or "", language, marker(block), block)
    call.extra = extra_fields(block, {"type", "id", "name", "cache_control", "input"}, nested={"input": inner})
    return call


def read_code(given: Json, language: str) -> tuple[str | None, Extra | None]:
    """The code that is to be run, and all else that the tool was given."""
    _, member = wire.RUN_OF[language]
    if not isinstance(given, dict):
        return None, Extra({member: given})
    code = given.get(member)
    return (code, extra_fields(given, {member})) if isinstance(code, str) else (None, extra_fields(given, set()))


def code_result(block: Object) -> ir.Part:
    """What a run wrote, or why it did not run; content of another shape, such as encrypted output, is kept as it is."""
    name = tag(block).removesuffix(wire.CODE_RESULT)
    language, _ = wire.CODE_RUNS[name]
    content, identity = block.get("content"), required(block, "tool_use_id", str)
    if not isinstance(content, dict):
        return hosted_result(block)
    result = ir.CodeResult(identity, language, "", None, None, None, marker(block), block)
    if content.get("type") == f"{name}{wire.CODE_ERROR}" and isinstance(content.get("error_code"), str):
        result.error, inner = content["error_code"], extra_fields(content, {"type", "error_code"})
    elif content.get("type") == f"{name}_result" and _is_output(content):
        result.stdout, result.stderr, result.exit_code = content["stdout"], content["stderr"], content["return_code"]
        inner = extra_fields(content, OUTPUT_KEYS)
        if content.get("content") == []:
            inner = extra_fields(content, OUTPUT_KEYS | {"content"})
    else:
        return hosted_result(block)
    result.extra = extra_fields(block, {"type", "tool_use_id", "cache_control", "content"}, nested={"content": inner})
    return result


OUTPUT_KEYS = frozenset({"type", "stdout", "stderr", "return_code"})


def _is_output(content: Object) -> bool:
    texts = isinstance(content.get("stdout"), str) and isinstance(content.get("stderr"), str)
    return texts and type(content.get("return_code")) is int


MCP_CALL_KEYS = frozenset({"type", "id", "server_name", "name", "input", "cache_control"})
MCP_RESULT_KEYS = frozenset({"type", "tool_use_id", "is_error", "cache_control"})  # and its content, where it is a text


def mcp_call(block: Object) -> ir.Part:
    identity, server, name = (required(block, key, str) for key in ("id", "server_name", "name"))
    given, cache = required(block, "input", dict), marker(block)
    return ir.McpCall(identity, server, name, given, cache, block, extra_fields(block, MCP_CALL_KEYS))


def mcp_result(block: Object) -> ir.Part:
    """What a server's tool gave back: a string, or texts, whose borders stay here, as does what is no text."""
    content, failed = block.get("content"), optional(block, "is_error", bool)
    text: str | None = None
    if isinstance(content, str):
        text, known = content, MCP_RESULT_KEYS | {"content"}
    else:
        texts, known = None if content is None else ir.texts_of(required(block, "content", list)), MCP_RESULT_KEYS
        text = None if texts is None else "".join(texts)
    identity = required(block, "tool_use_id", str)
    return ir.McpResult(identity, text, failed, marker(block), block, extra_fields(block, known))


def vendor_block(block: Object) -> ir.Part:
    return ir.VendorPart(tag(block), block, block)
