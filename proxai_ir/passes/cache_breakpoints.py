"""How many cache breakpoints a request may have, and how long each may last.

Rule 1: the latest breakpoints stay, since they match the longest prompt (CAC-6). Rule 2: where no breakpoint may last
longer than an earlier one, the later one is shortened (CAC-7).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..ir.parts import Chunks, Document, Part, SearchResult, ToolResult
from ..ir.request import Request
from ..reporting.report import Report
from ..rules.constraints import Constraints


def needed(constraints: Constraints) -> bool:
    return constraints.breakpoints is not None or constraints.outlasted is not None


def limit_cache_breakpoints(
    root: Request, constraints: Constraints, report: Report, options: Mapping[str, Any]
) -> None:
    """Remove the earliest of more breakpoints than the target takes, and shorten what outlasts an earlier one."""
    automatic = root.caching is not None and bool(root.caching.automatic)  # a breakpoint too, after all others
    if report.facts.cache_breakpoints + automatic < 2:
        return
    holders: list[Any] = [tool for tool in root.tools or () if getattr(tool, "cache", None) is not None]
    holders += [part for turn in root.turns or () for part in _holders(turn.parts)]
    if constraints.breakpoints is not None:
        excess = max(len(holders) + automatic - constraints.breakpoints, 0)
        for holder in holders[:excess]:
            report.at("CAC-6", holder, "cache")
            holder.cache = None
        holders = holders[excess:]
    if constraints.outlasted is not None:
        marks = [(holder.cache, "ttl") for holder in holders]
        _shorten([*marks, (root.caching, "lifetime")] if automatic else marks, constraints.outlasted, report)


def _shorten(marks: list[tuple[Any, str]], default: int, report: Report) -> None:
    """Give each mark at most the lifetime of the one before it. `default`: the lifetime of a mark without one."""
    most: int | None = None
    for mark, name in marks:
        lifetime: int = getattr(mark, name) or default
        if most is not None and lifetime > most:
            report.at("CAC-7", mark, name)
            setattr(mark, name, most)
        else:
            most = lifetime


def _holders(parts: list[Part]) -> Iterator[Any]:
    """The parts with a breakpoint, in the order of the prompt: what is inside a part comes before its end."""
    for part in parts:
        if isinstance(part, (ToolResult, SearchResult)):
            yield from _holders(part.parts)
        elif isinstance(part, Document) and isinstance(part.source, Chunks):
            yield from _holders(part.source.parts)
        if getattr(part, "cache", None) is not None:
            yield part
