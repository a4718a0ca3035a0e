"""/api/chat into the IR."""

from __future__ import annotations

from typing import Any

from proxai_ir.authoring import (
    OUTPUT,
    SAMPLING,
    STREAMING,
    THINKING,
    Frontend,
    an_object,
    each,
    extra_fields,
    generate_call_ids,
    keep,
    missing,
    number,
    optional,
    pick,
    read_members,
    required,
    setting,
    strings,
    wrong,
)
from proxai_ir.ir import parts, request, response, tools, turns

from . import wire
from .reading import lower_error, name_calls, read_envelope, read_terminal, read_turn, read_usage
from .stream_reader import Reader

Json = Any
Object = dict[str, Any]

# --- requests ---------------------------------------------------------------------------------------------------------


def lower_request(payload: Object) -> request.Request:
    found = request.Request(wire.NAME, src=payload)
    read_members(found, payload, READERS)
    if found.turns is None:
        raise missing(payload, "messages")
    if payload.get("stream") is None:  # this server streams unless it is asked not to
        STREAMING(found, payload).stream = True
    return found


def _messages(found: request.Request, payload: Object) -> None:
    messages = required(payload, "messages", list)
    found.turns = each(range(len(messages)), lambda index: _message(messages, index))
    generate_call_ids(found.turns)


def _message(messages: list[Json], index: int) -> turns.Turn:
    message = an_object(messages, index)
    role = ROLES.get(required(message, "role", str))
    if role is None:
        raise wrong(message, "role", "one of " + ", ".join(ROLES), "SHP-3")
    if role is turns.Role.TOOL:
        return _result(message)
    return read_turn(message, role)


ROLES = {role.value: role for role in (turns.Role.SYSTEM, turns.Role.USER, turns.Role.ASSISTANT, turns.Role.TOOL)}


def _result(message: Object) -> turns.Turn:
    """A tool's result: it names the tool, and its call only in the newest versions."""
    name, older, identity = (optional(message, key, str) for key in ("tool_name", "name", "tool_call_id"))
    known = {"role", "content", "tool_name" if name is not None else "name", "tool_call_id"}
    tool = older if name is None else name
    result = parts.ToolResult(
        identity or "",
        [parts.Text(text, src=message)] if (text := required(message, "content", str)) else [],
        src=message,
        name=tool,
    )
    return turns.Turn(turns.Role.TOOL, [result], src=message, extra=extra_fields(message, known))


def _options(found: request.Request, payload: Object) -> None:
    options = required(payload, "options", dict)
    others: Object = {}
    for key, value in options.items():
        if value is None:
            continue
        read = OPTIONS.get(key)
        if read is None or (key == "num_predict" and type(value) is int and value < 0):  # no limit
            others[key] = value
        else:
            read(found, options)
    if others:
        keep(found, "options", others)


def _stop(found: request.Request, options: Object) -> None:
    sampling = SAMPLING(found, options)
    if isinstance(options["stop"], str):
        sampling.stop = [options["stop"]]
    else:
        sampling.stop = strings(options, "stop")


def _think(found: request.Request, payload: Object) -> None:
    value = payload["think"]
    if isinstance(value, bool):
        THINKING(found, payload).mode = request.ThinkingMode.ENABLED if value else request.ThinkingMode.DISABLED
    elif pick(wire.EFFORTS, payload, "think") is None:
        keep(found, "think", value)
    else:
        THINKING(found, payload).effort = wire.EFFORTS[value]


def _format(found: request.Request, payload: Object) -> None:
    value = payload["format"]
    if value == "json":
        OUTPUT(found, payload).format = request.JsonFormat(src=(payload, "format"))
    elif isinstance(value, dict):
        OUTPUT(found, payload).format = request.SchemaFormat(value, src=payload)
    elif isinstance(value, str):
        keep(found, "format", value)
    else:
        raise wrong(payload, "format", "'json' or a JSON schema")


def _tools(found: request.Request, payload: Object) -> None:
    listed = required(payload, "tools", list)
    found.tools = each(range(len(listed)), lambda index: _tool(listed, index))


def _tool(listed: list[Json], index: int) -> tools.Tool:
    tool = an_object(listed, index)
    kind = optional(tool, "type", str)
    if kind not in (None, "function"):
        return tools.UnknownTool(str(kind), tool, tool)
    function = required(tool, "function", dict)
    inner = extra_fields(function, {"name", "description", "parameters"})
    return tools.FunctionTool(
        required(function, "name", str),
        optional(function, "description", str),
        optional(function, "parameters", dict),
        src=tool,
        extra=extra_fields(tool, {"type", "function"}, nested={"function": inner}),
    )


OPTIONS = {
    "temperature": setting(SAMPLING, "temperature", "temperature", number),
    "top_p": setting(SAMPLING, "top_p", "top_p", number),
    "top_k": setting(SAMPLING, "top_k", "top_k", int),
    "seed": setting(SAMPLING, "seed", "seed", int),
    "frequency_penalty": setting(SAMPLING, "frequency_penalty", "frequency_penalty", number),
    "presence_penalty": setting(SAMPLING, "presence_penalty", "presence_penalty", number),
    "stop": _stop,
    "num_predict": setting(None, "max_tokens", "num_predict", int),
}
READERS = {
    "model": setting(None, "model", "model", str),
    "messages": _messages,
    "tools": _tools,
    "options": _options,
    "think": _think,
    "format": _format,
    "stream": setting(STREAMING, "stream", "stream", bool),
}

# --- responses --------------------------------------------------------------------------------------------------------


def lower_response(payload: Object) -> response.Response:
    found = read_envelope(payload)
    message = required(payload, "message", dict)
    if message.get("role") != "assistant":
        raise wrong(message, "role", "'assistant'", "SHP-3")
    turn = read_turn(message, turns.Role.ASSISTANT)
    calls = name_calls(turn.parts, payload)
    found.candidates = [response.Candidate([turn], read_terminal(payload, calls > 0), src=payload)]
    found.usage = read_usage(payload)
    return found


FRONTEND = Frontend(
    protocol=wire.NAME,
    discriminators={"request": ({"messages"},), "response": ({"message", "done"},), "error": ({"error"},)},
    request=lower_request,
    response=lower_response,
    error=lower_error,
    vendor_fields=wire.VENDOR_FIELDS,
    wire_paths=wire.WIRE_PATHS,
    stream=Reader,
)
