"""Calls of a response whose arguments may have broken off, or that have none (TUL-1, TUL-29).

Rule 1: a last call that was cut off is left out for targets whose calls have objects as arguments; others get the text
as far as it got. Rule 2: only the ending explains that arguments are no object; all others that are none are refused
(TUL-1), and where there is no ending, whatever the target is, since the call may be half of one (TUL-45). Rule 3: no
arguments at all are the empty object where the response ended by itself. Rule 4: a stream has sent the call by then and
cannot take it back, so that only the loss is reported (streaming/pipeline.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..ir.parts import FunctionCall, McpCall
from ..ir.response import Candidate, Response, unargued
from ..ir.terminal import CUT_OFF
from ..json.pointer import value_at
from ..reporting.report import Report
from ..rules.conditions import flaw_of_arguments
from ..rules.constraints import Constraints


def settle_calls(root: Response, constraints: Constraints, report: Report, _: Mapping[str, Any]) -> None:
    """Leave out a last call that was cut off, where the target has objects as arguments; report calls without any."""
    for candidate in root.candidates:
        turns = candidate.turns
        if not turns or not turns[-1].parts:
            continue
        if isinstance(turns[-1].parts[-1], (FunctionCall, McpCall)):
            _settle_last(candidate, report, constraints.parsed_arguments)
        for turn in turns:
            for part in turn.parts:
                if type(part) is FunctionCall and unargued(part) and part is not candidate.broken_off:
                    note_no_arguments(part, report)


def _settle_last(candidate: Candidate, report: Report, parsed: bool) -> None:
    """`parsed`: the target's calls have objects as arguments."""
    last: Any = candidate.turns[-1].parts[-1]
    ending = candidate.terminal
    if type(last.arguments) is not str or not (parsed or not ending.stated):
        return
    broken = candidate.broken_off is last or flaw_of_arguments(last.arguments)
    if ending.reason in CUT_OFF:
        if broken:
            report.at("TUL-29", last)
            candidate.turns[-1].parts.pop()
    elif not ending.stated and (broken or unargued(last)) and not _has_object(last, report):
        report.at("TUL-45", last, "arguments", flaw_of_arguments(last.arguments) or "found no arguments")


def note_no_arguments(call: Any, report: Report) -> None:
    """Report a call without arguments, unless its protocol has the empty object for that."""
    if type(call) is FunctionCall and not _has_object(call, report):
        report.at("TUL-44", call, "arguments")


def _has_object(call: Any, report: Report) -> bool:
    """Whether the arguments are an object in the source, whose streams have their text all the same."""
    return isinstance(value_at(report.place(call, "arguments")), dict)
