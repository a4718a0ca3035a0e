"""The targets for the models that rows name (CAP-5), and the facts of the table of models that they are based on.

Rule: the table is loaded at the first request, and looked up once for each name.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

from ..ir.request import Request
from .job import Server

MOST = 4096  # names that are kept


class Served(NamedTuple):
    """The target for one model, and the numbers of the facts that it rests on."""

    side: Server
    facts: tuple[str, ...]


@lru_cache(MOST)
def served(side: Server, model: str) -> Served:
    from ..profiles.models import tailored
    from ..profiles.vendors import FACTS

    made = tailored(side, model)
    stated = set(map(id, made.why))
    return Served(made, tuple(str(number) for number, fact in enumerate(FACTS) if id(fact) in stated))


class Models:
    """Those of the rows of a chunk, one after another. `model`: that of requests which name none."""

    def __init__(self, side: Server, model: str | None) -> None:
        self._side, self._model = side, model
        self._last: tuple[str, ...] = ()

    def served(self, request: Request) -> Server:
        """The target of a request."""
        model = request.model or self._model
        if not model:
            return self._side
        found = served(self._side, model)
        self._last = found.facts
        return found.side

    def facts(self) -> tuple[str, ...]:
        """Those of the request that was asked about since the last call; none where there was no request."""
        found, self._last = self._last, ()
        return found


def described(counts: Iterable[tuple[str, int]]) -> list[dict[str, Any]]:
    """The facts by their numbers, each with how many rows were made for it: the most frequent first."""
    counts = sorted(counts, key=lambda one: (-one[1], int(one[0])))
    if not counts:
        return []
    from ..profiles.vendors import FACTS

    return [
        {
            "families": sorted((fact := FACTS[int(number)]).families),
            "settings": dict(fact.settings),
            "source": fact.source,
            "looked": fact.looked,
            "rows": count,
        }
        for number, count in counts
    ]
