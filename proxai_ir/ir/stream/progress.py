"""What is known of a response while it streams: how it ended, its usage and its error. It holds no content."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..error import Error
from ..parts import Refusal
from ..response import PENDING
from ..terminal import Finish, Terminal
from ..usage import Usage
from .aggregate import merged
from .events import Ended, Ending, Failed, PartOpened, Started, UsageReported


class Progress:
    """Follows one stream; `add` is to be called with the events of the classes in NOTED.

    _reported  the usage but for the last report of it, which is merged when another comes or somebody asks
    """

    __slots__ = ("_calling", "_endings", "_last", "_refusing", "_reported", "failure")

    def __init__(self) -> None:
        self.failure: Error | None = None
        self._reported: Usage | None = None
        self._last: UsageReported | None = None
        self._endings: dict[int, Terminal] = {}
        self._calling: set[int] = set()
        self._refusing: set[int] = set()

    def add(self, event: Any) -> None:
        ACTS[type(event)](self, event)

    @property
    def usage(self) -> Usage | None:
        """What has been reported so far; provisional counts only where no other report follows (STR-4)."""
        return self._reported if self._last is None else merged(self._reported, self._last.usage)

    @property
    def finishes(self) -> tuple[Finish, ...]:
        """Of the candidates that have ended, in their order."""
        return tuple(
            self._endings[index].finish(index in self._calling, index in self._refusing)
            for index in sorted(self._endings)
        )

    def started(self, event: Started) -> None:
        if event.response.usage is not None:
            self.used(UsageReported(event.response.usage))

    def opened(self, event: PartOpened) -> None:
        if type(event.part) in PENDING:
            self._calling.add(event.candidate)
        elif isinstance(event.part, Refusal):
            self._refusing.add(event.candidate)

    def used(self, event: UsageReported) -> None:
        if self._last is not None and not self._last.provisional:
            self._reported = merged(self._reported, self._last.usage)
        self._last = event

    def ended(self, event: Ending | Ended) -> None:
        self._endings[event.candidate] = event.terminal
        if isinstance(event, Ended) and event.texts_refuse:
            self._refusing.add(event.candidate)

    def failed(self, event: Failed) -> None:
        """A stream may have had its ending by then; what failed has none (FIN-8)."""
        self.failure = event.error
        self._endings.clear()


ACTS: dict[type, Callable[[Progress, Any], None]] = {
    Started: Progress.started,
    PartOpened: Progress.opened,
    UsageReported: Progress.used,
    Ending: Progress.ended,
    Ended: Progress.ended,
    Failed: Progress.failed,
}
NOTED = frozenset(ACTS)
