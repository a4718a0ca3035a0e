"""Diagnostics for a reader: what repeats is one finding with all its places, the gravest first, with a remedy (LOS-5).

Rule: nothing is left out. `diagnostics` have an entry for every place, so that programs can account for every value;
findings are the same for people.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ..rules.rule import remedy
from .diagnostics import ROOT, Diagnostic, Severity

GRAVEST_FIRST = (Severity.ERROR, Severity.LOSS, Severity.INFO)


class Finding(NamedTuple):
    """What diagnostics with the same rule and message say together.

    `paths` are the places, in the order of the payload (of a stream: of its events). `remedy`: what the caller can do
    about it, "" where nothing helps or nothing is lost.
    """

    rule: str
    severity: Severity
    paths: tuple[str, ...]
    message: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.severity} {self.rule} {self.where} {self.message}"

    @property
    def code(self) -> str:
        """An alias of `rule`."""
        return self.rule

    @property
    def where(self) -> str:
        """The first place, and how many more there are."""
        more = len(self.paths) - 1
        return f"{self.paths[0] or ROOT}{f' and {more} more' if more else ''}"


def findings(diagnostics: Iterable[Diagnostic]) -> tuple[Finding, ...]:
    """One finding for everything that is reported in the same words, however often."""
    places: dict[tuple[Severity, str, str], list[str]] = {}
    for rule, severity, path, message in diagnostics:
        places.setdefault((severity, rule, message), []).append(path)
    found = [
        Finding(
            rule,
            severity,
            tuple(sorted(paths, key=in_order)),
            message,
            "" if severity is Severity.INFO else remedy(rule),
        )
        for (severity, rule, message), paths in places.items()
    ]
    return tuple(sorted(found, key=lambda one: (GRAVEST_FIRST.index(one.severity), in_order(one.paths[0]))))


def in_order(path: str) -> list[tuple[int, int, str]]:
    """A sort key of pointers: items of arrays by number, members by name."""
    return [(0, int(step), "") if step.isdigit() and len(step) < 20 else (1, 0, step) for step in path.split("/")[1:]]


def summary(found: Iterable[Finding]) -> str:
    """How much is refused, lost and noted, in words: `2 things lost, 3 notes`."""
    counts = dict.fromkeys(GRAVEST_FIRST, 0)
    for one in found:
        counts[one.severity] += 1
    refused, lost, notes = counts.values()
    words = [f"{refused} reason{'s' if refused > 1 else ''}"] if refused else []
    words += [f"{lost or 'nothing'} {_things(lost)}lost"] if lost or not refused else []
    words += [f"{notes} note{'s' if notes > 1 else ''}"] if notes else []
    return ", ".join(words)


def _things(count: int) -> str:
    return "" if not count else "thing " if count == 1 else "things "
