"""Converts one stream of events from one protocol to another, sans I/O: events in, events out (STR-1).

Rule 1: nothing that was emitted is taken back; a stream that fails has emitted everything before the failure.
Rule 2: memory holds the response's outline and what is buffered, never the stream.
Rule 3: a finding that repeats in event after event is reported once (STR-14).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NoReturn, Unpack

from ..conversion.directions import direction
from ..conversion.options import new_report, quotes
from ..conversion.profile import Profile, resolved
from ..conversion.same_protocol import folded
from ..conversion.settings import Options
from ..ir.error import Error, ErrorCategory, by_status
from ..ir.parts import FunctionCall, McpCall
from ..ir.response import Finish, Response, StopReason, Terminal, Usage, unargued
from ..ir.stream.events import Event
from ..ir.stream.grammar import BEFORE, COMPLETED, OutOfOrder
from ..ir.structure import copy_tree
from ..json.objects import plain
from ..passes.stages import undoes
from ..protocol.detection import HINT, is_unknown, looks_like
from ..protocol.registry import frontend
from ..reporting.diagnostics import (
    Diagnostic,
    InvalidPayload,
    Refusal,
    TranslationError,
    Unrepresentable,
    mistake,
    rules_of,
    too_deep,
)
from ..targets.conditions import flaw_of_arguments
from .edits import Edits
from .filters import FIRST
from .findings import HERE, NO_EVENT, Findings, cut_off
from .hook import Denied, Hook
from .lowering import FAULTS, Source, events_of, hinted
from .pipeline import StreamPipeline

Json = Any
PLAIN = frozenset({dict, str, type(None)})
"""The classes of parsed events; those of vendors' clients are objects."""


class StreamConverter:
    """Converts one stream, event by event.

    An event is the parsed JSON of one `data:` line; the end of a chat stream is the string "[DONE]". From a protocol to
    itself events are checked and come back as they are; one that may not stand where it does is a diagnostic (STR-18).
    Options are those of `convert`, of the source's reader and the target's writer; spec/README.md lists them.

    A converter follows one stream: it cannot be copied or pickled (TypeError). Events may be cleared or reused after
    they were fed.
    """

    def __init__(
        self,
        src: str | Profile,
        dst: str | Profile,
        *,
        keep_response: bool = False,
        hook: Hook | None = None,
        **options: Unpack[Options],
    ) -> None:
        """Begin a stream. `keep_response`: `response` has all of it at the end; until then it is held in memory.

        hook  is shown all events as IR; in a stream to its own protocol its changes are made in the source's events

        Raises UnknownProtocol, InvalidPayload for a protocol without streams, TypeError for unknown options.
        """
        self._position = -1
        self._broken: TranslationError | None = None
        self._response: dict[str, Any] | None = None
        self._hint = ""  # what else the first event looks like, if it began nothing
        try:
            front = frontend(src)
            server, known = resolved(dst, options, front)
            self._direction, self._options = direction(src, server), known
            back = self._direction.back
            self._same_protocol = front.protocol == back.protocol and not undoes(known)
            report = new_report(front, back, known)
            kept = {"kept": keep_response, "own_response": keep_response and self._same_protocol}
            self._source = Source(front, {**known, **kept}, report)
            self._findings = Findings(report, quotes(known))
            self._pipeline = StreamPipeline(
                front,
                back,
                known,
                self._source.grammar,
                report,
                self._findings.marks,
                self._direction.pipeline,
                keep_response=keep_response,
                hook=hook,
            )
            self._edits = Edits(hook) if hook is not None and self._same_protocol else None
        except Refusal as refusal:
            raise InvalidPayload(refusal.taken(None)) from None
        except Exception as error:
            if wrong := mistake(error):
                raise wrong from error
            raise
        self._parts = self._pipeline.writing.parts
        self._grew = self._parts.writer.grew
        self._fold = self._pipeline.fold
        read, slow = self._source.reader.text_delta, self._same_protocol or self._pipeline.reads_texts
        self._text_delta = self._fast = _no_text_delta if slow or hook is not None else read
        whole = keep_response or hook is not None  # which are shown what else events have
        self._own_text_delta = _no_text_delta if whole else read

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        """Raise TypeError, as a copy would share the state of the stream without showing it."""
        raise TypeError("a StreamConverter cannot be copied or pickled; make a new one for each stream")

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The losses and other findings so far. Pointers begin with the position of the event, counted from 0."""
        return tuple(self._findings.diagnostics)

    @property
    def response(self) -> dict[str, Any] | None:
        """The whole response in the target's protocol, as `convert` gives it; None before its end, and where it failed
        or an event was out of its place.

        Raises Unrepresentable where only the stream can represent it; TypeError without `keep_response`.
        """
        if self._fold is None:
            raise TypeError("the response is not kept; StreamConverter(…, keep_response=True) keeps it")
        sound = self._broken is None and self._pipeline.in_place.disorder is None
        if self._response is None and self._source.grammar.phase == COMPLETED and sound:
            self._response = self._whole(self._fold.result())
        return self._response

    def partial(self) -> dict[str, Any] | None:
        """Return what has come of the response of a stream that was cut off; None before any of its content has.

        It is called once, after the last event. A candidate that has not ended states no reason in the stream's own
        protocol; in another it ends as at a limit of tokens, so that nobody takes it for whole. A call whose arguments
        are not whole is left out, and is a diagnostic (TUL-29). Raises as `response` does.
        """
        whole, fold = self.response, self._fold
        sound = self._pipeline.in_place.disorder is None
        if whole is not None or fold is None or fold.response is None or not (fold.candidates and sound):
            return whole
        root, left_out = cut(fold.result(), StopReason.UNKNOWN if self._same_protocol else StopReason.LENGTH)
        self._findings.add([(BROKEN_CALL, HERE, name) for name in left_out], self._position, NO_EVENT)
        return self._whole(root)

    def _whole(self, root: Response) -> dict[str, Any]:
        """Return a folded response in the target's protocol."""
        try:
            if self._same_protocol:
                front, back = self._direction.front, self._direction.back
                assert front is not None  # as the source is one
                whole: dict[str, Any] = folded(root, front, back, self._options)
            else:
                options = {**self._options, "response_id": self._pipeline.writing.response_id}
                whole = self._direction.write(copy_tree(root), options)[0]
        except Refusal as refusal:
            raise Unrepresentable(refusal.taken(None, quotes(self._options))) from None
        return whole

    @property
    def finish(self) -> Finish | None:
        """The ending of the response, in the source's words too (FIN-1); None before it, and where it failed (FIN-8).

        Of several candidates it is that of the first; `finishes` has all.
        """
        return next(iter(self.finishes), None)

    @property
    def finishes(self) -> tuple[Finish, ...]:
        """The endings of the candidates that have ended."""
        return self._pipeline.progress.finishes

    @property
    def usage(self) -> Usage | None:
        """The tokens that the source has reported so far (USE-1); None before it has."""
        return self._pipeline.progress.usage

    @property
    def failure(self) -> Error | None:
        """The error that the stream itself ended with."""
        return self._pipeline.progress.failure

    @property
    def error(self) -> TranslationError | None:
        """The reason why the stream could not be converted to its end, or was cut off; None while nothing is wrong."""
        return self._broken

    @property
    def begun(self) -> bool:
        """Whether more than the envelope has come: content, the end or an error."""
        return self._source.grammar.begun

    def feed(self, event: Json) -> list[Json]:
        """Return the target's events that this event results in, in order; none, where it adds nothing.

        Raises StreamError for an event that may not stand here, InvalidPayload for one that is malformed,
        Unrepresentable where the target cannot represent it. After an error only `close(error_event=True)` is of use:
        it returns first what the failing event resulted in before it failed.
        """
        try:
            parts = self._parts
            text = self._text_delta(event, parts.fast_index)
            if text:
                self._position += 1
                if not text.isascii() and text[-1] >= FIRST:
                    halves = self._pipeline.halves
                    text = halves.grew(parts.fast_index, text)
                    self._text_delta = _no_text_delta if halves.held else self._fast  # what is held goes the long way
                    if not text:
                        return []
                if self._fold is not None:
                    self._fold.grew(parts.fast_index, text)
                if parts.pieces is not None:
                    parts.pieces.append(text)
                return self._grew(text)  # most events: the open part grew, and nothing else can have changed
            if event.__class__ not in PLAIN and (known := plain(event)) is not event:
                return self.feed(known)
            if self._broken is not None:
                raise self._broken
            self._position += 1
            if self._same_protocol:
                return self._relay(self._source.read, event)
            self._convert(self._source.read, event)
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
        front = self._direction.front
        assert front is not None  # as the source is one
        self._same_protocol = False  # so that events are made, and not passed on
        self._position += 1

        def read(whole: Json) -> list[Event]:
            return self._source.read(whole, lambda given: events_of(front, given, self._options.get("headers")))

        self._guarded(self._convert, read, payload)
        return self._emitted(payload)

    def _guarded(self, do: Callable[..., None], *given: Any) -> None:
        """Call a function; an exception that is no refusal breaks the stream."""
        try:
            do(*given)
        except RecursionError as error:
            raise self._broken_by(too_deep(error)) from None
        except Exception as error:
            if wrong := mistake(error):
                raise self._broken_by(wrong) from error
            raise

    def _relay(self, read: Callable[[Json], list[Event]], event: Json) -> list[Json]:
        """Read and check an event, and return it as it goes on: as it is, or with the edits of a hook.

        The first one that is out of its place is reported.
        """
        in_place, out = self._pipeline.in_place, [event]
        if self._own_text_delta(event, self._parts.fast_index):
            return out  # most events: a part that is open grew, which nothing here follows
        try:
            found: Iterable[Event] = read(event)
            if self._edits is not None:
                found, out = self._edits.made([*found], event)
            for stage in self._pipeline.relaying:
                found = stage.run(found)
        except Refusal as refusal:
            rule, place, detail = refusal.records[0]
            if rule not in FAULTS:
                raise self._failure(refusal, event) from None
            in_place.misplaced(place, detail)
        except Denied as error:
            raise self._broken_by(error) from None
        self._parts.fast_index = in_place.growing()
        if in_place.records:
            self._findings.add(in_place.records, self._position, event)
            in_place.records = []
        return out

    def _convert(self, read: Callable[[Json], list[Event]], event: Json) -> None:
        """Read an event, and take it through all stages to the target."""
        try:
            found: Iterable[Event] = read(event)
            for stage in self._pipeline.stages:  # as `run` does, but for a call
                found = stage.run(found)
            if (fault := self._source.grammar.fault) is not None:
                raise fault
        except Denied as error:
            raise self._broken_by(error) from None
        except (Refusal, OutOfOrder) as error:
            self._findings.add(self._findings.report.records, self._position, event)  # what was found before
            failure = self._failure(error, event)
            error.__traceback__ = error.__context__ = None  # which would keep the event in memory
            raise failure from None
        self._text_delta = _no_text_delta if self._pipeline.halves.held else self._fast

    def close(self, *, error_event: bool = False) -> list[Json]:
        """Return the target's events that the end of the stream results in.

        Raises StreamError (STR-2) where the stream was cut off, or once more the error that broke it before. With
        `error_event` the target's own error event takes its place, so that no client waits or takes the response for
        complete; `error` and `diagnostics` have the error then.
        """
        try:
            if self._broken is not None:
                raise self._broken
            if self._source.grammar.over():
                return []
            self._guarded(self._end)
            return self._emitted(NO_EVENT)
        except TranslationError as error:
            if not error_event:
                raise
            found, writing = self._findings.diagnostics, self._pipeline.writing
            found += [one for one in error.diagnostics if one not in found]
            if not (writing.over or (self._same_protocol and self._source.grammar.over())):
                if self._pipeline.in_place.start is not None:
                    writing.begun(self._pipeline.in_place.start)
                writing.fail(told(error))
            return writing.take()

    def _end(self) -> None:
        """Read the end of the bytes. Raises StreamError where the stream was cut off (STR-2)."""
        grammar, failures = self._source.grammar, self._pipeline.failures
        take = self._relay if self._same_protocol else self._convert
        made = take(lambda _: self._source.close(), NO_EVENT)
        self._pipeline.writing.out += (made or [])[:-1]  # what a hook has put before the end
        if failures.error is not None and not grammar.over():  # for want of an end
            self._convert(lambda _: failures.rest(), NO_EVENT)
        if not grammar.over():
            raise self._failure(cut_off(self._position), NO_EVENT)

    def _emitted(self, event: Json) -> list[Json]:
        """Return what the event at hand results in; what was found at it becomes diagnostics, or ends strict mode."""
        findings, writing = self._findings, self._pipeline.writing
        marks = findings.marks
        if (marks.notable or marks.provisional) and event is not NO_EVENT and not writing.over:
            findings.keep(self._position, event)  # as later findings may point at it
        if findings.report.records:
            records = findings.take(self._position, event)
            if self._position == 0 and is_unknown(rules_of(records)) and self._look(event):
                findings.add([(HINT, HERE, self._look(event))], 0, event)
            stops = [record for record in records if record[0] in findings.report.stops]
            if stops:
                raise self._failure(Refusal.of_records(stops), event)
        return writing.take()

    def _look(self, event: Json) -> str:
        """Return what else the first event looks like."""
        if not self._hint:
            assert self._direction.front is not None  # as the source is one
            self._hint = looks_like(event, self._direction.front.protocol)
        return self._hint

    def _failure(self, error: Refusal | OutOfOrder, event: Json) -> TranslationError:
        """Return the error that ends this stream."""
        hint = self._look(event) if self._source.grammar.phase == BEFORE else self._hint
        error = hinted(error, hint) if hint else error
        return self._broken_by(self._findings.error(error, self._position, event))

    def _broken_by(self, error: TranslationError) -> TranslationError:
        self._broken = error
        self._text_delta = self._fast = _no_text_delta
        return error


TRUNCATED = "The stream was cut off before the response was complete."
BROKEN = "The stream could not be converted any further"
BROKEN_CALL = "TUL-29"


def told(error: TranslationError) -> Error:
    """Return what a client is told of a stream that could not be converted to its end."""
    if isinstance(error, Denied):
        return Error(None, by_status(error.status), str(error))
    why = TRUNCATED if error.rule == "STR-2" else f"{BROKEN}: {error.diagnostics[0].message} ({error.rule})"
    return Error(None, ErrorCategory.SERVER, why)


def cut(root: Response, ending: StopReason) -> tuple[Response, list[str]]:
    """Return a folded response whose stream was cut off, and the names of the calls that are left out of it."""
    root = copy_tree(root)
    left_out: list[str] = []
    root.src = None  # no payload has it
    for candidate in root.candidates:
        if candidate.terminal != Terminal(StopReason.UNKNOWN):
            continue
        candidate.terminal = Terminal(ending)
        parts = candidate.turns[-1].parts
        last: Any = parts[-1] if parts else None
        if isinstance(last, (FunctionCall, McpCall)) and (unargued(last) or _is_broken(last.arguments)):
            left_out.append(last.name)
            parts.pop()
    return root, left_out


def _is_broken(arguments: Any) -> bool:
    return isinstance(arguments, str) and bool(flaw_of_arguments(arguments))


def _no_text_delta(_event: Json, _part: int) -> None:
    """Take the place of a reader's fast path: every event goes the long way."""
