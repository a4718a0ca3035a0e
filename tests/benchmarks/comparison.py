"""Owns the rows against other converters: how many times faster the same payload is converted by us."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import orjson

import proxai_ir

from . import peers
from .payloads import REQUESTS, RESPONSES, ROUTES, Route
from .report import NO_GOAL, Case, Goal, Row, Settings, duration
from .stream_payloads import DONE, STREAMS
from .timing import Call, interleave, median, ratio, timed

DICTS = "d->d"
BYTES = "b->b"
TURNS = 100
OURS = "proxai_ir"
LEAST_SHARE = {"request": 0.5, "response": 0.5, "stream": 0.3}
"""Of the source's size, in a peer's output; with less it has not done the work that is timed. Chunks are bulky."""

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
    Comparison("litellm", "stream", DICTS, Goal(must=12, aim=25, at_least=True)),
    Comparison("llm-rosetta", "request", BYTES, Goal(must=12, aim=20, at_least=True)),
    Comparison("llm-rosetta", "response", DICTS, NO_GOAL),
    Comparison("llm-rosetta", "stream", DICTS, Goal(must=1.5, aim=2.5, at_least=True)),
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
    payload = payload_of(comparison.kind, route.src)
    check(theirs, payload, LEAST_SHARE[comparison.kind])
    calls = _calls(comparison, payload, _ours(comparison.kind, route), theirs)
    measurements = {name: timed(call, settings.batch_seconds) for name, call in calls.items()}
    taken = interleave(measurements, settings.rounds_for(TURNS))
    count, each = (len(payload), " per event") if comparison.kind == "stream" else (1, "")
    times = (duration(median(taken, name) / count) for name in (comparison.peer, OURS))
    note = f"{' / '.join(times)}{each}, {peers.release(comparison.peer)}"
    return [Row(metric, ratio(taken, comparison.peer, OURS), comparison.goal, note)]


def payload_of(kind: str, protocol: str) -> Any:
    """What is converted; of a stream the objects only, as the word at the end is for whoever reads the bytes."""
    if kind == "stream":
        return [event for event in STREAMS[protocol]() if event != DONE]
    return REQUESTS[protocol](TURNS) if kind == "request" else RESPONSES[protocol]()


def check(theirs: peers.Converter, payload: Any, least: float = 0.5) -> None:
    """A peer must leave its argument alone and make something of it, or its time means nothing."""
    before = orjson.dumps(payload)
    made = orjson.dumps(theirs(payload), default=_plain)
    if orjson.dumps(payload) != before:
        raise ValueError("the peer changes its argument, so it cannot be given the same one twice")
    if len(made) < least * len(before):
        raise ValueError(f"the peer made {len(made)} bytes of {len(before)}")


def _plain(made: Any) -> Any:
    """A peer's stream as a list, a peer's object as a dict."""
    return made.model_dump() if hasattr(made, "model_dump") else list(made)


def _ours(kind: str, route: Route) -> peers.Converter:
    if kind == "stream":
        return partial(proxai_ir.convert_stream, src=route.src, dst=route.dst)
    return partial(proxai_ir.convert, src=route.src, dst=route.dst, kind=kind)


def _calls(comparison: Comparison, payload: Any, ours: peers.Converter, theirs: peers.Converter) -> dict[str, Call]:
    if comparison.kind == "stream":
        return {OURS: _exhausting(ours, payload), comparison.peer: _exhausting(theirs, payload)}
    if comparison.form == DICTS:
        return {OURS: partial(ours, payload), comparison.peer: partial(theirs, payload)}
    wire = orjson.dumps(payload)

    def parse_and_write() -> None:
        orjson.dumps(theirs(orjson.loads(wire)))

    return {OURS: partial(ours, wire), comparison.peer: parse_and_write}


def _exhausting(convert: peers.Converter, events: Any) -> Call:
    """A whole stream, whose events are dropped as they come."""

    def exhaust() -> None:
        deque(convert(events), 0)

    return exhaust
