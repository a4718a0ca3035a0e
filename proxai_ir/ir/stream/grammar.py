"""The one grammar of event streams: which event may follow which (STR-2, STR-9).

FOLLOWS is the whole of it for the stream; the parts of a stream have the rest: opened once, and open while they grow.
Whoever makes events and whoever reads them obeys this table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from ...json.types import written
from . import events
from .events import Event

BEFORE = "before the start of the response"
OPEN = "within the response"
ENDED = "after the stop reason"
COMPLETED = "after the end of the stream"
FAILED = "after an error"
UNREAD = "after an event out of its place"

OF_OPEN = (events.PartGrew, events.PartSealed, events.MediaGrew, events.PartExtended, events.PartClosed)
OF_PARTS = (*OF_OPEN, events.PartCited)
_CONTENT = (*OF_PARTS, events.Scored)
_BESIDE = (events.UsageReported, events.UnmappedFields, events.Ending)

FOLLOWS: dict[str, dict[type, str]] = {
    BEFORE: {
        events.Started: OPEN,
        events.Failed: FAILED,
        **dict.fromkeys((events.UsageReported, events.UnmappedFields), BEFORE),
    },
    OPEN: {
        **dict.fromkeys((events.PartOpened, *_CONTENT, *_BESIDE), OPEN),
        events.Ended: ENDED,
        events.Failed: FAILED,
    },
    ENDED: {  # of one candidate; others may go on
        **dict.fromkeys((events.PartOpened, *_CONTENT), OPEN),
        **dict.fromkeys((*_BESIDE, events.Ended, events.Restated), ENDED),
        events.Completed: COMPLETED,
        events.Failed: FAILED,
    },
    COMPLETED: {events.UnmappedFields: COMPLETED},
    FAILED: {events.UnmappedFields: FAILED},
    UNREAD: {},
}
"""An Unread event may stand anywhere; only more of them follow it."""

AFTER = {events.Started: OPEN, events.Ended: ENDED, events.Completed: COMPLETED, events.Failed: FAILED}
"""The phase of a stream after these events, whatever came before."""

NAMES = {
    events.Started: "the start of a response",
    events.PartOpened: "new content",
    events.UsageReported: "usage",
    events.Ending: "a stop reason",
    events.Ended: "a stop reason",
    events.Restated: "the whole response",
    events.Completed: "the end of the stream",
    events.Failed: "an error",
    events.UnmappedFields: "other members",
}


class OutOfOrder(Exception):
    """An event that is not allowed here; the text names the event and the state of the stream."""


class Grammar:
    """Follows one stream, as a stage or called with each event. Raises OutOfOrder for one that may not stand there.

    phase  where the stream is
    open   the open parts, with their candidates
    fault  the reason why a stage had to leave out events, which is to be raised when those before them have gone on
    """

    __slots__ = ("_candidates", "_endings", "_open_of", "_over", "fault", "open", "phase")

    def __init__(self) -> None:
        self.phase = BEFORE
        self.fault: OutOfOrder | None = None
        self.open: dict[int, int] = {}  # part -> candidate
        self._candidates: dict[int, int] = {}  # of all parts, closed ones too
        self._over: set[int] = set()
        self._endings: set[int] = set()  # candidates with a stop reason, which need not be the last
        self._open_of: dict[int, int] = {}  # candidate -> how many of its parts are open

    def __call__(self, event: Event) -> None:
        if type(event) is events.PartGrew and event.index in self.open:
            return
        self._check(event)

    def run(self, found: list[Event], /) -> list[Event]:
        """Return the events before the first that may not stand where it does, which `fault` then describes."""
        for at, event in enumerate(found):
            if type(event) is not events.PartGrew or event.index not in self.open:
                try:
                    self._check(event)
                except OutOfOrder as fault:
                    self.fault = fault
                    return found[:at]
        return found

    def follow(self, event: Event) -> None:
        """Go on after an event that may not stand here, for a stream that is passed on as it is."""
        if not self.over():
            self.phase = AFTER.get(type(event), self.phase)

    @property
    def begun(self) -> bool:
        """Whether more than the start of the response has come."""
        return bool(self._candidates) or self.phase not in (BEFORE, OPEN)

    @property
    def ended(self) -> bool:
        """Whether nothing need follow: every candidate has its stop reason, or the stream failed."""
        return self.phase not in (BEFORE, OPEN) or (
            bool(self._endings) and self._endings.issuperset(self._candidates.values())
        )

    def over(self) -> bool:
        """Return whether the stream came to an end, good or bad."""
        return self.phase in (COMPLETED, FAILED)

    def _check(self, event: Event) -> None:
        kind = event.__class__
        then = UNREAD if kind is events.Unread else FOLLOWS[self.phase].get(kind)
        if then is None:
            raise OutOfOrder(f"{NAMES.get(kind, 'content')} {self.phase}")
        if kind in self._acts:
            self._acts[kind](self, event)
        self.phase = then

    def _opened(self, event: events.PartOpened) -> None:
        if event.index in self._candidates:
            raise OutOfOrder(f"a second start of part {written(event.index)}")
        if event.candidate in self._over:
            raise OutOfOrder("new content after the stop reason")
        self.open[event.index] = self._candidates[event.index] = event.candidate
        self._open_of[event.candidate] = self._open_of.get(event.candidate, 0) + 1

    def _gained(self, event: Any) -> None:
        if event.index not in self.open:
            raise OutOfOrder(f"content of part {written(event.index)}, which is not open")

    def _closed(self, event: events.PartClosed) -> None:
        self._gained(event)
        self._open_of[self.open.pop(event.index)] -= 1

    def _cited(self, event: events.PartCited) -> None:
        """Accept a citation of a text that was opened, closed or not, until its candidate ends."""
        index = event.index
        if index not in self._candidates:
            raise OutOfOrder(f"a citation of part {written(index)}, which was not opened")
        if self._candidates[index] in self._over:
            raise OutOfOrder("a citation after the stop reason")

    def _ending(self, event: events.Ending) -> None:
        self._endings.add(event.candidate)

    def _ended(self, event: events.Ended) -> None:
        candidate = event.candidate
        if candidate in self._over:
            raise OutOfOrder("a second stop reason")
        if self._open_of.get(candidate):
            raise OutOfOrder("a stop reason while a part is open")
        self._over.add(candidate)
        self._endings.add(candidate)

    def _completed(self, _: events.Completed) -> None:
        if self.open:
            raise OutOfOrder("the end of the stream while a part is open")

    def _failed(self, _: events.Failed) -> None:
        self.open.clear()  # so that nothing grows any more

    _acts: ClassVar[dict[type, Callable[[Any, Any], None]]] = {
        **dict.fromkeys(OF_OPEN, _gained),
        events.PartOpened: _opened,
        events.PartClosed: _closed,
        events.PartCited: _cited,
        events.Ending: _ending,
        events.Ended: _ended,
        events.Completed: _completed,
        events.Failed: _failed,
    }
