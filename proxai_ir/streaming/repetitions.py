"""Refusals of a stream that repeat the text before them, which has been sent (REF-11).

Rule: a refusal counts once (REF-1). It is held back while it can be such a repetition; the text then stays ordinary
text (REF-6).
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from typing import Any

from ..ir import parts
from ..ir.stream import events
from ..reporting.report import Report


class Repetitions:
    """
    of     by candidate: what its refusals repeat of its text, piece by piece where the two alternate
    _text  by candidate: its text so far, None where it is too long or not known
    _texts the candidates of the texts that are open, by part
    held   by part: the beginning of a refusal that may repeat the text, and the refusal so far
    """

    def __init__(self, report: Report) -> None:
        self._report = report
        self.of: dict[int, str] = {}
        self._text: dict[int, str | None] = {}
        self._texts: dict[int, int] = {}
        self.held: dict[int, tuple[events.PartOpened, str]] = {}

    def opened(self, event: events.PartOpened) -> bool:
        """Whether a part is held back."""
        part = event.part
        if isinstance(part, parts.Text):
            self._texts[event.index] = event.candidate
        elif isinstance(part, parts.Refusal) and self._may_repeat(event.candidate, part.text):
            self.held[event.index] = (event, part.text)
            return True
        return False

    def grew(self, event: events.PartGrew) -> Iterator[events.Event]:
        """What goes on when a part that is held back grows: nothing, or all that was held."""
        opened, text = self.held[event.index]
        self.held[event.index] = (opened, text + event.text)
        if not self._may_repeat(opened.candidate, text + event.text):
            yield self._released(event.index)

    def note(self, event: events.PartClosed) -> None:
        """A part that was not held back is over."""
        candidate = self._texts.pop(event.index, None)
        if candidate is not None:
            self._note(candidate, event.text)

    def closed(self, event: events.PartClosed) -> Iterator[events.Event]:
        """What goes on when a part that is held back is over: nothing, or all of it."""
        if not self._repeats(event.index):
            yield self._released(event.index)
            yield event
            return
        opened, text = self.held.pop(event.index)
        self.of[opened.candidate] = self._wording(opened.candidate, text)
        self._report.at("REF-11", opened.part)

    def _wording(self, candidate: int, text: str) -> str:
        return self.of.get(candidate, "") + text

    def _may_repeat(self, candidate: int, text: str) -> bool:
        before = self._text.get(candidate)
        return before is not None and before.startswith(self._wording(candidate, text))

    def _repeats(self, index: int) -> bool:
        opened, text = self.held[index]
        return bool(text) and self._text[opened.candidate] == self._wording(opened.candidate, text)

    def _note(self, candidate: int, text: str | None) -> None:
        before = self._text.get(candidate, "")
        whole = None if text is None or before is None else before + text
        self._text[candidate] = None if whole is None or len(whole) > events.MOST_REPEATED else whole

    def _released(self, index: int) -> events.PartOpened:
        opened, text = self.held.pop(index)
        part: Any = copy(opened.part)
        part.text = text
        return events.PartOpened(index, part, opened.candidate, opened.item)
