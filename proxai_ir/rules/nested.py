"""What checks of several targets do with parts and those inside of them. Rule: a function acts where it reports."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..ir.parts import Chunks, Document, SearchResult, Text, ToolResult
from ..reporting.report import Report


def inside_of(part: Any) -> list[Any]:
    """The parts that a part holds: of a result, of a search hit, of a document that is made of chunks."""
    if isinstance(part, Document):
        return part.source.parts if isinstance(part.source, Chunks) else []
    return part.parts if isinstance(part, (ToolResult, SearchResult)) else []


def uncite(listed: Iterable[Any], report: Report) -> None:
    """Drop the citations of texts, for targets in which only the assistant cites (CIT-1)."""
    for part in listed:
        if isinstance(part, Text):
            for one in part.citations or ():
                report.at("CIT-1", one)
            part.citations = None
        else:
            uncite(inside_of(part), report)


def unmark(listed: Iterable[Any], report: Report) -> None:
    """Drop the cache breakpoints of parts and of those inside of them (CAC-4)."""
    for part in listed:
        if getattr(part, "cache", None) is not None:
            report.at("CAC-4", part, "cache")
            part.cache = None
        unmark(inside_of(part), report)
