"""Owns how time is taken: contenders in turns, ratios per round, the garbage collector in a known state.

Rule 1: knows no protocol and no library. Rule 2: a ratio compares times of one round only, so that whatever slows
the machine for a second slows both sides. Rule 3: results of a contender are dropped at once; keeping the bytes of a
serialiser costs more than making them.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any

Call = Callable[[], Any]
Clock = Callable[[], float]
Measurement = Callable[[], float]
"""Takes one measurement when called: seconds per conversion."""
Round = Mapping[str, float]
"""What each contender took in one round."""


def _clock() -> Clock:
    """The thread's CPU time where it is fine-grained, because neighbours on the same cores do not count into it."""
    fine = hasattr(time, "thread_time") and time.get_clock_info("thread_time").resolution < 1e-6
    return time.thread_time if fine else time.perf_counter


CLOCK = _clock()


@dataclass(frozen=True, slots=True)
class Estimate:
    """A median with its quartiles; they are shown, so that nobody reads noise as a difference."""

    middle: float
    low: float
    high: float


def estimate(values: Iterable[float]) -> Estimate:
    """The median and the quartiles of some measured values."""
    measured = sorted(values)
    if len(measured) == 1:
        return Estimate(measured[0], measured[0], measured[0])
    low, middle, high = statistics.quantiles(measured, n=4, method="inclusive")
    return Estimate(middle, low, high)


def ratio(rounds: Sequence[Round], over: str, under: str) -> Estimate:
    """How many times `under` contender `over` takes, round by round."""
    return estimate(taken[over] / taken[under] for taken in rounds)


def surcharge(rounds: Sequence[Round], dear: str, cheap: str, under: str) -> Estimate:
    """What `dear` costs more than `cheap`, in units of `under`, round by round."""
    return estimate((taken[dear] - taken[cheap]) / taken[under] for taken in rounds)


def median(rounds: Sequence[Round], name: str) -> float:
    """The typical seconds of one contender: for notes and slopes, never for a verdict of their own."""
    return statistics.median(taken[name] for taken in rounds)


def interleave(measurements: Mapping[str, Measurement], rounds: int) -> list[Round]:
    """Measure every contender once a round, each round starting with the next one.

    What lives already (modules, payloads) is frozen out of the collector's sight: a peer's thousands of modules
    would otherwise be walked by collections that the contenders' own garbage sets off.
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


def timed(call: Call, batch_seconds: float, *, collector: bool = True, clock: Clock = CLOCK) -> Measurement:
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


def batch_size(call: Call, batch_seconds: float, clock: Clock = CLOCK) -> int:
    """How many calls fill a batch; finding out warms the contender up, so imports and caches are not timed."""
    call()
    repeats = 1
    while (taken := _batch(call, repeats, clock)) < batch_seconds:
        wanted = int(repeats * batch_seconds / taken) + 1 if taken > 0 else repeats * 10
        repeats = max(repeats + 1, min(wanted, repeats * 10))
    return repeats


def _batch(call: Call, repeats: int, clock: Clock) -> float:
    start = clock()
    for _ in repeat(None, repeats):
        call()
    return clock() - start
