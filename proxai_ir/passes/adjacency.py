"""Meet the target's demands on the order of turns: results of tools, neighbours, the first and the last turn.

Owns PLC-5 (turns are split or joined as the target insists, and others are left alone, so that no boundary is lost for
nothing), PLC-16, PLC-19 to PLC-24, PLC-70, PLC-71 and PLC-81.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from ..ir.parts import CALLS, WORDING, Part, Text, ToolResult
from ..ir.request import ASSISTANT, TOOL, USER, Request, Turn
from ..reporting.report import Report
from ..targets.constraints import Constraints
from .calls import Round, Rounds, rounds
from .emulation import USER_TURN, is_asked
from .placement import INSTRUCTIONS, Interleaving, follow_joined, leave, members_of, move_breakpoint

RESPONDING = (USER, TOOL)


def regroup_tool_turns(root: Request, constraints: Constraints, report: Report, options: Mapping[str, Any]) -> None:
    """Rewrite each run of user and tool turns; drop empty turns."""
    if report.facts.linked and constraints.results != "anywhere":
        root.turns = _grouped(root.turns or [], rounds(root, report), constraints, report)
        if constraints.calls_last:
            _put_calls_last(root.turns, report)
    if report.facts.emptied:
        report.facts.rounds = None  # what stood between two of them may be gone
        _drop_empty(root, report, is_asked(USER_TURN, options))


def _put_calls_last(turns: list[Turn], report: Report) -> None:
    """Move what follows a call in its turn before the first call (PLC-71)."""
    for turn in turns:
        if turn.role is not ASSISTANT:
            continue
        first = next((at for at, part in enumerate(turn.parts) if type(part) in CALLS), len(turn.parts))
        moved = [part for part in turn.parts[first:] if type(part) not in CALLS]
        if moved:
            for part in moved:
                report.at("PLC-71", part)
            calls = [part for part in turn.parts[first:] if type(part) in CALLS]
            turn.parts = [*turn.parts[:first], *moved, *calls]


def _drop_empty(root: Request, report: Report, emulated: bool) -> None:
    """Drop turns without parts, and report those that no other finding names as a whole."""
    turns = root.turns or []
    if emulated:
        _speak_first(turns, report)
    messages = [index for index, turn in enumerate(turns) if turn.parts and turn.role not in INSTRUCTIONS]
    for index, turn in enumerate(turns):
        if turn.parts or turn.settings is not None:
            continue
        if turn.role in INSTRUCTIONS:
            report.at("PLC-13", turn)
        elif turn.role is not ASSISTANT:
            report.at("PLC-22" if messages and messages[0] < index < messages[-1] else "PLC-11", turn)
        else:
            _report_gone(turn, report)
    root.turns = [turn for turn in turns if turn.parts or turn.settings is not None]


def _speak_first(turns: list[Turn], report: Report) -> None:
    """Make the instructions the user's first message if nothing is left of that (PLC-23)."""
    if len(turns) < 2 or turns[0].role not in INSTRUCTIONS or not turns[0].parts:
        return
    first, after = turns[1], turns[2:3]
    if first.role is USER and not first.parts and (not after or after[0].role is ASSISTANT):
        turns[0].role = USER
        report.at("PLC-23", turns[0])
        report.at("PLC-22", first)
        del turns[1]


def _report_gone(turn: Turn, report: Report) -> None:
    """Report an assistant turn without parts; if it was joined from items that are all gone, report the blank ones."""
    facts = report.facts
    items = (facts.joined or {}).get(id(turn), [turn])
    if len(items) > 1 and not any(item.parts for item in items):
        items = [item for item in items if id(item) in (facts.blank or ())]
    elif len(items) > 1:
        items = [turn]
    for item in items:
        if id(item) not in (facts.named or ()):
            report.at("PLC-12", item)


def _grouped(turns: list[Turn], found: Rounds, constraints: Constraints, report: Report) -> list[Turn]:
    """Return the regrouped turns, round by round if no call waits for a result beyond its round."""
    grouping = _Grouping(constraints, report)
    if not found.orderly:
        return grouping.grouped(turns)
    split, joins = SPLIT[constraints.results], constraints.results != "user"
    made: list[Turn] = []
    for number, each in enumerate(found.all, 1):
        end = found.all[number].start if number < len(found.all) else len(turns)
        replies = turns[each.replies : end]
        if (joins and each.calls and each.replies - each.start > 1) or not _respond(each, replies):
            made += _Grouping(constraints, report).grouped(turns[each.start : end])
        else:
            made += turns[each.start : each.replies]
            made += split(grouping, replies) if each.results else replies
    return made


def _respond(each: Round, replies: list[Turn]) -> bool:
    """Return whether only the user and tools reply in a round, or, if it has no results, no tool does."""
    for turn in replies:  # noqa: SIM110 - a generator costs more than most replies, which are one turn
        if turn.role is TOOL if not each.results else turn.role not in RESPONDING:
            return False
    return True


def _results_first(parts: list[Part]) -> bool:
    """Return whether no result comes after another part."""
    behind = False
    for part in parts:
        if type(part) is not ToolResult:
            behind = True
        elif behind:
            return False
    return True


class _Grouping:
    """Regroups turns, one by one.

    turns         the turns that are grouped so far
    run           the user and tool turns since the last turn of another role
    delayed       instructions from between a call and its result, which come after the result
    open          how many calls have no result yet
    calling       whether the last turn is the assistant's and has calls
    interleaving  that of the last turn, if it was joined from several
    """

    def __init__(self, constraints: Constraints, report: Report) -> None:
        self._constraints = constraints
        self._report = report
        self._together = constraints.results == "together"
        self._joins_calls = constraints.results in ("together", "turns")
        self._turns: list[Turn] = []
        self._run: list[Turn] = []
        self._delayed: list[Turn] = []
        self._open = 0
        self._calling = False
        self._interleaving: Interleaving | None = None

    def grouped(self, given: list[Turn]) -> list[Turn]:
        for turn in given:
            if turn.role in RESPONDING:
                self._run.append(turn)
                self._open -= sum(type(part) is ToolResult for part in turn.parts)
            elif turn.role in INSTRUCTIONS and self._open > 0:
                if turn.parts:  # an empty turn is reported as such
                    self._report.at("PLC-2", turn)
                self._delayed.append(turn)
            else:
                self._close_run()
                self._append(turn)
        self._close_run()
        return [*self._turns, *self._delayed]

    def _close_run(self) -> None:
        """Append the run, and then the instructions that waited for its results."""
        if self._run:
            self._turns += SPLIT[self._constraints.results](self, self._run)
            self._run = []
            self._open = 0
            self._calling = False
        if self._delayed and self._open <= 0:
            self._turns += self._delayed
            self._delayed = []
            self._calling = False

    def _append(self, turn: Turn) -> None:
        calls = sum(type(part) in CALLS for part in turn.parts) if turn.role is ASSISTANT else 0
        self._open += calls
        follows = self._together and bool(self._turns) and self._turns[-1].role is ASSISTANT  # results come at once
        if self._joins_calls and turn.role is ASSISTANT and (self._calling or (calls and follows)):
            if self._constraints.items:
                self._put_before_calls(turn, calls)
            else:
                self._join(self._turns[-1], turn)
            self._calling = True
        else:
            self._turns.append(turn)
            self._calling = calls > 0
            self._interleaving = None

    def _put_before_calls(self, turn: Turn, calls: int) -> None:
        """Insert an item: one without calls precedes the items whose calls wait for their results (PLC-71)."""
        at = len(self._turns)
        while not calls and at and any(type(part) in CALLS for part in self._turns[at - 1].parts):
            at -= 1
        if at < len(self._turns):
            for part in turn.parts:
                self._report.at("PLC-71", part)
        self._turns.insert(at, turn)

    def _join(self, before: Turn, turn: Turn) -> None:
        """Join an assistant turn to the one before, whose calls must be followed by their results at once."""
        leave(turn, self._report, name=before.name)
        if not self._constraints.ordered:
            self._interleaving = follow_joined(self._interleaving, before, turn, self._report)
        before.parts += turn.parts

    def _one_user_turn(self, run: list[Turn]) -> list[Turn]:
        """Return the run with all results at the start of its first user turn (PLC-5)."""
        holds_all = self._constraints.result_holds is None
        if holds_all and len(run) == 1 and run[0].role is USER and _results_first(run[0].parts):
            return run
        results: list[Part] = []
        others: list[Turn] = []
        moved: list[Part] = []
        for turn in run:
            found = turn.parts if turn.role is TOOL else [part for part in turn.parts if type(part) is ToolResult]
            results += found
            moved += self._taken_out(found)
            if turn.role is not TOOL:
                if found:
                    turn.parts = [part for part in turn.parts if type(part) is not ToolResult]
                if turn.parts or not found:
                    others.append(turn)
                    continue
            if len(run) > 1:
                leave(turn, self._report)
        if not others:
            return [Turn(USER, results + moved, run[0].name, run[0].src, run[0].extra if len(run) == 1 else None)]
        if results:
            others[0].parts = results + moved + others[0].parts
        return others

    def _one_turn(self, run: list[Turn]) -> list[Turn]:
        """Return the run with all results at the start of its first turn, then the parts that results cannot hold."""
        if len(run) == 1 and len(run[0].parts) == 1 and self._stays_whole(part := run[0].parts[0]):
            run[0].role = USER
            return run
        results: list[Part] = []
        moved: list[Part] = []
        others: list[Turn] = []
        for turn in run:
            rest: list[Part] = []
            for part in turn.parts:
                if type(part) is ToolResult:
                    results.append(part)
                    moved += self._split(part)
                else:
                    rest.append(part)
            if rest or not turn.parts:
                turn.parts = rest
                others.append(turn)
            elif len(run) > 1:
                leave(turn, self._report)
        if not results:
            return run
        if not others or others[0].role is not USER:
            others.insert(0, Turn(USER, [], None, run[0].src))
        others[0].parts = [*results, *moved, *others[0].parts]
        return others

    def _a_turn_each(self, run: list[Turn]) -> list[Turn]:
        """Return a turn for each result, and then the user's turns, with the parts that results cannot hold."""
        if len(run) == 1 and len(run[0].parts) == 1 and self._stays_whole(part := run[0].parts[0]):
            if run[0].role is not TOOL:
                run[0].role, run[0].src = TOOL, part.src
            return run
        results: list[Turn] = []
        others: list[Turn] = []
        for turn in run:
            rest: list[Part] = []
            before = len(results)
            for part in turn.parts:
                if type(part) is ToolResult:
                    rest += self._split(part)
                    results.append(Turn(TOOL, [part], None, part.src))
                else:
                    rest.append(part)
            if len(results) == before:
                others.append(turn)
                continue
            if turn.role is TOOL and len(turn.parts) == 1:
                results[-1] = turn
            if rest:
                others.append(Turn(USER, rest, turn.name, turn.src, None if turn is results[-1] else turn.extra))
            elif turn is not results[-1]:
                leave(turn, self._report)
        return results + others if results else run

    def _stays_whole(self, part: Part) -> bool:
        """Return whether a part is a tool result that keeps all its parts."""
        if type(part) is not ToolResult or part.cache is not None:
            return False
        if not self._constraints.media_results or self._constraints.result_holds is not None:
            for inner in part.parts:
                if type(inner) is not Text and self._leaves(inner):
                    return False
        return True

    def _leaves(self, part: Part) -> bool:
        """Return whether a result cannot hold this part, which is no text."""
        holds = self._constraints.result_holds
        return not self._constraints.media_results or (holds is not None and not holds(part))

    def _split(self, result: ToolResult) -> list[Part]:
        """Remove the parts that a result cannot hold (PLC-7) and return them; its cache breakpoint goes with them."""
        if self._stays_whole(result):
            return []
        moved = self._taken_out([result])
        move_breakpoint(moved or result.parts, result, self._report)
        result.cache = None
        return moved

    def _taken_out(self, results: Sequence[Part]) -> list[Part]:
        """Remove from results the parts that they cannot hold (PLC-7), and return these."""
        taken: list[Part] = []
        if self._constraints.media_results and self._constraints.result_holds is None:
            return taken
        for result in results:
            if not isinstance(result, ToolResult):
                continue
            moved = [part for part in result.parts if type(part) is not Text and self._leaves(part)]
            for part in moved:
                self._report.at("PLC-7", part)
            if moved:
                result.parts = [part for part in result.parts if type(part) is Text or not self._leaves(part)]
            taken += moved
        return taken


SPLIT = {"turns": _Grouping._a_turn_each, "together": _Grouping._one_turn, "user": _Grouping._one_user_turn}
"""How a run of turns with results is split, by what the target wants of results."""


def join(root: Request, constraints: Constraints, report: Report, options: Mapping[str, Any]) -> None:
    """Join consecutive turns of the user or of the assistant, for servers whose roles must alternate (PLC-5)."""
    joined: list[Turn] = []
    interleaving: Interleaving | None = None  # that of the last turn, if it was joined
    for turn in root.turns or ():
        before = joined[-1] if joined else None
        if before is None or turn.role is not before.role or turn.role not in (USER, ASSISTANT):
            joined.append(turn)
            interleaving = None
            continue
        leave(turn, report, name=before.name, members=members_of(before))
        if turn.role is ASSISTANT and not constraints.ordered:
            interleaving = follow_joined(interleaving, before, turn, report)
        before.parts += turn.parts
    root.turns = joined


# --- the first and the last turn --------------------------------------------------------------------------------------
# Checked when all turns have their places, since moved instructions and dropped turns decide which is first and last.
# A request without a message, or with a beginning that the target refuses, is refused (PLC-17, PLC-24, PLC-81), unless
# the caller lets the instructions become the user's message (PLC-23).


def end(root: Request, constraints: Constraints, report: Report, options: Mapping[str, Any]) -> None:
    """Drop a last assistant turn that the target does not continue; refuse an order of roles that it refuses."""
    turns = root.turns or []
    detail = ""
    if constraints.last_turn != "kept" and turns and _is_answer(turns[-1]):
        if constraints.last_turn == "dropped":
            _drop(turns, report)
            detail = "assistant messages at the end are dropped (PLC-19)"
        else:
            if not root.prefill:
                report.at("PLC-16", turns[-1])
            if constraints.last_turn == "continued":
                _trim(turns[-1], report)
    if not constraints.any_role_order:
        turns = root.turns = _in_order(turns, report)
    if constraints.beside_results is not None and report.facts.linked:
        turns = root.turns = _apart(turns, constraints.beside_results, report)
    if not (constraints.calls_first and constraints.assistant_first):
        _begin(turns, constraints, report, options)
    if not _has_message(turns, constraints):
        if turns and is_asked(USER_TURN, options):
            turns[-1].role = USER
            report.at("PLC-23", turns[-1])
            return
        report.stop()  # content that was refused is the better reason
        report.at("PLC-17", root, "turns", detail)


def _is_answer(turn: Turn) -> bool:
    """Return whether a turn is the assistant's, and does not wait for the results of its calls."""
    return turn.role is ASSISTANT and not any(type(part) in CALLS for part in turn.parts)


def _trim(last: Turn, report: Report) -> None:
    """Drop the whitespace at the end of a turn that the response continues, for targets that reject it (PLC-20)."""
    part = last.parts[-1]
    if isinstance(part, WORDING) and part.text != (kept := part.text.rstrip()):
        report.at("PLC-20", part)
        part.text = kept


def _drop(turns: list[Turn], report: Report) -> None:
    """Drop the assistant turns at the end; each item of a joined one is reported, as an object of the source."""
    kept = len(turns)
    while kept and _is_answer(turns[kept - 1]):
        kept -= 1
    for turn in turns[kept:]:
        for item in (report.facts.joined or {}).get(id(turn), (turn,)):
            report.at("PLC-19", item)
    del turns[kept:]


PLACEHOLDER = "I have read the results."
"""The placeholder text of the assistant between tool results and the next turn; servers require some text."""


def _in_order(turns: list[Turn], report: Report) -> list[Turn]:
    """Insert an assistant turn between results and other roles (PLC-70); refuse instructions at the end (PLC-21)."""
    ordered = turns[:1]
    for before, after in pairwise(turns):
        if before.role is TOOL and after.role is not TOOL and after.role is not ASSISTANT:
            report.at("PLC-70", after)
            ordered.append(Turn(ASSISTANT, [Text(PLACEHOLDER, src=after.src)], src=after.src))
        ordered.append(after)
    if turns and turns[-1].role in INSTRUCTIONS:
        report.at("PLC-21", turns[-1])
    return ordered


def _apart(turns: list[Turn], beside: Callable[[Any], bool], report: Report) -> list[Turn]:
    """Split turns whose results stand beside parts that the target refuses there: behind the results comes a
    placeholder of the assistant, as the target joins neighbours of one role again (PLC-70)."""
    made: list[Turn] = []
    for turn in turns:
        made.append(turn)
        others = [part for part in turn.parts if type(part) is not ToolResult]
        if len(others) == len(turn.parts) or turn.role is ASSISTANT or all(map(beside, others)):
            continue
        report.at("PLC-70", others[0])
        source = others[0].src
        turn.parts = [part for part in turn.parts if type(part) is ToolResult]
        made += Turn(ASSISTANT, [Text(PLACEHOLDER, src=source)], src=source), Turn(USER, others, turn.name, source)
    return made


def _begin(turns: list[Turn], constraints: Constraints, report: Report, options: Mapping[str, Any]) -> None:
    """Refuse a conversation that the assistant begins, unless the instructions may be the user's first message."""
    instructions = turns[0] if turns and turns[0].role in INSTRUCTIONS else None
    first = next(iter(turns[1:2] if instructions else turns[:1]), None)
    if first is None or first.role is not ASSISTANT:
        return
    call = None if constraints.calls_first else next((part for part in first.parts if type(part) in CALLS), None)
    if call is None and constraints.assistant_first:
        return
    if instructions and is_asked(USER_TURN, options):
        instructions.role = USER
        report.at("PLC-23", instructions)
    elif call is not None:
        report.at("PLC-24", call)
    else:
        report.at("PLC-81", first)


def _has_message(turns: list[Turn], constraints: Constraints) -> bool:
    """Return whether there is a message; instructions that the target has in a member of their own do not count."""
    if constraints.instructions != "top":
        return bool(turns)
    for turn in turns:  # noqa: SIM110 - most requests begin with one, or with their instructions and one
        if turn.role not in INSTRUCTIONS:
            return True
    return False
