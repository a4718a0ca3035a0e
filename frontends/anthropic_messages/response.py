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

from ..reading import Object, constant, keep, missing, optional, own, pick, required
from .parts import ASSISTANT, blocks

KNOWN = frozenset({"id", "type", "role", "model", "content", "stop_reason", "stop_sequence", "stop_details", "usage"})


def lower_response(payload: Object) -> Response:
    """The IR of an answer's body; raises Refusal with everything that is wrong with it."""
    constant(payload, "type", "message")
    constant(payload, "role", "assistant")
    if payload.get("content") is None:
        raise missing(payload, "content")
    required(payload, "content", list)
    turn = Turn(Role.ASSISTANT, blocks(payload, "content", ASSISTANT), None, payload)
    ending = terminal(payload, payload)
    refusals(turn, ending)
    usage = optional(payload, "usage", dict)
    return Response(
        wire.NAME,
        optional(payload, "id", str),
        optional(payload, "model", str),
        [Candidate([turn], ending, None, payload)],
        None if usage is None else read_usage(usage),
        None,
        pick(wire.RESPONSE_TIER, usage, "service_tier") if usage else None,
        pick(wire.SPEED, usage, "speed") if usage else None,
        None,
        None,
        payload,
        own(payload, KNOWN),
    )


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
    """Where the message refuses, its text is the refusal's wording (REF-4); a call named `refusal` is one too (REF-10)."""
    if ending.reason is StopReason.REFUSAL:
        turn.parts = [_refused(part) if isinstance(part, ir.Text) else part for part in turn.parts]
    elif ending.reason is StopReason.END:
        turn.parts = [_older_refusal(part) or part for part in turn.parts]
        if any(isinstance(part, ir.Refusal) for part in turn.parts):
            ending.reason = StopReason.REFUSAL


def _refused(part: ir.Text) -> ir.Refusal:
    refusal = ir.Refusal(part.text, part.src, part.own)
    if part.citations:
        keep(refusal, "citations", part.src["citations"])
    return refusal


def _older_refusal(part: ir.Part) -> ir.Refusal | None:
    if not isinstance(part, ir.FunctionCall) or part.name != "refusal" or not isinstance(part.arguments, dict):
        return None
    wording = next((value for value in part.arguments.values() if isinstance(value, str)), "")
    return ir.Refusal(wording, part.src, Own({"tool_use": part.src}))


# --- usage ------------------------------------------------------------------------------------------------------------

USAGE_KEYS = frozenset(
    {
        "input_tokens",
        "output_tokens",
        "cache_read_input_tokens",
        "cache_creation_input_tokens",
        "cache_creation",
        "output_tokens_details",
        "service_tier",
        "speed",
    }
)


def read_usage(usage: Object) -> Usage:
    """Input comes disjoint already; the output includes the thinking tokens that are told beside it."""
    lifetimes = optional(usage, "cache_creation", dict) or {}
    details = optional(usage, "output_tokens_details", dict) or {}
    short, long = (optional(lifetimes, f"ephemeral_{ttl}_input_tokens", int) for ttl in ("5m", "1h"))
    thought, total = optional(details, "thinking_tokens", int), optional(usage, "output_tokens", int)
    said = None if total is None else total - (thought or 0)
    written = optional(usage, "cache_creation_input_tokens", int)
    inner = own(lifetimes, {"ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens"})
    outer = own(details, {"thinking_tokens"})
    known = set(USAGE_KEYS)
    for key, table in (("service_tier", wire.RESPONSE_TIER), ("speed", wire.SPEED)):
        if usage.get(key) not in (None, *table):
            known.remove(key)
    extra = own(usage, known, cache_creation=inner and inner.patch, output_tokens_details=outer and outer.patch)
    found = Usage(
        optional(usage, "input_tokens", int),
        optional(usage, "cache_read_input_tokens", int),
        (short or 0) + (long or 0) if written is None and lifetimes else written,
        None if said is None else max(said, 0),
        thought,
        None,
        short,
        long,
    )
    found.src, found.own = usage, extra
    if written is None and lifetimes:
        found.own = found.own or Own()
        found.own.spelling = ("lifetimes only",)
    if said is not None and said < 0:
        keep(found, "output_tokens", total)
    return found
