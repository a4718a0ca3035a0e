"""Broken calls in the history of a request, made such as targets take: the option `repair` (TUL-30 to TUL-32).

Without it they refuse the request, and with it every later request of the same conversation (TUL-1, TUL-3, TUL-10).

Rule: a call is never given other arguments, and a result is never given to another call.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import orjson

from ..ir.parts import CALLS, FunctionCall, Part, Text, ToolResult
from ..ir.request import Request
from ..ir.turns import ASSISTANT, TOOL, USER, Turn
from ..report import Report
from ..rules.constraints import Constraints

BROKEN_CALLS = "calls"
REPAIRS = frozenset({BROKEN_CALLS})
"""What the option `repair` may name."""
NO_RESULT = "No result was recorded for this call."
"""The text of the result that is sent in place of a missing one."""


def repair(root: Any, constraints: Constraints, report: Report, options: Mapping[str, Any]) -> None:
    """Leave out calls that cannot be parsed and results without a call; answer calls that have no result."""
    if isinstance(root, Request) and BROKEN_CALLS in (options.get("repair") or ()):
        root.turns = _Repairing(report).repaired(root.turns or [], constraints.open_calls)


class _Repairing:
    """
    waiting  the calls without a result, each with its number; by id
    broken   the ids of calls that were left out and may have a result
    kept     the turns so far
    ends     where in `kept` a response ends, by its number
    """

    def __init__(self, report: Report) -> None:
        self._report = report
        self._waiting: dict[str | None, tuple[Any, int]] = {}
        self._broken: set[str | None] = set()
        self._missing: defaultdict[int, list[Any]] = defaultdict(list)
        self._kept: list[Turn] = []
        self._ends: dict[int, int] = {}

    def repaired(self, turns: list[Turn], may_end_with_calls: bool) -> list[Turn]:
        number, answered = 0, False
        for turn in turns:
            parts = turn.parts
            if turn.role is ASSISTANT:
                number, answered = number + answered, False
                parts = [part for part in parts if self._stays(part, number)]
                if parts or not turn.parts:
                    self._ends[number] = len(self._kept)
            elif turn.role is USER or turn.role is TOOL:
                answered = True
                parts = [part for part in parts if type(part) is not ToolResult or self._answers(part)]
            if parts or not turn.parts:
                turn.parts = parts
                self._kept.append(turn)
        for call, of in self._waiting.values():
            if answered or of < number or not may_end_with_calls:
                self._missing[of].append(call)
        return self._with_placeholders()

    def _stays(self, part: Part, number: int) -> bool:
        """Whether a part of the assistant's is no broken call; a call waits for its result from here on."""
        if not isinstance(part, CALLS):
            return True
        if type(part) is FunctionCall and not _parses(part.arguments):
            self._report.at("TUL-30", part, "arguments")
            self._broken.add(part.id)
            return False
        if part.id in self._waiting:  # the same id once more: it belongs to this call from now on
            earlier, of = self._waiting[part.id]
            self._missing[of].append(earlier)
        if part.id is not None:
            self._waiting[part.id] = (part, number)
            self._broken.discard(part.id)
        return True

    def _answers(self, result: ToolResult) -> bool:
        if self._waiting.pop(result.call_id, None) is not None:
            return True
        rule = "TUL-30" if result.call_id in self._broken else "TUL-32"
        self._report.at(rule, result)
        return False

    def _with_placeholders(self) -> list[Turn]:
        """The turns, with a result for each call that has none, right behind the response that has the call."""
        behind = {self._ends[number]: calls for number, calls in self._missing.items()}
        made: list[Turn] = []
        for index, turn in enumerate(self._kept):
            made.append(turn)
            results: list[Part] = []
            for call in behind.get(index, ()):
                self._report.at("TUL-31", call, "id")
                results.append(ToolResult(call.id, [Text(NO_RESULT, None, None, call.src)], None, None, call.src))
            if results:
                made.append(Turn(TOOL, results, None, results[0].src))
        return made


def _parses(arguments: str | dict[str, Any]) -> bool:
    """Whether arguments are an object, or no text at all (TUL-1)."""
    if not isinstance(arguments, str) or not arguments or arguments.isspace():
        return True
    try:
        return isinstance(orjson.loads(arguments), dict)
    except ValueError:
        return False
