"""Owns the rows about streams, per event: against reading the event, as server-sent events, and other converters.

The unit of parsed events is `orjson.loads` of the source's event. Between bytes it is reading that event and writing
the target's, from a fresh copy, whose making is subtracted.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import orjson

import proxai_ir
from proxai_ir import sse

from . import peers
from .payloads import ANTHROPIC, CHAT, GEMINI, RESPONSES, ROUTES, Route
from .report import NO_GOAL, Case, Goal, Row, Settings, duration
from .stream_payloads import DONE, Event, reference_stream
from .timing import Call, median, race, ratio

GOALS = {ANTHROPIC: Goal(1.4, 0.8), CHAT: Goal(1.0, 0.8), RESPONSES: NO_GOAL, GEMINI: NO_GOAL}
FRAMED = Goal(3, 2)
LOADS, FLOOR, COPIES, DICTS, BYTES = "loads", "floor", "copies", "d->d", "b->b"


def cases(settings: Settings) -> Iterator[Case]:
    for route in ROUTES:
        yield Case(_metric(route), partial(_rows, settings, route))


def _metric(route: Route) -> str:
    return f"stream event d->d / loads, {route}"


def _rows(settings: Settings, route: Route) -> list[Row]:
    events = reference_stream(route.src)
    objects = [event for event in events if event != DONE]
    ours = partial(proxai_ir.convert_stream, src=route.src, dst=route.dst)
    calls = contenders(events, route) | {"ours": partial(exhaust, ours, objects)}
    able: dict[str, peers.Converter] = {}
    for name in peers.PEERS:
        theirs = (peers.load(name) or {}).get(("stream", route.src, route.dst))
        if theirs is not None and peers.usable(theirs, objects, list(ours(objects))):
            able[name] = theirs
            calls[name] = partial(exhaust, theirs, objects)
    taken = race(calls, settings.batch_seconds, settings.rounds)
    taken = [{**one, FLOOR: one[FLOOR] - one[COPIES]} for one in taken]
    each = {name: duration(median(taken, name) / len(events)) for name in calls}
    size = sum(map(len, _lines(events))) / len(events)
    rows = [
        Row(_metric(route), ratio(taken, DICTS, LOADS), GOALS[route.src], f"{size:.0f} B, {each[DICTS]}"),
        Row("  server-sent events b->b / (loads + dumps)", ratio(taken, BYTES, FLOOR), FRAMED, each[BYTES]),
    ]
    return rows + [Row(f"  {name} / proxai_ir, d->d", ratio(taken, name, "ours"), note=each[name]) for name in able]


def contenders(events: Sequence[Event], route: Route) -> dict[str, Call]:
    """Reading alone, the floor, and our conversion of a whole stream: of parsed events, and of bytes."""
    loads, dumps = orjson.loads, orjson.dumps
    lines = _lines(events)
    frames = [sse.encode(event, route.src) for event in events]
    written = _lines(list(proxai_ir.convert_stream(events, *route)))

    def reading() -> None:
        for line in lines:
            loads(line)

    def copies() -> None:
        for line in written:
            loads(line)

    def floor() -> None:
        reading()
        for line in written:
            dumps(loads(line))

    def parsed() -> None:
        converter = proxai_ir.StreamConverter(*route)
        feed = converter.feed
        for event in events:
            feed(event)
        converter.close()

    return {LOADS: reading, COPIES: copies, FLOOR: floor, DICTS: parsed, BYTES: partial(framed, frames, route)}


def framed(frames: Sequence[bytes], route: Route) -> None:
    """A whole stream of server-sent events, of which each arrives in a chunk of its own."""
    converter, decoder = proxai_ir.StreamConverter(*route), sse.Decoder()
    feed, decode, encode, dst = converter.feed, decoder.feed, sse.encode, route.dst
    for frame in frames:
        for event in decode(frame):
            for one in feed(event):
                encode(one, dst)
    for one in converter.close():
        encode(one, dst)


def exhaust(convert: peers.Converter, events: Sequence[Any]) -> None:
    """A whole stream, whose events are dropped as they come."""
    deque(convert(events), 0)


def _lines(events: Sequence[Event]) -> list[bytes]:
    return [orjson.dumps(event) for event in events]
