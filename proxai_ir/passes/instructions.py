"""Where instructions stand: before all other turns, or later where the target takes them there (PLC-1, PLC-2, PLC-25).

Rule 1: instructions that the source begins with stay at the beginning. Rule 2: with `instructions="in_place"` no later
one changes what stands before it, so that the conversion of a conversation begins with that of any shorter one.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any

from attrs import evolve

from ..ir.parts import CALLS, Part, Text, ToolChange, ToolResult
from ..ir.request import Request
from ..ir.turns import ASSISTANT, DEVELOPER, SYSTEM, USER, Turn
from ..reporting.report import Report
from ..rules.constraints import Constraints
from .changes import forget, forgotten
from .joining import join, leave, on_the_same_terms

INSTRUCTIONS = (SYSTEM, DEVELOPER)
HOIST, IN_PLACE = "hoist", "in_place"
LATER_INSTRUCTIONS = (HOIST, IN_PLACE)
"""What the option `instructions` may be: what becomes of later ones that the target does not accept where they are."""
REMINDER = "system-reminder"
"""The tag around such instructions as user text: the one that coding agents put around theirs, so models know it."""
LATER = {"top": "nowhere", "inline": "anywhere"}
"""Where a target accepts later instructions that does not state it, by where it has the first ones."""


def have_a_place(constraints: Constraints) -> bool:
    """Whether a target does not accept later instructions wherever they are."""
    return (constraints.later or LATER[constraints.instructions]) != "anywhere"


def place_instructions(root: Request, constraints: Constraints, report: Report, options: Mapping[str, Any]) -> None:
    """Put the instructions of a request where the target accepts them."""
    later = constraints.later or LATER[constraints.instructions]
    if later == "anywhere":
        return
    turns = root.turns or []
    given = [index for index, turn in enumerate(turns) if turn.role in INSTRUCTIONS]
    if not given:
        return
    first = 0
    while first < len(given) and given[first] == first:
        first += 1
    gone = forgotten(turns) if root.changes else ()
    top, rest = turns[:first], turns[first:]
    hoisted: list[Turn] = []
    if first < len(given):  # most requests have none of them later
        placing = _Placing(constraints, report, later == "after_user", options.get("instructions") == IN_PLACE, gone)
        rest, hoisted = placing.placed(rest), placing.hoisted
    if root.changes and constraints.instructions == "top":
        rest = [*_kept_in_place(top), *rest]
    for turn in top if gone else ():
        if id(turn) in gone:
            forget(turn, report)
    root.turns = [*_joined([*top, *hoisted], constraints, report), *rest]


def _joined(top: list[Turn], constraints: Constraints, report: Report) -> list[Turn]:
    """One turn of all of them; none where nothing is left (PLC-13)."""
    if not top or (len(top) == 1 and constraints.instructions != "top"):
        return top
    parts: list[Part] = []
    for turn in top:
        if not turn.parts and turn.settings is None:
            report.at("PLC-13", turn)
        elif turn.role is DEVELOPER and constraints.instructions != "top":
            report.at("PLC-1", turn, "role")
        _move(turn, report)
        parts += turn.parts
    return [Turn(SYSTEM, parts, None, top[0].src)] if parts else []


def _move(turn: Turn, report: Report) -> None:
    """Report what a turn has besides its parts, which go elsewhere."""
    leave(turn, report)
    if turn.settings is not None and turn.settings.passing:
        report.at("PLC-30", turn.settings, "passing")


def _kept_in_place(turns: list[Turn]) -> list[Turn]:
    """What is left of turns whose text goes elsewhere: what they set and which tools they change."""
    left: list[Turn] = []
    for turn in turns:
        changes: list[Part] = [part for part in turn.parts if type(part) is ToolChange]
        if turn.settings is None or not (changes or turn.settings.thinking or turn.settings.output):
            continue
        left.append(Turn(SYSTEM, changes, None, turn.src, settings=evolve(turn.settings, passing=None)))
        turn.parts = [part for part in turn.parts if type(part) is not ToolChange]
    return left


class _Placing:
    """
    hoisted   later instructions that go to the beginning
    turns     what is placed so far
    waiting   instructions that stand between a call and its result, with what the next turn is
    open      how many calls have no result yet
    reminder  the turn that was made of reminders, if it is the last one
    gone      the turns whose text is forgotten by now, by id: it goes nowhere else
    """

    def __init__(
        self, constraints: Constraints, report: Report, after_user: bool, in_place: bool, gone: Container[int]
    ) -> None:
        self._gone = gone
        self.hoisted: list[Turn] = []
        self._constraints = constraints
        self._report = report
        self._after_user = after_user
        self._in_place = in_place
        self._turns: list[Turn] = []
        self._waiting: list[Turn] = []
        self._open = 0
        self._reminder: Turn | None = None

    def placed(self, turns: list[Turn]) -> list[Turn]:
        for turn, before_answer in zip(turns, _before_answers(turns), strict=True):
            if turn.role not in INSTRUCTIONS:
                self._follow(turn)
            elif not turn.parts:
                self._set(turn)
            elif self._open > 0 and (self._in_place or self._after_user):
                self._waiting.append(turn)
            else:
                self._place(turn, before_answer)
            if self._waiting and self._open <= 0:
                self._place_waiting(before_answer)
        self._place_waiting(True)
        return self._turns

    def _follow(self, turn: Turn) -> None:
        """A turn of another role, which stays where it is."""
        last = self._turns[-1] if self._turns else None
        if turn.role is ASSISTANT:
            if last is None or last.role is not ASSISTANT:
                self._place_waiting(True)
                self._open = 0
            self._open += sum(type(part) in CALLS for part in turn.parts)
        else:
            results = sum(type(part) is ToolResult for part in turn.parts)
            self._open -= results
            if self._reminder is not None and turn.role is USER and not results:
                turn.parts = [*self._reminder.parts, *turn.parts]
                self._turns.pop()
        self._reminder = None
        self._turns.append(turn)

    def _place_waiting(self, before_answer: bool) -> None:
        waiting, self._waiting = self._waiting, []
        for turn in waiting:
            self._place(turn, before_answer, moved=True)

    def _set(self, turn: Turn) -> None:
        """A turn without text; what it sets stands alone, as it may anywhere."""
        if turn.settings is None:
            self._report.at("PLC-13", turn)
        elif self._reminder is not None:
            self._turns.insert(-1, turn)
        else:
            self._turns.append(turn)

    def _place(self, turn: Turn, before_answer: bool, *, moved: bool = False) -> None:
        last = self._turns[-1] if self._turns else None
        said = next((one for one in reversed(self._turns) if one.parts), None)
        if self._after_user and before_answer and said is not None and said.role is not ASSISTANT:
            if moved and id(turn) in self._gone:
                forget(turn, self._report)
                self._set(turn)
                return
            if moved:
                self._report.at("PLC-2", turn)
            if last is not None and last.role in INSTRUCTIONS and last.parts and on_the_same_terms(last, turn):
                join(last, turn, self._report)  # two of them may not follow each other
            else:
                self._turns.append(turn)
            return
        left = _kept_in_place([turn])
        if id(turn) in self._gone:
            forget(turn, self._report)
        elif self._in_place:
            self._report.at("PLC-25", turn)
            _move(turn, self._report)
            self._remind([_marked(part) for part in turn.parts], turn)
        else:
            self._report.at("PLC-2", turn)
            self.hoisted.append(turn)
        for one in left:
            self._set(one)

    def _remind(self, parts: list[Part], source: Turn) -> None:
        """The user's text that they are now, with the user's turn before it; servers that accept nothing of the user's
        after results get it as the end of the last result."""
        last = self._turns[-1] if self._turns else None
        result = last.parts[-1] if last is not None and last.parts else None
        if not self._constraints.any_role_order and type(result) is ToolResult:
            result.parts = [*result.parts, *parts]
        elif last is not None and last.role is USER:
            last.parts = [*last.parts, *parts]
        else:
            self._reminder = Turn(USER, parts, None, source.src)
            self._turns.append(self._reminder)


def _before_answers(turns: list[Turn]) -> list[bool]:
    """For each turn, whether the next one that holds no instructions is the assistant's, or there is none."""
    found = []
    answer = True
    for turn in reversed(turns):
        found.append(answer)
        if turn.role not in INSTRUCTIONS and turn.parts:
            answer = turn.role is ASSISTANT
    return found[::-1]


def _marked(part: Part) -> Part:
    """A text as a reminder; one that its client has marked so stays as it is."""
    if isinstance(part, Text) and part.text.strip() and not part.text.lstrip().startswith(f"<{REMINDER}>"):
        part.text = f"<{REMINDER}>\n{part.text}\n</{REMINDER}>"
    return part
