"""A request of `/api/chat` into the IR, member by member; and its messages, which responses have, too."""

from __future__ import annotations

from proxai_ir.ir import parts, request, tools, turns
from proxai_ir.ir.request import ThinkingMode
from proxai_ir.wire import ollama_chat as wire

from .._lib.call_ids import generate_call_ids
from .._lib.objects import ObjectReader, UnionReader
from .._lib.reading import (
    Object,
    an_object,
    each,
    extra_fields,
    keep,
    missing,
    number,
    optional,
    pick,
    required,
    strings,
    wrong,
)
from .._lib.settings import OUTPUT, SAMPLING, STREAMING, THINKING, read_members, setting

# --- messages ---------------------------------------------------------------------------------------------------------

CALLS = ObjectReader(wire.CALL, {"function/arguments": lambda call, key: call[key]})
MESSAGE = {"role", "content", "thinking", "images", "tool_calls"}
ROLES = {role.value: role for role in (turns.SYSTEM, turns.USER, turns.ASSISTANT, turns.TOOL)}


def read_turn(message: Object, role: turns.Role) -> turns.Turn:
    """Thinking, text, images and calls, in this order."""
    content, thinking = optional(message, "content", str), optional(message, "thinking", str)
    images = strings(message, "images") or []
    calls = CALLS.each(optional(message, "tool_calls", list) or [])
    found: list[parts.Part] = [parts.Reasoning(thinking, src=message)] if thinking else []
    if content or (content == "" and not (thinking or images or calls)):
        found.append(parts.Text(content, src=message))
    found += [_image(images, index) for index in range(len(images))]
    return turns.Turn(role, [*found, *calls], src=message, extra=extra_fields(message, MESSAGE))


def _image(images: list[str], index: int) -> parts.Image:
    data, place = images[index], (images, index)
    return parts.Image(parts.Inline(data, wire.image_type(data), src=place), src=place)


def _result(message: Object) -> turns.Turn:
    """A tool's result: it names the tool, and its call only in newer versions."""
    name, older, identity = (optional(message, key, str) for key in ("tool_name", "name", "tool_call_id"))
    images = strings(message, "images") or []
    text = optional(message, "content", str)
    content: list[parts.Part] = [parts.Text(text, src=message)] if text else []
    content += [_image(images, index) for index in range(len(images))]
    result = parts.ToolResult(identity or "", content, src=message, name=older if name is None else name)
    known = {"role", "content", "images", "tool_call_id", "name" if name is None else "tool_name"}
    return turns.Turn(turns.TOOL, [result], src=message, extra=extra_fields(message, known))


def _message(message: Object) -> turns.Turn:
    role = ROLES.get(required(message, "role", str).lower())
    if role is None:
        raise wrong(message, "role", "one of " + ", ".join(ROLES), "SHP-3")
    return _result(message) if role is turns.TOOL else read_turn(message, role)


# --- requests ---------------------------------------------------------------------------------------------------------


def lower_request(payload: Object) -> request.Request:
    """The IR of a request body; raises Refusal with everything that is wrong with it."""
    found = request.Request(wire.NAME, src=payload)
    read_members(found, payload, READERS)
    if found.turns is None:
        raise missing(payload, "messages")
    if payload.get("stream") is None:  # this server streams unless it is asked not to
        STREAMING(found, payload).stream = True
    return found


def _messages(found: request.Request, payload: Object) -> None:
    messages = required(payload, "messages", list)
    found.turns = each(range(len(messages)), lambda index: _message(an_object(messages, index)))
    generate_call_ids(found.turns)


TOOLS = UnionReader(wire.TOOLS, other=lambda tool: tools.UnknownTool(str(tool["type"]), tool, tool))


def _tools(found: request.Request, payload: Object) -> None:
    found.tools = TOOLS.each(required(payload, "tools", list))


def _options(found: request.Request, payload: Object) -> None:
    read_members(found, required(payload, "options", dict), OPTIONS)


def _limit(found: request.Request, options: Object) -> None:
    limit = required(options, "num_predict", int)
    if limit < 0:  # none
        keep(found, "options", {"num_predict": limit})
    else:
        found.max_tokens = limit


def _stop(found: request.Request, options: Object) -> None:
    given = options["stop"]
    SAMPLING(found, options).stop = [given] if isinstance(given, str) else strings(options, "stop")


def _think(found: request.Request, payload: Object) -> None:
    value = payload["think"]
    if isinstance(value, bool):
        THINKING(found, payload).mode = ThinkingMode.ENABLED if value else ThinkingMode.DISABLED
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


OPTIONS = {
    **{name: setting(SAMPLING, name, name, number) for name in wire.NUMBERS},
    "top_k": setting(SAMPLING, "top_k", "top_k", int),
    "seed": setting(SAMPLING, "seed", "seed", int),
    "stop": _stop,
    "num_predict": _limit,
}
READERS = {
    "model": setting(None, "model", "model", str),
    "messages": _messages,
    "tools": _tools,
    "options": _options,
    "think": _think,
    "format": _format,
    "stream": setting(STREAMING, "stream", "stream", bool),
    "logprobs": setting(SAMPLING, "logprobs", "logprobs", bool),
    "top_logprobs": setting(SAMPLING, "top_logprobs", "top_logprobs", int),
}
