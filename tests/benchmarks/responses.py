"""Owns the rows about whole responses, bytes to bytes, against the floor."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import orjson

from .floor import CONVERT, DIAGNOSED, FLOOR, against_floor
from .payloads import PAIRS, RESPONSES, Route
from .report import Case, Goal, Row, Settings, duration, size
from .timing import median, ratio, surcharge

KIND = "response"
GOAL = Goal(must=3.3, aim=2.3)


def cases(settings: Settings) -> Iterator[Case]:
    """A case for each direction."""
    for route in PAIRS:
        yield Case(_metric(route), partial(_response, settings, route))


def _metric(route: Route) -> str:
    return f"response b->b / floor, {route}"


def _response(settings: Settings, route: Route) -> list[Row]:
    source = orjson.dumps(RESPONSES[route.src]())
    taken = against_floor([source], route, KIND, settings, settings.rounds)
    note = f"{size(len(source))}, {duration(median(taken, CONVERT))}"
    return [
        Row(_metric(route), ratio(taken, CONVERT, FLOOR), GOAL, note),
        Row("  + all diagnostics read", surcharge(taken, DIAGNOSED, CONVERT, FLOOR)),
    ]
