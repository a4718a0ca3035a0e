"""A whole Anthropic Messages answer into the IR: blocks, how it ended, usage (USE-1)."""

from __future__ import annotations

from typing import Any

from proxai_ir.ir import parts as ir
from proxai_ir.ir.node import Own
from proxai_ir.ir.response import Candidate, Response
from proxai_ir.ir.terminal import RefusalDetails, StopReason, Terminal
from proxai_ir.ir.turns import Role, Turn
from proxai_ir.ir.usage import Usage
from proxai_ir.wire import anthropic_messages as wire

from ..reading import Object, constant, counts, keep, optional, own, pick, required, spell
from .parts import ASSISTANT, blocks

KNOWN = frozenset({"id", "type", "role", "model", "content", "stop_reason", "stop_sequence", "stop_details", "usage"})


def lower_response(payload: Object) -> Response:
    """The IR of an answer's body; raises Refusal with everything that is wrong with it."""
    constant(payload, "type", "message")
    constant(payload, "role", "assistant")
    required(payload, "content", list)
    turn = Turn(Role.ASSISTANT, blocks(payload, "content", ASSISTANT), None, payload)
    ending = terminal(payload, payload)
    refusals(turn, ending)
    usage = optional(payload, "usage", dict)
    response = Response(
        wire.NAME,
        optional(payload, "id", str),
        optional(payload, "model", str),
        [Candidate([turn], ending, None, payload)],
    )
    if usage is not None:
        response.usage = read_usage(usage)
        response.tier = pick(wire.RESPONSE_TIER, usage, "service_tier")
        response.fast = pick(wire.SPEED, usage, "speed")
    response.src = payload
    response.own = None if payload.keys() <= KNOWN else own(payload, KNOWN)
    return response


def terminal(holder: Object, src: Any) -> Terminal:
    """How a message ended, from the object that holds its stop members (the message, or a stream's last delta)."""
    word = optional(holder, "stop_reason", str)
    details = optional(holder, "stop_details", dict)
    refusal = None
    if details is not None:
        constant(details, "type", "refusal")
        extra = own(details, {"type", "explanation", "category"})
        refusal = RefusalDetails(
            optional(details, "explanation", str), optional(details, "category", str), details, extra
        )
    reason = wire.STOP.get(word or "", StopReason.UNKNOWN)
    return Terminal(reason, word, optional(holder, "stop_sequence", str), refusal, src)


def refusals(turn: Turn, ending: Terminal) -> None:
    """Where the message refuses, its text is the refusal's wording (REF-4); a call `refusal` is one too (REF-10)."""
    if ending.reason is StopReason.REFUSAL:
        turn.parts = [_refused(part) if isinstance(part, ir.Text) else part for part in turn.parts]
    elif ending.reason is StopReason.END:
        for index, part in enumerate(turn.parts):
            if type(part) is ir.FunctionCall and part.name == "refusal":
                turn.parts[index] = _older_refusal(part)
                ending.reason = StopReason.REFUSAL


def _refused(part: ir.Text) -> ir.Refusal:
    refusal = ir.Refusal(part.text, part.src, part.own)
    if part.citations:
        keep(refusal, "citations", part.src["citations"])
    return refusal


def _older_refusal(part: ir.FunctionCall) -> ir.Refusal:
    assert isinstance(part.arguments, dict)  # as this protocol has them
    wording = next((value for value in part.arguments.values() if isinstance(value, str)), "")
    return ir.Refusal(wording, part.src, Own({"tool_use": part.src}))


# --- usage ------------------------------------------------------------------------------------------------------------

USAGE_KEYS = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens")
LIFETIME_KEYS = dict.fromkeys(("ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens")).keys()
WORDS = (("service_tier", wire.RESPONSE_TIER), ("speed", wire.SPEED))
KNOWN_USAGE = frozenset({*USAGE_KEYS, "cache_creation", "output_tokens_details", "service_tier", "speed"})
NO_DETAILS: Object = {}


def read_usage(usage: Object) -> Usage:
    """Input comes disjoint already; the output includes the thinking tokens that are told beside it."""
    lifetimes = optional(usage, "cache_creation", dict) or NO_DETAILS
    details = optional(usage, "output_tokens_details", dict) or NO_DETAILS
    fresh, read, written, total = counts(usage, *USAGE_KEYS)
    short, long = counts(lifetimes, *LIFETIME_KEYS)
    (thought,) = counts(details, "thinking_tokens")
    said = None if total is None else total - (thought or 0)
    if written is None and lifetimes:
        written = (short or 0) + (long or 0)
    found = Usage(fresh, read, written, None if said is None else max(said, 0), thought, None, short, long)
    found.src = usage
    if not usage.keys() <= KNOWN_USAGE or lifetimes.keys() - LIFETIME_KEYS or len(details) > 1:
        found.own = _kept_usage(usage, lifetimes, details)
    if lifetimes and usage.get("cache_creation_input_tokens") is None:
        spell(found, "lifetimes only")
    for key, table in WORDS:
        if usage.get(key) is not None and usage[key] not in table:
            keep(found, key, usage[key])
    if said is not None and said < 0:
        keep(found, "output_tokens", total)
    return found


def _kept_usage(usage: Object, lifetimes: Object, details: Object) -> Own | None:
    inner, outer = own(lifetimes, LIFETIME_KEYS), own(details, {"thinking_tokens"})
    return own(usage, KNOWN_USAGE, cache_creation=inner, output_tokens_details=outer)
