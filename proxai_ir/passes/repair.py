"""Broken calls in the history of a request, made such as targets take: the option `repair` (TUL-30 to TUL-32).

Without it they refuse the request, and with it every later request of the same conversation (TUL-1, TUL-3, TUL-10).

Rule: a call is never given other arguments, and a result is never given to a call that another result is of. What no
id links is linked first (loose_calls.py). A request whose calls are in order is not walked.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping
from typing import Any

import orjson

from ..ir.parts import CALLS, FunctionCall, Part, Text, ToolResult
from ..ir.request import Request
from ..ir.turns import ASSISTANT, TOOL, USER, Turn, without
from ..reporting.report import Report
from ..rules.conditions import checked
from ..rules.constraints import Constraints
from .call_ids import remember
from .loose_calls import link
from .rounds import Round, rounds

BROKEN_CALLS = "calls"
REPAIRS = frozenset({BROKEN_CALLS})
"""What the option `repair` may name."""
NO_RESULT = "No result was recorded for this call."
"""The text of the result that is sent in place of a missing one."""


def repair(root: Request, constraints: Constraints, report: Report, options: Mapping[str, Any]) -> None:
    """Leave out calls that cannot be parsed and results without a call; answer calls that have no result."""
    if BROKEN_CALLS not in (options.get("repair") or ()):
        return
    found = rounds(root, report)
    if not found.orderly or any(map(_is_broken, found.all)):
        if not found.orderly:
            link(found.all, report)
        root.turns = _Repairing(report).repaired(root.turns or [], constraints.open_calls)
    report.facts.rounds = None  # as what is judged next may go


class _Repairing:
    """
    waiting   the calls without a result, each with its number, by id; several only of one turn, in order
    alike     the calls that have the id of another one of their response
    answered  the results of this response, by id
    broken    the ids of calls that were left out and may have a result
    replaced  the results that another one takes the place of
    kept      the turns so far
    ends      where in `kept` a response ends, by its number
    """

    def __init__(self, report: Report) -> None:
        self._report = report
        self._waiting: dict[str, deque[tuple[Any, int]]] = {}
        self._alike: set[int] = set()
        self._answered: dict[str, ToolResult] = {}
        self._broken: set[str | None] = set()
        self._replaced: set[int] = set()
        self._missing: defaultdict[int, list[Any]] = defaultdict(list)
        self._kept: list[Turn] = []
        self._ends: dict[int, int] = {}

    def repaired(self, turns: list[Turn], may_end_with_calls: bool) -> list[Turn]:
        number, answered = 0, False
        for turn in turns:
            parts = turn.parts
            if turn.role is ASSISTANT:
                number, answered = number + answered, False
                self._answered.clear()
                parts = self._calls(parts, number)
                if parts or not turn.parts:
                    self._ends[number] = len(self._kept)
            elif turn.role is USER or turn.role is TOOL:
                answered = True
                parts = [part for part in parts if type(part) is not ToolResult or self._answers(part)]
            if parts or not turn.parts:
                turn.parts = parts
                self._kept.append(turn)
        for calls in self._waiting.values():
            for call, of in calls:
                if answered or of < number or not may_end_with_calls:
                    self._missing[of].append(call)
        made = self._with_placeholders()
        return without(made, self._replaced) if self._replaced else made

    def _calls(self, parts: list[Part], number: int) -> list[Part]:
        """The parts of an assistant's turn but for broken calls; a call waits for its result from here on."""
        kept: list[Part] = []
        here: set[str] = set()
        for part in parts:
            if type(part) is FunctionCall and not _parses(part.arguments):
                self._report.at("TUL-30", part, "arguments")
                self._broken.add(part.id)
                continue
            kept.append(part)
            if isinstance(part, CALLS) and part.id is not None:
                self._wait(part, part.id, number, part.id in here)
                here.add(part.id)
                self._broken.discard(part.id)
        return kept

    def _wait(self, call: Any, identity: str, number: int, alike: bool) -> None:
        """The results of calls that have the same id in one turn come in their order; where a later turn has the id
        again, it belongs to that call from now on."""
        waiting = self._waiting.setdefault(identity, deque())
        if waiting and waiting[-1][1] == number:
            self._alike |= {id(waiting[-1][0]), id(call)}
        if waiting and not alike:
            for earlier, of in waiting:
                self._missing[of].append(earlier)
            waiting.clear()
        waiting.append((call, number))

    def _answers(self, result: ToolResult) -> bool:
        """Whether a result belongs to a call; where a call has two in a row, it is the last one."""
        identity = result.call_id
        if identity is None:  # which tables refuse (TUL-5)
            return True
        waiting, earlier = self._waiting.get(identity), self._answered.get(identity)
        if waiting:
            waiting.popleft()
        elif earlier is not None:
            self._report.at("TUL-32", earlier, "", "a later result of its call takes its place")
            self._replaced.add(id(earlier))
        else:
            self._report.at("TUL-30" if identity in self._broken else "TUL-32", result)
            return False
        self._answered[identity] = result
        return True

    def _with_placeholders(self) -> list[Turn]:
        """The turns, with a result for each call that has none, right behind the response that has the call."""
        behind = {self._ends[number]: calls for number, calls in self._missing.items()}
        made: list[Turn] = []
        for index, turn in enumerate(self._kept):
            made.append(turn)
            results: list[Part] = []
            for call in behind.get(index, ()):
                self._report.at("TUL-31", call, "id")
                if id(call) in self._alike:  # its own, so that its result is not that of the other call
                    self._report.at("TUL-46", call, "id")
                    remember([call.id], self._report)
                    call.id = checked(call.id, f"{len(made)} {len(results)} {call.id}")
                results.append(ToolResult(call.id, [Text(NO_RESULT, None, None, call.src)], None, None, call.src))
            if results:
                made.append(Turn(TOOL, results, None, results[0].src))
        return made


def _is_broken(one: Round) -> bool:
    return any(type(call) is FunctionCall and not _parses(call.arguments) for call in one.calls)


def _parses(arguments: str | dict[str, Any]) -> bool:
    """Whether arguments are an object, or no text at all (TUL-1)."""
    if not isinstance(arguments, str) or not arguments or arguments.isspace():
        return True
    try:
        return isinstance(orjson.loads(arguments), dict)
    except ValueError:
        return False
