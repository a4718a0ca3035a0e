"""What a target wants beside something else: a text in results of tools (PLC-27), and beside documents (PLC-80).

Rule: this is seen once blank text is gone and media have left their results, as only then is it known what is left.
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
    return constraints.worded_results is not None


def word_results(root: Request, constraints: Constraints, report: Report, _: Mapping[str, Any]) -> None:
    """Give results of which nothing is left a text that states it, where the target refuses empty ones (PLC-27)."""
    for each in rounds(root, report).all:
        for result in each.results:
            if not result.parts and _is_refused(result, constraints):
                _word(result, report)


def word_empty(root: Request, constraints: Constraints, report: Report) -> None:
    """The same between a protocol and itself, where empty text is not dropped."""
    for result in empty_results(root, constraints):
        _word(result, report)


def empty_results(root: Request, constraints: Constraints) -> Iterator[ToolResult]:
    """Yield the results of a request that the target refuses since there is nothing in them."""
    for turn in root.turns or ():
        for part in turn.parts:
            if type(part) is ToolResult and _is_refused(part, constraints) and all(map(_is_nothing, part.parts)):
                yield part


def _word(result: ToolResult, report: Report) -> None:
    report.at("PLC-27", result)
    result.parts = [Text(FAILED if result.is_error else EMPTY, None, None, result.src)]


def _is_refused(result: ToolResult, constraints: Constraints) -> bool:
    return constraints.worded_results == "all" or (constraints.worded_results == "failed" and bool(result.is_error))


def _is_nothing(part: Any) -> bool:
    return type(part) is Text and not part.text


def documents_need_text(constraints: Constraints) -> bool:
    return constraints.worded_documents


def accompany_documents(root: Request, constraints: Constraints, report: Report, _: Mapping[str, Any]) -> None:
    """Send the name of a message's first document as a text where the message has none (PLC-80)."""
    for turn in root.turns or ():
        first = next(_documents(turn.parts), None)
        if first is not None and not any(type(part) is Text for part in turn.parts):
            report.at("PLC-80", first)
            turn.parts.append(Text(first.title or UNNAMED, src=first.src))


def _documents(parts: list[Any]) -> Iterator[Document]:
    return (part for part in parts if isinstance(part, Document))
