"""Recorded streams, and whole answers from streams by the official clients."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import proxai_ir
from proxai_ir import TranslationError

from ..held.shared import Tools
from ..held.test_streams import is_off
from .wire import Events, Object

SEED = 20


def streams(tools: Tools, protocol: str) -> dict[str, Events]:
    """Every recorded stream of a protocol, by its name."""
    return {record.id: record.payload for record in tools.records(protocol, "stream")}


def sample(names: list[Any], size: int) -> list[Any]:
    """Always the same few of many."""
    return random.Random(SEED).sample(names, min(size, len(names)))


def converted(events: Events, src: str, dst: str) -> Events | None:
    """The stream in another protocol; None where it is refused."""
    try:
        out: Events = proxai_ir.convert(events, src, dst, kind="stream")
    except TranslationError:
        return None
    return out


def accumulated(tools: Tools, protocol: str, events: Events) -> Object | None:
    """The answer that the official client makes of a stream; None where it refuses to read it."""
    oracle = tools.scoreboard.oracle
    try:
        answer: Object = oracle.accumulate(protocol, events)
    except oracle.ClientRejected:
        return None
    return answer


def core(tools: Tools, protocol: str, answer: Object) -> Any:
    """What an answer says, as the scoreboard sees it."""
    return tools.scoreboard.core(protocol, "response", answer)


@cache
def off(tools: Tools, protocol: str, name: str) -> bool:
    """Whether the oracle finds errors in a recording, or the official client does not read it."""
    return is_off(tools, protocol, streams(tools, protocol)[name])
