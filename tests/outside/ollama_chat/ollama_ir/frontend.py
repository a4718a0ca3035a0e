"""/api/chat into the IR: requests, responses, errors."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from proxai_ir import ir
from proxai_ir.authoring import (
    OUTPUT,
    SAMPLING,
    STREAMING,
    THINKING,
    ObjectReader,
    UnionReader,
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
    read_or_keep,
    required,
    response_call_id,
    setting,
    strings,
    wrong,
)
from proxai_ir.ir.error import Error, by_status
from proxai_ir.ir.request import ThinkingMode
from proxai_ir.ir.response import LogProbs, StopReason, Terminal

from . import wire

Json = Any
Object = dict[str, Any]

# --- messages ---------------------------------------------------------------------------------------------------------

CALLS = ObjectReader(wire.CALL, {"id": lambda call, key: call[key], "function/arguments": lambda call, key: call[key]})
MESSAGE = {"role", "content", "thinking", "images", "tool_calls"}
ROLES = {role.value: role for role in (ir.Role.SYSTEM, ir.Role.USER, ir.Role.ASSISTANT, ir.Role.TOOL)}


def read_turn(message: Object, role: ir.Role) -> ir.Turn:
    """Thinking, text, images and calls, in this order."""
    content, thinking = optional(message, "content", str), optional(message, "thinking", str)
    images = strings(message, "images") or []
    calls = CALLS.each(optional(message, "tool_calls", list) or [])
    found: list[ir.Part] = [ir.Reasoning(thinking, src=message)] if thinking else []
    if content or (content == "" and not (thinking or images or calls)):
        found.append(ir.Text(content, src=message))
    found += [_image(images, index) for index in range(len(images))]
    return ir.Turn(role, [*found, *calls], src=message, extra=extra_fields(message, MESSAGE))


def _image(images: list[str], index: int) -> ir.Image:
    data, place = images[index], (images, index)
    return ir.Image(ir.Inline(data, wire.image_type(data), src=place), src=place)


def _result(message: Object) -> ir.Turn:
    """A tool's result: it names the tool, and its call only in the newest versions."""
    name, older, identity = (optional(message, key, str) for key in ("tool_name", "name", "tool_call_id"))
    text = required(message, "content", str)
    content: list[ir.Part] = [ir.Text(text, src=message)] if text else []
    result = ir.ToolResult(identity or "", content, src=message, name=older if name is None else name)
    known = {"role", "content", "tool_call_id", "name" if name is None else "tool_name"}
    return ir.Turn(ir.Role.TOOL, [result], src=message, extra=extra_fields(message, known))


# --- requests ---------------------------------------------------------------------------------------------------------


def lower_request(payload: Object) -> ir.Request:
    found = ir.Request(wire.NAME, src=payload)
    read_members(found, payload, READERS)
    if found.turns is None:
        raise missing(payload, "messages")
    if payload.get("stream") is None:  # this server streams unless it is asked not to
        STREAMING(found, payload).stream = True
    return found


def _messages(found: ir.Request, payload: Object) -> None:
    messages = required(payload, "messages", list)
    found.turns = each(range(len(messages)), lambda index: _message(an_object(messages, index)))
    generate_call_ids(found.turns)


def _message(message: Object) -> ir.Turn:
    role = ROLES.get(required(message, "role", str))
    if role is None:
        raise wrong(message, "role", "one of " + ", ".join(ROLES), "SHP-3")
    return _result(message) if role is ir.Role.TOOL else read_turn(message, role)


TOOLS = UnionReader(wire.TOOLS, other=lambda tool: ir.UnknownTool(str(tool["type"]), tool, tool))


def _tools(found: ir.Request, payload: Object) -> None:
    found.tools = TOOLS.each(required(payload, "tools", list))


def _options(found: ir.Request, payload: Object) -> None:
    read_members(found, required(payload, "options", dict), OPTIONS)


def _limit(found: ir.Request, options: Object) -> None:
    limit = required(options, "num_predict", int)
    if limit < 0:  # none
        keep(found, "num_predict", limit)
    else:
        found.max_tokens = limit


def _stop(found: ir.Request, options: Object) -> None:
    given = options["stop"]
    SAMPLING(found, options).stop = [given] if isinstance(given, str) else strings(options, "stop")


def _think(found: ir.Request, payload: Object) -> None:
    value = payload["think"]
    if isinstance(value, bool):
        THINKING(found, payload).mode = ThinkingMode.ENABLED if value else ThinkingMode.DISABLED
    elif pick(wire.EFFORTS, payload, "think") is None:
        keep(found, "think", value)
    else:
        THINKING(found, payload).effort = wire.EFFORTS[value]


def _format(found: ir.Request, payload: Object) -> None:
    value = payload["format"]
    if value == "json":
        OUTPUT(found, payload).format = ir.JsonFormat(src=(payload, "format"))
    elif isinstance(value, dict):
        OUTPUT(found, payload).format = ir.SchemaFormat(value, src=payload)
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

# --- responses --------------------------------------------------------------------------------------------------------

RESPONSE = {*wire.ENVELOPE, "message", "done", "done_reason", "prompt_eval_count", "eval_count", "logprobs"}


def lower_response(payload: Object) -> ir.Response:
    found = read_envelope(payload)
    message = required(payload, "message", dict)
    if message.get("role") != "assistant":
        raise wrong(message, "role", "'assistant'", "SHP-3")
    turn = read_turn(message, ir.Role.ASSISTANT)
    called = name_calls(turn.parts, payload) > 0
    found.candidates = [ir.Candidate([turn], read_terminal(payload, called), read_logprobs(payload), src=payload)]
    found.usage = read_usage(payload)
    return found


def read_envelope(payload: Object) -> ir.Response:
    """The response without its content; this wire has no ids of responses."""
    created = optional(payload, "created_at", str)
    found = ir.Response(wire.NAME, None, optional(payload, "model", str), [], src=payload)
    found.extra = extra_fields(payload, RESPONSE)
    if created is not None:
        try:
            found.created = int(datetime.fromisoformat(created).timestamp())
        except (ValueError, OverflowError):
            raise wrong(payload, "created_at", "a time as in RFC 3339") from None
        if wire.time_of(found.created) != created:
            keep(found, "created_at", created)
    return found


def name_calls(listed: Iterable[ir.Part], payload: Object, first: int = 0) -> int:
    """Give ids to the calls of a response, or of a chunk whose first call has this number; the number of the next.

    No other response of the conversation is made at the same time, so that no other call gets the same id.
    """
    text = f"{payload.get('model')} {payload.get('created_at')}"
    key = f"{zlib.crc32(text.encode('utf-8', 'surrogatepass')):08x}"
    for part in listed:
        if isinstance(part, ir.FunctionCall):
            part.id = part.id or response_call_id(key, first)
            first += 1
    return first


def read_terminal(payload: Object, called: bool) -> Terminal:
    """`called`: the response has calls, which this protocol has no word for."""
    word = optional(payload, "done_reason", str)
    if not required(payload, "done", bool):
        return Terminal(StopReason.UNFINISHED, word, src=payload)
    reason = wire.REASON.get(word or "", StopReason.UNKNOWN)
    found = Terminal(StopReason.TOOL_CALLS if called and reason is StopReason.END else reason, word, src=payload)
    if word is not None and word not in wire.REASON:
        keep(found, "done_reason", word)
    return found


def read_usage(payload: Object) -> ir.Usage | None:
    into, out = optional(payload, "prompt_eval_count", int), optional(payload, "eval_count", int)
    return None if into is None and out is None else ir.Usage(into, output=out, src=payload)


def _bytes(token: Object, key: str) -> list[int]:
    for index, value in enumerate(token[key]):
        if type(value) is not int:
            raise wrong(token[key], index, "an integer")
    return list(token[key])


LIKELY = ObjectReader(wire.LIKELY, {"bytes": _bytes})
TOKENS = ObjectReader(wire.TOKEN, {"bytes": _bytes, "top_logprobs": LIKELY})


def read_logprobs(payload: Object) -> LogProbs | None:
    listed = optional(payload, "logprobs", list)
    return LogProbs(TOKENS.each(listed), src=payload) if listed else None


# --- errors -----------------------------------------------------------------------------------------------------------


def lower_error(payload: Object, status: int | None = None) -> Error:
    """The category is the HTTP status's; the body is but a text."""

    def read() -> Error:
        message, extra = required(payload, "error", str), extra_fields(payload, {"error"})
        return Error(wire.NAME, by_status(status), message, status=status, src=payload, extra=extra)

    return read_or_keep(wire.NAME, payload, status, read)
