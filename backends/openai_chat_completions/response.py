"""The IR of an answer as a Chat Completions response body."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxai_ir.ir import parts as ir
from proxai_ir.ir.logprobs import LogProbs
from proxai_ir.ir.response import Candidate, Response
from proxai_ir.ir.terminal import CONTENT_FILTER, REFUSAL, Terminal, fitted_reason
from proxai_ir.ir.turns import ASSISTANT, Turn
from proxai_ir.ir.usage import Usage
from proxai_ir.vendors.openai import vocabulary as openai
from proxai_ir.vendors.openai.writing import scored_tokens
from proxai_ir.wire import openai_chat_completions as wire

from .._lib.writing import Object, give_back, put, spelled, writer
from .parts import assistant

CREATED = 0  # ENV-2: the wire wants a time, and the source has none


def raise_response(response: Response, home: bool, options: Mapping[str, Any]) -> Object:
    built: Object = {} if response.id is None else {"id": response.id}
    built["object"] = "chat.completion"
    if response.created is not None or not home:
        built["created"] = response.created or CREATED
    model = response.model if home or response.model is not None else options.get("model")
    if model is not None:
        built["model"] = model
    choices: list[Object] = []
    for candidate in response.candidates:
        choices.append(_choice(len(choices), candidate, home))
    built["choices"] = choices
    if response.usage is not None:
        built["usage"] = raise_usage(response.usage, home)
    tier = tier_word(response)
    if tier is not None:
        built["service_tier"] = tier
    if response.fingerprint is not None:
        built["system_fingerprint"] = response.fingerprint
    if response.metadata is not None:
        built["metadata"] = response.metadata
    return built if response.extra is None else give_back(built, response.extra, home)


def tier_word(response: Response) -> str | None:
    if response.fast:
        return openai.FAST
    return openai.TIER_OF.get(response.tier) if response.tier else None


def _choice(index: int, candidate: Candidate, home: bool) -> Object:
    turn = candidate.turns[0] if candidate.turns else Turn(ASSISTANT, [])
    message = assistant(turn, home) if home else _message(turn, candidate.terminal)
    if home:
        _annotate(message, turn.parts, home)
    built: Object = {"index": index, "message": message}
    if candidate.logprobs is not None:
        built["logprobs"] = logprobs_of(candidate.logprobs)
    built["finish_reason"] = candidate.terminal.raw if home else finish_reason(candidate, message)
    return built if candidate.extra is None else give_back(built, candidate.extra, home)


def logprobs_of(logprobs: LogProbs) -> Object:
    text, refusal = logprobs.text, logprobs.refusal
    built: Object = {
        "content": None if text is None else scored_tokens(text, None),
        "refusal": None if refusal is None else scored_tokens(refusal, None),
    }
    return built if logprobs.extra is None else give_back(built, logprobs.extra, True)


def _message(turn: Turn, terminal: Terminal) -> Object:
    """A message for a foreign answer: one string of text, and a refusal in its own member alone (REF-3, REF-5)."""
    message = assistant(turn, False, joined=True)
    message.setdefault("refusal", None)
    if message["content"] is None:
        if terminal.reason is REFUSAL and not message["refusal"]:
            message["refusal"] = wording_of(terminal)
    else:
        _annotate(message, turn.parts, False)
    return message


def wording_of(terminal: Terminal) -> str | None:
    return terminal.refusal.explanation if terminal.refusal is not None else None


def finish_reason(candidate: Candidate, message: Object) -> str:
    """The word for an ending; a refusal that shows nothing is a filtered answer (STS-5)."""
    reason = candidate.terminal.reason
    if reason is REFUSAL and not message.get("refusal") and not message.get("content"):
        return wire.FINISH_OF[CONTENT_FILTER]
    return wire.FINISH_OF[fitted_reason(reason, candidate.calls)]


def _annotate(message: Object, parts: list[Any], home: bool) -> None:
    """Citations with their span in the whole text, in characters (CIT-1)."""
    notes: list[Object] = []
    offset = 0
    for part in parts:
        if type(part) is ir.Text:
            if part.citations:
                cited = [one for one in part.citations if isinstance(one, ir.UrlCitation)]
                notes += [annotation(one, offset, len(part.text), home) for one in cited]
            offset += len(part.text)
    if notes:
        message["annotations"] = notes


def annotation(citation: ir.UrlCitation, offset: int, length: int, home: bool) -> Object:
    start = citation.start if home or citation.start is not None else offset
    end = citation.end if home or citation.end is not None else offset + length
    cited = put({}, url=citation.url, title=citation.title, start_index=start, end_index=end)
    if not home:
        cited.setdefault("title", "")
    return give_back({"type": "url_citation", "url_citation": cited}, citation.extra, home)


def raise_usage(usage: Usage, home: bool) -> Object:
    """Sums by this protocol's rule: the prompt includes cached tokens, the completion includes reasoning (USE-1)."""
    built: Object = {}
    prompt, completion = usage.all_input, usage.all_output
    if not home or usage.input is not None:
        built["prompt_tokens"] = prompt
    if not home or usage.output is not None:
        built["completion_tokens"] = completion
    total = usage.total if home else prompt + completion
    if total is not None:
        built["total_tokens"] = total
    into, out = _details(usage)
    if home and usage.extra is not None:
        _give_back_cached(built, into, usage)
    if into:
        built["prompt_tokens_details"] = into
    if out:
        built["completion_tokens_details"] = out
    return built if usage.extra is None else give_back(built, usage.extra, home)


def _give_back_cached(built: Object, into: Object, usage: Usage) -> None:
    """The cached part of the prompt under the name by which the source told it."""
    for key in wire.CACHED:
        if spelled(usage, key, True):
            built[key] = usage.cache_read
            del into["cached_tokens"]


write_input = writer(cached_tokens="cache_read", cache_write_tokens="cache_write")
write_output = writer(reasoning_tokens="reasoning")


def _details(usage: Usage) -> tuple[Object, Object]:
    """What goes into the details of the prompt and of the completion."""
    into, out = write_input(usage), write_output(usage)
    for key, tokens in (usage.details or {}).items():
        if key in INPUT_MEMBER:
            into[INPUT_MEMBER[key]] = tokens
        else:
            out[OUTPUT_MEMBER[key]] = tokens
    return into, out


INPUT_MEMBER = {key: member for member, key in wire.INPUT_DETAILS.items()}
OUTPUT_MEMBER = {key: member for member, key in wire.OUTPUT_DETAILS.items()}
