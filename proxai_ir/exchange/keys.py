"""Several keys of one provider, which take turns; and how long a provider wants to be left alone. Sans I/O."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence

SPENT = frozenset({401, 402, 403, 429})
"""Statuses after which the same request may succeed with another key of the same upstream."""
REST = 30.0
"""Seconds for which such a key is not used, where the upstream states none."""


class Ring:
    """The keys of one upstream, which take turns. One that was refused rests, while there are others."""

    def __init__(self, keys: Sequence[str], clock: Callable[[], float] = time.monotonic) -> None:
        self._waiting: deque[str] = deque(keys)
        self._until: dict[str, float] = {}
        self._clock = clock

    def __iter__(self) -> Iterator[str]:
        return iter(self._waiting)

    def next(self) -> str | None:
        """The key whose turn it is: of those that rest, the one that does so no longer than the others."""
        if not self._waiting:
            return None
        now = self._clock()
        key = min(self._waiting, key=lambda one: max(self._until.get(one, 0.0), now))  # the first of the least
        if len(self._waiting) > 1:
            self._waiting.remove(key)
            self._waiting.append(key)
        return key

    def another(self, key: str | None, seconds: float | None) -> str | None:
        """One in place of a key that was refused, which rests for so many seconds; None where all rest."""
        if key is None or len(self._waiting) < 2:
            return None
        now = self._clock()
        self._until[key] = now + (REST if seconds is None else seconds)
        found = self.next()
        return found if self._until.get(found or "", 0.0) <= now else None


def pause_of(headers: Mapping[str, str]) -> float | None:
    """The seconds that a server wants to be left alone for; None where it states none."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers[name]) * unit
        except (KeyError, ValueError):  # a date, too, is none
            continue
        if 0 <= seconds < float("inf"):
            return seconds
    return None
