"""Signatures on calls, through targets that have none there: each in an envelope of its own before its call (RSN-24).

Rule 1: an envelope is reasoning, which clients send back where it stood. Rule 2: on the way back it signs the call
behind it in the same response; without such a call it stays closed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from typing import Any

from ..ir.envelope import CLOSED, LONGEST, Keys, enveloped, opened
from ..ir.node import Seal
from ..ir.parts import FunctionCall, Part, Reasoning
from ..ir.response import Candidate
from ..ir.stream import events
from ..ir.turns import ASSISTANT, Turn, without
from ..reporting.report import Report
from ..rules.constraints import SealSlot

OF_CALL = "call"
"""The kind of a seal that belongs to the call behind it."""
Slots = Mapping[type, SealSlot]


class SignedCalls:
    """`keys`: as for other envelopes."""

    def __init__(self, slots: Slots, report: Report, keys: Keys | None) -> None:
        self._reasoning = slots.get(Reasoning)
        self._calls = slots.get(FunctionCall)
        self._report = report
        self._keys = keys

    # --- to a client

    def whole(self, part: Part, _: Candidate, /) -> Iterable[Part]:
        """A part of a response, the signature of a call as reasoning before it."""
        envelope = self._envelope(part)
        return (part,) if envelope is None else (envelope, unsigned(part))

    def __call__(self, event: events.Event, /) -> Iterable[events.Event]:
        """The same for an event of a stream; a call that is signed is so from its start."""
        envelope = self._envelope(event.part) if isinstance(event, events.PartOpened) else None
        if envelope is None or not isinstance(event, events.PartOpened):
            return (event,)
        index = -2 - event.index  # of no other part: those count from 0, and -1 is none
        return (
            events.PartOpened(index, envelope, event.candidate),
            events.PartClosed(index),
            events.PartOpened(event.index, unsigned(event.part), event.candidate),
        )

    def _envelope(self, part: Part) -> Reasoning | None:
        slot = self._reasoning
        if slot is None or self._calls is not None or type(part) is not FunctionCall or part.seal is None:
            return None
        text = enveloped(Seal(part.seal.provider, OF_CALL, part.seal.data), self._keys)
        if len(text) > LONGEST or part.seal.kind == CLOSED:
            return None
        self._report.at("RSN-24", part, "seal")
        return Reasoning(None, Seal(slot.makers[0], slot.kind, text), part.src)

    # --- back to the provider

    def give_back(self, turns: list[Turn]) -> None:
        """Put signatures back on the calls of a request's history."""
        if self._calls is None:
            return
        waiting: list[tuple[Reasoning, Seal]] = []
        returned: set[int] = set()
        for turn in turns:
            if turn.role is not ASSISTANT:
                waiting = []
                continue
            for part in turn.parts:
                if isinstance(part, FunctionCall) and waiting:
                    envelope, seal = waiting.pop()
                    if envelope.text:  # a target may join reasoning with what follows it
                        envelope.seal = None
                    else:
                        returned.add(id(envelope))
                    part.seal = part.seal or seal
                    waiting = []
                elif isinstance(part, Reasoning) and (found := self._opened(part)) is not None:
                    waiting.append((part, found))
        turns[:] = without(turns, returned)

    def _opened(self, part: Reasoning) -> Seal | None:
        slot = self._calls
        if slot is None or part.seal is None or part.seal.kind != CLOSED:
            return None
        found = opened(part.seal, self._keys)
        belongs = found.kind == OF_CALL and found.provider in slot.makers
        return Seal(found.provider, slot.kind, found.data) if belongs else None


def unsigned(call: Any) -> Any:
    made = copy(call)
    made.seal = None
    return made
