"""Calls and results of a request that no id links: which result is of which call, with the option `repair` (TUL-17,
TUL-63).

Rule: no result is given to a call by guessing. A result is that of a call where its name says so, where only one of
each is left in a round, or where as many are left of both and none has a name: then they stand in one order.
"""

from __future__ import annotations

from collections import defaultdict, deque
from itertools import count
from typing import Any

from ..ir.parts import ToolResult
from ..reporting.report import Report
from .rounds import Round

Call = Any  # a call of the client's, of any kind


def link(every: list[Round], report: Report) -> None:
    """Give the calls of these rounds that have no id one, and the results without a call the id of theirs."""
    known = {call.id for each in every for call in each.calls if call.id}
    named = {result.call_id for each in every for result in each.results if result.call_id}
    free = (name for name in map("call_{}".format, count(1)) if name not in known | named)
    for each in every:
        if any(result.call_id is None for result in each.results):
            continue  # of legacy functions, whose calls have no ids (TUL-5)
        loose = [result for result in each.results if result.call_id not in known]
        waiting = [call for call in each.calls if not call.id or call.id not in named]
        pairs = _pairs(waiting, loose)
        for call, result in pairs:
            report.at("TUL-63", result, "call_id" if result.name is None else "name")
            call.id = call.id or result.call_id
        for call in each.calls:
            if not call.id:
                report.at("TUL-17", call, "id")
                call.id = next(free)
        for call, result in pairs:
            result.call_id, result.name = call.id, None


def _pairs(waiting: list[Call], loose: list[ToolResult]) -> list[tuple[Call, ToolResult]]:
    """Which of the calls that wait each of these results is of, as far as it shows."""
    if len(waiting) == len(loose) == 1:
        return [*zip(waiting, loose, strict=True)] if _may_be(waiting[0], loose[0]) else []
    calls: defaultdict[str, deque[Call]] = defaultdict(deque)
    for call in waiting:
        calls[call.name].append(call)
    pairs = [
        (calls[result.name].popleft(), result)
        for result in loose
        if result.name is not None and calls[result.name] and _may_be(calls[result.name][0], result)
    ]
    taken = {id(one) for pair in pairs for one in pair}
    left = [call for call in waiting if id(call) not in taken]
    unnamed = [result for result in loose if id(result) not in taken]
    if len(left) == len(unnamed) and all(
        result.name is None and _may_be(call, result) for call, result in zip(left, unnamed, strict=True)
    ):
        pairs += zip(left, unnamed, strict=True)
    return pairs


def _may_be(call: Call, result: ToolResult) -> bool:
    """Whether their ids do not contradict each other."""
    return not call.id or not result.call_id
