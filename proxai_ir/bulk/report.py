"""The report of a run: counts by file and by rule, with an example of each rule, and a bar chart of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs
from matplotlib.figure import Figure

from ..reporting.catalogue import KNOWN
from .job import Counts, Tally

COUNTS = ("converted", "lossy", "refused", "blank")


@attrs.define
class FileReport:
    """The counts of one file, up to the `error` for which it was not read to its end, or not written."""

    file: str
    output: str | None
    converted: int = 0
    lossy: int = 0
    refused: int = 0
    blank: int = 0
    error: str | None = None


@attrs.define
class Report:
    """The counts of a run, with its files in the order in which they were done."""

    src: str
    dst: str
    mode: str
    total: Tally = attrs.field(factory=Tally)
    files: list[FileReport] = attrs.field(factory=list)
    seconds: float = 0.0
    stopped: str | None = None
    """The reason why the run ended before the last file, with `fail_fast`."""
    unread: dict[str, int] = attrs.field(factory=dict)
    """The number of files in folders that were not read, by the end of their names, or ""."""

    @property
    def failed(self) -> list[FileReport]:
        return [one for one in self.files if one.error is not None]

    @property
    def complete(self) -> bool:
        """Whether every file was read and written."""
        return self.stopped is None and not self.failed

    def as_json(self) -> dict[str, Any]:
        """Return the report as JSON, with lists that have the most frequent first.

        rules, refusals  the rules of converted rows, and of refused ones
        finishes         the endings of converted responses
        facts            rows of the table of models that were used for converted requests
        """
        total = self.total
        return {
            "from": self.src,
            "to": self.dst,
            "mode": self.mode,
            "complete": self.complete,
            "stopped": self.stopped,
            "seconds": round(self.seconds, 3),
            "rows": total.rows,
            **{name: getattr(total, name) for name in COUNTS},
            "rules": [_rule(rule, one) for rule, one in by_rows(total.reported)],
            "refusals": [_rule(rule, one) for rule, one in by_rows(total.refusals)],
            "finishes": [
                {"reason": reason, "raw": word or None, "count": count} for reason, word, count in ended(total)
            ],
            "facts": _facts(total.facts),
            "files": [attrs.asdict(one) for one in self.files],
            "unread": self.unread,
        }


def by_rows(counts: Counts) -> list[tuple[str, Any]]:
    return sorted(counts.items(), key=lambda one: (-one[1].rows, one[0]))


def ended(total: Tally) -> list[tuple[str, str, int]]:
    """Return the endings of responses: reason, provider's word and number, the most frequent first."""
    found = [(reason, word, count) for reason, words in total.finishes.items() for word, count in words.items()]
    return sorted(found, key=lambda one: (-one[2], one))


def severity(rule: str) -> str:
    return KNOWN[rule].severity if rule in KNOWN else "error"


def sentence(rule: str) -> str:
    return KNOWN[rule].sentence if rule in KNOWN else "The conversion failed with an error of the library."


def _rule(rule: str, count: Any) -> dict[str, Any]:
    return {
        "rule": rule,
        "severity": severity(rule),
        "sentence": sentence(rule),
        "rows": count.rows,
        "example": count.example,
    }


def _facts(counts: Mapping[str, int]) -> list[dict[str, Any]]:
    if not counts:
        return []
    from ..profiles.vendors import FACTS  # a large table

    return [
        {
            "families": sorted((fact := FACTS[int(number)]).families),
            "settings": dict(fact.settings),
            "source": fact.source,
            "looked": fact.looked,
            "rows": count,
        }
        for number, count in sorted(counts.items(), key=lambda one: (-one[1], int(one[0])))
    ]


# --- plot -------------------------------------------------------------------------------------------------------------

COLORS = {"refused": "#b3261e", "loss": "#e08a00", "info": "#8a8f98"}
MOST = 40
"""Rules that fit on one picture."""


def draw(report: Report, file: Path) -> None:
    """Write a bar chart of the rows that report each rule, in the format that the file's name ends in.

    Raises ValueError for an unknown format.
    """
    total = report.total
    bars = [(rule, count.rows, "refused") for rule, count in by_rows(total.refusals)]
    bars += [(rule, count.rows, severity(rule)) for rule, count in by_rows(total.reported)]
    shown = bars[:MOST][::-1]
    figure = Figure(figsize=(8, 1.4 + 0.3 * max(1, len(shown))), layout="constrained")
    axes = figure.add_subplot()
    axes.barh(range(len(shown)), [rows for _, rows, _ in shown], color=[COLORS[weight] for *_, weight in shown])
    axes.set_yticks(range(len(shown)), [f"{rule} ({weight})" for rule, _, weight in shown])
    for at, (_, rows, _) in enumerate(shown):
        axes.text(rows, at, f" {rows:,}", va="center", fontsize=8)
    left = f", {len(bars) - MOST} rules not shown" if len(bars) > MOST else ""
    axes.set_title(
        f"{report.src} → {report.dst}: {total.rows:,} rows, {total.lossy:,} lossy, {total.refused:,} refused{left}",
        fontsize=10,
    )
    axes.set_xlabel("rows")
    axes.margins(x=0.12)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(file)
