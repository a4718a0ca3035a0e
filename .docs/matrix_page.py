"""The page of the matrix: how much of every pair arrives, and the rows of all pairs as data for assets/filters.js."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping

from proxai_ir.binding.registry import backend, protocols
from proxai_ir.rules.pairs import VERDICTS, Outcome, Row, pair

MARKER = "<!-- pairs -->"
SOME = "with exceptions"
"""A verdict that does not hold for all values or servers; of one that is exact that is counted apart."""


def filled(markdown: str, links: Mapping[str, str]) -> str:
    """The page with an overview and the data of all pairs. `links`: the address of each rule's section."""
    assert MARKER in markdown, "matrix.md has no place for its tables"
    names = protocols()
    found = {(src, dst): pair(src, dst) for src in names for dst in names if src != dst}
    cited = {one.rule for rows in found.values() for row in rows for one in row.outcomes if one.rule}
    data = {
        "verdicts": list(VERDICTS),
        "links": {rule: links[rule] for rule in sorted(cited)},
        "lacking": {name: assumed_lacking(name) for name in names},
        "pairs": {f"{src} {dst}": [packed(row) for row in rows] for (src, dst), rows in found.items()},
    }
    text = json.dumps(data, separators=(",", ":")).replace("</", "<\\/")
    script = f'<script type="application/json" id="pairs">{text}</script>'
    return markdown.replace(MARKER, f"{legend()}\n\n{overview(found)}\n\n## One pair\n\n{FORM}\n\n{script}")


def assumed_lacking(target: str) -> list[str]:
    """The capabilities that a server does not have unless its profile states them."""
    return [name for name, has in backend(target).target.capabilities.items() if not has]


FORM = """<div class="filters" data-filters="pairs"></div>

<div id="pair"><noscript>The rows of one pair need JavaScript; <a href="../rules/matrix/">the tables of all targets</a>
do not.</noscript></div>"""


def legend() -> str:
    rows = (f"| {badge(verdict)} | {meaning} |" for verdict, meaning in VERDICTS.items())
    return "\n".join(["| verdict | the value |", "| --- | --- |", *rows])


def badge(verdict: str) -> str:
    return f'<span class="verdict {verdict}">{verdict}</span>'


def overview(found: Mapping[tuple[str, str], list[Row]]) -> str:
    """How many rows of each pair have which verdict."""
    heads = ["exact", f"exact {SOME}", *(one for one in VERDICTS if one not in ("exact", "generated"))]
    lines = [
        "## All pairs",
        "",
        '<div class="matrix" markdown>',
        "",
        f"| from | to | {' | '.join(heads)} |",
        f"| --- | --- |{' ---: |' * len(heads)}",
    ]
    for (src, dst), rows in found.items():
        counts = Counter(counted(row) for row in rows)
        lines.append(f"| {src} | {dst} | {' | '.join(str(counts[head]) for head in heads)} |")
    return "\n".join([*lines, "", "</div>"])


def counted(row: Row) -> str:
    return f"{row.verdict} {SOME}" if row.verdict == "exact" and row.excepted else row.verdict


def packed(row: Row) -> list[object]:
    return [row.subject, " ".join(row.kinds), row.verdict, [outcome(one) for one in row.outcomes]]


def outcome(one: Outcome) -> list[object]:
    return [one.verdict, one.rule, int(one.some), one.without]
