"""Limits of client keys: how often, how much, which models and paths.

Rule 1: a request that is one too many is refused before its body is read, and counts towards no limit. Rule 2: counts
are exact for one process; those of others are what they told last (`shared`). Rule 3: what a request costs here does
not grow with what is counted.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from heapq import merge
from itertools import islice
from typing import Any, NamedTuple

from .asgi import Forbidden
from .config import EVERY_KEY, KeyLimits

MINUTE, DAY = 60.0, 86_400.0
SILENCE = 10.0
"""Seconds after which a process that tells nothing counts as ended, and its requests run no more."""
ANY = KeyLimits()
COUNTED = ("requests_per_minute", "requests_at_once", "tokens_per_day")


class Use(NamedTuple):
    """The use of a key in one process, as it tells others; `begun` has ages in seconds, and how many began then."""

    day: int
    tokens: int
    running: int
    begun: Sequence[tuple[float, int]]


class Account:
    """The use that a key makes: when its requests of the last minute began, how many run, and its tokens of a day."""

    def __init__(self) -> None:
        self.begun: deque[float] = deque()
        self.running = self.day = self.tokens = 0
        self.changes = 0  # how often it has changed
        self._untold = 0  # requests that began since others were told; those before, some together, are in `_told`
        self._told: deque[tuple[float, int]] = deque()
        self._others: deque[tuple[float, int]] = deque()  # the same of other processes
        self._theirs = 0  # requests in `_others`
        self._elsewhere, self._holds = Use(0, 0, 0, ()), 0.0

    def begin(self, limits: KeyLimits, now: float, clock: float) -> None:
        """Count a request that begins. Raises Forbidden for one that is over a limit.

        now    seconds since 1970
        clock  seconds of a clock that nobody sets
        """
        begun, others, elsewhere = self.begun, self._others, self._elsewhere
        while begun and begun[0] <= clock - MINUTE:
            begun.popleft()
        while others and others[0][0] <= clock - MINUTE:
            self._theirs -= others.popleft()[1]
        day = int(now // DAY)
        tokens = (self.tokens if self.day == day else 0) + (elsewhere.tokens if elsewhere.day == day else 0)
        if limits.tokens_per_day is not None and tokens >= limits.tokens_per_day:
            reason = f"{limits.tokens_per_day} tokens a day, and has used {tokens} since 00:00 UTC"
            raise over(reason, (day + 1) * DAY - now)
        most = limits.requests_per_minute
        if most is not None and (beyond := len(begun) + self._theirs - most) >= 0:
            times = merge(begun, (at for at, count in others for _ in range(count)))
            raise over(f"{most} requests a minute", next(islice(times, beyond, None)) + MINUTE - clock)
        running = self.running + (elsewhere.running if clock < self._holds else 0)
        if limits.requests_at_once is not None and running >= limits.requests_at_once:
            raise over(f"{limits.requests_at_once} requests at once", 1)
        self.running += 1
        self.changes += 1
        if most is not None:
            begun.append(clock)
            self._untold += 1

    def end(self, usage: Mapping[str, Any] | None, now: float) -> None:
        """Count the end of a request, and the tokens that its upstream reported; `now` is in seconds since 1970."""
        self.running -= 1
        self.changes += 1
        if self.day != (day := int(now // DAY)):
            self.day, self.tokens = day, 0
        self.tokens += sum(count for count in (usage or {}).values() if isinstance(count, int))

    def told(self, clock: float) -> Use:
        """Return what others are told now; what began since the last time counts as begun now."""
        if self._untold:
            self._told.append((clock, self._untold))
            self._untold = 0
        while self._told and self._told[0][0] <= clock - MINUTE:
            self._told.popleft()
        return Use(self.day, self.tokens, self.running, [(round(clock - at, 3), count) for at, count in self._told])

    def hear(self, others: Sequence[tuple[float, Use]], clock: float) -> None:
        """Take the last report of each other process, with the time at which it was made."""
        told = [one for _, one in others]
        day = max(one.day for one in told)
        tokens = sum(one.tokens for one in told if one.day == day)
        running = sum(one.running for at, one in others if at > clock - SILENCE)
        self._elsewhere, self._holds = Use(day, tokens, running, ()), clock + SILENCE
        self._others = deque(sorted((at - age, count) for at, one in others for age, count in one.begun))
        self._theirs = sum(count for _, count in self._others)


class Accounts:
    """The limits and the accounts of all keys, by their names; a key without a name is known by its hash."""

    def __init__(self, limits: Mapping[str, KeyLimits]) -> None:
        self.limits = limits
        self._accounts: dict[str, Account] = {}

    def of(self, who: str) -> KeyLimits:
        return self.limits.get(who) or self.limits.get(EVERY_KEY, ANY)

    def begin(self, who: str, path: str, now: float, clock: float) -> Account:
        """Return the account of a key, in which a request has begun. Raises Forbidden for one that is over a limit."""
        limits = self.of(who)
        if limits.paths is not None and not fits(path, limits.paths):
            raise Forbidden(403, f"This key may not use {path:.200}.")
        account = self._accounts.get(who) or self._accounts.setdefault(who, Account())
        account.begin(limits, now, clock)
        return account

    @property
    def count(self) -> bool:
        """Whether any key has a limit for which something is counted."""
        return any(map(is_counted, self.limits.values()))

    def news(self, told: Mapping[str, Any], clock: float) -> Iterator[tuple[str, int, Use]]:
        """Yield the use of each key that has changed since others were told, or has requests that run, with its
        `changes`; `told`: those that the others know, by key."""
        for who, one in self._accounts.items():
            if (one.running or told.get(who, 0) != one.changes) and is_counted(self.of(who)):
                yield who, one.changes, one.told(clock)

    def hear(self, who: str, others: Sequence[tuple[float, Use]], clock: float) -> None:
        self._accounts.setdefault(who, Account()).hear(others, clock)

    def may_have(self, who: str, model: str) -> bool:
        models = self.of(who).models
        return models is None or fits(model, models)


def is_counted(limits: KeyLimits) -> bool:
    return any(getattr(limits, name) is not None for name in COUNTED)


def fits(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, one) for one in patterns)


def over(reason: str, after: float) -> Forbidden:
    return Forbidden(429, f"This key may have {reason}.", after)
