"""A whole Converse response into the IR: its message, how it ended, usage (USE-1)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from proxai_ir.ir.node import Extra
from proxai_ir.ir.response import Candidate, Response
from proxai_ir.ir.terminal import UNKNOWN, Terminal
from proxai_ir.ir.turns import ASSISTANT as ASSISTANTS
from proxai_ir.ir.turns import Turn
from proxai_ir.ir.usage import Usage
from proxai_ir.wire import bedrock_converse as wire

from .._lib.objects import ObjectReader
from .._lib.reading import Object, an_object, constant, extra_fields, optional, pick, required, wrong
from .._lib.usage import read_counts
from .parts import ASSISTANT, blocks

KNOWN = frozenset({"output", "stopReason", "usage", "performanceConfig", "serviceTier"})
ADDITIONAL = "additionalModelResponseFields"


def lower_response(payload: Object) -> Response:
    """The IR of a response's body; raises Refusal with everything that is wrong with it."""
    output = required(payload, "output", dict)
    message = required(output, "message", dict)
    constant(message, "role", "assistant")
    turn = Turn(ASSISTANTS, blocks(message, "content", ASSISTANT), None, message)
    turn.extra = extra_fields(message, {"role", "content"})
    additional, known, nested = additional_fields(payload)
    ending = terminal(payload, additional)
    response = Response(wire.NAME, None, None, [Candidate([turn], ending, None, payload)], src=payload)
    usage = optional(payload, "usage", dict)
    response.usage = None if usage is None else read_usage(usage)
    for key, member, table, field in SERVED:
        served = optional(payload, key, dict)
        if served is not None:
            value = pick(table, served, member)
            setattr(response, field, value)
            nested[key] = extra_fields(served, set() if value is None else {member})
    nested["output"] = extra_fields(output, {"message"})
    response.extra = extra_fields(payload, KNOWN | known, nested=nested)
    return response


SERVED: tuple[tuple[str, str, Mapping[str, Any], str], ...] = (
    ("performanceConfig", "latency", wire.LATENCY, "fast"),
    ("serviceTier", "type", wire.TIER, "tier"),
)
"""How a response was served: member, its member, the words of that, and the field."""


def additional_fields(holder: Object) -> tuple[Object, frozenset[str], dict[str, Extra | None]]:
    """What the request asked for of the model's own response, of which a stop sequence is that of all protocols; the
    name of the member where it is an object, and what else it holds."""
    given = holder.get(ADDITIONAL)
    if not isinstance(given, dict):
        return {}, frozenset(), {}
    known = {"stop_sequence"} if isinstance(given.get("stop_sequence"), str) else set[str]()
    return given, frozenset((ADDITIONAL,)), {ADDITIONAL: extra_fields(given, known)}


def terminal(holder: Object, additional: Object) -> Terminal:
    """How a message ended, from the object that says it."""
    word, sequence = optional(holder, "stopReason", str), additional.get("stop_sequence")
    stopped_at = sequence if isinstance(sequence, str) else None
    return Terminal(wire.REASON.get(word or "", UNKNOWN), word, stopped_at, None, holder)


# --- usage ------------------------------------------------------------------------------------------------------------

LIFETIME = re.compile(r"(\d{1,6})([smhd])")
SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def _details(usage: Object, key: str) -> dict[str, int] | None:
    """What was written to the cache, by how long it stays there; lifetimes that are not listed are those of nothing."""
    listed = usage[key]
    found = {f"cache_write.{seconds}": 0 for seconds in wire.TTL.values()} if listed else {}
    for index in range(len(listed)):
        one = an_object(listed, index)
        if unknown := one.keys() - {"ttl", "inputTokens"}:
            raise wrong(one, min(unknown), "nothing but `ttl` and `inputTokens`", "SHP-5")
        ttl = LIFETIME.fullmatch(required(one, "ttl", str))
        if ttl is None:
            raise wrong(one, "ttl", "a lifetime as '5m'", "SHP-3")
        name = f"cache_write.{int(ttl[1]) * SECONDS[ttl[2]]}"
        found[name] = found.get(name, 0) + required(one, "inputTokens", int)
    return found or None


USAGE = ObjectReader(wire.USAGE, {"cacheDetails": _details})


def read_usage(usage: Object) -> Usage:
    return read_counts(USAGE, usage)
