"""Fold events into whole responses and unfold them again (STR-11), and follow a stream's ending, usage and error."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from copy import copy
from operator import attrgetter
from typing import Any, ClassVar

import attrs

from .. import parts as ir
from ..error import Error
from ..node import Extra
from ..parts import Refusal
from ..request import Role, Turn
from ..response import PENDING, Candidate, Finish, LogProbs, Response, ScoredToken, StopReason, Terminal, Usage
from ..structure import BOOKKEEPING, GROWING, copy_tree
from .events import (
    Completed,
    Ended,
    Ending,
    Event,
    Failed,
    MediaGrew,
    PartCited,
    PartClosed,
    PartExtended,
    PartGrew,
    PartOpened,
    PartSealed,
    Restated,
    Scored,
    Started,
    UnmappedFields,
    Unread,
    UsageReported,
)

# --- aggregate --------------------------------------------------------------------------------------------------------
# Events and whole responses, one from the other: `fold(unfold(response)) == response` (STR-11).


COUNTS = tuple(field.name for field in attrs.fields(Usage) if field.name not in BOOKKEEPING)
SIDES = tuple(
    (names, attrgetter(*names)) for names in (("input", "cache_read", "cache_write"), ("output", "reasoning"))
)


def merged(before: Usage | None, later: Usage, less: Iterable[tuple[str, ...]] | None = None) -> Usage:
    """Return what is known of the usage after a further report: the later word counts, for each member.

    Counts that fall to 0 keep their value (USE-9); `less`: which ones fall, if the caller has looked already.
    """
    if before is None:
        return later
    kept = {name for side in (fallen(before, later) if less is None else less) for name in side}
    known = copy_tree(later)
    known.details = {**(before.details or {}), **(later.details or {})} or None
    for name in COUNTS:
        if getattr(later, name) is None or name in kept:
            setattr(known, name, getattr(before, name))
    if before.extra is not None and before.extra.fields:
        stated = later.src if isinstance(later.src, dict) else {}  # a count that contradicted others may do so no more
        fields = {name: value for name, value in before.extra.fields.items() if name not in stated}
        known.extra = Extra({**fields, **((later.extra and later.extra.fields) or {})})
    return known


def fallen(before: Usage, later: Usage) -> list[tuple[str, ...]]:
    """Return the counts that are 0 in a later report and were not before (USE-9): all of input, of output, or both."""
    found: list[tuple[str, ...]] = []
    for side, counts_of in SIDES:
        counts = counts_of(later)
        if counts[0] == 0 and not any(counts) and any(counts_of(before)):
            found.append(side)
    return found


def refused(turn: Turn) -> None:
    """Change the texts of a turn to refusals, once it shows that they are the wording of one (REF-4)."""
    turn.parts = [ir.Refusal(part.text, part.src, part.extra) if type(part) is ir.Text else part for part in turn.parts]


def _joined(before: LogProbs | None, more: LogProbs) -> LogProbs:
    """Return the log probabilities of all tokens so far."""
    if before is None:
        return copy(more)
    joined = LogProbs(_longer(before.text, more.text), _longer(before.refusal, more.refusal), before.src, before.extra)
    if more.extra is not None and more.extra.fields:
        fields = dict((before.extra and before.extra.fields) or {})
        for key, value in more.extra.fields.items():
            fields[key] = [*(fields.get(key) or ()), *value] if isinstance(value, list) else value
        joined.extra = Extra(fields)
    return joined


def _longer(before: list[ScoredToken] | None, more: list[ScoredToken] | None) -> list[ScoredToken] | None:
    return before if more is None else [*(before or ()), *more]


def fold(events: Iterable[Event]) -> Response:
    """Return the whole response of a legal stream of events. Raises ValueError for one without Started, or an Unread
    one."""
    folded = Fold()
    folded.run([*events])
    return folded.result()


class Fold:
    """A stage that makes the response of the events; `result` is to be called once, at their end."""

    def __init__(self) -> None:
        self.response: Response | None = None
        self.early: Usage | None = None  # usage that comes before the response starts
        self.candidates: dict[int, Candidate] = {}
        self.items: dict[int, int] = {}  # the last one of each candidate
        self.parts: dict[int, Any] = {}
        self.growth: dict[int, list[str]] = {}
        self.media: dict[int, list[str]] = {}
        self.provisional: Usage | None = None
        self.acts: dict[type, Any] = {
            Started: self._started,
            PartOpened: self._opened,
            PartGrew: lambda event: self.grew(event.index, event.text),
            PartSealed: lambda event: setattr(self.parts[event.index], "seal", event.seal),
            PartCited: self._cited,
            MediaGrew: self._media,
            PartExtended: self._extended,
            Scored: self._scored,
            UsageReported: self._reported,
            Ended: self._ended,
            Restated: self._restated,
            UnmappedFields: self._beside,
            Unread: self._unread,
        }

    def run(self, found: list[Event], /) -> list[Event]:
        """Add the events, and return them."""
        acts = self.acts
        for event in found:
            if event.__class__ in acts:
                acts[event.__class__](event)
        return found

    def _started(self, event: Started) -> None:
        self.response = copy(event.response)
        if self.early is not None:
            usage = self.response.usage
            self.response.usage = self.early if usage is None else merged(self.early, usage)

    def grew(self, index: int, text: str) -> None:
        """Append a text to what a part has grown by."""
        self.growth.setdefault(index, []).append(text)

    def _candidate(self, index: int) -> Candidate:
        if index not in self.candidates:
            self.candidates[index] = Candidate([Turn(Role.ASSISTANT, [])], Terminal(StopReason.UNKNOWN))
        return self.candidates[index]

    def _opened(self, event: PartOpened) -> None:
        self.parts[event.index] = copy(event.part)
        turns = self._candidate(event.candidate).turns
        if self.items.setdefault(event.candidate, event.item) != event.item:
            self.items[event.candidate] = event.item
            turns.append(Turn(Role.ASSISTANT, [], continues=True))
        turns[-1].parts.append(self.parts[event.index])

    def _cited(self, event: PartCited) -> None:
        part = self.parts[event.index]
        part.citations = [*(part.citations or ()), event.citation]

    def _extended(self, event: PartExtended) -> None:
        part = self.parts[event.index]
        part.raw = {**part.raw, **event.raw}

    def _media(self, event: MediaGrew) -> None:
        self.media.setdefault(event.index, []).append(event.data)
        if event.expires_at is not None:
            self.parts[event.index].expires_at = event.expires_at

    def _scored(self, event: Scored) -> None:
        candidate = self._candidate(event.candidate)
        candidate.logprobs = _joined(candidate.logprobs, event.logprobs)

    def _beside(self, event: UnmappedFields) -> None:
        if event.about == "Turn":
            self._candidate(event.index).turns[-1].extra = event.extra
        elif event.about == "Candidate":
            _add(self._candidate(event.index), event.extra)
        elif event.about == "Response" and self.response is not None:
            _add(self.response, event.extra)

    def _unread(self, event: Unread) -> None:
        raise ValueError(f"an event of the stream is out of its place: {event.detail}")

    def _reported(self, event: UsageReported) -> None:
        if event.provisional:
            self.provisional = event.usage
        elif self.response is None:
            self.early = merged(self.early, event.usage)
        else:
            self.provisional = None
            self.response.usage = merged(self.response.usage, event.usage)

    def _ended(self, event: Ended) -> None:
        candidate = self._candidate(event.candidate)
        candidate.terminal = event.terminal
        if event.texts_refuse:
            self._grow()
            for turn in candidate.turns:
                refused(turn)

    def _restated(self, event: Restated) -> None:
        self.response = copy(event.response)
        self.candidates = dict(enumerate(event.response.candidates))
        self.growth.clear()
        self.media.clear()

    def _grow(self) -> None:
        for index, pieces in self.growth.items():
            grow(self.parts[index], "".join(pieces))
        self.growth.clear()
        for index, pieces in self.media.items():
            part = self.parts[index]
            part.source = copy(part.source)
            part.source.data += "".join(pieces)
        self.media.clear()

    def result(self) -> Response:
        """Return the whole response. ValueError: its start has not come."""
        if self.response is None:
            raise ValueError("the stream has no start of a response")
        self._grow()
        if self.provisional is not None:
            self.response.usage = merged(self.response.usage, self.provisional)
        self.response.candidates = [self.candidates[index] for index in sorted(self.candidates)]
        return self.response


def _add(node: Candidate | Response, more: Extra) -> None:
    """Add members to the extra fields of a node; where it has one already, the new value counts."""
    before = node.extra or Extra()
    node.extra = Extra({**(before.fields or {}), **(more.fields or {})} or None)


def grow(part: Any, text: str) -> None:
    """Add to a part all that it grew by."""
    if isinstance(part, ir.WebSearchCall):
        part.queries = [*part.queries, text]
    elif isinstance(part, ir.CodeCall):
        part.code += text
    else:
        name = GROWING[type(part)][0]
        setattr(part, name, (getattr(part, name) or "") + text)


def unfold(response: Response) -> Iterator[Event]:
    """Yield the shortest stream that makes a response: each part is opened whole."""
    envelope = copy(response)
    envelope.candidates, envelope.usage = [], None
    yield Started(envelope)
    index = 0
    for number, candidate in enumerate(response.candidates):
        if candidate.logprobs is not None:
            yield Scored(candidate.logprobs, number)
        for item, turn in enumerate(candidate.turns):
            for part in turn.parts:
                yield PartOpened(index, part, number, item)
                yield PartClosed(index)
                index += 1
            if turn.extra is not None:
                yield UnmappedFields("Turn", turn.extra, number)
        if candidate.extra is not None:
            yield UnmappedFields("Candidate", candidate.extra, number)
        yield Ended(candidate.terminal, number)
    if response.usage is not None:
        yield UsageReported(response.usage)
    yield Completed()


# --- progress ---------------------------------------------------------------------------------------------------------
# What is known of a response while it streams: how it ended, its usage and its error. It holds no content.


class Progress:
    """A stage that notes how a response ended, its usage and its error, and changes nothing.

    _reported  the usage but for the last report of it, which is merged when another comes or somebody asks
    _last      that last report
    _endings   the last stop reason of each candidate
    _calling   the candidates with calls that the client has to answer
    _refusing  the candidates with refusals
    """

    __slots__ = ("_calling", "_endings", "_last", "_refusing", "_reported", "failure")

    def __init__(self) -> None:
        self.failure: Error | None = None
        self._reported: Usage | None = None
        self._last: UsageReported | None = None
        self._endings: dict[int, Terminal] = {}
        self._calling: set[int] = set()
        self._refusing: set[int] = set()

    def run(self, found: list[Event], /) -> list[Event]:
        """Note what the events say, and return them."""
        acts = self._acts
        for event in found:
            if event.__class__ in acts:
                acts[event.__class__](self, event)
        return found

    @property
    def usage(self) -> Usage | None:
        """The tokens reported so far; a provisional report counts only where no other one follows (STR-4)."""
        return self._reported if self._last is None else merged(self._reported, self._last.usage)

    @property
    def finishes(self) -> tuple[Finish, ...]:
        """The endings of the candidates that have ended, in their order."""
        return tuple(
            self._endings[index].finish(index in self._calling, index in self._refusing)
            for index in sorted(self._endings)
        )

    def _started(self, event: Started) -> None:
        if event.response.usage is not None:
            self._used(UsageReported(event.response.usage))

    def _opened(self, event: PartOpened) -> None:
        if type(event.part) in PENDING:
            self._calling.add(event.candidate)
        elif isinstance(event.part, Refusal):
            self._refusing.add(event.candidate)

    def _used(self, event: UsageReported) -> None:
        if self._last is not None and not self._last.provisional:
            self._reported = merged(self._reported, self._last.usage)
        self._last = event

    def _ended(self, event: Ending | Ended) -> None:
        self._endings[event.candidate] = event.terminal
        if isinstance(event, Ended) and event.texts_refuse:
            self._refusing.add(event.candidate)

    def _failed(self, event: Failed) -> None:
        """Note the error, and forget the endings before it: a response that failed has none (FIN-8)."""
        self.failure = event.error
        self._endings.clear()

    _acts: ClassVar[dict[type, Callable[[Any, Any], None]]] = {
        Started: _started,
        PartOpened: _opened,
        UsageReported: _used,
        Ending: _ended,
        Ended: _ended,
        Failed: _failed,
    }
