"""Put parts where the target wants them: instructions to the top, nested parts unfolded, what is lost left out.

Placement moves parts and never changes them; what a part's place said and the target cannot, is recorded here.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
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
    UrlCitation,
)
from ..ir.request import Request
from ..ir.response import Response
from ..ir.turns import ASSISTANT, DEVELOPER, SYSTEM, Turn
from ..report import Report
from ..rules.constraints import Constraints

INSTRUCTIONS = (SYSTEM, DEVELOPER)
# a target with separate members says these in one string each, and all in this order
MEMBERS = (Reasoning, Refusal)
ORDER: dict[type, int] = {Reasoning: 0, Text: 1, Refusal: 1, FunctionCall: 2, CustomCall: 2}


def place(root: Any, constraints: Constraints, report: Report, options: Mapping[str, Any]) -> None:
    """Give a Request or Response, which is the pipeline's own copy, its placed turns."""
    if type(root) is Request:
        root.turns = _turns(root.turns or [], constraints, report)
        if constraints.instructions == "top":
            root.turns = _hoisted(root.turns, report, bool(options.get("system_in_place")))
    elif type(root) is Response:
        if not constraints.alternatives and len(root.candidates) != 1:
            report.at("CHO-1", root, "candidates", f"found {len(root.candidates)}")
        for candidate in root.candidates:
            candidate.turns = _turns(candidate.turns, constraints, report)
            if not constraints.text_parts:
                _joined(candidate.turns, report)


def _turns(turns: list[Turn], constraints: Constraints, report: Report) -> list[Turn]:
    """The turns with the parts that the target gets; a turn whose parts all stay is the source's own."""
    if not constraints.items:
        turns = _joined_items(turns, constraints, report)
    if report.facts.reshaped or (not constraints.empty_text and _blank_somewhere(turns)):
        all_parts = [_parts(turn.parts, constraints, report) for turn in turns]
        report.facts.emptied = report.facts.emptied or not all(all_parts)
        turns = [
            turn if parts is turn.parts else Turn(turn.role, parts, turn.name, turn.src, turn.extra)
            for turn, parts in zip(turns, all_parts, strict=True)
        ]
    if not constraints.ordered:
        for turn in turns:
            if turn.role is ASSISTANT and len(turn.parts) > 1:
                interleaved(turn.parts, report)
    return turns


def _joined_items(turns: list[Turn], constraints: Constraints, report: Report) -> list[Turn]:
    """One turn of each answer whose items the source tells as turns; others are the source's own."""
    for turn in turns:
        if turn.continues:
            break
    else:
        return turns
    joined: list[Turn] = []
    ours: Turn | None = None  # the joined turn that grows, which no one else has yet
    offset = 0  # the length of its text
    for turn in turns:
        if not turn.continues or not joined or joined[-1].role is not turn.role:
            joined.append(turn)
            ours = None
        elif not constraints.empty_text and _blank(turn, report):
            report.at("PLC-12", turn)
        elif ours is None and not constraints.empty_text and _blank(joined[-1], report):
            report.at("PLC-12", joined[-1])
            joined[-1] = turn
        else:
            if _emptied(turn, report):
                report.at("PLC-12", turn)
            if ours is None:
                before = joined[-1]
                if _emptied(before, report):
                    report.at("PLC-12", before)
                ours = joined[-1] = Turn(before.role, [*before.parts], before.name, before.src)
                offset = _length(before.parts)
            ours.parts += _shifted(turn.parts, offset) if offset else turn.parts
            offset += _length(turn.parts)
    return joined


def _blank(turn: Turn, report: Report) -> bool:
    """Whether an item has nothing but blank text: in a turn of several it would be gone without a trace."""
    if not turn.parts:
        return id(turn) in report.facts.blank
    for part in turn.parts:  # noqa: SIM110 - a generator costs more than the parts of most items
        if not isinstance(part, WORDING) or (part.text and not part.text.isspace()):
            return False
    return True


def _emptied(turn: Turn, report: Report) -> bool:
    """Whether all parts of an item were dropped and no finding names the item, whose loss a joined turn would hide."""
    return not turn.parts and id(turn) not in report.facts.named and id(turn) not in report.facts.blank


def _length(parts: list[Part]) -> int:
    length = 0
    for part in parts:
        if type(part) is Text:
            length += len(part.text)
    return length


def _shifted(parts: list[Part], offset: int) -> list[Part]:
    """Parts that stand behind other text of their turn, which is what their citations count by (CIT-1)."""
    for part in parts:
        if type(part) is Text and part.citations:
            break
    else:
        return parts
    return [_behind(part, offset) if type(part) is Text and part.citations else part for part in parts]


def _behind(part: Text, offset: int) -> Text:
    moved = copy(part)
    moved.citations = [copy(one) for one in part.citations or ()]
    for one in moved.citations:
        if isinstance(one, UrlCitation):
            one.start = None if one.start is None else one.start + offset
            one.end = None if one.end is None else one.end + offset
    return moved


def _blank_somewhere(turns: list[Turn]) -> bool:
    for turn in turns:
        for part in turn.parts:
            if isinstance(part, WORDING):
                if not part.text or part.text.isspace():
                    return True
            elif type(part) is ToolResult:
                for inner in part.parts:
                    if type(inner) is Text and (not inner.text or inner.text.isspace()):
                        return True
            elif type(part) in PLACE:
                return True
    return False


def _parts(parts: list[Part], constraints: Constraints, report: Report) -> list[Part]:
    """The parts that the target gets; the same list where all of them stay."""
    empty_text = constraints.empty_text
    placed: list[Part] | None = None
    for index, part in enumerate(parts):
        instead: list[Part] | None = None
        if isinstance(part, WORDING):
            if not empty_text and (not part.text or part.text.isspace()):
                report.at("PLC-9" if part.text else "PLC-10", part)
                if type(part) is Text and part.cache is not None:
                    report.at("CAC-4", part, "cache")
                instead = []
        elif type(part) in PLACE:
            instead = PLACE[type(part)](part, constraints, report)
        if instead is not None:
            placed = parts[:index] if placed is None else placed
            placed += instead
        elif placed is not None:
            placed.append(part)
    return parts if placed is None else placed


# What stands instead of a part; None where it stays.


def _result(part: ToolResult, constraints: Constraints, report: Report) -> list[Part] | None:
    inner = _parts(part.parts, constraints, report)
    if not constraints.media_results:
        inner = _read_out(inner, report)
    if inner is part.parts:
        return None
    changed = copy(part)
    changed.parts = inner
    return [changed]


def _read_out(parts: list[Part], report: Report) -> list[Part]:
    """Inside a result that holds text only, a document that is given as text is its text, and has no title."""
    for part in parts:
        if type(part) is not Text:
            break
    else:
        return parts
    return [
        _text_of(part, part.source, report)
        if isinstance(part, Document) and isinstance(part.source, PlainText)
        else part
        for part in parts
    ]


def _text_of(document: Document, source: PlainText, report: Report) -> Text:
    if document.title is not None:
        report.at("DOC-1", document, "title")
    return Text(source.text, None, document.cache, document.src)


def _document(part: Document, constraints: Constraints, report: Report) -> list[Part] | None:
    if constraints.nested or not isinstance(part.source, Chunks):
        return None
    return marked(_parts(part.source.parts, constraints, report), part, report)


def _search_result(part: SearchResult, constraints: Constraints, report: Report) -> list[Part] | None:
    return None if constraints.nested else marked(_parts(part.parts, constraints, report), part, report)


PLACE: dict[type, Any] = {ToolResult: _result, Document: _document, SearchResult: _search_result}


def marked(parts: list[Part], holder: Any, report: Report) -> list[Part]:
    """A marker behind what held these parts stands behind the last of them, if that can bear one (CAC-1, CAC-4)."""
    if holder.cache is None:
        return parts
    last = parts[-1] if parts else None
    if not isinstance(last, (Text, Image, Document)):
        report.at("CAC-4", holder, "cache")
        return parts
    if last.cache is not None:  # the same place, marked already
        return parts
    bearer = copy(last)
    bearer.cache = holder.cache
    return [*parts[:-1], bearer]


def _hoisted(turns: list[Turn], report: Report, in_place: bool) -> list[Turn]:
    """All instructions in one turn at the top; those that stood further down lose their place (PLC-2)."""
    top: list[Part] = []
    others: list[Turn] = []
    first: Turn | None = None
    for turn in turns:
        if turn.role not in INSTRUCTIONS or (in_place and others and others[-1].role is not ASSISTANT):
            others.append(turn)
            continue
        if not turn.parts:
            report.at("PLC-13", turn)
        elif others:
            report.at("PLC-2", turn)
        first = first or turn
        top += turn.parts
    if first is None:
        return turns
    return [Turn(SYSTEM, top, None, first.src), *others] if top else others


def interleaved(parts: list[Part], report: Report) -> None:
    """What members that are said one by one cost: the order among them, and borders within one (PLC-4, PLC-8)."""
    last = 0
    seen: tuple[type, ...] = ()
    for part in parts:
        cls = type(part)
        if cls in MEMBERS:
            if cls in seen:
                report.at("PLC-8", part)
            else:
                seen += (cls,)
        rank = ORDER.get(cls, last)
        if rank < last:
            report.at("PLC-4", part)
        else:
            last = rank


def _joined(turns: list[Turn], report: Report) -> None:
    for turn in turns:
        before = False
        for part in turn.parts:
            if type(part) is Text:
                if before:
                    report.at("PLC-8", part)
                before = True
