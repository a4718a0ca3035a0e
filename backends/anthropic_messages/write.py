"""Writes requests, responses, errors and their content as Anthropic Messages: canonical output, from a legal tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from proxai_ir import ir
from proxai_ir.ir.envelope import seal_text
from proxai_ir.ir.response import UNKNOWN
from proxai_ir.targets.settings import Server
from proxai_ir.wire import anthropic_messages as wire
from proxai_ir.wire import anthropic_messages_objects as objects

from .._lib.objects import ObjectWriter, UnionWriter
from .._lib.writing import Json, Object, arguments, filler, put, raw, whole, with_extra
from .rows import generated_id

# --- parts ------------------------------------------------------------------------------------------------------------

CACHE = ObjectWriter(objects.CACHE)


def finish(block: Object, part: Any) -> Object:
    """Return a block with its cache breakpoint and its unmapped members."""
    if part.cache is not None:
        block["cache_control"] = CACHE.write(part.cache)
    return with_extra(block, part)


def _text(part: ir.Text) -> Object:
    block: Object = {"type": "text", "text": part.text}
    if part.citations:
        block["citations"] = [citation(one) for one in part.citations]
    if part.cache is not None or part.extra is not None:
        finish(block, part)
        if block["type"] == "compaction":  # a summary of earlier turns
            block["content"] = block.pop("text")
    return block


def citation(one: ir.Citation) -> Object:
    """Return a citation: a sealed one is of a page that the provider found, others are of the request's sources."""
    if isinstance(one, ir.SourceCitation):
        return one.raw
    kind: Any = one.unit if isinstance(one, ir.DocumentCitation) else one.seal is None
    return CITATIONS[kind].write(one)


CITATIONS = {
    made.fixed.get("unit", kind == wire.RESULT_CITATION): ObjectWriter(made)
    for kind, made in objects.CITATIONS.alternatives.items()
    if made
}

# --- media ------------------------------------------------------------------------------------------------------------


def _chunks(source: ir.Chunks) -> Object:
    return with_extra({"type": "content", "content": content(source.parts)}, source)


# --- tools and reasoning ----------------------------------------------------------------------------------------------


def call(part: ir.FunctionCall) -> Object:
    given = part.arguments
    if type(given) is not dict:
        given = arguments(given, (part, "arguments"))
    block: Object = {"type": "tool_use", "id": part.id, "name": part.name, "input": given}
    return block if part.cache is None and part.extra is None else finish(block, part)


def _result(part: ir.ToolResult) -> Object:
    block: Object = {"type": "tool_result", "tool_use_id": part.call_id}
    if part.parts:
        block["content"] = content(part.parts)
    if part.is_error is not None:
        block["is_error"] = part.is_error
    return block if part.cache is None and part.extra is None else finish(block, part)


def _reasoning(part: ir.Reasoning) -> Object:
    """Return thinking with its signature, or sealed as a whole (RSN-4)."""
    seal = part.seal
    data = "" if seal is None else seal_text(seal, wire.PROVIDER)
    block: Object
    if part.text is None and (seal is None or seal.kind != "signature"):
        block = {"type": "redacted_thinking", "data": data}
    else:
        block = {"type": "thinking", "thinking": part.text or "", "signature": data}
    return with_extra(block, part)


def _refusal(part: ir.Refusal) -> Object:
    """Return text, or the call by which an older model declined (REF-10)."""
    older = older_call(part)
    if older is None:
        return with_extra({"type": "text", "text": part.text}, part)
    wording = next((key for key, value in older["input"].items() if isinstance(value, str)), None)
    return older if wording is None else {**older, "input": {**older["input"], wording: part.text}}


def older_call(part: ir.Refusal) -> Object | None:
    return None if part.extra is None else (part.extra.fields or {}).get("tool_use")


def _web_search(part: ir.WebSearchCall) -> Object:
    """Return a search for one query, or the call that opens a page."""
    name, given = wire.WEB_SEARCH, {"query": part.queries[0]} if part.queries else {}
    if part.page is not None:
        name, given = wire.WEB_FETCH, {"url": part.page}
    return finish({"type": wire.SERVER_CALL, "id": part.id, "name": name, "input": given}, part)


def _web_result(part: ir.WebSearchResult) -> Object:
    content: Any = [HIT.write(hit) for hit in part.hits]
    kind = wire.WEB_RESULT if part.page is None else wire.FETCH_RESULT
    if part.page is not None:
        text = {"type": "text", "media_type": wire.PLAIN, "data": ""}
        content = {"type": wire.FETCHED, "url": part.page, "content": {"type": "document", "source": text}}
    if part.error is not None:
        content = {"type": f"{kind}_error", "error_code": part.error}
    return finish({"type": kind, "tool_use_id": part.call_id, "content": content}, part)


HIT = ObjectWriter(objects.WEB_HIT)


def mcp_call(part: ir.McpCall) -> Object:
    given = part.arguments
    if type(given) is not dict:
        given = arguments(given, (part, "arguments"))
    block: Object = {
        "type": wire.MCP_CALL,
        "id": part.id,
        "name": part.name,
        "server_name": part.server,
        "input": given,
    }
    return finish(block, part)


def _mcp_result(part: ir.McpResult) -> Object:
    block: Object = {
        "type": wire.MCP_RESULT,
        "tool_use_id": part.call_id,
        "content": part.text or "",
        "is_error": bool(part.is_error),
    }
    finish(block, part)
    texts = ir.texts_of(block["content"])
    if texts is not None and "".join(texts) != part.text:  # the text has been edited
        block["content"] = part.text or ""
    return block


def _code_call(part: ir.CodeCall) -> Object:
    name, member = wire.RUN_OF[part.language]
    return finish({"type": wire.SERVER_CALL, "id": part.id, "name": name, "input": {member: part.code}}, part)


def _code_result(part: ir.CodeResult) -> Object:
    name, _ = wire.RUN_OF[part.language]
    content: Object = {"type": f"{name}{wire.CODE_ERROR}", "error_code": part.error}
    if part.error is None:
        content = {
            "type": f"{name}_result",
            "stdout": part.stdout,
            "stderr": part.stderr or "",
            "return_code": part.exit_code,
            "content": [],
        }
    return finish({"type": f"{name}{wire.CODE_RESULT}", "tool_use_id": part.call_id, "content": content}, part)


def summary_block(text: str | None) -> Object:
    """Return the only block of a response to `compaction`."""
    return {"type": wire.COMPACTION, "content": text}


BUILD: dict[type, Callable[[Any], Object]] = {
    ir.Text: _text,
    ir.Image: ObjectWriter(objects.IMAGE),
    ir.Document: ObjectWriter(objects.DOCUMENT, {"source": UnionWriter(objects.SOURCES, {ir.Chunks: _chunks})}),
    ir.SearchResult: ObjectWriter(
        objects.SEARCH_RESULT, {"content": lambda part: [BUILD[type(one)](one) for one in part.parts]}
    ),
    ir.FunctionCall: call,
    ir.ToolResult: _result,
    ir.Reasoning: _reasoning,
    ir.Refusal: _refusal,
    ir.Audio: lambda part: {"type": "text", "text": part.transcript},
    ir.HostedCall: raw,
    ir.HostedResult: raw,
    ir.WebSearchCall: _web_search,
    ir.WebSearchResult: _web_result,
    ir.McpCall: mcp_call,
    ir.McpResult: _mcp_result,
    ir.CodeCall: _code_call,
    ir.CodeResult: _code_result,
    ir.VendorPart: lambda part: summary_block(part.raw["text"]) if part.kind == ir.SUMMARY else raw(part),
    ir.UnknownPart: raw,
}


def content(parts: list[Any]) -> str | list[Object]:
    """Return a string for one plain text, else an array of blocks."""
    if len(parts) == 1:
        only = parts[0]
        if type(only) is ir.Text and only.cache is None and only.extra is None and not only.citations:
            return only.text
    blocks: list[Object] = []
    for part in parts:
        if type(part) is ir.Text and part.extra is None and part.cache is None and part.citations is None:
            blocks.append({"type": "text", "text": part.text})
        else:
            blocks.append(BUILD[type(part)](part))
    return blocks


ROLES = {ir.Role.USER: "user", ir.Role.ASSISTANT: "assistant", ir.Role.SYSTEM: "system", ir.Role.DEVELOPER: "system"}


def message(turn: ir.Turn) -> Object:
    built: Object = {"role": ROLES[turn.role], "content": content(turn.parts)}
    if turn.settings is not None:
        thinking = turn.settings.thinking
        if thinking is not None and thinking.effort is not None:
            built["output_config"] = {"effort": thinking.effort.value}
        if turn.settings.passing:
            built["clear_at"] = wire.NEXT_MESSAGE
    return built if turn.extra is None else with_extra(built, turn)


# --- tools ------------------------------------------------------------------------------------------------------------


def put_tools(built: Object, request: ir.Request) -> None:
    """Write the tools; an MCP server has a list of its own, and its toolset, which enables its tools, is a tool."""
    made: list[Object] = []
    servers: list[Object] = []
    listed = {tool.server for tool in request.tools or () if isinstance(tool, ir.McpToolset)}
    if request.changes:
        changes = [part for turn in request.turns or () for part in turn.parts if type(part) is ir.ToolChange]
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


def _change(part: ir.ToolChange) -> Object:
    """Return the block that gives the model a tool, or takes it away."""
    if part.tool is not None:
        tool: Object = {"type": wire.DEFINITION, "definition": _definition(part.tool)}
    else:
        name = wire.CODE_NAME if part.name == ir.KINDS[ir.CodeTool] else part.name
        named = put({}, name=name, server_name=part.server)
        kind = next(kind for kind, keys in wire.TOOL_REFERENCES.items() if {*keys} == {*named})
        tool = {"type": kind, **named}
    return finish({"type": wire.TOOL_REMOVAL if part.removed else wire.TOOL_ADDITION, "tool": tool}, part)


BUILD[ir.ToolChange] = _change
FUNCTION_TOOL, WEB_SEARCH = ObjectWriter(wire.FUNCTION_TOOL), ObjectWriter(wire.WEB_SEARCH_DEFINITION)
CONFIGURED = "tool_configuration"  # in the older beta, in place of a toolset


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


def put_choice(built: Object, request: ir.Request) -> None:
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


# --- request ----------------------------------------------------------------------------------------------------------


def raise_request(request: ir.Request, server: Server) -> Object:
    model = request.model if request.model is not None else server.model
    built: Object = {} if model is None else {"model": model}
    if request.max_tokens is not None:
        built["max_tokens"] = request.max_tokens
    turns = request.turns or []
    if turns and turns[0].role is ir.SYSTEM and not _in_messages(turns[0]):
        built["system"] = content(turns[0].parts)
        turns = turns[1:]
    messages = built["messages"] = []
    for turn in turns:
        messages.append(message(turn))  # noqa: PERF401 - a comprehension is a call more, and most are short
    if request.tools:
        put_tools(built, request)
    put_choice(built, request)
    if request.sampling is not None:
        put_sampling(built, request.sampling)
    if request.thinking is not None:
        _thinking(built, request.thinking)
    if request.output is not None:
        _output(built, request.output)
    if request.caching is not None:
        _caching(built, request.caching)
    if request.service is not None:
        _service(built, request.service)
    if request.streaming is not None and request.streaming.stream is not None:
        built["stream"] = request.streaming.stream
    if request.summary is not None:
        asked = put({"type": wire.SUMMARIZE}, instructions=request.summary.instructions)
        built["compaction"] = with_extra(asked, request.summary)
    return with_extra(built, request)


def _in_messages(instructions: ir.Turn) -> bool:
    """Return whether instructions have members that only a message can have: settings, or blocks of this vendor's."""
    if instructions.extra is not None or instructions.settings is not None:
        return True
    return any(
        type(part) is ir.ToolChange or (type(part) is ir.VendorPart and part.kind != ir.BOOKKEEPING)
        for part in instructions.parts
    )


put_sampling = filler(temperature="temperature", top_p="top_p", top_k="top_k", stop_sequences="stop")


def _thinking(built: Object, thinking: ir.Thinking) -> None:
    mode, display = thinking.mode, thinking.display
    if mode is not None or display is not None or thinking.budget is not None:
        built["thinking"] = put(
            {},
            type=None if mode is None else mode.value,
            budget_tokens=thinking.budget,
            display=None if display is None else display.value,
        )
    if thinking.effort is not None:
        built["output_config"] = {"effort": thinking.effort.value}


def _output(built: Object, output: ir.Output) -> None:
    wanted = output.format
    if isinstance(wanted, ir.SchemaFormat):
        made = with_extra({"type": "json_schema", "schema": wanted.schema}, wanted)
        built.setdefault("output_config", {})["format"] = made


def _caching(built: Object, caching: ir.Caching) -> None:
    if caching.automatic:
        built["cache_control"] = CACHE.write(ir.Cache(caching.lifetime))
    with_extra(built, caching)


def _service(built: Object, service: ir.Service) -> None:
    if service.tier is not None:
        built["service_tier"] = wire.REQUEST_TIER_OF[service.tier]
    if service.fast is not None:
        built["speed"] = wire.SPEED_OF[service.fast]
    if service.end_user is not None:
        built["metadata"] = {"user_id": service.end_user}


def headers(root: ir.Request, server: Server) -> dict[str, str]:
    """Return the API version and the betas that the request needs (TUL-24, RSN-46, TUL-27)."""
    needed = {"anthropic-version": server.version}
    betas = [wire.MCP_BETA] if any(isinstance(tool, ir.McpServer) for tool in root.tools or ()) else []
    if root.changes and any(turn.settings is not None and turn.settings.thinking for turn in root.turns or ()):
        betas.append(wire.TURN_SETTINGS_BETA)
    if betas:
        needed["anthropic-beta"] = ",".join(betas)
    return needed


# --- response ---------------------------------------------------------------------------------------------------------


def raise_response(response: ir.Response, server: Server) -> Object:
    candidate = response.candidates[0]
    turn = candidate.turns[0] if candidate.turns else ir.Turn(ir.ASSISTANT, [])
    built: Object = {} if response.id is None else {"id": response.id}
    built["type"], built["role"] = "message", "assistant"
    if response.model is not None:
        built["model"] = response.model
    blocks = built["content"] = []
    for part in turn.parts:
        block = BUILD[type(part)](part)
        if type(part) is ir.FunctionCall and part.id is None:
            block["id"] = generated_id(response.id or "", len(blocks))
        blocks.append(block)
    own = response.protocol == wire.NAME
    wording = None if own else "".join(part.text for part in turn.parts if isinstance(part, ir.Refusal))
    built.update(ending(candidate.terminal, wording, next(iter(turn.parts), None)))
    if own and any(isinstance(part, ir.Refusal) and older_call(part) for part in turn.parts):
        built["stop_reason"] = candidate.terminal.raw  # its own word, although the response has a call
    if response.usage is not None:
        built["usage"] = raise_usage(response.usage, response)
    return with_extra(built, response)


# --- how it ended -----------------------------------------------------------------------------------------------------

NO_DETAILS = ir.RefusalDetails()


def ending(terminal: ir.Terminal, wording: str | None = None, part: ir.Part | None = None) -> Object:
    """Return the members that state how a response ended.

    `wording`: the text of another protocol's refusal, which explains the ending if the provider does not; None for an
    ending of this protocol, whose own word is written again. `part`: a part of the content; a summary ends with a word
    of its own.
    """
    reason, details = terminal.reason, terminal.refusal
    own = wording is None and wire.REASON.get(terminal.raw or "", UNKNOWN) is reason
    word = wire.COMPACTION if type(part) is ir.VendorPart and part.kind == ir.SUMMARY else wire.STOP_OF[reason]
    built: Object = {"stop_reason": terminal.raw if own else word}
    if details is not None or (wording is not None and (reason is ir.REFUSAL or terminal.message is not None)):
        details = details or NO_DETAILS
        explanation = details.explanation if details.explanation is not None else terminal.message or wording or None
        stated = {"type": "refusal", "category": details.category, "explanation": explanation}
        built["stop_details"] = with_extra(stated, details)
    built["stop_sequence"] = terminal.stop_sequence
    return with_extra(built, terminal)


# --- usage ------------------------------------------------------------------------------------------------------------

USAGE = ObjectWriter(wire.USAGE)


def raise_usage(usage: ir.Usage, response: ir.Response | None = None) -> Object:
    """Return usage, with the tier and speed of the response; a legal usage has all required counts (USE-5)."""
    built = USAGE.write(usage)
    if response is not None:
        if response.tier is not None:
            built["service_tier"] = wire.RESPONSE_TIER_OF[response.tier]
        if response.fast is not None:
            built["speed"] = wire.SPEED_OF[response.fast]
    return built


# --- error ------------------------------------------------------------------------------------------------------------


def raise_error(error: ir.Error, server: Server) -> Json:
    if error.verbatim:
        return whole(error)
    built: Object = {"type": "error", "error": {"type": wire.ERROR_TYPE_OF[error.category], "message": error.message}}
    return with_extra(put(built, request_id=error.request_id), error)
