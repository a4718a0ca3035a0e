"""Reads the content of turns and the tools of Anthropic Messages. Requests and responses share these readers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeGuard

from proxai_ir import ir
from proxai_ir.ir.envelope import read_seal
from proxai_ir.schemas import client_tools
from proxai_ir.wire import anthropic_messages as wire
from proxai_ir.wire import anthropic_messages_objects as objects

from .._lib import reading as r
from .._lib.objects import ObjectReader, UnionReader
from .._lib.reading import Json, Object
from .._lib.spellings import unnested

# --- tools ------------------------------------------------------------------------------------------------------------
# Tools of Anthropic Messages: definitions, the choice among them, and blocks of what the provider runs (TUL-6).


def marker(holder: Object) -> ir.Cache | None:
    """Return an object's `cache_control`; an unknown lifetime is kept as it is (UNK-4)."""
    value = r.optional(holder, "cache_control", dict)
    return None if value is None else CACHE.read(value)


CACHE = ObjectReader(objects.CACHE)


def read_tool(tool: Object) -> ir.Tool:
    kind = r.tag(tool, "custom")
    if kind == "custom" or kind == FUNCTION:
        function: ir.FunctionTool = FUNCTION_TOOL.read(tool) if kind == "custom" else FOREIGN_TOOL.read(unnested(tool))
        if function.name == wire.PLACEHOLDER:
            return ir.HostedTool(ir.BOOKKEEPING, function.name, tool, tool)
        if function.parameters:
            function.parameters = r.json_schema(function.parameters)
        return function
    if kind in wire.WEB_SEARCH_TOOLS:
        return _web_search(tool, kind)
    if kind in wire.CODE_TOOLS:
        return _code_tool(tool, kind)
    if kind in client_tools.ANTHROPIC:
        return r.typed_tool(tool, kind, marker(tool))
    if kind in wire.CLIENT_TOOLSETS:
        return ir.ClientTool(kind, tool, None, None, tool)
    if kind in wire.HOSTED_TOOLS:
        if kind.startswith(wire.WEB_FETCH):
            r.constant(tool, "name", wire.WEB_FETCH)
        return ir.HostedTool(kind, r.optional(tool, "name", str), tool, tool)
    return ir.UnknownTool(kind, tool, tool)


FUNCTION = "function"
"""The type of tools and choices in the spelling of OpenAI's protocols."""
FOREIGN_TOOL = ObjectReader(wire.FOREIGN_TOOL)
FUNCTION_TOOL, WEB_SEARCH = ObjectReader(wire.FUNCTION_TOOL), ObjectReader(wire.WEB_SEARCH_DEFINITION)


def _web_search(tool: Object, kind: str) -> ir.Tool:
    result: ir.WebSearchTool = WEB_SEARCH.read(tool)
    result.allowed_domains = result.allowed_domains or None  # an empty list names none
    result.blocked_domains = result.blocked_domains or None
    if kind != wire.WEB_SEARCH_TOOL:
        result.kind = kind
        r.keep(result, "type", kind)
    return result


def _code_tool(tool: Object, kind: str) -> ir.Tool:
    r.constant(tool, "name", wire.CODE_NAME)
    result = ir.CodeTool(kind, marker(tool), tool, r.extra_fields(tool, {"type", "name", "cache_control"}))
    if kind != wire.CODE_TOOL:
        r.keep(result, "type", kind)
    return result


# --- MCP servers ------------------------------------------------------------------------------------------------------


def read_servers(
    listed: list[Json], defined: list[ir.Tool], later: Iterable[ir.McpToolset] = ()
) -> list[ir.Tool] | None:
    """Return the tools and the MCP servers, each server with the tools that its toolset allows.

    `later` are the toolsets that messages define. Returns None if the toolsets state more than which tools may be
    called, which only this vendor can.
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
    return ir.McpToolset(r.required(tool.raw, "mcp_server_name", str), tool.raw, tool.raw)


SERVER_KEYS = frozenset({"type", "name", "url", "authorization_token", "tool_configuration"})


def _server(listed: list[Json], index: int, toolsets: Mapping[str, Object]) -> ir.McpServer | None:
    server = r.an_object(listed, index)
    name, configuration = r.required(server, "name", str), r.optional(server, "tool_configuration", dict)
    toolset = toolsets.get(name)
    if toolset is None:  # the older beta states it with the server; only this vendor can switch servers off
        older = configuration or {}
        allowed, known = r.strings(older, "allowed_tools"), r.optional(older, "enabled", bool) is not False
    else:
        allowed, known = _allowed_by(toolset)
    if not known or server.get("type") != "url" or (toolset is not None and configuration is not None):
        return None
    token = r.optional(server, "authorization_token", str)
    url, extra = r.required(server, "url", str), r.extra_fields(server, SERVER_KEYS)
    found = ir.McpServer(name, url, token, allowed, server, extra)
    if toolset is None:
        r.keep(found, "tool_configuration", None if configuration is None else r.rest(configuration, {"allowed_tools"}))
    return found


def _allowed_by(toolset: Object) -> tuple[list[str] | None, bool]:
    """Return the names of the tools that a toolset enables (None: all), and whether it states nothing else."""
    usual, configs = toolset.get("default_config"), toolset.get("configs")
    known = r.extra_fields(toolset, {"type", "mcp_server_name", "default_config", "configs"}) is None
    if isinstance(configs, dict) and all(one == {"enabled": True} for one in configs.values()):
        return [*configs], known and usual == {"enabled": False}
    return None, known and configs is None and usual in (None, {"enabled": True})


def read_choice(choice: Object) -> tuple[ir.ToolChoice | None, bool | None]:
    """Return the choice, or None if its type is unknown, and whether calls may be parallel."""
    choice = unnested(choice)
    alone = r.optional(choice, "disable_parallel_tool_use", bool)
    kind = r.tag(choice)
    named = kind in ("tool", FUNCTION)
    extra = r.extra_fields(choice, {"type", "disable_parallel_tool_use", "name" if named else "type"})
    if named:
        found: ir.ToolChoice | None = ir.NamedChoice(r.required(choice, "name", str), choice, extra)
    elif kind in MODES:
        found = ir.Choice(MODES[kind], choice, extra)
    else:
        found = None
    return found, None if alone is None else not alone


MODES = {"auto": ir.ChoiceMode.AUTO, "any": ir.ChoiceMode.REQUIRED, "none": ir.ChoiceMode.NONE}
WORDS = {**MODES, "required": ir.ChoiceMode.REQUIRED}
"""The words that are a choice in the spelling of OpenAI's protocols."""


# --- what the provider runs itself ------------------------------------------------------------------------------------


def hosted_call(block: Object) -> ir.Part:
    name, identity = r.required(block, "name", str), r.required(block, "id", str)
    if name == wire.WEB_SEARCH and block.get("type") == wire.SERVER_CALL:
        return _search_call(block, identity)
    if name == wire.WEB_FETCH and block.get("type") == wire.SERVER_CALL:
        return _page_call(block, identity) or ir.HostedCall(name, identity, block, block)
    if name in wire.CODE_RUNS and block.get("type") == wire.SERVER_CALL and "input" in block:
        return code_call(block, name, identity)
    return ir.HostedCall(name, identity, block, block)


def hosted_result(block: Object) -> ir.Part:
    return ir.HostedResult(r.tag(block), r.required(block, "tool_use_id", str), block, block)


def _search_call(block: Object, identity: str) -> ir.Part:
    query, inner = read_query(r.required(block, "input", dict))
    call = ir.WebSearchCall(identity, [] if query is None else [query], marker(block), block)
    call.extra = r.extra_fields(block, {"type", "id", "name", "cache_control", "input"}, nested={"input": inner})
    return call


def _page_call(block: Object, identity: str) -> ir.Part | None:
    """Return a call that opens a page, or None if its URL is not known yet, as at the start of a streamed block."""
    given = r.required(block, "input", dict)
    if not isinstance(given.get("url"), str):
        return None
    call = ir.WebSearchCall(identity, [], marker(block), block, page=given["url"])
    inner = r.extra_fields(given, {"url"})
    call.extra = r.extra_fields(block, {"type", "id", "name", "cache_control", "input"}, nested={"input": inner})
    return call


def read_query(given: Json) -> tuple[str | None, ir.Extra | None]:
    """Return the query of a search, and its other input."""
    if not isinstance(given, dict):
        return None, ir.Extra({"query": given})
    query = given.get("query")
    return (query, r.extra_fields(given, {"query"})) if isinstance(query, str) else (None, r.extra_fields(given, set()))


def web_result(block: Object) -> ir.Part:
    """Return the pages that a search found, or its error; other content is kept as it is."""
    content = block.get("content")
    hits: list[ir.WebHit] = []
    error, inner = None, None
    if isinstance(content, dict) and content.get("type") == wire.WEB_ERROR:
        error, inner = r.required(content, "error_code", str), r.extra_fields(content, {"type", "error_code"})
    elif isinstance(content, list) and all(
        isinstance(one, dict) and one.get("type") == wire.WEB_HIT for one in content
    ):
        hits = HITS.each(content)
    else:
        return hosted_result(block)
    result = ir.WebSearchResult(r.required(block, "tool_use_id", str), hits, error, marker(block), block)
    result.extra = r.extra_fields(block, {"type", "tool_use_id", "cache_control", "content"}, nested={"content": inner})
    return result


HITS = ObjectReader(objects.WEB_HIT)


def code_call(block: Object, name: str, identity: str) -> ir.Part:
    language, _ = wire.CODE_RUNS[name]
    code, inner = read_code(r.required(block, "input", dict), language)
    call = ir.CodeCall(identity, code or "", language, marker(block), block)
    call.extra = r.extra_fields(block, {"type", "id", "name", "cache_control", "input"}, nested={"input": inner})
    return call


def read_code(given: Json, language: str) -> tuple[str | None, ir.Extra | None]:
    """Return the code of a run, and its other input."""
    _, member = wire.RUN_OF[language]
    if not isinstance(given, dict):
        return None, ir.Extra({member: given})
    code = given.get(member)
    return (code, r.extra_fields(given, {member})) if isinstance(code, str) else (None, r.extra_fields(given, set()))


def code_result(block: Object) -> ir.Part:
    """Return the output of a run, or its error; content of another form, such as encrypted output, is kept as it is."""
    name = r.tag(block).removesuffix(wire.CODE_RESULT)
    language, _ = wire.CODE_RUNS[name]
    content, identity = block.get("content"), r.required(block, "tool_use_id", str)
    if not isinstance(content, dict):
        return hosted_result(block)
    result = ir.CodeResult(identity, language, "", None, None, None, marker(block), block)
    if content.get("type") == f"{name}{wire.CODE_ERROR}" and isinstance(content.get("error_code"), str):
        result.error, inner = content["error_code"], r.extra_fields(content, {"type", "error_code"})
    elif content.get("type") == f"{name}_result" and _is_output(content):
        result.stdout, result.stderr, result.exit_code = content["stdout"], content["stderr"], content["return_code"]
        inner = r.extra_fields(content, OUTPUT_KEYS)
        if content.get("content") == []:
            inner = r.extra_fields(content, OUTPUT_KEYS | {"content"})
    else:
        return hosted_result(block)
    result.extra = r.extra_fields(block, {"type", "tool_use_id", "cache_control", "content"}, nested={"content": inner})
    return result


OUTPUT_KEYS = frozenset({"type", "stdout", "stderr", "return_code"})
MCP_CALL_KEYS = frozenset({"type", "id", "server_name", "name", "input", "cache_control"})
MCP_RESULT_KEYS = frozenset({"type", "tool_use_id", "is_error", "cache_control"})  # and its content, if that is a text


def _is_output(content: Object) -> bool:
    texts = isinstance(content.get("stdout"), str) and isinstance(content.get("stderr"), str)
    return texts and type(content.get("return_code")) is int


def mcp_call(block: Object) -> ir.Part:
    identity, server, name = (r.required(block, key, str) for key in ("id", "server_name", "name"))
    given, cache = r.required(block, "input", dict), marker(block)
    return ir.McpCall(identity, server, name, given, cache, block, r.extra_fields(block, MCP_CALL_KEYS))


def mcp_result(block: Object) -> ir.Part:
    """Return the result of an MCP tool, whose texts are joined; their boundaries and other content stay with this
    protocol."""
    content, failed = block.get("content"), r.optional(block, "is_error", bool)
    text: str | None = None
    if isinstance(content, str):
        text, known = content, MCP_RESULT_KEYS | {"content"}
    else:
        texts, known = None if content is None else ir.texts_of(r.required(block, "content", list)), MCP_RESULT_KEYS
        text = None if texts is None else "".join(texts)
    identity = r.required(block, "tool_use_id", str)
    return ir.McpResult(identity, text, failed, marker(block), block, r.extra_fields(block, known))


def vendor_block(block: Object) -> ir.Part:
    return ir.VendorPart(r.tag(block), block, block)


# --- text and citations -----------------------------------------------------------------------------------------------
# Content blocks of Anthropic Messages as parts; which of them may stand where is in the tables at the end.

Reader = Callable[[Object], ir.Part]
TEXT_KEYS = frozenset({"type", "text", "cache_control", "citations"})


def read_text(block: Object) -> ir.Part:
    text = block.get("text")
    if type(text) is not str:
        r.required(block, "text", str)
    if len(block) == 2:
        return ir.Text(text, None, None, block)  # type: ignore[arg-type]
    cited = r.optional(block, "citations", list)
    citations = r.each(range(len(cited)), lambda index: citation(cited, index)) if cited else None
    return ir.Text(text, citations, marker(block), block, r.extra_fields(block, TEXT_KEYS))  # type: ignore[arg-type]


def compaction(block: Object) -> ir.Part:
    """Return the summary of earlier turns as text, since it replaces them (CTX-2); a failed one has none."""
    summary = r.optional(block, "content", str)
    if not summary:
        return vendor_block(block)
    return ir.Text(summary, None, marker(block), block, r.extra_fields(block, {"content", "cache_control"}))


def citation(holder: Json, key: str | int) -> ir.Citation:
    """Return the citation at an index of an array, or under a name in an object."""
    cited = r.an_object(holder, key)
    kind = r.tag(cited)
    read = CITATIONS.get(kind)
    if read is None or (kind == wire.RESULT_CITATION and not is_web(cited.get("source"))):
        return ir.SourceCitation(kind, cited, cited)
    return read(cited)  # type: ignore[no-any-return]


CITATIONS = UnionReader(objects.CITATIONS).readers


def is_web(source: Json) -> bool:
    """Return whether the source of a search result is a web page; it may be any text."""
    return isinstance(source, str) and source.startswith(("https://", "http://"))


# --- media ------------------------------------------------------------------------------------------------------------


def _chunks(source: Object) -> ir.Source:
    return ir.Chunks(blocks(source, "content", CHUNKS), source, r.extra_fields(source, {"type", "content"}))


read_image = ObjectReader(objects.IMAGE)
read_document = ObjectReader(objects.DOCUMENT, {"source": UnionReader(objects.SOURCES, {"content": _chunks})})
read_search_result = ObjectReader(objects.SEARCH_RESULT, {"content": lambda block, key: blocks(block, key, ONLY_TEXT)})

# --- tools ------------------------------------------------------------------------------------------------------------

CALL_KEYS = frozenset({"type", "id", "name", "input", "cache_control"})


def read_call(block: Object) -> ir.Part:
    identity, name, given = block.get("id"), block.get("name"), block.get("input")
    if type(identity) is not str or type(name) is not str or type(given) is not dict:
        identity, name, given = r.required(block, "id", str), r.required(block, "name", str), _given(block)
    result = ir.FunctionCall(identity, name, given, None, block)
    if len(block) != 4:
        result.cache = marker(block)
        result.extra = r.extra_fields(block, CALL_KEYS)
    return result


def _given(block: Object) -> Object | str:
    """Return the input of a call; one that is no object is kept as text, which the rules judge as any other (TUL-1)."""
    given = block.get("input")
    if given is None and "input" in block:
        return ""
    if given == []:
        return "[]"
    return given if isinstance(given, str) else r.required(block, "input", dict)


RESULT_KEYS = frozenset({"type", "tool_use_id", "content", "is_error", "cache_control"})


def read_result(block: Object) -> ir.Part:
    content = block.get("content")
    if type(content) is dict:
        parts = [_only_block(block, content)]
    else:
        parts = [] if content is None else blocks(block, "content", RESULT_PARTS)
    call_id = block.get("tool_use_id")
    if type(call_id) is not str:
        call_id = r.required(block, "tool_use_id", str)
    result = ir.ToolResult(call_id, parts, None, None, block)
    if len(block) != 3 or content is None:
        result.is_error = r.optional(block, "is_error", bool)
        result.cache = marker(block)
        result.extra = r.extra_fields(block, RESULT_KEYS)
    return result


def _only_block(holder: Object, content: Object) -> ir.Part:
    """Return the only block of a result, or a tool's output as JSON text."""
    kind = content.get("type")
    if type(kind) is str and kind in RESULT_PARTS:
        return block(holder, "content", RESULT_PARTS)
    return ir.Text(r.json_text(holder, "content"), None, None, (holder, "content"))


# --- reasoning --------------------------------------------------------------------------------------------------------

THINKING_KEYS = frozenset({"type", "thinking", "signature"})


def read_thinking(block: Object) -> ir.Part:
    """Return signed thinking, even without text (RSN-4); the empty signature at a stream's start counts as none."""
    text, signature = block.get("thinking"), block.get("signature")
    if type(text) is not str or type(signature) is not str:
        text, signature = r.required(block, "thinking", str), r.optional(block, "signature", str)
    seal = read_seal(signature, wire.PROVIDER, "signature") if signature else None
    return ir.Reasoning(text, seal, block, r.extra_fields(block, THINKING_KEYS))


def read_redacted(block: Object) -> ir.Part:
    seal = read_seal(r.required(block, "data", str), wire.PROVIDER, "redacted")
    return ir.Reasoning(None, seal, block, r.extra_fields(block, {"type", "data"}))


# --- what may stand where ---------------------------------------------------------------------------------------------

ONLY_TEXT: dict[str, Reader] = {"text": read_text}
CHUNKS: dict[str, Reader] = {**ONLY_TEXT, "image": read_image}
MEDIA: dict[str, Reader] = {**CHUNKS, "document": read_document, "search_result": read_search_result}
RESULT_PARTS: dict[str, Reader] = {**MEDIA, **dict.fromkeys(wire.VENDOR_RESULT_PARTS, vendor_block)}
_ANYWHERE: dict[str, Reader] = {
    **ONLY_TEXT,
    wire.SERVER_CALL: hosted_call,
    wire.MCP_CALL: mcp_call,
    wire.MCP_RESULT: mcp_result,
    **dict.fromkeys(wire.HOSTED_RESULTS, hosted_result),
    wire.WEB_RESULT: web_result,
    **{f"{name}{wire.CODE_RESULT}": code_result for name in wire.CODE_RUNS},
    **dict.fromkeys(wire.VENDOR_BLOCKS, vendor_block),
}
USER: dict[str, Reader] = {
    **{kind: read for kind, read in _ANYWHERE.items() if kind not in wire.TOOL_CHANGES},
    **MEDIA,
    "tool_result": read_result,
}
ASSISTANT: dict[str, Reader] = {
    **_ANYWHERE,
    "thinking": read_thinking,
    "redacted_thinking": read_redacted,
    "tool_use": read_call,
}
REPLAYED = {**ASSISTANT, "compaction": compaction}
"""The assistant's blocks in a request."""


def change(block: Object) -> ir.Part:
    """Return a tool that the model has from here on, or no longer has (TUL-72)."""
    tool, removed = r.required(block, "tool", dict), block.get("type") == wire.TOOL_REMOVAL or None
    made = ir.ToolChange(None, None, None, removed, marker(block), block, r.extra_fields(block, CHANGE_KEYS))
    kind = r.tag(tool)
    if kind == wire.DEFINITION and not removed:
        made.tool, known = read_tool(r.required(tool, "definition", dict)), {"type", "definition"}
        if is_toolset(made.tool):
            made.tool = toolset(made.tool)
    elif kind in wire.TOOL_REFERENCES:
        known = {"type", *wire.TOOL_REFERENCES[kind]}
        made.name, made.server = (
            r.required(tool, key, str) if key in known else None for key in ("name", "server_name")
        )
        if made.name == wire.CODE_NAME:
            made.name = ir.KINDS[ir.CodeTool]
    else:
        return vendor_block(block)
    made.extra = r.extra_fields(block, CHANGE_KEYS, nested={"tool": r.kept(tool, known)})
    return made


CHANGE_KEYS = frozenset({"type", "tool", "cache_control"})
CHANGES: dict[str, Reader] = dict.fromkeys(wire.TOOL_CHANGES, change)
"""The blocks that change the tools; few messages have any, so they are in a table of their own."""


def read_instructions(block: Object) -> ir.Part:
    """Return a block of the system prompt: text, or a line that a client adds for the vendor's billing (PLC-60)."""
    text = block.get("text")
    if type(text) is str and text.startswith(wire.BILLING) and "\n" not in text.strip():
        return ir.VendorPart(ir.BOOKKEEPING, block, block)
    return read_text(block)


TOP: dict[str, Reader] = {"text": read_instructions}
SYSTEM: dict[str, Reader] = {**ONLY_TEXT, **dict.fromkeys(wire.VENDOR_BLOCKS - wire.TOOL_CHANGES, vendor_block)}
EVERYWHERE = USER.keys() | ASSISTANT.keys() | RESULT_PARTS.keys()


def blocks(holder: Object, key: str, table: Mapping[str, Reader]) -> list[ir.Part]:
    """Return the parts of a string, which is one text block, or of an array of blocks that `table` allows."""
    content = holder.get(key)
    if type(content) is str:
        return [ir.Text(content, None, None, (holder, key))]
    listed: list[Json] = content if type(content) is list else r.required(holder, key, list)
    parts = r.tagged(listed, "type", table)
    return r.each(range(len(listed)), lambda index: block(listed, index, table)) if parts is None else parts


def block(holder: Json, key: str | int, table: Mapping[str, Reader]) -> ir.Part:
    """Return the part of the block at an index of an array, or under a name in an object."""
    if isinstance(key, str) and holder.get(key) is None:
        raise r.missing(holder, key)
    found = holder[key]
    if type(found) is not dict:
        found = r.an_object(holder, key)
    kind = found.get("type")
    read = table.get(kind) if type(kind) is str else None
    if read is not None:
        return read(found)
    kind = r.tag(found)
    if kind in EVERYWHERE:
        raise r.wrong(
            found, "type", "one of the block types that are allowed here: " + ", ".join(sorted(table)), "SHP-5"
        )
    return ir.UnknownPart(kind, found, found)
