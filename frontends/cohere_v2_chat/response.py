"""Reads responses and errors of Cohere's chat, and lists the members that its servers get wrong (ENV-15)."""

from __future__ import annotations

from math import isfinite
from typing import Any

from proxai_ir import ir
from proxai_ir.ir.error import by_ending
from proxai_ir.ir.response import UNKNOWN
from proxai_ir.protocol import slips
from proxai_ir.wire import cohere_v2_chat as wire

from .._lib.objects import ObjectReader, error_reader, read_counts
from .._lib.reading import (
    Object,
    constant,
    each_object,
    extra_fields,
    identifier,
    keep,
    numbers,
    optional,
    required,
    wrong,
)
from .parts import assistant

# --- response ---------------------------------------------------------------------------------------------------------
# A whole /v2/chat response into the IR: the message, how it ended, usage (USE-1), log probabilities.

KNOWN = frozenset({"id", "finish_reason", "message", "usage", "logprobs"})


def lower_response(payload: Object) -> ir.Response:
    """Return the IR of a response body; raises Refusal with everything that is wrong with it."""
    message = required(payload, "message", dict)
    constant(message, "role", "assistant")
    candidate = ir.Candidate([assistant(message)], read_terminal(payload), src=payload)
    response = ir.Response(wire.NAME, identifier(payload), None, [candidate], src=payload)
    response.extra = extra_fields(payload, KNOWN)
    counts, scores = optional(payload, "usage", dict), optional(payload, "logprobs", list)
    response.usage = None if counts is None else read_usage(counts)
    if scores is not None and all(map(is_complete, scores)):
        candidate.logprobs = read_scores(scores, payload)
    elif scores is not None:
        keep(response, "logprobs", scores)
    return response


def read_terminal(holder: Object, message: str | None = None) -> ir.Terminal:
    """Return how a response ended; `message` is what the provider says about it."""
    word = optional(holder, "finish_reason", str)
    return ir.Terminal(wire.REASON.get(word or "", UNKNOWN), word, src=holder, message=message)


USAGE = ObjectReader(wire.USAGE)


def read_usage(counts: Object) -> ir.Usage:
    """Return the usage; where it has billed units alone they are the counts, as 0 would be false."""
    found = read_counts(USAGE, counts)
    billed = counts.get("billed_units")
    if isinstance(billed, dict) and found.input is found.cache_read is found.output is None:
        found.input, found.output = _units(billed, "input_tokens"), _units(billed, "output_tokens")
    return found


def _units(billed: Object, key: str) -> int | None:
    value: Any = billed.get(key)
    if type(value) is float and isfinite(value):
        value = int(value)
    return value if type(value) is int and value >= 0 else None


# --- log probabilities ------------------------------------------------------------------------------------------------


def read_scores(listed: list[Any], src: Any) -> ir.LogProbs:
    return ir.LogProbs(each_object(listed, _scored), src=src)


def is_complete(score: Any) -> bool:
    """Return whether a score has its text and values, which some servers leave out; what is no object is refused
    later."""
    return not isinstance(score, dict) or None not in (score.get("text"), score.get("logprobs"))


def _scored(score: Object) -> ir.ScoredToken:
    """Return a piece of the text; if it has several tokens, its probability is their product (SMP-85)."""
    token: ir.ScoredToken = SCORED.read(score)
    for key in ("token_ids", "logprobs") if len(score["logprobs"]) != 1 else ():
        if score.get(key) is not None:
            keep(token, key, score[key])
    return token


def _id(score: Object, key: str) -> int | None:
    ids = numbers(score, key, int)
    return ids[0] if len(ids) == 1 else None


def _logprob(score: Object, key: str) -> float:
    try:
        return float(sum(numbers(score, key, int, float)))
    except OverflowError:
        raise wrong(score, key, "numbers whose sum is in a float's range", "SHP-3") from None


SCORED = ObjectReader(wire.SCORED, {"token_ids": _id, "logprobs": _logprob})


# --- error ------------------------------------------------------------------------------------------------------------
# An error body of Cohere's into the IR (ERR-1): `{"id", "message"}`, whose category is that of the HTTP status.

lower_error = error_reader(wire.NAME, wire.ERROR)


def lower_failure(ending: Object) -> ir.Error:
    """Return the failure of a stream that ends before it has started (ERR-12)."""
    word = optional(ending, "finish_reason", str)
    message = optional(ending, "error", str) or f"The generation failed: {word}."
    return ir.Error(wire.NAME, by_ending(word), message, code=word, src=ending)


# --- slips ------------------------------------------------------------------------------------------------------------
# Members outside the content that servers get wrong, in responses and where requests repeat them (ENV-15).

CALL = {"id": slips.ID, "type": slips.word}
MESSAGE = {"role": slips.role("assistant")}
ENDING = {"finish_reason": slips.word, "usage": slips.counts(wire.USAGE), "error": slips.text}
SLIPS = {
    "id": slips.text,
    **ENDING,
    "index": slips.count,
    "logprobs": slips.of(list, dict),
    "message": {**MESSAGE, "tool_calls": slips.Each(CALL)},
    "delta": {**ENDING, "message": {**MESSAGE, "tool_calls": CALL}},
}
REPEATED = {
    "messages": slips.Each(
        {"role": slips.speaker("assistant"), "tool_calls": slips.Each({"id": slips.text}), "tool_call_id": slips.text}
    )
}
