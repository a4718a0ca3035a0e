"""The report of a run as a picture, drawn by matplotlib (extra `plot`), which no other module of `bulk` needs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from .job import CONVERTED, LOSS, Tally
from .report import Report, by_rows, by_use

COLORS = {"refused": "#b3261e", "loss": "#e08a00", "info": "#8a8f98"}
MOST = 40
"""Rules that fit on one picture."""
MODELS = 20
"""Models that fit on it."""


def endings() -> frozenset[str]:
    """Return the ends of names of files that can be drawn; to a name without one matplotlib adds it."""
    return frozenset(["", *(f".{name}" for name in Figure().canvas.get_supported_filetypes())])


def draw(report: Report, file: Path) -> None:
    """Write a bar chart of the rows that report each rule, in the format that the file's name ends in: of `endings`."""
    total = report.total
    models, rules = by_use(total)[:MODELS], [one for one, _ in by_rows(total.reported) if report.severity(one) == LOSS]
    bars = [(rule, count.rows, "refused") for rule, count in by_rows(total.refusals)]
    bars += [(rule, count.rows, report.severity(rule)) for rule, count in by_rows(total.reported)]
    shown = bars[:MOST][::-1]
    heights = [1.4 + 0.3 * max(1, len(shown)), 1.4 + 0.3 * len(models)]
    parts = 2 if models and rules else 1
    figure = Figure(figsize=(8, sum(heights[:parts])), layout="constrained")
    axes, *others = figure.subplots(parts, 1, squeeze=False, height_ratios=heights[:parts])[:, 0]
    for other in others:
        _draw_models(other, total, models, rules[:MOST])
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


def _draw_models(axes: Any, total: Tally, models: list[str], rules: list[str]) -> None:
    """Draw for each model what share of its rows has each loss."""
    shares = [[total.models[one][rule] / total.models[one][CONVERTED] for rule in rules] for one in models]
    axes.imshow(shares, aspect="auto", cmap="Oranges", vmin=0, vmax=1)
    axes.set_xticks(range(len(rules)), rules, rotation=90, fontsize=8)
    axes.set_yticks(range(len(models)), [f"{one:.40}" for one in models], fontsize=8)
    for at, row in enumerate(shares):
        for place, share in enumerate(row):
            axes.text(place, at, f"{share:.0%}" if share else "", ha="center", va="center", fontsize=7)
    axes.set_title("share of each model's converted rows with a loss", fontsize=10)
