"""Converts one stream of events from one protocol to another, sans I/O: events in, events out (STR-1).

Rule 1: nothing that was emitted is taken back; a stream that fails has emitted everything before the failure.
Rule 2: memory holds the response's outline and what is buffered, never the stream.
Rule 3: a finding that repeats in event after event is reported once (STR-14).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NoReturn, Unpack

from ..conversion.directions import direction
from ..conversion.options import new_report, quotes
from ..conversion.profile import Profile, resolved
from ..conversion.same_protocol import folded
from ..conversion.settings import Options
from ..ir.error import Error
from ..ir.response import Finish, Response, Usage
from ..ir.stream.aggregate import NOTED, Fold, Progress
from ..ir.stream.events import Event, Started, UnmappedFields
from ..ir.stream.grammar import BEFORE, COMPLETED, Grammar, OutOfOrder
from ..ir.structure import copy_tree
from ..json.objects import plain
from ..protocol.detection import HINT, is_unknown, looks_like
from ..protocol.registry import frontend
from ..reporting.diagnostics import (
    Diagnostic,
    InvalidPayload,
    Record,
    Refusal,
    TranslationError,
    Unrepresentable,
    mistake,
    rendered,
    rules_of,
    too_deep,
)
from .lowering import (
    FAULTS,
    HERE,
    NO_EVENT,
    KeptEvents,
    Slips,
    cut_off,
    events_of,
    hinted,
    read_one,
    reader_of,
    stream_error,
)
from .pipeline import FIRST, REPEATED, Failures, Halves, pipeline_of, told

Json = Any
PLAIN = frozenset({dict, str, type(None)})
"""Of what events are; those of vendors' clients are objects."""


class StreamConverter:
    """Converts one stream, event by event.

    An event is the parsed JSON of one `data:` line; the end of a chat stream is the string "[DONE]". From a protocol to
    itself events are checked and come back as they are; one that may not stand where it does is a diagnostic (STR-18).
    Options are those of `convert`, of the source's reader and the target's writer; spec/README.md lists them.

    A converter follows one stream: it cannot be copied or pickled (TypeError). Events may be cleared or reused after
    they were fed.
    """

    def __init__(
        self, src: str | Profile, dst: str | Profile, *, keep_response: bool = False, **options: Unpack[Options]
    ) -> None:
        """`keep_response`: `response` has the whole of it when the stream is over; until then it is held in memory.

        Raises UnknownProtocol, InvalidPayload for a protocol without streams, TypeError for unknown options.
        """
        self._found: list[Diagnostic] = []
        self._broken: TranslationError | None = None
        self._response: dict[str, Any] | None = None
        self._own_start: Response | None = None  # the start of a response that goes to its own protocol
        self._disorder: str | None = None  # why the first event of a stream that is passed through is out of place
        self._failed = False  # whether `close` has handed out the error
        self._position = -1
        self._hint = ""  # what else the first event looks like, if it began nothing
        self._ending = False
        self._kept = KeptEvents()
        try:
            front = frontend(src)
            server, known = resolved(dst, options, front)
            self._direction, self._options = direction(src, server), known
            back = self._direction.back
            self._same_protocol = front.protocol == back.protocol
            self._front = front
            kept = {"kept": keep_response, "own_response": keep_response and self._same_protocol}
            self._reader = reader_of(front, {**known, **kept})
            self._report = new_report(front, back, known)
            self._pipeline = pipeline_of(back, self._report, known, self._direction.pipeline)
            self._fold = Fold() if keep_response else None
        except Refusal as refusal:
            raise InvalidPayload(refusal.taken(None)) from None
        except Exception as error:
            if wrong := mistake(error):
                raise wrong from error
            raise
        self._quote_values = quotes(known)
        self._grammar = Grammar()
        self._progress = Progress()
        self._failures = Failures(front.protocol)
        self._halves = Halves(self._report)
        self._slips = Slips(front.slips, self._report)
        self._parts = self._pipeline.parts
        self._grew = self._pipeline.grew
        self._read: Callable[[Json], list[Event]] = self._reader.feed
        self._staged = bool(self._pipeline.stages)
        slow = self._same_protocol or self._pipeline.reads_texts
        self._text_delta = self._fast = _no_text_delta if slow else self._reader.text_delta

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        """Return a copy would share the state of the stream without showing it."""
        raise TypeError("a StreamConverter cannot be copied or pickled; make a new one for each stream")

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What was lost or filled in so far. Pointers begin with the position of the event, counted from 0."""
        return tuple(self._found)

    @property
    def response(self) -> dict[str, Any] | None:
        """The whole response in the target's protocol, as `convert` gives it; None before its end, and where it failed
        or an event was out of its place.

        Raises Unrepresentable where only the stream can represent it; TypeError without `keep_response`.
        """
        if self._fold is None:
            raise TypeError("the response is not kept; StreamConverter(…, keep_response=True) keeps it")
        sound = self._broken is None and self._disorder is None
        if self._response is None and self._grammar.phase == COMPLETED and sound:
            whole = self._fold.result()
            try:
                if self._same_protocol:
                    self._response = folded(whole, self._front, self._direction.back, self._options)
                else:
                    options = {**self._options, "response_id": self._pipeline.response_id}
                    self._response = self._direction.write(copy_tree(whole), options)[0]
            except Refusal as refusal:
                raise Unrepresentable(refusal.taken(None, self._quote_values)) from None
        return self._response

    @property
    def finish(self) -> Finish | None:
        """How the response ended, by the source's word (FIN-1); None before it has, and where it failed (FIN-8). Of
        several candidates the first; `finishes` has all."""
        return next(iter(self.finishes), None)

    @property
    def finishes(self) -> tuple[Finish, ...]:
        """How each candidate ended, of those that have."""
        return self._progress.finishes

    @property
    def usage(self) -> Usage | None:
        """The tokens that the source has reported so far (USE-1); None before it has."""
        return self._progress.usage

    @property
    def failure(self) -> Error | None:
        """The error that the stream itself ended with."""
        return self._progress.failure

    @property
    def error(self) -> TranslationError | None:
        """Why the stream could not be converted to its end, or was cut off; None while nothing is wrong."""
        return self._broken

    @property
    def begun(self) -> bool:
        """Whether more than the envelope has come: content, the end or an error."""
        return self._grammar.begun

    def feed(self, event: Json) -> list[Json]:
        """Return the target's events that this event results in, in order; none, where it adds nothing.

        Raises StreamError for an event that may not stand here, InvalidPayload for one that is malformed,
        Unrepresentable where the target cannot represent it. After an error only `close(error_event=True)` is of use:
        it returns first what the failing event resulted in before it failed.
        """
        try:
            parts = self._parts
            index = parts.text_index if self._staged else parts.grown_index
            text = self._text_delta(event, index)
            if text:
                self._position += 1
                if not text.isascii() and text[-1] >= FIRST:
                    text = self._halves.grew(index, text)
                    self._look_for_halves()
                    if not text:
                        return []
                if self._fold is not None:
                    self._fold.grew(index, text)
                if (pieces := parts.pieces) is not None:
                    pieces.append(text)
                return self._grew(text)  # most events: the open part grew, and nothing else can have changed
            if event.__class__ not in PLAIN and (known := plain(event)) is not event:
                return self.feed(known)
            self._position += 1
            if self._same_protocol:
                self._passed_through(self._read, event)
                return [event]
            self._pass_on(self._read, event)
            return self._emitted(event)
        except RecursionError as error:
            raise self._broken_by(too_deep(error)) from None
        except Exception as error:
            if wrong := mistake(error):
                raise self._broken_by(wrong) from error
            raise

    def feed_whole(self, payload: Json) -> list[Json]:
        """Return the target's events of a whole response, of a server that does not stream; it takes the place of all
        events.

        Raises as `feed` does.
        """
        self._same_protocol = False  # so that events are made, and not passed on
        self._position += 1
        self._guarded(self._pass_on, lambda whole: events_of(self._front, whole, self._options.get("headers")), payload)
        return self._emitted(payload)

    def _guarded(self, do: Callable[..., None], *given: Any) -> None:
        """Do it; an exception that is no refusal breaks the stream."""
        try:
            do(*given)
        except RecursionError as error:
            raise self._broken_by(too_deep(error)) from None
        except Exception as error:
            if wrong := mistake(error):
                raise self._broken_by(wrong) from error
            raise

    def _passed_through(self, read: Callable[[Json], list[Event]], event: Json) -> None:
        """Read and check an event that goes on as it is; the first one that is out of its place is reported."""
        try:
            found = self._halves(read_one(read, event, self._grammar, self._slips))
        except Refusal as refusal:
            if refusal.records[0][0] not in FAULTS:
                raise self._failure(refusal, event) from None
            self._out_of_place(event, *refusal.records[0][1:])
            found = []
        for one in found:
            if type(one) is Started:
                self._own_start = one.response
            elif type(one) is UnmappedFields:
                self._compare(one, event)
            try:
                self._grammar(one)
                if one.__class__ in NOTED:
                    self._progress.add(one)
                if self._fold is not None:
                    self._fold.add(one)
            except OutOfOrder as fault:
                self._grammar.follow(one)
                self._out_of_place(event, None, str(fault))

    def _compare(self, unmapped: UnmappedFields, event: Json) -> None:
        """Report what the end of the stream repeats in another form than events before it had (STR-20)."""
        table = self._report.vocabulary.vendor_fields.get(unmapped.about)
        if isinstance(table, Mapping):
            fields = (unmapped.extra.fields or {}).items()
            places = [
                unmapped.src if was is None else (unmapped.src, key)
                for key, was in fields
                if table.get(key) in REPEATED
            ]
            self._found += self._rendered([("STR-20", place, "") for place in places], event)

    def _out_of_place(self, event: Json, place: Any, detail: str) -> None:
        if self._disorder is None:
            self._disorder = detail
            place = (HERE, self._position) if place is None else place
            self._found += self._rendered([("STR-18", place, detail)], event)

    def _pass_on(self, read: Callable[[Json], list[Event]], event: Json) -> None:
        """Read, check the order, and pass on to the target."""
        try:
            given = read_one(read, event, self._grammar, self._slips)
            found = self._halves(given)
            if found is not given:
                self._look_for_halves()
            found = self._failures(found)
            if self._failures.error is not None:
                self._pipeline.notable = True  # as the error will point to it
            for one in found:
                self._grammar(one)
                if one.__class__ in NOTED:
                    self._progress.add(one)
                if self._fold is not None:
                    self._fold.add(one)
                self._pipeline.feed(one)
        except (Refusal, OutOfOrder) as error:
            self._found += self._rendered(self._report.records, event)  # what was found before
            failure = self._failure(error, event)
            error.__traceback__ = error.__context__ = None  # which would keep the event in memory
            raise failure from None

    def _look_for_halves(self) -> None:
        """Where half a character was held back, the next event goes the long way."""
        self._text_delta = _no_text_delta if self._halves.held else self._fast

    def close(self, *, error_event: bool = False) -> list[Json]:
        """Return the target's events that the end of the stream results in.

        Raises StreamError (STR-2) where the stream was cut off, or once more the error that broke it before. With
        `error_event` the target's own error event takes its place, so that no client waits or takes the response for
        complete; `error` and `diagnostics` have the error then.
        """
        try:
            if self._broken is not None:
                raise self._broken
            if self._grammar.over():
                return []
            self._guarded(self._end)
            return self._emitted(None)
        except TranslationError as error:
            if not error_event:
                raise
            if not self._failed:
                self._failed = True
                self._found += [one for one in error.diagnostics if one not in self._found]
            if not (self._pipeline.over or (self._same_protocol and self._grammar.over())):
                if self._own_start is not None:
                    self._pipeline.begun(self._own_start)
                self._pipeline.fail(told(error))
            return self._pipeline.take()

    def _end(self) -> None:
        """Read the end of the bytes. Raises StreamError where the stream was cut off (STR-2)."""
        self._ending = True
        if not self._grammar.over():
            read = self._passed_through if self._same_protocol else self._pass_on
            read(lambda _: self._reader.close(), NO_EVENT)
            if self._failures.error is not None and not self._grammar.over():  # for want of an end
                self._pass_on(lambda _: self._failures.rest(), NO_EVENT)
        if not self._grammar.over():
            raise self._failure(cut_off(self._position), None)

    def _emitted(self, event: Json) -> list[Json]:
        pipeline = self._pipeline
        if (pipeline.notable or pipeline.provisional) and not (self._ending or pipeline.over):
            keep = self._kept.keep if pipeline.notable else self._kept.keep_provisional
            keep(self._position, event)  # as later findings may point at it
            pipeline.notable = pipeline.provisional = False
        if self._report.records:
            self._account(event)
        return pipeline.take()

    def _account(self, event: Json) -> None:
        """Turn what was found at this event into diagnostics; strict mode ends here."""
        records, self._report.records = self._report.records, []
        stops = [record for record in records if record[0] in self._report.stops]
        self._found += self._rendered(records, event)
        if self._position == 0 and is_unknown(rules_of(records)):
            self._hint = looks_like(event, self._front.protocol)
            self._found += self._rendered([(HINT, HERE, self._hint)] if self._hint else [], event)
        if stops:
            raise self._failure(Refusal.of_records(stops), event)

    def _failure(self, error: Refusal | OutOfOrder, event: Json) -> TranslationError:
        """Return the error that ends this stream."""
        if self._grammar.phase == BEFORE and not self._hint:
            self._hint = looks_like(event, self._front.protocol)
        error = hinted(error, self._hint) if self._hint else error
        return self._broken_by(stream_error(error, lambda records: self._rendered(records, event, refused=True)))

    def _broken_by(self, error: TranslationError) -> TranslationError:
        self._broken = error
        self._read, self._text_delta = self._refuse, _no_text_delta
        return error

    def _rendered(self, records: list[Record], event: Json, *, refused: bool = False) -> tuple[Diagnostic, ...]:
        """Return pointers into this event; where something is about what came before, into that."""
        at_hand = None if self._ending else event
        pointers = self._kept.at(self._position, at_hand).pointers
        return rendered(records, pointers, refused=refused, quote_values=self._quote_values)

    def _refuse(self, _: Json) -> list[Event]:
        """Return every event after an error raises that error again."""
        assert self._broken is not None
        raise self._broken


def _no_text_delta(_event: Json, _part: int) -> None:
    """In place of a reader's fast path: every event goes the long way."""
