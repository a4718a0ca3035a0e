"""A whole interaction into the IR: its steps, how it ended, usage (USE-1). One that failed is an error (STS-9)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from proxai_ir.ir.error import Error
from proxai_ir.ir.response import Candidate, Response
from proxai_ir.ir.terminal import END, UNFINISHED, UNKNOWN, Terminal, fitted_reason
from proxai_ir.ir.turns import Turn
from proxai_ir.ir.usage import Usage
from proxai_ir.wire import gemini_interactions as wire

from .._lib.reading import Object, identifier, keep, kept, missing, optional, reader, wrong
from .error import failed, lower_error
from .parts import ANSWER, read_steps

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
    turns = read_steps(payload.get("steps") or [], ANSWER)
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
    response.tier = wire.TIER.get(tier)
    if tier is not None and response.tier is None:
        keep(response, "service_tier", tier)
    if time is not None:
        response.created, written = _seconds(payload, time)
        if written != time:
            keep(response, "created", time)
    return response


def _seconds(payload: Object, text: str) -> tuple[int, str]:
    """When the response was made, and how this is written; a time in the payload that is more exact is kept."""
    try:
        time = datetime.fromisoformat(text)
        seconds = int((time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp())
        return seconds, wire.moment(seconds)
    except (ValueError, OverflowError):
        raise wrong(payload, "created", "a time as in ISO 8601", "SHP-3") from None


def terminal(payload: Object, turns: list[Turn]) -> Terminal:
    """How an interaction ended, by its status and its content (STS-4)."""
    word = optional(payload, "status", str)
    reason = wire.STATUS.get(word or "", UNKNOWN)
    if reason is END:
        reason = fitted_reason(reason, Candidate(turns, Terminal(reason)).calls)
    return Terminal(reason, word, src=payload)


# --- usage ------------------------------------------------------------------------------------------------------------

USAGE_KEYS = frozenset({*wire.COUNTS, *wire.DETAILS})
COUNTS = reader(**dict.fromkeys(wire.COUNTS, int))
BY_MODALITY = {key: {name: f"{what}.{name}" for name in wire.MEDIA} for key, what in wire.DETAILS.items()}
"""By the array that has them: the names of token counts in Usage.details, by modality."""


def read_usage(usage: Object) -> Usage:
    """Token counts: those of the prompt include what was cached, and nothing that tools gave back."""
    prompt, cached, tools, output, reasoning, total = COUNTS(usage)
    made = Usage(None if prompt is None and tools is None else (prompt or 0) + (tools or 0), cached, src=usage)
    made.output, made.reasoning, made.total = output, reasoning, total
    left: list[str] = []
    if made.input is not None and cached:
        if cached > (prompt or 0):
            left.append("total_input_tokens")
        made.input = max(made.input - cached, tools or 0)
    details: dict[str, int] = {} if tools is None else {wire.TOOL_USE: tools}
    for key, names in BY_MODALITY.items():
        if usage.get(key) is not None:
            counts = _by_modality(usage, key, names)
            if counts is None:
                left.append(key)
            else:
                details |= counts
    made.details = details or None
    if total is not None and total != made.all_input + made.all_output:
        left.append("total_tokens")
    made.extra = kept(usage, USAGE_KEYS.difference(left))
    return made


def _by_modality(usage: Object, key: str, names: Mapping[str, str]) -> dict[str, int] | None:
    """Counts by modality; None where they are not all plain, and stay as they are."""
    counts: dict[str, int] = {}
    for one in optional(usage, key, list) or []:
        if not isinstance(one, dict) or len(one) != 2:
            return None
        medium, count = one.get("modality"), one.get("tokens")
        name = names.get(medium) if isinstance(medium, str) else None
        if name is None or type(count) is not int or name in counts:
            return None
        counts[name] = count
    return counts
