"""A response of generateContent into the IR: candidates, how each ended, usage (USE-1)."""

from __future__ import annotations

from proxai_ir import ir
from proxai_ir.ir.error import Error
from proxai_ir.ir.logprobs import LogProbs, ScoredToken
from proxai_ir.ir.node import Extra, Several
from proxai_ir.ir.response import Candidate, Response
from proxai_ir.ir.terminal import CONTENT_FILTER, END, UNKNOWN, Terminal, fitted_reason
from proxai_ir.ir.turns import ASSISTANT, Turn
from proxai_ir.ir.usage import Usage
from proxai_ir.wire import gemini_generate_content as wire
from proxai_ir.wire import google

from .._google.reading import UsageReader
from .._lib.reading import (
    Json,
    Object,
    an_object,
    by_index,
    each,
    each_object,
    extra_fields,
    keep,
    kept,
    missing,
    number,
    optional,
    reader,
    seconds,
)
from .error import lower_error
from .grounding import cite, marked, opened, searched
from .ids import RUNS, CallIds, key_of
from .names import canonical_response
from .parts import read_turn

ENVELOPE = frozenset({"candidates", "usageMetadata", "modelVersion", "responseId", "promptFeedback"})
ENVELOPE_READER = reader(responseId=str, modelVersion=str, usageMetadata=dict, promptFeedback=dict, createTime=str)


def lower_response(payload: Object) -> Response | Error:
    """The IR of a response's body; raises Refusal with everything that is wrong with it."""
    if payload.get("error") is not None and payload.get("candidates") is None:
        return lower_error(payload)
    body = canonical_response(payload)
    response = envelope(body)
    candidates, key = optional(body, "candidates", list) or [], key_of(body)
    response.candidates = by_index(candidates, each(range(len(candidates)), lambda at: _candidate(candidates, at, key)))
    if not candidates:
        blocked = blocked_prompt(body)
        if blocked is None:
            raise missing(body, "candidates")
        response.candidates = [blocked]
    usage = body.get("usageMetadata")
    response.usage = None if usage is None else read_usage(usage, tier_of(usage))
    return response


def envelope(body: Object) -> Response:
    """A response without candidates."""
    identity, model, usage, feedback, time = ENVELOPE_READER(body)
    response = Response(wire.NAME, identity, model, [], src=body)
    if feedback is None:
        response.extra = kept(body, ENVELOPE)
    else:
        blocks = blocked_prompt(body) is not None and not body.get("candidates")
        inner = extra_fields(feedback, {"blockReasonMessage"} if blocks else set())
        response.extra = extra_fields(body, ENVELOPE, nested={"promptFeedback": inner})
    if model is not None and model.startswith(wire.MODEL_PATHS):
        response.model = wire.model_name(model)
        keep(response, "modelVersion", model)
    response.created = None if time is None else seconds(body, "createTime", time)
    tier = None if usage is None else tier_of(usage)
    response.tier = None if tier is None else google.TIER[tier]
    return response


def tier_of(usage: Object) -> str | None:
    """The word for the capacity that served a request, if it is known."""
    word = optional(usage, "serviceTier", str)
    return word if word in google.TIER else None


def blocked_prompt(body: Object) -> Candidate | None:
    """The candidate that takes the place of those that a blocked prompt does not get."""
    feedback = optional(body, "promptFeedback", dict)
    word = None if feedback is None else optional(feedback, "blockReason", str)
    if feedback is None or word is None or word in wire.NO_BLOCK:
        return None
    message = optional(feedback, "blockReasonMessage", str)
    terminal = Terminal(CONTENT_FILTER, word, src=feedback, message=message)
    return Candidate([Turn(ASSISTANT, [], None, feedback)], terminal, None, feedback)


# --- candidates -------------------------------------------------------------------------------------------------------

CANDIDATE_KEYS = frozenset({"index", "content", "finishReason", "finishMessage", "logprobsResult"})
CANDIDATE = reader(index=int, content=dict, logprobsResult=dict)
ENDING = reader(finishReason=str, finishMessage=str)
NAMED = RUNS | {ir.FunctionCall}


def _candidate(candidates: list[Json], position: int, key: str) -> Candidate:
    candidate = an_object(candidates, position)
    _, content, scores = CANDIDATE(candidate)
    turn = Turn(ASSISTANT, [], None, candidate) if content is None else read_turn(content, wire.MODEL_ROLE, wire.MODEL)
    classes = {type(part) for part in turn.parts}
    ids = CallIds(key, position)
    if not NAMED.isdisjoint(classes):
        for part in turn.parts:
            ids.give(part)
    grounded(candidate, turn, ids)
    made = Candidate([turn], terminal(candidate), src=candidate)
    fit(made.terminal, made.calls)
    nested: dict[str, Extra | None] = {}
    if scores is not None:
        made.logprobs, nested["logprobsResult"] = logprobs(scores)
    made.extra = marked(extra_fields(candidate, CANDIDATE_KEYS, nested=nested), ir.WebSearchResult in classes)
    return made


def grounded(candidate: Object, turn: Turn, ids: CallIds) -> None:
    """Add the citations that a candidate reports apart from its content, and the search behind them."""
    if all(candidate.get(key) is None for key in wire.SOURCES):
        return
    texts = {at: part for at, part in enumerate(turn.parts) if isinstance(part, ir.Text)}
    for at, citation in cite(candidate, [(at, part.text) for at, part in texts.items()]):
        texts[at].citations = [*(texts[at].citations or ()), citation]
    found = opened(candidate, ids.search)
    if not any(isinstance(part, ir.WebSearchCall) for part in turn.parts):
        found += searched(candidate, ids.search)
    before = max((at for at, part in enumerate(turn.parts, 1) if not isinstance(part, RESTING)), default=0)
    turn.parts[before:before] = found  # before the text that rests on it


RESTING = (ir.Text, ir.FunctionCall)
"""What may rest on the searches of the provider."""


def terminal(candidate: Object) -> Terminal:
    word, message = ENDING(candidate)
    return Terminal(wire.REASON_OF.get(word, UNKNOWN), word, src=candidate, message=message)


def fit(ending: Terminal, calls: bool) -> None:
    """STOP with calls waits for their results (FIN-4)."""
    if ending.reason is END:
        ending.reason = fitted_reason(END, calls)


# --- log probabilities ------------------------------------------------------------------------------------------------


def logprobs(scores: Object) -> tuple[LogProbs | None, Extra | None]:
    """The tokens of a candidate with their alternatives, and what there is besides."""
    chosen, top = optional(scores, "chosenCandidates", list) or [], optional(scores, "topCandidates", list)
    if not chosen or (top is not None and len(top) != len(chosen)):
        return None, extra_fields(scores, set())
    tokens = _tokens(chosen)
    if top is not None:
        for index, token in enumerate(tokens):
            others = optional(an_object(top, index), "candidates", list) or []
            token.top, token.src = _tokens(others), Several((token.src, top[index]))
    return LogProbs(tokens, None, scores), extra_fields(scores, {"chosenCandidates", "topCandidates"})


def _tokens(listed: list[Json]) -> list[ScoredToken]:
    return each_object(listed, _token)


def _token(scored: Object) -> ScoredToken:
    """A token; proto JSON leaves out the probability 1, whose logarithm is 0."""
    text, score = optional(scored, "token", str), number(scored, "logProbability")
    identity, extra = optional(scored, "tokenId", int), kept(scored, TOKEN_KEYS)
    return ScoredToken(text or "", score or 0.0, None, None, identity, scored, extra)


TOKEN_KEYS = frozenset({"token", "tokenId", "logProbability"})


# --- usage ------------------------------------------------------------------------------------------------------------


USAGE = UsageReader(wire.TOKENS, "serviceTier")


def read_usage(usage: Object, tier: str | None) -> Usage:
    """`tier`: the word for it that the response has."""
    return USAGE.read(usage, () if usage.get("serviceTier") == tier else ("serviceTier",))
