"""Parts of a stream that repeat what has been sent: refusals the text before them (REF-11), calls an earlier one by its
id (TUL-77).

Rule: a refusal counts once (REF-1), and so does a call. Either is held back while it can be such a repetition; the text
before a refusal then stays ordinary text (REF-6).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from typing import Any

from .. import ir
from ..ir.stream import events
from ..passes.calls import ANSWERED, is_same
from ..reporting.report import Report
from .part_buffer import buffered_text


class Repetitions:
    """
    of     by candidate: what its refusals repeat of its text, piece by piece where the two alternate
    _text  by candidate: its text so far, None where it is too long or not known
    _texts the candidates of the texts that are open, by part
    held   by part: the beginning of a refusal that may repeat the text, and the refusal so far; or that of a call
    _calls by candidate and id: the first call
    _later by part: what came of a call that is held
    """

    def __init__(self, report: Report, written: Callable[[int], str | None]) -> None:
        """`written`: the arguments of a call so far, by its part; None where it was dropped."""
        self._report = report
        self._written = written
        self._calls: dict[tuple[int, str], events.PartOpened] = {}
        self._later: dict[int, list[events.Event]] = {}
        self.of: dict[int, str] = {}
        self._text: dict[int, str | None] = {}
        self._texts: dict[int, int] = {}
        self.held: dict[int, tuple[events.PartOpened, str]] = {}

    def opened(self, event: events.PartOpened) -> bool:
        """Whether a part is held back."""
        part = event.part
        if isinstance(part, ir.Text):
            self._texts[event.index] = event.candidate
        elif isinstance(part, ir.Refusal) and self._may_repeat(event.candidate, part.text):
            self.held[event.index] = (event, part.text)
            return True
        elif isinstance(part, ANSWERED) and part.id:
            if self._calls.setdefault((event.candidate, part.id), event) is event:
                return False
            self.held[event.index], self._later[event.index] = (event, ""), []
            return True
        return False

    def gained(self, event: events.PartSealed | events.PartCited) -> None:
        """A call that is held back gained something besides text."""
        self._later[event.index].append(event)

    def grew(self, event: events.PartGrew) -> Iterator[events.Event]:
        """What goes on when a part that is held back grows: nothing, or all that was held."""
        if event.index in self._later:
            self._later[event.index].append(event)
            return
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
        if event.index in self._later:
            yield from self._settle_call(event)
            return
        if not self._repeats(event.index):
            yield self._released(event.index)
            yield event
            return
        opened, text = self.held.pop(event.index)
        self.of[opened.candidate] = self._wording(opened.candidate, text)
        self._report.at("REF-11", opened.part)

    def _settle_call(self, event: events.PartClosed) -> Iterator[events.Event]:
        opened, later = self.held.pop(event.index)[0], self._later.pop(event.index)
        first = self._calls[opened.candidate, opened.part.id]  # type: ignore[union-attr, index]
        written = self._written(first.index)
        text = buffered_text(opened.part) + "".join(one.text for one in later if isinstance(one, events.PartGrew))
        if written is not None and is_same(_with(opened.part, text), _with(first.part, written)):
            self._report.at("TUL-77", opened.part)
        else:
            yield from (opened, *later, event)

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


def _with(call: Any, text: str) -> Any:
    """A call with all its arguments."""
    made = copy(call)
    setattr(made, "input" if isinstance(call, ir.CustomCall) else "arguments", text)
    return made
