"""How a request ends: with a turn of the assistant's only where the target continues it (PLC-16, PLC-19, PLC-20); and
which order of roles a target refuses: others than the assistant after results of tools (PLC-70), instructions at the
end (PLC-21), and calls, or anything of the assistant's, at the beginning (PLC-24, PLC-81).

Rule: runs when all turns stand where the target gets them, as instructions that moved and turns that were dropped
decide which one is the first and the last. A request that has no message left is refused (PLC-17), or where the caller
asks for it the instructions are the user's message (PLC-23); so is one whose beginning the target refuses.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from ..ir.parts import CALLS, WORDING, Text
from ..ir.request import Request
from ..ir.turns import ASSISTANT, TOOL, USER, Turn
from ..reporting.report import Report
from ..rules.constraints import Constraints
from .emulation import USER_TURN, is_asked
from .instructions import INSTRUCTIONS


def end(root: Request, constraints: Constraints, report: Report, options: Mapping[str, Any]) -> None:
    """End with no turn of the assistant's that the target does not continue; refuse an order that it refuses."""
    turns = root.turns or []
    detail = ""
    if constraints.last_turn != "kept" and turns and _is_answer(turns[-1]):
        if constraints.last_turn == "continued":
            _continue(turns[-1], bool(root.prefill), report)
        else:
            _drop(turns, report)
            detail = "assistant messages at the end are dropped (PLC-19)"
    if not constraints.any_role_order:
        turns = root.turns = _in_order(turns, report)
    if not (constraints.calls_first and constraints.assistant_first):
        _begin(turns, constraints, report, options)
    if not _has_message(turns, constraints):
        if turns and is_asked(USER_TURN, options):
            turns[-1].role = USER
            report.at("PLC-23", turns[-1])
            return
        report.stop()  # what was refused is missing for that reason
        report.at("PLC-17", root, "turns", detail)


def _is_answer(turn: Turn) -> bool:
    """Whether a turn is the assistant's, and does not wait for the results of its calls."""
    return turn.role is ASSISTANT and not any(type(part) in CALLS for part in turn.parts)


def _continue(last: Turn, intended: bool, report: Report) -> None:
    if not intended:
        report.at("PLC-16", last)
    part = last.parts[-1]
    if isinstance(part, WORDING) and part.text != (kept := part.text.rstrip()):
        report.at("PLC-20", part)
        part.text = kept


def _drop(turns: list[Turn], report: Report) -> None:
    """Each item of a joined turn is reported, since each is an object of its own in the source."""
    kept = len(turns)
    while kept and _is_answer(turns[kept - 1]):
        kept -= 1
    for turn in turns[kept:]:
        for item in (report.facts.joined or {}).get(id(turn), (turn,)):
            report.at("PLC-19", item)
    del turns[kept:]


PLACEHOLDER = "I have read the results."
"""The placeholder text of the assistant between tool results and the next turn; servers require some text."""


def _in_order(turns: list[Turn], report: Report) -> list[Turn]:
    """The assistant follows results of tools (PLC-70); instructions at the end are refused (PLC-21)."""
    ordered = turns[:1]
    for before, after in pairwise(turns):
        if before.role is TOOL and after.role is not TOOL and after.role is not ASSISTANT:
            report.at("PLC-70", after)
            ordered.append(Turn(ASSISTANT, [Text(PLACEHOLDER, src=after.src)], src=after.src))
        ordered.append(after)
    if turns and turns[-1].role in INSTRUCTIONS:
        report.at("PLC-21", turns[-1])
    return ordered


def _begin(turns: list[Turn], constraints: Constraints, report: Report, options: Mapping[str, Any]) -> None:
    """The assistant's first turn follows nothing that the user wrote; instructions at the top may take its place."""
    instructions = turns[0] if turns and turns[0].role in INSTRUCTIONS else None
    first = next(iter(turns[1:2] if instructions else turns[:1]), None)
    if first is None or first.role is not ASSISTANT:
        return
    call = None if constraints.calls_first else next((part for part in first.parts if type(part) in CALLS), None)
    if call is None and constraints.assistant_first:
        return
    if instructions and is_asked(USER_TURN, options):
        instructions.role = USER
        report.at("PLC-23", instructions)
    elif call is not None:
        report.at("PLC-24", call)
    else:
        report.at("PLC-81", first)


def _has_message(turns: list[Turn], constraints: Constraints) -> bool:
    """Whether there is a message; instructions at the top are none."""
    if constraints.instructions != "top":
        return bool(turns)
    for turn in turns:  # noqa: SIM110 - most requests begin with one, or with their instructions and one
        if turn.role not in INSTRUCTIONS:
            return True
    return False
