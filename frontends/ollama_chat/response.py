"""Reads responses and errors of Ollama's chat, and lists the members that its servers get wrong (ENV-15)."""

from __future__ import annotations

import zlib
from collections.abc import Iterable

from proxai_ir import ir
from proxai_ir.authoring import (
    Object,
    ObjectReader,
    constant,
    error_reader,
    extra_fields,
    keep,
    numbers,
    optional,
    required,
    response_call_id,
    seconds,
    time_of,
)
from proxai_ir.protocol import slips
from proxai_ir.wire import ollama_chat as wire

from .parts import read_turn

# --- response ---------------------------------------------------------------------------------------------------------
# Responses of `/api/chat` into the IR; the chunks of a stream are responses, too.


def lower_response(payload: Object) -> ir.Response:
    """Return the IR of a response body; raises Refusal with everything that is wrong with it."""
    found = read_envelope(payload)
    message = required(payload, "message", dict)
    constant(message, "role", "assistant")
    turn = read_turn(message, ir.ASSISTANT)
    called = name_calls(turn.parts, payload) > 0
    found.candidates = [ir.Candidate([turn], read_terminal(payload, called), read_logprobs(payload), src=payload)]
    found.usage = read_usage(payload)
    return found


def read_envelope(payload: Object) -> ir.Response:
    """Return the response without its content; responses have no ids, and times have nanoseconds."""
    created = optional(payload, "created_at", str)
    found = ir.Response(wire.NAME, None, optional(payload, "model", str), [], src=payload)
    found.extra = extra_fields(payload, wire.RESPONSE)
    if created is not None:
        found.created = seconds(payload, "created_at", created)
        if time_of(found.created) != created:
            keep(found, "created_at", created)
    return found


def name_calls(listed: Iterable[ir.Part], payload: Object, first: int = 0) -> int:
    """Give ids to the calls of a response, or of a chunk whose first call is number `first`; return the next number.

    No other response of the conversation is made at the same time, so that no other call gets the same id.
    """
    text = f"{payload.get('model')} {payload.get('created_at')}"
    key = f"{zlib.crc32(text.encode('utf-8', 'surrogatepass')):08x}"
    for part in listed:
        if isinstance(part, ir.FunctionCall):
            part.id = part.id or response_call_id(key, first)
            first += 1
    return first


def read_terminal(payload: Object, called: bool) -> ir.Terminal:
    """Return how a response ended; `called` is whether it has calls, for which this protocol has no word."""
    word = optional(payload, "done_reason", str)
    if not required(payload, "done", bool):
        return ir.Terminal(ir.StopReason.UNFINISHED, word, src=payload)
    reason = wire.REASON.get(word or "", ir.StopReason.UNKNOWN)
    found = ir.Terminal(
        ir.StopReason.TOOL_CALLS if called and reason is ir.StopReason.END else reason, word, src=payload
    )
    if word is not None and word != wire.WORD.get(reason, "stop"):
        keep(found, "done_reason", word)
    return found


def read_usage(payload: Object) -> ir.Usage | None:
    """Return the usage; cached tokens are part of the prompt's count (USE-1)."""
    given = {field: optional(payload, member, int) for member, field in wire.COUNTS.items()}
    if all(count is None for count in given.values()):
        return None
    found = ir.Usage(given["input"], given["cache_read"], output=given["output"], src=payload)
    if found.input is not None and found.cache_read:
        if found.cache_read > found.input:
            keep(found, "prompt_eval_count", found.input)
        found.input = max(found.input - found.cache_read, 0)
    return found


BYTES = {"bytes": lambda token, key: [*numbers(token, key, int)]}
LIKELY = ObjectReader(wire.LIKELY, BYTES)
TOKENS = ObjectReader(wire.TOKEN, {**BYTES, "top_logprobs": LIKELY})


def read_logprobs(payload: Object) -> ir.LogProbs | None:
    listed = optional(payload, "logprobs", list)
    return ir.LogProbs(TOKENS.each(listed), src=payload) if listed else None


# --- error ------------------------------------------------------------------------------------------------------------
# Errors of `/api/chat` into the IR: a text, whose category is that of the HTTP status.

lower_error = error_reader(wire.NAME, wire.ERROR)


# --- slips ------------------------------------------------------------------------------------------------------------
# Members outside the content that servers get wrong, in responses and where requests repeat them (ENV-15).

CALLED = {
    "tool_calls": slips.Each({"id": slips.text, "type": slips.word, "function": {"arguments": slips.ARGUMENTS}}),
    "tool_call_id": slips.text,
}
SLIPS = {
    "model": slips.text,
    "created_at": slips.time,
    "done_reason": slips.word,
    "logprobs": slips.listed,
    **dict.fromkeys(wire.COUNTS, slips.count),
    "message": {"role": slips.role("assistant"), **CALLED},
}
REPEATED = {"messages": slips.Each({"role": slips.speaker("assistant"), **CALLED})}
