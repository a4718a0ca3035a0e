"""Link tool calls to tools and results: every call has an id and a result, every result belongs to a call.

Owns the ids of calls (TUL-13, TUL-46), the rounds of a request, the order of results (TUL-3, TUL-10, TUL-33), and the
option `repair` (TUL-17, TUL-30 to TUL-32, TUL-63).
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
from .seals import IDS, divided
from .stages import CALL_IDS, TOOL_NAMES, ids_of, names_of

# --- call ids ---------------------------------------------------------------------------------------------------------
# Ids of calls: each stands once, and is such as the target accepts (TUL-13, TUL-46).
#
# Some providers count the calls of each response, so that `call_0` comes again in every round. Rule: an id depends on
# what stands before its call and on nothing after it, so that a call keeps its id when the conversation goes on.


ANSWERED = (FunctionCall, CustomCall, ClientCall)
"""Calls that the client responds to, by their ids."""


def is_same(call: Any, earlier: Any) -> bool:
    """Return whether a call of a response is an earlier one of it once more, by the same id (TUL-77)."""
    if type(call) is not type(earlier) or call.name != earlier.name:
        return False
    if isinstance(call, CustomCall):
        return bool(call.input == earlier.input and call.namespace == earlier.namespace)
    namespaces = [getattr(one, "namespace", None) for one in (call, earlier)]
    return namespaces[0] == namespaces[1] and _value(call.arguments) == _value(earlier.arguments)


def _value(arguments: Any) -> Any:
    """Return arguments by what they mean; text that is no JSON is that text."""
    if not isinstance(arguments, str):
        return arguments
    if not arguments.strip():
        return {}
    try:
        return orjson.loads(arguments)
    except orjson.JSONDecodeError:
        return arguments


class CallIds:
    """The ids that calls have so far; `accepted`: as in Constraints; `known`: ids that are taken from the start;
    `signed`: whether ids carry signatures, which no provider gets (RSN-29)."""

    def __init__(
        self, accepted: Callable[[str], str] | None, known: Collection[str] = (), *, signed: bool = False
    ) -> None:
        self._accepted = accepted
        self._known = known
        self._signed = signed
        self._taken: set[str] = set()
        self._repeats: dict[str, int] = {}

    def give(self, call: Any, report: Report) -> None:
        """Give a call with an id the one that it has in the target, which no other one has."""
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
        """Return the id with a checksum of how often it was there; counted on, so that many repeats take no longer
        each."""
        made = identity
        while made in self._taken or made in self._known:
            number = self._repeats[identity] = self._repeats.get(identity, 0) + 1
            made = checked(identity, f"{number} {identity}")
            made = made if self._accepted is None else self._accepted(made)
        return made

    def forget(self) -> None:
        """Ids may come again from here on."""
        self._taken.clear()
        self._repeats.clear()


class ResponseIds:
    """The ids of a response's calls: in each candidate none that the conversation has, which `state` names."""

    def __init__(self, accepted: Callable[[str], str] | None, options: Mapping[str, Any]) -> None:
        self._accepted = accepted
        self._options = options
        self._known: frozenset[str] | None = None
        self._candidates: dict[int, CallIds] = {}

    def of(self, candidate: int) -> CallIds:
        ids = self._candidates.get(candidate)
        if ids is None:
            if self._known is None:  # most responses have no calls
                self._known = frozenset(ids_of(self._options))
            signed = self._options.get("carry_seals") == IDS
            ids = self._candidates[candidate] = CallIds(self._accepted, self._known, signed=signed)
        return ids


def remember(ids: Iterable[str], report: Report) -> None:
    """Note the ids of a request's calls in `state`, as the client has them."""
    listed = [*dict.fromkeys((*report.state.get(CALL_IDS, ()), *ids))]
    if listed:
        report.state[CALL_IDS] = listed


# --- rounds -----------------------------------------------------------------------------------------------------------
# The rounds of a request: a response, the calls in it, and the results that come before the next response.
#
# Rule: found in one walk, when the first pass asks, and kept in the report's facts until a pass moves what they are
# of.
# In nearly every request all calls are answered at once and no id comes twice: then `orderly` says that nothing is to
# be
# done for late results, for ids or for calls without a result.


class Round:
    """
    start    which turn is its first; of the first round, which may begin without the assistant, 0
    replies  which turn is the first after its response
    last     the last turn of the response
    """

    __slots__ = ("calls", "last", "replies", "results", "start")

    def __init__(self, start: int) -> None:
        self.start = self.replies = start
        self.last: Turn | None = None
        self.calls: list[FunctionCall | CustomCall] = []
        self.results: list[ToolResult] = []


class Rounds:
    """
    late     the results that another response stands before, each with the round of its call
    orderly  whether each call has an id of its own and a result in its round, and each result a call
    blank    the calls whose arguments are the word for none
    """

    __slots__ = ("all", "blank", "late", "orderly")

    def __init__(self) -> None:
        self.all: list[Round] = []
        self.late: list[tuple[ToolResult, Round]] = []
        self.blank: list[FunctionCall] = []
        self.orderly = True


NULL = "null"
"""What some servers write for the arguments of a call that has none; clients send it back (TUL-44)."""


def rounds(root: Request, report: Report) -> Rounds:
    """Return the rounds of a request's turns as they stand."""
    found: Rounds | None = report.facts.rounds
    if found is None:
        found = report.facts.rounds = _found(root.turns or [])
    return found


def _found(turns: list[Turn]) -> Rounds:
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

    A target wants every result before the next response (TUL-33); some clients run tools while the model goes on.
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


# --- pairing ----------------------------------------------------------------------------------------------------------
# What links tool calls to tools and results: every result belongs to a call, every call has an id and a result (TUL-3,
# TUL-5, TUL-10), and names are such as the target accepts (TUL-26, TUL-48).
#
# Ids that the target does not accept, or that stand there already, are rewritten here, the same way in calls and
# results
# (TUL-13, TUL-46).


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
    """Return the calls without those that the response has already, with the same id; these are left out (TUL-77)."""
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


# --- loose calls ------------------------------------------------------------------------------------------------------
# Calls and results of a request that no id links: which result is of which call, with the option `repair` (TUL-17,
# TUL-63).
#
# Rule: no result is given to a call by guessing. A result is that of a call where its name says so, where only one of
# each is left in a round, or where as many are left of both and none has a name: then they stand in one order.


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
    """Return whether their ids do not contradict each other."""
    return not call.id or not result.call_id


# --- repair -----------------------------------------------------------------------------------------------------------
# Broken calls in the history of a request, made such as targets take: the option `repair` (TUL-30 to TUL-32).
#
# Without it they refuse the request, and with it every later request of the same conversation (TUL-1, TUL-3, TUL-10).
#
# Rule: a call is never given other arguments, and a result is never given to a call that another result is of. What no
# id links is linked first (loose_calls.py). A request whose calls are in order is not walked.


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
        """Return the parts of an assistant's turn but for broken calls; a call waits for its result from here on."""
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
        """Return whether a result belongs to a call; where a call has two in a row, it is the last one."""
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
        """Return the turns, with a result for each call that has none, right behind the response that has the call."""
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
    """Return whether arguments are an object, or no text at all (TUL-1)."""
    if not isinstance(arguments, str) or not arguments or arguments.isspace():
        return True
    try:
        return isinstance(orjson.loads(arguments), dict)
    except ValueError:
        return False
