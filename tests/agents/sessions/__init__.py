"""Sessions of real agents as they were recorded, without what is of one machine: `python -m tests.keeping_up.agents
--keep` writes them. Each request stands as its difference from the one before.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import Any

from ..server import Request

Json = Any
FOLDER = Path(__file__).parent
SAME, THEN, GONE = "same", "then", "gone"
"""Of a list: how many items begin it as before, and what follows them; of an object: the members that it lacks now."""


@cache
def session(agent: str) -> tuple[Request, ...]:
    """Return the requests of an agent's session, in their order."""
    return tuple(unpacked(json.loads((FOLDER / f"{agent}.json").read_text(encoding="utf-8"))))


def keep(agent: str, requests: list[Request]) -> None:
    lines = ",\n".join(json.dumps(one, ensure_ascii=False) for one in packed(requests))
    (FOLDER / f"{agent}.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def packed(requests: list[Request]) -> Iterator[Json]:
    before: Json = {}
    for request in requests:
        yield difference(before, request._asdict())
        before = request._asdict()


def unpacked(differences: list[Json]) -> Iterator[Request]:
    before: Json = {}
    for one in differences:
        before = applied(before, one)
        yield Request(**before)


def difference(before: Json, now: Json) -> Json:
    """Return what `applied` makes into what is now: objects and lists are compared, all else is replaced."""
    if isinstance(before, dict) and isinstance(now, dict):
        changed = {name: difference(before.get(name), one) for name, one in now.items() if before.get(name) != one}
        gone = [name for name in before if name not in now]
        return {**changed, **({GONE: gone} if gone else {})}
    if isinstance(before, list) and isinstance(now, list):
        same = len([*takewhile(lambda pair: pair[0] == pair[1], zip(before, now, strict=False))])
        return {SAME: same, THEN: now[same:]}
    return now


def applied(before: Json, change: Json) -> Json:
    if isinstance(before, list) and isinstance(change, dict):
        return before[: change[SAME]] + change[THEN]
    if isinstance(before, dict) and isinstance(change, dict):
        kept = {name: one for name, one in before.items() if name not in change.get(GONE, ())}
        changed = {name: applied(before.get(name), one) for name, one in change.items() if name != GONE}
        return {**kept, **changed}
    return change
