"""A whole Anthropic Messages answer into the IR: blocks, how it ended, usage (USE-1)."""

from __future__ import annotations

from typing import Any

from proxai_ir.ir import parts as ir
from proxai_ir.ir import turns
from proxai_ir.ir.node import Extra
from proxai_ir.ir.response import Candidate, Response
from proxai_ir.ir.terminal import END, REFUSAL, UNKNOWN, RefusalDetails, Terminal
from proxai_ir.ir.usage import Usage
from proxai_ir.wire import anthropic_messages as wire

from .._lib.reading import Object, constant, extra_fields, keep, missing, note_form, optional, pick, reader, required
from .parts import ASSISTANT, blocks

KNOWN = frozenset({"id", "type", "role", "model", "content", "stop_reason", "stop_sequence", "stop_details", "usage"})


read_envelope = reader(id=str, model=str, content=list, usage=dict)


def lower_response(payload: Object) -> Response:
    """The IR of an answer's body; raises Refusal with everything that is wrong with it."""
    if payload.get("type") != "message" or payload.get("role") != "assistant":
        constant(payload, "type", "message")
        constant(payload, "role", "assistant")
    identity, model, content, usage = read_envelope(payload)
    if content is None:
        raise missing(payload, "content")
    turn = turns.Turn(turns.ASSISTANT, blocks(payload, "content", ASSISTANT), None, payload)
    ending = terminal(payload, payload)
    refusals(turn, ending)
    response = Response(wire.NAME, identity, model, [Candidate([turn], ending, None, payload)])
    response.src = payload
    if usage is not None:
        response.usage = read_usage(usage)
        if "service_tier" in usage:
            response.tier = pick(wire.RESPONSE_TIER, usage, "service_tier")
        if "speed" in usage:
            response.fast = pick(wire.SPEED, usage, "speed")
    if not KNOWN.issuperset(payload):
        response.extra = extra_fields(payload, KNOWN)
    return response


read_ending = reader(stop_reason=str, stop_sequence=str, stop_details=dict)


def terminal(holder: Object, src: Any) -> Terminal:
    """How a message ended, from the object that holds its stop members (the message, or a stream's last delta)."""
    word, sequence, details = read_ending(holder)
    reason = wire.STOP.get(word, UNKNOWN)
    if details is None:
        return Terminal(reason, word, sequence, None, src)
    if reason is not REFUSAL and details.get("type") not in (None, REFUSAL_DETAILS):  # nobody knows what of (UNK-1)
        return Terminal(reason, word, sequence, None, src, Extra({"stop_details": details}))
    return Terminal(reason, word, sequence, _details(details), src)


REFUSAL_DETAILS = "refusal"


def _details(details: Object) -> RefusalDetails:
    constant(details, "type", REFUSAL_DETAILS)
    extra = extra_fields(details, {"type", "explanation", "category"})
    return RefusalDetails(optional(details, "explanation", str), optional(details, "category", str), details, extra)


def refusals(turn: turns.Turn, ending: Terminal) -> None:
    """Where the message refuses, its text is the refusal's wording (REF-4); a call `refusal` is one too (REF-10)."""
    if ending.reason is REFUSAL:
        turn.parts = [_refused(part) if isinstance(part, ir.Text) else part for part in turn.parts]
    elif ending.reason is END:
        for index, part in enumerate(turn.parts):
            if type(part) is ir.FunctionCall and part.name == wire.OLDER_REFUSAL:
                turn.parts[index] = _older_refusal(part)
                ending.reason = REFUSAL


def _refused(part: ir.Text) -> ir.Refusal:
    refusal = ir.Refusal(part.text, part.src, part.extra)
    for key, there in (("citations", part.citations), ("cache_control", part.cache)):
        if there:
            keep(refusal, key, part.src[key])
    return refusal


def _older_refusal(part: ir.FunctionCall) -> ir.Refusal:
    assert isinstance(part.arguments, dict)  # as this protocol has them
    wording = next((value for value in part.arguments.values() if isinstance(value, str)), "")
    return ir.Refusal(wording, part.src, Extra({"tool_use": part.src}))


# --- usage ------------------------------------------------------------------------------------------------------------

read_sums = reader(
    input_tokens=int,
    cache_read_input_tokens=int,
    cache_creation_input_tokens=int,
    output_tokens=int,
    cache_creation=dict,
    output_tokens_details=dict,
)
LIFETIME_KEYS = frozenset(wire.CACHE_WRITES.values())
WORDS = (("service_tier", wire.RESPONSE_TIER), ("speed", wire.SPEED))
KNOWN_USAGE = frozenset(
    {
        "input_tokens",
        "cache_read_input_tokens",
        "cache_creation_input_tokens",
        "output_tokens",
        "cache_creation",
        "output_tokens_details",
        "service_tier",
        "speed",
    }
)


def read_usage(usage: Object) -> Usage:
    """Input comes disjoint already; the output includes the thinking tokens that are told beside it."""
    fresh, read, written, total, lifetimes, details = read_sums(usage)
    writes = _cache_writes(lifetimes) if lifetimes else {}
    thought = optional(details, "thinking_tokens", int) if details else None
    said = total - thought if total is not None and thought is not None else total
    found = Usage(fresh, read, written, said, thought, None, writes or None, usage)
    if lifetimes or details or not KNOWN_USAGE.issuperset(usage):
        found.extra = _kept_usage(usage, lifetimes or {}, details or {})
    if written is None and lifetimes:
        found.cache_write = sum(writes.values())
        note_form(found, "lifetimes only")
    if "service_tier" in usage or "speed" in usage:
        _keep_words(found, usage)
    if said is not None and said < 0:
        found.output = 0
        keep(found, "output_tokens", total)
    return found


def _cache_writes(lifetimes: Object) -> dict[str, int]:
    written: dict[str, int] = {}
    for key, member in wire.CACHE_WRITES.items():
        value = lifetimes.get(member)
        if value is not None:
            written[key] = value if type(value) is int else required(lifetimes, member, int)
    return written


def _keep_words(found: Usage, usage: Object) -> None:
    """Words that nobody knows (UNK-4)."""
    for key, table in WORDS:
        word = optional(usage, key, str)
        if word is not None and word not in table:
            keep(found, key, word)


def _kept_usage(usage: Object, lifetimes: Object, details: Object) -> Extra | None:
    inner, outer = extra_fields(lifetimes, LIFETIME_KEYS), extra_fields(details, {"thinking_tokens"})
    return extra_fields(usage, KNOWN_USAGE, nested={"cache_creation": inner, "output_tokens_details": outer})
