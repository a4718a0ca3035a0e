"""Summaries of what was said before: what they replace is dropped (PLC-63), and they are the user's text (CTX-2).

A summary takes the place of a conversation, and a client may send it alone. As text of the assistant it would be a last
turn that many servers continue or refuse, or a first one that others refuse. Those that were made here are in
envelopes, which are opened where the caller's options say so (CTX-2).

Rule: runs before all other passes, so that dropped turns have no other findings. Instructions stay.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeGuard

from ..ir.envelope import CLOSED, TAG, opened
from ..ir.node import Seal
from ..ir.parts import SUMMARY, Reference, Text
from ..ir.request import Request
from ..ir.turns import ASSISTANT, USER, Turn
from ..reporting.report import Report
from ..rules.constraints import Constraints
from .envelopes import carries, keys_of
from .instructions import INSTRUCTIONS

LEAD = "Summary of the conversation so far:"
"""What stands before a summary, so that a model does not take it for what the user says now."""


def replace(root: Request, _: Constraints, report: Report, options: Mapping[str, Any]) -> None:
    """Drop what summaries replace, and make them texts of the user's."""
    turns = _without_summarised(root.turns or [], report)
    root.turns = [made for turn in turns for made in _as_users(turn, report, options)]


def _without_summarised(turns: list[Turn], report: Report) -> list[Turn]:
    """Without all turns before the last one that begins with a summary of them."""
    last = max((index for index, turn in enumerate(turns) if turn.recap), default=0)
    kept = [turn for turn in turns[:last] if turn.role in INSTRUCTIONS]
    for turn in turns[:last]:
        if turn.role not in INSTRUCTIONS:
            report.at("PLC-63", turn)
    return [*kept, *turns[last:]]


def _as_users(turn: Turn, report: Report, options: Mapping[str, Any]) -> list[Turn]:
    """A turn in which a summary is the user's, and what follows the summary is not."""
    first = turn.parts[0] if turn.parts else None
    if is_sealed(first):
        text = _opened(first, options)
        if text is None:
            return [turn]  # which is refused (R2A-3)
        report.at("CTX-2", first)
        return [Turn(USER, [Text(_introduced(text), src=first.src)], None, turn.src)]
    if not turn.recap or type(first) is not Text:
        return [turn]
    first.text = _introduced(first.text)
    rest = turn.parts[1:]
    made = Turn(USER, [first], turn.name, turn.src, turn.extra)
    return [made, Turn(ASSISTANT, rest, None, turn.src)] if rest else [made]


def _introduced(summary: str) -> str:
    return f"{LEAD}\n\n{summary}"


def is_sealed(part: Any) -> TypeGuard[Reference]:
    """Whether a part is a summary that was made here, in its envelope."""
    return type(part) is Reference and part.id.startswith(TAG)


def _opened(part: Reference, options: Mapping[str, Any]) -> str | None:
    """The summary; None where the envelope is not opened."""
    if not carries(options):
        return None
    found = opened(Seal("", CLOSED, part.id), keys_of(options))
    return found.data if found.kind == SUMMARY else None
