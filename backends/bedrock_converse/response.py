"""The IR of a response as a Converse response body: canonical output, from a legal tree."""

from __future__ import annotations

from proxai_ir.binding.server import Server
from proxai_ir.ir.response import Response
from proxai_ir.ir.terminal import UNKNOWN, Terminal
from proxai_ir.ir.turns import ASSISTANT, Turn
from proxai_ir.ir.usage import Usage
from proxai_ir.wire import bedrock_converse as wire

from .._lib.objects import ObjectWriter
from .._lib.writing import Object, with_extra
from .conditions import generated_id
from .parts import message


def metrics() -> Object:
    """What clients require and nobody measures."""
    return {"latencyMs": 0}


def raise_response(response: Response, server: Server) -> Object:
    candidate = response.candidates[0]
    turn = candidate.turns[0] if candidate.turns else Turn(ASSISTANT, [])
    made = message(turn)
    calls = [block["toolUse"] for block in made["content"] if "toolUse" in block]
    for index, call in enumerate(calls):
        if call.get("toolUseId") is None:
            call["toolUseId"] = generated_id(response.id or "", index)
    built: Object = {"output": {"message": made}, **ending(candidate.terminal)}
    if response.usage is not None:
        built["usage"] = raise_usage(response.usage)
    if response.protocol != wire.NAME:
        built["metrics"] = metrics()
    return with_extra(served(built, response), response)


def served(built: Object, response: Response) -> Object:
    if response.fast is not None:
        built["performanceConfig"] = {"latency": wire.LATENCY_OF[response.fast]}
    if response.tier is not None:
        built["serviceTier"] = {"type": wire.TIER_OF[response.tier]}
    return built


def ending(terminal: Terminal) -> Object:
    """An ending of this protocol's own has its own word."""
    own = terminal.raw is not None and wire.REASON.get(terminal.raw, UNKNOWN) is terminal.reason
    built: Object = {"stopReason": terminal.raw if own else wire.STOP_OF[terminal.reason]}
    if terminal.stop_sequence is not None:
        built["additionalModelResponseFields"] = {"stop_sequence": terminal.stop_sequence}
    return with_extra(built, terminal)


# --- usage ------------------------------------------------------------------------------------------------------------


TTLS = {f"cache_write.{seconds}": word for word, seconds in wire.TTL.items()}


def _details(usage: Usage) -> list[Object] | None:
    found = usage.details or {}
    return [{"ttl": TTLS[key], "inputTokens": found[key]} for key in TTLS if found.get(key)] or None


USAGE = ObjectWriter(wire.USAGE, {"cacheDetails": _details})


def raise_usage(usage: Usage) -> Object:
    """All tokens are counted, those of the cache too."""
    built = USAGE.write(usage)
    built.setdefault("totalTokens", usage.all_input + usage.all_output)
    return built
