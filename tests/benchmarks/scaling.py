"""Owns the rows about growth: time and memory of a turn must not depend on how many there are.

Both are measured dict to dict and as slopes: the part that every request pays (tools, parameters) is taken off. The
collector is off, or it would be the collector that is measured. The processor's caches cannot be switched off, so a
plain copy of the source is shown beside it: by how much its turns grow dearer is the machine's doing.
"""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import orjson

import proxai_ir

from .payloads import REQUESTS, ROUTES, Route
from .report import NO_GOAL, Case, Goal, Row, Settings
from .timing import Call, Estimate, estimate, interleave, median, timed
from .transcript import Json

LINEAR = Goal(must=1.5, aim=1.2)
CONVERT = "convert"
COPY = "copy"


def cases(settings: Settings) -> Iterator[Case]:
    """Time and memory, for each direction."""
    for route in ROUTES:
        yield Case(_metric("time", route), partial(_time, settings, route))
        yield Case(_metric("memory", route), partial(_memory, settings, route))


def slopes(costs: Mapping[int, float]) -> dict[int, float]:
    """The cost of a turn at each size, without the fixed cost that the smallest size shows."""
    base, *sizes = sorted(costs)
    return {turns: (costs[turns] - costs[base]) / (turns - base) for turns in sizes}


def spread(costs: Mapping[int, float]) -> Estimate:
    """How much dearer a turn is where it is dearest than where it is cheapest: 1 is perfectly linear."""
    by_size = slopes(costs).values()
    return estimate([max(by_size) / min(by_size)])


def _metric(what: str, route: Route) -> str:
    return f"{what} per turn d->d, max / min, {route}"


def _time(settings: Settings, route: Route) -> list[Row]:
    calls: dict[str, Call] = {}
    for turns in settings.sizes:
        source = REQUESTS[route.src](turns)
        calls |= {f"{CONVERT} {turns}": _conversion(source, route), f"{COPY} {turns}": partial(copied, source)}
    measurements = {name: timed(call, settings.batch_seconds, collector=False) for name, call in calls.items()}
    taken = interleave(measurements, settings.rounds_for(max(settings.sizes)))
    ours, plain = ({turns: median(taken, f"{name} {turns}") for turns in settings.sizes} for name in (CONVERT, COPY))
    return [
        Row(_metric("time", route), spread(ours), LINEAR, _note(slopes(ours), 1e6, "us")),
        Row("  the same of a plain copy of the source", spread(plain), note=_note(slopes(plain), 1e6, "us")),
    ]


def _memory(settings: Settings, route: Route) -> list[Row]:
    costs: dict[int, float] = {}
    wire: dict[int, float] = {}
    for turns in settings.sizes:
        source = REQUESTS[route.src](turns)
        costs[turns] = peak(_conversion(source, route))
        wire[turns] = len(orjson.dumps(source))
    largest = max(settings.sizes)
    return [
        Row(_metric("memory", route), spread(costs), LINEAR, _note(slopes(costs), 1e-3, "KB")),
        Row("  peak / wire bytes of a turn", estimate([slopes(costs)[largest] / slopes(wire)[largest]]), NO_GOAL),
    ]


def peak(call: Call) -> float:
    """The most memory that Python held for one call, in bytes; a call before it fills what is filled once."""
    call()
    gc.collect()
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def copied(tree: Any) -> Any:
    """A copy of all containers of a payload: the simplest linear work on it that there is."""
    if isinstance(tree, dict):
        return {key: copied(value) for key, value in tree.items()}
    return [copied(value) for value in tree] if isinstance(tree, list) else tree


def _conversion(source: Json, route: Route) -> Call:
    return partial(proxai_ir.convert, source, *route, kind="request")


def _note(by_size: Mapping[int, float], factor: float, unit: str) -> str:
    return ", ".join(f"{turns}: {cost * factor:.1f}" for turns, cost in by_size.items()) + f" {unit}"
