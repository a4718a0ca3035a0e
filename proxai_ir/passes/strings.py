"""Contents of nothing but texts as one string each, for servers that take no arrays there: the capability
`content_arrays` (PLC-8).

Rule: what holds media stays an array, which has no other form.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..ir.parts import Part, Text, ToolResult
from ..ir.request import Request
from ..ir.turns import ASSISTANT
from ..reporting.report import Report
from ..rules.constraints import Constraints

BETWEEN_TEXTS = "\n"


def needed(constraints: Constraints) -> bool:
    return not constraints.text_arrays


def join_texts(root: Request, constraints: Constraints, report: Report, options: Mapping[str, Any]) -> None:
    """Join contents of nothing but texts into one string, for servers that take no arrays."""
    for turn in root.turns or ():
        if turn.role is ASSISTANT:  # whose texts are one response, with other members next to it
            turn.parts = _joined(turn.parts, "", report)
            continue
        if _are_texts(turn.parts):
            turn.parts = _joined(turn.parts, BETWEEN_TEXTS, report)
        for part in turn.parts:
            if isinstance(part, ToolResult) and _are_texts(part.parts):
                part.parts = _joined(part.parts, BETWEEN_TEXTS, report)


def _are_texts(parts: list[Part]) -> bool:
    return all(type(part) is Text for part in parts)


def _joined(parts: list[Part], between: str, report: Report) -> list[Part]:
    """The parts with all texts in the first of them."""
    texts = [part for part in parts if type(part) is Text]
    for text in texts[1:]:
        report.at("PLC-8", text)
    for text in texts:
        if text.cache is not None:
            report.at("CAC-4", text, "cache")
    if len(texts) < 2 and not any(text.cache for text in texts):
        return parts
    whole = Text(between.join(text.text for text in texts), texts[0].citations, None, texts[0].src)
    others = set(map(id, texts[1:]))
    return [whole if part is texts[0] else part for part in parts if id(part) not in others]
