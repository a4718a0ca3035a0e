"""Carry other vendors' seals through a target in envelopes, as the option `seals` asks.

Owns envelopes (RSN-4, RSN-9 to RSN-11, RSN-16, RSN-26), signatures of calls and texts (RSN-24, RSN-30), and signatures
in the ids of calls (RSN-29).

Rule 1: an envelope is of use only if it comes back through this library; hence the caller asks for it, both to make
envelopes and to open them. Rule 2: responses carry envelopes, to clients that send them back; requests do not, as no
provider can open one. Rule 3: an envelope is opened for its maker alone, and only where its kind of seal belongs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from typing import Any

from ..ir.envelope import CLOSED, LONGEST, NONE, TAG, UNVERIFIED, Seals, enveloped, holds_envelope, opened
from ..ir.node import Seal
from ..ir.parts import ClientCall, ClientResult, CustomCall, FunctionCall, Part, Reasoning, Text, ToolResult, with_only
from ..ir.request import ASSISTANT, Request, Turn, without
from ..ir.response import Candidate
from ..ir.stream import events
from ..reporting.report import Report
from ..targets.constraints import Constraints, SealSlot
from .stages import OnOpening, PartStage

# --- signatures on calls and texts ------------------------------------------------------------------------------------
# For targets that have no signatures there, each is in an envelope of its own (RSN-24, RSN-30). The envelope is a part
# of reasoning, which clients send back in its place: before the part that it signs, or after a text that had been sent
# when its signature came. In a request it signs the call after it in the same response, or the text right next to it,
# as other texts of the response may be gone; an envelope without such a part stays closed.


OF_CALL, OF_TEXT, OF_LAST_TEXT = "call", "text", "last_text"
"""The kinds of seals that belong to the call after them, the text after them, and the text before them."""
RULES = {OF_CALL: "RSN-24", OF_TEXT: "RSN-30", OF_LAST_TEXT: "RSN-30"}
CLASSES: Mapping[str, type] = {OF_CALL: FunctionCall, OF_TEXT: Text, OF_LAST_TEXT: Text}
KINDS: Mapping[type, str] = {FunctionCall: OF_CALL, Text: OF_TEXT}
Slots = Mapping[type, SealSlot]


class _SignedParts(PartStage):
    """Moves signatures of calls and texts into envelopes, and back.

    texts  the candidates of the open texts of a stream, by index
    """

    def __init__(self, slots: Slots, report: Report, seals: Seals) -> None:
        self._slots = slots
        self._report = report
        self._seals = seals
        self._texts: dict[int, int] = {}

    # --- to a client

    def whole(self, part: Part, _: Candidate, /) -> Iterable[Part]:
        """Return a part of a response after reasoning with its signature, which replaces an empty text."""
        alone = type(part) is Text and not part.text
        envelope = self._envelope(part, OF_LAST_TEXT if alone else KINDS.get(type(part)))
        if envelope is None:
            return (part,)
        return (envelope,) if alone else (envelope, unsigned(part))

    def __call__(self, event: events.Event, /) -> Iterable[events.Event]:
        """Return the events for one event of a stream; a call is signed when it opens."""
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
        text = enveloped(Seal(part.seal.provider, kind, part.seal.data), self._seals)
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
        """Sign the parts of one response, and return the ids of the envelopes that are then empty."""
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
        found = opened(part.seal, self._seals)
        slot = self._slots.get(CLASSES.get(found.kind, Reasoning))
        return found if found.kind in CLASSES and slot is not None and found.provider in slot.makers else None


def _alone(envelope: Reasoning, index: int, candidate: int) -> tuple[events.Event, ...]:
    """Return the events of the envelope for the part of this index."""
    index = -2 - index  # no other part has it: they count from 0, and -1 is none
    return events.PartOpened(index, envelope, candidate), events.PartClosed(index)


def unsigned(part: Any) -> Any:
    made = copy(part)
    made.seal = None
    return made


# --- signatures in ids ------------------------------------------------------------------------------------------------
# With `Seals(ids=True)`, for clients that send back nothing else, the id of a call carries its signature (RSN-29):
#
#     ID__proxai_ir_seal_REST     REST: an envelope (RSN-9) without its tag, "-0" for "-", "-1" for ".", "-2" for "="
#
# Such an id has only letters, digits, "_" and "-", as clients replace all other characters. In a request every id of a
# call or a result is the provider's own again, even if the client has damaged the rest.


MARK = "__proxai_ir_seal_"
ESCAPED = {"-": "-0", ".": "-1", "=": "-2"}
PLAIN = {escaped: char for char, escaped in ESCAPED.items()}
ID_OF = {FunctionCall: "id", CustomCall: "id", ClientCall: "id", ToolResult: "call_id", ClientResult: "call_id"}
RESULTS = (ToolResult, ClientResult)


def divided(identity: str) -> tuple[str, str]:
    """Return an id, and the suffix that carries a signature."""
    plain, mark, rest = identity.rpartition(MARK)
    return (plain, mark + rest) if plain else (identity, "")


def _signing_ids(slots: Slots, report: Report, seals: Seals) -> PartStage:
    """Return the stage that puts signatures of calls into their ids, for targets that have none on calls."""

    def change(part: Part) -> Part:
        if type(part) is not FunctionCall or FunctionCall in slots or not part.id or part.seal is None:
            return part
        envelope = enveloped(Seal(part.seal.provider, OF_CALL, part.seal.data), seals)
        if part.seal.kind == CLOSED or len(envelope) > LONGEST:
            return part
        report.at("RSN-29", part, "seal")
        signed: FunctionCall = unsigned(part)
        signed.id = part.id + MARK + re.sub("[-.=]", lambda found: ESCAPED[found[0]], envelope.removeprefix(TAG))
        return signed

    return OnOpening(change)


def hold_signatures(parts: Iterable[Part]) -> bool:
    """Return whether an id of these parts carries a signature."""
    return any(MARK in (getattr(part, ID_OF.get(type(part), ""), None) or "") for part in parts)


def _give_back_ids(turns: Iterable[Turn], slots: Slots, report: Report, seals: Seals) -> None:
    """Restore the ids of a request, and put the signatures back on calls if the target accepts them."""
    for turn in turns:
        for index, part in enumerate(turn.parts):
            name = ID_OF.get(type(part))
            identity = name and getattr(part, name)
            if name and identity and MARK in identity:
                turn.parts[index] = _given_back(part, name, identity, slots, report, seals)


def _given_back(part: Any, name: str, identity: str, slots: Slots, report: Report, seals: Seals) -> Any:
    plain, carried = divided(identity)
    if not carried:
        return part
    made = copy(part)
    setattr(made, name, plain)
    if getattr(part, "raw", None) is not None:
        made.raw = {key: plain if value == identity else value for key, value in part.raw.items()}
    if isinstance(part, RESULTS):
        return made
    envelope = re.sub("-[012]", lambda found: PLAIN[found[0]], carried[len(MARK) :])
    seal = opened(Seal("", CLOSED, TAG + envelope), seals)
    slot = slots.get(type(part))
    if seal.kind == UNVERIFIED:
        report.at("RSN-11", part, "id")
    elif seal.kind != OF_CALL:
        report.at("RSN-10", part, "id")
    elif slot is None or seal.provider not in slot.makers:
        report.at("RSN-26", part, "id")
    elif made.seal is None:
        made.seal = Seal(seal.provider, slot.kind, seal.data)
    return made


# --- the passes -------------------------------------------------------------------------------------------------------

WITH_TEXT = (CLOSED, UNVERIFIED, "signature")
"""The kinds of seals of reasoning whose empty text is a text; with other kinds there is no text."""


def give_back_seals(root: Request, constraints: Constraints, report: Report, options: Mapping[str, Any]) -> None:
    """Open the envelopes that hold this target's own seals."""
    carrier = _carrier(constraints, report, options)
    if carrier is not None:
        carrier.give_back(root.turns or [])
        for turn in root.turns or ():
            turn.parts[:] = map(carrier.returned, turn.parts)


def opener(root: Request, constraints: Constraints, report: Report, options: Mapping[str, Any]) -> Callable[[Any], Any]:
    """Put the signatures of calls and texts of a request back; return a function that copies a part with its seal out
    of the envelope, if it may be opened."""
    carrier = _carrier(constraints, report, options)
    if carrier is None:
        return copy
    carrier.give_back(root.turns or [])
    return lambda part: copy(carrier.returned(part))


def carry_seals(constraints: Constraints, report: Report, options: Mapping[str, Any]) -> list[PartStage]:
    """Open the envelopes that hold this target's own seals; put every foreign seal into one."""
    carrier = _carrier(constraints, report, options)
    if carrier is None:
        return []
    in_ids = [_signing_ids(constraints.seals, report, carrier.seals)] if carrier.seals.ids else []
    return [*in_ids, carrier.signed_parts, carrier]


def _carrier(constraints: Constraints, report: Report, options: Mapping[str, Any]) -> _Carrier | None:
    """Return the carrier of a conversion, or None if the caller does not ask for envelopes."""
    seals = asked_for(options)
    return None if seals is None else _Carrier(constraints.seals, report, seals)


def asked_for(options: Mapping[str, Any]) -> Seals | None:
    """Return how the caller wants signatures to be carried, or None for not at all."""
    return options.get("seals") or None


class _Carrier(PartStage):
    """Puts foreign seals into envelopes, and takes the target's own out of them.

    seals    how envelopes are made and opened
    classes  the classes of a stream's parts by index
    bare     the parts of a stream that should have a seal and have none so far, with whether they have text, by index
    """

    def __init__(self, slots: Mapping[type, SealSlot], report: Report, seals: Seals) -> None:
        self._slots = slots
        self._report = report
        self.seals = seals
        self.signed_parts = _SignedParts(slots, report, seals)
        self._classes: dict[int, type] = {}
        self._bare: dict[int, Any] = {}

    def give_back(self, turns: list[Turn]) -> None:
        """Put the signatures in ids and in envelopes of their own back on calls and texts of a request."""
        _give_back_ids(turns, self._slots, self._report, self.seals)
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
        """Return an envelope with no seal in it (RSN-16)."""
        self._report.at("RSN-16", part)
        slot = self._slots[type(part)]
        return Seal(slot.makers[0], slot.kind, enveloped(NONE, self.seals))

    def opened(self, part: Any) -> Any:
        """Return a part with the seal in its envelope, if that may be opened."""
        seal = getattr(part, "seal", None)
        if seal is None or seal.kind != CLOSED:
            return part
        found = self._taken_out(seal, type(part), bool(getattr(part, "text", None)))
        made = _with_seal(part, found)
        if found is not None and found.kind not in WITH_TEXT and getattr(part, "text", None) == "":
            made.text = None  # protocols without encrypted reasoning write it as an empty text
        return made

    def returned(self, part: Any) -> Any:
        """Return a part of a request with the seal in its envelope, another provider's included (RSN-26)."""
        part = self.opened(part)
        seal = getattr(part, "seal", None)
        if seal is None or seal.kind != CLOSED:
            return part
        found = opened(seal, self.seals)
        slot = self._slots.get(type(part))
        return part if slot is not None and found.provider in slot.makers else _with_seal(part, found)

    def _taken_out(self, seal: Seal, cls: type, has_text: bool) -> Seal | None:
        """Return the seal in an envelope if it belongs to parts of this class, else the envelope; None for NONE."""
        if seal.kind != CLOSED:
            return seal
        found = opened(seal, self.seals)
        if found == NONE:
            return None
        slot = self._slots.get(cls)
        belongs = slot is not None and (found.kind == UNVERIFIED or slot.holds(found, has_text))
        return found if belongs else seal

    def _carried(self, seal: Seal, part: Any) -> Seal:
        """Return a foreign seal in an envelope, if parts of this class have a slot for one; return others unchanged."""
        slot = self._slots.get(type(part))
        own = slot is not None and self.seals.whose(seal.provider) in slot.makers
        if slot is None or own or seal.kind in (CLOSED, UNVERIFIED) or holds_envelope(seal):
            return seal
        envelope = enveloped(seal, self.seals)
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
        """Return the event that opens a part; a part without a seal may get one when it closes."""
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
