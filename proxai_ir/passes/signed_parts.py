"""Signatures on calls and texts, through targets that have none there: each in an envelope of its own (RSN-24, RSN-30).

Rule 1: an envelope is reasoning, which clients send back where it stood: before what it signs, and behind a text that
had been sent when its signature came. Rule 2: on the way back it signs what stands there in the same response; where
nothing does it stays closed. A text is signed by what stands right beside it, as others of its response may have gone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from typing import Any

from ..ir.envelope import CLOSED, LONGEST, Keys, enveloped, opened
from ..ir.node import Seal
from ..ir.parts import FunctionCall, Part, Reasoning, Text, with_only
from ..ir.response import Candidate
from ..ir.stream import events
from ..ir.turns import ASSISTANT, Turn, without
from ..reporting.report import Report
from ..rules.constraints import SealSlot

OF_CALL, OF_TEXT, OF_LAST_TEXT = "call", "text", "last_text"
"""The kinds of seals that belong to the call behind them, the text behind them, and the text before them."""
RULES = {OF_CALL: "RSN-24", OF_TEXT: "RSN-30", OF_LAST_TEXT: "RSN-30"}
CLASSES: Mapping[str, type] = {OF_CALL: FunctionCall, OF_TEXT: Text, OF_LAST_TEXT: Text}
KINDS: Mapping[type, str] = {FunctionCall: OF_CALL, Text: OF_TEXT}
Slots = Mapping[type, SealSlot]


class SignedParts:
    """`keys`: as for other envelopes.

    _texts  the candidates of the texts that are open, by their index in the stream
    """

    def __init__(self, slots: Slots, report: Report, keys: Keys | None) -> None:
        self._slots = slots
        self._report = report
        self._keys = keys
        self._texts: dict[int, int] = {}

    # --- to a client

    def whole(self, part: Part, _: Candidate, /) -> Iterable[Part]:
        """A part of a response, its signature as reasoning before it; an empty text is there for its signature."""
        alone = type(part) is Text and not part.text
        envelope = self._envelope(part, OF_LAST_TEXT if alone else KINDS.get(type(part)))
        if envelope is None:
            return (part,)
        return (envelope,) if alone else (envelope, unsigned(part))

    def __call__(self, event: events.Event, /) -> Iterable[events.Event]:
        """The same for an event of a stream; a call is signed from its start."""
        if isinstance(event, events.PartOpened):
            if type(event.part) is Text:
                self._texts[event.index] = event.candidate
            envelope = self._envelope(event.part, KINDS.get(type(event.part)))
            if envelope is not None:
                bare = events.PartOpened(event.index, unsigned(event.part), event.candidate, event.item)
                return (*_alone(envelope, event.index, event.candidate), bare)
        elif isinstance(event, events.PartSealed) and event.index in self._texts:
            envelope = self._envelope(with_only(Text, event.src, text="", seal=event.seal), OF_LAST_TEXT)
            if envelope is not None:
                return _alone(envelope, event.index, self._texts[event.index])
        elif isinstance(event, events.PartClosed):
            self._texts.pop(event.index, None)
        return (event,)

    def _envelope(self, part: Any, kind: str | None) -> Reasoning | None:
        slot = self._slots.get(Reasoning)
        if kind is None or part.seal is None or part.seal.kind == CLOSED or slot is None or type(part) in self._slots:
            return None
        text = enveloped(Seal(part.seal.provider, kind, part.seal.data), self._keys)
        if len(text) > LONGEST:
            return None
        self._report.at(RULES[kind], part, "seal")
        return Reasoning(None, Seal(slot.makers[0], slot.kind, text), part.src)

    # --- back to the provider

    def give_back(self, turns: list[Turn]) -> None:
        """Put signatures back on the calls and texts of a request's history."""
        if self._slots.keys().isdisjoint(KINDS):
            return
        returned: set[int] = set()
        answer: list[Part] = []
        for turn in turns:
            if turn.role is ASSISTANT:
                answer += turn.parts
            elif answer:
                returned |= self._put_back(answer)
                answer = []
        turns[:] = without(turns, returned | self._put_back(answer))

    def _put_back(self, answer: list[Part]) -> set[int]:
        """Sign the parts of one response; returns the ids of the envelopes that are left with nothing."""
        waiting: dict[str, tuple[Reasoning, Seal]] = {}
        last: Any = None
        returned: set[int] = set()
        for part in answer:
            kind = KINDS.get(type(part))
            if type(part) is Reasoning:
                found = self._opened(part)
                if found is None:
                    continue
                if found.kind != OF_LAST_TEXT:
                    waiting[found.kind] = (part, found)
                elif last is not None and last.seal is None:
                    returned |= self._signed(last, part, found)
                continue
            if kind in waiting:
                returned |= self._signed(part, *waiting.pop(kind))
            waiting.pop(OF_TEXT, None)
            last = part if type(part) is Text else None
        return returned

    def _signed(self, part: Any, envelope: Reasoning, seal: Seal) -> set[int]:
        part.seal = part.seal or Seal(seal.provider, self._slots[type(part)].kind, seal.data)
        if not envelope.text:
            return {id(envelope)}
        envelope.seal = None  # a target may have joined reasoning with what followed it
        return set()

    def _opened(self, part: Reasoning) -> Seal | None:
        if part.seal is None or part.seal.kind != CLOSED:
            return None
        found = opened(part.seal, self._keys)
        slot = self._slots.get(CLASSES.get(found.kind, Reasoning))
        return found if found.kind in CLASSES and slot is not None and found.provider in slot.makers else None


def _alone(envelope: Reasoning, index: int, candidate: int) -> tuple[events.Event, ...]:
    """An envelope for the part of this index."""
    index = -2 - index  # of no other part: those count from 0, and -1 is none
    return events.PartOpened(index, envelope, candidate), events.PartClosed(index)


def unsigned(part: Any) -> Any:
    made = copy(part)
    made.seal = None
    return made
