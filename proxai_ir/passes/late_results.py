"""Results of tools that come late, moved to their calls: a target wants every result before the next response (TUL-33).

Some clients run tools while the model goes on, which Responses permits.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from ..ir.parts import Part
from ..ir.request import Request
from ..ir.turns import TOOL, Turn
from ..reporting.report import Report
from ..rules.constraints import Constraints
from .rounds import rounds


def bring_forward(root: Request, constraints: Constraints, report: Report, options: Mapping[str, Any]) -> None:
    """Move each result that another response precedes to the end of the response that has its call."""
    late = rounds(root, report).late
    if not late:
        return
    behind: defaultdict[int, list[Part]] = defaultdict(list)  # by the turn that the response ends with
    for result, called in late:
        report.at("TUL-33", result)
        behind[id(called.last)].append(result)
    moved = {id(result) for result, _ in late}
    turns: list[Turn] = []
    for turn in root.turns or ():
        parts = [part for part in turn.parts if id(part) not in moved]
        if parts or not turn.parts:
            turn.parts = parts
            turns.append(turn)
        if id(turn) in behind:
            results = behind[id(turn)]
            turns.append(Turn(TOOL, results, None, results[0].src))
    root.turns = turns
    report.facts.rounds = None
