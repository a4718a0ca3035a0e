"""Streams as lists of events, what the public functions do with kind "stream", and as iterators, event by event."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Unpack, overload

from ..conversion.bytes import BINARY
from ..conversion.options import new_report
from ..conversion.profile import Profile, protocol_of, resolved
from ..conversion.settings import Options
from ..ir.stream.events import Stream, Unread
from ..ir.stream.grammar import Grammar, OutOfOrder
from ..json.objects import Model
from ..json.types import found as described
from ..protocol.detection import looks_like
from ..protocol.registry import backend, framing_of, frontend
from ..reporting.diagnostics import Diagnostic, InvalidPayload, Refusal, StreamError, TranslationError, render
from .converter import StreamConverter
from .findings import Marks
from .lowering import LoweredStream
from .lowering import hinted as with_hint
from .pipeline import StreamPipeline

Json = Any
Event = dict[str, Any] | str
"""An object, or the word that is sent in its place."""


def events_of(payload: Json, src: str | Profile) -> list[Json]:
    """Return the events of a stream, from their list or from the bytes that a server sent."""
    if isinstance(payload, BINARY):
        return list(framing_of(src).decode([bytes(payload)]))
    if not isinstance(payload, list):
        what = f"expected a list of events or bytes as the stream, found {described(payload)}"
        raise InvalidPayload(render([("SHP-1", None, what)], payload, refused=True))
    return payload


def lowered(events: Sequence[Json], protocol: str | Profile, options: Mapping[str, Any]) -> Stream:
    """Return the IR of a list of events. Raises StreamError or InvalidPayload.

    Events are Unread from the first on that may not stand where it does (STR-18).
    """

    def hinted(refusal: Refusal, first: Json) -> Refusal:
        text = looks_like(first, protocol_of(protocol))
        return with_hint(refusal, text) if text else refusal

    stream = LoweredStream(protocol, options, hinted)
    steps = [stream.feed(event) for event in events]
    return Stream(protocol_of(protocol), steps, stream.end(), events)


def converted(
    events: Sequence[Json], src: str | Profile, dst: str | Profile, options: Mapping[str, Any]
) -> tuple[list[Json], StreamConverter]:
    """Return the target's events, and what made them."""
    converter = StreamConverter(src, dst, **options)
    out: list[Json] = []
    for event in events:
        out += converter.feed(event)
    out += converter.close()
    return out, converter


def checked(
    events: Sequence[Json], src: str | Profile, dst: str | Profile, options: Mapping[str, Any]
) -> tuple[Diagnostic, ...]:
    """Return what would be lost or filled in, and why the stream would be refused where it would."""
    converter = StreamConverter(src, dst, **options)
    try:
        for event in events:
            converter.feed(event)
        converter.close()
    except TranslationError as error:
        return (*converter.diagnostics, *error.diagnostics)
    return converter.diagnostics


def raised(stream: Stream, dst: str | Profile, options: Mapping[str, Any]) -> list[Json]:
    """Return the target's events for a stream of the IR."""
    own = stream.protocol == protocol_of(dst)
    if own and stream.src is not None and lowered(stream.src, dst, {}) == stream:
        return list(stream.src)
    server, known = resolved(dst, options)
    back = backend(server)
    grammar = Grammar()
    try:
        for event in chain(*stream.steps, stream.ending):
            grammar(event)
            if type(event) is Unread:
                raise OutOfOrder(event.detail)
    except OutOfOrder as error:
        raise StreamError(render([("STR-9", None, str(error))], None, refused=True)) from None
    front = frontend(stream.protocol) if stream.protocol else None
    report = new_report(front, back, known)
    pipeline = StreamPipeline(front, back, known, Grammar(), report, Marks())
    for step in (*stream.steps, stream.ending):
        pipeline.run(step)
        report.stop()
    pipeline.run(pipeline.failures.rest())
    report.stop()
    return pipeline.writing.take()


@overload
def convert_stream(
    events: Iterable[Event | Model], src: str | Profile, dst: str | Profile, **options: Unpack[Options]
) -> Iterator[Json]: ...
@overload
def convert_stream(
    events: Iterable[bytes | bytearray | memoryview], src: str | Profile, dst: str | Profile, **options: Unpack[Options]
) -> Iterator[bytes]: ...
def convert_stream(
    events: Iterable[Json], src: str | Profile, dst: str | Profile, **options: Unpack[Options]
) -> Iterator[Json]:
    """Yield the events of a stream in another protocol, each as soon as it can be emitted; of bytes, however they are
    split, the bytes of each event, as both protocols' servers send them.

    Options and errors are those of StreamConverter; what earlier events resulted in is handed out before an error.
    """
    converter = StreamConverter(src, dst, **options)
    stream: StreamConverter | _Framed | None = None
    for event in events:
        if stream is None:
            stream = _framed(converter, event, src, dst)
        yield from stream.feed(event)
    yield from (stream or converter).close()


@overload
def aconvert_stream(
    events: AsyncIterable[Event | Model], src: str | Profile, dst: str | Profile, **options: Unpack[Options]
) -> AsyncIterator[Json]: ...
@overload
def aconvert_stream(
    events: AsyncIterable[bytes | bytearray | memoryview],
    src: str | Profile,
    dst: str | Profile,
    **options: Unpack[Options],
) -> AsyncIterator[bytes]: ...
async def aconvert_stream(
    events: AsyncIterable[Json], src: str | Profile, dst: str | Profile, **options: Unpack[Options]
) -> AsyncIterator[Json]:
    """Yield the same for asynchronous iterators, of whatever library.

    The iterator that it reads is closed at once when it ends, whether by an error or because its own reader stops.
    """
    converter = StreamConverter(src, dst, **options)
    stream: StreamConverter | _Framed | None = None
    upstream = aiter(events)
    try:
        async for event in upstream:
            if stream is None:
                stream = _framed(converter, event, src, dst)
            for one in stream.feed(event):
                yield one
        for one in (stream or converter).close():
            yield one
    finally:
        close = getattr(upstream, "aclose", None)
        if close is not None:
            await close()


def _framed(
    converter: StreamConverter, first: Json, src: str | Profile, dst: str | Profile
) -> StreamConverter | _Framed:
    """Return what converts a stream: its first item shows whether it comes in events or in bytes."""
    return _Framed(converter, src, dst) if isinstance(first, BINARY) else converter


class _Framed:
    """A stream of bytes, in the framings of both protocols."""

    def __init__(self, converter: StreamConverter, src: str | Profile, dst: str | Profile) -> None:
        self._converter = converter
        self._decoder = framing_of(src).decoder()
        self._write, self._protocol = framing_of(dst).encode, protocol_of(dst)

    def feed(self, given: Json) -> Iterator[bytes]:
        return self._encoded(self._decoder.feed(bytes(given)) if isinstance(given, BINARY) else [given])

    def close(self) -> Iterator[bytes]:
        yield from self._encoded(self._decoder.close())
        yield from map(self._encode, self._converter.close())

    def _encoded(self, events: list[Json]) -> Iterator[bytes]:
        for event in events:
            yield from map(self._encode, self._converter.feed(event))

    def _encode(self, event: Json) -> bytes:
        return self._write(event, self._protocol)


def folded(events: Iterable[Json], protocol: str | Profile) -> Json | None:
    """Return the whole response that a stream makes; None where it ended in an error. Raises TranslationError."""
    converter = StreamConverter(protocol, protocol, keep_response=True)
    for event in events:
        converter.feed(event)
    converter.close()
    return converter.response
