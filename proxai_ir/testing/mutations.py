"""Sound payloads, made unsound: a wrong value or none at one place, unknown members, events out of order."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from .pointers import Path, at, places, removed, replaced

DEEP = 10_000
HUGE = 10**5000  # more digits than Python writes


def nested(levels: int, leaf: Any = 1, key: str = "a") -> Any:
    for _ in range(levels):
        leaf = {key: leaf}
    return leaf


MISSING = object()
WRONG: dict[str, Any] = {
    "missing": MISSING,
    "null": None,
    "true": True,
    "integer": 1,
    "negative": -1,
    "huge": 2**70,
    "number": 1.5,
    "string": "x",
    "empty": "",
    "blank": " ",
    "unicode": "\u2028\u0000👋🏽",
    "array": [],
    "object": {},
    "arrays": [[{}]],
    "deep": nested(DEEP),
    "tag": {"type": "x"},
    "odd tag": {"type": []},
    "surrogate": "\ud800",
    "nan": math.nan,
    "foreign": object(),
    "odd keys": {1: 2},
}
"""Values by name; the last four are none that JSON has."""

DEEP_OR_NOT_JSON = frozenset({"deep", "surrogate", "nan", "foreign", "odd keys"})
"""Those that stay as they are where anything may stand: no output that holds them can be read as JSON."""


def changed(payload: Any, path: Path, wrong: str) -> Any:
    """A copy with one of the wrong values at a place."""
    return removed(payload, path) if WRONG[wrong] is MISSING else replaced(payload, path, WRONG[wrong])


def mutants(payload: Any, every: bool = False) -> Iterator[tuple[str, Any]]:
    """Copies that are wrong at one place: each place with two of the wrong values, in turn, or with all of them."""
    names = list(WRONG)
    for number, path in enumerate(places(payload)):
        chosen = names if every else [names[(number + step) % len(names)] for step in (0, 10)]
        for wrong in chosen:
            if path or wrong != "missing":
                yield wrong, changed(payload, path, wrong)


EXTRA = "zz_new"


def members(payload: Any) -> Iterator[tuple[str, Any, str]]:
    """Copies with one member less, one unknown member more, or both.

    Each comes with what was done, and the pointer of the unknown member ("" where there is none).
    """
    for path in places(payload):
        here = at(payload, path)
        if path and isinstance(path[-1], str):
            yield f"without {path}", removed(payload, path), ""
        if isinstance(here, dict):
            pointer = "".join(f"/{key}" for key in (*path, EXTRA))
            yield f"with {pointer}", replaced(payload, path, {**here, EXTRA: 1}), pointer
            for key in here:
                less = {name: value for name, value in here.items() if name != key}
                yield f"with {pointer}, without {key}", replaced(payload, path, {**less, EXTRA: 1}), pointer


def orders(events: list[Any]) -> Iterator[list[Any]]:
    """Every order with one event missing, repeated, repeated at the end, or exchanged with another."""
    for one in range(len(events)):
        yield events[:one] + events[one + 1 :]
        yield events[: one + 1] + events[one:]
        yield [*events, events[one]]
        for two in range(one):
            swapped = [*events]
            swapped[one], swapped[two] = events[two], events[one]
            yield swapped
