"""Reads whole responses and error bodies of Ollama's chat, with what its servers get wrong beside the content
(ENV-15).
"""

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
from proxai_ir.ir.response import LogProbs, StopReason, Terminal
from proxai_ir.protocol.slips import ARGUMENTS, Each, count, role, speaker, text, time, word
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
    """Return the response without its content; this wire has no ids of responses, and times to the nanosecond."""
    created = optional(payload, "created_at", str)
    found = ir.Response(wire.NAME, None, optional(payload, "model", str), [], src=payload)
    found.extra = extra_fields(payload, wire.RESPONSE)
    if created is not None:
        found.created = seconds(payload, "created_at", created)
        if time_of(found.created) != created:
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
    if word is not None and word != wire.WORD.get(reason, "stop"):
        keep(found, "done_reason", word)
    return found


def read_usage(payload: Object) -> ir.Usage | None:
    """Return the cached tokens are some of the prompt's (USE-1)."""
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


def read_logprobs(payload: Object) -> LogProbs | None:
    listed = optional(payload, "logprobs", list)
    return LogProbs(TOKENS.each(listed), src=payload) if listed else None


# --- error ------------------------------------------------------------------------------------------------------------
# Errors of `/api/chat` into the IR: a text, whose category is that of the HTTP status.


lower_error = error_reader(wire.NAME, wire.ERROR)


# --- slips ------------------------------------------------------------------------------------------------------------
# What servers get wrong beside the content of their responses, and what requests repeat of that (ENV-15).


CALLED = {"tool_calls": Each({"id": text, "function": {"arguments": ARGUMENTS}}), "tool_call_id": text}
SLIPS = {
    "model": text,
    "created_at": time,
    "done_reason": word,
    **dict.fromkeys(wire.COUNTS, count),
    "message": {"role": role("assistant"), **CALLED},
}
REPEATED = {"messages": Each({"role": speaker("assistant"), **CALLED})}
