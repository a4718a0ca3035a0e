"""The IR of a response as a generateContent response body: canonical output, from a legal tree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxai_ir.ir import parts as ir
from proxai_ir.ir.logprobs import LogProbs, ScoredToken
from proxai_ir.ir.request import Tier
from proxai_ir.ir.response import Candidate, Response
from proxai_ir.ir.terminal import Terminal
from proxai_ir.ir.turns import Turn
from proxai_ir.ir.usage import Usage
from proxai_ir.wire import gemini_generate_content as wire

from .._lib.writing import Object, put
from .grounding import Grounding
from .parts import Contents
from .restore import has_form, restore, restore_root


def raise_response(response: Response, options: Mapping[str, Any]) -> Object:
    contents = Contents(options)
    built: Object = {}
    if response.candidates and has_form(response.candidates[0], wire.BLOCKED):
        ending = response.candidates[0].terminal
        built["promptFeedback"] = put({"blockReason": ending.raw}, blockReasonMessage=ending.message)
    else:
        built["candidates"] = [candidate(index, one, contents) for index, one in enumerate(response.candidates)]
    if response.usage is not None or response.tier is not None:
        built["usageMetadata"] = raise_usage(response.usage, response.tier)
    built |= envelope(response)
    return built if response.extra is None else restore_root(built, response)


def envelope(response: Response) -> Object:
    """What all chunks of a stream repeat."""
    return put({}, modelVersion=response.model, responseId=response.id)


def candidate(index: int, given: Candidate, contents: Contents) -> Object:
    turn = given.turns[0] if given.turns else None
    built: Object = {"content": {"parts": contents.parts(turn.parts) if turn else [], "role": wire.MODEL}}
    if turn is not None and turn.extra is not None:
        restore(built["content"], turn)
    built |= ending(given.terminal)
    built["index"] = index
    grounding = grounding_of(turn).written() if turn is not None else {}
    if grounding:
        built["groundingMetadata"] = grounding
    if given.logprobs is not None:
        built["logprobsResult"] = logprobs_of(given.logprobs)
    return built if given.extra is None else restore(built, given)


def grounding_of(turn: Turn) -> Grounding:
    made = Grounding()
    index = 0
    for part in turn.parts:
        if isinstance(part, (ir.WebSearchCall, ir.WebSearchResult)) and not has_form(part, wire.PART):
            if not has_form(part, wire.DERIVED):
                made.search(part)
            continue
        if isinstance(part, ir.Text):
            made.begin(index)
            made.add(part.text)
            for citation in part.citations or ():
                if not has_form(citation, wire.DERIVED):
                    made.cite(citation)
        index += 1
    return made


def ending(terminal: Terminal) -> Object:
    built: Object = put({"finishReason": wire.FINISH_OF[terminal.reason]}, finishMessage=terminal.message)
    return built if terminal.extra is None else restore(built, terminal)


def logprobs_of(logprobs: LogProbs) -> Object:
    """The chosen tokens, and the likeliest ones at each position, which stand apart."""
    tokens = logprobs.text or []
    built: Object = {"chosenCandidates": [_token(one) for one in tokens]}
    if any(one.top is not None for one in tokens):
        built["topCandidates"] = [{"candidates": [_token(top) for top in one.top or ()]} for one in tokens]
    return built if logprobs.extra is None else restore(built, logprobs)


def _token(token: ScoredToken) -> Object:
    built = put({"token": token.text, "logProbability": token.logprob}, tokenId=token.id)
    return built if token.extra is None else restore(built, token)


# --- usage ------------------------------------------------------------------------------------------------------------


def raise_usage(usage: Usage | None, tier: Tier | None = None) -> Object:
    """Counts that include one another (USE-1); what the provider's own tools gave back is counted apart."""
    built: Object = {}
    if usage is not None:
        details = usage.details or {}
        tool_use = details.get(wire.TOOL_USE)
        prompt = None if usage.input is None else usage.all_input - (tool_use or 0)
        put(built, promptTokenCount=prompt, cachedContentTokenCount=usage.cache_read, toolUsePromptTokenCount=tool_use)
        put(built, candidatesTokenCount=usage.output, thoughtsTokenCount=usage.reasoning)
        total = usage.total
        if total is None and usage.input is not None and usage.output is not None:
            total = usage.all_input + usage.all_output
        put(built, totalTokenCount=total)
        for member, what in wire.DETAILS.items():
            counts = {key.partition(".")[2]: count for key, count in details.items() if key.startswith(f"{what}.")}
            listed = [
                {"modality": kind.upper(), "tokenCount": count} for kind, count in counts.items() if kind != "tool_use"
            ]
            if listed:
                built[member] = listed
    if tier is not None:
        built["serviceTier"] = wire.TIER_OF[tier]
    return built if usage is None or usage.extra is None else restore(built, usage)
