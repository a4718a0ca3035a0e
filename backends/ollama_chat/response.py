"""The IR of responses as bodies of `/api/chat`, and as lines of its streams."""

from __future__ import annotations

from proxai_ir.binding.server import Server
from proxai_ir.ir.logprobs import LogProbs
from proxai_ir.ir.response import Response
from proxai_ir.ir.terminal import StopReason, Terminal
from proxai_ir.ir.turns import Role, Turn
from proxai_ir.ir.usage import Usage
from proxai_ir.wire import ollama_chat as wire
from proxai_ir.wire import time_of

from .._lib.objects import ObjectWriter
from .._lib.writing import Object, put, with_extra
from .parts import message


def raise_response(node: Response, server: Server) -> Object:
    (candidate,) = node.candidates
    turn = candidate.turns[0] if candidate.turns else Turn(Role.ASSISTANT, [])
    built = {**envelope(node), "message": message(turn), **ending(candidate.terminal), **counts(node.usage)}
    if candidate.logprobs is not None:
        built["logprobs"] = tokens(candidate.logprobs)
    return with_extra(built, node)


def envelope(node: Response) -> Object:
    return put({}, model=node.model, created_at=None if node.created is None else time_of(node.created))


def ending(terminal: Terminal) -> Object:
    if terminal.reason is StopReason.UNFINISHED:
        return put({"done": False}, done_reason=terminal.raw)
    return with_extra({"done": True, "done_reason": wire.WORD.get(terminal.reason, "stop")}, terminal)


def counts(usage: Usage | None) -> Object:
    if usage is None:
        return {}
    into = None if usage.input is None else usage.all_input
    out = None if usage.output is None else usage.all_output
    return put({}, prompt_eval_count=into, prompt_eval_cached_count=usage.cache_read, eval_count=out)


LIKELY = ObjectWriter(wire.LIKELY, {"bytes": lambda token: token.bytes})
TOKEN = ObjectWriter(wire.TOKEN, {"bytes": lambda token: token.bytes, "top_logprobs": LIKELY})


def tokens(scores: LogProbs) -> list[Object]:
    return [TOKEN.write(token) for token in scores.text or ()]
