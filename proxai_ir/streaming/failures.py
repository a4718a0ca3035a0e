"""The ending of a failed generation, in a stream: the error at the end of the stream takes its place (FIN-8).

Rule 1: usage that follows the ending still counts, so that the error comes last. Rule 2: a call that the failure came
with, or in the middle of, is never completed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..ir.error import Error, ErrorCategory
from ..ir.parts import CALLS, WORDING
from ..ir.response import answers
from ..ir.stream import events
from ..ir.stream.events import Event
from ..ir.stream.grammar import OF_PARTS
from ..ir.terminal import Terminal
from ..passes.endings import error_of, failed
from ..reporting.diagnostics import TranslationError

TRUNCATED = "The stream was cut off before the response was complete."
BROKEN = "The stream could not be converted any further"
ENDINGS = (events.Ending, events.Ended)


def told(error: TranslationError) -> Error:
    """What a client is told of a stream that could not be converted to its end."""
    why = TRUNCATED if error.rule == "STR-2" else f"{BROKEN}: {error.diagnostics[0].message} ({error.rule})"
    return Error(None, ErrorCategory.SERVER, why)


class Failures:
    """Follows one stream, event by event of the source.

    error      of the generation that failed, until it is handed out
    _failed    the candidates of which it is; _seen has the last ending of each
    _answered  the candidates with content that answers
    _blank     the texts without any text so far, with their candidates
    _calls     the calls that are open, with their candidates
    """

    def __init__(self, protocol: str | None) -> None:
        self._protocol = protocol
        self._answered: set[int] = set()
        self._blank: dict[int, int] = {}
        self._calls: dict[int, tuple[int, Any]] = {}
        self.error: Error | None = None
        self._lost: list[Any] = []
        self._failed: set[int] = set()
        self._seen: dict[int, Terminal] = {}

    def __call__(self, found: list[Event]) -> list[Event]:
        """The events that one of the source was read as, with what a failure changes of them."""
        ended: list[int] = []
        closes = over = False
        for event in found:
            kind = event.__class__
            if kind is events.PartOpened:
                self._opened(event)  # type: ignore[arg-type]
            elif kind is events.PartGrew:
                if event.text and event.index in self._blank:  # type: ignore[union-attr]
                    self._answered.add(self._blank.pop(event.index))  # type: ignore[union-attr]
            elif kind is events.PartClosed:
                closes = True
            elif kind in ENDINGS:
                if self._fails(event):  # type: ignore[arg-type]
                    self.error = self.error or error_of(event.terminal, self._protocol)  # type: ignore[union-attr]
                    ended.append(event.candidate)  # type: ignore[union-attr]
            elif kind is events.Completed:
                over = self.error is not None
        if ended:
            found = self._without(found, ended)
        if closes:
            self._forget(found)
        if over:
            return [*(event for event in found if type(event) is not events.Completed), *self.rest()]
        return found

    def rest(self) -> list[Event]:
        """The error, where the stream is over and has not had it."""
        error, self.error = self.error, None
        return [] if error is None else [events.Failed(error, self._lost)]

    def _fails(self, event: events.Ending | events.Ended) -> bool:
        """Whether an ending is that of a generation that failed; the same one is looked at once."""
        candidate, terminal = event.candidate, event.terminal
        if self._seen.get(candidate) is terminal:
            return candidate in self._failed
        self._seen[candidate] = terminal
        return candidate in self._failed or failed(terminal, candidate in self._answered)

    def _opened(self, event: events.PartOpened) -> None:
        if answers(event.part):
            self._answered.add(event.candidate)
        elif isinstance(event.part, WORDING):
            self._blank[event.index] = event.candidate
        if isinstance(event.part, CALLS):
            self._calls[event.index] = (event.candidate, event.part)

    def _without(self, found: list[Event], ended: list[int]) -> list[Event]:
        """The events but for those endings; calls that began among them are left out, others stay open."""
        broken = {index: part for index, (candidate, part) in self._calls.items() if candidate in ended}
        self._lost += [part for index, part in broken.items() if self._calls[index][0] not in self._failed]
        self._failed.update(ended)
        fresh = {event.index for event in found if type(event) is events.PartOpened} & broken.keys()
        return [event for event in found if not _dropped(event, ended, broken.keys(), fresh)]

    def _forget(self, found: Iterable[Event]) -> None:
        for event in found:
            if type(event) is events.PartClosed:
                self._calls.pop(event.index, None)


def _dropped(event: Event, ended: Iterable[int], broken: Iterable[int], fresh: Iterable[int]) -> bool:
    if isinstance(event, ENDINGS):
        return event.candidate in ended
    if type(event) is events.PartOpened or isinstance(event, OF_PARTS):
        return event.index in fresh or (type(event) is events.PartClosed and event.index in broken)
    return False
