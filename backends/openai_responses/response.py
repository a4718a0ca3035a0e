"""The IR of an answer as a Responses response body."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

from proxai_ir.ir import parts as ir
from proxai_ir.ir.logprobs import LogProbs, ScoredToken
from proxai_ir.ir.response import Candidate, Response
from proxai_ir.ir.terminal import REFUSAL, Terminal
from proxai_ir.ir.usage import Usage
from proxai_ir.vendors.openai import vocabulary as openai
from proxai_ir.vendors.openai.writing import scored_tokens
from proxai_ir.wire import openai_responses as wire

from .._lib.writing import Object, give_back, put, spelled
from .parts import MESSAGE, answered, items

CREATED = 0  # ENV-2: the wire wants a time, and the source has none


def raise_response(response: Response, home: bool, options: Mapping[str, Any]) -> Object:
    candidate = response.candidates[0]
    built: Object = {} if response.id is None else {"id": response.id}
    built["object"] = "response"
    if response.created is not None or not home:
        built["created_at"] = response.created or CREATED
    model = response.model if home or response.model is not None else options.get("model")
    if model is not None:
        built["model"] = model
    if home:
        turns = [turn for turn in candidate.turns if turn.parts or turn.src is not None]  # not of an empty stream
        built["output"] = [item for turn in turns for item in items(turn, home)]
        _give_back_scores(built["output"], candidate)
        give_back(put(built, status=candidate.terminal.raw), candidate.terminal.extra, home)
    else:
        built["output"] = _made(response.id or "", candidate)
        built |= ending(candidate.terminal)
        built |= {"parallel_tool_calls": True, "tool_choice": "auto", "tools": []}  # what the request said (ENV-2)
    if response.usage is not None:
        built["usage"] = raise_usage(response.usage, home)
    if response.tier is not None or response.fast:
        put(built, service_tier=tier_word(response))
    if response.metadata is not None:
        built["metadata"] = response.metadata
    return built if response.extra is None else give_back(built, response.extra, home)


def tier_word(response: Response) -> str | None:
    if response.fast:
        return openai.FAST
    return openai.TIER_OF.get(response.tier) if response.tier else None


# --- what a foreign answer becomes ------------------------------------------------------------------------------------


def _made(identity: str, candidate: Candidate) -> list[Object]:
    """The items of an answer, with the ids that they must have (R2A-1)."""
    found = [item for turn in candidate.turns for item in answered(turn)]
    refuse(found, candidate.terminal)
    made = [identified(item, identity, index) for index, item in enumerate(found)]
    if candidate.logprobs is not None and scorable(candidate):
        _score(made, scored_tokens(text_alone(candidate.logprobs) or [], []))
    if made and wire.STATUS_OF[candidate.terminal.reason] == wire.INCOMPLETE and made[-1]["type"] in WITH_STATUS:
        made[-1]["status"] = wire.INCOMPLETE
    return made


WITH_STATUS = (MESSAGE, "function_call")


def identified(item: Object, identity: str, index: int) -> Object:
    kind = item["type"]
    if kind in wire.MINTED:
        item = {"id": generated_id(kind, identity, index), **item}
    if item.get("call_id", "") is None:
        item["call_id"] = f"call_{identity}_{index}"  # TUL-17
    if kind in WITH_STATUS and "status" not in item:
        item["status"] = wire.COMPLETED
    return item


def generated_id(kind: str, identity: str, index: int) -> str:
    return f"{wire.MINTED[kind]}_{identity}_{index}"


def refuse(items: list[Object], terminal: Terminal) -> None:
    """A refusal without any wording is told by a part of its own: a failed answer must show why (REF-8)."""
    if terminal.reason is not REFUSAL:
        return
    parts = [part for item in items if item["type"] == MESSAGE for part in item["content"]]
    refusals = [part for part in parts if part["type"] == "refusal"]
    if any(part["refusal"] for part in refusals):
        return
    wording = (terminal.refusal.explanation if terminal.refusal is not None else None) or ""
    part = {"type": "refusal", "refusal": wording}
    if refusals:
        refusals[0].update(part)
    elif items and items[-1]["type"] == MESSAGE:
        items[-1]["content"].append(part)
    else:
        items.append({"type": MESSAGE, "role": "assistant", "content": [part]})


def ending(terminal: Terminal) -> Object:
    """The members that say how an answer ended (STS-1)."""
    details = wire.DETAILS_OF.get(terminal.reason)
    return {
        "status": wire.STATUS_OF[terminal.reason],
        "error": None,
        "incomplete_details": None if details is None else {"reason": details},
    }


# --- log probabilities ------------------------------------------------------------------------------------------------


def scorable(candidate: Candidate) -> bool:
    """Whether log probabilities can stand with the one text that they are of."""
    texts = [part for turn in candidate.turns for part in turn.parts if isinstance(part, (ir.Text, ir.Audio))]
    return len(texts) == 1 and candidate.logprobs is not None and text_alone(candidate.logprobs) is not None


def text_alone(logprobs: LogProbs) -> list[ScoredToken] | None:
    """The tokens of a text; None where other tokens are scored too, or what is no token."""
    others = logprobs.refusal or (logprobs.extra is not None and logprobs.extra.fields)
    return None if others else logprobs.text


def _score(items: list[Object], tokens: list[Object]) -> None:
    for item in items:
        for part in item.get("content", ()):
            if part["type"] == "output_text":
                part["logprobs"] = tokens


def _give_back_scores(items: list[Object], candidate: Candidate) -> None:
    """Each text's own of the log probabilities of all; the text remembers how many they are."""
    texts = [part for turn in candidate.turns for part in turn.parts if isinstance(part, ir.Text)]
    texts = [part for part in texts if not spelled(part, "input_text", True)]
    counts = [_scored(part) for part in texts]
    if not any(counts) or candidate.logprobs is None:
        return
    written = [part for item in items for part in item.get("content", ()) if part.get("type") == "output_text"]
    tokens = iter(scored_tokens(candidate.logprobs.text or [], []))
    for part, count in zip(written, counts, strict=False):
        if count:
            part["logprobs"] = list(islice(tokens, count))


def _scored(part: ir.Text) -> int:
    words = part.extra.wire_forms if part.extra is not None else ()
    return next((int(word.split()[0]) for word in words if word.endswith(" logprobs")), 0)


# --- usage ------------------------------------------------------------------------------------------------------------


def raise_usage(usage: Usage, home: bool) -> Object:
    """Sums by this protocol's rule: the input includes cached tokens, the output includes reasoning (USE-1)."""
    if not home:
        return _foreign_usage(usage)
    built: Object = {}
    if usage.input is not None:
        built["input_tokens"] = usage.all_input
    into = put({}, cached_tokens=usage.cache_read, cache_write_tokens=usage.cache_write)
    out = put({}, reasoning_tokens=usage.reasoning)
    put(built, input_tokens_details=into or None)
    if usage.output is not None:
        built["output_tokens"] = usage.all_output
    put(built, output_tokens_details=out or None, total_tokens=usage.total)
    return built if usage.extra is None else give_back(built, usage.extra, home)


def _foreign_usage(usage: Usage) -> Object:
    """The wire insists on every member: 0 stands for unreported (USE-5)."""
    into: Object = {"cached_tokens": usage.cache_read or 0, "cache_write_tokens": usage.cache_write or 0}
    taken, made = usage.all_input, usage.all_output
    return {
        "input_tokens": taken,
        "input_tokens_details": into,
        "output_tokens": made,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning or 0},
        "total_tokens": taken + made,
    }
