"""What links tool calls to tools and results: every result belongs to a call, every call has an id and a result (TUL-3,
TUL-5, TUL-10), and names are such as the target accepts (TUL-26, TUL-48).

Ids that the target does not accept, or that stand there already, are rewritten here, the same way in calls and results
(TUL-13, TUL-46).
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from typing import Any

from ..ir.parts import ClientCall, CustomCall, FunctionCall, ToolResult
from ..ir.request import Request
from ..ir.response import Candidate, Response
from ..ir.turns import ASSISTANT, TOOL, USER, without
from ..json.types import quoted
from ..reporting.report import Report
from ..rules.constraints import Constraints
from .call_ids import ANSWERED, CallIds, ResponseIds, is_same, remember
from .naming import Names, make_known, name_tools, qualify
from .rounds import Rounds, rounds
from .stages import TOOL_NAMES, names_of

SPEAKING = (ASSISTANT, USER, TOOL)


def pair(root: Request, constraints: Constraints, report: Report, options: Mapping[str, Any]) -> None:
    """Link calls, results and tools; rewrite names and ids that the target rejects."""
    names = name_tools(root, constraints, report)
    if not report.facts.linked:
        return
    found = rounds(root, report)
    for call in found.blank:
        report.at("TUL-44", call, "arguments")
        call.arguments = ""
    known = [call.id for each in found.all for call in each.calls if call.id is not None]
    if found.orderly and (constraints.call_id is None or known == [*map(constraints.call_id, known)]):
        _name(found, names)
    else:
        _link(root, found, names, constraints, report)
    remember(known, report)


def _name(found: Rounds, names: Names) -> None:
    """Only the names, where every call keeps its id and has its result."""
    plain, sent = names.plain, names.sent
    for each in found.all:
        for call in each.calls:
            if call.name not in plain or call.namespace is not None:
                names.give(call)
        for result in each.results:
            if result.name is not None and result.name not in plain:
                result.name = sent.get((None, result.name), result.name)


def _link(root: Request, found: Rounds, names: Names, constraints: Constraints, report: Report) -> None:
    links = _Links(constraints, report, names)
    for each in found.all:
        links.close()
        links.calls(each.calls)
        links.results(each.results)
    ends = next((turn.role for turn in reversed(root.turns or ()) if turn.role in SPEAKING), None)
    if ends is not ASSISTANT or not constraints.open_calls:
        links.close()


def name_calls(root: Response, constraints: Constraints, report: Report, options: Mapping[str, Any]) -> None:
    """Rewrite the names and ids of calls that the target rejects."""
    answering = Answering(constraints, report, options)
    for number, candidate in enumerate(root.candidates):
        calls = [part for part in candidate.parts if isinstance(part, ANSWERED)]
        if len(calls) > 1:
            calls = _distinct(calls, candidate, report)
        for call in calls:
            answering.accept(call, number)


def _distinct(calls: list[Any], candidate: Candidate, report: Report) -> list[Any]:
    """The calls without those that the response has already, with the same id; these are left out (TUL-77)."""
    first: dict[str, Any] = {}
    repeated: set[int] = set()
    for call in calls:
        known = first.setdefault(call.id, call) if call.id else call
        if known is not call and is_same(call, known):
            report.at("TUL-77", call)
            repeated.add(id(call))
    if not repeated:
        return calls
    candidate.turns = without(candidate.turns, repeated)
    return [call for call in calls if id(call) not in repeated]


class Answering:
    """Gives the calls of a response the names and the ids that the target accepts (TUL-25, TUL-48, TUL-13, TUL-46).

    Names that `state` gave back are those of the client, whatever its protocol accepts.
    """

    def __init__(self, constraints: Constraints, report: Report, options: Mapping[str, Any]) -> None:
        self._constraints, self._report = constraints, report
        self._ids = ResponseIds(constraints.call_id, options)
        self._given_back = frozenset(names_of(options, TOOL_NAMES).values())

    def accept(self, call: FunctionCall | CustomCall | ClientCall, candidate: int) -> None:
        """A call, which has no result yet."""
        if not isinstance(call, ClientCall):
            if call.namespace is not None and not self._constraints.namespaces:
                qualify(call, self._constraints, self._report)
            accepts = self._constraints.tool_name
            if accepts is not None and not accepts(call.name) and call.name not in self._given_back:
                make_known(call, accepts, self._report)
        if call.id is not None:
            self._ids.of(candidate).give(call, self._report)


class _Links:
    """The calls that wait for their results.

    ids        those that are taken in the target
    waiting    by their ids in the source
    further    more calls of one turn that have an id of those, in order: they wait for its next results
    partly     ids of several calls, of which one has its result
    """

    def __init__(self, constraints: Constraints, report: Report, names: Names) -> None:
        self.accepted, self.names = constraints.call_id, names
        self.ids = CallIds(constraints.call_id)
        self.unique = constraints.unique_calls
        self.report, self.at = report, report.at
        self.waiting: dict[str, FunctionCall | CustomCall] = {}
        self.further: defaultdict[str, deque[FunctionCall | CustomCall]] = defaultdict(deque)
        self.partly: set[str] = set()

    def calls(self, calls: Iterable[FunctionCall | CustomCall]) -> None:
        for call in calls:
            self.names.give(call)
            identity = call.id
            if identity is None:
                self.at("TUL-5", call)
                continue
            if identity in self.waiting:
                self.further[identity].append(call)
            else:
                self.waiting[identity] = call
            self.ids.give(call, self.report)

    def results(self, results: Iterable[ToolResult]) -> None:
        for result in results:
            identity = result.call_id
            if identity is None:  # which tables refuse (TUL-5)
                continue
            if result.name is not None:
                result.name = self.names.sent.get((None, result.name), result.name)
            call = self.waiting.pop(identity, None)
            if call is None:
                self.at("TUL-3", result, "call_id", f"call id {quoted(identity, 80)}")
                continue
            others = self.further.get(identity)
            if others:
                self.waiting[identity] = others.popleft()
                self.partly.add(identity)
            if call.id != identity:
                self._follow(result, identity, call)

    def _follow(self, result: ToolResult, identity: str, call: FunctionCall | CustomCall) -> None:
        """A result has the id of its call."""
        accepted = identity if self.accepted is None else self.accepted(identity)
        if accepted != identity:
            self.at("TUL-13", result, "call_id")
        if accepted != call.id:
            self.at("TUL-46", result, "call_id")
        result.call_id = call.id

    def close(self) -> None:
        """The next assistant turn begins: calls that still wait have no result.

        Where only some calls of one id have theirs, order does not show which.
        """
        for identity, call in self.waiting.items():
            rule = "TUL-16" if identity in self.partly else "TUL-10"
            for each in (call, *self.further.get(identity, ())):
                self.at(rule, each, "id", f"call id {quoted(identity, 80)}")
        self.waiting.clear()
        self.further.clear()
        self.partly.clear()
        if not self.unique:
            self.ids.forget()
