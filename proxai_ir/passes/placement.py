"""Put turns and parts where the target takes them: items of a response, nested parts, blank text, instructions.

Owns PLC-1, PLC-2 and PLC-25 (instructions), PLC-8 (texts as one string) and PLC-9, PLC-10, PLC-13 (empty text).

Placement moves parts and does not change what they say; meaning that a place had and the target cannot express is
reported (PLC-4, PLC-8). Passes that join turns, or give the parts of one to another, report with `leave` what the turn
has besides its parts.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from operator import not_
from typing import Any

from attrs import evolve

from .. import ir
from ..ir.request import BETWEEN_ITEMS
from ..ir.response import answers
from ..reporting.report import Report
from ..targets.base import RUN
from ..targets.conditions import cite_before
from ..targets.constraints import Constraints
from .changes import forget, forgotten

IsEmpty = Callable[[str], bool]
"""Tells whether a text is empty to the target, and hence dropped."""

# --- items and texts that become one ----------------------------------------------------------------------------------


def join_items(turns: list[ir.Turn], report: Report, is_empty: IsEmpty | None, one_text: bool) -> list[ir.Turn]:
    """Join the items of each response: a turn that `continues` the turn before it is its next item (PLC-6).

    An item that is left without parts is reported here, since the joined turn hides it. `is_empty` is None if the
    target takes any text. `one_text`: the texts of the turn will be one string, with a blank line between those of two
    items (PLC-8).
    """
    for turn in turns:
        if turn.continues:
            break
    else:
        return turns
    joined: list[ir.Turn] = []
    whole: ir.Turn | None = None  # the joined turn at the end of the list, once there is one
    items: list[ir.Turn] = []  # the turns that it was joined from
    has_text = False
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
                whole = joined[-1] = ir.Turn(first.role, [*first.parts], first.name, first.src)
                items = [first]
                has_text = one_text and _set_apart(first.parts, False)
                report.facts.add_joined(whole, items)
            items.append(turn)
            if one_text:
                has_text = _set_apart(turn.parts, has_text)
            whole.parts += turn.parts
    return joined


def _set_apart(item: list[ir.Part], follows: bool) -> bool:
    """Begin the first text of an item with a blank line, if it `follows` other text; return whether there is text."""
    for part in item:
        if type(part) is ir.Text and part.text:
            if follows:
                part.text = BETWEEN_ITEMS + part.text
                for citation in part.citations or ():
                    if type(citation) is ir.UrlCitation:
                        citation.start = len(BETWEEN_ITEMS) + (citation.start or 0)
                        citation.end = None if citation.end is None else len(BETWEEN_ITEMS) + citation.end
            return True
    return follows


def _is_blank_item(turn: ir.Turn, report: Report, is_empty: IsEmpty) -> bool:
    """Return whether an item has nothing but empty text in the source."""
    if not turn.parts:
        return id(turn) in (report.facts.blank or ())
    for part in turn.parts:  # noqa: SIM110 - a generator costs more than the parts of most items
        if not isinstance(part, ir.WORDING) or not is_empty(part.text):
            return False
    return True


def _report_blank(turn: ir.Turn, report: Report) -> None:
    for part in turn.parts:
        if isinstance(part, ir.WORDING) and part.text:
            report.at("PLC-9", part)
    report.at("PLC-12", turn)


def _emptied(turn: ir.Turn, report: Report) -> bool:
    """Return whether all parts of an item were dropped, and no finding names the item itself."""
    facts = report.facts
    return not turn.parts and id(turn) not in (facts.named or ()) and id(turn) not in (facts.blank or ())


BETWEEN_TEXTS = "\n"


def join_texts(root: ir.Request, constraints: Constraints, report: Report, options: Mapping[str, Any]) -> None:
    """Join contents of nothing but texts into one string, for servers that take no arrays (PLC-8).

    Contents with media stay arrays, unless the server has a member of its own for the media of a message.
    """
    for turn in root.turns or ():
        if turn.role is ir.ASSISTANT:  # its texts are one response, with other members next to it
            turn.parts = _with_joined_texts(turn.parts, "", report)
            continue
        if constraints.one_text or _are_texts(turn.parts):
            turn.parts = _with_joined_texts(turn.parts, BETWEEN_TEXTS, report)
        for part in turn.parts:
            if isinstance(part, ir.ToolResult) and _are_texts(part.parts):
                part.parts = _with_joined_texts(part.parts, BETWEEN_TEXTS, report)


def _are_texts(parts: list[ir.Part]) -> bool:
    return all(type(part) is ir.Text for part in parts)


def _with_joined_texts(parts: list[ir.Part], between: str, report: Report) -> list[ir.Part]:
    """Return the parts with all texts joined in the first of them."""
    texts = [part for part in parts if type(part) is ir.Text]
    for text in texts[1:]:
        report.at("PLC-8", text)
    for text in texts:
        if text.cache is not None:
            report.at("CAC-4", text, "cache")
    if len(texts) < 2 and not any(text.cache for text in texts):
        return parts
    whole = ir.Text(between.join(text.text for text in texts), texts[0].citations, None, texts[0].src)
    others = set(map(id, texts[1:]))
    return [whole if part is texts[0] else part for part in parts if id(part) not in others]


def leave(turn: ir.Turn, report: Report, *, name: str | None = None, members: Any = None) -> None:
    """Report the name and the members of a turn whose parts go to another one, unless that has the same."""
    if turn.name is not None and turn.name != name:
        report.at("USR-4", turn, "name")
    if turn.extra is not None and members_of(turn) != members:
        report.extra_fields(turn)


def members_of(turn: ir.Turn) -> Any:
    """Return the members that only the turn's own protocol has."""
    return None if turn.extra is None else turn.extra.fields


# --- instructions -----------------------------------------------------------------------------------------------------
# Instructions precede all other turns, or come later where the target takes them there (PLC-1, PLC-2, PLC-25). Those
# that the source begins with stay at the beginning. With `instructions="in_place"` a later one changes nothing before
# it, so that the conversion of a conversation begins with the conversion of any shorter one.


INSTRUCTIONS = (ir.SYSTEM, ir.DEVELOPER)
HOIST, IN_PLACE = "hoist", "in_place"
LATER_INSTRUCTIONS = (HOIST, IN_PLACE)
"""The values of the option `instructions`: what is done with later ones that the target does not accept in place."""
REMINDER = "system-reminder"
"""The tag around such instructions as user text; coding agents put it around theirs, so that models know it."""
LATER = {"top": "nowhere", "inline": "anywhere"}
"""Where a target that does not state it accepts later instructions, by the place of the first ones."""


def moves_instructions(constraints: Constraints) -> bool:
    """Return whether the target does not accept later instructions everywhere."""
    return (constraints.later or LATER[constraints.instructions]) != "anywhere"


def place_instructions(root: ir.Request, constraints: Constraints, report: Report, options: Mapping[str, Any]) -> None:
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
    if len(given) == first == 1 and not root.changes:
        if constraints.instructions != "top" or _is_plain(turns[0]):
            return  # the only instructions are where they belong, as in most requests
    gone = forgotten(turns) if root.changes else ()
    top, rest = turns[:first], turns[first:]
    hoisted: list[ir.Turn] = []
    if first < len(given):  # most requests have no later instructions
        placing = _Placing(constraints, report, later == "after_user", options.get("instructions") == IN_PLACE, gone)
        rest, hoisted = placing.placed(rest), placing.hoisted
    if root.changes:
        if constraints.instructions == "top":
            rest = [*_kept_in_place(top), *rest]
        for turn in top:
            if id(turn) in gone:
                forget(turn, report)
    root.turns = [*_joined_instructions([*top, *hoisted], constraints, report), *rest]


def _joined_instructions(top: list[ir.Turn], constraints: Constraints, report: Report) -> list[ir.Turn]:
    """Return one turn of all instructions, or no turn if they have no text (PLC-13)."""
    if not top or (len(top) == 1 and constraints.instructions != "top"):
        return top
    parts: list[ir.Part] = []
    for turn in top:
        if not turn.parts and turn.settings is None:
            report.at("PLC-13", turn)
        elif turn.role is ir.DEVELOPER and constraints.instructions != "top":
            report.at("PLC-1", turn, "role")
        if turn.name is not None or turn.extra is not None or turn.settings is not None:
            _move(turn, report)
        parts += turn.parts
    return [ir.Turn(ir.SYSTEM, parts, None, top[0].src)] if parts else []


def _is_plain(turn: ir.Turn) -> bool:
    """Return whether a turn is instructions and nothing else, as the only ones of most requests are."""
    alone = turn.name is None and turn.extra is None and turn.settings is None
    return alone and turn.role is ir.SYSTEM and bool(turn.parts)


def _move(turn: ir.Turn, report: Report) -> None:
    """Report what a turn loses when its parts go elsewhere."""
    leave(turn, report)
    if _is_passing(turn):
        report.at("PLC-30", turn.settings, "passing")


def _is_passing(turn: ir.Turn) -> bool:
    """Return whether a turn's instructions hold only until the user's next message."""
    return turn.settings is not None and bool(turn.settings.passing)


def _kept_in_place(turns: list[ir.Turn]) -> list[ir.Turn]:
    """Return turns with the settings and the changes of tools of instructions whose text goes elsewhere."""
    left: list[ir.Turn] = []
    for turn in turns:
        changes: list[ir.Part] = [part for part in turn.parts if type(part) is ir.ToolChange]
        if turn.settings is None or not (changes or turn.settings.thinking or turn.settings.output):
            continue
        left.append(ir.Turn(ir.SYSTEM, changes, None, turn.src, settings=evolve(turn.settings, passing=None)))
        turn.parts = [part for part in turn.parts if type(part) is not ir.ToolChange]
    return left


class _Placing:
    """Places the turns after the leading instructions, one by one.

    hoisted   later instructions that go to the beginning
    turns     the turns that are placed so far
    waiting   instructions between a call and its result
    open      how many calls have no result yet
    reminder  the last turn, if it was made of reminders
    gone      the ids of turns whose text has ended by the last turn, and is dropped instead of moved
    """

    def __init__(
        self, constraints: Constraints, report: Report, after_user: bool, in_place: bool, gone: Container[int]
    ) -> None:
        self._gone = gone
        self.hoisted: list[ir.Turn] = []
        self._constraints = constraints
        self._report = report
        self._after_user = after_user
        self._in_place = in_place
        self._turns: list[ir.Turn] = []
        self._waiting: list[ir.Turn] = []
        self._open = 0
        self._reminder: ir.Turn | None = None

    def placed(self, turns: list[ir.Turn]) -> list[ir.Turn]:
        """Return the turns in their places, without those to hoist."""
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

    def _follow(self, turn: ir.Turn) -> None:
        """Append a turn of another role, which stays where it is."""
        last = self._turns[-1] if self._turns else None
        if turn.role is ir.ASSISTANT:
            if last is None or last.role is not ir.ASSISTANT:
                self._place_waiting(True)
                self._open = 0
            self._open += sum(type(part) in ir.CALLS for part in turn.parts)
        else:
            results = sum(type(part) is ir.ToolResult for part in turn.parts)
            self._open -= results
            if self._reminder is not None and turn.role is ir.USER and not results:
                turn.parts = [*self._reminder.parts, *turn.parts]
                self._turns.pop()
        self._reminder = None
        self._turns.append(turn)

    def _place_waiting(self, before_answer: bool) -> None:
        waiting, self._waiting = self._waiting, []
        for turn in waiting:
            self._place(turn, before_answer, moved=True)

    def _set(self, turn: ir.Turn) -> None:
        """Append a turn without text, whose settings may come anywhere."""
        if turn.settings is None:
            self._report.at("PLC-13", turn)
        elif self._reminder is not None:
            self._turns.insert(-1, turn)
        else:
            self._turns.append(turn)

    def _place(self, turn: ir.Turn, before_answer: bool, *, moved: bool = False) -> None:
        last = self._turns[-1] if self._turns else None
        message = next((one for one in reversed(self._turns) if one.parts), None)
        if self._after_user and before_answer and message is not None and message.role is not ir.ASSISTANT:
            if moved and id(turn) in self._gone:
                forget(turn, self._report)
                self._set(turn)
                return
            if moved:
                self._report.at("PLC-2", turn)
            if last is not None and last.role in INSTRUCTIONS and last.parts and _have_same_terms(last, turn):
                _join(last, turn, self._report)  # the target refuses two in a row
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

    def _remind(self, parts: list[ir.Part], source: ir.Turn) -> None:
        """Append instructions as user text: to the user's turn before them, or to a tool result before them if the
        server accepts no user turn after results."""
        last = self._turns[-1] if self._turns else None
        result = last.parts[-1] if last is not None and last.parts else None
        if not self._constraints.any_role_order and type(result) is ir.ToolResult:
            result.parts = [*result.parts, *parts]
        elif last is not None and last.role is ir.USER:
            last.parts = [*last.parts, *parts]
        else:
            self._reminder = ir.Turn(ir.USER, parts, None, source.src)
            self._turns.append(self._reminder)


def _have_same_terms(before: ir.Turn, turn: ir.Turn) -> bool:
    """Return whether instructions of two turns last equally long and have the same vendor-specific members."""
    return _is_passing(before) == _is_passing(turn) and members_of(before) == members_of(turn)


def _join(before: ir.Turn, turn: ir.Turn, report: Report) -> None:
    """Add instructions to those before them; of settings that both have, the later count (RSN-45)."""
    before.parts = [*before.parts, *turn.parts]
    if turn.settings is not None:
        for name in ("thinking", "output") if before.settings is not None else ():
            old, new = getattr(before.settings, name), getattr(turn.settings, name)
            if new is None:
                setattr(turn.settings, name, old)
            elif old is not None and old != new:
                report.at("RSN-45", before.settings, name)
        before.settings = turn.settings
    leave(turn, report, name=before.name, members=members_of(before))


def _before_answers(turns: list[ir.Turn]) -> list[bool]:
    """Return for each turn whether the next message is the assistant's, or there is no further message."""
    found = []
    answer = True
    for turn in reversed(turns):
        found.append(answer)
        if turn.role not in INSTRUCTIONS and turn.parts:
            answer = turn.role is ir.ASSISTANT
    return found[::-1]


def _marked(part: ir.Part) -> ir.Part:
    """Put the tag of a reminder around a text, unless its client has done so."""
    if isinstance(part, ir.Text) and part.text.strip() and not part.text.lstrip().startswith(f"<{REMINDER}>"):
        part.text = f"<{REMINDER}>\n{part.text}\n</{REMINDER}>"
    return part


# --- parts in their turns ---------------------------------------------------------------------------------------------

ONE_STRING = (ir.Reasoning, ir.Refusal)
"""Parts for which a target without ordered parts has one string member."""
RANK: dict[type, int] = {ir.Reasoning: 0, ir.Text: 1, ir.Refusal: 2, ir.Image: 3, ir.FunctionCall: 4, ir.CustomCall: 4}
"""The order of that target's members: reasoning, then text, refusal, images and calls."""


def place(root: ir.Request, constraints: Constraints, report: Report, _: Mapping[str, Any]) -> None:
    """Join items, unfold what the target cannot nest, and leave out blank text."""
    turns = root.turns or []
    if constraints.empty_text and len(turns) > 1 and turns[0].role in INSTRUCTIONS:
        first = turns[0]
        if not [part for part in first.parts if type(part) is not ir.Text or part.text or part.cache is not None]:
            first.parts = []  # of no use, even if the target accepts empty text (PLC-13)
            report.facts.emptied = True
    root.turns = _placed(turns, constraints, report, _is_blank, not constraints.text_arrays)


def _is_blank(text: str) -> bool:
    """Return whether servers reject a text in a request because it has nothing but whitespace (PLC-9, PLC-10)."""
    return not text or text.isspace()


def place_response(root: ir.Response, constraints: Constraints, report: Report, _: Mapping[str, Any]) -> None:
    """Join items and leave empty text out; one candidate, and one text, where the target has no more."""
    if not constraints.alternatives and len(root.candidates) != 1:
        report.at("CHO-1", root, "candidates", f"found {len(root.candidates)}")
    media = report.facts.media
    for candidate in root.candidates:
        if media is not None and not any(map(_is_shown, candidate.parts)):
            report.at("PLC-3", media)  # the client would take the model's answer for an empty one
        # In a response whitespace is text, since no server checks it (PLC-10).
        candidate.turns = _placed(candidate.turns, constraints, report, not_, not constraints.text_parts)
        if not constraints.text_parts:
            for turn in candidate.turns:
                for text in [part for part in turn.parts if type(part) is ir.Text][1:]:
                    report.at("PLC-8", text)


def _placed(
    turns: list[ir.Turn], constraints: Constraints, report: Report, is_empty: IsEmpty, one_text: bool
) -> list[ir.Turn]:
    dropped = None if constraints.empty_text else is_empty
    if not constraints.items:
        turns = join_items(turns, report, dropped, one_text)
    if report.facts.reshaped or (dropped is not None and _has_empty_text(turns, dropped)):
        for turn in turns:
            turn.parts = _placed_parts(turn.parts, constraints, report, dropped)
            report.facts.emptied = report.facts.emptied or not turn.parts
    if not constraints.ordered:
        for turn in turns:
            if turn.role is ir.ASSISTANT and len(turn.parts) > 1:
                Interleaving(report).follow(turn.parts)
    return turns


def _is_shown(part: ir.Part) -> bool:
    """Return whether a part is content for the user, and not a step of the model's work."""
    return answers(part) and not isinstance(part, RUN)


def _has_empty_text(turns: list[ir.Turn], is_empty: IsEmpty) -> bool:
    """Return whether some text is empty, or a part may hold an empty text."""
    for turn in turns:
        for part in turn.parts:
            if isinstance(part, ir.WORDING):
                text = part.text
                if (not text or text[0].isspace()) and is_empty(text):
                    return True
            elif type(part) is ir.ToolResult:
                for inner in part.parts:
                    if type(inner) is ir.Text and is_empty(inner.text):
                        return True
            elif type(part) in HOLDERS:
                return True
    return False


def _placed_parts(
    parts: list[ir.Part], constraints: Constraints, report: Report, is_empty: IsEmpty | None
) -> list[ir.Part]:
    """Return the parts with nested ones unfolded, without text that is empty to the target."""
    placed: list[ir.Part] = []
    for at, part in enumerate(parts):
        if is_empty is not None and isinstance(part, ir.WORDING) and is_empty(part.text):
            if constraints.placed_seals and _is_between_seals(parts, at):
                placed.append(part)
                continue
            report.at("PLC-9" if part.text else "PLC-10", part)
            cite_before(part, placed)
            if type(part) is ir.Text and part.cache is not None:
                report.at("CAC-4", part, "cache")
        else:
            placed += _unfolded(part, constraints, report, is_empty) if type(part) in HOLDERS else (part,)
    return placed


def _is_between_seals(parts: list[ir.Part], at: int) -> bool:
    """Return whether a text comes right between signed reasoning and further reasoning (PLC-26)."""
    after = parts[at + 1] if at + 1 < len(parts) else None
    before: Any = parts[at - 1] if at else None
    return type(before) is ir.Reasoning and before.seal is not None and type(after) is ir.Reasoning


HOLDERS = (ir.ToolResult, ir.Document, ir.SearchResult)
"""Parts that may hold parts."""


def _unfolded(part: Any, constraints: Constraints, report: Report, is_empty: IsEmpty | None) -> list[ir.Part]:
    """Return a part with its inner parts in their places, or these alone if the target cannot nest them."""
    if type(part) is ir.ToolResult:
        part.parts = _placed_parts(part.parts, constraints, report, is_empty)
        if not constraints.media_results:
            part.parts = [_as_text(inner, report) for inner in part.parts]
        return [part]
    if type(part) is ir.SearchResult and not constraints.nested:
        heading = ir.Text("\n".join(filter(None, (part.title, part.source))), None, None, part.src)
        return move_breakpoint(_placed_parts([heading, *part.parts], constraints, report, is_empty), part, report)
    if type(part) is ir.Document and isinstance(part.source, ir.Chunks) and not constraints.nested:
        return move_breakpoint(_placed_parts(part.source.parts, constraints, report, is_empty), part, report)
    return [part]


def _as_text(part: ir.Part, report: Report) -> ir.Part:
    """Return the text of a document whose source is plain text, for a result that holds texts only."""
    if not isinstance(part, ir.Document) or not isinstance(part.source, ir.PlainText):
        return part
    if part.title is not None:
        report.at("DOC-1", part, "title")
    return ir.Text(part.source.text, None, part.cache, part.src)


def move_breakpoint(parts: list[ir.Part], holder: Any, report: Report) -> list[ir.Part]:
    """Move the cache breakpoint of a part to the last of the parts that it held, if that can have one (CAC-1)."""
    if holder.cache is not None:
        last = parts[-1] if parts else None
        if not isinstance(last, (ir.Text, ir.Image, ir.Document)):
            report.at("CAC-4", holder, "cache")
        elif last.cache is None:  # else the same place has a breakpoint already
            last.cache = holder.cache
    return parts


class Interleaving:
    """Reports what members lose against ordered parts: the order among them, and boundaries in one (PLC-4, PLC-8)."""

    __slots__ = ("_highest", "_report", "_seen")

    def __init__(self, report: Report) -> None:
        self._report = report
        self._highest = 0
        self._seen: tuple[type, ...] = ()

    def follow(self, parts: list[ir.Part]) -> None:
        """Report what is lost by the next parts of the turn."""
        for part in parts:
            cls = type(part)
            if cls in ONE_STRING:
                if cls in self._seen:
                    self._report.at("PLC-8", part)
                else:
                    self._seen += (cls,)
            rank = RANK.get(cls, self._highest)
            if rank < self._highest:
                if cls is not ir.Text or part.text:  # type: ignore[union-attr]  # an empty text is nowhere
                    self._report.at("PLC-4", part)
            else:
                self._highest = rank


def follow_joined(interleaving: Interleaving | None, before: ir.Turn, turn: ir.Turn, report: Report) -> Interleaving:
    """Report what is lost by a turn that is joined to `before`, which has an `interleaving` if it was joined itself."""
    if interleaving is None:
        interleaving = Interleaving(report)
        interleaving.follow(before.parts)
    interleaving.follow(turn.parts)
    return interleaving
