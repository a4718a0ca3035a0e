"""Owns the rows about requests, bytes to bytes, against the floor: transcripts by size, tiny and real small ones."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import orjson

from .floor import CONVERT, DIAGNOSED, FLOOR, accepted, against_floor
from .payloads import PAIRS, REQUESTS, TINY, Route, recorded_small_requests
from .report import NO_GOAL, Case, Goal, Row, Settings, duration, size
from .timing import median, ratio, surcharge

KIND = "request"
TRANSCRIPT = Goal(must=3.2, aim=2.5)
SMALL = Goal(must=4.5, aim=3.3)
DIAGNOSTICS = Goal(must=2.0, aim=1.0)
GOALS = {10: TRANSCRIPT, 100: TRANSCRIPT}
"""The sizes that are judged; the others show where cost is fixed, and where memory is what one pays for."""


@dataclass(frozen=True, slots=True)
class Workload:
    """What is converted in which direction, and how it is judged."""

    route: Route
    what: str
    goal: Goal = NO_GOAL

    @property
    def metric(self) -> str:
        """The row's name."""
        return f"request b->b / floor, {self.route}, {self.what}"


def cases(settings: Settings) -> Iterator[Case]:
    """A case for each direction and size, then the small ones."""
    for route in PAIRS:
        for turns in settings.sizes:
            workload = Workload(route, f"N = {turns}", GOALS.get(turns, NO_GOAL))
            yield Case(workload.metric, partial(_transcript, settings, workload, turns))
        tiny, small = Workload(route, "tiny"), Workload(route, "real small", SMALL)
        yield Case(tiny.metric, partial(_tiny, settings, tiny))
        yield Case(small.metric, partial(_real_small, settings, small))


def _transcript(settings: Settings, workload: Workload, turns: int) -> list[Row]:
    source = orjson.dumps(REQUESTS[workload.route.src](turns))
    return _rows(settings, workload, [source], size(len(source)), settings.rounds_for(turns))


def _tiny(settings: Settings, workload: Workload) -> list[Row]:
    source = orjson.dumps(TINY[workload.route.src])
    return _rows(settings, workload, [source], size(len(source)), settings.rounds)


def _real_small(settings: Settings, workload: Workload) -> list[Row]:
    recorded = recorded_small_requests(settings.corpus, workload.route.src)
    if not recorded:
        return [Row(workload.metric, None, workload.goal, "see --corpus", absent="no corpus")]
    sources = accepted(recorded, workload.route, KIND)
    if not sources:
        raise ValueError(f"none of {len(recorded)} recorded requests was accepted")
    note = f"{len(sources)} of {len(recorded)} accepted, median {size(int(statistics.median(map(len, sources))))}"
    return _rows(settings, workload, sources, note, settings.rounds)


def _rows(settings: Settings, workload: Workload, sources: Sequence[bytes], note: str, rounds: int) -> list[Row]:
    taken = against_floor(sources, workload.route, KIND, settings, rounds)
    each = duration(median(taken, CONVERT) / len(sources))
    diagnostics = NO_GOAL if workload.goal is NO_GOAL else DIAGNOSTICS
    return [
        Row(workload.metric, ratio(taken, CONVERT, FLOOR), workload.goal, f"{note}, {each}"),
        Row("  + all diagnostics read", surcharge(taken, DIAGNOSED, CONVERT, FLOOR), diagnostics),
    ]
