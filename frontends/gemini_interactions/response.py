"""Reads responses and errors of Interactions, and lists the members that its servers get wrong (ENV-15)."""

from __future__ import annotations

from proxai_ir import ir
from proxai_ir.ir.error import Error, ErrorCategory, judged
from proxai_ir.ir.response import END, UNFINISHED, UNKNOWN, fitted_reason
from proxai_ir.protocol import slips
from proxai_ir.wire import gemini_interactions as wire
from proxai_ir.wire import google, time_of

from .._google.reading import UsageReader
from .._lib import reading as r
from .._lib.reading import Json, Object
from .parts import RESPONSE, read_steps

# --- error ------------------------------------------------------------------------------------------------------------
# An error of Interactions into the IR (ERR-1): a body or an event `{"error": {"code", "message"}}`, or an interaction
# that failed. Servers before the API reject requests with Google's own bodies, whose code is the HTTP status.


def lower_error(payload: Object | list[Json], status: int | None = None) -> Error:
    """Return the error of a body; the category is that of its code, else of the HTTP status."""
    if not isinstance(payload, dict):
        return r.from_array(wire.NAME, payload, status, lambda body: lower_error(body, status))
    error = payload.get("error")
    code = error.get("code") if isinstance(error, dict) else None
    known = code if status is None and type(code) is int else status
    return r.read_or_keep(wire.NAME, payload, known, lambda: _read(payload, r.required(payload, "error", dict), known))


def _read(payload: Object, error: Object, status: int | None) -> Error:
    code = error.get("code")
    if code is not None and not isinstance(code, (str, int)):
        raise r.wrong(error, "code", "a string")
    word = r.optional(error, "status", str) if isinstance(code, int) else code
    category = wire.ERRORS.get((word or "").lower())
    message = r.required(error, "message", str)
    made = Error(wire.NAME, ErrorCategory.UNKNOWN, message, word if category else None, status=status, src=payload)
    specific = None if (word or "").lower() in wire.GENERIC else category
    made.category = judged([specific], status, category)
    known = {"message", *(("status" if isinstance(code, int) else "code",) if category else ())}
    made.extra = r.extra_fields(payload, {"error", "event_type"}, nested={"error": r.extra_fields(error, known)})
    return made


def failed(payload: Object) -> Error:
    """Return the first error of an interaction that failed; the rest is kept for this protocol.

    Servers send it as `error`, too, which the official types do not have.
    """
    errors = payload.get("errors")
    if not errors and payload.get("error") is not None:
        return lower_error(payload)
    first = errors[0] if isinstance(errors, list) and errors and isinstance(errors[0], dict) else {}
    message, word = r.optional(first, "message", str) or "", r.optional(first, "code", str)
    category = wire.ERRORS.get((word or "").lower())
    made = Error(wire.NAME, category or ErrorCategory.SERVER, message, word, src=payload)  # which stands in an array
    known = {"message", *(("code",) if category else ())}
    alone = errors == [first] and not first.keys() - known
    made.extra = r.extra_fields(payload, {"errors"} if alone else set())
    return made


# --- response ---------------------------------------------------------------------------------------------------------
# A whole interaction into the IR: its steps, how it ended, usage (USE-1). One that failed is an error (STS-9).

KNOWN = frozenset({"id", "model", "status", "created", "steps", "usage", "service_tier", "object"})
read_envelope = r.reader(model=str, status=str, steps=list, usage=dict, service_tier=str, created=str)


def _without_steps(payload: Object) -> bool:
    """Return whether a body is an interaction without steps, as servers leave an empty list out.

    Bodies of other protocols have no steps either, so that its status or `object` must show that it is one.
    """
    stated = wire.STATUS.get(payload.get("status") or "") is UNFINISHED or payload.get("object") == wire.OBJECT
    return stated and payload.get(wire.OUTPUTS) is None


def lower_response(payload: Object) -> ir.Response | Error:
    """Return the IR of a response's body; raises Refusal with everything that is wrong with it."""
    if payload.get("error") is not None and payload.get("status") is None:
        return lower_error(payload)
    response = envelope(payload)
    if payload.get("status") == wire.FAILED:
        return failed(payload)
    if "steps" not in payload and not _without_steps(payload):
        raise r.missing(payload, "steps")
    turns = read_steps(payload.get("steps") or [], RESPONSE)
    response.candidates = [ir.Candidate(turns, terminal(payload, turns), src=payload)]
    usage = payload.get("usage")
    response.usage = None if usage is None else read_usage(usage)
    return response


def envelope(payload: Object) -> ir.Response:
    """Return a response without candidates."""
    model, _, _, _, tier, time = read_envelope(payload)
    response = ir.Response(wire.NAME, r.identifier(payload), model, [], src=payload, extra=r.kept(payload, KNOWN))
    if payload.get("object") not in (None, wire.OBJECT):
        r.keep(response, "object", payload["object"])
    response.tier = google.TIER.get(tier)
    if tier is not None and response.tier is None:
        r.keep(response, "service_tier", tier)
    if time is not None:
        response.created = r.seconds(payload, "created", time)
        if time_of(response.created) != time:
            r.keep(response, "created", time)
    return response


def terminal(payload: Object, turns: list[ir.Turn]) -> ir.Terminal:
    """Return how an interaction ended, by its status and its content (STS-4)."""
    word = r.optional(payload, "status", str)
    reason = wire.STATUS.get(word or "", UNKNOWN)
    if reason is END:
        reason = fitted_reason(reason, ir.Candidate(turns, ir.Terminal(reason)).calls)
    return r.keep_telling(ir.Terminal(reason, word, src=payload), "status", wire.TELLING)


read_usage = UsageReader(wire.TOKENS).read


# --- slips ------------------------------------------------------------------------------------------------------------
# Members outside the content that servers get wrong, in responses and where requests repeat them (ENV-15).

IDS = {"id": slips.text, "call_id": slips.text}
STEP = slips.ByType({"function_call": {"id": slips.ID, "arguments": slips.ARGUMENTS}}, IDS)
INTERACTION = {
    "id": slips.text,
    "model": slips.text,
    "status": slips.word,
    "created": slips.time,
    "service_tier": slips.word,
    "usage": slips.Facts(
        {**dict.fromkeys(wire.TOKENS.counts, slips.count), **dict.fromkeys(wire.TOKENS.details, slips.listed)}
    ),
    "errors": slips.Each({"code": slips.text}),
    "steps": slips.Each(STEP),
}
SLIPS = {**INTERACTION, "interaction": INTERACTION, "interaction_id": slips.text, "index": slips.count, "step": STEP}
CALLED = slips.ByType({"function_call": {"id": slips.text, "arguments": slips.ARGUMENTS}}, IDS)
REPEATED = {"input": slips.Each(CALLED)}
