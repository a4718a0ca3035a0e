"""What a protocol implements for its streams: a reader and a writer.

Rule: calls come in the order that the grammar allows (grammar.py), so that neither side checks it again.
"""

from __future__ import annotations

from typing import Any, Protocol

from ..error import Error
from ..node import Seal
from ..parts import Citation
from ..response import Candidate, Response, Usage
from .events import Event, Scored

Json = Any


class StreamReader(Protocol):
    """One stream of a protocol into the IR. Raises diagnostics.Refusal for what is not this protocol's."""

    def text_delta(self, event: Any, part: int, /) -> str | None:
        """Return the fast path: the text that `event` appends to part `part`, if there is nothing else in it.

        A string, not empty, means that the event has been read: the reader's state is as after `feed`, and `feed` must
        not be called for it. None means that nothing has been read. Most events of a stream go this way; a reader that
        returns None for every event is correct too. `part` is the index of the part that is open in the target, -1
        where there is none. Never raises.
        """
        return None

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

    A writer may have a method `cited_late(citation, text)` for citations, with a span, of a text that is closed
    already: the object that `opened` was called with. Without it they are dropped (CIT-1). One for several candidates
    has `of_candidate(candidate)`, called once for each candidate before anything of it: the writer of what the
    candidate has, for the first one itself; without it more than one is refused. And a method `broken_off()`, called
    after `ended`: the last call where the response was cut off within its arguments and the target would have them
    whole, and what of it has been sent, as a detail of TUL-29; else None. And `cut_off()`, called in place of
    `closed` for a call that broke off before any of its arguments. And `apart()`, called before a text of another item
    than the last one, for clients that would run the two together; where the target has one string for all texts, a
    blank line is sent without it (PLC-8). And `unsent(usage)`, called before `completed`: the fields of the usage that
    the end of a stream has no place for (USE-4). One that writes recordings has `media_grew(event)`
    for more of the open one; without it those are sent as they begin. One whose `failed` sends the usage so far says so
    by `failed_with_usage = True`; else its loss is reported (ERR-4).
    """

    def started(self, response: Response, /) -> list[Json]: ...
    def opened(self, part: Any, /) -> list[Json]: ...
    def grew(self, text: str, /) -> list[Json]: ...

    # What a table drops never comes; a writer that inherits from this class may leave these out.

    def sealed(self, seal: Seal, /) -> list[Json]:
        return []

    def cited(self, citation: Citation, /) -> list[Json]:
        return []

    def closed(self) -> list[Json]:
        return []

    def scored(self, event: Scored, /) -> list[Json]:
        return []

    def ended(self, candidate: Candidate, /) -> list[Json]: ...
    def completed(self, usage: Usage | None, /) -> list[Json]: ...
    def failed(self, error: Error, /) -> list[Json]: ...
