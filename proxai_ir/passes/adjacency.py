"""What stands next to what: tool results and the user turns around them, split or joined as the target insists (PLC-5).

Other neighbours of one role are left alone, so that boundaries are not lost for nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any

from ..ir.parts import CALLS, Part, Text, ToolResult
from ..ir.request import Request
from ..ir.turns import ASSISTANT, TOOL, USER, Turn
from ..report import Report
from ..rules.constraints import Constraints
from .placement import INSTRUCTIONS, interleaved, marked

ANSWERING = (USER, TOOL)


def regroup_tool_turns(root: Any, constraints: Constraints, report: Report, options: Mapping[str, Any]) -> None:
    """Rewrite each run of user and tool turns of a request; let no turn be empty, and no request without any."""
    if not isinstance(root, Request):
        return
    if report.facts.linked and constraints.results != "anywhere":
        root.turns = _arranged(root.turns or [], constraints, report)
    if report.facts.emptied:
        for turn in root.turns or ():
            if not turn.parts:
                _left_out(turn, report)
        root.turns = [turn for turn in root.turns or () if turn.parts]
    if not constraints.no_turns and not _anything(root.turns or [], constraints):
        report.stop()  # what was refused is missing for that reason
        report.at("PLC-17", root, "turns")


def _anything(turns: list[Turn], constraints: Constraints) -> bool:
    """Whether there is a message: what stands at the top is none."""
    if constraints.instructions != "top":
        return bool(turns)
    for turn in turns:  # noqa: SIM110 - most requests begin with one, or with their instructions and one
        if turn.role not in INSTRUCTIONS:
            return True
    return False


def _arranged(given: list[Turn], constraints: Constraints, report: Report) -> list[Turn]:
    apart = constraints.results == "turns"
    arrange = _a_turn_each if apart else _one_user_turn
    turns: list[Turn] = []
    run: list[Turn] = []
    held: list[Turn] = []  # instructions that stood between a call and its result
    waiting = 0
    for turn in given:
        if turn.role in ANSWERING:
            run.append(turn)
            for part in turn.parts:
                if type(part) is ToolResult:
                    waiting -= 1
            continue
        if turn.role in INSTRUCTIONS and waiting > 0:
            _delayed(turn, held, report)
            continue
        if run:
            turns += arrange(run, constraints, report)
            run = []
            waiting = 0
        if held and waiting <= 0:
            turns += held
            held = []
        if turn.role is ASSISTANT:
            for part in turn.parts:
                if type(part) in CALLS:
                    waiting += 1
            if apart and turns and turns[-1].role is ASSISTANT:
                _called(turns, turn, report)
                continue
        turns.append(turn)
    return [*turns, *(arrange(run, constraints, report) if run else ()), *held]


def _delayed(turn: Turn, held: list[Turn], report: Report) -> None:
    if turn.parts:  # others are told as what they are
        report.at("PLC-2", turn)
    held.append(turn)


def _called(turns: list[Turn], turn: Turn, report: Report) -> None:
    """Where every result follows its call at once, an assistant turn cannot follow one that waits for results."""
    before = turns[-1]
    if any(type(part) in CALLS for part in before.parts):
        turns[-1] = Turn(ASSISTANT, before.parts + turn.parts, before.name, before.src, before.extra)
        interleaved(turns[-1].parts, report)
    else:
        turns.append(turn)


def _one_user_turn(run: list[Turn], constraints: Constraints, report: Report) -> list[Turn]:
    """Results of tool turns join each other and the first user turn of the run, results first."""
    if len(run) == 1 and run[0].role is USER:
        return run
    others: list[Turn] = []
    results: list[Part] = []
    for turn in run:
        if turn.role is TOOL:
            results += turn.parts
        else:
            others.append(turn)
    if not others:
        return [Turn(USER, results, None, run[0].src)]
    if results:
        first = others[0]
        others[0] = Turn(USER, results + first.parts, first.name, first.src, first.extra)
    return others


def _a_turn_each(run: list[Turn], constraints: Constraints, report: Report) -> list[Turn]:
    """A turn for each result, before all that the user says; then what results of text only could not hold."""
    results: list[Turn] = []
    others: list[Turn] = []
    for turn in run:
        rest: list[Part] = []
        before = len(results)
        for part in turn.parts:
            if type(part) is ToolResult:
                moved = NONE if constraints.media_results else _media(part, report)
                said = part if not moved and part.cache is None else _text_of(part, moved, report)
                results.append(Turn(TOOL, [said], None, part.src))
                if moved:
                    rest += marked(moved, part, report)
            else:
                rest.append(part)
        if len(results) == before:
            others.append(turn)
        elif rest:
            others.append(Turn(USER, rest, turn.name, turn.src))
    return results + others if results else run


NONE: list[Part] = []


def _media(result: ToolResult, report: Report) -> list[Part]:
    """The parts of a result that a target whose results hold text only gets elsewhere (PLC-7)."""
    for part in result.parts:
        if type(part) is not Text:
            break
    else:
        return NONE
    moved = [part for part in result.parts if type(part) is not Text]
    for part in moved:
        report.at("PLC-7", part)
    return moved


def _text_of(result: ToolResult, moved: list[Part], report: Report) -> ToolResult:
    """A result of text only, its marker behind its last text, or behind what was moved."""
    parts: list[Part] = [part for part in result.parts if type(part) is Text]
    if not moved:
        parts = marked(parts, result, report)
    changed = copy(result)
    changed.parts, changed.cache = parts, None
    return changed


def _left_out(turn: Turn, report: Report) -> None:
    """Record what it costs that a turn has no parts left."""
    rule = "PLC-13" if turn.role in INSTRUCTIONS else "PLC-12" if turn.role is ASSISTANT else "PLC-11"
    report.at(rule, turn)
