"""Add the texts that a target requires: in empty results of tools (PLC-27), and in messages with documents (PLC-80).

These passes run when blank text has been dropped and media have left their results, as only then is it known which
results are empty.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..ir.parts import Document, Text, ToolResult
from ..ir.request import Request
from ..reporting.report import Report
from ..targets.constraints import Constraints
from .calls import rounds

FAILED = "The call failed without a message."
EMPTY = "The call returned nothing."
UNNAMED = "document"


def results_need_text(constraints: Constraints) -> bool:
    """Return whether the target refuses some results without text."""
    return constraints.worded_results is not None


def word_results(root: Request, constraints: Constraints, report: Report, _: Mapping[str, Any]) -> None:
    """Give empty results a text that states it, if the target refuses empty ones (PLC-27)."""
    for each in rounds(root, report).all:
        for result in each.results:
            if not result.parts and _is_refused(result, constraints):
                _word(result, report)


def word_empty(root: Request, constraints: Constraints, report: Report) -> None:
    """Give results with nothing but empty text, in a request between a protocol and itself, a text that states it."""
    for result in empty_results(root, constraints):
        _word(result, report)


def empty_results(root: Request, constraints: Constraints) -> Iterator[ToolResult]:
    """Yield the results of a request that the target refuses because they have nothing but empty text."""
    for turn in root.turns or ():
        for part in turn.parts:
            if type(part) is ToolResult and _is_refused(part, constraints):
                if all(type(inner) is Text and not inner.text for inner in part.parts):
                    yield part


def _word(result: ToolResult, report: Report) -> None:
    report.at("PLC-27", result)
    result.parts = [Text(FAILED if result.is_error else EMPTY, None, None, result.src)]


def _is_refused(result: ToolResult, constraints: Constraints) -> bool:
    return constraints.worded_results == "all" or (constraints.worded_results == "failed" and bool(result.is_error))


def name_documents(root: Request, constraints: Constraints, report: Report, _: Mapping[str, Any]) -> None:
    """Add the name of a message's first document as a text if the message has none (PLC-80)."""
    for turn in root.turns or ():
        first = next((part for part in turn.parts if isinstance(part, Document)), None)
        if first is not None and not any(type(part) is Text for part in turn.parts):
            report.at("PLC-80", first)
            turn.parts.append(Text(first.title or UNNAMED, src=first.src))
