"""Owns the rows about streams, event by event: against reading the event, against the floor, by kind, and a second.

What is judged is the work on an event that is parsed already. An event that was just parsed costs more, for its words
were never hashed nor its text written; that is shown beside it. The floor writes our own events from a fresh copy each
time and the making of the copy is subtracted, as in `floor`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import orjson

import proxai_ir
from proxai_ir.framing import sse

from .floor import FLOOR, REREAD
from .payloads import ANTHROPIC, CHAT, ITEMS, PAIRS, Route
from .report import NO_GOAL, Case, Goal, Row, Settings, duration, size
from .stream_payloads import KINDS, STREAMS, TEXT, Event, padded, stream_of
from .timing import Call, Estimate, Round, estimate, interleave, median, ratio, surcharge, timed

GOALS = {ANTHROPIC: Goal(must=3.0, aim=1.8), CHAT: Goal(must=1.5, aim=0.9), ITEMS: Goal(must=3.0, aim=1.8)}
"""By source: what is told of an event depends on its length, and those of chat are long."""
AT_ONCE = Goal(must=1)
LOADS = "loads"
DICTS = "d->d"
FRESH = "loads and d->d"
BYTES = "b->b"
FRAMED = "bytes of server-sent events"
SIGN = b"#"
"""Every text begins with it, and nothing else has one."""
OF_A_KIND = 500
"""Fragments in a stream of one kind."""


def cases(settings: Settings) -> Iterator[Case]:
    """For each direction the reference answer, streams of one kind, and what has to come at once."""
    for route in PAIRS:
        yield Case(_metric(route), partial(_reference, settings, route))
        yield Case(f"stream events by kind, {route}", partial(_kinds, settings, route))
        yield Case(_first("target event", route), partial(_latency, route))


def _metric(route: Route) -> str:
    return f"stream event d->d / loads, {route}"


# --- speed ------------------------------------------------------------------------------------------------------------


def _reference(settings: Settings, route: Route) -> list[Row]:
    events = STREAMS[route.src]()
    taken = _interleaved(settings, contenders(events, route))
    taken = [{**one, FLOOR: one[FLOOR] - one[REREAD]} for one in taken]
    lines = _lines(events)
    count = len(lines)
    each = {name: duration(median(taken, name) / count) for name in (DICTS, BYTES, FRAMED)}
    what = f"{count} events of {size(round(sum(map(len, lines)) / count))}"
    return [
        Row(_metric(route), ratio(taken, DICTS, LOADS), GOALS[route.src], f"{what}, {each[DICTS]}"),
        Row("  of events parsed just now", surcharge(taken, FRESH, LOADS, LOADS)),
        Row(f"stream event b->b / floor, {route}", ratio(taken, BYTES, FLOOR), note=each[BYTES]),
        Row("  as server-sent events", ratio(taken, FRAMED, FLOOR), note=each[FRAMED]),
        Row(f"thousand events a second d->d, {route}", _rate(taken, DICTS, count)),
        Row("  as server-sent events", _rate(taken, FRAMED, count)),
    ]


def contenders(events: Sequence[Event], route: Route) -> dict[str, Call]:
    """Reading, the floor, and our conversion of all events, of one stream each: parsed ones, fresh ones, bytes."""
    loads, dumps = orjson.loads, orjson.dumps
    lines = _lines(events)
    frames = [sse.encode(event, route.src) for event in events]
    written = _lines(converted(events, route))

    def reading() -> None:
        for line in lines:
            loads(line)

    def rereading() -> None:
        for line in written:
            loads(line)

    def floor() -> None:
        reading()
        for line in written:
            dumps(loads(line))

    return {
        LOADS: reading,
        REREAD: rereading,
        FLOOR: floor,
        DICTS: conversion(events, route),
        FRESH: lambda: _run(route, lines, loads),
        BYTES: lambda: _run(route, lines, loads, dumps),
        FRAMED: lambda: _framed(route, frames),
    }


def conversion(events: Sequence[Event], route: Route) -> Call:
    """The conversion of a whole stream of parsed events; what it makes is dropped."""

    def convert() -> None:
        converter = proxai_ir.StreamConverter(*route)
        feed = converter.feed
        for event in events:
            feed(event)
        converter.close()

    return convert


def _run(
    route: Route, lines: Sequence[bytes], loads: Callable[[bytes], Event], dumps: Callable[[Event], bytes] | None = None
) -> None:
    converter = proxai_ir.StreamConverter(*route)
    feed = converter.feed
    for line in lines:
        said = feed(loads(line))
        if dumps is not None:
            for one in said:
                dumps(one)
    converter.close()


def _framed(route: Route, frames: Sequence[bytes]) -> None:
    converter, decoder = proxai_ir.StreamConverter(*route), sse.Decoder()
    feed, decode, encode, dst = converter.feed, decoder.feed, sse.encode, route.dst
    for frame in frames:
        for event in decode(frame):
            for one in feed(event):
                encode(one, dst)
    converter.close()


def converted(events: Sequence[Event], route: Route) -> list[Event]:
    """What our conversion makes of a whole stream."""
    return list(proxai_ir.convert_stream(events, *route))


def _kinds(settings: Settings, route: Route) -> list[Row]:
    """Where the cost is: the same, of streams that are nearly all of one kind of fragment."""
    streams = {kind: list(stream_of(route.src, kind, OF_A_KIND)) for kind in KINDS}
    if route.src == CHAT:
        streams[f"{TEXT}, padded chunks"] = list(padded(streams[TEXT]))
    rows: list[Row] = []
    for kind, events in streams.items():
        calls = contenders(events, route)
        taken = _interleaved(settings, {name: calls[name] for name in (LOADS, DICTS)})
        note = duration(median(taken, DICTS) / len(events))
        rows.append(Row(f"  only {kind}, d->d / loads, {route}", ratio(taken, DICTS, LOADS), NO_GOAL, note))
    return rows


def _lines(events: Sequence[Event]) -> list[bytes]:
    return [orjson.dumps(event) for event in events]


def _interleaved(settings: Settings, calls: dict[str, Call]) -> list[Round]:
    return interleave({name: timed(call, settings.batch_seconds) for name, call in calls.items()}, settings.rounds)


def _rate(taken: Sequence[Round], name: str, count: int) -> Estimate:
    return estimate(count / one[name] / 1e3 for one in taken)


# --- what comes at once -----------------------------------------------------------------------------------------------


def _first(what: str, route: Route) -> str:
    return f"source events until the first {what}, {route}"


def _latency(route: Route) -> list[Row]:
    events = STREAMS[route.src]()
    converter = proxai_ir.StreamConverter(*route)
    said = _lines([converter.feed(event) for event in events])
    text = first_with(SIGN, said) - first_with(SIGN, _lines(events)) + 1
    return [
        Row(_first("target event", route), estimate([first_with(b"{", said) + 1]), AT_ONCE),
        Row(_first("text is told", route), estimate([text]), AT_ONCE, "counted from the one that says it"),
    ]


def first_with(sign: bytes, lines: Sequence[bytes]) -> int:
    """The position of the first line with this sign."""
    return next(position for position, line in enumerate(lines) if sign in line)
