"""Plots of sums over time: one for each count, as stacked bars of the largest groups and of all others together.

Rule: what is drawn is bounded, whatever the log has; the template of the page makes it SVG.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from ...ir.response import PARTITION
from ...json.types import visible
from ...storage.records import TIMES

COUNTED = {
    "exchanges": "Requests",
    "failed": "Failed",
    "losses": "Losses",
    "input": "Input tokens",
    "output": "Output tokens",
    "reasoning": "Reasoning tokens",
    "cache_read": "Cache reads",
    "cache_write": "Cache writes",
}
"""The counts of sums, in the order of their plots."""
MOST_GROUPS = 7
"""How many groups have a colour of their own; style.css has one more, for the others."""
OTHERS = "all others"
LONGEST_NAME = 80
WIDTH, TOP, BOTTOM = 360, 20, 130
"""Where the bars are in a plot; its style has the rest."""
GAP = 0.2
"""The share of a bar's place that is left free."""


class Span(NamedTuple):
    """A choice of time: so many of a unit, the last of which has not ended."""

    name: str
    unit: str
    many: int


SPANS = {
    "1d": Span("24 hours", "hour", 24),
    "7d": Span("7 days", "day", 7),
    "30d": Span("30 days", "day", 30),
    "90d": Span("90 days", "day", 90),
    "365d": Span("365 days", "day", 365),
}


class Plot(NamedTuple):
    """One kind of count over time; `bars` are the path of each group that has any, by its number."""

    kind: str
    title: str
    total: int
    most: int
    when: str
    bars: list[tuple[int, str]]


def times_of(span: Span, now: float) -> tuple[list[str], float, float]:
    """Return the times of a span's bars, and its beginning and end in seconds since 1970."""
    step = timedelta(**{f"{span.unit}s": 1})
    last = datetime.fromtimestamp(now, UTC).replace(minute=0, second=0, microsecond=0)
    last = last if span.unit == "hour" else last.replace(hour=0)
    begins = [last - step * at for at in range(span.many - 1, -1, -1)]
    return [one.strftime(TIMES[span.unit]) for one in begins], begins[0].timestamp(), (last + step).timestamp()


def plotted(
    sums: Sequence[Mapping[str, Any]], columns: Sequence[str], unit: str, times: Sequence[str]
) -> tuple[list[str], list[Plot]]:
    """Return the names of the groups, the largest first, and a plot for each count."""
    sizes: dict[str, tuple[int, int]] = {}
    rows = [(_name(one, columns), one) for one in sums]
    for name, one in rows:
        tokens, requests = sizes.get(name, (0, 0))
        sizes[name] = tokens + sum(one[kind] for kind in PARTITION), requests + one["exchanges"]
    names = sorted(sizes, key=lambda name: (*(-size for size in sizes[name]), name))
    shown = names if len(names) <= MOST_GROUPS else [*names[:MOST_GROUPS], OTHERS]
    numbers = {name: min(at, MOST_GROUPS) for at, name in enumerate(names)}
    places = {time: at for at, time in enumerate(times)}
    plots = []
    for count, title in COUNTED.items():
        heights = [[0] * len(times) for _ in shown]
        for name, one in rows:
            heights[numbers[name]][places[one[unit]]] += one[count]
        whole = [sum(column) for column in zip(*heights, strict=True)] or [0]
        most = max(whole)
        plots.append(Plot(count, title, sum(whole), most, times[whole.index(most)], _bars(heights, most)))
    return shown, plots


def _name(one: Mapping[str, Any], columns: Sequence[str]) -> str:
    return " · ".join(visible(one[column])[:LONGEST_NAME] or "-" for column in columns)


def _bars(heights: Sequence[Sequence[int]], most: int) -> list[tuple[int, str]]:
    """Return the path of each group's bars, which stand on those of the groups before it."""
    below = [0] * len(heights[0]) if heights else []
    place, scale = WIDTH / max(len(below), 1), (BOTTOM - TOP) / max(most, 1)
    paths = []
    for number, group in enumerate(heights):
        path = ""
        for at, height in enumerate(group):
            if height:
                left, foot, top = at * place, BOTTOM - below[at] * scale, BOTTOM - (below[at] + height) * scale
                path += f"M{left:.1f} {foot:.1f}V{top:.1f}h{place * (1 - GAP):.1f}V{foot:.1f}z"
                below[at] += height
        if path:
            paths.append((number, path))
    return paths
