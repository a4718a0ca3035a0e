"""What differs between two JSON values, by pointer: members by their names, items by their places."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any, NamedTuple

from .pointer import escape

Json = Any
ABSENT: Any = object()
"""In place of a value that only the other one has."""


class Change(NamedTuple):
    path: str
    was: Json
    now: Json


def changes(was: Json, now: Json) -> Iterator[Change]:
    """From one value to the other, in the order of the first. Raises RecursionError for what is too deep to compare."""
    waiting: list[Change] = [Change("", was, now)]
    while waiting:
        one = waiting.pop()
        path, was, now = one
        if was == now:
            continue
        if isinstance(was, dict) and isinstance(now, dict):
            pairs = [(name, was.get(name, ABSENT), now.get(name, ABSENT)) for name in {**was, **now}]
        elif isinstance(was, list) and isinstance(now, list):
            pairs = [(at, *both) for at, both in enumerate(zip_longest(was, now, fillvalue=ABSENT))]
        else:
            yield one
            continue
        waiting += [Change(f"{path}/{escape(key)}", *both) for key, *both in reversed(pairs)]
