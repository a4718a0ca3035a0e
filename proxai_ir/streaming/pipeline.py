"""From the events that a source tells to those that a target gets: the passes of a stream.

What the passes do to a whole answer is done here to one that is still being made: a part is judged when it begins, and
what it costs as part of the answer (its place, its neighbours, its ending) when the answer is whole. For that the relay
keeps an outline of the answer: its parts, each with no more than the first of its text.

Rule 1: a target has one part open at a time; what others say meanwhile waits, and each follows as a whole when the one
before it is closed (STR-8). Rule 2: a part that says nothing yet is not opened for the target. Rule 3: a part that is
lost is named once, and so is everything in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from ..diagnostics import Record, Refusal
from ..ir.copying import copy_tree
from ..ir.error import Error
from ..ir.node import Seal
from ..ir.parts import Audio, Citation, Reasoning, Text, WebSearchCall
from ..ir.parts import Refusal as Declined
from ..ir.response import Candidate, Response
from ..ir.terminal import StopReason, Terminal
from ..ir.turns import Role, Turn
from ..ir.usage import Usage
from ..passes.adjacency import regroup_tool_turns
from ..passes.emulation import Stage, emulating
from ..passes.envelopes import carrying
from ..passes.legalize import legalize
from ..passes.pairing import pair
from ..passes.placement import place
from ..passes.plan import Judgement, among, plan_of
from ..report import NO_RULE, Report, unmapped_members
from ..rules.constraints import Constraints
from ..rules.verdicts import Target
from . import events
from .aggregate import GROWS, grow, merged, refused

Json = Any
GROWING = (Text, Reasoning, Declined, Audio, WebSearchCall)
MOST_WAITING = 16 * 1024 * 1024
"""Characters that may wait for a part to be closed, unless the option `buffer_limit` says otherwise (STR-15)."""


class Writer(Protocol):
    """One target's half of a stream: each method gives the target's events for what happened, as parsed JSON.

    Calls come in the order started, (opened, (grew | sealed | cited)*, closed)*, ended, completed; failed ends all.
    """

    def started(self, response: Response, /) -> list[Json]: ...
    def opened(self, part: Any, /) -> list[Json]: ...
    def grew(self, text: str, /) -> Json: ...
    def sealed(self, seal: Seal, /) -> list[Json]: ...
    def cited(self, citation: Citation, /) -> list[Json]: ...
    def closed(self) -> list[Json]: ...
    def scored(self, event: events.Scored, /) -> list[Json]: ...
    def ended(self, candidate: Candidate, /) -> list[Json]: ...
    def completed(self, usage: Usage | None, /) -> list[Json]: ...
    def failed(self, error: Error, /) -> list[Json]: ...


EMPTY, WAITING, LIVE, LOST = range(4)


def said_by(part: Any) -> str:
    """The text that a part begins with, which waits with it."""
    said = getattr(part, GROWS.get(type(part), ""), None)
    return said if isinstance(said, str) else ""


def text_of(part: Any) -> str | None:
    """What a part that begins says already; None: it needs no text."""
    if isinstance(part, Audio):
        return part.transcript or ""
    if isinstance(part, WebSearchCall):
        return None if part.queries else ""
    text: str | None = getattr(part, "text", None) if isinstance(part, GROWING) else None
    return text


class _Lane:
    """One part on its way to the target."""

    __slots__ = ("blanks", "closed", "index", "part", "state", "turn", "waiting")

    def __init__(self, index: int, part: Any, turn: Turn) -> None:
        self.index = index
        self.part = part
        self.turn = turn
        self.state = EMPTY
        self.closed = False
        self.waiting: list[events.Event] = []
        self.blanks: list[str] = []  # what came of a text that says nothing yet


class Relay:
    """Hands the events of one legal stream to a writer; what the target said goes into `out`.

    Raises Refusal where the target cannot say it. `notable` is set by an event that later report may point at. `live`
    is the index of the part that is open in the target, -1 where none is; `grew` tells the target more of its text;
    `over` says that the target's stream has its end.
    """

    def __init__(
        self,
        target: Target,
        constraints: Constraints,
        report: Report,
        writer: Writer,
        options: Mapping[str, Any],
    ) -> None:
        self.out: list[Json] = []
        self.notable = False
        self.over = False
        self.live = -1
        self.grew = writer.grew
        self._target, self._placement, self._report = target, constraints, report
        self._writer, self._options = writer, options
        self._plans = plan_of(target, "response")
        self._lanes: dict[int, _Lane] = {}
        self._queue: list[_Lane] = []
        self._waiting = 0
        self._most = options.get("buffer_limit", MOST_WAITING)
        self._told: set[tuple[Any, ...]] = set()
        self._response = Response(None, None, None, [])
        self._candidates: dict[int, Candidate] = {}
        self.stages: list[Stage] = [
            *emulating(target, report, options),
            *carrying(constraints, report, options),
        ]
        self.acts: dict[type, Any] = {
            events.Started: self._started,
            events.PartOpened: self._opened,
            events.PartGrew: self._grew,
            events.PartSealed: self._further,
            events.PartCited: self._further,
            events.PartExtended: lambda _: None,  # what only one vendor has is lost with its part
            events.PartClosed: self._closed,
            events.Scored: self._scored,
            events.UsageReported: self._usage,
            events.Ended: self._ended,
            events.Completed: self._completed,
            events.Failed: self._failed,
            events.UnmappedFields: self._aside,
        }

    def tell(self, event: events.Event) -> None:
        """Hand one event on, as what the caller asked for."""
        said: Iterable[events.Event] = (event,)
        for stage in self.stages:
            said = [each for one in said for each in stage(one)]
        for one in said:
            self.acts[one.__class__](one)

    # --- the answer ---------------------------------------------------------------------------------------------------

    def _started(self, event: events.Started) -> None:
        self.notable = True
        self._response = copy_tree(event.response)
        self._response.candidates = []
        self._judge(self._response)
        for check in self._target.checks:
            if check.at_once:
                check.run(self._response, self._report, self._options)
        self._report.stop()
        self.out += self._writer.started(self._response)

    def _candidate(self, index: int) -> Candidate:
        if index not in self._candidates:
            if index and not self._placement.alternatives:
                raise Refusal("CHO-1", None, f"found candidate {index}")
            self._candidates[index] = Candidate([Turn(Role.ASSISTANT, [])], Terminal(StopReason.UNKNOWN))
        return self._candidates[index]

    def _scored(self, event: events.Scored) -> None:
        self.out += self._writer.scored(event)

    def _usage(self, event: events.UsageReported) -> None:
        self.notable = True
        usage = copy_tree(event.usage)
        self._judge(usage)
        self._response.usage = merged(self._response.usage, usage)

    def _ended(self, event: events.Ended) -> None:
        self.notable = True
        if event.terminal.reason is StopReason.UNFINISHED:  # given up: an end of the stream, and none of the answer
            raise Refusal("STR-2", self._report.place(event.terminal, "raw"), f"found {event.terminal.raw!r}")
        terminal = copy_tree(event.terminal)
        self._judge(terminal)
        candidate = self._candidate(event.candidate)
        candidate.terminal = terminal
        candidate.src = terminal.src
        if event.texts_refuse:
            for part in candidate.turns[0].parts:
                if type(part) is Text and part.text:
                    self._report.at("REF-6", part)
            refused(candidate.turns[0])
        self.out += self._writer.ended(candidate)

    def _completed(self, _: events.Completed) -> None:
        response, report = self._response, self._report
        response.candidates = [self._candidates[index] for index in sorted(self._candidates)]
        self._plans.checks[Response](response, report, self._options)
        for step in (place, regroup_tool_turns, pair):
            step(response, self._placement, report, self._options)
        report.stop()
        self.out += self._writer.completed(response.usage)
        self.over = True

    def _failed(self, event: events.Failed) -> None:
        legalize(event.error, self._target, self._report, self._options)
        self.fail(event.error)

    def fail(self, error: Error) -> None:
        """End the target's stream with its own error event (STR-12)."""
        self.out += self._writer.failed(error)
        self.over, self.live = True, -1

    def _aside(self, event: events.UnmappedFields) -> None:
        """Members of the envelope that have no place: what comes again with every event is told once (STR-14)."""
        table: Any = self._report.vendor_fields.get(event.about, {})
        if event.extra.fields and table != NO_RULE:
            found: list[Record] = []
            unmapped_members(event.extra.fields, table, event.src, (), found)
            for record in found:
                place = record[1]
                told = (event.about, record[0], place[1:] if isinstance(place, tuple) else ())
                if told not in self._told:
                    self._told.add(told)
                    self._report.records.append(record)

    # --- its parts ----------------------------------------------------------------------------------------------------

    def _opened(self, event: events.PartOpened) -> None:
        part = copy_tree(event.part)
        turn = self._candidate(event.candidate).turns[0]
        turn.parts.append(part)
        lane = self._lanes[event.index] = _Lane(event.index, part, turn)
        if not self._says_nothing(part, text_of(part)):
            self._admit(lane)
        self.notable = self.notable or lane.state is not LOST

    def _says_nothing(self, part: Any, text: str | None) -> bool:
        """Whether a part with this text has nothing to say yet: only parts that are wording, and searches, need any."""
        if text is None or (text and (self._placement.empty_text or not text.isspace())):
            return False
        return isinstance(part, GROWING)

    def _admit(self, lane: _Lane) -> None:
        """Judge a part that has something to say, and open it for the target, or let it wait."""
        if self._lost(lane):
            lane.state = LOST
        elif self.live < 0:
            self._open(lane)
        else:
            lane.state = WAITING
            self._queue.append(lane)
            self._waiting += len(said_by(lane.part))
            self._limit()

    def _judge(self, node: Any) -> None:
        """Judge a node that the pipeline owns, with all below it, and apply the verdicts."""
        judgement = Judgement(self._report)
        self._plans.of[type(node)](judgement, node)
        judgement.apply()

    def _legal(self, node: Any, place: str) -> list[Any]:
        """What the target gets instead of a node in a place: itself, nothing, or what replaces it."""
        nodes, judgement = [node], Judgement(self._report)
        among(judgement, nodes, self._plans.inside[place])
        judgement.apply()
        return nodes

    def _lost(self, lane: _Lane) -> bool:
        """Make a part legal; one that the target does not get leaves its turn."""
        given = lane.part
        legal = self._legal(given, "assistant")
        self._report.stop()
        lane.part = legal[0] if legal else None
        if legal != [given] or legal[0] is not given:
            lane.turn.parts = [one for part in lane.turn.parts for one in (legal if part is given else (part,))]
        return not legal

    def _open(self, lane: _Lane) -> None:
        lane.state, self.live = LIVE, lane.index
        self.out += self._writer.opened(lane.part)
        cited = lane.part.citations if isinstance(lane.part, Text) else None
        for citation in cited or ():
            self.out += self._writer.cited(citation)
        for event in lane.waiting:
            self._say(event)
        self._waiting -= sum(len(event.text) for event in lane.waiting if isinstance(event, events.PartGrew))
        lane.waiting = []

    def _next(self) -> None:
        """The part that has waited longest is opened."""
        lane = self._queue.pop(0)
        self._waiting -= len(said_by(lane.part))
        self._open(lane)
        if lane.closed:
            self._shut()

    def _grew(self, event: events.PartGrew) -> None:
        lane = self._lanes[event.index]
        if lane.state is LIVE:
            if event.text:
                self.out.append(self.grew(event.text))
        elif lane.state is EMPTY:
            self._begin(lane, event.text)
        elif lane.state is WAITING and event.text:
            self._wait(lane, event, len(event.text))

    def _begin(self, lane: _Lane, text: str) -> None:
        """The first of a part's text; blanks before it are held back with it."""
        if text:
            lane.blanks.append(text)
        self._waiting += len(text)
        if self._says_nothing(lane.part, text):
            self._limit()
            return
        self._waiting -= sum(map(len, lane.blanks))
        self._fill(lane)
        self.notable = True
        self._admit(lane)

    def _fill(self, lane: _Lane) -> None:
        text = "".join(lane.blanks)
        lane.blanks = []
        if text:
            grow(lane.part, text)

    def _wait(self, lane: _Lane, event: events.Event, size: int) -> None:
        lane.waiting.append(event)
        self._waiting += size
        self._limit()

    def _limit(self) -> None:
        if self._waiting > self._most:
            raise Refusal(
                "STR-15", None, f"more than {self._most} characters until a part is closed; option `buffer_limit`"
            )

    def _further(self, event: events.PartSealed | events.PartCited) -> None:
        lane = self._lanes[event.index]
        if lane.state is EMPTY:
            self._early(lane, event)
        elif lane.state is WAITING:
            self.notable = True
            self._wait(lane, event, 0)
        elif lane.state is LIVE:
            self._say(event)

    def _early(self, lane: _Lane, event: events.Event) -> None:
        """A part that says nothing yet may be sealed: that may be all it has to say. All else waits for its text."""
        if isinstance(event, events.PartSealed):
            lane.part.seal = event.seal
        else:
            self.notable = True
            self._wait(lane, event, 0)

    def _say(self, event: events.Event) -> None:
        """Tell the writer what the open part gained."""
        if isinstance(event, events.PartGrew):
            self.out.append(self.grew(event.text))
        elif isinstance(event, events.PartSealed):
            sealed = Reasoning(None, event.seal, event.src)
            self._judge(sealed)
            if sealed.seal is not None:
                self.out += self._writer.sealed(sealed.seal)
        elif isinstance(event, events.PartCited):
            for citation in self._legal(event.citation, "citations"):
                self.out += self._writer.cited(citation)

    def _closed(self, event: events.PartClosed) -> None:
        lane = self._lanes[event.index]
        lane.closed = True
        if lane.state is EMPTY:
            self._close_empty(lane)
        elif lane.state is LIVE:
            self._close()

    def _close_empty(self, lane: _Lane) -> None:
        """A part that said nothing: text is left out, other parts may mean something all the same."""
        self._waiting -= sum(map(len, lane.blanks))
        self._fill(lane)
        if isinstance(lane.part, (Text, Declined)):
            self._lost(lane)
            lane.state = LOST
            return
        self._admit(lane)
        if lane.state is LIVE:
            self._close()

    def _close(self) -> None:
        """Close the open part; those that waited follow, each as far as it got."""
        self._shut()
        while self._queue and self.live < 0:
            self._next()

    def _shut(self) -> None:
        self.out += self._writer.closed()
        self._lanes[self.live].state = LOST  # it is said, and nothing more is
        self.live = -1
