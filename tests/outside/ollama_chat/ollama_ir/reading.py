"""What requests, responses and streams have in common, into the IR: messages, calls, the envelope, usage, errors."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from proxai_ir.authoring import (
    an_object,
    constant,
    each,
    extra_fields,
    keep,
    optional,
    read_or_keep,
    required,
    response_call_id,
    strings,
    wrong,
)
from proxai_ir.ir import parts, response, turns, usage
from proxai_ir.ir.error import Error, by_status
from proxai_ir.ir.terminal import StopReason, Terminal

from . import wire

Object = dict[str, Any]

# --- messages, of requests and responses ------------------------------------------------------------------------------


MESSAGE = {"role", "content", "thinking", "images", "tool_calls"}


def read_turn(message: Object, role: turns.Role) -> turns.Turn:
    """Thinking, text, images and calls, in this order."""
    content = optional(message, "content", str)
    thinking, images, listed = (
        optional(message, "thinking", str),
        strings(message, "images"),
        read_calls(message),
    )
    found: list[parts.Part] = []
    if thinking:
        found.append(parts.Reasoning(thinking, src=message))
    if content or (content == "" and not (thinking or images or listed)):
        found.append(parts.Text(content, src=message))
    found += [image(images, index) for index in range(len(images))] if images else []
    return turns.Turn(role, [*found, *listed], src=message, extra=extra_fields(message, MESSAGE))


def image(images: Sequence[str], index: int) -> parts.Image:
    data = images[index]
    return parts.Image(parts.Inline(data, wire.image_type(data), src=(images, index)), src=(images, index))


def read_calls(message: Object) -> list[parts.FunctionCall]:
    listed = optional(message, "tool_calls", list) or []
    return each(range(len(listed)), lambda index: _call(an_object(listed, index)))


def _call(call: Object) -> parts.FunctionCall:
    constant(call, "type", "function")
    function = required(call, "function", dict)
    name, given, identity = (
        required(function, "name", str),
        optional(function, "arguments", dict),
        optional(call, "id", str),
    )
    inner = extra_fields(function, {"name", "arguments"})
    extra = extra_fields(call, {"function", "id"}, nested={"function": inner})
    return parts.FunctionCall(identity, name, given or {}, src=call, extra=extra)


# --- envelopes --------------------------------------------------------------------------------------------------------

RESPONSE = {"model", "created_at", "message", "done", "done_reason", "prompt_eval_count", "eval_count"}


def read_envelope(payload: Object) -> response.Response:
    """The response without its content; this wire has no ids of responses."""
    created = optional(payload, "created_at", str)
    found = response.Response(wire.NAME, None, optional(payload, "model", str), [], src=payload)
    found.extra = extra_fields(payload, RESPONSE)
    if created is not None:
        try:
            found.created = int(datetime.fromisoformat(created).timestamp())
        except (ValueError, OverflowError):
            raise wrong(payload, "created_at", "a time as in RFC 3339") from None
        if wire.time_of(found.created) != created:
            keep(found, "created_at", created)
    return found


def name_calls(listed: Iterable[parts.Part], payload: Object, first: int = 0) -> int:
    """Give ids to the calls of a response, or of a chunk whose first call has this number; the number of the next.

    No other response of the conversation is made at the same time, so that no other call gets the same id.
    """
    text = f"{payload.get('model')} {payload.get('created_at')}"
    key = f"{zlib.crc32(text.encode('utf-8', 'surrogatepass')):08x}"
    for part in listed:
        if isinstance(part, parts.FunctionCall):
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


def read_usage(payload: Object) -> usage.Usage | None:
    into, out = optional(payload, "prompt_eval_count", int), optional(payload, "eval_count", int)
    return None if into is None and out is None else usage.Usage(into, output=out, src=payload)


# --- errors -----------------------------------------------------------------------------------------------------------


def lower_error(payload: Object, status: int | None = None) -> Error:
    """The category is the HTTP status's; the body is but a text."""
    return read_or_keep(wire.NAME, payload, status, lambda: _error(payload, status))


def _error(payload: Object, status: int | None) -> Error:
    message = required(payload, "error", str)
    return Error(
        wire.NAME, by_status(status), message, status=status, src=payload, extra=extra_fields(payload, {"error"})
    )
