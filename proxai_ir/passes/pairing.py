"""What links tool calls to tools and results: every result belongs to a call, every call has an id and a result (TUL-3,
TUL-5, TUL-10), and names are such as the target accepts (TUL-8, TUL-26).

Ids that the target does not accept are rewritten here, the same way in calls and results (TUL-13).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ..ir.parts import CustomCall, FunctionCall, ToolResult
from ..ir.request import Request
from ..ir.response import Response
from ..ir.turns import ASSISTANT, TOOL, USER, Role, Turn
from ..json_types import quoted
from ..report import Report
from ..rules.constraints import Constraints
from .naming import Names, name_tools, qualify
from .state import TOOL_NAMES, names_of


def pair(root: Any, constraints: Constraints, report: Report, options: Mapping[str, Any]) -> None:
    """Record what does not link in the placed turns of a request, or among the calls of a response; rewrite ids."""
    if isinstance(root, Response):
        if report.facts.linked:
            _answered(root, constraints, report, set(names_of(options, TOOL_NAMES).values()))
        return
    assert isinstance(root, Request)
    if not root.tools and not report.facts.linked and root.tool_choice is None:
        return
    names = name_tools(root, constraints, report)
    if not report.facts.linked:
        return
    links = _Links(constraints, report, names)
    last: Role | None = None
    for turn in root.turns or ():
        if turn.role is ASSISTANT:
            if last is not ASSISTANT:
                links.close()
            links.calls(turn)
        elif turn.role is USER or turn.role is TOOL:
            links.results(turn)
        else:
            continue
        last = turn.role
    if last is not ASSISTANT or not constraints.open_calls:
        links.close()


def accept_call(call: Any, constraints: Constraints, report: Report) -> None:
    """Give a call of a response the name and the id that the target accepts instead of its own (TUL-25, TUL-13)."""
    if call.namespace is not None and not constraints.namespaces:
        qualify(call, constraints, report)
    if call.id is None:
        return
    accepted = call.id if constraints.call_id is None else constraints.call_id(call.id)
    if accepted != call.id:
        report.at("TUL-13", call, "id")
        call.id = accepted


def _answered(response: Response, constraints: Constraints, report: Report, given_back: Collection[str]) -> None:
    """The calls of a response, which have no results yet. Names that `state` gave back are those of the client."""
    callable_ = constraints.tool_name
    for candidate in response.candidates:
        for turn in candidate.turns:
            seen: set[str] = set()
            for part in turn.parts:
                if type(part) is FunctionCall or type(part) is CustomCall:
                    if callable_ is not None and part.name not in given_back and not callable_(part.name):
                        report.at("TUL-8", part, "name")
                    if part.id is not None:
                        if part.id in seen:
                            report.at("TUL-16", part, "id")
                        seen.add(part.id)
                    accept_call(part, constraints, report)


class _Links:
    """The calls that wait for their results.

    waiting    by their ids in the source
    rewritten  source id -> accepted id, of the calls whose ids differ
    """

    def __init__(self, constraints: Constraints, report: Report, names: Names) -> None:
        self.accepted, self.names = constraints.call_id, names
        self.at = report.at
        self.waiting: dict[str, FunctionCall | CustomCall] = {}
        self.rewritten: dict[str, str] = {}

    def calls(self, turn: Turn) -> None:
        waiting, accepted_id, name = self.waiting, self.accepted, self.names.give
        for part in turn.parts:
            if type(part) is FunctionCall or type(part) is CustomCall:
                name(part)
                identity = part.id
                if identity is None:
                    self.at("TUL-5", part)
                    continue
                if identity in waiting:
                    self.at("TUL-16", part, "id")
                waiting[identity] = part
                if accepted_id is not None and (accepted := accepted_id(identity)) != identity:
                    self.at("TUL-13", part, "id")
                    part.id = self.rewritten[identity] = accepted

    def results(self, turn: Turn) -> None:
        waiting, rewritten = self.waiting, self.rewritten
        for part in turn.parts:
            if type(part) is ToolResult:
                identity = part.call_id
                if part.name is not None:
                    part.name = self.names.sent.get((None, part.name), part.name)
                if waiting.pop(identity, None) is None:
                    self.at("TUL-3", part, "call_id", f"call id {quoted(identity, 80)}")
                if identity in rewritten:
                    self.at("TUL-13", part, "call_id")
                    part.call_id = rewritten[identity]

    def close(self) -> None:
        """The next assistant turn begins: calls that still wait have no result."""
        for identity, call in self.waiting.items():
            self.at("TUL-10", call, "id", f"call id {quoted(identity, 80)}")
        self.waiting.clear()
