"""The interfaces of streams: a reader and a writer, which a protocol implements, and the stages between the two.

Rule: calls come in the order that the grammar allows (grammar.py), so that neither side checks it again.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterable
from typing import Any, Protocol

from ..error import Error
from ..node import Seal
from ..parts import Citation, Text
from ..response import Candidate, Response, Usage
from .events import Event, MediaGrew, Scored

Json = Any


class Stage(Protocol):
    """A filter of events: one of the things that the events of a stream go through, in order, one after the other."""

    def run(self, found: Any, /) -> Iterable[Event]:
        """Return what goes on of the events that one event of the source was read as: the same, fewer, others or more.

        A stage that changes nothing returns the list that it got. One that has to know what the stages behind it made
        of an event yields, and those behind it take the events one by one.
        """
        ...


class StreamReader(Protocol):
    """One stream of a protocol into the IR. It raises diagnostics.Refusal for what is not this protocol's.

    Names of its own begin with an underscore: another public name is refused, as it may be a misspelt one of these.
    """

    def text_delta(self, event: Any, part: int, /) -> str | None:
        """Return the fast path: the text that `event` appends to part `part`, if there is nothing else in it.

        A string, not empty, means that the event has been read: the reader's state is as after `feed`, and `feed` must
        not be called for it. None means that nothing has been read. Most events of a stream go this way; a reader that
        returns None for every event is correct too. `part` is the index of the part that is open in the target, -1
        where there is none. Never raises.
        """
        return None

    @abstractmethod
    def feed(self, event: Any, /) -> list[Event]:
        """Return the IR events of one event: parsed JSON, or the string that ends the stream."""
        ...

    def close(self) -> list[Event]:
        """Return the IR events of the end of the bytes."""
        return []


class StreamWriter(Protocol):
    """One target's half of a stream: each method returns the target's events for one thing, as parsed JSON.

    Calls come as started, (opened, (grew | sealed | cited)*, closed)*, ended, completed; scored between started and
    ended; failed ends the stream at any time. One part is open at a time. The response that `started` was called
    with has in `usage` what has been reported so far.

    What a target's table drops never comes, so that most writers leave most methods with a default as they are. Names
    of a writer's own begin with an underscore: another public name is refused, as it may be a misspelt one of these.
    """

    failed_with_usage: bool = False
    """Whether `failed` sends the usage so far; where it does not, that is reported (USE-4)."""

    @abstractmethod
    def started(self, response: Response, /) -> list[Json]:
        """Begin the response; it has no candidates yet."""

    def of_candidate(self, candidate: int, /) -> StreamWriter:
        """Return the writer of what a candidate has, before anything of it is written; for the first one it is this.

        By default it is always this one, which means that the target has one candidate: a second one is refused.
        """
        return self

    @abstractmethod
    def opened(self, part: Any, /) -> list[Json]:
        """Begin a part, with the text that it has so far."""

    @abstractmethod
    def grew(self, text: str, /) -> list[Json]:
        """Append to the text of the open part, or to the arguments of an open call."""

    def sealed(self, seal: Seal, /) -> list[Json]:
        """Add a signature to the open part."""
        return []

    def cited(self, citation: Citation, /) -> list[Json]:
        """Add a citation to the open text."""
        return []

    def cited_late(self, citation: Citation, text: Text, /) -> list[Json] | None:
        """Add a citation, which has a span, to a text that is closed: the object that `opened` was called with.

        By default return None: the target has no place for it, and its loss is reported (CIT-1).
        """
        return None

    def media_grew(self, event: MediaGrew, /) -> list[Json]:
        """Append to the data of the open recording. Without this method a recording is sent as it begins."""
        return []

    def closed(self) -> list[Json]:
        """End the open part."""
        return []

    def cut_off(self) -> list[Json]:
        """End an open call that broke off before any of its arguments; by default as any part (TUL-29)."""
        return self.closed()

    def apart(self) -> list[Json]:
        """Separate the text that comes next from the last one, of another item, where clients would join them.

        It is not called where the target has one string for all texts: there a blank line is sent (PLC-8).
        """
        return []

    def scored(self, event: Scored, /) -> list[Json]:
        """Write the log probabilities of the tokens of the text that comes next."""
        return []

    @abstractmethod
    def ended(self, candidate: Candidate, /) -> list[Json]:
        """End a candidate, which has its parts and its stop reason."""

    def broken_off(self) -> tuple[Any, str] | None:
        """Return the call in whose arguments the candidate that has just ended was cut off, and what of it was sent.

        It is asked after `ended`, of targets that would have the arguments whole; what was sent is a detail of TUL-29.
        By default return None: there is none.
        """
        return None

    def unsent(self, usage: Usage, /) -> Collection[str]:
        """Return the fields of the usage that the end of a stream has no place for, before `completed` (USE-4)."""
        return ()

    @abstractmethod
    def completed(self, usage: Usage | None, /) -> list[Json]:
        """End the stream."""

    @abstractmethod
    def failed(self, error: Error, /) -> list[Json]:
        """End the stream with an error, at any time."""
