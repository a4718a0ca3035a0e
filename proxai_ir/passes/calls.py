"""Link tool calls to tools and results: every call has an id and a result, every result belongs to a call.

Owns the ids of calls (TUL-13, TUL-46), the rounds of a request, the order of results (TUL-3, TUL-5, TUL-10, TUL-33),
and the option `repair` (TUL-17, TUL-30 to TUL-32, TUL-63).
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import count
from typing import Any

import orjson

from ..ir.parts import CALLS, ClientCall, CustomCall, FunctionCall, Part, Text, ToolResult
from ..ir.request import ASSISTANT, TOOL, USER, Request, Turn, without
from ..ir.response import Candidate, Response
from ..json.types import quoted
from ..reporting.report import Report
from ..targets.conditions import checked
from ..targets.constraints import Constraints
from .naming import Names, make_known, name_tools, qualify
from .seals import asked_for, divided
from .stages import CALL_IDS, TOOL_NAMES, ids_of, names_of

ANSWERED = (FunctionCall, CustomCall, ClientCall)
"""Calls that the client responds to, by their ids."""
Call = Any
"""A call of any of these classes."""

# --- ids --------------------------------------------------------------------------------------------------------------
# Some providers count the calls of each response, so that `call_0` comes again in every round, and other targets accept
# an id once. An id depends only on what precedes its call, so that a call keeps its id when the conversation goes on.


class CallIds:
    """The ids that calls have so far.

    accepted  as in Constraints: makes an id one that the target accepts
    known     ids that are taken from the start
    signed    whether ids may carry signatures, which no provider receives (RSN-29)
    """

    def __init__(
        self, accepted: Callable[[str], str] | None, known: Collection[str] = (), *, signed: bool = False
    ) -> None:
        self._accepted = accepted
        self._known = known
        self._signed = signed
        self._taken: set[str] = set()
        self._repeats: dict[str, int] = {}

    def give(self, call: Any, report: Report) -> None:
        """Give a call the id that it has in the target, which no other call has."""
        given, carried = divided(call.id) if self._signed else (call.id, "")
        accepted = given if self._accepted is None else self._accepted(given)
        if accepted != given:
            report.at("TUL-13", call, "id")
        if accepted in self._taken or accepted in self._known:
            report.at("TUL-46", call, "id")
            accepted = self._other(accepted)
        self._taken.add(accepted)
        if accepted != given:
            call.id = accepted + carried

    def _other(self, identity: str) -> str:
        """Return a new id for a repeated one: with a checksum of how often it was repeated so far."""
        made = identity
        while made in self._taken or made in self._known:
            number = self._repeats[identity] = self._repeats.get(identity, 0) + 1
            made = checked(identity, f"{number} {identity}")
            made = made if self._accepted is None else self._accepted(made)
        return made

    def forget(self) -> None:
        """Forget the ids so far, for targets that accept each of them again in a later round."""
        self._taken.clear()
        self._repeats.clear()


class ResponseIds:
    """The ids of a response's calls: each is new in its candidate and not among those of the history in `state`."""

    def __init__(self, accepted: Callable[[str], str] | None, options: Mapping[str, Any]) -> None:
        self._accepted = accepted
        self._options = options
        self._known: frozenset[str] | None = None
        self._candidates: dict[int, CallIds] = {}

    def of(self, candidate: int) -> CallIds:
        """Return the ids of one candidate."""
        ids = self._candidates.get(candidate)
        if ids is None:
            if self._known is None:  # most responses have no calls
                self._known = frozenset(ids_of(self._options))
            seals = asked_for(self._options)
            signed = seals is not None and seals.ids
            ids = self._candidates[candidate] = CallIds(self._accepted, self._known, signed=signed)
        return ids


def remember(ids: Iterable[str], report: Report) -> None:
    """Note the ids of a request's calls in `state`, as the client has them."""
    listed = [*dict.fromkeys((*report.state.get(CALL_IDS, ()), *ids))]
    if listed:
        report.state[CALL_IDS] = listed


# --- rounds -----------------------------------------------------------------------------------------------------------
# A round is a response, the calls in it, and the results before the next response. One walk collects them when the
# first pass asks; the report's facts keep them until a pass moves turns. In nearly every request all calls are answered
# at once and no id comes twice: it is `orderly`, and needs nothing for late results, ids or calls without a result.


class Round:
    """One response and the replies to it.

    start    the index of its first turn; 0 for the first round, which may begin without the assistant
    replies  the index of the first turn after the response
    last     the last turn of the response
    """

    __slots__ = ("calls", "last", "replies", "results", "start")

    def __init__(self, start: int) -> None:
        self.start = self.replies = start
        self.last: Turn | None = None
        self.calls: list[FunctionCall | CustomCall] = []
        self.results: list[ToolResult] = []


class Rounds:
    """All rounds of a request.

    late     the results that come after another response, each with the round of its call
    orderly  whether each call has an id of its own and a result in its round, and each result has a call
    blank    the calls whose arguments are NULL
    """

    __slots__ = ("all", "blank", "late", "orderly")

    def __init__(self) -> None:
        self.all: list[Round] = []
        self.late: list[tuple[ToolResult, Round]] = []
        self.blank: list[FunctionCall] = []
        self.orderly = True


NULL = "null"
"""The arguments that some servers write for a call without any; clients send it back (TUL-44)."""


def rounds(root: Request, report: Report) -> Rounds:
    """Return the rounds of a request's turns as they are now."""
    known: Rounds | None = report.facts.rounds
    if known is None:
        known = report.facts.rounds = _rounds(root.turns or [])
    return known


def _rounds(turns: list[Turn]) -> Rounds:
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

    Targets require every result before the next response (TUL-33); some clients run tools while the model goes on.
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


# --- requests ---------------------------------------------------------------------------------------------------------


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
    """Rewrite the names alone, since every call keeps its id and has its result."""
    plain, sent = names.plain, names.sent
    for each in found.all:
        for call in each.calls:
            if call.name not in plain or call.namespace is not None:
                names.give(call)
        for result in each.results:
            if result.name is not None and result.name not in plain:
                result.name = sent.get((None, result.name), result.name)


def _link(root: Request, found: Rounds, names: Names, constraints: Constraints, report: Report) -> None:
    """Rewrite names and ids, and report calls and results that have no counterpart."""
    links = _Links(constraints, report, names)
    for each in found.all:
        links.close()
        links.add_calls(each.calls)
        links.add_results(each.results)
    last = next((turn.role for turn in reversed(root.turns or ()) if turn.role in (ASSISTANT, USER, TOOL)), None)
    if last is not ASSISTANT or not constraints.open_calls:
        links.close()


class _Links:
    """The calls that wait for their results.

    ids        the ids that are taken in the target
    waiting    the calls by their ids in the source
    further    more calls of the same turn and id, in order: they wait for the next results with that id
    partly     the ids that several calls have, one of them with its result
    """

    def __init__(self, constraints: Constraints, report: Report, names: Names) -> None:
        self.accepted, self.names = constraints.call_id, names
        self.ids = CallIds(constraints.call_id)
        self.unique = constraints.unique_calls
        self.report, self.at = report, report.at
        self.waiting: dict[str, FunctionCall | CustomCall] = {}
        self.further: defaultdict[str, deque[FunctionCall | CustomCall]] = defaultdict(deque)
        self.partly: set[str] = set()

    def add_calls(self, calls: Iterable[FunctionCall | CustomCall]) -> None:
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

    def add_results(self, results: Iterable[ToolResult]) -> None:
        for result in results:
            identity = result.call_id
            if identity is None:  # tables refuse it (TUL-5)
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
        """Give a result the id that its call has in the target."""
        accepted = identity if self.accepted is None else self.accepted(identity)
        if accepted != identity:
            self.at("TUL-13", result, "call_id")
        if accepted != call.id:
            self.at("TUL-46", result, "call_id")
        result.call_id = call.id

    def close(self) -> None:
        """Report the calls that have no result before the next response.

        If only some calls of one id have a result, it is unknown which of them do (TUL-16).
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


# --- responses --------------------------------------------------------------------------------------------------------


def name_calls(root: Response, constraints: Constraints, report: Report, options: Mapping[str, Any]) -> None:
    """Rewrite the names and ids of calls that the target rejects."""
    answering: Answering | None = None
    for number, candidate in enumerate(root.candidates):
        calls = [part for part in candidate.parts if isinstance(part, ANSWERED)]
        if not calls:  # what is linked may have been run by the provider
            continue
        answering = answering or Answering(constraints, report, options)
        if len(calls) > 1:
            calls = _distinct(calls, candidate, report)
        for call in calls:
            answering.accept(call, number)


def _distinct(calls: list[Call], candidate: Candidate, report: Report) -> list[Call]:
    """Remove calls that repeat one of the response with the same id (TUL-77), and return the others."""
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


def is_same(call: Call, earlier: Call) -> bool:
    """Return whether a call repeats an earlier one with the same id (TUL-77)."""
    if type(call) is not type(earlier) or call.name != earlier.name:
        return False
    if isinstance(call, CustomCall):
        return bool(call.input == earlier.input and call.namespace == earlier.namespace)
    namespaces = [getattr(one, "namespace", None) for one in (call, earlier)]
    return namespaces[0] == namespaces[1] and _value(call.arguments) == _value(earlier.arguments)


def _value(arguments: Any) -> Any:
    """Return the value of arguments for a comparison; text that is not JSON is returned as it is."""
    if not isinstance(arguments, str):
        return arguments
    if not arguments.strip():
        return {}
    try:
        return orjson.loads(arguments)
    except orjson.JSONDecodeError:
        return arguments


class Answering:
    """Gives the calls of a response the names and the ids that the target accepts (TUL-25, TUL-48, TUL-13, TUL-46).

    Names that `state` restored are the client's own, so they stay, whatever its protocol accepts.
    """

    def __init__(self, constraints: Constraints, report: Report, options: Mapping[str, Any]) -> None:
        self._constraints, self._report = constraints, report
        self._ids = ResponseIds(constraints.call_id, options)
        self._given_back = frozenset(names_of(options, TOOL_NAMES).values())

    def accept(self, call: FunctionCall | CustomCall | ClientCall, candidate: int) -> None:
        """Replace the name and the id of a call that the target does not accept."""
        if not isinstance(call, ClientCall):
            if call.namespace is not None and not self._constraints.namespaces:
                qualify(call, self._constraints, self._report)
            accepts = self._constraints.tool_name
            if accepts is not None and not accepts(call.name) and call.name not in self._given_back:
                make_known(call, accepts, self._report)
        if call.id is not None:
            self._ids.of(candidate).give(call, self._report)


# --- repair -----------------------------------------------------------------------------------------------------------
# With the option `repair`, broken calls in the history are made such as targets accept (TUL-17, TUL-30 to TUL-32,
# TUL-63). Without it they refuse the request, and every later one of the conversation (TUL-1, TUL-3, TUL-10).
#
# Nothing is guessed: a call never gets other arguments, and a result goes to a call only if its name says so, if one of
# each is left in a round, or if as many of both are left and no result has a name: then they are in the same order.


BROKEN_CALLS = "calls"
REPAIRS = frozenset({BROKEN_CALLS})
"""The values that the option `repair` may list."""
NO_RESULT = "No result was recorded for this call."
"""The text of the result that is sent in place of a missing one."""


def repair(root: Request, constraints: Constraints, report: Report, options: Mapping[str, Any]) -> None:
    """Leave out calls that cannot be parsed and results without a call; answer calls that have no result."""
    if BROKEN_CALLS not in (options.get("repair") or ()):
        return
    found = rounds(root, report)
    if not found.orderly:
        _link_by_order(found.all, report)
    calls = [call for each in found.all for call in each.calls if type(call) is FunctionCall]
    if not found.orderly or any(not _parses(call.arguments) for call in calls):
        root.turns = _Repairing(report).repaired(root.turns or [], constraints.open_calls)
    report.facts.rounds = None  # legality may drop parts


def _link_by_order(every: list[Round], report: Report) -> None:
    """Give ids to calls without one (TUL-17), and to results without a call the id of the call that they answer."""
    known = {call.id for each in every for call in each.calls if call.id}
    named = {result.call_id for each in every for result in each.results if result.call_id}
    free = (name for name in map("call_{}".format, count(1)) if name not in known | named)
    for each in every:
        if any(result.call_id is None for result in each.results):
            continue  # calls of legacy functions have no ids (TUL-5)
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
    """Match results without a known id to the pending calls that they answer, where that can be determined."""
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
    """Return whether the ids of a call and a result do not contradict each other."""
    return not call.id or not result.call_id


class _Repairing:
    """Rebuilds the turns of a history, one by one.

    waiting   the calls without a result by id, each with the number of its response; several only of one turn
    alike     the calls that share their id with another call of their response
    answered  the results of the current response by id
    broken    the ids of calls that were left out and may have a result
    replaced  the results that a later one replaces
    missing   the calls that have no result, by the number of their response
    kept      the turns so far
    ends      the index in `kept` of a response's last turn, by its number
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
        """Return the turns with a result for every call, except for calls of the last response if they may wait."""
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
        """Return the parts of an assistant turn without broken calls; the other calls wait for their results."""
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
        """Add a call to those that wait. Calls of one turn with the same id (`alike`) get their results in order; if a
        later turn uses the id again, its results belong to the later call."""
        waiting = self._waiting.setdefault(identity, deque())
        if waiting and waiting[-1][1] == number:
            self._alike |= {id(waiting[-1][0]), id(call)}
        if waiting and not alike:
            for earlier, of in waiting:
                self._missing[of].append(earlier)
            waiting.clear()
        waiting.append((call, number))

    def _answers(self, result: ToolResult) -> bool:
        """Return whether a result belongs to a call; of two results of one call the last one counts. Equal ones are one
        that came twice (TUL-77)."""
        identity = result.call_id
        if identity is None:  # tables refuse it (TUL-5)
            return True
        waiting, earlier = self._waiting.get(identity), self._answered.get(identity)
        if waiting:
            waiting.popleft()
        elif earlier is not None:
            rule = "TUL-77" if earlier == result else "TUL-32"
            self._report.at(rule, earlier, "", "a later result of its call takes its place")
            self._replaced.add(id(earlier))
        else:
            self._report.at("TUL-30" if identity in self._broken else "TUL-32", result)
            return False
        self._answered[identity] = result
        return True

    def _with_placeholders(self) -> list[Turn]:
        """Return the turns with a result for each call that has none, right after the response that has the call."""
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


def _parses(arguments: str | dict[str, Any]) -> bool:
    """Return whether arguments are an object, or blank (TUL-1)."""
    if not isinstance(arguments, str) or not arguments or arguments.isspace():
        return True
    try:
        return isinstance(orjson.loads(arguments), dict)
    except ValueError:
        return False
