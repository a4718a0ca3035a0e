"""Results of tools that come late, moved to their calls: a target wants every result before the next response (TUL-33).

Some clients run tools while the model goes on, which Responses permits.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from ..ir.parts import CALLS, Part, ToolResult
from ..ir.request import Request
from ..ir.turns import ASSISTANT, TOOL, USER, Turn
from ..report import Report
from ..rules.constraints import Constraints

RESPONDING = (USER, TOOL)


def bring_forward(root: Request, constraints: Constraints, report: Report, options: Mapping[str, Any]) -> None:
    """Move each result that another response precedes to the end of the response that has its call."""
    if not report.facts.linked or not _some_late(root.turns or []):
        return
    kept: list[Turn] = []
    ends: dict[int, int] = {}  # where in `kept` a response ends, by its number
    late: defaultdict[int, list[Part]] = defaultdict(list)  # by the number of the response
    waiting: dict[str | None, int] = {}  # the response of each call without a result
    number, answered = 0, False
    for turn in root.turns or ():
        if turn.role is ASSISTANT:
            number, answered = number + answered, False
            ends[number] = len(kept)
            waiting |= {part.id: number for part in turn.parts if isinstance(part, CALLS)}
        elif turn.role in RESPONDING:
            answered = True
            parts: list[Part] = []
            for part in turn.parts:
                called = waiting.pop(part.call_id, number) if type(part) is ToolResult else number
                if called != number:
                    report.at("TUL-33", part)
                (parts if called == number else late[called]).append(part)
            if turn.parts and not parts:
                continue
            turn.parts = parts
        kept.append(turn)
    behind = {ends[number]: results for number, results in late.items()}
    root.turns = []
    for index, turn in enumerate(kept):
        root.turns.append(turn)
        if index in behind:
            root.turns.append(Turn(TOOL, behind[index], None, behind[index][0].src))


def _some_late(turns: list[Turn]) -> bool:
    """Whether a response begins after results or a message of the user's, while a call has no result."""
    waiting: set[str | None] = set()
    answered = False
    for turn in turns:
        if turn.role is ASSISTANT:
            if answered and waiting:
                return True
            answered = False
            for part in turn.parts:
                if type(part) in CALLS:
                    waiting.add(part.id)  # type: ignore[union-attr]
        elif turn.role in RESPONDING:
            answered = True
            for part in turn.parts:
                if type(part) is ToolResult:
                    waiting.discard(part.call_id)
    return False
