"""Characters that a source splits over two deltas, as halves of UTF-16: joined before anything else sees them (STR-21).

Rule: an event without half a character at its end is passed on as it is.
"""

from __future__ import annotations

from copy import copy
from typing import Any

from ..ir.stream import events
from ..ir.stream.events import Event
from ..ir.structure import GROWING
from ..json.types import whole_characters
from ..reporting.report import Report
from .lowering import HERE

FIRST, SECOND = "\ud800", "\udc00"  # the least first half and the least second half
LAST = "\udfff"
REPLACEMENT = "\ufffd"


def is_half(text: str) -> bool:
    """Whether a text ends with the first half of a character."""
    return FIRST <= text[-1:] < SECOND


class Halves:
    """Follows one stream, event by event of the source; what is lost of it goes into the report."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._held: dict[int, str] = {}  # by part

    def __call__(self, found: list[Event]) -> list[Event]:
        if self._held or any(map(_ends_in_half, found)):
            return [made for event in found for made in self._joined(event)]
        return found

    def __bool__(self) -> bool:
        """Whether the other half of a character is waited for."""
        return bool(self._held)

    def grew(self, index: int, text: str) -> str:
        """What may be passed on of what a part grew by."""
        half = self._held.pop(index, "")
        if half and not SECOND <= text[:1] <= LAST:
            self._lose()
            half = REPLACEMENT
        text = whole_characters(half + text)
        if is_half(text):
            text, self._held[index] = text[:-1], text[-1]
        return text

    def _lose(self) -> None:
        """Half a character stays alone, which the event at hand shows."""
        self._report.records.append(("STR-21", HERE, ""))

    def _joined(self, event: Event) -> list[Event]:
        if isinstance(event, events.PartGrew) and event.text:
            text = self.grew(event.index, event.text)
            return [events.PartGrew(event.index, text)] if text else []
        if isinstance(event, events.PartOpened) and _ends_in_half(event):
            part: Any = copy(event.part)
            for name in GROWING[type(part)]:
                setattr(part, name, self.grew(event.index, getattr(part, name)))
            return [events.PartOpened(event.index, part, event.candidate)]
        if isinstance(event, events.PartClosed) and self._held.pop(event.index, ""):
            self._lose()
            return [events.PartGrew(event.index, REPLACEMENT), event]
        return [event]


def _ends_in_half(event: Event) -> bool:
    if isinstance(event, events.PartGrew):
        return is_half(event.text)
    if not isinstance(event, events.PartOpened):
        return False
    part = event.part
    texts = [getattr(part, name) for name in GROWING.get(part.__class__, ())]
    return any(text.__class__ is str and is_half(text) for text in texts)
