"""The parts of one candidate on their way to the target: one is open there at a time, the others are buffered.

Rule 1: parts reach the target in the order in which they had something to emit, each whole (STR-8). Rule 2: wording
without text yet is not opened for the target. Rule 3: a part that the target drops is reported once, when it would have
been opened, with everything in it.
"""

from __future__ import annotations

from collections import deque
from enum import Enum, auto
from typing import Any

from ..ir.parts import Audio, Citation, CodeCall, FunctionCall, Inline, Reasoning, Text, WebSearchCall, with_only
from ..ir.parts import Refusal as Declined
from ..ir.request import BETWEEN_ITEMS, Role, Turn
from ..ir.response import Candidate, StopReason, Terminal, unargued
from ..ir.stream import events
from ..ir.stream.aggregate import grow
from ..ir.stream.interfaces import StreamWriter
from ..ir.structure import GROWING, copy_tree
from ..passes.calls import ANSWERED, Answering
from ..passes.endings import is_odd, note_no_arguments, reread
from ..passes.legality import Judgement, among, plan_of
from ..protocol.registry import Backend
from ..reporting.diagnostics import Refusal
from ..reporting.report import Report
from ..targets.settings import Server

Json = Any
NEEDS_TEXT = (Text, Reasoning, Declined, Audio, WebSearchCall, CodeCall)


class State(Enum):
    BLANK = auto()  # no text yet that the target could get
    QUEUED = auto()  # another part is open
    OPEN = auto()  # in the target
    DONE = auto()  # closed in the target
    DROPPED = auto()


BLANK, QUEUED, OPEN, DONE, DROPPED = State  # looking a member up in its class is slow


class PartBuffer:
    """One part: what it is so far, and what is buffered of it.

    unargued   it is a call that is open, without any arguments so far
    cut_off    the response was, before there were any
    odd        arguments that begin as no object does; the target has none of them
    arguments  those of a call that the target has, piece by piece: a response may repeat the call (TUL-77)
    queued     what is to be emitted once the part is open
    """

    __slots__ = ("arguments", "closed", "cut_off", "index", "item", "odd", "part", "queued", "state", "unargued")

    def __init__(self, index: int, part: Any, item: int) -> None:
        self.index = index
        self.item = item
        self.part = part
        self.state = BLANK
        self.closed = self.unargued = self.cut_off = False
        self.odd: list[str] = []
        self.arguments: list[str] | None = None
        self.queued: list[events.Event] = []


def first_text(part: Any) -> str | None:
    """Return the text that a part has when it is opened; None: it needs no text."""
    if isinstance(part, Audio):
        return part.transcript or ""
    if isinstance(part, WebSearchCall):
        return None if part.queries else ""
    if isinstance(part, CodeCall):
        return part.code
    text: str | None = getattr(part, "text", None) if isinstance(part, NEEDS_TEXT) else None
    return text


def buffered_text(part: Any) -> str:
    """Return the text that is buffered with a part itself."""
    for name in GROWING.get(type(part), ()):
        text = getattr(part, name)
        return text if isinstance(text, str) else ""
    return ""


class Budget:
    """The characters that may be buffered, and those that are."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held = 0

    def hold(self, size: int) -> None:
        """Count what is buffered. Raises Refusal where it is more than may be (STR-15)."""
        self._held += size
        if self._held > self._limit:
            raise Refusal(
                "STR-15", None, f"more than {self._limit} characters until a part is closed; option `buffer_limit`"
            )

    def release(self, size: int) -> None:
        """Count what is buffered no longer."""
        self._held -= size


class Legality:
    """Judges the nodes of one stream by the target's table, each when it arrives."""

    def __init__(self, back: Backend, server: Server, report: Report) -> None:
        self.target, self.constraints = back.target, back.constraints
        self.server, self.report = server, report
        self.plan = plan_of(back.target, "response")
        self._answering = Answering(back.constraints, report, vars(server))

    def judge(self, node: Any) -> Any:
        """Return a copy of a node that is legal, with all below it."""
        made = copy_tree(node)
        judgement = Judgement(self.report)
        self.plan.of[type(made)](judgement, made)
        judgement.apply()
        return made

    def part(self, given: Any, candidate: int) -> list[Any]:
        """Return what the target gets for a part: itself, nothing, or what replaces it. Raises Refusal."""
        nodes, judgement = [given], Judgement(self.report)
        among(judgement, nodes, self.plan.inside["assistant"])
        judgement.apply()
        self.report.stop()  # a part that is refused must not be opened
        for part in nodes:
            if isinstance(part, ANSWERED):
                self._answering.accept(part, candidate)
        return nodes

    def citations(self, given: Citation) -> list[Citation]:
        """Return what the target gets for a citation, judged as that of a text."""
        text: Text = self.judge(with_only(Text, given.src, citations=[given]))
        return text.citations or []

    def check(self, node: Any) -> None:
        """Run the target's checks of a candidate, or of the response, when all of it is there."""
        self.plan.checks[type(node)](node, self.report, self.server)


class PartBuffers:
    """All parts of one candidate; what the target gets of them is appended to `out`.

    candidate   an outline of it: its parts, each with no more than the first of its text
    fast_index  the index of the part that is open in the target and whose growth nothing here or before it changes, so
                that it may go past: a text where stages look at all else (`texts_only`), or a part other than a call
                without arguments, whose first ones are looked at here; -1 where there is none
    pieces      the arguments of the call that is open; None: another part is
    _open       the part that is open in the target
    _last       the part that began last
    _item       that of the last text
    _between    an empty text behind signed reasoning, which is sent if more reasoning follows

    A call without arguments is whole where something follows it or the response ends of itself; where the response was
    cut off it broke off (TUL-29). So it waits, open in the target though it is closed here, until that is known.
    Arguments that begin as no object does may be none, or those of JSON text of JSON text (TUL-44), which all of them
    show.
    """

    def __init__(
        self,
        out: list[Json],
        writer: StreamWriter,
        legality: Legality,
        limit: int,
        *,
        texts_only: bool,
        number: int = 0,
    ) -> None:
        """Begin a candidate, by its number. `limit`: the number of characters that may be buffered."""
        self.writer = writer
        self.candidate = Candidate([Turn(Role.ASSISTANT, [])], Terminal(StopReason.UNKNOWN))
        self.number = number
        self.fast_index = -1
        self.pieces: list[str] | None = None
        self._out = out
        self._legality, self._budget = legality, Budget(limit)
        self.texts_only = texts_only
        self._parts: dict[int, PartBuffer] = {}
        self._queue: deque[PartBuffer] = deque()
        self._open: PartBuffer | None = None
        self._last: PartBuffer | None = None
        self._ended = False
        self._item: int | None = None
        self._between: PartBuffer | None = None

    # Each returns whether the event may matter to a later finding, which then points at it.

    def opened(self, event: events.PartOpened) -> bool:
        """Begin a part."""
        if self._open is not None and self._open.closed:  # a call that waits
            self._close(self._open)
        part = copy_tree(event.part)
        if self._between is not None:
            self._follow(part)
        buffer = self._parts[event.index] = self._last = PartBuffer(event.index, part, event.item)
        self.candidate.turns[0].parts.append(part)
        if first_text(part) != "":
            self._admit(buffer)
        return buffer.state is not DROPPED

    def grew(self, event: events.PartGrew) -> bool:
        """Append to the text of a part; wording and searches are opened with the first of it."""
        buffer = self._parts[event.index]
        if not event.text:
            return False
        if buffer.state is OPEN:
            self._grow(buffer, event.text)
        elif buffer.state is BLANK:
            grow(buffer.part, event.text)
            self._admit(buffer)
            return True
        elif buffer.state is QUEUED:
            buffer.queued.append(event)
            self._budget.hold(len(event.text))
        return False

    def gained(self, event: events.PartSealed | events.PartCited) -> bool:
        """Add a signature or a citation to a part."""
        buffer = self._parts[event.index]
        if buffer.state is OPEN:
            self._emit(buffer, event)
        elif buffer.state is BLANK and isinstance(event, events.PartSealed):
            buffer.part.seal = event.seal  # which may be all that there is of the part
        elif buffer.state is BLANK or buffer.state is QUEUED:
            buffer.queued.append(event)
            return True
        return False

    def media_grew(self, event: events.MediaGrew) -> None:
        """Append to the data of a recording, for a target that has recordings in pieces."""
        if type(self.writer).media_grew is StreamWriter.media_grew:
            return
        buffer = self._parts[event.index]
        if buffer.state is OPEN:
            self._out += self.writer.media_grew(event)
        elif isinstance(buffer.part, Audio) and isinstance(buffer.part.source, Inline):
            buffer.part.source.data += event.data
            buffer.part.expires_at = event.expires_at or buffer.part.expires_at

    def sent(self, index: int) -> Any:
        """Return a part that the target has as a whole; None: it has not."""
        buffer = self._parts[index]
        return buffer.part if buffer.state is DONE else None

    def written(self, index: int) -> str | None:
        """Return the arguments of a call that have been sent so far; None: the target does not get the call."""
        buffer = self._parts.get(index)
        return None if buffer is None or buffer.arguments is None else "".join(buffer.arguments)

    def closed(self, index: int) -> None:
        """End a part."""
        buffer = self._parts[index]
        buffer.closed = True
        if buffer.state is BLANK:
            self._close_blank(buffer)
        elif buffer.state is OPEN:
            self._settle_odd(buffer)
            if not self._waits(buffer):
                self._close(buffer)

    def ended(self, cut_off: bool) -> None:
        """End the candidate: whether a last call without arguments is whole is known now."""
        self._ended = True
        last = self._last
        if last is not None and last.closed:
            last.cut_off = cut_off
            if last is self._open:
                self._close(last)

    def abandon(self) -> None:
        """Leave open what is open, as the stream failed."""
        self._open, self.fast_index = None, -1

    # --- what a part goes through -------------------------------------------------------------------------------------

    def _admit(self, buffer: PartBuffer) -> None:
        """Make a part legal that has something to emit; open it in the target, or queue it."""
        if not self._make_legal(buffer):
            buffer.state = DROPPED
        elif self._open is None:
            self._begin(buffer)
        else:
            buffer.state = QUEUED
            self._queue.append(buffer)
            self._budget.hold(len(buffered_text(buffer.part)))

    def _make_legal(self, buffer: PartBuffer) -> bool:
        """Return whether the target gets the part at all; one that it does not get leaves the outline."""
        given, parts = buffer.part, self.candidate.turns[0].parts
        legal = self._legality.part(given, self.number)
        buffer.part = legal[0] if legal else None
        if buffer.part is not given:
            at = len(parts)  # it is the last one, or near it
            while at > 0:
                at -= 1
                if parts[at] is given:
                    parts[at : at + 1] = legal
                    break
        return bool(legal)

    def _begin(self, buffer: PartBuffer) -> None:
        """Open a part in the target, with what is buffered of it."""
        part = buffer.part
        buffer.state, self._open = OPEN, buffer
        if type(part) is FunctionCall and is_odd(part.arguments):
            self._hold_odd(buffer, part.arguments)
            part.arguments = ""
        buffer.unargued = unargued(part)
        passes_by = type(part) is Text if self.texts_only else not buffer.unargued
        self.fast_index = buffer.index if passes_by else -1
        if type(part) is Text:
            if self._item not in (None, buffer.item):
                self._out += self._apart()
            self._item = buffer.item
        self.pieces = buffer.arguments = [buffered_text(part)] if isinstance(part, ANSWERED) else None
        self._out += self.writer.opened(part)
        for citation in (part.citations if isinstance(part, Text) else None) or ():
            self._out += self.writer.cited(citation)
        for event in buffer.queued:
            self._emit(buffer, event)
        self._budget.release(sum(len(event.text) for event in buffer.queued if isinstance(event, events.PartGrew)))
        buffer.queued = []

    def _apart(self) -> list[Json]:
        """Return what stands between two texts of different items (PLC-8)."""
        if self._legality.constraints.text_parts:
            return self.writer.apart()
        return [*self.writer.opened(Text(BETWEEN_ITEMS)), *self.writer.closed()]

    def _emit(self, buffer: PartBuffer, event: events.Event) -> None:
        """Give the writer what the open part gained."""
        if isinstance(event, events.PartGrew):
            self._grow(buffer, event.text)
        elif isinstance(event, events.PartSealed):
            seal = self._legality.judge(with_only(type(buffer.part), event.src, seal=event.seal)).seal
            if seal is not None:
                self._out += self.writer.sealed(seal)
                buffer.part.seal = seal
        elif isinstance(event, events.PartCited):
            for citation in self._legality.citations(event.citation):
                self._out += self.writer.cited(citation)

    def _grow(self, buffer: PartBuffer, text: str) -> None:
        """Give the writer more of the open part's text."""
        if buffer.unargued and type(buffer.part) is FunctionCall and (buffer.odd or is_odd(text)):
            self._hold_odd(buffer, text)
            return
        if self.pieces is not None:
            self.pieces.append(text)
        self._out += self.writer.grew(text)
        if buffer.unargued and not text.isspace():
            buffer.unargued = False
            self.fast_index = -1 if self.texts_only else buffer.index

    def _hold_odd(self, buffer: PartBuffer, text: str) -> None:
        buffer.odd.append(text)
        self._budget.hold(len(text))

    def _settle_odd(self, buffer: PartBuffer) -> None:
        """Give the writer what a call may mean by odd arguments, or these as they are, when all of them are there."""
        if buffer.odd:
            odd, buffer.odd = "".join(buffer.odd), []
            self._budget.release(len(odd))
            if text := reread(odd):
                buffer.unargued = False
                if buffer.arguments is not None:
                    buffer.arguments.append(text)
                self._out += self.writer.grew(text)

    def _close_blank(self, buffer: PartBuffer) -> None:
        """End a part without text: wording is dropped, other parts may mean something all the same."""
        if not isinstance(buffer.part, (Text, Declined)):
            self._admit(buffer)
            if buffer.state is OPEN:
                self._close(buffer)
            return
        self._make_legal(buffer)
        buffer.state = DROPPED
        placed = self._legality.constraints.placed_seals and self._open is None
        before = self.candidate.turns[0].parts[-2:-1] if placed else ()
        if before and type(before[0]) is Reasoning and before[0].seal is not None:
            self._between = buffer
        for event in buffer.queued:
            for citation in self._legality.citations(event.citation):  # type: ignore[union-attr]
                self._legality.report.at("CIT-1", citation, "", "its text is empty")

    def _follow(self, part: Any) -> None:
        """Send an empty text after all where reasoning follows, so that it stays in its place (PLC-26)."""
        between, self._between = self._between, None
        if between is not None and type(part) is Reasoning:
            self._out += [*self.writer.opened(between.part), *self.writer.closed()]

    def _waits(self, buffer: PartBuffer) -> bool:
        """Return whether a call that is over stays open, as nothing shows yet whether its arguments broke off."""
        return buffer.unargued and buffer is self._last and not self._ended

    def _close(self, buffer: PartBuffer) -> None:
        """Close the open part; those that were queued follow, each as far as it got."""
        self._shut(buffer)
        while self._queue and self._open is None:
            buffer = self._queue.popleft()
            self._budget.release(len(buffered_text(buffer.part)))
            self._begin(buffer)
            if buffer.closed:
                self._settle_odd(buffer)
                if not self._waits(buffer):
                    self._shut(buffer)

    def _shut(self, buffer: PartBuffer) -> None:
        if buffer.unargued and buffer.cut_off:
            self._out += self.writer.cut_off()
        else:
            if buffer.unargued:
                note_no_arguments(buffer.part, self._legality.report)
            self._out += self.writer.closed()
        buffer.state = DONE
        self._open, self.fast_index = None, -1
