"""Put parts where the target takes them: nested parts unfolded, items joined, blank text left out.

Rule: placement moves parts and does not change what they say; what a place meant and the target cannot express is
reported here (PLC).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..ir.parts import (
    WORDING,
    Chunks,
    CustomCall,
    Document,
    FunctionCall,
    Image,
    Part,
    PlainText,
    Reasoning,
    Refusal,
    SearchResult,
    Text,
    ToolResult,
)
from ..ir.request import Request
from ..ir.response import Response, answers
from ..ir.turns import ASSISTANT, Turn
from ..reporting.report import Report
from ..rules.constraints import Constraints
from ..rules.rows import RUN
from .instructions import INSTRUCTIONS
from .items import IsEmpty, join_items

ONE_STRING = (Reasoning, Refusal)
"""Parts that a target without ordered parts has one string member for."""
RANK: dict[type, int] = {Reasoning: 0, Text: 1, Refusal: 2, Image: 3, FunctionCall: 4, CustomCall: 4}
"""The order of that target's members: reasoning, then text, refusal, images and calls."""


def place(root: Request, constraints: Constraints, report: Report, _: Mapping[str, Any]) -> None:
    """Unfold what the target cannot nest, join items, leave blank text out."""
    turns = root.turns or []
    if constraints.empty_text and len(turns) > 1 and turns[0].role in INSTRUCTIONS:
        _silence(turns[0], report)
    root.turns = _placed(turns, constraints, report, _is_blank, not constraints.text_arrays)


def _silence(first: Turn, report: Report) -> None:
    """Instructions with empty text are dropped, even if the target accepts empty text (PLC-13)."""
    for part in first.parts:
        if type(part) is not Text or part.text or part.cache is not None:
            return
    first.parts = []
    report.facts.emptied = True


def place_response(root: Response, constraints: Constraints, report: Report, _: Mapping[str, Any]) -> None:
    """Join items and leave empty text out; one candidate, and one text, where the target has no more."""
    if not constraints.alternatives and len(root.candidates) != 1:
        report.at("CHO-1", root, "candidates", f"found {len(root.candidates)}")
    media = report.facts.media
    for candidate in root.candidates:
        if media is not None and not any(map(_shows, candidate.parts)):
            report.at("PLC-3", media)  # an empty answer would be taken for the model's
        candidate.turns = _placed(candidate.turns, constraints, report, _has_no_text, not constraints.text_parts)
        if not constraints.text_parts:
            _report_joined_text(candidate.turns, report)


def _shows(part: Part) -> bool:
    """Whether a part is something of an answer for its user, and not how the model came to it."""
    return answers(part) and not isinstance(part, RUN)


def _has_no_text(text: str) -> bool:
    """What is dropped from responses: whitespace is text there, as no server checks it (PLC-10)."""
    return not text


def _is_blank(text: str) -> bool:
    """What is dropped from requests, since servers reject it (PLC-9, PLC-10)."""
    return not text or text.isspace()


def _placed(
    turns: list[Turn], constraints: Constraints, report: Report, is_empty: IsEmpty, one_text: bool
) -> list[Turn]:
    dropped = None if constraints.empty_text else is_empty
    if not constraints.items:
        turns = join_items(turns, report, dropped, one_text)
    if report.facts.reshaped or (dropped is not None and _has_empty_text(turns, dropped)):
        for turn in turns:
            turn.parts = _placed_parts(turn.parts, constraints, report, dropped)
            report.facts.emptied = report.facts.emptied or not turn.parts
    if not constraints.ordered:
        for turn in turns:
            if turn.role is ASSISTANT and len(turn.parts) > 1:
                Interleaving(report).follow(turn.parts)
    return turns


# --- parts ------------------------------------------------------------------------------------------------------------


def _has_empty_text(turns: list[Turn], is_empty: IsEmpty) -> bool:
    """Whether some text is empty, or some part has text inside that may be."""
    for turn in turns:
        for part in turn.parts:
            if isinstance(part, WORDING):
                text = part.text
                if (not text or text[0].isspace()) and is_empty(text):
                    return True
            elif type(part) is ToolResult:
                for inner in part.parts:
                    if type(inner) is Text and is_empty(inner.text):
                        return True
            elif type(part) in UNFOLD:
                return True
    return False


def _placed_parts(parts: list[Part], constraints: Constraints, report: Report, is_empty: IsEmpty | None) -> list[Part]:
    """The parts without text that is empty to the target, nested ones unfolded."""
    placed: list[Part] = []
    for at, part in enumerate(parts):
        if is_empty is not None and isinstance(part, WORDING) and is_empty(part.text):
            if constraints.placed_seals and _is_between_seals(parts, at):
                placed.append(part)
                continue
            report.at("PLC-9" if part.text else "PLC-10", part)
            if type(part) is Text and part.cache is not None:
                report.at("CAC-4", part, "cache")
        else:
            unfold = UNFOLD.get(type(part))
            placed += (part,) if unfold is None else unfold(part, constraints, report, is_empty)
    return placed


def _is_between_seals(parts: list[Part], at: int) -> bool:
    """Whether a text stands right between signed reasoning and further reasoning (PLC-26)."""
    after = parts[at + 1] if at + 1 < len(parts) else None
    before: Any = parts[at - 1] if at else None
    return type(before) is Reasoning and before.seal is not None and type(after) is Reasoning


def _result(part: ToolResult, constraints: Constraints, report: Report, is_empty: IsEmpty | None) -> list[Part]:
    part.parts = _placed_parts(part.parts, constraints, report, is_empty)
    if not constraints.media_results:
        part.parts = [_as_text(inner, report) for inner in part.parts]
    return [part]


def _as_text(part: Part, report: Report) -> Part:
    """Inside a result that holds text only, a document that is given as text is that text, without its title."""
    if not isinstance(part, Document) or not isinstance(part.source, PlainText):
        return part
    if part.title is not None:
        report.at("DOC-1", part, "title")
    return Text(part.source.text, None, part.cache, part.src)


def _document(part: Document, constraints: Constraints, report: Report, is_empty: IsEmpty | None) -> list[Part]:
    if constraints.nested or not isinstance(part.source, Chunks):
        return [part]
    return move_breakpoint(_placed_parts(part.source.parts, constraints, report, is_empty), part, report)


def _search_result(
    part: SearchResult, constraints: Constraints, report: Report, is_empty: IsEmpty | None
) -> list[Part]:
    if constraints.nested:
        return [part]
    heading = Text("\n".join(filter(None, (part.title, part.source))), None, None, part.src)
    return move_breakpoint(_placed_parts([heading, *part.parts], constraints, report, is_empty), part, report)


UNFOLD: dict[type, Callable[[Any, Constraints, Report, IsEmpty | None], list[Part]]] = {
    ToolResult: _result,
    Document: _document,
    SearchResult: _search_result,
}
"""What replaces a part that holds parts."""


def move_breakpoint(parts: list[Part], holder: Any, report: Report) -> list[Part]:
    """The cache breakpoint of `holder` goes to the last of the parts that it held, if that can have one (CAC-1)."""
    if holder.cache is not None:
        last = parts[-1] if parts else None
        if not isinstance(last, (Text, Image, Document)):
            report.at("CAC-4", holder, "cache")
        elif last.cache is None:  # else the same place has a breakpoint already
            last.cache = holder.cache
    return parts


# --- turns ------------------------------------------------------------------------------------------------------------


class Interleaving:
    """What members instead of ordered parts cost: the order among them, and boundaries within one (PLC-4, PLC-8)."""

    __slots__ = ("_highest", "_report", "_seen")

    def __init__(self, report: Report) -> None:
        self._report = report
        self._highest = 0
        self._seen: tuple[type, ...] = ()

    def follow(self, parts: list[Part]) -> None:
        """The next parts of the turn."""
        for part in parts:
            cls = type(part)
            if cls in ONE_STRING:
                if cls in self._seen:
                    self._report.at("PLC-8", part)
                else:
                    self._seen += (cls,)
            rank = RANK.get(cls, self._highest)
            if rank < self._highest:
                self._report.at("PLC-4", part)
            else:
                self._highest = rank


def _report_joined_text(turns: list[Turn], report: Report) -> None:
    """All but the first text of a turn, for a target that has one string for them (PLC-8)."""
    for turn in turns:
        seen = False
        for part in turn.parts:
            if type(part) is Text:
                if seen:
                    report.at("PLC-8", part)
                seen = True
