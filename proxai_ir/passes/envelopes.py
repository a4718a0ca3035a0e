"""Other vendors' seals in envelopes, so that a target's slots carry them: the option `carry_seals` (RSN-4, RSN-9).

Rule 1: only what comes back through this library is of use in an envelope; hence the caller asks for it. Rule 2:
responses carry envelopes, to clients that send them back; requests do not, as no provider can open one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from typing import Any

from ..ir.envelope import CLOSED, enveloped
from ..ir.node import Seal
from ..ir.parts import Part, Reasoning
from ..ir.response import Response
from ..report import Report
from ..rules.constraints import Constraints
from ..streaming import events
from .emulation import Stage


def carry_seals(root: Any, constraints: Constraints, report: Report, options: Mapping[str, Any]) -> None:
    """Put every foreign seal of a response's reasoning into an envelope, if the target has a slot."""
    if not isinstance(root, Response) or not options.get("carry_seals") or constraints.seals is None:
        return
    carrier = _Carrier(constraints.seals, report)
    for candidate in root.candidates:
        for turn in candidate.turns:
            turn.parts[:] = map(carrier.part, turn.parts)


def carrying(constraints: Constraints, report: Report, options: Mapping[str, Any]) -> list[Stage]:
    """The same for the events of a stream."""
    if not options.get("carry_seals") or constraints.seals is None:
        return []
    return [_Carrier(constraints.seals, report).event]


class _Carrier:
    def __init__(self, seals: tuple[str, str], report: Report) -> None:
        self._provider, self._kind = seals
        self._report = report

    def part(self, part: Part) -> Part:
        if not isinstance(part, Reasoning) or part.seal is None:
            return part
        carried = copy(part)
        carried.seal = self._carried(part.seal, part)
        return carried

    def _carried(self, seal: Seal, reasoning: Reasoning) -> Seal:
        if seal.provider == self._provider or seal.kind == CLOSED:
            return seal
        self._report.at("RSN-9", reasoning, "seal")
        return Seal(self._provider, self._kind, enveloped(seal))

    def event(self, event: events.Event) -> Iterable[events.Event]:
        if isinstance(event, events.PartOpened):
            return (events.PartOpened(event.index, self.part(event.part), event.candidate),)
        if isinstance(event, events.PartSealed):
            carried = self._carried(event.seal, Reasoning(None, event.seal, event.src))
            return (events.PartSealed(event.index, carried, event.src),)
        return (event,)
