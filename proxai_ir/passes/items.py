"""What targets want in one piece: the items of a response in one turn, and contents of nothing but texts as one string.

A turn that `continues` the turn before it is the next item of the same response (PLC-6). Strings are for servers that
take no arrays there (PLC-8); what holds media stays an array, which has no other form.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..ir.parts import WORDING, Part, Text, ToolResult, UrlCitation
from ..ir.request import Request
from ..ir.turns import ASSISTANT, BETWEEN_ITEMS, Turn
from ..reporting.report import Report
from ..rules.constraints import Constraints

IsEmpty = Callable[[str], bool]
"""Whether a text is dropped, as it is empty to the target."""


def join_items(turns: list[Turn], report: Report, is_empty: IsEmpty | None, one_text: bool) -> list[Turn]:
    """One turn for each run of items; an item of which nothing is left is reported, as a joined turn would hide it.

    No `is_empty`: the target takes any text. `one_text`: the texts of the turn will be one string, in which those of
    two items are set apart (PLC-8).
    """
    for turn in turns:
        if turn.continues:
            break
    else:
        return turns
    joined: list[Turn] = []
    whole: Turn | None = None  # the joined turn at the end of the list, once there is one
    items: list[Turn] = []  # which it was joined from
    said = False  # whether it has text
    for turn in turns:
        if not turn.continues or not joined or joined[-1].role is not turn.role:
            joined.append(turn)
            whole = None
        elif is_empty is not None and _is_blank(turn, report, is_empty):
            _report_blank(turn, report)
        elif whole is None and is_empty is not None and _is_blank(joined[-1], report, is_empty):
            _report_blank(joined[-1], report)
            joined[-1] = turn
        else:
            if _emptied(turn, report):
                report.at("PLC-12", turn)
            if whole is None:
                first = joined[-1]
                if _emptied(first, report):
                    report.at("PLC-12", first)
                whole = joined[-1] = Turn(first.role, [*first.parts], first.name, first.src)
                items = [first]
                said = one_text and _set_apart(first.parts, False)
                report.facts.add_joined(whole, items)
            items.append(turn)
            if one_text:
                said = _set_apart(turn.parts, said)
            whole.parts += turn.parts
    return joined


def _set_apart(item: list[Part], follows: bool) -> bool:
    """Begin the first text of an item with a blank line, if it `follows` another. Returns whether there is text now."""
    for part in item:
        if type(part) is Text and part.text:
            if follows:
                part.text = BETWEEN_ITEMS + part.text
                for citation in part.citations or ():
                    if type(citation) is UrlCitation:
                        citation.start = len(BETWEEN_ITEMS) + (citation.start or 0)
                        citation.end = None if citation.end is None else len(BETWEEN_ITEMS) + citation.end
            return True
    return follows


def _is_blank(turn: Turn, report: Report, is_empty: IsEmpty) -> bool:
    """Whether the source's item has nothing but empty text."""
    if not turn.parts:
        return id(turn) in (report.facts.blank or ())
    for part in turn.parts:  # noqa: SIM110 - a generator costs more than the parts of most items
        if not isinstance(part, WORDING) or not is_empty(part.text):
            return False
    return True


def _report_blank(turn: Turn, report: Report) -> None:
    for part in turn.parts:
        if isinstance(part, WORDING) and part.text:
            report.at("PLC-9", part)
    report.at("PLC-12", turn)


def _emptied(turn: Turn, report: Report) -> bool:
    """Whether all parts of an item were dropped and no finding names the item itself."""
    facts = report.facts
    return not turn.parts and id(turn) not in (facts.named or ()) and id(turn) not in (facts.blank or ())


BETWEEN_TEXTS = "\n"


def takes_strings(constraints: Constraints) -> bool:
    return not constraints.text_arrays


def join_texts(root: Request, constraints: Constraints, report: Report, options: Mapping[str, Any]) -> None:
    """Join contents of nothing but texts into one string, for servers that take no arrays.

    All texts of a message are joined for those that have its media apart.
    """
    for turn in root.turns or ():
        if turn.role is ASSISTANT:  # whose texts are one response, with other members next to it
            turn.parts = _joined(turn.parts, "", report)
            continue
        if constraints.one_text or _are_texts(turn.parts):
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
