"""Rows of the table of models that somebody should look at again: old ones, and those that two sources contradict.

Of two rows that state one setting the later one counts, and usually it is the narrower one: an exception of a version,
a variant or a server. Where neither is narrower, two documents say different things of the same models.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from itertools import combinations

from proxai_ir.profiles.facts import Fact, Version, is_within

from .findings import Finding

OLD = timedelta(days=90)


def of_rows(rows: Sequence[Fact], today: date) -> Iterator[Finding]:
    yield from of_age(rows, today)
    yield from of_contradictions(rows)


def of_age(rows: Iterable[Fact], today: date) -> Iterator[Finding]:
    """Rows whose source was read more than 90 days ago, the oldest first."""
    for row in sorted(rows, key=lambda row: row.looked):
        age = today - date.fromisoformat(row.looked)
        if age > OLD:
            yield Finding("old row", str(row), f"looked up on {row.looked}, {age.days} days ago")


def of_contradictions(rows: Iterable[Fact]) -> Iterator[Finding]:
    """Pairs of rows that state different values of a setting for the same models, neither of them as an exception."""
    for one, other in combinations(rows, 2):
        settings = [name for name in one.settings.keys() & other.settings if one.settings[name] != other.settings[name]]
        if settings and one.source != other.source and _meet(one, other) and not is_within(other, one):
            yield Finding("contradiction", str(one), f"{', '.join(sorted(settings))}: {other}, which counts")


def _meet(one: Fact, other: Fact) -> bool:
    """Whether two rows are about the same words, servers and protocols, and have families and versions in common."""
    same = (one.only, one.but, one.servers, one.protocols) == (other.only, other.but, other.servers, other.protocols)
    families = bool(one.families & other.families)
    return same and families and _before(one.since, other.until) and _before(other.since, one.until)


def _before(since: Version, until: Version) -> bool:
    return not until or since[: len(until)] <= until
