"""Streams of events from one protocol to another, sans I/O: events in, events out (STR-1).

Rule 1: nothing that was handed out is taken back; a stream that fails has said everything before it. Rule 2: memory
holds the answer's outline and what waits for its turn, never the stream. Rule 3: a finding that returns event after
event is told once (STR-14).
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from ..diagnostics import (
    Diagnostic,
    InvalidPayload,
    Record,
    Refusal,
    StreamError,
    TranslationError,
    Unrepresentable,
    render,
)
from ..ir.error import Error, ErrorCategory
from ..options import new_report, understood
from ..registry import Backend, Frontend, Reader, backend, frontend
from ..report import Report
from .events import Event, Stream
from .grammar import Grammar, OutOfOrder
from .pipeline import Relay

Json = Any
TRUNCATED = "The stream was cut off before the response was complete."
BROKEN = "The stream could not be converted any further."


class StreamConverter:
    """Converts one stream, event by event.

    An event is the parsed JSON of one `data:` line; the end of a chat stream is the string "[DONE]". From a protocol to
    itself events are checked and come back as they are. Options are those of `convert`, of the source's reader and the
    target's writer; spec/streams.md lists them.
    """

    def __init__(self, src: str, dst: str, **options: Any) -> None:
        """Raises InvalidPayload for a protocol that is not known or has no streams, TypeError for unknown options."""
        self._found: list[Diagnostic] = []
        self._broken: TranslationError | None = None
        self._position = -1
        self._ending = False
        self._kept: dict[int, Json] = {}
        try:
            front, back = frontend(src), backend(dst)
            known = understood(options, back, front)
            self._home = src == dst
            self._reader = reader_of(front, {**known, "faithful": self._home})
            self._report = new_report(front, back, known)
            self._relay = relay_of(back, self._report, known)
            self._tell = self._relay.tell
            self._glance = self._reader.glance if not self._relay.stages else _nothing
            self._read: Callable[[Json], list[Event]] = self._reader.feed
            self._grew = self._relay.grew
        except Refusal as refusal:
            raise InvalidPayload(render(refusal.records, None, refused=True)) from None
        self._grammar = Grammar()

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What was lost or filled in so far. Pointers begin with the position of the event, counted from 0."""
        return tuple(self._found)

    def feed(self, event: Json) -> list[Json]:
        """The target's events that this event brings about, in order; none, where it says nothing new.

        Raises StreamError for an event that may not stand here, InvalidPayload for one that is malformed,
        Unrepresentable where the target cannot say it. After an error only `close(error_event=True)` is of use: it says
        first what the failing event brought about before it failed.
        """
        self._position += 1
        text = self._glance(event, self._relay.live)
        if text:
            return [self._grew(text)]  # most events: the open part grew, and nothing else can have changed
        try:
            self._pass_on(self._read(event))
        except (Refusal, OutOfOrder) as error:
            raise self._failure(error, event) from None
        return [event] if self._home else self._handed(event)

    def _pass_on(self, events: Iterable[Event]) -> None:
        for one in events:
            self._grammar(one)
            if not self._home:
                self._tell(one)

    def read(self, event: Json) -> list[Event]:
        """The IR of an event, which counts as fed; nothing is handed to the target. Raises as `feed` does."""
        self._position += 1
        try:
            events = self._read(event)
            for one in events:
                self._grammar(one)
        except (Refusal, OutOfOrder) as error:
            raise self._failure(error, event) from None
        return events

    def close(self, *, error_event: bool = False) -> list[Json]:
        """The target's events that the end of the stream brings about.

        Raises StreamError (STR-2) where the stream was cut off, or once more the error that broke it before. With
        `error_event` the target's own error event says so instead, so that no client waits or takes the answer for
        whole.
        """
        try:
            if self._broken is not None:
                raise self._broken
            return self._completed()
        except TranslationError as error:
            if not error_event:
                raise
            if self._relay.over or (self._home and self._grammar.over()):
                return self._taken()
            why = TRUNCATED if error.rule == "STR-2" else BROKEN
            self._relay.fail(Error(None, ErrorCategory.SERVER, why))
            return self._taken()

    def _completed(self) -> list[Json]:
        if self._grammar.over():
            return []
        self._ending = True
        try:
            self._pass_on(self._reader.close())
            self._must_be_over()
        except (Refusal, OutOfOrder) as error:
            raise self._failure(error, None) from None
        return self._handed(None)

    def _must_be_over(self) -> None:
        if not self._grammar.over():
            raise Refusal("STR-2", None, f"after {self._position + 1} events")

    def read_end(self) -> list[Event]:
        """The IR of the end of the bytes. Raises StreamError where the stream was cut off (STR-2)."""
        self._ending = True
        try:
            events = [] if self._grammar.over() else self._reader.close()
            for one in events:
                self._grammar(one)
            self._must_be_over()
        except (Refusal, OutOfOrder) as error:
            raise self._failure(error, None) from None
        return events

    def _taken(self) -> list[Json]:
        out, self._relay.out = self._relay.out, []
        return out

    def _handed(self, event: Json) -> list[Json]:
        if self._relay.notable and not self._ending:
            self._kept[self._position] = event
            self._relay.notable = False
        if self._report.records:
            self._account(event)
        return self._taken()

    def _account(self, event: Json) -> None:
        """Turn what was found at this event into diagnostics; strict mode ends here."""
        records, self._report.records = self._report.records, []
        stops = [record for record in records if record[0] in self._report.stops]
        self._found += self._rendered(records, event)
        if stops:
            raise self._failure(Refusal.of_records(stops), event)

    def _failure(self, error: Refusal | OutOfOrder, event: Json) -> TranslationError:
        """The error that ends this stream; its first refusal decides of what class it is."""
        records = [("STR-9", None, str(error))] if isinstance(error, OutOfOrder) else error.records
        here = (HERE, self._position) if self._position >= 0 else None
        records = [(rule, here if place is None else place, detail) for rule, place, detail in records]
        rule = records[0][0]
        made = StreamError if rule in STREAM_RULES else InvalidPayload if rule[:3] == "SHP" else Unrepresentable
        self._broken = made(self._rendered(records, event, refused=True))
        self._read, self._glance = self._refuse, _nothing
        return self._broken

    def _rendered(self, records: list[Record], event: Json, *, refused: bool = False) -> tuple[Diagnostic, ...]:
        """Pointers into this event; where something is about what came before, into that."""
        if self._ending:
            return render(records, self._kept, refused=refused)
        found = render(records, {self._position: event}, refused=refused)
        if all(one.path.startswith(f"/{self._position}") for one in found):
            return found
        return render(records, {**self._kept, self._position: event}, refused=refused)

    def _refuse(self, _: Json) -> list[Event]:
        """What becomes of every event behind an error."""
        assert self._broken is not None
        raise self._broken


def _nothing(_event: Json, _part: int) -> None:
    """A glance that sees nothing."""


HERE: list[Json] = []  # stands nowhere in an event, so that what is said of it points at the event itself
STREAM_RULES = ("STR-2", "STR-9", "STR-15")


def reader_of(front: Frontend, options: Mapping[str, Any]) -> Reader:
    """A reader of one stream. Raises Refusal where the protocol has none."""
    if front.stream is None:
        raise Refusal("SHP-9", None, f"{front.protocol} does not support streams")
    return front.stream(options)


def relay_of(back: Backend, report: Report, options: Mapping[str, Any]) -> Relay:
    if back.stream is None:
        raise Refusal("SHP-9", None, f"{back.protocol} does not support streams")
    return Relay(back.target, back.constraints, report, back.stream(options), options)


def lowered(events: Sequence[Json], protocol: str, options: Mapping[str, Any]) -> Stream:
    """The IR of a whole list of events. Raises StreamError or InvalidPayload."""
    converter = StreamConverter(protocol, protocol, **options)
    steps = [converter.read(event) for event in events]
    return Stream(protocol, steps, converter.read_end(), events)


def converted(
    events: Sequence[Json], src: str, dst: str, options: Mapping[str, Any]
) -> tuple[list[Json], tuple[Diagnostic, ...]]:
    """A whole list of events, and what became of it."""
    converter = StreamConverter(src, dst, **options)
    out: list[Json] = []
    for event in events:
        out += converter.feed(event)
    out += converter.close()
    return out, converter.diagnostics


def checked(events: Sequence[Json], src: str, dst: str, options: Mapping[str, Any]) -> tuple[Diagnostic, ...]:
    """What became of a whole list of events, and why it was refused where it was."""
    converter = StreamConverter(src, dst, **options)
    try:
        for event in events:
            converter.feed(event)
        converter.close()
    except TranslationError as error:
        return (*converter.diagnostics, *error.diagnostics)
    return converter.diagnostics


def raised(stream: Stream, dst: str, options: Mapping[str, Any]) -> list[Json]:
    """The target's events for a stream of the IR."""
    back = backend(dst)
    grammar = Grammar()
    try:
        for event in chain(*stream.steps, stream.ending):
            grammar(event)
    except OutOfOrder as error:
        raise StreamError(render([("STR-9", None, str(error))], None, refused=True)) from None
    if stream.protocol == dst:
        if back.restore is None:
            raise Refusal("SHP-9", None, f"{dst} does not support streams")
        restore = back.restore()
        return [restore(step) for step in stream.steps]
    report = new_report(frontend(stream.protocol) if stream.protocol else None, back, options)
    relay = relay_of(back, report, understood(options, back))
    for event in chain(*stream.steps, stream.ending):
        relay.tell(event)
        report.stop()
    return relay.out


def convert_stream(events: Iterable[Json], src: str, dst: str, **options: Any) -> Iterator[Json]:
    """The events of a stream in another protocol, each as soon as it can be said.

    Options and errors are those of StreamConverter; what earlier events said has been handed out before an error.
    """
    converter = StreamConverter(src, dst, **options)
    for event in events:
        yield from converter.feed(event)
    yield from converter.close()


async def aconvert_stream(events: AsyncIterable[Json], src: str, dst: str, **options: Any) -> AsyncIterator[Json]:
    """The same for asynchronous iterators, of whatever library."""
    converter = StreamConverter(src, dst, **options)
    async for event in events:
        for one in converter.feed(event):
            yield one
    for one in converter.close():
        yield one
