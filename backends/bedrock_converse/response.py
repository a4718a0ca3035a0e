"""The IR of a response as a Converse response body: canonical output, from a legal tree."""

from __future__ import annotations

from proxai_ir.binding.server import Server
from proxai_ir.ir.response import Response
from proxai_ir.ir.terminal import UNKNOWN, Terminal
from proxai_ir.ir.turns import ASSISTANT, Turn
from proxai_ir.ir.usage import Usage
from proxai_ir.wire import bedrock_converse as wire

from .._lib.objects import ObjectWriter
from .._lib.writing import Object, put, with_extra
from .parts import message

LATENCY = {"latencyMs": 0}  # which nobody else states (ENV-2)


def raise_response(response: Response, server: Server) -> Object:
    candidate = response.candidates[0]
    turn = candidate.turns[0] if candidate.turns else Turn(ASSISTANT, [])
    own = response.protocol == wire.NAME
    built: Object = {"output": {"message": message(turn, response.id)}, **ending(candidate.terminal, own)}
    return with_extra({**built, **served(response)}, response)


def served(response: Response) -> Object:
    """What a stream ends with, too."""
    built = put({}, usage=None if response.usage is None else raise_usage(response.usage))
    if response.protocol != wire.NAME:
        built["metrics"] = dict(LATENCY)
    if response.fast is not None:
        built["performanceConfig"] = {"latency": wire.LATENCY_OF[response.fast]}
    if response.tier is not None:
        built["serviceTier"] = {"type": wire.TIER_OF[response.tier]}
    return built


def ending(terminal: Terminal, own: bool) -> Object:
    """`own`: of this protocol, whose own word is written again."""
    known = own and wire.REASON.get(terminal.raw or "", UNKNOWN) is terminal.reason
    built: Object = {"stopReason": terminal.raw if known else wire.STOP_OF.get(terminal.reason, "end_turn")}
    if terminal.stop_sequence is not None:
        built[wire.SHOWN] = {wire.STOP_SEQUENCE: terminal.stop_sequence}
    return with_extra(built, terminal)


def _details(usage: Usage) -> list[Object] | None:
    """Longer lifetimes first."""
    found = {name: (usage.details or {}).get(f"{wire.WRITTEN}{ttl}") for name, ttl in wire.TTL.items()}
    made = [{"ttl": ttl, "inputTokens": count} for ttl, count in reversed(found.items()) if count]
    return made or None


def _total(usage: Usage) -> int:
    return usage.all_input + usage.all_output


USAGE = ObjectWriter(wire.USAGE, {"cacheDetails": _details, "totalTokens": _total})


def raise_usage(usage: Usage) -> Object:
    return USAGE.write(usage)
