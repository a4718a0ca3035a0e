"""How many cache breakpoints a request may have: the latest stay, since they match the longest prompt (CAC-6)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..ir.parts import Chunks, Document, Part, SearchResult, ToolResult
from ..ir.request import Request
from ..report import Report
from ..rules.constraints import Constraints


def needed(constraints: Constraints) -> bool:
    return constraints.breakpoints is not None


def limit_cache_breakpoints(
    root: Request, constraints: Constraints, report: Report, options: Mapping[str, Any]
) -> None:
    """Remove the earliest of more breakpoints than the target takes."""
    most = constraints.breakpoints
    if most is None or report.facts.cache_breakpoints < most:
        return
    if root.caching is not None and root.caching.automatic:
        most -= 1  # a breakpoint too, after all others
    holders: list[Any] = [tool for tool in root.tools or () if getattr(tool, "cache", None) is not None]
    holders += [part for turn in root.turns or () for part in _holders(turn.parts)]
    for holder in holders[: max(len(holders) - most, 0)]:
        report.at("CAC-6", holder, "cache")
        holder.cache = None


def _holders(parts: list[Part]) -> Iterator[Any]:
    """The parts with a breakpoint, in the order of the prompt: what is inside a part comes before its end."""
    for part in parts:
        if isinstance(part, (ToolResult, SearchResult)):
            yield from _holders(part.parts)
        elif isinstance(part, Document) and isinstance(part.source, Chunks):
            yield from _holders(part.source.parts)
        if getattr(part, "cache", None) is not None:
            yield part
