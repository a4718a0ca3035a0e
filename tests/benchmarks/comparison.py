"""Owns the rows against other converters: how many times faster the same payload is converted by us."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import orjson

import proxai_ir

from . import peers
from .payloads import REQUESTS, RESPONSES, ROUTES, Route
from .report import NO_GOAL, Case, Goal, Row, Settings, duration
from .timing import Call, interleave, median, ratio, timed
from .transcript import Json

DICTS = "d->d"
BYTES = "b->b"
TURNS = 100
OURS = "proxai_ir"
LEAST_SHARE = 0.5
"""Of the source's size, in a peer's output; with less it has not done the work that is timed."""

_load = cache(peers.load)


@dataclass(frozen=True, slots=True)
class Comparison:
    """One kind of payload against one peer."""

    peer: str
    kind: str
    form: str
    goal: Goal

    def metric(self, route: Route) -> str:
        """The row's name."""
        what = f"{self.kind} of {TURNS} turns" if self.kind == "request" else self.kind
        return f"{self.peer} / proxai_ir, {what} {self.form}, {route}"


COMPARISONS = (
    Comparison("litellm", "request", DICTS, Goal(must=1.5, aim=2.2, at_least=True)),
    Comparison("litellm", "response", DICTS, Goal(must=20, aim=35, at_least=True)),
    Comparison("llm-rosetta", "request", BYTES, Goal(must=12, aim=20, at_least=True)),
    Comparison("llm-rosetta", "response", DICTS, NO_GOAL),
)


def cases(settings: Settings) -> Iterator[Case]:
    """Every comparison in each direction."""
    for comparison in COMPARISONS:
        for route in ROUTES:
            yield Case(comparison.metric(route), partial(_compare, settings, comparison, route))


def _compare(settings: Settings, comparison: Comparison, route: Route) -> list[Row]:
    metric = comparison.metric(route)
    converters = _load(comparison.peer)
    if converters is None:
        return [Row(metric, None, comparison.goal, absent="not installed")]
    theirs = converters[comparison.kind, *route]
    payload = REQUESTS[route.src](TURNS) if comparison.kind == "request" else RESPONSES[route.src]()
    check(theirs, payload)
    ours = partial(proxai_ir.convert, src=route.src, dst=route.dst, kind=comparison.kind)
    calls = _calls(comparison, payload, ours, theirs)
    measurements = {name: timed(call, settings.batch_seconds) for name, call in calls.items()}
    taken = interleave(measurements, settings.rounds_for(TURNS))
    times = f"{duration(median(taken, comparison.peer))} / {duration(median(taken, OURS))}"
    note = f"{times}, {peers.release(comparison.peer)}"
    return [Row(metric, ratio(taken, comparison.peer, OURS), comparison.goal, note)]


def check(theirs: peers.Converter, payload: Json) -> None:
    """A peer must leave its argument alone and make something of it, or its time means nothing."""
    before = orjson.dumps(payload)
    made = orjson.dumps(theirs(payload))
    if orjson.dumps(payload) != before:
        raise ValueError("the peer changes its argument, so it cannot be given the same one twice")
    if len(made) < LEAST_SHARE * len(before):
        raise ValueError(f"the peer made {len(made)} bytes of {len(before)}")


def _calls(
    comparison: Comparison, payload: Json, ours: Callable[[Any], Any], theirs: peers.Converter
) -> dict[str, Call]:
    if comparison.form == DICTS:
        return {OURS: partial(ours, payload), comparison.peer: partial(theirs, payload)}
    wire = orjson.dumps(payload)

    def parse_and_write() -> None:
        orjson.dumps(theirs(orjson.loads(wire)))

    return {OURS: partial(ours, wire), comparison.peer: parse_and_write}
