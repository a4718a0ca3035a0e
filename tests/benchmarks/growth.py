"""Owns the rows about growth: what a turn or an event costs must not depend on how many there are.

Requests are measured dict to dict, and as slopes: the part that every request pays (tools, parameters) is taken off.
The collector is off, or it would be the collector that is measured, but for one long request. A late part of a
stream is held against an early one.
"""

from __future__ import annotations

import gc
import time
from collections import deque
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import islice

import orjson

import proxai_ir

from ..work import peak
from .payloads import RESPONSES, ROUTES, Route, request
from .report import Case, Goal, Row, Settings
from .stream_payloads import TEXT, stream_of
from .timing import Call, Estimate, estimate, interleave, median, race, ratio

LINEAR = Goal(must=1.5, aim=1.2)
NOTHING = Goal(must=0.5, aim=0.05)
"""Bytes per fragment. One reference for each would be eight, and the noise is below a kilobyte in all."""
FRAGMENTS = 100
"""Of a stream, for each turn of the largest transcript: a million in a full run."""
WARM = 10
LATE, EARLY = "late", "early"
LONG, SHORT = 3_000, 100
"""Turns of the row that leaves the collector on, as users have it."""


def cases(settings: Settings) -> Iterator[Case]:
    for route in ROUTES:
        yield Case(f"growth of requests, {route}", partial(_requests, settings, route))
        yield Case(f"a long request, {route}", partial(_long, settings, route))
        yield Case(f"growth of streams, {route}", partial(_streams, settings, route))


def slopes(costs: Mapping[int, float]) -> dict[int, float]:
    """The cost of a turn at each size, without the fixed cost that the smallest size shows."""
    base, *sizes = sorted(costs)
    return {turns: (costs[turns] - costs[base]) / (turns - base) for turns in sizes}


def spread(costs: Mapping[int, float]) -> Estimate:
    """How much dearer a turn is where it is dearest than where it is cheapest: 1 is perfectly linear."""
    by_size = slopes(costs).values()
    return estimate([max(by_size) / min(by_size)])


def _requests(settings: Settings, route: Route) -> list[Row]:
    calls: dict[str, Call] = {
        str(turns): partial(proxai_ir.convert, request(route.src, turns), *route, kind="request")
        for turns in settings.sizes
    }
    taken = race(calls, settings.batch_seconds, max(3, settings.rounds // 4), collector=False)
    seconds = {turns: median(taken, str(turns)) for turns in settings.sizes}
    memory = {turns: peak(calls[str(turns)]) for turns in settings.sizes}
    return [
        Row(f"time per turn, dearest / cheapest, {route}", spread(seconds), LINEAR, _note(slopes(seconds), "us")),
        Row("  memory per turn, dearest / cheapest", spread(memory), LINEAR, _note(slopes(memory), "KB")),
    ]


def _long(settings: Settings, route: Route) -> list[Row]:
    """From bytes to bytes, with the collector on: what a turn costs in the end."""
    sources = {turns: orjson.dumps(request(route.src, turns)) for turns in (SHORT, LONG)}
    calls: dict[str, Call] = {
        str(turns): partial(proxai_ir.convert, source, *route, kind="request") for turns, source in sources.items()
    }
    taken = race(calls, settings.batch_seconds, max(3, settings.rounds // 4))
    taken = [{str(turns): one[str(turns)] / turns for turns in sources} for one in taken]
    metric = f"time per turn b->b, {LONG} / {SHORT} turns, {route}"
    return [Row(metric, ratio(taken, str(LONG), str(SHORT)), Goal(must=1.5, aim=1.1))]


class Running:
    """One stream that is being converted, as far as it was asked to."""

    def __init__(self, route: Route, length: int) -> None:
        self._feed = proxai_ir.StreamConverter(*route).feed
        self._events = stream_of(route.src, TEXT, length)

    def convert(self, count: int) -> None:
        """Convert so many more events, made while they are converted."""
        deque(map(self._feed, islice(self._events, count)), 0)

    def nanoseconds(self, count: int) -> float:
        """The time per event of the next ones."""
        batch, feed = list(islice(self._events, count)), self._feed
        gc.disable()
        try:
            start = time.thread_time_ns()
            for event in batch:
                feed(event)
            return (time.thread_time_ns() - start) / count
        finally:
            gc.enable()


def _streams(settings: Settings, route: Route) -> list[Row]:
    length = FRAGMENTS * max(settings.sizes)
    tenth = length // 10
    count = tenth // settings.rounds
    late = Running(route, length)
    late.convert(length - tenth)

    def early() -> float:
        stream = Running(route, WARM + count)
        stream.convert(WARM)
        return stream.nanoseconds(count)

    taken = interleave({LATE: partial(late.nanoseconds, count), EARLY: early}, settings.rounds)
    rows = [Row(f"time per event, late / early, {route}", ratio(taken, LATE, EARLY), LINEAR, f"{length} fragments")]
    if RESPONSES not in route:  # whose last events repeat all of the text, so that it has to be kept
        rows.append(Row("  bytes kept per event", estimate([held(route, length)]), NOTHING))
    return rows


def held(route: Route, length: int) -> float:
    """The bytes per event by which what a stream holds at most grows, after its first tenth."""
    Running(route, 1).convert(length)  # whole: what a first stream generates is there by then
    stream = Running(route, length)
    stream.convert(length // 10)
    return peak(lambda: stream.convert(length)) / length


def _note(by_size: Mapping[int, float], unit: str) -> str:
    return ", ".join(f"{turns}: {cost / 1e3:.1f}" for turns, cost in by_size.items()) + f" {unit}"
