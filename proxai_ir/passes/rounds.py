"""The rounds of a request: a response, the calls in it, and the results that come before the next response.

Rule: found in one walk, when the first pass asks, and kept in the report's facts until a pass moves what they are of.
In nearly every request all calls are answered at once and no id comes twice: then `orderly` says that nothing is to be
done for late results, for ids or for calls without a result.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from ..ir.parts import CustomCall, FunctionCall, Part, ToolResult
from ..ir.request import Request
from ..ir.turns import ASSISTANT, TOOL, USER, Turn, without
from ..reporting.report import Report
from ..rules.constraints import Constraints


class Round:
    """
    start    which turn is its first; of the first round, which may begin without the assistant, 0
    replies  which turn is the first after its response
    last     the last turn of the response
    """

    __slots__ = ("calls", "last", "replies", "results", "start")

    def __init__(self, start: int) -> None:
        self.start = self.replies = start
        self.last: Turn | None = None
        self.calls: list[FunctionCall | CustomCall] = []
        self.results: list[ToolResult] = []


class Rounds:
    """
    late     the results that another response stands before, each with the round of its call
    orderly  whether each call has an id of its own and a result in its round, and each result a call
    blank    the calls whose arguments are the word for none
    """

    __slots__ = ("all", "blank", "late", "orderly")

    def __init__(self) -> None:
        self.all: list[Round] = []
        self.late: list[tuple[ToolResult, Round]] = []
        self.blank: list[FunctionCall] = []
        self.orderly = True


NULL = "null"
"""What some servers write for the arguments of a call that has none; clients send it back (TUL-44)."""


def rounds(root: Request, report: Report) -> Rounds:
    """The rounds of a request's turns as they stand."""
    found: Rounds | None = report.facts.rounds
    if found is None:
        found = report.facts.rounds = _found(root.turns or [])
    return found


def _found(turns: list[Turn]) -> Rounds:
    made = Rounds()
    current = Round(0)
    every, late = made.all, made.late
    every.append(current)
    orderly = True
    seen: set[str | None] = {None}  # a call without an id has no result
    waiting: dict[str | None, Round] = {}
    replied = False
    for index, turn in enumerate(turns):
        role = turn.role
        if role is ASSISTANT:
            if replied:
                orderly = orderly and not waiting
                current, replied = Round(index), False
                every.append(current)
            current.last = turn
            current.replies = index + 1
            for part in turn.parts:
                if type(part) is FunctionCall or type(part) is CustomCall:
                    if type(part) is FunctionCall and part.arguments == NULL:
                        made.blank.append(part)
                    identity = part.id
                    orderly = orderly and identity not in seen
                    seen.add(identity)
                    waiting[identity] = current
                    current.calls.append(part)
        elif role is USER or role is TOOL:
            replied = True
            for part in turn.parts:
                if type(part) is ToolResult:
                    current.results.append(part)
                    called = waiting.pop(part.call_id, None)
                    if called is not current:
                        orderly = False
                        if called is not None:
                            late.append((part, called))
    made.orderly = orderly and not waiting
    return made


def bring_forward(root: Request, constraints: Constraints, report: Report, options: Mapping[str, Any]) -> None:
    """Move each result that another response precedes to the end of the response that has its call.

    A target wants every result before the next response (TUL-33); some clients run tools while the model goes on.
    """
    late = rounds(root, report).late
    if not late:
        return
    behind: defaultdict[int, list[Part]] = defaultdict(list)  # by the turn that the response ends with
    for result, called in late:
        report.at("TUL-33", result)
        behind[id(called.last)].append(result)
    turns: list[Turn] = []
    for turn in without(root.turns or (), {id(result) for result, _ in late}):
        turns.append(turn)
        if id(turn) in behind:
            results = behind[id(turn)]
            turns.append(Turn(TOOL, results, None, results[0].src))
    root.turns = turns
    report.facts.rounds = None
