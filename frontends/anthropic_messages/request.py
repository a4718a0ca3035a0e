"""An Anthropic Messages request into the IR, member by member, by the READERS table at the end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any

from proxai_ir import ir
from proxai_ir.wire import anthropic_messages as wire

from .._lib import reading as r
from .._lib.reading import Json, Object
from .._lib.settings import CACHING, OUTPUT, SAMPLING, SERVICE, STREAMING, THINKING, Read, read_members, setting, word
from .parts import (
    CHANGES,
    REPLAYED,
    SYSTEM,
    TOP,
    USER,
    WORDS,
    Reader,
    blocks,
    marker,
    read_choice,
    read_servers,
    read_tool,
)

RUN: dict[str, tuple[type, Any]] = {
    wire.WEB_SEARCH: (ir.WebSearchTool, ir.WebSearchChoice),
    wire.CODE_NAME: (ir.CodeTool, ir.CodeChoice),
}
"""The tools that the provider runs itself, by name, and the choices that force them."""


def lower_request(payload: Object) -> ir.Request:
    """Return the IR of a request body; raises Refusal with everything that is wrong with it."""
    request = ir.Request(wire.NAME)
    request.src = payload
    read_members(request, payload, READERS)
    if request.turns is None or request.max_tokens is None:
        raise r.missing(payload, "messages" if request.turns is None else "max_tokens")
    choice = request.tool_choice
    if type(choice) is ir.NamedChoice and choice.name in RUN:
        forced, forcing = RUN[choice.name]
        if any(type(tool) is forced for tool in request.tools or ()):
            request.tool_choice = forcing(choice.src, choice.extra)
    if request.turns and (last := request.turns[-1]).role is ir.Role.ASSISTANT:
        request.prefill = not (last.recap and len(last.parts) == 1) or None  # a summary alone is responded to
    return request


# --- turns ------------------------------------------------------------------------------------------------------------


def _messages(request: ir.Request, payload: Object) -> None:
    messages = payload["messages"]
    if type(messages) is not list:
        messages = r.required(payload, "messages", list)
    turns = r.tagged(messages, "role", READ_TURN)
    if turns is None:
        turns = r.each(range(len(messages)), lambda index: _message(messages, index))
    request.turns = turns if request.turns is None else request.turns + turns
    if True in map(RECAP, turns):
        request.recaps = True
    if any(map(SETTINGS, turns)):
        request.changes = True
        _wait(turns)


RECAP, SETTINGS = attrgetter("recap"), attrgetter("settings")
INSTRUCTIONS = ir.Role.SYSTEM


def _system(request: ir.Request, payload: Object) -> None:
    if type(payload["system"]) is not str and not isinstance(payload["system"], (str, list)):
        raise r.wrong(payload, "system", "a string or an array of text blocks")
    turn = ir.Turn(INSTRUCTIONS, blocks(payload, "system", TOP), None, (payload, "system"))
    request.turns = [turn] if request.turns is None else [turn, *request.turns]


def _message(messages: list[Json], index: int) -> ir.Turn:
    """Return the turn of a message, or refuse what is wrong with it."""
    message = r.an_object(messages, index)
    read = READ_TURN.get(r.required(message, "role", str))
    if read is None:
        raise r.wrong(message, "role", "one of " + ", ".join(READ_TURN), "SHP-3")
    return read(message)


def turn_of(role: ir.Role, table: Mapping[str, Reader]) -> Callable[[Object], ir.Turn]:
    def read(message: Object) -> ir.Turn:
        content = message.get("content")
        if type(content) is str:
            parts: list[ir.Part] = [ir.Text(content, None, None, (message, "content"))]
        elif type(content) is list:
            read_parts = r.tagged(content, "type", table)
            if read_parts is None:
                return _changing(message, role, table)
            parts = read_parts
        elif content is None:
            raise r.missing(message, "content")
        else:
            raise r.wrong(message, "content", "a string or an array of blocks")
        turn = ir.Turn(role, parts, None, message)
        if len(message) != 2:
            turn.extra = r.extra_fields(message, {"role", "content"})
        return turn

    return read


def _changing(message: Object, role: ir.Role, table: Mapping[str, Reader]) -> ir.Turn:
    """Return the turn of a message with blocks that change the tools, or that `table` does not have."""
    turn = ir.Turn(role, blocks(message, "content", {**table, **CHANGES}), None, message)
    turn.extra = r.extra_fields(message, {"role", "content"})
    if any(type(part) is ir.ToolChange for part in turn.parts):
        turn.settings = ir.TurnSettings(src=message)
    return turn


def _system_turn(message: Object) -> ir.Turn:
    """Return instructions among the messages; such a message may have settings of the turn only, and no content."""
    if len(message) == 2 and "content" in message:
        return _instructions(message)
    config = r.optional(message, "output_config", dict)
    if message.get("content") is None and config and any(value is not None for value in config.values()):
        turn = ir.Turn(ir.Role.SYSTEM, [], None, message)
    else:
        turn = _instructions(message)
    settings = ir.TurnSettings(src=message)
    known = {"role", "content", "output_config"}
    others = None
    if message.get("clear_at") == wire.NEXT_MESSAGE:
        settings.passing = True
        known.add("clear_at")
    if config is not None:
        effort = r.pick(wire.EFFORT, config, "effort")
        others = r.extra_fields(config, set() if effort is None else {"effort"})
        if effort is not None:
            settings.thinking = ir.Thinking(effort=effort, src=message)
    turn.extra = r.extra_fields(message, known, nested={"output_config": others})
    if turn.settings is not None or settings != ir.TurnSettings():
        turn.settings = settings
    return turn


def _wait(turns: list[ir.Turn]) -> None:
    """Mark settings as pending if no user input stands just before them or anywhere after them; tool results are no
    input."""
    heard = False  # whether there is later input
    for before, turn in zip(reversed([None, *turns[:-1]]), reversed(turns), strict=True):
        if turn.settings is not None and turn.settings.thinking is not None:
            turn.settings.pending = not (heard or (before is not None and _is_input(before))) or None
        heard = heard or _is_input(turn)


def _is_input(turn: ir.Turn) -> bool:
    return turn.role is ir.Role.USER and any(type(part) is not ir.ToolResult for part in turn.parts)


def _assistant_turn(message: Object) -> ir.Turn:
    """Return the assistant's turn, as a recap if it begins with a summary: the provider ignores all that precedes
    one."""
    turn = _replayed(message)
    if turn.parts and turn.parts[0].extra is not None and message["content"][0].get("type") == wire.COMPACTION:
        turn.recap = type(turn.parts[0]) is ir.Text or None
    return turn


_instructions, _replayed = turn_of(ir.Role.SYSTEM, SYSTEM), turn_of(ir.Role.ASSISTANT, REPLAYED)
READ_TURN: dict[str, Callable[[Object], ir.Turn]] = {
    "user": turn_of(ir.Role.USER, USER),
    "assistant": _assistant_turn,
    "system": _system_turn,
}

# --- settings ---------------------------------------------------------------------------------------------------------


def _thinking(request: ir.Request, payload: Object) -> None:
    value = r.required(payload, "thinking", dict)
    thinking = THINKING(request, payload)
    thinking.mode = r.pick(wire.THINKING, value, "type")
    thinking.budget = r.optional(value, "budget_tokens", int)
    thinking.display = r.pick(wire.DISPLAY, value, "display")
    known = {"budget_tokens"}
    known |= {"type"} if thinking.mode else set()
    known |= {"display"} if thinking.display else set()
    _keep_inner(request, "thinking", r.extra_fields(value, known))


def _output_config(request: ir.Request, payload: Object) -> None:
    value = r.required(payload, "output_config", dict)
    known: set[str] = set()
    effort = r.pick(wire.EFFORT, value, "effort")
    if effort is not None:
        known.add("effort")
        THINKING(request, payload).effort = effort
    wanted = r.optional(value, "format", dict)
    if wanted is not None and wanted.get("type") == "json_schema":
        known.add("format")
        OUTPUT(request, payload).format = _schema(wanted)
    _keep_inner(request, "output_config", r.extra_fields(value, known))


def _schema(value: Object) -> ir.SchemaFormat:
    """Return the format of a schema, which this protocol always enforces."""
    return ir.SchemaFormat(
        r.json_schema(r.required(value, "schema", dict)),
        None,
        None,
        True,
        value,
        r.extra_fields(value, {"type", "schema"}),
    )


def _output_format(request: ir.Request, payload: Object) -> None:
    """Read the beta's older member for the format, which is only kept if the newer one is present."""
    value = r.required(payload, "output_format", dict)
    output = OUTPUT(request, payload)
    newer = r.optional(r.optional(payload, "output_config", dict) or {}, "format", dict) or {}
    if value.get("type") != "json_schema" or newer.get("type") == "json_schema":
        r.keep(request, "output_format", value)
        return
    output.format = _schema(value)


def _keep_inner(request: ir.Request, key: str, inner: ir.Extra | None) -> None:
    if inner is not None and inner.fields:
        r.keep(request, key, inner.fields)


def _caching(request: ir.Request, payload: Object) -> None:
    caching = CACHING(request, payload)
    caching.automatic = True
    cache = marker(payload)
    if cache is not None:
        caching.lifetime = cache.ttl
        if cache.extra is not None:
            caching.extra = ir.Extra({"cache_control": cache.extra.fields})


def _metadata(request: ir.Request, payload: Object) -> None:
    value = r.required(payload, "metadata", dict)
    user = r.optional(value, "user_id", str)
    if user is not None:
        SERVICE(request, payload).end_user = user
    _keep_inner(request, "metadata", r.extra_fields(value, {"user_id"}))


# --- tools ------------------------------------------------------------------------------------------------------------


def _tools(request: ir.Request, payload: Object) -> None:
    """Read the tools and the MCP servers together, since toolsets among the tools select those of a server."""
    listed, servers = r.optional(payload, "tools", list), r.optional(payload, "mcp_servers", list)
    if listed is not None:
        request.tools = r.each_object(listed, read_tool)
    if servers is not None:
        changes = [part for turn in request.turns or () for part in turn.parts if type(part) is ir.ToolChange]
        later = [change.tool for change in changes if type(change.tool) is ir.McpToolset]
        defined = read_servers(servers, request.tools or [], later) if servers else None
        if defined is None:
            r.keep(request, "mcp_servers", servers)
        else:
            request.tools = defined


def _servers(request: ir.Request, payload: Object) -> None:
    """Read the MCP servers of a request without tools; `_tools` reads the others."""
    if payload.get("tools") is None:
        _tools(request, payload)


def _tool_choice(request: ir.Request, payload: Object) -> None:
    if isinstance(word := payload["tool_choice"], str) and word in WORDS:
        request.tool_choice = ir.Choice(WORDS[word], (payload, "tool_choice"))
        return
    choice, request.parallel_tools = read_choice(r.required(payload, "tool_choice", dict))
    if choice is None:
        r.keep(request, "tool_choice", payload["tool_choice"])
        request.parallel_tools = None
    request.tool_choice = choice


def _compaction(request: ir.Request, payload: Object) -> None:
    """Read the request for a summary of the conversation in place of its next turn."""
    value = r.required(payload, "compaction", dict)
    if value.get("type") != wire.SUMMARIZE:
        r.keep(request, "compaction", value)
        return
    request.summary = ir.Summary(r.optional(value, "instructions", str), value)
    request.summary.extra = r.extra_fields(value, {"type", "instructions"})


READERS: dict[str, Read] = {
    "model": setting(None, "model", "model", str),
    "compaction": _compaction,
    "max_tokens": setting(None, "max_tokens", "max_tokens", int),
    "messages": _messages,
    "system": _system,
    "tools": _tools,
    "mcp_servers": _servers,
    "tool_choice": _tool_choice,
    "temperature": setting(SAMPLING, "temperature", "temperature", r.number),
    "top_p": setting(SAMPLING, "top_p", "top_p", r.number),
    "top_k": setting(SAMPLING, "top_k", "top_k", int),
    "stop_sequences": setting(SAMPLING, "stop", "stop_sequences", r.strings),
    "thinking": _thinking,
    "output_config": _output_config,
    "output_format": _output_format,
    "cache_control": _caching,
    "metadata": _metadata,
    "service_tier": word(SERVICE, "tier", "service_tier", wire.REQUEST_TIER),
    "speed": word(SERVICE, "fast", "speed", wire.SPEED),
    "stream": setting(STREAMING, "stream", "stream", bool),
}
