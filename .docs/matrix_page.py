"""The page of the matrix: how much of every pair arrives, and the rows of all pairs as data for assets/filters.js."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from functools import cache

import pair_pages
from wire_names import names

from proxai_ir.matrix.pairs import VERDICTS, Outcome, Row, pair
from proxai_ir.protocol.registry import backend, protocols

MARKER = "<!-- pairs -->"
SOME = "with exceptions"
"""A verdict that does not hold for all values or servers; of one that is exact that is counted apart."""


@cache
def pairs() -> dict[tuple[str, str], list[Row]]:
    return {(src, dst): pair(src, dst) for src in protocols() for dst in protocols() if src != dst}


def filled(markdown: str, links: Mapping[str, str]) -> str:
    """Return the page with an overview and the data of all pairs. `links`: the address of each rule's section."""
    assert MARKER in markdown, "matrix.md has no place for its tables"
    found = pairs()
    cited = {one.rule for rows in found.values() for row in rows for one in row.outcomes if one.rule}
    subjects = {row.subject for rows in found.values() for row in rows}
    data = {
        "verdicts": list(VERDICTS),
        "links": {rule: links[rule] for rule in sorted(cited)},
        "lacking": {name: assumed_lacking(name) for name in protocols()},
        "wire": {name: wire(name, subjects) for name in protocols()},
        "pairs": {f"{src} {dst}": [packed(row) for row in rows] for (src, dst), rows in found.items()},
    }
    text = json.dumps(data, separators=(",", ":")).replace("</", "<\\/")
    script = f'<script type="application/json" id="pairs">{text}</script>'
    return markdown.replace(MARKER, f"{legend()}\n\n{overview(found)}\n\n## One pair\n\n{FORM}\n\n{script}")


def assumed_lacking(target: str) -> list[str]:
    """Return the capabilities that a server does not have unless its profile states them."""
    return [name for name, has in backend(target).target.capabilities.items() if not has]


def wire(protocol: str, subjects: set[str]) -> dict[str, list[str]]:
    """Return the protocol's own names of the subjects: the one that is shown, and those that the filter finds too."""
    return {subject: list(paths) for subject, paths in names(protocol).items() if subject in subjects}


FORM = """<div class="filters" data-filters="pairs"></div>

<div id="pair" class="card"><noscript>The rows of one pair need JavaScript;
<a href="../rules/matrix/">the tables of all targets</a> do not.</noscript></div>"""


def legend() -> str:
    rows = (f"| {badge(verdict)} | {meaning} |" for verdict, meaning in VERDICTS.items())
    return "\n".join(["| verdict | the value |", "| --- | --- |", *rows])


def badge(verdict: str) -> str:
    return f'<span class="verdict {verdict}">{verdict}</span>'


def overview(found: Mapping[tuple[str, str], list[Row]]) -> str:
    """Return a table of how many rows of each pair have which verdict; on a narrow screen a pair is a card."""
    heads = ["exact", f"exact {SOME}", *(one for one in VERDICTS if one not in ("exact", "generated"))]
    lines = ["## All pairs", "", '<table class="overview"><thead><tr><th>pair</th>']
    lines += [f"<th>{head}</th>" for head in heads]
    lines.append("</tr></thead><tbody>")
    for (src, dst), rows in found.items():
        counts = Counter(counted(row) for row in rows)
        cells = "".join(f'<td data-head="{head}">{counts[head]}</td>' for head in heads)
        address = f"../{pair_pages.name(src, dst).removesuffix('.md')}/"
        lines.append(f'<tr><td><a href="{address}">{src}<br>→ {dst}</a></td>{cells}</tr>')
    return "\n".join([*lines, "</tbody></table>"])


def counted(row: Row) -> str:
    return f"{row.verdict} {SOME}" if row.verdict == "exact" and row.excepted else row.verdict


def packed(row: Row) -> list[object]:
    return [row.subject, " ".join(row.kinds), row.verdict, [outcome(one) for one in row.outcomes]]


def outcome(one: Outcome) -> list[object]:
    return [one.verdict, one.rule, int(one.some), one.without]
