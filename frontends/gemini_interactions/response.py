"""A whole interaction into the IR: its steps, how it ended, usage (USE-1). One that failed is an error (STS-9)."""

from __future__ import annotations

from proxai_ir.ir.error import Error
from proxai_ir.ir.response import Candidate, Response
from proxai_ir.ir.terminal import END, UNFINISHED, UNKNOWN, Terminal, fitted_reason
from proxai_ir.ir.turns import Turn
from proxai_ir.wire import gemini_interactions as wire
from proxai_ir.wire import google, time_of

from .._google.reading import UsageReader
from .._lib.reading import Object, identifier, keep, kept, missing, optional, reader, seconds
from .error import failed, lower_error
from .parts import RESPONSE, read_steps

KNOWN = frozenset({"id", "model", "status", "created", "steps", "usage", "service_tier", "object"})
read_envelope = reader(model=str, status=str, steps=list, usage=dict, service_tier=str, created=str)


def lower_response(payload: Object) -> Response | Error:
    """The IR of a response's body; raises Refusal with everything that is wrong with it."""
    if payload.get("error") is not None and payload.get("status") is None:
        return lower_error(payload)
    response = envelope(payload)
    if payload.get("status") == wire.FAILED:
        return failed(payload)
    if "steps" not in payload and wire.STATUS.get(payload.get("status") or "") is not UNFINISHED:
        raise missing(payload, "steps")
    turns = read_steps(payload.get("steps") or [], RESPONSE)
    response.candidates = [Candidate(turns, terminal(payload, turns), src=payload)]
    usage = payload.get("usage")
    response.usage = None if usage is None else read_usage(usage)
    return response


def envelope(payload: Object) -> Response:
    """A response without candidates."""
    model, _, _, _, tier, time = read_envelope(payload)
    response = Response(wire.NAME, identifier(payload), model, [], src=payload, extra=kept(payload, KNOWN))
    if payload.get("object") not in (None, wire.OBJECT):
        keep(response, "object", payload["object"])
    response.tier = google.TIER.get(tier)
    if tier is not None and response.tier is None:
        keep(response, "service_tier", tier)
    if time is not None:
        response.created = seconds(payload, "created", time)
        if time_of(response.created) != time:
            keep(response, "created", time)
    return response


def terminal(payload: Object, turns: list[Turn]) -> Terminal:
    """How an interaction ended, by its status and its content (STS-4)."""
    word = optional(payload, "status", str)
    reason = wire.STATUS.get(word or "", UNKNOWN)
    if reason is END:
        reason = fitted_reason(reason, Candidate(turns, Terminal(reason)).calls)
    return Terminal(reason, word, src=payload)


read_usage = UsageReader(wire.TOKENS).read
