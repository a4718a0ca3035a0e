"""The keys of an upstream, which take turns; its rests; and the removal of keys from what it sends.

Rule: whatever its status, a response is redacted before anything else sees it, so that no client, log, span or metric
gets a key that the provider repeats.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

# --- keys -------------------------------------------------------------------------------------------------------------
# Several keys of one provider, which take turns; and how long a provider wants to be left alone.


SPENT = frozenset({401, 402, 403, 429})
"""Statuses after which the same request may succeed with another key of the same upstream."""
REST = 30.0
"""Seconds for which such a key is not used, unless the upstream states how many."""


class Ring:
    """The keys of one upstream, which take turns. One that was refused rests if there are others."""

    def __init__(self, keys: Sequence[str], clock: Callable[[], float] = time.monotonic) -> None:
        self._waiting: deque[str] = deque(keys)
        self._until: dict[str, float] = {}
        self._clock = clock

    def __iter__(self) -> Iterator[str]:
        return iter(self._waiting)

    def next(self) -> str | None:
        """Return the key whose turn it is; if all of them rest, the one that ends its rest first."""
        if not self._waiting:
            return None
        now = self._clock()
        key = min(self._waiting, key=lambda one: max(self._until.get(one, 0.0), now))  # the first of the least
        if len(self._waiting) > 1:
            self._waiting.remove(key)
            self._waiting.append(key)
        return key

    def another(self, key: str | None, seconds: float | None) -> str | None:
        """Return a key in place of one that was refused, which rests for so many seconds; None if all rest."""
        if key is None or len(self._waiting) < 2:
            return None
        self._until[key] = self._clock() + (REST if seconds is None else seconds)
        found = self.next()
        return None if found is None or self.left(found) else found

    def left(self, key: str) -> float:
        """Return the seconds for which a key still rests."""
        return max(0.0, self._until.get(key, 0.0) - self._clock())

    def rest(self, key: str, seconds: float) -> None:
        """Let a key rest for so many seconds at least, as it was refused elsewhere."""
        self._until[key] = max(self._until.get(key, 0.0), self._clock() + seconds)


def pause_of(headers: Mapping[str, str]) -> float | None:
    """Return the seconds for which a server asks clients to wait; None if it states none."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers[name]) * unit
        except (KeyError, ValueError):  # also for a date
            continue
        if 0 <= seconds < float("inf"):
            return seconds
    return None


# --- rest -------------------------------------------------------------------------------------------------------------
# Rule: a provider that rests is asked only where nothing else can be.

FAILURES = 3
"""How often in a row an upstream fails before it rests."""
LONGEST = 8


class Rest:
    """The pause of an upstream that has failed FAILURES times in a row; after it, one request tries the upstream. Each
    further failure doubles the pause, up to LONGEST times its length. If the request that tries it gets no answer, the
    next one tries it after the same time.
    """

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds, self._clock = seconds, clock
        self._failures, self._until = 0, 0.0

    @property
    def left(self) -> float:
        """The seconds until it is tried; 0 if it does not rest."""
        return max(0.0, self._until - self._clock())

    def admits(self) -> bool:
        """Return whether the upstream may be asked; if its rest is over, only the first caller may."""
        if self.left:
            return False
        self._begin()
        return True

    def failed(self) -> None:
        self._failures += 1
        self._begin()

    def _begin(self) -> None:
        if self._failures >= FAILURES:
            self._until = self._clock() + self._seconds * min(2 ** (self._failures - FAILURES), LONGEST)

    def answered(self) -> None:
        self._failures, self._until = 0, 0.0


# --- redaction --------------------------------------------------------------------------------------------------------


class Redaction:
    """Removes secrets from bytes. Bytes that may begin one are held back until more bytes or the end come."""

    __slots__ = ("_bytes", "_held", "_shown")

    def __init__(self, secrets: Iterable[tuple[str, bytes]]) -> None:
        """Take the secrets, each with the bytes that are shown in its place."""
        found: dict[bytes, bytes] = {}
        for secret, instead in secrets:
            plain = secret.encode("latin-1")
            for one in (plain, plain.replace(b"/", b"\\/")):  # as some servers write JSON
                found.setdefault(one, instead)
        self._shown = [*found.items()]
        self._bytes = frozenset(b"".join(found))  # all that secrets are made of
        self._held = b""

    def redact(self, data: bytes) -> bytes:
        """Return the data with every secret replaced; bytes at its end that begin one are not held back."""
        for secret, instead in self._shown:
            if secret in data:
                data = data.replace(secret, instead)
        return data

    def feed(self, chunk: bytes) -> bytes:
        data = self.redact(self._held + chunk if self._held else chunk)
        if not data or data[-1] not in self._bytes:  # as at the end of an event
            self._held = b""
            return data
        size = max((_overlap(data, secret) for secret, _ in self._shown), default=0)
        if not size:
            self._held = b""
            return data
        self._held = data[-size:]
        return data[:-size]

    def end(self) -> bytes:
        held, self._held = self._held, b""
        return held


def _overlap(data: bytes, secret: bytes) -> int:
    """Return how many of the last bytes are the beginning of a secret."""
    at = data.find(secret[:1], max(0, len(data) - len(secret) + 1))
    while at >= 0:
        if secret.startswith(data[at:]):
            return len(data) - at
        at = data.find(secret[:1], at + 1)
    return 0
