"""The findings of one stream as diagnostics, each with a pointer into the event that it is about.

Rule 1: a pointer begins with the position of its event. Rule 2: an event is looked at once, when it is kept, so that
findings cost the same however many events there are, and callers may clear an event afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..ir.stream.grammar import OutOfOrder
from ..json.pointer import Place, PointerIndex, resolved
from ..reporting.diagnostics import (
    Diagnostic,
    InvalidPayload,
    Record,
    Refusal,
    StreamError,
    TranslationError,
    Unrepresentable,
    rendered,
)
from ..reporting.report import Report

Json = Any
NO_EVENT: Json = object()  # is read where the bytes end
HERE: list[Json] = []  # stands nowhere in an event, so that a finding about it points at the event at hand
STREAM_RULES = ("STR-2", "STR-9", "STR-15")


class Marks:
    """Marks that the stages of a stream make on the event at hand, for findings about it that come later.

    notable      a later finding may point at it
    provisional  one may, until another event has provisional usage
    """

    __slots__ = ("notable", "provisional")

    def __init__(self) -> None:
        self.notable = self.provisional = False


class KeptEvents:
    """The events of a stream that later findings may point at.

    A finding whose place is in no event that is known is about the event at hand.

    _position     of the event at hand, -1 before the first
    _provisional  the last event that only has provisional usage
    """

    def __init__(self) -> None:
        self._kept = PointerIndex({}, tree=False)
        self._provisional: PointerIndex | None = None
        self._at_hand: PointerIndex | None = None
        self._position = -1

    def keep(self, position: int, event: Json) -> None:
        """Keep an event to the end of the stream."""
        self._kept.add(position, event)

    def keep_provisional(self, position: int, event: Json) -> None:
        """Keep an event in place of the one that was kept so before."""
        self._provisional = PointerIndex({}, tree=False)
        self._provisional.add(position, event)

    def at(self, position: int, event: Json) -> KeptEvents:
        """Return these events with the one at hand, which is NO_EVENT at the end of the stream."""
        self._position = position
        self._at_hand = None if event is None or event is NO_EVENT else PointerIndex({position: event}, tree=False)
        return self

    def pointers(self, place: Place) -> list[str]:
        """Return the pointers to a place, one for each place that an object stands in."""
        if place is None:
            return [""]
        place = resolved(place)
        for known in (self._at_hand, self._provisional, self._kept):
            if known is not None and place[0] in known:
                return known.pointers(place)
        return [f"/{self._position}" if self._position >= 0 else ""]


class Findings:
    """The diagnostics of one stream so far.

    diagnostics  the findings, rendered
    report       the findings about the event at hand, until they are
    marks        what the stages say about the event at hand
    """

    def __init__(self, report: Report, quote_values: bool) -> None:
        self.diagnostics: list[Diagnostic] = []
        self.report = report
        self.marks = Marks()
        self._kept = KeptEvents()
        self._quote_values = quote_values

    def add(self, records: list[Record], position: int, event: Json) -> None:
        """Render findings about the event at this position, or about those before it."""
        self.diagnostics += self._rendered(records, position, event)

    def take(self, position: int, event: Json) -> list[Record]:
        """Render what the report has, and return it."""
        records = self.report.take()
        self.add(records, position, event)
        return records

    def keep(self, position: int, event: Json) -> None:
        """Keep the event at hand, which is marked."""
        if self.marks.notable:
            self._kept.keep(position, event)
        else:
            self._kept.keep_provisional(position, event)
        self.marks.notable = self.marks.provisional = False

    def error(self, error: Refusal | OutOfOrder, position: int, event: Json) -> TranslationError:
        """Return the error that ends the stream at an event."""
        return stream_error(error, lambda records: self._rendered(records, position, event, refused=True))

    def _rendered(
        self, records: list[Record], position: int, event: Json, *, refused: bool = False
    ) -> tuple[Diagnostic, ...]:
        pointers = self._kept.at(position, event).pointers
        return rendered(records, pointers, refused=refused, quote_values=self._quote_values)


def cut_off(position: int) -> Refusal:
    """Return the refusal of a stream that is over before its response is complete, after the event at this position."""
    return Refusal("STR-2", None, f"after {position + 1} events")


def stream_error(
    error: Refusal | OutOfOrder, render: Callable[[list[Record]], Sequence[Diagnostic]]
) -> TranslationError:
    """Return the error that ends a stream; its first refusal decides of what class it is."""
    records = [("STR-9", None, str(error))] if isinstance(error, OutOfOrder) else error.records
    records = [(rule, HERE if place is None else place, detail) for rule, place, detail in records]
    rule = records[0][0]
    made = StreamError if rule in STREAM_RULES else InvalidPayload if rule.startswith("SHP-") else Unrepresentable
    return made(render(records))
