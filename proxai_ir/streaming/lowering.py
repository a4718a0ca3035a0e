"""Read a stream into the IR without a target."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..conversion.options import quotes
from ..conversion.profile import Profile
from ..framing.common import DONE
from ..ir.error import Error
from ..ir.stream.aggregate import unfold
from ..ir.stream.events import Event, Failed, Unread
from ..ir.stream.grammar import Grammar, OutOfOrder
from ..ir.stream.interfaces import StreamReader
from ..json.pointer import Place, PointerIndex, resolved
from ..protocol.detection import is_error, read_error, read_unmended, with_hint
from ..protocol.registry import Frontend, frontend
from ..protocol.slips import Table, mended
from ..reporting.diagnostics import (
    Diagnostic,
    InvalidPayload,
    Record,
    Refusal,
    StreamError,
    TranslationError,
    Unrepresentable,
)
from ..reporting.diagnostics import rendered as render_at
from ..reporting.report import Report

# --- lowering ---------------------------------------------------------------------------------------------------------
# One stream of events into the IR, without a target: what `lower` is for streams.
#
# Rule: an event that may not stand where it does ends nothing: from there on events are Unread (STR-18).


Json = Any

FAULTS = ("STR-9", "STR-5")
"""Rules of events that may not stand where they do; between other protocols they end the stream."""
STREAM_RULES = ("STR-2", "STR-9", "STR-15")


class LoweredStream:
    """The IR of one stream, event by event: `feed` for each, `end` once. Raises StreamError and InvalidPayload."""

    def __init__(
        self,
        protocol: str | Profile,
        options: Mapping[str, Any],
        hinted: Callable[[Refusal, Json], Refusal] = lambda refusal, _: refusal,
    ) -> None:
        """`hinted`: adds to a refusal what else the stream with this first event looks like."""
        front = frontend(protocol)
        self._hinted = hinted
        self._quote_values = quotes(options)
        try:
            self._reader = reader_of(front, {**front.options, **options, "kept": True})
        except Refusal as refusal:
            raise InvalidPayload(refusal.taken(None)) from None
        self._slips = Slips(front.slips)
        self._grammar = Grammar()
        self._position = -1
        self._first: Json = None
        self.disorder: str | None = None
        """Why the first event that is out of its place is so."""

    def feed(self, event: Json) -> list[Event]:
        self._position += 1
        if self._first is None and isinstance(event, dict):
            self._first = event
        found = self._read(self._reader.feed, event)
        return found if self.disorder is None else [Unread(event, self.disorder)]

    def end(self) -> list[Event]:
        """Return the IR of the end of the bytes. Raises StreamError where the stream was cut off (STR-2)."""
        found = [] if self._grammar.over() else self._read(lambda _: self._reader.close(), NO_EVENT)
        if not self._grammar.over():
            raise self._failure(cut_off(self._position), None)
        return found if self.disorder is None else []

    def _read(self, read: Callable[[Json], list[Event]], event: Json) -> list[Event]:
        try:
            found = read_one(read, event, self._grammar, self._slips)
        except Refusal as refusal:
            if refusal.records[0][0] not in FAULTS:
                raise self._failure(refusal, event) from None
            found, self.disorder = [], self.disorder or refusal.records[0][2]
        for one in found:
            try:
                self._grammar(one)
            except OutOfOrder as fault:
                self._grammar.follow(one)
                self.disorder = self.disorder or str(fault)
        return found

    def _failure(self, refusal: Refusal, event: Json) -> TranslationError:
        refusal = self._hinted(refusal, self._first)
        pointers = KeptEvents().at(self._position, event).pointers

        def rendered(records: list[Record]) -> tuple[Diagnostic, ...]:
            return render_at(records, pointers, refused=True, quote_values=self._quote_values)

        return stream_error(refusal, rendered)


class Slips:
    """What is wrong beside the content of a stream's events (ENV-15). What repeats in event after event is reported
    once (STR-14)."""

    def __init__(self, table: Table, report: Report | None = None) -> None:
        self._table, self._report = table, report
        self._known: set[tuple[str, Json]] = set()

    def read(self, refusal: Refusal, read: Callable[[Json], list[Event]], event: Json) -> list[Event]:
        """Return the IR of an event that was refused, if it was for slips. Raises Refusal."""
        again = mended(event, self._table)
        if again is event:
            raise refusal
        found = read(again)
        if self._report is not None:
            for rule, place, detail in again.slips:
                if (known := (rule, place[1:])) not in self._known:
                    self._known.add(known)
                    self._report.records.append((rule, place, detail))
        return found


def read_one(read: Callable[[Json], list[Event]], event: Json, grammar: Grammar, slips: Slips) -> list[Event]:
    """Return the IR of one event, or of the end of the bytes (NO_EVENT). Raises Refusal.

    Behind the end, an event that holds nothing has no IR (STR-26).
    """
    try:
        return read(event)
    except Refusal as refusal:
        mark = (not event or event == DONE) and refusal.records[0][0].startswith("SHP-")
        if mark and grammar.ended:
            return []
        return slips.read(refusal, read, event)


def cut_off(position: int) -> Refusal:
    """Return a stream that is over before its response is complete, after the event at this position."""
    return Refusal("STR-2", None, f"after {position + 1} events")


def stream_error(
    error: Refusal | OutOfOrder, rendered: Callable[[list[Record]], Sequence[Diagnostic]]
) -> TranslationError:
    """Return the error that ends a stream; its first refusal decides of what class it is."""
    records = [("STR-9", None, str(error))] if isinstance(error, OutOfOrder) else error.records
    records = [(rule, HERE if place is None else place, detail) for rule, place, detail in records]
    rule = records[0][0]
    made = StreamError if rule in STREAM_RULES else InvalidPayload if rule.startswith("SHP-") else Unrepresentable
    return made(rendered(records))


def reader_of(front: Frontend, options: Mapping[str, Any]) -> StreamReader:
    """Return a reader of one stream. Raises Refusal where the protocol has none."""
    if front.stream is None:
        raise Refusal("SHP-9", None, f"{front.protocol} has no streams")
    if "stream" in front.headed:
        return front.stream(options, headers=options.get("headers") or {})
    return front.stream(options)


def events_of(front: Frontend, payload: Json, headers: Mapping[str, str] | None = None) -> list[Event]:
    """Return the events of a response that came whole, or of the body of an error. Raises Refusal."""
    if not isinstance(payload, dict):
        raise Refusal("SHP-1", None, f"expected an object as the response, found {type(payload).__name__}")
    whole = not is_error(front, payload)
    node = read_unmended(front, payload, headers) if whole else read_error(front, payload, None, headers)
    return [Failed(node)] if isinstance(node, Error) else [*unfold(node)]


NO_EVENT: Json = object()  # what is read where the bytes end
HERE: list[Json] = []  # stands nowhere in an event, so that a finding about it points at the event at hand


class KeptEvents:
    """The events of a stream that later findings may point at.

    An event is looked at once, when it is kept: findings cost the same however many events there are, and callers may
    clear an event afterwards. A finding whose place is in no event that is known is about the event at hand.

    _position     of the event at hand, -1 before the first
    _provisional  the last event that only has provisional usage
    """

    def __init__(self) -> None:
        self._kept = PointerIndex({}, tree=False)
        self._provisional: PointerIndex | None = None
        self._at_hand: PointerIndex | None = None
        self._position = -1

    def keep(self, position: int, event: Json) -> None:
        self._kept.add(position, event)

    def keep_provisional(self, position: int, event: Json) -> None:
        """In place of the one that was kept before."""
        self._provisional = PointerIndex({}, tree=False)
        self._provisional.add(position, event)

    def at(self, position: int, event: Json) -> KeptEvents:
        """Return the same while an event is at hand; None: none is, at the end of the stream."""
        self._position = position
        self._at_hand = None if event is None else PointerIndex({position: event}, tree=False)
        return self

    def pointers(self, place: Place) -> list[str]:
        if place is None:
            return [""]
        place = resolved(place)
        for known in (self._at_hand, self._provisional, self._kept):
            if known is not None and place[0] in known:
                return known.pointers(place)
        return [f"/{self._position}" if self._position >= 0 else ""]


def hinted(error: Refusal | OutOfOrder, found: str) -> Refusal:
    """Return the same refusal with the hint."""
    records = [("STR-9", None, str(error))] if isinstance(error, OutOfOrder) else error.records
    return Refusal.of_records(with_hint(records, found))
