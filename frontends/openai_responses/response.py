"""Reads responses and errors of Responses, and lists the members that its servers get wrong (ENV-15)."""

from __future__ import annotations

from proxai_ir import ir
from proxai_ir.ir.response import END, Candidate, LogProbs, Response, Terminal, fitted_reason
from proxai_ir.protocol import slips
from proxai_ir.wire import openai
from proxai_ir.wire import openai_responses as wire
from proxai_ir.wire import openai_responses_objects as objects

from .._lib import reading as r
from .._lib.objects import ObjectReader, read_counts
from .._lib.reading import Json, Object
from .._openai import reading as openai_reading
from .._openai.reading import scored_tokens, whole_seconds
from .output_items import as_run, custom_tools
from .parts import OUTPUT, SCORED_KEYS, read_items

# --- error ------------------------------------------------------------------------------------------------------------
# An error of OpenAI Responses into the IR: an HTTP body, an error event, or an answer that failed (STS-9).


def lower_error(payload: Object, status: int | None = None) -> ir.Error:
    return openai_reading.lower_error(wire.NAME, payload, status)


# --- response ---------------------------------------------------------------------------------------------------------
# A whole Responses answer into the IR: its items, how it ended, usage (USE-1). A failed one is an error (STS-9).

KNOWN = frozenset(
    """
    id object created_at model output usage service_tier status incomplete_details metadata
    """.split()
)
read_envelope = r.reader(model=str, output=list, usage=dict, metadata=dict)


def lower_response(payload: Object) -> Response | ir.Error:
    """Return the IR of an answer's body; raises Refusal with everything that is wrong with it."""
    if payload.get("object") != "response":
        r.constant(payload, "object", "response")
    model, output, usage, metadata = read_envelope(payload)
    if output is None and "output" not in payload and payload.get("status") != wire.FAILED:
        raise r.missing(payload, "output")
    turns = read_items(output or [], OUTPUT)
    called = [index for index, turn in enumerate(turns) if turn.parts and type(turn.parts[0]) is ir.CustomCall]
    customs = custom_tools(payload.get("tools")) if called else None
    for index in called:
        turn = turns[index]
        turns[index] = as_run(turn, customs)
        turns[index].continues = turn.continues
    unexplained = payload.get("status") == wire.FAILED and not refuses(turns)
    if unexplained:
        if payload.get("error") is not None:
            return failed(payload)
        _declined(turns)
    ending = terminal(payload, turns)
    if unexplained:
        r.keep(ending, "status", payload["status"])
    candidate = Candidate(turns, ending, None, payload)
    _logprobs(candidate)
    response = Response(wire.NAME, r.identifier(payload), model, [candidate])
    response.usage = None if usage is None else read_counts(USAGE, usage)
    response.metadata = metadata or None
    response.src = payload
    response.extra = r.kept(payload, KNOWN)
    if payload.get("incomplete_details") is not None and payload.get("status") != wire.INCOMPLETE:
        r.keep(response, "incomplete_details", payload["incomplete_details"])
    _created(response, payload)
    _tier(response, payload)
    return response


def refuses(turns: list[ir.Turn]) -> bool:
    return any(type(part) is ir.Refusal for turn in turns for part in turn.parts)


def _declined(turns: list[ir.Turn]) -> None:
    """Make the texts of an answer that failed without an error refusals (STS-2)."""
    for turn in turns:
        for index, part in enumerate(turn.parts):
            if type(part) is ir.Text:
                held = part.src if isinstance(part.src, dict) else {}  # a string holds nothing besides
                own = ir.Extra({**(r.rest(held, {"text"}) or {}), "type": "output_text"})
                turn.parts[index] = ir.Refusal(part.text, part.src, own)


def failed(payload: Object) -> ir.Error:
    """Return the error of an answer; the rest of the answer is kept for this protocol."""
    found = lower_error(payload)
    found.extra = found.extra or ir.Extra()
    found.extra.fields = {**(r.rest(payload, {"error"}) or {}), **(found.extra.fields or {})}
    return found


def _created(response: Response, payload: Object) -> None:
    """Read the time, which the types declare as a number; a fraction is kept for this protocol."""
    value = payload.get("created_at")
    response.created = whole_seconds(payload, "created_at")
    if value != response.created:
        r.keep(response, "created_at", value)


def _tier(response: Response, payload: Object) -> None:
    word = r.optional(payload, "service_tier", str)
    if word is None:
        return
    response.tier = openai.TIER.get(word)
    if word in (openai.FAST, wire.ULTRAFAST):
        response.fast = True
    if response.tier is None and word != openai.FAST:
        r.keep(response, "service_tier", word)


read_ending = r.reader(status=str, incomplete_details=dict)


def terminal(payload: Object, turns: list[ir.Turn]) -> Terminal:
    """Return how an answer ended, by its status, what makes it incomplete, and its content (STS-2, STS-4).

    A refusal in a response that was completed is content, and no ending (REF-12).
    """
    status, details = read_ending(payload)
    word = status
    if details is not None and status == wire.INCOMPLETE:
        word = r.optional(details, "reason", str) or status
    reason = wire.reason_of(status, details)
    if reason is END:
        reason = fitted_reason(reason, Candidate(turns, Terminal(reason)).calls)
    found = Terminal(reason, word, None, None, payload)
    if details is not None and status == wire.INCOMPLETE:
        found.extra = ir.Extra({"incomplete_details": details})
    if status is not None and status != wire.STATUS_OF[reason]:
        r.keep(found, "status", status)
    return found


def _logprobs(candidate: Candidate) -> None:
    """Move the log probabilities of the answer's only scored text to the candidate; those of several texts stay
    there."""
    texts = [part for part in candidate.parts if type(part) is ir.Text]
    scored = [
        text for text in texts if text.extra is not None and text.extra.fields and text.extra.fields.get("logprobs")
    ]
    if len(scored) != 1:
        return
    (text,) = scored
    tokens = scored_tokens(r.required(text.src, "logprobs", list))
    if tokens is None:
        return
    candidate.logprobs = LogProbs(tokens, None, text.src)
    candidate.src = text.src
    text.extra = r.kept(text.src, SCORED_KEYS)


def read_scores(tokens: list[Json], holder: Object) -> LogProbs:
    """Return the log probabilities that an event of a stream adds."""
    scored = scored_tokens(tokens)
    if scored is None:
        raise r.wrong(holder, "logprobs", "an array of objects with `token` and `logprob`")
    return LogProbs(scored, None, holder)


# --- usage ------------------------------------------------------------------------------------------------------------

USAGE = ObjectReader(objects.USAGE)


# --- slips ------------------------------------------------------------------------------------------------------------
# Members outside the content that servers get wrong, in responses and where requests repeat them (ENV-15).

OF_ITEM = {"id": slips.text, "status": slips.word}
SCORED = {"logprobs": slips.listed}
ITEM = slips.ByType(
    {
        "message": {**OF_ITEM, "role": slips.role("assistant"), "content": slips.Each(SCORED)},
        "function_call": {**OF_ITEM, "call_id": slips.ID, "arguments": slips.ARGUMENTS_TEXT},
        "custom_tool_call": {**OF_ITEM, "call_id": slips.ID},
    },
    {**OF_ITEM, "call_id": slips.text},
)
RESPONSE = {
    "id": slips.text,
    "object": slips.word,
    "created_at": slips.seconds,
    "model": slips.text,
    "service_tier": slips.word,
    "status": slips.word,
    "usage": slips.counts(objects.USAGE),
    "metadata": slips.Facts({}),
    "incomplete_details": slips.Facts({"reason": slips.word}),
    "output": slips.Each(ITEM),
}
EVENT = {
    "response": RESPONSE,
    "item": ITEM,
    "part": SCORED,
    **SCORED,
    "item_id": slips.text,
    "sequence_number": slips.count,
    **dict.fromkeys(("output_index", "content_index", "summary_index", "annotation_index"), slips.count),
}
SLIPS = {**RESPONSE, **EVENT}
ANSWERED = {"call_id": slips.text}
CALLED = slips.ByType({"function_call": {**ANSWERED, "arguments": slips.ARGUMENTS_TEXT}}, ANSWERED)
REPEATED = {"input": slips.Each(CALLED)}
