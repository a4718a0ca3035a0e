"""Reads responses and errors of Anthropic Messages, and lists the members that its servers get wrong (ENV-15)."""

from __future__ import annotations

from typing import Any

from proxai_ir import ir
from proxai_ir.ir.error import Error, judged
from proxai_ir.ir.response import END, UNKNOWN
from proxai_ir.protocol import slips
from proxai_ir.wire import anthropic_messages as wire

from .._lib import reading as r
from .._lib.objects import ObjectReader, read_counts
from .._lib.reading import Object
from .parts import ASSISTANT, blocks

# --- response ---------------------------------------------------------------------------------------------------------
# A whole Anthropic Messages answer into the IR: blocks, how it ended, usage (USE-1).

KNOWN = frozenset({"id", "type", "role", "model", "content", "stop_reason", "stop_sequence", "stop_details", "usage"})


read_envelope = r.reader(model=str, content=list, usage=dict)


def lower_response(payload: Object) -> ir.Response:
    """Return the IR of an answer's body; raises Refusal with everything that is wrong with it."""
    if payload.get("type") != "message" or payload.get("role") != "assistant":
        r.constant(payload, "type", "message")
        r.constant(payload, "role", "assistant")
    model, content, usage = read_envelope(payload)
    if content is None and "content" not in payload:
        raise r.missing(payload, "content")
    turn = ir.Turn(ir.ASSISTANT, blocks(payload, "content", ASSISTANT) if content else [], None, payload)
    ending = terminal(payload, payload)
    refusals(turn, ending)
    r.mark_cut_off(turn, ending)
    response = ir.Response(wire.NAME, r.identifier(payload), model, [ir.Candidate([turn], ending, None, payload)])
    response.src = payload
    if usage is not None:
        response.usage = read_usage(usage)
        if "service_tier" in usage:
            response.tier = r.pick(wire.RESPONSE_TIER, usage, "service_tier")
        if "speed" in usage:
            response.fast = r.pick(wire.SPEED, usage, "speed")
    if not KNOWN.issuperset(payload):
        response.extra = r.extra_fields(payload, KNOWN)
    return response


read_ending = r.reader(stop_reason=str, stop_sequence=str, stop_details=dict)
REFUSAL_DETAILS = "refusal"


def terminal(holder: Object, src: Any) -> ir.Terminal:
    """Return how a message ended, from the object with its stop members: the message, or a stream's last delta."""
    word, sequence, details = read_ending(holder)
    reason = wire.REASON.get(word, UNKNOWN)
    if details is None:
        return ir.Terminal(reason, word, sequence, None, src)
    if details.get("type") not in (None, REFUSAL_DETAILS):  # of something unknown (UNK-1)
        return ir.Terminal(reason, word, sequence, None, src, ir.Extra({"stop_details": details}))
    return ir.Terminal(reason, word, sequence, _details(details), src)


def _details(details: Object) -> ir.RefusalDetails:
    explanation, category = r.optional(details, "explanation", str), r.optional(details, "category", str)
    return ir.RefusalDetails(
        explanation, category, details, r.extra_fields(details, {"type", "explanation", "category"})
    )


def refusals(turn: ir.Turn, ending: ir.Terminal) -> None:
    """Make the text of a refused message a refusal (REF-4), and an older model's call `refusal` too (REF-10)."""
    if ending.reason is ir.REFUSAL:
        turn.parts = [_refused(part) if isinstance(part, ir.Text) else part for part in turn.parts]
    elif ending.reason is END:
        for index, part in enumerate(turn.parts):
            if type(part) is ir.FunctionCall and part.name == wire.OLDER_REFUSAL:
                turn.parts[index] = older_refusal(part, part.src)
                ending.reason = ir.REFUSAL


def _refused(part: ir.Text) -> ir.Refusal:
    refusal = ir.Refusal(part.text, part.src, part.extra)
    for key, there in (("citations", part.citations), ("cache_control", part.cache)):
        if there:
            r.keep(refusal, key, part.src[key])
    return refusal


def older_refusal(part: ir.FunctionCall, block: Object) -> ir.Refusal:
    """Return the refusal that an older model's call is; `block` is the call on the wire."""
    assert isinstance(part.arguments, dict)  # as this protocol has them
    wording = next((value for value in part.arguments.values() if isinstance(value, str)), "")
    return ir.Refusal(wording, part.src, ir.Extra({"tool_use": block}))


# --- usage ------------------------------------------------------------------------------------------------------------

USAGE = ObjectReader(wire.USAGE)
WORDS = (("service_tier", wire.RESPONSE_TIER), ("speed", wire.SPEED))


def read_usage(usage: Object) -> ir.Usage:
    found = read_counts(USAGE, usage)
    if found.cache_write is None and found.details is not None:
        found.cache_write = sum(found.details.values())
    if "service_tier" in usage or "speed" in usage:
        for key, table in WORDS:
            if usage.get(key) is not None and usage[key] not in table:  # UNK-4
                r.keep(found, key, usage[key])
    return found


# --- error ------------------------------------------------------------------------------------------------------------
# An Anthropic error body into the IR (ERR-1): `{"type": "error", "error": {"type", "message"}, "request_id"}`.


def lower_error(payload: Object, status: int | None = None) -> Error:
    """Return the error of a body; the category is that of its type, else of the HTTP status, else of a generic type."""
    return r.read_or_keep(wire.NAME, payload, status, lambda: _read(payload, status))


def _read(payload: Object, status: int | None) -> Error:
    r.constant(payload, "type", "error")
    error = r.required(payload, "error", dict)
    kind = r.optional(error, "type", str)
    known = wire.ERROR_TYPE.get(kind or "")
    message = r.required(error, "message", str)
    inner = r.extra_fields(error, {"type", "message"} if known else {"message"})
    specific = None if kind in wire.GENERIC_ERRORS else known
    return Error(
        wire.NAME,
        judged([specific], status, known),
        message,
        kind if known else None,
        request_id=r.optional(payload, "request_id", str),
        status=status,
        src=payload,
        extra=r.extra_fields(payload, {"type", "error", "request_id"}, nested={"error": inner}),
    )


# --- slips ------------------------------------------------------------------------------------------------------------
# Members outside the content that servers get wrong, in responses and where requests repeat them (ENV-15).

ENDING = {
    "stop_reason": slips.word,
    "stop_sequence": slips.text,
    "stop_details": slips.Facts({"type": slips.word, "explanation": slips.text, "category": slips.word}),
}
IDS = {"id": slips.text, "tool_use_id": slips.text}
BLOCK = slips.ByType({"tool_use": {"id": slips.ID, "input": slips.ARGUMENTS}}, IDS)
MESSAGE = {
    "id": slips.text,
    "role": slips.role("assistant"),
    "model": slips.text,
    **ENDING,
    "content": slips.Each(BLOCK),
    "usage": slips.counts(wire.USAGE),
}
SLIPS = {
    **MESSAGE,
    "message": {"type": slips.word, **MESSAGE},
    "index": slips.count,
    "content_block": BLOCK,
    "delta": ENDING,
}
CALLED = slips.ByType({"tool_use": {"id": slips.text, "input": slips.ARGUMENTS}}, IDS)
REPEATED = {"messages": slips.Each({"role": slips.speaker("assistant"), "content": slips.Each(CALLED)})}
