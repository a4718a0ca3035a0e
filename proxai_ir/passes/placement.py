"""Put parts where the target wants them: instructions to the top, nested parts unfolded, what is lost left out.

Placement moves parts and never changes them; what a part's place said and the target cannot, is recorded here.
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from typing import Any

from ..ir.node import Cache
from ..ir.parts import (
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
from ..ir.response import Response
from ..ir.turns import Role, Turn
from .legalize import Findings
from .profile import Placement

INSTRUCTIONS = (Role.SYSTEM, Role.DEVELOPER)
CALLS = (FunctionCall, CustomCall)
# the order in which a target with separate members says them
ORDER: dict[type, int] = {Reasoning: 0, Text: 1, Refusal: 1, FunctionCall: 2, CustomCall: 2}


def place(root: Any, placement: Placement, findings: Findings, options: dict[str, Any]) -> None:
    """Give a Request or Response, which is the pipeline's own copy, its placed turns."""
    if isinstance(root, Request):
        root.turns = list(_turns(root.turns or [], placement, findings))
        if placement.instructions == "top":
            root.turns = _hoisted(root.turns, findings, bool(options.get("system_in_place")))
        if root.tools and findings.dropped:
            root.tools = [tool for tool in root.tools if id(tool) not in findings.dropped]
    elif isinstance(root, Response):
        for candidate in root.candidates:
            candidate.turns = list(_turns(candidate.turns, placement, findings))
            _joined(candidate.turns, placement, findings)


def _turns(turns: Iterable[Turn], placement: Placement, findings: Findings) -> Iterable[Turn]:
    for turn in turns:
        parts = _parts(turn.parts, placement, findings)
        if not placement.ordered and turn.role is Role.ASSISTANT:
            _interleaved(turn, parts, findings)
        yield turn if parts is turn.parts else Turn(turn.role, parts, turn.name, turn.src, turn.own)


def _parts(parts: list[Part], placement: Placement, findings: Findings) -> list[Part]:
    """The parts that the target gets; the same list where all of them are as it wants them."""
    for part in parts:
        if id(part) in findings.dropped or part.__class__ in _MAY_CHANGE:
            break
        if part.__class__ is Text and not placement.empty_text and not part.text.strip():
            break
    else:
        return parts
    placed: list[Part] = []
    for part in parts:
        if id(part) not in findings.dropped:
            placed += _placed(part, placement, findings)
    return placed


_MAY_CHANGE = frozenset({Document, SearchResult, ToolResult})


def _placed(part: Part, placement: Placement, findings: Findings) -> list[Part]:
    if isinstance(part, Text) and not placement.empty_text and not part.text.strip():
        findings.at("PLC-9" if part.text else "PLC-10", part)
        return []
    if isinstance(part, ToolResult):
        inner = _parts(part.parts, placement, findings)
        if not placement.nested:
            inner = [one for each in inner for one in _read_out(each)]
        return [part if inner is part.parts else _with_parts(part, inner)]
    if isinstance(part, Document) and isinstance(part.source, Chunks):
        inner = _parts(part.source.parts, placement, findings)
        if not placement.nested:
            return _marked(inner, part.cache)
    if isinstance(part, SearchResult) and not placement.nested:
        return _marked(_parts(part.parts, placement, findings), part.cache)
    return [part]


def _marked(parts: list[Part], cache: Cache | None) -> list[Part]:
    """A marker behind what held these parts stands behind the last of them (CAC-1)."""
    last = parts[-1] if parts else None
    if cache is None or not isinstance(last, (Text, Image)) or last.cache is not None:
        return parts
    marked = copy(last)
    marked.cache = cache
    return [*parts[:-1], marked]


def _read_out(part: Part) -> list[Part]:
    """Inside a result that holds text only, a document that is given as text is its text."""
    if isinstance(part, Document) and isinstance(part.source, PlainText):
        return [Text(part.source.text, None, part.cache, part.src)]
    return [part]


def _with_parts(result: ToolResult, parts: list[Part]) -> ToolResult:
    return ToolResult(result.call_id, parts, result.is_error, result.cache, result.src, result.own)


def _hoisted(turns: list[Turn], findings: Findings, in_place: bool) -> list[Turn]:
    """All instructions in one turn at the top; those that stood further down lose their place (PLC-2)."""
    top: list[Part] = []
    others: list[Turn] = []
    first: Turn | None = None
    for turn in turns:
        if turn.role not in INSTRUCTIONS or (others and in_place):
            others.append(turn)
            continue
        if others and turn.parts:
            findings.at("PLC-2", turn)
        first = first or turn
        top += turn.parts
    if first is None:
        return turns
    return [Turn(Role.SYSTEM, top, None, first.src), *others] if top else others


def _interleaved(turn: Turn, parts: list[Part], findings: Findings) -> None:
    last = 0
    for part in parts:
        rank = ORDER.get(part.__class__, last)
        if rank < last:
            findings.at("PLC-4", part)
        last = max(last, rank)


def _joined(turns: list[Turn], placement: Placement, findings: Findings) -> None:
    if placement.text_parts:
        return
    texts = [part for turn in turns for part in turn.parts if part.__class__ is Text]
    for part in texts[1:]:
        findings.at("PLC-8", part)
