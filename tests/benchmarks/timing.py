"""Owns how time is taken: contenders in turns, ratios within a round, the garbage collector in a known state.

Rule 1: knows no protocol and no library. Rule 2: a ratio compares times of one round only, so that whatever slows the
machine for a second slows both sides. Rule 3: the clock is the CPU time of the thread: neighbours do not count.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import repeat
from typing import Any, NamedTuple

Call = Callable[[], Any]
Clock = Callable[[], int]
Measurement = Callable[[], float]
"""Takes one measurement when it is called: nanoseconds per call."""
Round = Mapping[str, float]
"""What each contender took in one round."""


class Estimate(NamedTuple):
    """A median with its quartiles, which are shown so that noise is not read as a difference."""

    middle: float
    low: float
    high: float


def estimate(values: Iterable[float]) -> Estimate:
    measured = sorted(values)
    if len(measured) == 1:
        return Estimate(measured[0], measured[0], measured[0])
    low, middle, high = statistics.quantiles(measured, n=4, method="inclusive")
    return Estimate(middle, low, high)


def ratio(rounds: Sequence[Round], over: str, under: str) -> Estimate:
    """How many times `under` contender `over` takes, round by round."""
    return estimate(taken[over] / taken[under] for taken in rounds)


def median(rounds: Sequence[Round], name: str) -> float:
    """The typical time of one contender: for notes, never for a verdict."""
    return statistics.median(taken[name] for taken in rounds)


def interleave(measurements: Mapping[str, Measurement], rounds: int) -> list[Round]:
    """Measure every contender once a round, each round starting with the next one.

    What lives already (modules, payloads) is frozen out of the collector's sight: a peer's thousands of modules would
    otherwise be walked by collections that the contenders' own garbage sets off.
    """
    names = tuple(measurements)
    taken: list[Round] = []
    gc.collect()
    gc.freeze()
    try:
        for number in range(rounds):
            start = number % len(names)
            taken.append({name: measurements[name]() for name in names[start:] + names[:start]})
    finally:
        gc.unfreeze()
    return taken


def race(calls: Mapping[str, Call], batch_seconds: float, rounds: int, *, collector: bool = True) -> list[Round]:
    """The interleaved times of some calls."""
    return interleave({name: timed(call, batch_seconds, collector=collector) for name, call in calls.items()}, rounds)


def timed(
    call: Call, batch_seconds: float, *, collector: bool = True, clock: Clock = time.thread_time_ns
) -> Measurement:
    """A measurement of `call`: after a collection, a batch that is long enough; the collector stays on by default."""
    repeats = batch_size(call, batch_seconds, clock)

    def measure() -> float:
        gc.collect()
        was_on = gc.isenabled()
        (gc.enable if collector else gc.disable)()
        try:
            return _batch(call, repeats, clock) / repeats
        finally:
            (gc.enable if was_on else gc.disable)()

    return measure


def batch_size(call: Call, batch_seconds: float, clock: Clock = time.thread_time_ns) -> int:
    """How many calls fill a batch; finding out warms the contender up, so that imports and caches are not timed."""
    call()
    repeats = 1
    while (taken := _batch(call, repeats, clock)) < batch_seconds * 1e9:
        wanted = int(repeats * batch_seconds * 1e9 / taken) + 1 if taken > 0 else repeats * 10
        repeats = max(repeats + 1, min(wanted, repeats * 10))
    return repeats


def _batch(call: Call, repeats: int, clock: Clock) -> int:
    start = clock()
    for _ in repeat(None, repeats):
        call()
    return clock() - start
