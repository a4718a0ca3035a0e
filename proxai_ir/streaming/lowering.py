"""Read a stream into the IR, with or without a target."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..conversion.options import quotes
from ..conversion.profile import Profile
from ..framing.common import DONE
from ..ir.error import Error
from ..ir.stream.aggregate import unfold
from ..ir.stream.events import Event, Failed, Unread
from ..ir.stream.grammar import Grammar, OutOfOrder
from ..ir.stream.interfaces import StreamReader
from ..json.types import found as described
from ..protocol.detection import is_error, read_error, read_unmended, with_hint
from ..protocol.registry import Frontend, frontend, in_form
from ..protocol.slips import mended, read_mended
from ..reporting.diagnostics import Diagnostic, InvalidPayload, Record, Refusal, TranslationError
from ..reporting.diagnostics import rendered as render_at
from ..reporting.report import Report
from .findings import NO_EVENT, KeptEvents, cut_off, stream_error

Json = Any

# --- reading ----------------------------------------------------------------------------------------------------------
# One event after the other of one stream, from its protocol into the IR.


class Source:
    """One stream, read event by event.

    grammar  follows the events as they go through the stages

    What is wrong outside the content of events is mended and reported (ENV-15); what repeats in event after event is
    reported once (STR-14).
    """

    def __init__(self, front: Frontend, options: Mapping[str, Any], report: Report | None = None) -> None:
        self.grammar = Grammar()
        self.reader = reader_of(front, options)
        self._feed = self.reader.feed
        self._slips, self._report = front.slips, report
        self._known: set[tuple[str, Json]] = set()

    def read(self, event: Json, read: Callable[[Json], list[Event]] | None = None) -> list[Event]:
        """Return the IR of an event, by the protocol's reader or by the function given. Raises Refusal.

        After the end, an event that holds nothing has no IR (STR-26).
        """
        read = read or self._feed
        try:
            return read(event)
        except Refusal as refusal:
            mark = (not event or event == DONE) and refusal.records[0][0].startswith("SHP-")
            if mark and self.grammar.ended:
                return []
            again = mended(event, self._slips)
            if again is event:
                raise
        found = read_mended(read, again)
        if self._report is not None:
            for rule, place, detail in again.slips:
                if (known := (rule, place[1:])) not in self._known:
                    self._known.add(known)
                    self._report.records.append((rule, place, detail))
        return found

    def close(self) -> list[Event]:
        """Return the IR of the end of the bytes. Raises Refusal."""
        return self.read(NO_EVENT, lambda _: self.reader.close())


def reader_of(front: Frontend, options: Mapping[str, Any]) -> StreamReader:
    """Return a reader of one stream. Raises Refusal where the protocol has none."""
    if front.stream is None:
        raise Refusal("SHP-9", None, f"{front.protocol} has no streams")
    headers = {"headers": options.get("headers") or {}} if "stream" in front.headed else {}
    return in_form(front.stream(options, **headers), StreamReader, front.protocol)


def events_of(front: Frontend, payload: Json, headers: Mapping[str, str] | None = None) -> list[Event]:
    """Return the events of a response that came whole, or of the body of an error. Raises Refusal."""
    if not isinstance(payload, dict):
        raise Refusal("SHP-1", None, f"expected an object as the response, found {described(payload)}")
    whole = not is_error(front, payload)
    node = read_unmended(front, payload, headers) if whole else read_error(front, payload, None, headers)
    return [Failed(node)] if isinstance(node, Error) else [*unfold(node)]


# --- lowering ---------------------------------------------------------------------------------------------------------
# One stream of events into the IR, without a target: what `lower` is for streams.
#
# Rule: an event that may not stand where it does ends nothing: from there on events are Unread (STR-18).


FAULTS = ("STR-9", "STR-5")
"""Rules of events that are out of their place; a stream that goes to another protocol ends there."""


class LoweredStream:
    """The IR of one stream, event by event: `feed` for each, `end` once. Raises StreamError and InvalidPayload."""

    def __init__(
        self,
        protocol: str | Profile,
        options: Mapping[str, Any],
        hinted: Callable[[Refusal, Json], Refusal] = lambda refusal, _: refusal,
    ) -> None:
        """Begin a stream. `hinted` adds to a refusal what else the stream with this first event looks like."""
        front = frontend(protocol)
        self._hinted = hinted
        self._quote_values = quotes(options)
        try:
            self._source = Source(front, {**front.options, **options, "kept": True})
        except Refusal as refusal:
            raise InvalidPayload(refusal.taken(None)) from None
        self._position = -1
        self._first: Json = None
        self.disorder: str | None = None
        """Why the first event that is out of its place is so."""

    def feed(self, event: Json) -> list[Event]:
        """Return the IR of one event."""
        self._position += 1
        if self._first is None and isinstance(event, dict):
            self._first = event
        found = self._read(self._source.read, event)
        return found if self.disorder is None else [Unread(event, self.disorder)]

    def end(self) -> list[Event]:
        """Return the IR of the end of the bytes. Raises StreamError where the stream was cut off (STR-2)."""
        grammar = self._source.grammar
        found = [] if grammar.over() else self._read(lambda _: self._source.close(), NO_EVENT)
        if not grammar.over():
            raise self._failure(cut_off(self._position), NO_EVENT)
        return found if self.disorder is None else []

    def _read(self, read: Callable[[Json], list[Event]], event: Json) -> list[Event]:
        try:
            found = read(event)
        except Refusal as refusal:
            if refusal.records[0][0] not in FAULTS:
                raise self._failure(refusal, event) from None
            found, self.disorder = [], self.disorder or refusal.records[0][2]
        for one in found:
            try:
                self._source.grammar(one)
            except OutOfOrder as fault:
                self._source.grammar.follow(one)
                self.disorder = self.disorder or str(fault)
        return found

    def _failure(self, refusal: Refusal, event: Json) -> TranslationError:
        refusal = self._hinted(refusal, self._first)
        pointers = KeptEvents().at(self._position, event).pointers

        def rendered(records: list[Record]) -> tuple[Diagnostic, ...]:
            return render_at(records, pointers, refused=True, quote_values=self._quote_values)

        return stream_error(refusal, rendered)


def hinted(error: Refusal | OutOfOrder, found: str) -> Refusal:
    """Return a refusal of the stream with a hint: `found` names the protocols that its first event looks like."""
    records = [("STR-9", None, str(error))] if isinstance(error, OutOfOrder) else error.records
    return Refusal.of_records(with_hint(records, found))
