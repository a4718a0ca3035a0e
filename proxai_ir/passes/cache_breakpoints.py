"""How many cache markers a request may bear: the latest stay, which are those that find the longest prompt (CAC-6)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import copy
from typing import Any

from ..ir.parts import Chunks, Document, Part, SearchResult, ToolResult
from ..ir.request import Request
from ..ir.turns import Turn
from ..report import Report
from ..rules.constraints import Constraints


def limit_cache_breakpoints(root: Any, constraints: Constraints, report: Report, options: Mapping[str, Any]) -> None:
    """Leave out the earliest of more markers than the target takes; their nodes are copied, others stay."""
    most = constraints.markers
    if most is None or report.facts.cache_breakpoints < most or not isinstance(root, Request):
        return
    if root.caching is not None and root.caching.automatic:
        most -= 1  # which is a marker too, behind all others
    bearers = [tool for tool in root.tools or () if getattr(tool, "cache", None) is not None]
    bearers += [part for turn in root.turns or () for part in _bearers(turn.parts)]
    surplus = bearers[: max(len(bearers) - most, 0)]
    if not surplus:
        return
    for node in surplus:
        report.at("CAC-6", node, "cache")
    bare = {id(node) for node in surplus}
    root.tools = root.tools and [_bare(tool, bare) for tool in root.tools]
    root.turns = [Turn(one.role, _all_bare(one.parts, bare), one.name, one.src, one.extra) for one in root.turns or ()]


def _inside(part: Part) -> list[Part]:
    if isinstance(part, (ToolResult, SearchResult)):
        return part.parts
    if isinstance(part, Document) and isinstance(part.source, Chunks):
        return part.source.parts
    return []


def _bearers(parts: list[Part]) -> Iterator[Any]:
    """The parts that bear a marker, in the order of the prompt: what is inside one comes before its end."""
    for part in parts:
        yield from _bearers(_inside(part))
        if getattr(part, "cache", None) is not None:
            yield part


def _bare(node: Any, bare: set[int]) -> Any:
    """The node without its marker, if it is one of these."""
    if id(node) not in bare:
        return node
    made = copy(node)
    made.cache = None
    return made


def _all_bare(parts: list[Part], bare: set[int]) -> list[Part]:
    made: list[Part] = []
    for given in parts:
        part = _bare(given, bare)
        inner = _inside(part)
        made.append(part if bare.isdisjoint(map(id, inner)) else _holding(part, _all_bare(inner, bare)))
    return made


def _holding(part: Any, inner: list[Part]) -> Part:
    """The part with other parts inside."""
    made: Part = copy(part)
    if isinstance(made, Document):
        made.source = Chunks(inner, made.source.src, made.source.extra)
    elif isinstance(made, (ToolResult, SearchResult)):
        made.parts = inner
    return made
