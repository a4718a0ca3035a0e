"""The parts of one stream on their way to the target: one is open there at a time, the others are buffered.

Rule 1: parts reach the target in the order in which they had something to emit, each whole (STR-8). Rule 2: wording
without text yet is not opened for the target. Rule 3: a part that the target drops is reported once, when it would have
been opened, with everything in it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from enum import Enum, auto
from typing import Any

from ..ir.parts import Audio, Citation, CodeCall, FunctionCall, Inline, Reasoning, Text, WebSearchCall, with_only
from ..ir.parts import Refusal as Declined
from ..ir.request import BETWEEN_ITEMS, Turn
from ..ir.response import unargued
from ..ir.stream import events
from ..ir.stream.aggregate import grow
from ..ir.stream.interfaces import StreamWriter
from ..ir.structure import GROWING, copy_tree
from ..passes.calls import ANSWERED
from ..passes.endings import is_odd, reread
from ..reporting.diagnostics import Refusal

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
    """One part: what it is so far, and what is buffered of it."""

    __slots__ = (
        "candidate",
        "closed",
        "cut_off",
        "index",
        "item",
        "odd",
        "part",
        "queued",
        "state",
        "turn",
        "unargued",
    )

    def __init__(self, index: int, part: Any, turn: Turn, candidate: int, item: int) -> None:
        self.index = index
        self.candidate = candidate
        self.item = item
        self.part = part
        self.turn = turn
        self.state = BLANK
        self.closed = False
        self.unargued = False  # an open call without any arguments so far
        self.cut_off = False  # the response was, before there were any
        self.odd: list[str] = []  # arguments that begin as no object does; the target has none of them
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


class PartBuffers:
    """All parts of a stream; what the target gets of them is appended to `out`.

    legal        makes a node legal in a place, of a candidate: the nodes that the target gets instead, itself or none
    limit        the number of characters that may be buffered
    no_arguments  is called with a call that is whole and has no arguments
    uncited      is called with a citation of a text that is empty, and which the target does not get
    one_text     whether the target has one string for all texts, in which those of items are set apart (PLC-8)
    open_index   the index of the part that is open in the target, -1 where none is
    text_index   the same where that part is a text, whose growth no stage changes
    called       the arguments of the calls so far, piece by piece, by their parts: a response may repeat one (TUL-77)
    pieces       those of the call that is open; None: another part is
    grown_index  the same unless it is a call without arguments so far, whose first ones are looked at here

    A call without arguments is whole where something follows it or the response ends of itself; where the response was
    cut off it broke off (TUL-29). So it stays open in the target until that is known. Arguments that begin as no object
    does may be none, or those of JSON text of JSON text (TUL-44), which all of them show.
    """

    def __init__(
        self,
        out: list[Json],
        writer: StreamWriter,
        legal: Callable[..., list[Any]],
        limit: int,
        no_arguments: Callable[[Any], None] | None = None,
        one_text: bool = False,
        uncited: Callable[[Citation], None] | None = None,
        placed_seals: bool = False,
    ) -> None:
        self.out = out
        self.open_index = self.text_index = self.grown_index = -1
        self._no_arguments, self._uncited = no_arguments, uncited
        self._apart = getattr(writer, "apart", self._set_apart if one_text else None)
        self._item: int | None = None  # of the last text
        self._placed_seals = placed_seals
        self._between: PartBuffer | None = None  # an empty text behind signed reasoning, sent if more reasoning follows
        self._cut_off = getattr(writer, "cut_off", writer.closed)
        self._media_grew = getattr(writer, "media_grew", None)
        self._waiting: PartBuffer | None = None  # a call that was closed without arguments, and is open in the target
        self._last: dict[int, PartBuffer] = {}  # of each candidate
        self._ended: set[int] = set()  # candidates
        self._writer = writer
        self.called: dict[int, list[str]] = {}
        self.pieces: list[str] | None = None
        self._legal = legal
        self._limit = limit
        self._size = 0
        self._parts: dict[int, PartBuffer] = {}
        self._queue: deque[PartBuffer] = deque()

    # Each returns whether the event may matter to a later finding, which then points at it.

    def opened(self, index: int, part: Any, turn: Turn, candidate: int = 0, item: int = 0) -> bool:
        if self._waiting is not None and self._waiting.candidate == candidate:
            self._close()
        if self._between is not None:
            self._follow(part)
        buffer = self._parts[index] = self._last[candidate] = PartBuffer(index, part, turn, candidate, item)
        turn.parts.append(part)
        if first_text(part) != "":
            self._admit(buffer)
        return buffer.state is not DROPPED

    def grew(self, event: events.PartGrew) -> bool:
        buffer = self._parts[event.index]
        if buffer.state is OPEN:
            if event.text:
                self._grow(buffer, event.text)
        elif buffer.state is BLANK:
            return self._begin(buffer, event.text)
        elif buffer.state is QUEUED and event.text:
            self._hold(buffer, event, len(event.text))
        return False

    def gained(self, event: events.PartSealed | events.PartCited) -> bool:
        """A signature or a citation."""
        buffer = self._parts[event.index]
        if buffer.state is OPEN:
            self._emit(event)
        elif buffer.state is BLANK and isinstance(event, events.PartSealed):
            buffer.part.seal = event.seal  # which may be all that there is of the part
        elif buffer.state is BLANK or buffer.state is QUEUED:
            self._hold(buffer, event, 0)
            return True
        return False

    def media_grew(self, event: events.MediaGrew) -> None:
        """More of a recording, for a target that has recordings."""
        buffer = self._parts[event.index]
        if self._media_grew is None:
            return
        if buffer.state is OPEN:
            self.out += self._media_grew(event)
        elif isinstance(buffer.part, Audio) and isinstance(buffer.part.source, Inline):
            buffer.part.source.data += event.data
            buffer.part.expires_at = event.expires_at or buffer.part.expires_at

    def sent(self, index: int) -> PartBuffer | None:
        """Return a part that has been sent as a whole."""
        buffer = self._parts[index]
        return buffer if buffer.state is DONE else None

    def closed(self, index: int) -> None:
        buffer = self._parts[index]
        buffer.closed = True
        if buffer.state is BLANK:
            self._close_blank(buffer)
        elif buffer.state is OPEN:
            self._settle_odd(buffer)
            if self._waits(buffer):
                self._waiting = buffer
            else:
                self._close()

    def ended(self, candidate: int, cut_off: bool) -> None:
        """A candidate has ended: whether a last call without arguments is whole is known now."""
        self._ended.add(candidate)
        last = self._last.get(candidate)
        if last is not None and last.closed:
            last.cut_off = cut_off
            if last is self._waiting:
                self._close()

    def _waits(self, buffer: PartBuffer) -> bool:
        """Return whether a call that is over stays open, as nothing shows yet whether its arguments broke off."""
        candidate = buffer.candidate
        return buffer.unargued and buffer is self._last[candidate] and candidate not in self._ended

    def abandon(self) -> None:
        """The stream failed: what is open is never closed."""
        self.open_index = self.text_index = self.grown_index = -1
        self._waiting = None

    def legal_citations(self, given: Citation) -> list[Citation]:
        """What the target gets for a citation, judged as that of a text."""
        (text,) = self._legal(with_only(Text, given.src, citations=[copy_tree(given)]), "")
        return text.citations or []

    # --- what a part goes through -------------------------------------------------------------------------------------

    def _begin(self, buffer: PartBuffer, text: str) -> bool:
        """The first of a part's text; only wording and searches need text."""
        if not text:
            return False
        grow(buffer.part, text)
        self._admit(buffer)
        return True

    def _admit(self, buffer: PartBuffer) -> None:
        """Make a part legal that has something to emit; open it in the target, or queue it."""
        if not self._make_legal(buffer):
            buffer.state = DROPPED
        elif self.open_index < 0:
            self._open(buffer)
        else:
            buffer.state = QUEUED
            self._queue.append(buffer)
            self._size += len(buffered_text(buffer.part))
            self._check_limit()

    def _make_legal(self, buffer: PartBuffer) -> bool:
        """Return whether the target gets the part at all; one that it does not get leaves its turn."""
        given, turn = buffer.part, buffer.turn
        legal = self._legal(given, "assistant", buffer.candidate)
        buffer.part = legal[0] if legal else None
        if buffer.part is not given:
            at = len(turn.parts)  # it is the last one, or near it
            while at > 0:
                at -= 1
                if turn.parts[at] is given:
                    turn.parts[at : at + 1] = legal
                    break
        return bool(legal)

    def _open(self, buffer: PartBuffer) -> None:
        buffer.state, self.open_index = OPEN, buffer.index
        self.text_index = buffer.index if type(buffer.part) is Text else -1
        if type(buffer.part) is FunctionCall and is_odd(buffer.part.arguments):
            self._hold_odd(buffer, buffer.part.arguments)
            buffer.part.arguments = ""
        buffer.unargued = unargued(buffer.part)
        self.grown_index = -1 if buffer.unargued else buffer.index
        if self.text_index >= 0:
            if self._apart is not None and self._item not in (None, buffer.item):
                self.out += self._apart()
            self._item = buffer.item
        self.pieces = None
        if isinstance(buffer.part, ANSWERED):
            self.pieces = self.called[buffer.index] = [buffered_text(buffer.part)]
        self.out += self._writer.opened(buffer.part)
        for citation in (buffer.part.citations if isinstance(buffer.part, Text) else None) or ():
            self.out += self._writer.cited(citation)
        for event in buffer.queued:
            self._emit(event)
        self._size -= sum(len(event.text) for event in buffer.queued if isinstance(event, events.PartGrew))
        buffer.queued = []

    def _set_apart(self) -> list[Json]:
        return [*self._writer.opened(Text(BETWEEN_ITEMS)), *self._writer.closed()]

    def _hold(self, buffer: PartBuffer, event: events.Event, size: int) -> None:
        buffer.queued.append(event)
        self._size += size
        self._check_limit()

    def _check_limit(self) -> None:
        if self._size > self._limit:
            raise Refusal(
                "STR-15", None, f"more than {self._limit} characters until a part is closed; option `buffer_limit`"
            )

    def _emit(self, event: events.Event) -> None:
        """What the open part gained."""
        if isinstance(event, events.PartGrew):
            self._grow(self._parts[event.index], event.text)
        elif isinstance(event, events.PartSealed):
            part = self._parts[event.index].part
            for sealed in self._legal(with_only(type(part), event.src, seal=event.seal), ""):
                if sealed.seal is not None:
                    self.out += self._writer.sealed(sealed.seal)
                    part.seal = sealed.seal
        elif isinstance(event, events.PartCited):
            for citation in self.legal_citations(event.citation):
                self.out += self._writer.cited(citation)

    def _grow(self, buffer: PartBuffer, text: str) -> None:
        """More of the open part."""
        if buffer.unargued and type(buffer.part) is FunctionCall and (buffer.odd or is_odd(text)):
            self._hold_odd(buffer, text)
            return
        if self.pieces is not None:
            self.pieces.append(text)
        self.out += self._writer.grew(text)
        if buffer.unargued and not text.isspace():
            buffer.unargued = False
            self.grown_index = buffer.index

    def _hold_odd(self, buffer: PartBuffer, text: str) -> None:
        buffer.odd.append(text)
        self._size += len(text)
        self._check_limit()

    def _settle_odd(self, buffer: PartBuffer) -> None:
        """The call is over: what it may mean by its odd arguments, or these as they are."""
        if buffer.odd:
            odd, buffer.odd = "".join(buffer.odd), []
            self._size -= len(odd)
            if text := reread(odd):
                buffer.unargued = False
                self.called[buffer.index].append(text)
                self.out += self._writer.grew(text)

    def _close_blank(self, buffer: PartBuffer) -> None:
        """A part without text: wording is dropped, other parts may mean something all the same."""
        if isinstance(buffer.part, (Text, Declined)):
            self._make_legal(buffer)
            buffer.state = DROPPED
            before = buffer.turn.parts[-2:-1] if self._placed_seals and self.open_index < 0 else ()
            if before and type(before[0]) is Reasoning and before[0].seal is not None:
                self._between = buffer
            for event in buffer.queued if self._uncited is not None else ():
                for citation in self.legal_citations(event.citation):  # type: ignore[union-attr]
                    self._uncited(citation)  # type: ignore[misc]
            return
        self._admit(buffer)
        if buffer.state is OPEN:
            self._close()

    def _follow(self, part: Any) -> None:
        """What comes behind an empty text: the text stays between reasoning, whose places are checked (PLC-26)."""
        between, self._between = self._between, None
        if between is not None and type(part) is Reasoning:
            self.out += [*self._writer.opened(between.part), *self._writer.closed()]

    def _close(self) -> None:
        """Close the open part; those that were queued follow, each as far as it got."""
        self._shut()
        while self._queue and self.open_index < 0:
            buffer = self._queue.popleft()
            self._size -= len(buffered_text(buffer.part))
            self._open(buffer)
            if not buffer.closed:
                continue
            self._settle_odd(buffer)
            if self._waits(buffer):
                self._waiting = buffer
            else:
                self._shut()

    def _shut(self) -> None:
        buffer = self._parts[self.open_index]
        if buffer.unargued and buffer.cut_off:
            self.out += self._cut_off()
        else:
            if buffer.unargued and self._no_arguments is not None:
                self._no_arguments(buffer.part)
            self.out += self._writer.closed()
        buffer.state = DONE
        self.open_index = self.text_index = self.grown_index = -1
        self._waiting = None
