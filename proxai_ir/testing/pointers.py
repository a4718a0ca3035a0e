"""Places in payloads, and payloads made from samples: changed in one place, or made unsound."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from ..json.pointer import escape

# --- places -----------------------------------------------------------------------------------------------------------


Path = tuple[str | int, ...]


def exists(payload: Any, pointer: str) -> bool:
    """Return whether an RFC 6901 pointer leads to a value in the payload; "" is the whole payload."""
    value = payload
    for escaped in pointer.split("/")[1:]:
        key = escaped.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict):
            keys = {str(name): name for name in value}
            if key not in keys:
                return False
            value = value[keys[key]]
        elif isinstance(value, list) and key.isdecimal() and int(key) < len(value):
            value = value[int(key)]
        else:
            return False
    return pointer[:1] in ("", "/")


def places(payload: Any, path: Path = ()) -> Iterator[Path]:
    """Yield every place of a payload, first the whole payload."""
    yield path
    items = payload.items() if isinstance(payload, dict) else enumerate(payload) if isinstance(payload, list) else ()
    for key, value in items:
        yield from places(value, (*path, key))


def at(payload: Any, path: Path) -> Any:
    for key in path:
        payload = payload[key]
    return payload


def replaced(payload: Any, path: Path, value: Any) -> Any:
    """Return a copy with another value at a place, which shares all containers that are not on the way to it."""
    if not path:
        return value
    key, *rest = path
    made = _copy(payload)
    made[key] = replaced(payload[key], tuple(rest), value)
    return made


def removed(payload: Any, path: Path) -> Any:
    """Return a copy without the value at a place."""
    key, *rest = path
    made = _copy(payload)
    if rest:
        made[key] = removed(payload[key], tuple(rest))
    else:
        del made[key]
    return made


def _copy(payload: Any) -> Any:
    return dict(payload) if isinstance(payload, dict) else list(payload)


def pointer_to(path: Path) -> str:
    """Return the RFC 6901 pointer of a place."""
    return "".join(f"/{escape(key)}" for key in path)


# --- mutations --------------------------------------------------------------------------------------------------------


DEEP = 10_000
HUGE = 10**5000  # has more digits than Python writes


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
"""Wrong values by name; JSON does not have the last four."""

DEEP_OR_NOT_JSON = frozenset({"deep", "surrogate", "nan", "foreign", "odd keys"})
"""The wrong values that an output may have where any value is allowed, but that cannot be read as JSON."""


def changed(payload: Any, path: Path, wrong: str) -> Any:
    """Return a copy with one of the wrong values at a place."""
    return removed(payload, path) if WRONG[wrong] is MISSING else replaced(payload, path, WRONG[wrong])


def mutants(payload: Any, every: bool = False) -> Iterator[tuple[str, Any]]:
    """Yield copies that are wrong at one place: each place with two of the wrong values in turn, or with all."""
    names = list(WRONG)
    for number, path in enumerate(places(payload)):
        chosen = names if every else [names[(number + step) % len(names)] for step in (0, 10)]
        for wrong in chosen:
            if path or wrong != "missing":
                yield wrong, changed(payload, path, wrong)


EXTRA = "zz_new"


def members(payload: Any) -> Iterator[tuple[str, Any, str]]:
    """Yield copies without one member, with an unknown one, or both.

    Each comes with a description, and with the pointer of the unknown member ("" if there is none).
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
    """Yield all lists in which one event is missing, repeated, repeated at the end, or exchanged with another."""
    for one in range(len(events)):
        yield events[:one] + events[one + 1 :]
        yield events[: one + 1] + events[one:]
        yield [*events, events[one]]
        for two in range(one):
            swapped = [*events]
            swapped[one], swapped[two] = events[two], events[one]
            yield swapped
