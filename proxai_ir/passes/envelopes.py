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
from ..ir.parts import with_only
from ..ir.response import Response
from ..report import Report
from ..rules.constraints import Constraints, SealSlot
from ..streaming import events
from .emulation import Stage


def carry_seals(root: Any, constraints: Constraints, report: Report, options: Mapping[str, Any]) -> None:
    """Put every foreign seal of a response into an envelope, if the target has a slot for it."""
    if not isinstance(root, Response) or not options.get("carry_seals") or not constraints.seals:
        return
    carrier = _Carrier(constraints.seals, report)
    for candidate in root.candidates:
        for turn in candidate.turns:
            turn.parts[:] = map(carrier.part, turn.parts)


def carrying(constraints: Constraints, report: Report, options: Mapping[str, Any]) -> list[Stage]:
    """The same for the events of a stream."""
    if not options.get("carry_seals") or not constraints.seals:
        return []
    return [_Carrier(constraints.seals, report).event]


class _Carrier:
    def __init__(self, slots: Mapping[type, SealSlot], report: Report) -> None:
        self._slots = slots
        self._report = report
        self._classes: dict[int, type] = {}  # of the parts of a stream

    def part(self, part: Any) -> Any:
        seal = getattr(part, "seal", None)
        carried = seal and self._carried(seal, part)
        if carried is seal:
            return part
        changed = copy(part)
        changed.seal = carried
        return changed

    def _carried(self, seal: Seal, part: Any) -> Seal:
        slot = self._slots.get(type(part))
        if slot is None or seal.provider in slot.makers or seal.kind == CLOSED:
            return seal
        self._report.at("RSN-9", part, "seal")
        return Seal(slot.makers[0], slot.kind, enveloped(seal))

    def event(self, event: events.Event) -> Iterable[events.Event]:
        if isinstance(event, events.PartOpened):
            self._classes[event.index] = type(event.part)
            return (events.PartOpened(event.index, self.part(event.part), event.candidate),)
        if isinstance(event, events.PartSealed):
            carried = self._carried(event.seal, with_only(self._classes[event.index], event.src, seal=event.seal))
            return (events.PartSealed(event.index, carried, event.src),)
        return (event,)
