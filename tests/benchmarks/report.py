"""Owns what a measurement is held against, and the table that is printed. Rule: a row without a goal has no verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from .timing import Estimate

MISSED, FAILED = "MISSED", "failed"


class Settings(NamedTuple):
    """What the command line decides: how thoroughly to measure, and on what."""

    rounds: int
    batch_seconds: float
    sizes: tuple[int, ...]
    corpus: Path | None


class Goal(NamedTuple):
    """What a metric must reach and aims to reach; `at_least` where more is better."""

    must: float | None = None
    aim: float | None = None
    at_least: bool = False

    def bound(self, value: float | None) -> str:
        return "-" if value is None else f"{'>=' if self.at_least else '<='} {value:g}"

    def verdict(self, measured: float) -> str:
        """The best word that the measured value earns."""
        if self.must is None:
            return "-"
        sign = -1 if self.at_least else 1
        if sign * measured > sign * self.must:
            return MISSED
        return "aim" if self.aim is not None and sign * measured <= sign * self.aim else "must"


NO_GOAL = Goal()


class Row(NamedTuple):
    """One line of the table. Without an estimate, `absent` is the reason."""

    metric: str
    measured: Estimate | None
    goal: Goal = NO_GOAL
    note: str = ""
    absent: str = ""

    @property
    def verdict(self) -> str:
        return self.absent if self.measured is None else self.goal.verdict(self.measured.middle)


class Case(NamedTuple):
    """A named piece of work that ends in rows; if it raises, its name is what the table shows as failed."""

    name: str
    run: Callable[[], Iterable[Row]]


def run_cases(cases: Iterable[Case], announce: Callable[[str], None]) -> list[Row]:
    """All rows of some cases. One that raises becomes a failed row: half a library can still be measured."""
    rows: list[Row] = []
    for case in cases:
        announce(case.name)
        try:
            rows += case.run()
        except Exception as error:
            reason = " ".join(f"{type(error).__name__}: {error}".split())
            rows.append(Row(case.name, None, note=reason[:100], absent=FAILED))
    return rows


def passed(rows: Iterable[Row]) -> bool:
    """Nothing failed and no must was missed; what is not installed cannot fail."""
    return not any(row.verdict in (MISSED, FAILED) for row in rows)


HINT = (
    f"{MISSED}: slower than the row's goal (`must`) allows, with an exit code of 1. Goals hold for a machine that does "
    "nothing else;"
)
QUICK = (
    " --quick takes few rounds of short batches, whose medians vary: run without it, or again, before you trust one."
)


def explained(rows: Iterable[Row], quick: bool) -> str:
    """What a row that missed its goal means; "" where none did."""
    if not any(row.verdict == MISSED for row in rows):
        return ""
    return HINT + (QUICK if quick else " `quartiles` show how much the rounds differ.")


def table(rows: Sequence[Row]) -> str:
    """The rows as aligned text that is a Markdown table too."""
    lines = [("metric", "measured", "quartiles", "must", "aim", "verdict", "note"), *map(_cells, rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    padded = [[cell.ljust(width) for cell, width in zip(line, widths, strict=True)] for line in lines]
    text = ["| " + " | ".join(line) + " |" for line in padded]
    text.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(text)


def _cells(row: Row) -> tuple[str, ...]:
    goal, value = row.goal, row.measured
    measured = "-" if value is None else _figure(value.middle)
    quartiles = "-" if value is None or value.low == value.high else f"{_figure(value.low)} .. {_figure(value.high)}"
    return (row.metric, measured, quartiles, goal.bound(goal.must), goal.bound(goal.aim), row.verdict, row.note)


def _figure(value: float) -> str:
    return f"{value:z.1f}" if abs(value) >= 10 else f"{value:z.2f}"


def duration(nanoseconds: float) -> str:
    """A time for a note; only ratios are judged."""
    return f"{nanoseconds / 1e3:.1f} us" if nanoseconds < 1e6 else f"{nanoseconds / 1e6:.1f} ms"
