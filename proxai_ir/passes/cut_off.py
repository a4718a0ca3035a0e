"""A response that was cut off within the arguments of its last call: the call is left out (TUL-29).

Rule 1: only for targets whose calls have objects as arguments; others get the text as far as it got. Rule 2: only a
last call, and only where the ending explains it; all other arguments that are no object are refused (TUL-1). Rule 3: a
stream has sent the call by then and cannot take it back, so that only the loss is reported (streaming/pipeline.py).
"""

from __future__ import annotations

from ..ir.parts import FunctionCall, McpCall
from ..ir.response import Response
from ..ir.terminal import CUT_OFF
from ..report import Report
from ..rules.conditions import flaw_of_arguments


def leave_out(response: Response, report: Report) -> None:
    """Drop the last call of each candidate that was cut off within its arguments."""
    for candidate in response.candidates:
        turns = candidate.turns
        if candidate.terminal.reason not in CUT_OFF or not turns or not turns[-1].parts:
            continue
        call = turns[-1].parts[-1]
        if not isinstance(call, (FunctionCall, McpCall)) or type(call.arguments) is not str:
            continue
        if flaw_of_arguments(call.arguments):
            report.at("TUL-29", call)
            turns[-1].parts.pop()
