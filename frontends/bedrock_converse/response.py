"""A Converse response into the IR: the message, how it ended, usage (USE-1). It names no model and has no id."""

from __future__ import annotations

from typing import Any

from proxai_ir.ir import parts as ir
from proxai_ir.ir.node import Extra
from proxai_ir.ir.response import Candidate, Response
from proxai_ir.ir.terminal import CUT_OFF, UNKNOWN, Terminal
from proxai_ir.ir.turns import ASSISTANT, Turn
from proxai_ir.ir.usage import Usage
from proxai_ir.wire import bedrock_converse as wire

from .._lib.objects import ObjectReader
from .._lib.reading import Json, Object, an_object, constant, each, extra_fields, keep, optional, pick, required, rest
from .._lib.usage import read_counts
from .parts import ASSISTANT as BLOCKS
from .parts import blocks

READ = {"output", "stopReason", "usage"}
SERVED: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
    ("performanceConfig", "latency", "fast", wire.LATENCY),
    ("serviceTier", "type", "tier", wire.TIER),
)


def lower_response(payload: Object) -> Response:
    """The IR of a response body; raises Refusal with everything that is wrong with it."""
    output = required(payload, "output", dict)
    message = required(output, "message", dict)
    constant(message, "role", "assistant")
    turn = Turn(ASSISTANT, blocks(message, "content", BLOCKS), src=message)
    turn.extra = extra_fields(message, {"role", "content"})
    ending, shown = terminal(payload)
    mark_begun(turn, ending)
    response = Response(wire.NAME, None, None, [Candidate([turn], ending, None, payload)], src=payload)
    usage = optional(payload, "usage", dict)
    response.usage = None if usage is None else read_usage(usage)
    nested = {"output": extra_fields(output, {"message"}), wire.SHOWN: shown}
    known, served = read_served(response, payload)
    response.extra = extra_fields(payload, {*READ, wire.SHOWN, *known}, nested={**nested, **served})
    if payload.get(wire.SHOWN) is not None and not isinstance(payload[wire.SHOWN], dict):
        keep(response, wire.SHOWN, payload[wire.SHOWN])  # which may be of any type
    return response


def read_served(response: Response, payload: Object) -> tuple[set[str], dict[str, Extra | None]]:
    """How it was served: fills the fields, and returns the members that were read and what they have besides."""
    nested: dict[str, Extra | None] = {}
    for key, inner, field, table in SERVED:
        value = optional(payload, key, dict)
        if value is not None:
            found = pick(table, value, inner)
            setattr(response, field, found)
            nested[key] = extra_fields(value, set() if found is None else {inner})
    return {*nested}, nested


def mark_begun(turn: Turn, ending: Terminal) -> None:
    """A last call without input where the response was cut off has only begun, as its stream would show (TUL-29)."""
    last = turn.parts[-1] if turn.parts and ending.reason in CUT_OFF else None
    if type(last) is ir.FunctionCall and last.arguments == {}:
        last.arguments = ""


def terminal(holder: Object) -> tuple[Terminal, Extra | None]:
    """How a message ended, and the rest of what Claude shows besides: the stop sequence, if it was asked for."""
    word = optional(holder, "stopReason", str)
    found = Terminal(wire.REASON.get(word or "", UNKNOWN), word, src=holder)
    shown = holder.get(wire.SHOWN)
    if not isinstance(shown, dict):
        return found, None
    sequence = shown.get(wire.STOP_SEQUENCE)
    if isinstance(sequence, str):
        found.stop_sequence = sequence
        return found, extra_fields(shown, {wire.STOP_SEQUENCE})
    return found, extra_fields(shown, set())


# --- usage ------------------------------------------------------------------------------------------------------------


def _details(usage: Object, key: str) -> dict[str, int] | None:
    """What was written to the cache, by lifetime: of those that are not listed there is none."""
    listed: list[Json] = usage[key]
    found = {f"{wire.WRITTEN}{ttl}": 0 for ttl in wire.TTL.values()} if listed else {}
    for one in each(range(len(listed)), lambda index: an_object(listed, index)):
        ttl, count = required(one, "ttl", str), required(one, "inputTokens", int)
        if ttl in wire.TTL:
            name = f"{wire.WRITTEN}{wire.TTL[ttl]}"
            found[name] += count
    return found or None


USAGE = ObjectReader(wire.USAGE, {"cacheDetails": _details})
WRITTEN = frozenset({"ttl", "inputTokens"})


def read_usage(usage: Object) -> Usage:
    found = read_counts(USAGE, usage)
    listed = usage.get("cacheDetails") or ()
    if any(one["ttl"] not in wire.TTL or rest(one, WRITTEN) for one in listed):
        keep(found, "cacheDetails", listed)
    return found
