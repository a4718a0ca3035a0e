"""A whole /v2/chat response into the IR: the message, how it ended, usage (USE-1), log probabilities."""

from __future__ import annotations

from operator import is_not
from typing import Any

from proxai_ir.ir.logprobs import LogProbs, ScoredToken
from proxai_ir.ir.response import Candidate, Response
from proxai_ir.ir.terminal import UNKNOWN, Terminal
from proxai_ir.ir.usage import Usage
from proxai_ir.json.pointer import Respelled
from proxai_ir.wire import cohere_v2_chat as wire

from .._lib.objects import ObjectReader
from .._lib.reading import (
    Object,
    an_object,
    constant,
    each,
    extra_fields,
    identifier,
    keep,
    optional,
    required,
    wrong,
)
from .._lib.usage import read_counts
from .parts import assistant

KNOWN = frozenset({"id", "finish_reason", "message", "usage", "logprobs"})


def lower_response(payload: Object) -> Response:
    """The IR of a response body; raises Refusal with everything that is wrong with it."""
    message = required(payload, "message", dict)
    constant(message, "role", "assistant")
    candidate = Candidate([assistant(message)], read_terminal(payload), src=payload)
    response = Response(wire.NAME, identifier(payload), None, [candidate], src=payload)
    response.extra = extra_fields(payload, KNOWN)
    counts, scores = optional(payload, "usage", dict), optional(payload, "logprobs", list)
    response.usage = None if counts is None else read_usage(counts)
    candidate.logprobs = None if scores is None else read_scores(scores, payload)
    return response


def read_terminal(holder: Object, message: str | None = None) -> Terminal:
    """How it ended; `message`: what the provider says of that."""
    word = optional(holder, "finish_reason", str)
    return Terminal(wire.REASON.get(word or "", UNKNOWN), word, src=holder, message=message)


USAGE = ObjectReader(wire.USAGE)


def read_usage(counts: Object) -> Usage:
    """The cached tokens are some of the input (USE-1). The client's own types have all counts as floats."""
    found = read_counts(USAGE, whole(counts))
    if found.input is not None and found.cache_read:
        if found.cache_read > found.input:
            keep(found, "tokens", {"input_tokens": found.input})
        found.input = max(found.input - found.cache_read, 0)
    return found


def whole(counts: Object, inside: bool = True) -> Object:
    """The same with integers where nothing is behind the point; `inside`: in objects of it, too."""
    found = {
        key: whole(value, inside=False) if inside and isinstance(value, dict) else _integer(value)
        for key, value in counts.items()
    }
    return Respelled(found, counts, {}) if any(map(is_not, found.values(), counts.values())) else counts


def _integer(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


# --- log probabilities ------------------------------------------------------------------------------------------------


def read_scores(listed: list[Any], src: Any) -> LogProbs:
    return LogProbs(each(range(len(listed)), lambda index: _scored(an_object(listed, index))), src=src)


def _scored(score: Object) -> ScoredToken:
    """A piece of the text; of several tokens it has the product of their probabilities (SMP-85)."""
    token: ScoredToken = SCORED.read(score)
    for key in ("token_ids", "logprobs") if len(score["logprobs"]) != 1 else ():
        if score.get(key) is not None:
            keep(token, key, score[key])
    return token


def _sum(score: Object, key: str) -> float:
    for index, value in enumerate(score[key]):
        if type(value) not in (int, float):
            raise wrong(score[key], index, "a number")
    return sum(score[key])


def _id(score: Object, key: str) -> int | None:
    ids = score[key]
    for index, value in enumerate(ids):
        if type(value) is not int:
            raise wrong(ids, index, "an integer")
    return ids[0] if len(ids) == 1 else None


SCORED = ObjectReader(wire.SCORED, {"token_ids": _id, "logprobs": _sum})
