"""The IR of a response as an interaction: canonical output, from a legal tree."""

from __future__ import annotations

from proxai_ir.binding.server import Server
from proxai_ir.ir.parts import Text
from proxai_ir.ir.response import Candidate, Response
from proxai_ir.ir.terminal import REFUSAL, UNKNOWN, Terminal
from proxai_ir.wire import gemini_interactions as wire
from proxai_ir.wire import google, time_of

from .._google.writing import raise_usage
from .._lib.writing import Object, put, with_extra
from .parts import steps


def raise_response(response: Response, server: Server) -> Object:
    (candidate,) = response.candidates
    own = response.protocol == wire.NAME
    built = {**envelope(response, status(candidate.terminal, own)), **around(response)}
    built["steps"] = [step for turn in candidate.turns for step in steps(turn, own, apart=True)]
    for at, step in enumerate(built["steps"]):
        if step["type"] == wire.CALL and step["id"] is None:
            step["id"] = generated_id(response, at)
    if explained := explanation(candidate):
        texts = [part.text for part in candidate.parts if isinstance(part, Text)]
        built["steps"] += [] if any(texts) else [text_step(explained)]
    if response.usage is not None:
        built["usage"] = raise_usage(response.usage, wire.TOKENS, own)
    return with_extra(built, response)


def explanation(candidate: Candidate) -> str | None:
    """What explains a refusal, which is its text where there is no other (REF-5)."""
    details = candidate.terminal.refusal
    return None if details is None or candidate.terminal.reason is not REFUSAL else details.explanation


def generated_id(response: Response, index: int) -> str:
    """Of a call that has none (TUL-17), by the number of its step."""
    return f"call_{response.id}_{index}"


def text_step(text: str) -> Object:
    return {"type": wire.MODEL, "content": [{"type": "text", "text": text}]}


def envelope(response: Response, word: str | None) -> Object:
    """What the first event of a stream has."""
    return put({}, id=response.id, status=word, object=wire.OBJECT, model=response.model)


def around(response: Response) -> Object:
    """What is known when a response is complete."""
    time = None if response.created is None else time_of(response.created)
    tier = None if response.tier is None else google.TIER_OF[response.tier]
    return put({}, created=time, updated=None if response.protocol == wire.NAME else time, service_tier=tier)


def status(terminal: Terminal, own: bool) -> str | None:
    """`own`: of this protocol, whose own word is written again."""
    if own and wire.STATUS.get(terminal.raw or "", UNKNOWN) is terminal.reason:
        return terminal.raw
    if own and terminal.raw == wire.COMPLETED:
        return terminal.raw  # with calls in it
    return wire.STATUS_OF[terminal.reason]
