"""Other vendors' seals in envelopes, so that a target's slots carry them: the options `carry_seals` and `seal_keys`
(RSN-4, RSN-9 to RSN-11).

Rule 1: only what comes back through this library is of use in an envelope; hence the caller asks for it, both to make
envelopes and to open them. Rule 2: responses carry envelopes, to clients that send them back; requests do not, as no
provider can open one. Rule 3: an envelope is opened for its maker alone, and only where its kind of seal belongs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import copy
from typing import Any

from ..ir.envelope import CLOSED, LONGEST, NONE, UNVERIFIED, Keys, enveloped, opened
from ..ir.node import Seal
from ..ir.parts import with_only
from ..ir.request import Request
from ..ir.response import Candidate
from ..ir.stream import events
from ..ir.turns import Turn
from ..reporting.report import Report
from ..rules.constraints import Constraints, SealSlot
from .signed_ids import IDS, give_back_ids, signing_ids
from .signed_parts import SignedParts
from .stages import Stage

WITH_TEXT = (CLOSED, UNVERIFIED, "signature")
"""The kinds of seals of reasoning whose text is a text even where it is empty."""


def give_back_seals(root: Request, constraints: Constraints, report: Report, options: Mapping[str, Any]) -> None:
    """Open the envelopes that hold this target's own seals."""
    carrier = _carrier(constraints, report, options)
    if carrier is not None:
        carrier.give_back(root.turns or [])
        for turn in root.turns or ():
            turn.parts[:] = map(carrier.returned, turn.parts)


def opener(root: Request, constraints: Constraints, report: Report, options: Mapping[str, Any]) -> Callable[[Any], Any]:
    """What takes a part of this request out of its envelope, as a copy, where it may; signatures of calls and texts are
    put back on them."""
    carrier = _carrier(constraints, report, options)
    if carrier is None:
        return copy
    carrier.give_back(root.turns or [])
    return lambda part: copy(carrier.returned(part))


def carry_seals(constraints: Constraints, report: Report, options: Mapping[str, Any]) -> list[Stage]:
    """Open the envelopes that hold this target's own seals; put every foreign seal into one."""
    carrier = _carrier(constraints, report, options)
    if carrier is None:
        return []
    in_ids = [carrier.signing_ids()] if options.get("carry_seals") == IDS else []
    return [*in_ids, carrier.signed_parts, carrier]


def _carrier(constraints: Constraints, report: Report, options: Mapping[str, Any]) -> _Carrier | None:
    """None where the caller does not ask for envelopes."""
    return _Carrier(constraints.seals, report, keys_of(options)) if carries(options) else None


def carries(options: Mapping[str, Any]) -> bool:
    """Whether the caller asks for envelopes."""
    return bool(options.get("seal_keys") or options.get("carry_seals"))


def keys_of(options: Mapping[str, Any]) -> Keys | None:
    """What makes envelopes, and opens them; None: they are such that anybody could make them."""
    keys = options.get("seal_keys")
    given = (options.get("seal_audience") or "", options.get("seal_expires"), options.get("seal_now"))
    return Keys(keys, *given) if keys else None


class _Carrier:
    """`keys`: None makes and opens envelopes that anybody could make.

    _bare  the parts of a stream with text and no seal so far, where clients expect one
    """

    def __init__(self, slots: Mapping[type, SealSlot], report: Report, keys: Keys | None) -> None:
        self._slots = slots
        self._report = report
        self._keys = keys
        self.signed_parts = SignedParts(slots, report, keys)
        self._classes: dict[int, type] = {}  # of the parts of a stream
        self._bare: dict[int, Any] = {}

    def signing_ids(self) -> Stage:
        return signing_ids(self._slots, self._report, self._keys)

    def give_back(self, turns: list[Turn]) -> None:
        """What stands beside its part in a request."""
        give_back_ids(turns, self._slots, self._report, self._keys)
        self.signed_parts.give_back(turns)

    def whole(self, part: Any, _: Candidate, /) -> Iterable[Any]:
        part = self.opened(part)
        seal = getattr(part, "seal", None)
        if seal is not None:
            part = _with_seal(part, self._carried(seal, part))
        elif self._is_bare(part) and part.text:
            part = _with_seal(part, self._empty(part))
        return (part,)

    def _is_bare(self, part: Any) -> bool:
        slot = self._slots.get(type(part))
        return slot is not None and slot.needed and part.seal is None

    def _empty(self, part: Any) -> Seal:
        """An envelope without a seal (RSN-16)."""
        self._report.at("RSN-16", part)
        slot = self._slots[type(part)]
        return Seal(slot.makers[0], slot.kind, enveloped(NONE, self._keys))

    def opened(self, part: Any) -> Any:
        """A part with the seal that an envelope holds, if it may be opened."""
        seal = getattr(part, "seal", None)
        if seal is None or seal.kind != CLOSED:
            return part
        found = self._taken_out(seal, type(part), bool(getattr(part, "text", None)))
        made = _with_seal(part, found)
        if found is not None and found.kind not in WITH_TEXT and getattr(part, "text", None) == "":
            made.text = None  # protocols without encrypted reasoning have it as an empty text
        return made

    def returned(self, part: Any) -> Any:
        """The same for a part of a request; the seal of another provider is known for what it is (RSN-26)."""
        part = self.opened(part)
        seal = getattr(part, "seal", None)
        if seal is None or seal.kind != CLOSED:
            return part
        found = opened(seal, self._keys)
        slot = self._slots.get(type(part))
        return part if slot is not None and found.provider in slot.makers else _with_seal(part, found)

    def _taken_out(self, seal: Seal, cls: type, has_text: bool) -> Seal | None:
        if seal.kind != CLOSED:
            return seal
        found = opened(seal, self._keys)
        if found == NONE:
            return None
        slot = self._slots.get(cls)
        belongs = slot is not None and (found.kind == UNVERIFIED or slot.holds(found, has_text))
        return found if belongs else seal

    def _carried(self, seal: Seal, part: Any) -> Seal:
        slot = self._slots.get(type(part))
        if slot is None or seal.provider in slot.makers or seal.kind in (CLOSED, UNVERIFIED):
            return seal
        envelope = enveloped(seal, self._keys)
        if len(envelope) > LONGEST:  # it would not be opened
            return seal
        self._report.at("RSN-9", part, "seal")
        return Seal(slot.makers[0], slot.kind, envelope)

    def __call__(self, event: events.Event, /) -> Iterable[events.Event]:
        if isinstance(event, events.PartOpened):
            return (self._begun(event),)
        if isinstance(event, events.PartSealed):
            self._bare.pop(event.index, None)
            cls = self._classes[event.index]
            seal = self._taken_out(event.seal, cls, True)  # what is sealed later has text before it
            if seal is None:
                return ()
            carried = self._carried(seal, with_only(cls, event.src, seal=seal))
            return (events.PartSealed(event.index, carried, event.src),)
        if isinstance(event, events.PartClosed) and event.index in self._bare:
            part, has_text = self._bare.pop(event.index)
            return (events.PartSealed(event.index, self._empty(part)), event) if has_text else (event,)
        if isinstance(event, events.PartGrew) and event.index in self._bare and event.text:
            self._bare[event.index] = (self._bare[event.index][0], True)
        return (event,)

    def _begun(self, event: events.PartOpened) -> events.Event:
        """A part that begins. One without a seal may get it when it ends."""
        part = self.opened(event.part)
        self._classes[event.index] = type(part)
        if getattr(part, "seal", None) is not None:
            part = _with_seal(part, self._carried(part.seal, part))
        elif self._is_bare(part):
            self._bare[event.index] = (part, bool(part.text))
        return events.PartOpened(event.index, part, event.candidate, event.item)


def _with_seal(part: Any, seal: Seal | None) -> Any:
    if seal is part.seal:
        return part
    changed = copy(part)
    changed.seal = seal
    return changed
