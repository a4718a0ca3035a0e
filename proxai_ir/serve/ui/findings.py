"""The findings of a conversion as the page lists them, each with links to its places in the source."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from attrs import field, frozen

from ...reporting.diagnostics import ROOT
from ...reporting.digest import Finding, summary
from .helps import in_toml
from .marked import Line, Mark, Marked, Marks, marked

Json = Any
MOST_PLACES, MOST_LISTED = 20, 300
"""How many places of a finding are listed, and how many findings, the gravest first."""


@frozen
class Place:
    """`link`: the id of its mark; empty where the source that is shown has no such place."""

    path: str
    link: str


@frozen
class Listed:
    """One finding. `id` is that of its entry in the list, which its marks link to; `helps`: what removes it."""

    id: str
    number: int
    finding: Finding
    places: list[Place]
    more: int
    helps: list[str]


@frozen(kw_only=True)
class Source:
    """A payload with its findings, and their marks by pointer. There are no `lines` where there is no payload; `note`
    is why, or is about it."""

    lines: list[Line] = field(factory=list)
    marks: dict[str, Marks] = field(factory=dict)
    left_out: int = 0
    note: str = ""
    listed: list[Listed] = field(factory=list)
    unlisted: int = 0
    summary: str = ""


def source(
    value: Json,
    everything: Sequence[Finding],
    name: str,
    *,
    note: str = "",
    there: bool = True,
    assembled: bool = False,
    unmarked: Collection[str] = (),
) -> Source:
    """`name` begins the ids of all elements; `there`: whether there is a payload at all; `assembled`: whether it is
    another than the findings' pointers are of; `unmarked`: members of it of which that is so."""
    found = everything[:MOST_LISTED]
    marks: dict[str, Marks] = {}
    for number, one in enumerate(found, start=1):
        mark = Mark(f"{name}-{number}", number, str(one.severity), f"{one.severity} {one.rule}: {one.message}")
        for path in dict.fromkeys(one.paths):
            if path and not assembled and path.split("/")[1] not in unmarked:
                marks.setdefault(path, Marks(f"{name}-at-{len(marks)}", [])).marks.append(mark)
    shown = marked(value, marks) if there else Marked([], frozenset(), 0)
    links = {path: marks[path].id for path in shown.places}
    return Source(
        lines=shown.lines,
        marks=marks,
        left_out=shown.left_out,
        note=note,
        listed=[_listed(f"{name}-{number}", number, one, links) for number, one in enumerate(found, start=1)],
        unlisted=len(everything) - len(found),
        summary=summary(everything),
    )


def _listed(name: str, number: int, one: Finding, links: Mapping[str, str]) -> Listed:
    paths = list(dict.fromkeys(one.paths))
    places = [Place(path or ROOT, links.get(path, "")) for path in paths[:MOST_PLACES]]
    helps = [text for remedy in one.remedies if (text := in_toml(remedy))]
    return Listed(name, number, one, places, len(paths) - len(places), helps)
