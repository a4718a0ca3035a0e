"""The IR of a response as a Converse response body: canonical output, from a legal tree."""

from __future__ import annotations

from collections.abc import Mapping

from proxai_ir.binding.server import Server
from proxai_ir.ir.response import Response
from proxai_ir.ir.terminal import UNKNOWN, Terminal
from proxai_ir.ir.turns import ASSISTANT, Turn
from proxai_ir.ir.usage import Usage
from proxai_ir.wire import bedrock_converse as wire

from .._lib.objects import ByHand, ObjectWriter
from .._lib.writing import Object
from .parts import message


def raise_response(response: Response, server: Server) -> Object:
    return RESPONSE.write(response)


def _message(response: Response) -> Object:
    turns = response.candidates[0].turns
    return message(turns[0] if turns else Turn(ASSISTANT, []), response.id)


def _latency(response: Response) -> Object | None:
    return None if response.protocol == wire.NAME else {"latencyMs": 0}  # which nobody else states (ENV-2)


def ending(terminal: Terminal, own: bool) -> Object:
    """`own`: of this protocol, whose own word is written again."""
    known = own and wire.REASON.get(terminal.raw or "", UNKNOWN) is terminal.reason
    built: Object = {"stopReason": terminal.raw if known else wire.STOP_OF.get(terminal.reason, "end_turn")}
    if terminal.stop_sequence is not None:
        built[wire.SHOWN] = {wire.STOP_SEQUENCE: terminal.stop_sequence}
    return built


def _ending(response: Response) -> Object:
    return ending(response.candidates[0].terminal, response.protocol == wire.NAME)


def _details(usage: Usage) -> list[Object] | None:
    """Longer lifetimes first."""
    found = {name: (usage.details or {}).get(f"{wire.WRITTEN}{ttl}") for name, ttl in wire.TTL.items()}
    made = [{"ttl": ttl, "inputTokens": count} for ttl, count in reversed(found.items()) if count]
    return made or None


def _total(usage: Usage) -> int:
    return usage.all_input + usage.all_output


USAGE = ObjectWriter(wire.USAGE, {"cacheDetails": _details, "totalTokens": _total})
SERVED: Mapping[str, ByHand] = {"usage": USAGE, "metrics": _latency}
METADATA = ObjectWriter(wire.SERVED, SERVED)
"""What a stream ends with."""
RESPONSE = ObjectWriter(
    wire.RESPONSE,
    {
        "output/message": _message,
        "stopReason": lambda response: _ending(response)["stopReason"],
        wire.SHOWN: lambda response: _ending(response).get(wire.SHOWN),
        **SERVED,
    },
)
