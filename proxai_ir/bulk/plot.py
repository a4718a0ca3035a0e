"""A report as a bar chart: for each rule the rows that report it, the refused ones first. Needs the extra `plot`."""

from __future__ import annotations

from pathlib import Path

from matplotlib.figure import Figure

from .report import Report, by_rows, severity

COLORS = {"refused": "#b3261e", "loss": "#e08a00", "info": "#8a8f98"}
MOST = 40
"""Rules that fit on one picture."""


def draw(report: Report, file: Path) -> None:
    """Writes the picture in the format that the file's name ends in. Raises ValueError for one that is not known."""
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
