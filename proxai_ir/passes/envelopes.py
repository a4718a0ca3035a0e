"""Other vendors' seals in envelopes, so that a target's slots carry them: the option `carry_seals` (RSN-4, RSN-9).

Only what comes back through this library is of use in an envelope; hence the caller asks for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from typing import Any

from ..ir import events
from ..ir.envelope import CLOSED, enveloped
from ..ir.node import Seal
from ..ir.parts import Part, Reasoning
from ..ir.request import Request
from ..ir.response import Response
from ..ir.turns import ASSISTANT, Turn
from .emulation import Stage
from .legalize import Findings
from .profile import Placement


def carry_seals(root: Any, placement: Placement, findings: Findings, options: Mapping[str, Any]) -> None:
    """Put every foreign seal of a request's or an answer's reasoning into an envelope, if the target has a slot."""
    if not options.get("carry_seals") or placement.seals is None:
        return
    carrier = _Carrier(placement.seals, findings)
    if isinstance(root, Request):
        root.turns = carrier.turns(root.turns or [])
    elif isinstance(root, Response):
        for candidate in root.candidates:
            candidate.turns = carrier.turns(candidate.turns)


def carrying(placement: Placement, findings: Findings, options: Mapping[str, Any]) -> list[Stage]:
    """The same for the events of a stream."""
    if not options.get("carry_seals") or placement.seals is None:
        return []
    return [_Carrier(placement.seals, findings).event]


class _Carrier:
    def __init__(self, seals: tuple[str, str], findings: Findings) -> None:
        self._provider, self._kind = seals
        self._findings = findings

    def turns(self, turns: list[Turn]) -> list[Turn]:
        return [self._turn(turn) if turn.role is ASSISTANT else turn for turn in turns]

    def _turn(self, turn: Turn) -> Turn:
        if not any(type(part) is Reasoning for part in turn.parts):
            return turn
        turn = copy(turn)
        turn.parts = [self._part(part) for part in turn.parts]
        return turn

    def _part(self, part: Part) -> Part:
        if not isinstance(part, Reasoning) or part.seal is None:
            return part
        part = copy(part)
        part.seal = self._carried(part)
        return part

    def _carried(self, reasoning: Reasoning) -> Seal | None:
        seal = reasoning.seal
        if seal is None or seal.provider == self._provider or seal.kind == CLOSED:
            return seal
        self._findings.at("RSN-9", reasoning, "seal")
        return Seal(self._provider, self._kind, enveloped(seal))

    def event(self, event: events.Event) -> Iterable[events.Event]:
        if isinstance(event, events.PartOpened):
            return (events.PartOpened(event.index, self._part(event.part), event.candidate),)
        if isinstance(event, events.PartSealed):
            carried = self._carried(Reasoning(None, event.seal, event.src))
            return (events.PartSealed(event.index, carried or event.seal, event.src),)
        return (event,)
