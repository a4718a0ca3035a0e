"""Put turns and parts where the target takes them: instructions, items of a response, nested parts, blank text.

Owns PLC-1, PLC-2 and PLC-25 (instructions), PLC-8 (texts as one string) and PLC-9, PLC-10, PLC-13 (empty text).
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from typing import Any

from attrs import evolve

from ..ir.parts import (
    CALLS,
    WORDING,
    Chunks,
    CustomCall,
    Document,
    FunctionCall,
    Image,
    Part,
    PlainText,
    Reasoning,
    Refusal,
    SearchResult,
    Text,
    ToolResult,
    UrlCitation,
)
from ..ir.request import ASSISTANT, BETWEEN_ITEMS, DEVELOPER, SYSTEM, USER, Request, Turn, TurnSettings
from ..ir.response import Response, answers
from ..ir.tools import ToolChange
from ..reporting.report import Report
from ..targets.base import RUN
from ..targets.constraints import Constraints
from .changes import forget, forgotten

# --- items ------------------------------------------------------------------------------------------------------------
# What targets want in one piece: the items of a response in one turn, and contents of nothing but texts as one string.
#
# A turn that `continues` the turn before it is the next item of the same response (PLC-6). Strings are for servers
# that
# take no arrays there (PLC-8); what holds media stays an array, which has no other form.


IsEmpty = Callable[[str], bool]
"""Whether a text is dropped, as it is empty to the target."""


def join_items(turns: list[Turn], report: Report, is_empty: IsEmpty | None, one_text: bool) -> list[Turn]:
    """Return one turn for each run of items; an item of which nothing is left is reported, as a joined turn would hide
    it.

    No `is_empty`: the target takes any text. `one_text`: the texts of the turn will be one string, in which those of
    two items are set apart (PLC-8).
    """
    for turn in turns:
        if turn.continues:
            break
    else:
        return turns
    joined: list[Turn] = []
    whole: Turn | None = None  # the joined turn at the end of the list, once there is one
    items: list[Turn] = []  # which it was joined from
    said = False  # whether it has text
    for turn in turns:
        if not turn.continues or not joined or joined[-1].role is not turn.role:
            joined.append(turn)
            whole = None
        elif is_empty is not None and _is_blank_item(turn, report, is_empty):
            _report_blank(turn, report)
        elif whole is None and is_empty is not None and _is_blank_item(joined[-1], report, is_empty):
            _report_blank(joined[-1], report)
            joined[-1] = turn
        else:
            if _emptied(turn, report):
                report.at("PLC-12", turn)
            if whole is None:
                first = joined[-1]
                if _emptied(first, report):
                    report.at("PLC-12", first)
                whole = joined[-1] = Turn(first.role, [*first.parts], first.name, first.src)
                items = [first]
                said = one_text and _set_apart(first.parts, False)
                report.facts.add_joined(whole, items)
            items.append(turn)
            if one_text:
                said = _set_apart(turn.parts, said)
            whole.parts += turn.parts
    return joined


def _set_apart(item: list[Part], follows: bool) -> bool:
    """Begin the first text of an item with a blank line, if it `follows` another. Returns whether there is text now."""
    for part in item:
        if type(part) is Text and part.text:
            if follows:
                part.text = BETWEEN_ITEMS + part.text
                for citation in part.citations or ():
                    if type(citation) is UrlCitation:
                        citation.start = len(BETWEEN_ITEMS) + (citation.start or 0)
                        citation.end = None if citation.end is None else len(BETWEEN_ITEMS) + citation.end
            return True
    return follows


def _is_blank_item(turn: Turn, report: Report, is_empty: IsEmpty) -> bool:
    """Return whether the source's item has nothing but empty text."""
    if not turn.parts:
        return id(turn) in (report.facts.blank or ())
    for part in turn.parts:  # noqa: SIM110 - a generator costs more than the parts of most items
        if not isinstance(part, WORDING) or not is_empty(part.text):
            return False
    return True


def _report_blank(turn: Turn, report: Report) -> None:
    for part in turn.parts:
        if isinstance(part, WORDING) and part.text:
            report.at("PLC-9", part)
    report.at("PLC-12", turn)


def _emptied(turn: Turn, report: Report) -> bool:
    """Return whether all parts of an item were dropped and no finding names the item itself."""
    facts = report.facts
    return not turn.parts and id(turn) not in (facts.named or ()) and id(turn) not in (facts.blank or ())


BETWEEN_TEXTS = "\n"


def takes_strings(constraints: Constraints) -> bool:
    return not constraints.text_arrays


def join_texts(root: Request, constraints: Constraints, report: Report, options: Mapping[str, Any]) -> None:
    """Join contents of nothing but texts into one string, for servers that take no arrays.

    All texts of a message are joined for those that have its media apart.
    """
    for turn in root.turns or ():
        if turn.role is ASSISTANT:  # whose texts are one response, with other members next to it
            turn.parts = _with_joined_texts(turn.parts, "", report)
            continue
        if constraints.one_text or _are_texts(turn.parts):
            turn.parts = _with_joined_texts(turn.parts, BETWEEN_TEXTS, report)
        for part in turn.parts:
            if isinstance(part, ToolResult) and _are_texts(part.parts):
                part.parts = _with_joined_texts(part.parts, BETWEEN_TEXTS, report)


def _are_texts(parts: list[Part]) -> bool:
    return all(type(part) is Text for part in parts)


def _with_joined_texts(parts: list[Part], between: str, report: Report) -> list[Part]:
    """Return the parts with all texts in the first of them."""
    texts = [part for part in parts if type(part) is Text]
    for text in texts[1:]:
        report.at("PLC-8", text)
    for text in texts:
        if text.cache is not None:
            report.at("CAC-4", text, "cache")
    if len(texts) < 2 and not any(text.cache for text in texts):
        return parts
    whole = Text(between.join(text.text for text in texts), texts[0].citations, None, texts[0].src)
    others = set(map(id, texts[1:]))
    return [whole if part is texts[0] else part for part in parts if id(part) not in others]


# --- joining ----------------------------------------------------------------------------------------------------------
# What it costs to make one turn of two: it has the parts of both, but one name, and one set of settings and members.
#
# Rule: passes that join turns, or give the parts of one to another, do it with these functions, so that nothing that a
# turn has besides its parts vanishes unreported.


def on_the_same_terms(before: Turn, turn: Turn) -> bool:
    """Return whether what two turns say lasts equally long, and neither has members of its own that the other has
    not."""
    return _passing(before) == _passing(turn) and members_of(before) == members_of(turn)


def join(before: Turn, turn: Turn, report: Report) -> None:
    """Add a turn on the same terms to the one before it; of what both set, the later counts (RSN-45)."""
    before.parts = [*before.parts, *turn.parts]
    if turn.settings is not None:
        before.settings = _latest(before.settings, turn.settings, report)
    leave(turn, report, name=before.name, members=members_of(before))


def leave(turn: Turn, report: Report, *, name: str | None = None, members: Any = None) -> None:
    """Report the name and the members of a turn whose parts go to another one, which may have the same."""
    if turn.name is not None and turn.name != name:
        report.at("USR-4", turn, "name")
    if turn.extra is not None and members_of(turn) != members:
        report.extra_fields(turn)


def members_of(turn: Turn) -> Any:
    """Return the members that only the turn's own protocol has."""
    return None if turn.extra is None else turn.extra.fields


def _passing(turn: Turn) -> bool:
    return turn.settings is not None and bool(turn.settings.passing)


def _latest(before: TurnSettings | None, after: TurnSettings, report: Report) -> TurnSettings:
    for name in ("thinking", "output") if before is not None else ():
        old, new = getattr(before, name), getattr(after, name)
        if new is None:
            setattr(after, name, old)
        elif old is not None and old != new:
            report.at("RSN-45", before, name)
    return after


# --- instructions -----------------------------------------------------------------------------------------------------
# Where instructions stand: before all other turns, or later where the target takes them there (PLC-1, PLC-2, PLC-25).
#
# Rule 1: instructions that the source begins with stay at the beginning. Rule 2: with `instructions="in_place"` no
# later
# one changes what stands before it, so that the conversion of a conversation begins with that of any shorter one.


INSTRUCTIONS = (SYSTEM, DEVELOPER)
HOIST, IN_PLACE = "hoist", "in_place"
LATER_INSTRUCTIONS = (HOIST, IN_PLACE)
"""What the option `instructions` may be: what becomes of later ones that the target does not accept where they are."""
REMINDER = "system-reminder"
"""The tag around such instructions as user text: the one that coding agents put around theirs, so models know it."""
LATER = {"top": "nowhere", "inline": "anywhere"}
"""Where a target accepts later instructions that does not state it, by where it has the first ones."""


def have_a_place(constraints: Constraints) -> bool:
    """Return whether a target does not accept later instructions wherever they are."""
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
    if root.changes:
        if constraints.instructions == "top":
            rest = [*_kept_in_place(top), *rest]
        for turn in top:
            if id(turn) in gone:
                forget(turn, report)
    root.turns = [*_joined_instructions([*top, *hoisted], constraints, report), *rest]


def _joined_instructions(top: list[Turn], constraints: Constraints, report: Report) -> list[Turn]:
    """Return one turn of all of them; none where nothing is left (PLC-13)."""
    if not top or (len(top) == 1 and constraints.instructions != "top"):
        return top
    parts: list[Part] = []
    for turn in top:
        if not turn.parts and turn.settings is None:
            report.at("PLC-13", turn)
        elif turn.role is DEVELOPER and constraints.instructions != "top":
            report.at("PLC-1", turn, "role")
        if turn.name is not None or turn.extra is not None or turn.settings is not None:
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
    """Return a text as a reminder; one that its client has marked so stays as it is."""
    if isinstance(part, Text) and part.text.strip() and not part.text.lstrip().startswith(f"<{REMINDER}>"):
        part.text = f"<{REMINDER}>\n{part.text}\n</{REMINDER}>"
    return part


# --- placement --------------------------------------------------------------------------------------------------------
# Put parts where the target takes them: nested parts unfolded, items joined, blank text left out.
#
# Rule: placement moves parts and does not change what they say; what a place meant and the target cannot express is
# reported here (PLC).


ONE_STRING = (Reasoning, Refusal)
"""Parts that a target without ordered parts has one string member for."""
RANK: dict[type, int] = {Reasoning: 0, Text: 1, Refusal: 2, Image: 3, FunctionCall: 4, CustomCall: 4}
"""The order of that target's members: reasoning, then text, refusal, images and calls."""


def place(root: Request, constraints: Constraints, report: Report, _: Mapping[str, Any]) -> None:
    """Unfold what the target cannot nest, join items, leave blank text out."""
    turns = root.turns or []
    if constraints.empty_text and len(turns) > 1 and turns[0].role in INSTRUCTIONS:
        _silence(turns[0], report)
    root.turns = _placed(turns, constraints, report, _is_blank, not constraints.text_arrays)


def _silence(first: Turn, report: Report) -> None:
    """Instructions with empty text are dropped, even if the target accepts empty text (PLC-13)."""
    for part in first.parts:
        if type(part) is not Text or part.text or part.cache is not None:
            return
    first.parts = []
    report.facts.emptied = True


def place_response(root: Response, constraints: Constraints, report: Report, _: Mapping[str, Any]) -> None:
    """Join items and leave empty text out; one candidate, and one text, where the target has no more."""
    if not constraints.alternatives and len(root.candidates) != 1:
        report.at("CHO-1", root, "candidates", f"found {len(root.candidates)}")
    media = report.facts.media
    for candidate in root.candidates:
        if media is not None and not any(map(_shows, candidate.parts)):
            report.at("PLC-3", media)  # an empty answer would be taken for the model's
        candidate.turns = _placed(candidate.turns, constraints, report, _has_no_text, not constraints.text_parts)
        if not constraints.text_parts:
            _report_joined_text(candidate.turns, report)


def _shows(part: Part) -> bool:
    """Return whether a part is something of an answer for its user, and not how the model came to it."""
    return answers(part) and not isinstance(part, RUN)


def _has_no_text(text: str) -> bool:
    """What is dropped from responses: whitespace is text there, as no server checks it (PLC-10)."""
    return not text


def _is_blank(text: str) -> bool:
    """What is dropped from requests, since servers reject it (PLC-9, PLC-10)."""
    return not text or text.isspace()


def _placed(
    turns: list[Turn], constraints: Constraints, report: Report, is_empty: IsEmpty, one_text: bool
) -> list[Turn]:
    dropped = None if constraints.empty_text else is_empty
    if not constraints.items:
        turns = join_items(turns, report, dropped, one_text)
    if report.facts.reshaped or (dropped is not None and _has_empty_text(turns, dropped)):
        for turn in turns:
            turn.parts = _placed_parts(turn.parts, constraints, report, dropped)
            report.facts.emptied = report.facts.emptied or not turn.parts
    if not constraints.ordered:
        for turn in turns:
            if turn.role is ASSISTANT and len(turn.parts) > 1:
                Interleaving(report).follow(turn.parts)
    return turns


# --- parts ------------------------------------------------------------------------------------------------------------


def _has_empty_text(turns: list[Turn], is_empty: IsEmpty) -> bool:
    """Return whether some text is empty, or some part has text inside that may be."""
    for turn in turns:
        for part in turn.parts:
            if isinstance(part, WORDING):
                text = part.text
                if (not text or text[0].isspace()) and is_empty(text):
                    return True
            elif type(part) is ToolResult:
                for inner in part.parts:
                    if type(inner) is Text and is_empty(inner.text):
                        return True
            elif type(part) in UNFOLD:
                return True
    return False


def _placed_parts(parts: list[Part], constraints: Constraints, report: Report, is_empty: IsEmpty | None) -> list[Part]:
    """Return the parts without text that is empty to the target, nested ones unfolded."""
    placed: list[Part] = []
    for at, part in enumerate(parts):
        if is_empty is not None and isinstance(part, WORDING) and is_empty(part.text):
            if constraints.placed_seals and _is_between_seals(parts, at):
                placed.append(part)
                continue
            report.at("PLC-9" if part.text else "PLC-10", part)
            if type(part) is Text and part.cache is not None:
                report.at("CAC-4", part, "cache")
        else:
            unfold = UNFOLD.get(type(part))
            placed += (part,) if unfold is None else unfold(part, constraints, report, is_empty)
    return placed


def _is_between_seals(parts: list[Part], at: int) -> bool:
    """Return whether a text stands right between signed reasoning and further reasoning (PLC-26)."""
    after = parts[at + 1] if at + 1 < len(parts) else None
    before: Any = parts[at - 1] if at else None
    return type(before) is Reasoning and before.seal is not None and type(after) is Reasoning


def _result(part: ToolResult, constraints: Constraints, report: Report, is_empty: IsEmpty | None) -> list[Part]:
    part.parts = _placed_parts(part.parts, constraints, report, is_empty)
    if not constraints.media_results:
        part.parts = [_as_text(inner, report) for inner in part.parts]
    return [part]


def _as_text(part: Part, report: Report) -> Part:
    """Inside a result that holds text only, a document that is given as text is that text, without its title."""
    if not isinstance(part, Document) or not isinstance(part.source, PlainText):
        return part
    if part.title is not None:
        report.at("DOC-1", part, "title")
    return Text(part.source.text, None, part.cache, part.src)


def _document(part: Document, constraints: Constraints, report: Report, is_empty: IsEmpty | None) -> list[Part]:
    if constraints.nested or not isinstance(part.source, Chunks):
        return [part]
    return move_breakpoint(_placed_parts(part.source.parts, constraints, report, is_empty), part, report)


def _search_result(
    part: SearchResult, constraints: Constraints, report: Report, is_empty: IsEmpty | None
) -> list[Part]:
    if constraints.nested:
        return [part]
    heading = Text("\n".join(filter(None, (part.title, part.source))), None, None, part.src)
    return move_breakpoint(_placed_parts([heading, *part.parts], constraints, report, is_empty), part, report)


UNFOLD: dict[type, Callable[[Any, Constraints, Report, IsEmpty | None], list[Part]]] = {
    ToolResult: _result,
    Document: _document,
    SearchResult: _search_result,
}
"""What replaces a part that holds parts."""


def move_breakpoint(parts: list[Part], holder: Any, report: Report) -> list[Part]:
    """Return the cache breakpoint of `holder` goes to the last of the parts that it held, if that can have one
    (CAC-1)."""
    if holder.cache is not None:
        last = parts[-1] if parts else None
        if not isinstance(last, (Text, Image, Document)):
            report.at("CAC-4", holder, "cache")
        elif last.cache is None:  # else the same place has a breakpoint already
            last.cache = holder.cache
    return parts


# --- turns ------------------------------------------------------------------------------------------------------------


class Interleaving:
    """What members instead of ordered parts cost: the order among them, and boundaries within one (PLC-4, PLC-8)."""

    __slots__ = ("_highest", "_report", "_seen")

    def __init__(self, report: Report) -> None:
        self._report = report
        self._highest = 0
        self._seen: tuple[type, ...] = ()

    def follow(self, parts: list[Part]) -> None:
        """The next parts of the turn."""
        for part in parts:
            cls = type(part)
            if cls in ONE_STRING:
                if cls in self._seen:
                    self._report.at("PLC-8", part)
                else:
                    self._seen += (cls,)
            rank = RANK.get(cls, self._highest)
            if rank < self._highest:
                self._report.at("PLC-4", part)
            else:
                self._highest = rank


def _report_joined_text(turns: list[Turn], report: Report) -> None:
    """All but the first text of a turn, for a target that has one string for them (PLC-8)."""
    for turn in turns:
        seen = False
        for part in turn.parts:
            if type(part) is Text:
                if seen:
                    report.at("PLC-8", part)
                seen = True
