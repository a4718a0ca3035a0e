"""Reads responses and errors of Converse, and lists the members that its servers get wrong (ENV-15)."""

from __future__ import annotations

from collections.abc import Mapping

from proxai_ir import ir
from proxai_ir.ir.error import Error, ErrorCategory, judged
from proxai_ir.ir.response import UNKNOWN, Candidate, Response, Terminal, Usage
from proxai_ir.protocol import slips
from proxai_ir.wire import bedrock_converse as wire

from .._lib import reading as r
from .._lib.objects import ByHand, ObjectReader, read_counts
from .._lib.reading import Json, Object
from .parts import ASSISTANT as BLOCKS
from .parts import TURN, blocks, find_hosted

# --- response ---------------------------------------------------------------------------------------------------------
# A Converse response into the IR: the message, how it ended, usage (USE-1). It names no model and has no id.


def lower_response(payload: Object) -> Response:
    """Return the IR of a response body; raises Refusal with everything that is wrong with it."""
    message = r.required(r.required(payload, "output", dict), "message", dict)
    r.constant(message, "role", "assistant")
    turn = ir.Turn(ir.ASSISTANT, blocks(message, "content", BLOCKS), src=message, extra=r.kept(message, TURN))
    find_hosted(turn)
    ending, shown = terminal(payload)
    r.mark_cut_off(turn, ending)
    response: Response = RESPONSE(payload)
    response.candidates = [Candidate([turn], ending, None, payload)]
    if shown is not None:
        r.keep(response, wire.SHOWN, shown)
    return response


def terminal(holder: Object) -> tuple[Terminal, Json]:
    """Return how a message ended, and the model's own members but for the stop sequence, which are sent on request."""
    word, shown = r.optional(holder, "stopReason", str), holder.get(wire.SHOWN)  # which may be of any type
    found = r.keep_telling(Terminal(wire.REASON.get(word or "", UNKNOWN), word, src=holder), "stopReason", wire.TELLING)
    if not isinstance(shown, dict):
        return found, shown
    delta = shown.get(wire.DELTA)
    if isinstance(shown.get(wire.STOP_SEQUENCE), str):
        found.stop_sequence = shown[wire.STOP_SEQUENCE]
        return found, r.rest(shown, {wire.STOP_SEQUENCE})
    if not isinstance(delta, dict) or wire.STOP_SEQUENCE not in delta:
        return found, r.rest(shown, set())
    if isinstance(delta[wire.STOP_SEQUENCE], str | None):  # as Claude's own stream has it, null for none
        found.stop_sequence = delta[wire.STOP_SEQUENCE]
        r.keep(found, wire.SHOWN, {wire.DELTA: {wire.STOP_SEQUENCE: found.stop_sequence}})
        left = r.rest(delta, {wire.STOP_SEQUENCE})
        return found, {**shown, wire.DELTA: left} if left else r.rest(shown, {wire.DELTA})
    return found, r.rest(shown, set())


# --- usage ------------------------------------------------------------------------------------------------------------


def _details(usage: Object, key: str) -> dict[str, int] | None:
    """Return the tokens that were written to the cache, by lifetime; those that are not listed have none."""
    listed: list[Json] = usage[key]
    found = {f"{wire.WRITTEN}{ttl}": 0 for ttl in wire.TTL.values()} if listed else {}
    for one in filter(_is_known, listed):
        found[f"{wire.WRITTEN}{wire.TTL[one['ttl']]}"] += one["inputTokens"]
    return found or None


def _is_known(one: Json) -> bool:
    """Return whether an entry has a known lifetime and its count; a list with another one is kept as it is."""
    known = isinstance(one, dict) and type(one.get("ttl")) is str and one["ttl"] in wire.TTL
    return known and type(one.get("inputTokens")) is int


USAGE = ObjectReader(wire.USAGE, {"cacheDetails": _details})
WRITTEN = frozenset({"ttl", "inputTokens"})


def read_usage(usage: Object) -> Usage:
    found = read_counts(USAGE, usage)
    listed = usage.get("cacheDetails") or ()
    if not all(_is_known(one) and not r.rest(one, WRITTEN) for one in listed):
        r.keep(found, "cacheDetails", listed)
    return found


SERVED: Mapping[str, ByHand] = {"usage": lambda holder, key: read_usage(holder[key])}
RESPONSE, METADATA = ObjectReader(wire.RESPONSE, SERVED), ObjectReader(wire.SERVED, SERVED)


# --- error ------------------------------------------------------------------------------------------------------------
# An error of Bedrock into the IR (ERR-1): its type stands in a header, in the body, or is the name of an event.


def lower_error(payload: Object, status: int | None = None, headers: Mapping[str, str] | None = None) -> Error:
    """Return the error of a body; the category is that of its type, else of the HTTP status, else of a generic type."""
    header = (headers or {}).get(wire.ERROR_HEADER)
    found = r.read_or_keep(wire.NAME, payload, status, lambda: _read(payload, status, header))
    if found.verbatim and found.category is ErrorCategory.UNKNOWN:
        nested = payload.get(wire.OUTPUT)
        stated = (nested if isinstance(nested, dict) else payload).get(wire.BODY_TYPE)
        named = wire.ERROR_TYPE.get(_kind(header or (stated if isinstance(stated, str) else "")))
        found.category = named or ErrorCategory.UNKNOWN
    return found


def lower_exception(name: str, payload: Object) -> Error:
    """Return the error of an exception in a stream, where its type is the name of the event."""
    return r.read_or_keep(wire.NAME, payload, None, lambda: _read(payload, None, name))


def _kind(stated: str) -> str:
    """Return the type that a header or a body states, without a namespace before `#` and an address after `:`."""
    kind = stated.partition(":")[0].rpartition("#")[2]
    return kind[:1].upper() + kind[1:]


def _read(payload: Object, status: int | None, header: str | None) -> Error:
    """Return the error; AWS's front doors write `Message`."""
    stated = r.optional(payload, wire.BODY_TYPE, str)
    kind = _kind(header or stated or "")
    known = wire.ERROR_TYPE.get(kind)
    text = "message" if payload.get("message") is not None else "Message"
    message = r.required(payload, text, str)
    specific = None if kind in wire.GENERIC_ERRORS else known
    names = {text, wire.BODY_TYPE} if known or stated is None else {text}
    category = judged([specific], status, known)
    found = Error(wire.NAME, category, message, kind if known else None, status=status, src=payload)
    found.extra = r.extra_fields(payload, names)
    return found


# --- slips ------------------------------------------------------------------------------------------------------------
# Members outside the content that servers get wrong, in responses and where requests repeat them (ENV-15).

ANSWERED = {"toolUseId": slips.text}
MESSAGE = {
    "role": slips.role("assistant"),
    "content": slips.Each({"toolUse": {"toolUseId": slips.ID, "input": slips.ARGUMENTS}, "toolResult": ANSWERED}),
}
ENVELOPE = {
    "usage": slips.counts(wire.USAGE),
    "metrics": slips.Facts({"latencyMs": slips.count}),
    "serviceTier": slips.Facts({"type": slips.word}),
    "performanceConfig": slips.Facts({"latency": slips.word}),
}
BLOCK = {"contentBlockIndex": slips.count}
EVENT = {
    "messageStart": {"role": slips.role("assistant")},
    "contentBlockStart": {**BLOCK, "start": {"toolUse": {"toolUseId": slips.ID}, "toolResult": ANSWERED}},
    "contentBlockDelta": BLOCK,
    "contentBlockStop": BLOCK,
    "messageStop": {"stopReason": slips.word},
    "metadata": ENVELOPE,
}
SLIPS = {"output": {"message": MESSAGE}, "stopReason": slips.word, **ENVELOPE, **EVENT}
CALLED = {"toolUse": {"toolUseId": slips.text, "input": slips.ARGUMENTS}, "toolResult": ANSWERED}
REPEATED = {"messages": slips.Each({"role": slips.speaker("assistant"), "content": slips.Each(CALLED)})}
