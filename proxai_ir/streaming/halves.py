"""Characters that a source splits over two deltas, a surrogate in each: joined before anything else sees them (STR-21).

Rule: an event without half a character at its end is passed on as it is.
"""

from __future__ import annotations

from copy import copy
from typing import Any

from ..ir.stream.events import Event, PartClosed, PartGrew, PartOpened
from ..ir.structure import GROWING
from ..json.types import whole_characters
from ..reporting.report import Report
from .lowering import HERE

FIRST, SECOND = "\ud800", "\udc00"  # the least first half and the least second half
LAST = "\udfff"
REPLACEMENT = "\ufffd"


FIELD: dict[type, str] = {cls: fields[0] for cls, fields in GROWING.items()}
"""Of parts that grow, the field with their text."""


def is_half(text: str) -> bool:
    """Whether a text ends with the first half of a character."""
    return FIRST <= text[-1:] < SECOND


class Halves:
    """Follows one stream, event by event of the source; what is lost of it goes into the report.

    held  first halves whose other half has not come, by the index of the part
    """

    def __init__(self, report: Report) -> None:
        self._report = report
        self.held: dict[int, str] = {}

    def __call__(self, found: list[Event]) -> list[Event]:
        """The same list where no half is in it and none waits."""
        if not self.held:
            for event in found:
                kind = event.__class__
                if kind is PartGrew:
                    text = event.text  # type: ignore[union-attr]
                elif kind is PartOpened and event.part.__class__ in FIELD:  # type: ignore[union-attr]
                    text = getattr(event.part, FIELD[event.part.__class__])  # type: ignore[union-attr]
                else:
                    continue
                if text and text.__class__ is str and not text.isascii() and is_half(text):
                    break
            else:
                return found
        return [made for event in found for made in self._joined(event)]

    def grew(self, index: int, text: str) -> str:
        """What may be passed on of what a part grew by."""
        half = self.held.pop(index, "")
        if half and not SECOND <= text[:1] <= LAST:
            self._lose()
            half = REPLACEMENT
        text = whole_characters(half + text)
        if is_half(text):
            text, self.held[index] = text[:-1], text[-1]
        return text

    def _lose(self) -> None:
        """Half a character stays alone, which the event at hand shows."""
        self._report.records.append(("STR-21", HERE, ""))

    def _joined(self, event: Event) -> list[Event]:
        if isinstance(event, PartGrew) and event.text:
            text = self.grew(event.index, event.text)
            return [PartGrew(event.index, text)] if text else []
        if isinstance(event, PartOpened) and is_half(getattr(event.part, FIELD.get(type(event.part), ""), "") or ""):
            part: Any = copy(event.part)
            name = FIELD[type(part)]
            setattr(part, name, self.grew(event.index, getattr(part, name)))
            return [PartOpened(event.index, part, event.candidate, event.item)]
        if isinstance(event, PartClosed) and self.held.pop(event.index, ""):
            self._lose()
            return [PartGrew(event.index, REPLACEMENT), event]
        return [event]
