"""The IR of a response as the body of a /v2/chat response: canonical output, from a legal tree."""

from __future__ import annotations

from proxai_ir.binding.server import Server
from proxai_ir.ir.logprobs import LogProbs
from proxai_ir.ir.response import Response
from proxai_ir.ir.terminal import UNKNOWN, Terminal
from proxai_ir.ir.turns import ASSISTANT, Turn
from proxai_ir.wire import cohere_v2_chat as wire

from .._lib.objects import ObjectWriter
from .._lib.writing import Object, put, with_extra
from .parts import assistant

USAGE = ObjectWriter(wire.USAGE)


def raise_response(response: Response, server: Server) -> Object:
    (candidate,) = response.candidates
    turn = candidate.turns[0] if candidate.turns else Turn(ASSISTANT, [])
    message = with_extra({"role": "assistant", **assistant(turn.parts, response.id or "")}, turn)
    built = put({}, id=response.id, **ending(candidate.terminal, response.protocol == wire.NAME), message=message)
    if response.usage is not None:
        built["usage"] = USAGE.write(response.usage)
    if candidate.logprobs is not None:
        built["logprobs"] = scores(candidate.logprobs)
    return with_extra(built, response)


def ending(terminal: Terminal, own: bool) -> Object:
    """`own`: of this protocol, whose own word is written again, also an unknown one."""
    known = own and wire.REASON.get(terminal.raw or "", UNKNOWN) is terminal.reason
    return with_extra(put({}, finish_reason=terminal.raw if known else wire.REASON_OF[terminal.reason]), terminal)


SCORED = ObjectWriter(
    wire.SCORED,
    {
        "token_ids": lambda token: [] if token.id is None else [token.id],
        "logprobs": lambda token: [token.logprob],
    },
)


def scores(given: LogProbs) -> list[Object]:
    return [SCORED.write(token) for token in given.text or ()]
