"""An Anthropic Messages request into the IR, member by member: the READERS table at the end says what each becomes."""

from __future__ import annotations

from typing import Any

from proxai_ir.ir import request as ir
from proxai_ir.ir.node import Own
from proxai_ir.ir.turns import Role, Turn
from proxai_ir.wire import anthropic_messages as wire

from ..reading import (
    Json,
    Object,
    an_object,
    constant,
    each,
    keep,
    missing,
    number,
    optional,
    own,
    pick,
    required,
    spell,
    strings,
    wrong,
)
from ..settings import CACHING, OUTPUT, SAMPLING, SERVICE, STREAMING, THINKING, Read, itself, setting, word
from .parts import ASSISTANT, ONLY_TEXT, SYSTEM, USER, blocks, marker
from .tools import read_choice, read_tool


def lower_request(payload: Object) -> ir.Request:
    """The IR of a request body; raises Refusal with everything that is wrong with it."""
    request = ir.Request(wire.NAME)
    request.src = payload
    each(list(payload), lambda key: _member(request, payload, key))
    for key, value in (("messages", request.turns), ("max_tokens", request.max_tokens)):
        if value is None:
            raise missing(payload, key)
    return request


def _member(request: ir.Request, payload: Object, key: str) -> None:
    if payload[key] is None:
        return
    read = READERS.get(key)
    if read is None:
        keep(request, key, payload[key])
    else:
        read(request, payload)


# --- turns ------------------------------------------------------------------------------------------------------------


def _messages(request: ir.Request, payload: Object) -> None:
    messages = required(payload, "messages", list)
    turns = each(range(len(messages)), lambda index: _message(messages, index))
    request.turns = [*(request.turns or []), *turns]


def _system(request: ir.Request, payload: Object) -> None:
    if not isinstance(payload["system"], (str, list)):
        raise wrong(payload, "system", "a string or an array of text blocks")
    turn = Turn(Role.SYSTEM, blocks(payload, "system", ONLY_TEXT), None, (payload, "system"))
    request.turns = [turn, *(request.turns or [])]


def _message(messages: list[Json], index: int) -> Turn:
    message = messages[index]
    if message.__class__ is not dict:
        an_object(messages, index)
    role = message.get("role")
    known = ROLES.get(role) if role.__class__ is str else None
    if known is None:
        required(message, "role", str)
        raise wrong(message, "role", "one of " + ", ".join(ROLES), "SHP-3")
    if not isinstance(message.get("content"), (str, list)):
        raise missing(message, "content") if message.get("content") is None else wrong(
            message, "content", "a string or an array of blocks"
        )
    turn = Turn(known[0], blocks(message, "content", known[1]), None, message)
    if len(message) != 2:
        turn.own = own(message, {"role", "content"})
    if turn.role is Role.SYSTEM:
        spell(turn, "message")
    return turn


ROLES: dict[str, tuple[Role, Any]] = {
    "user": (Role.USER, USER),
    "assistant": (Role.ASSISTANT, ASSISTANT),
    "system": (Role.SYSTEM, SYSTEM),
}

# --- settings ---------------------------------------------------------------------------------------------------------


def _thinking(request: ir.Request, payload: Object) -> None:
    value = required(payload, "thinking", dict)
    thinking = THINKING(request, payload)
    thinking.mode = pick(wire.THINKING, value, "type")
    thinking.budget = optional(value, "budget_tokens", int)
    thinking.display = pick(wire.DISPLAY, value, "display")
    known = {"budget_tokens"}
    known |= {"type"} if thinking.mode else set()
    known |= {"display"} if thinking.display else set()
    _keep_inner(request, "thinking", own(value, known))


def _output_config(request: ir.Request, payload: Object) -> None:
    value = required(payload, "output_config", dict)
    known: set[str] = set()
    effort = pick(wire.EFFORT, value, "effort")
    if effort is not None:
        known.add("effort")
        THINKING(request, payload).effort = effort
    wanted = optional(value, "format", dict)
    if wanted is not None and wanted.get("type") == "json_schema":
        known.add("format")
        OUTPUT(request, payload).format = _schema(wanted)
    _keep_inner(request, "output_config", own(value, known))


def _schema(value: Object) -> ir.SchemaFormat:
    return ir.SchemaFormat(required(value, "schema", dict), None, None, None, value, own(value, {"type", "schema"}))


def _output_format(request: ir.Request, payload: Object) -> None:
    """The beta's older place for the format."""
    value = required(payload, "output_format", dict)
    output = OUTPUT(request, payload)
    if value.get("type") != "json_schema" or output.format is not None:
        keep(request, "output_format", value)
        return
    output.format = _schema(value)
    spell(output, "output_format")


def _keep_inner(request: ir.Request, key: str, inner: Own | None) -> None:
    if inner is not None and inner.patch:
        keep(request, key, inner.patch)


def _caching(request: ir.Request, payload: Object) -> None:
    caching = CACHING(request, payload)
    caching.automatic = True
    caching.lifetime = marker(payload)


def _metadata(request: ir.Request, payload: Object) -> None:
    value = required(payload, "metadata", dict)
    user = optional(value, "user_id", str)
    if user is not None:
        SERVICE(request, payload).end_user = user
    _keep_inner(request, "metadata", own(value, {"user_id"}))


def _stream(request: ir.Request, payload: Object) -> None:
    STREAMING(request, payload).stream = optional(payload, "stream", bool)


# --- tools ------------------------------------------------------------------------------------------------------------


def _tools(request: ir.Request, payload: Object) -> None:
    listed = required(payload, "tools", list)
    request.tools = each(range(len(listed)), lambda index: read_tool(listed, index))


def _tool_choice(request: ir.Request, payload: Object) -> None:
    choice, request.parallel_tools = read_choice(required(payload, "tool_choice", dict))
    if choice is None:
        keep(request, "tool_choice", payload["tool_choice"])
        request.parallel_tools = None
    request.tool_choice = choice


READERS: dict[str, Read] = {
    "model": setting(itself, "model", "model", str),
    "max_tokens": setting(itself, "max_tokens", "max_tokens", int),
    "messages": _messages,
    "system": _system,
    "tools": _tools,
    "tool_choice": _tool_choice,
    "temperature": setting(SAMPLING, "temperature", "temperature", number),
    "top_p": setting(SAMPLING, "top_p", "top_p", number),
    "top_k": setting(SAMPLING, "top_k", "top_k", int),
    "stop_sequences": setting(SAMPLING, "stop", "stop_sequences", strings),
    "thinking": _thinking,
    "output_config": _output_config,
    "output_format": _output_format,
    "cache_control": _caching,
    "metadata": _metadata,
    "service_tier": word(SERVICE, "tier", "service_tier", wire.REQUEST_TIER),
    "speed": word(SERVICE, "fast", "speed", wire.SPEED),
    "stream": _stream,
}
