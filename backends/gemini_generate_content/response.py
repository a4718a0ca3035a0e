"""The IR of a response as a generateContent response body: canonical output, from a legal tree."""

from __future__ import annotations

from proxai_ir import ir
from proxai_ir.binding.server import Server
from proxai_ir.ir.logprobs import LogProbs, ScoredToken
from proxai_ir.ir.request import Tier
from proxai_ir.ir.response import Candidate, Response
from proxai_ir.ir.terminal import UNKNOWN, Terminal
from proxai_ir.ir.turns import Turn
from proxai_ir.ir.usage import Usage
from proxai_ir.wire import gemini_generate_content as wire
from proxai_ir.wire import google

from .._google.writing import raise_usage as token_counts
from .._lib.writing import Object, put, with_extra
from .grounding import Grounding
from .parts import SEARCHES, Contents, is_source


def raise_response(response: Response, server: Server) -> Object:
    contents = Contents(server)
    built: Object = {}
    own = response.protocol == wire.NAME
    if _is_blocked(response):
        blocked = response.candidates[0].terminal
        built["promptFeedback"] = put({"blockReason": blocked.raw}, blockReasonMessage=blocked.message)
    else:
        built["candidates"] = [candidate(index, one, contents, own) for index, one in enumerate(response.candidates)]
    if response.usage is not None or response.tier is not None:
        built["usageMetadata"] = raise_usage(response.usage, response.tier, own)
    built |= envelope(response)
    with_extra(built, response)
    if response.model is not None and wire.model_name(built["modelVersion"]) != response.model:  # it was replaced
        built["modelVersion"] = response.model
    return built


def _is_blocked(response: Response) -> bool:
    """Whether the one candidate is what a blocked prompt of this protocol was read as."""
    feedback = (response.extra.fields or {}).get("promptFeedback") if response.extra is not None else None
    if not feedback or len(response.candidates) != 1:
        return False
    return response.candidates[0].terminal.raw == feedback.get("blockReason") and not response.candidates[0].parts


def envelope(response: Response) -> Object:
    """What all chunks of a stream repeat."""
    return put({}, modelVersion=response.model, responseId=response.id)


def candidate(index: int, given: Candidate, contents: Contents, own: bool) -> Object:
    """`own`: of this protocol, so that it keeps what its text rests on."""
    turn = given.turns[0] if given.turns else None
    built: Object = {"content": {"parts": contents.parts(turn.parts) if turn else [], "role": wire.MODEL}}
    if turn is not None:
        with_extra(built["content"], turn)
    built |= ending(given.terminal, own)
    if index or not own:
        built["index"] = index
    kept = (given.extra.fields or {}) if given.extra is not None else {}
    grounding = grounding_of(turn).written() if turn is not None and kept.keys().isdisjoint(wire.SOURCES) else {}
    if grounding:
        built["groundingMetadata"] = grounding
    if given.logprobs is not None:
        built["logprobsResult"] = logprobs_of(given.logprobs)
    return with_extra(built, given)


def grounding_of(turn: Turn) -> Grounding:
    made = Grounding()
    index = 0
    for part in turn.parts:
        if isinstance(part, SEARCHES) and is_source(part):
            made.search(part)
            continue
        if isinstance(part, ir.Text):
            made.begin(part, index)
            made.add(part.text)
            for citation in part.citations or ():
                made.cite(citation, part)
        index += 1
    return made


def ending(terminal: Terminal, own: bool) -> Object:
    """`own`: of this protocol, whose own word is written again."""
    word: str | None = wire.FINISH_OF[terminal.reason]
    if own and wire.REASON_OF.get(terminal.raw or "", UNKNOWN) is terminal.reason:
        word = terminal.raw
    return with_extra(put({}, finishReason=word, finishMessage=terminal.message), terminal)


def logprobs_of(logprobs: LogProbs) -> Object:
    """The chosen tokens, and the likeliest ones at each position, which stand apart."""
    tokens = logprobs.text or []
    built: Object = {"chosenCandidates": [_token(one) for one in tokens]}
    if any(one.top is not None for one in tokens):
        built["topCandidates"] = [{"candidates": [_token(top) for top in one.top or ()]} for one in tokens]
    return with_extra(built, logprobs)


def _token(token: ScoredToken) -> Object:
    return with_extra(put({"token": token.text, "logProbability": token.logprob}, tokenId=token.id), token)


# --- usage ------------------------------------------------------------------------------------------------------------


def raise_usage(usage: Usage | None, tier: Tier | None = None, own: bool = False) -> Object:
    built = {} if usage is None else token_counts(usage, wire.TOKENS, own)
    return put(built, serviceTier=None if tier is None else google.TIER_OF[tier])
