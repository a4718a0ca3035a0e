"""What is known of a response while it streams: how it ended, its usage and its error. It holds no content."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..error import Error
from ..parts import ClientCall, CustomCall, FunctionCall, Refusal
from ..terminal import Finish, Terminal
from ..usage import Usage
from .aggregate import merged
from .events import Ended, Ending, Failed, PartOpened, Started, UsageReported

PENDING = (FunctionCall, CustomCall, ClientCall)
"""Calls that the client runs (STS-4)."""


class Progress:
    """Follows one stream; `add` is to be called with the events of the classes in NOTED."""

    __slots__ = ("_acts", "_calling", "_endings", "_provisional", "_refusing", "_reported", "failure")

    def __init__(self) -> None:
        self.failure: Error | None = None
        self._reported: Usage | None = None
        self._provisional: Usage | None = None
        self._endings: dict[int, Terminal] = {}
        self._calling: set[int] = set()
        self._refusing: set[int] = set()
        self._acts: dict[type, Callable[[Any], None]] = {
            Started: self._started,
            PartOpened: self._opened,
            UsageReported: self._usage,
            Ending: self._ended,
            Ended: self._ended,
            Failed: self._failed,
        }

    def add(self, event: Any) -> None:
        self._acts[type(event)](event)

    @property
    def usage(self) -> Usage | None:
        """What has been reported so far; provisional counts only where no other report follows (STR-4)."""
        return self._reported if self._provisional is None else merged(self._reported, self._provisional)

    @property
    def finishes(self) -> tuple[Finish, ...]:
        """Of the candidates that have ended, in their order."""
        return tuple(
            self._endings[index].finish(index in self._calling, index in self._refusing)
            for index in sorted(self._endings)
        )

    def _started(self, event: Started) -> None:
        self._reported = event.response.usage

    def _opened(self, event: PartOpened) -> None:
        if isinstance(event.part, PENDING):
            self._calling.add(event.candidate)
        elif isinstance(event.part, Refusal):
            self._refusing.add(event.candidate)

    def _usage(self, event: UsageReported) -> None:
        if event.provisional:
            self._provisional = event.usage
        else:
            self._provisional = None
            self._reported = merged(self._reported, event.usage)

    def _ended(self, event: Ending | Ended) -> None:
        self._endings[event.candidate] = event.terminal
        if isinstance(event, Ended) and event.texts_refuse:
            self._refusing.add(event.candidate)

    def _failed(self, event: Failed) -> None:
        """A stream may have had its ending by then; what failed has none (FIN-8)."""
        self.failure = event.error
        self._endings.clear()


NOTED = frozenset((Started, PartOpened, UsageReported, Ending, Ended, Failed))
