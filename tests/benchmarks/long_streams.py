"""Owns the rows about the length of a stream: what an event costs must not depend on how many were before it.

Time is that of an old stream against a young one, in turns and with the collector off. Memory is what Python holds at
most in a long stream, beyond what it held at most in the first tenth. Events are made one by one and only their texts
are shared, so whatever keeps them, or a reference for each of them, shows. Arguments of a call are kept on purpose
where they have to be judged when they are whole; they are shown for that.
"""

from __future__ import annotations

import gc
import tracemalloc
from collections import deque
from collections.abc import Iterator
from functools import partial
from itertools import islice

import proxai_ir

from .payloads import ITEMS, PAIRS, Route
from .report import NO_GOAL, Case, Goal, Row, Settings, duration
from .stream_payloads import ARGUMENTS, TEXT, stream_of
from .timing import CLOCK, estimate, interleave, median, ratio

PER_SIZE = 100
"""Fragments for each turn of the largest transcript: a million in a full run."""
OPENING = 10
"""Events of a young stream that are not timed."""
OLD, YOUNG = "old", "young"
CONSTANT = Goal(must=1.5, aim=1.2)
NOTHING = Goal(must=0.5, aim=0.05)
"""Bytes per fragment. One reference per fragment would be eight, and the noise is below a kilobyte in all."""


def cases(settings: Settings) -> Iterator[Case]:
    """Time and memory, for each direction."""
    for route in PAIRS:
        if ITEMS not in route:  # which says everything again at the end, and must be remembered for it
            yield Case(_memory_metric(route), partial(_memory, settings, route))
        yield Case(_time_metric(route), partial(_time, settings, route))


def _length(settings: Settings) -> int:
    return PER_SIZE * max(settings.sizes)


def _time_metric(route: Route) -> str:
    return f"time per event, old / young stream, {route}"


def _memory_metric(route: Route) -> str:
    return f"bytes held per event of a long stream, {route}"


class Running:
    """One stream that is being converted, as far as it was asked to."""

    def __init__(self, route: Route, kind: str, length: int) -> None:
        self._feed = proxai_ir.StreamConverter(*route).feed
        self._events = stream_of(route.src, kind, length)

    def go_on(self, count: int) -> None:
        """Convert so many more events, made while they are converted."""
        deque(map(self._feed, islice(self._events, count)), 0)

    def seconds(self, count: int) -> float:
        """The seconds per event of the next ones."""
        batch, feed = list(islice(self._events, count)), self._feed
        gc.disable()
        try:
            start = CLOCK()
            for event in batch:
                feed(event)
            return (CLOCK() - start) / count
        finally:
            gc.enable()


def _time(settings: Settings, route: Route) -> list[Row]:
    length = _length(settings)
    tenth = length // 10
    count = tenth // settings.rounds
    old = Running(route, TEXT, length)
    old.go_on(length - tenth)

    def young() -> float:
        stream = Running(route, TEXT, OPENING + count)
        stream.go_on(OPENING)
        return stream.seconds(count)

    taken = interleave({OLD: partial(old.seconds, count), YOUNG: young}, settings.rounds)
    note = f"{length} fragments, {duration(median(taken, OLD))} / {duration(median(taken, YOUNG))}"
    return [Row(_time_metric(route), ratio(taken, OLD, YOUNG), CONSTANT, note)]


def _memory(settings: Settings, route: Route) -> list[Row]:
    length = _length(settings)
    text, arguments = growth(route, TEXT, length), growth(route, ARGUMENTS, length // 10)
    return [
        Row(_memory_metric(route), estimate([text]), NOTHING, f"from {length // 10} to {length} fragments"),
        Row("  of the arguments of one call", estimate([arguments]), NO_GOAL, "with what judging the whole takes"),
    ]


def growth(route: Route, kind: str, length: int) -> float:
    """The bytes per event by which the most that was held grows, from a tenth of the stream to its end."""
    stream = Running(route, kind, length)
    tenth = length // 10
    gc.collect()
    tracemalloc.start()
    try:
        stream.go_on(tenth)
        _, before = tracemalloc.get_traced_memory()
        stream.go_on(length)
        _, after = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return (after - before) / (length - tenth)
