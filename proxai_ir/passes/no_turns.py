"""Handle requests whose response is no turn, and summaries in place of a history.

A request may ask for a summary of the conversation (PLC-62), or for nothing, to fill a cache (CAC-8). If the target
gives no summaries, one is asked for as a turn, if the caller's options permit it (PLC-64); with `state` the text of
that turn becomes the summary: a part of the client's protocol, or an envelope that only this library opens (CTX-2).
A turn that is no whole summary is an error (PLC-65), since the client replaces its history by it, and a stream gives
the summary at its end, when it is known to be whole.

A summary in a history replaces the turns before it (PLC-63) and becomes text of the user, since many servers continue
or refuse a last assistant turn, and others refuse a first one. This pass precedes all others, so that the dropped turns
have no other findings; instructions stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from typing import Any, TypeGuard

from ..ir.envelope import CLOSED, LONGEST, PLAINLY, TAG, enveloped, opened
from ..ir.node import Seal
from ..ir.parts import CALLS, SUMMARY, Reference, Text, VendorPart
from ..ir.parts import Refusal as Declined
from ..ir.request import ASSISTANT, BETWEEN_ITEMS, USER, Request, Turn
from ..ir.response import CONTEXT_WINDOW, END, LENGTH, Candidate, Response, Terminal
from ..ir.stream import events
from ..ir.tools import Choice, ChoiceMode
from ..reporting.diagnostics import Refusal
from ..reporting.report import Report
from ..targets.constraints import Constraints
from ..targets.verdicts import NOT_CARRIED, Target
from .emulation import SUMMARIES, is_asked
from .placement import INSTRUCTIONS
from .seals import asked_for
from .stages import INSTEAD, NOTHING, PartStage

PROMPT = (
    "Summarise the conversation so far. The summary takes its place: whoever goes on with the work reads the summary "
    "and nothing else. Keep what the user asked for, in their own words where those matter; decisions and constraints; "
    "what was done and found, with exact names, paths, values and errors; and what is still to be done, the next step "
    "first. Write the summary alone, as text; do not call tools and do not go on with the work."
)
"""The prompt for a summary, unless the client has one."""


# --- the request ------------------------------------------------------------------------------------------------------


def ask(root: Request, target: Target, report: Report, options: Mapping[str, Any]) -> None:
    """Ask for a summary as a turn if the target gives none; note what the response is to be instead of a turn.

    Without the caller's permission the request keeps asking for a summary, and is refused.
    """
    if root.max_tokens == 0:
        report.state[INSTEAD] = NOTHING
    summary = root.summary
    if summary is None or not (_lacks(target) and is_asked(SUMMARIES, options) and asked_for(options)):
        return
    turns = root.turns = root.turns or []
    if all(turn.role in INSTRUCTIONS for turn in turns):
        return
    report.at("PLC-64", summary)
    own = summary.instructions
    prompt = own if own and own.strip() else PROMPT
    turns.append(Turn(USER, [Text(prompt, src=summary.src)], None, summary.src))
    root.summary = root.prefill = None
    report.state[INSTEAD] = SUMMARY
    _ask_for_text(root, report)


def _lacks(target: Target) -> bool:
    """Return whether the target gives no summaries by itself."""
    verdicts = (field.verdicts for field in target.fields[Request] if field.name == "summary")
    return any(verdict.word in NOT_CARRIED for chain in verdicts for _, verdict in chain)


def _ask_for_text(root: Request, report: Report) -> None:
    """Remove what would make the response something else than text, or only a part of it.

    Tools stay, as the history has calls of them and the beginning of the prompt is cached; none may be called.
    """
    if root.tools:
        if root.tool_choice is not None:
            report.at("PLC-64", root, "tool_choice")
        root.tool_choice = Choice(ChoiceMode.NONE, src=root.src)
    if root.parallel_tools is not None:
        report.at("PLC-64", root, "parallel_tools")
        root.parallel_tools = None
    if root.output is not None and root.output.format is not None:
        report.at("PLC-64", root.output, "format")
        root.output.format = None
    if root.sampling is not None and root.sampling.stop:
        report.at("PLC-64", root.sampling, "stop")
        root.sampling.stop = None


# --- the response -----------------------------------------------------------------------------------------------------


def deliver(root: Response, constraints: Constraints, report: Report, options: Mapping[str, Any]) -> None:
    """Make a whole response what the request asked for."""
    for candidate in root.candidates:
        if options["state"][INSTEAD] == NOTHING:
            candidate.terminal = _of_nothing(candidate.terminal, constraints, bool(candidate.parts))
            continue
        made = _Summary(report, options)
        for number, turn in enumerate(candidate.turns):
            for part in turn.parts:
                made.add(part, number)
        part = made.part(candidate.terminal, candidate)
        candidate.turns = [Turn(ASSISTANT, [part], None, candidate.src)]
        candidate.terminal, candidate.logprobs = _natural(candidate.terminal), None


def in_streams(constraints: Constraints, report: Report, options: Mapping[str, Any]) -> list[PartStage]:
    """Make a stream what the request asked for, at its end."""
    word = (options.get("state") or {}).get(INSTEAD)
    if word is None:
        return []
    return [_Nothing(constraints) if word == NOTHING else _Gathering(report, options)]


def _of_nothing(ending: Terminal, constraints: Constraints, answered: bool) -> Terminal:
    """Return the ending of a response that was to have no content, in the client's word for that."""
    if answered or not (ending.reason is LENGTH or ending.fitted(False) is END):
        return ending
    made = copy(ending)
    made.reason = constraints.without_output
    return made


def _natural(ending: Terminal) -> Terminal:
    return Terminal(END, ending.raw, src=ending.src)


class _Summary:
    """The summary that the parts of one response hold."""

    def __init__(self, report: Report, options: Mapping[str, Any]) -> None:
        self._report, self._options = report, options
        self._texts: list[str] = []
        self._turn = -1
        self._calls = self._refused = False

    def add(self, part: Any, turn: int) -> None:
        """Add a part of the response; `turn` is the number of its item."""
        self._calls |= type(part) in CALLS
        self._refused |= type(part) is Declined
        if type(part) is not Text:
            self._report.at("PLC-66", part)
            return
        if part.citations:
            self._report.at("PLC-66", part, "citations")
        if self._texts and turn != self._turn:
            self._texts.append(BETWEEN_ITEMS)
        self._turn = turn
        self._texts.append(part.text)

    def part(self, ending: Terminal, at: Any) -> VendorPart:
        """Return the part that the client gets; raises Refusal if the response is no whole summary."""
        text = "".join(self._texts)
        envelope = enveloped(Seal("", SUMMARY, text), asked_for(self._options) or PLAINLY)
        if flaw := self._flaw(text, envelope, ending):
            raise Refusal.of_records([("PLC-65", self._report.place(at, ""), flaw)])
        return VendorPart(SUMMARY, {"text": text, "envelope": envelope}, getattr(at, "src", None))

    def _flaw(self, text: str, envelope: str, ending: Terminal) -> str:
        """Return why the response is no whole summary, or "" if it is one."""
        if self._calls:
            return "it called a tool"
        if self._refused:
            return "it declined"
        if ending.reason in (LENGTH, CONTEXT_WINDOW):
            return "its text is cut off at the limit of tokens"
        if ending.fitted(False) is not END:
            return f"the response ended with {ending.raw or ending.reason.value}"
        if not text.strip():
            return "its response is empty"
        return "its text is too long" if len(envelope) > LONGEST else ""


class _Gathering(PartStage):
    """Holds the parts of each candidate of a stream back until it ends."""

    reads_texts = True

    def __init__(self, report: Report, options: Mapping[str, Any]) -> None:
        self._report, self._options = report, options
        self._summaries: dict[int, _Summary] = {}
        self._open: dict[int, tuple[events.PartOpened, list[str]]] = {}
        self._parts: dict[int, list[int]] = {}  # the indexes of each candidate's

    def whole(self, part: Any, _: Candidate, /) -> Iterable[Any]:
        return (part,)

    def __call__(self, event: events.Event, /) -> Iterator[events.Event]:
        if isinstance(event, events.PartOpened):
            self._open[event.index] = (event, [])
            self._parts.setdefault(event.candidate, []).append(event.index)
        elif isinstance(event, events.PartGrew):
            self._open[event.index][1].append(event.text)
        elif isinstance(event, events.PartClosed):
            self._close(event.index)
        elif isinstance(event, events.PartCited):
            self._report.at("PLC-66", event.citation)
        elif isinstance(event, events.Ended):
            for index in self._parts.pop(event.candidate, ()):
                self._close(index)
            part = self._of(event.candidate).part(event.terminal, event.terminal)
            yield events.PartOpened(event.candidate, part, event.candidate)
            yield events.PartClosed(event.candidate)
            yield events.Ended(_natural(event.terminal), event.candidate)
        elif not isinstance(event, OF_PARTS):
            yield event

    def _of(self, candidate: int) -> _Summary:
        return self._summaries.setdefault(candidate, _Summary(self._report, self._options))

    def _close(self, index: int) -> None:
        if (found := self._open.pop(index, None)) is None:
            return  # it is closed
        opened, grown = found
        part = opened.part
        if type(part) is Text and grown:
            part = copy(part)
            part.text += "".join(grown)
        self._of(opened.candidate).add(part, opened.item)


OF_PARTS = (events.PartSealed, events.MediaGrew, events.PartExtended, events.Scored, events.Ending)


class _Nothing(PartStage):
    """Ends a stream as its client expects it of one without content."""

    def __init__(self, constraints: Constraints) -> None:
        self._constraints = constraints
        self._answered = False

    def whole(self, part: Any, _: Candidate, /) -> Iterable[Any]:
        return (part,)

    def __call__(self, event: events.Event, /) -> Iterable[events.Event]:
        self._answered |= isinstance(event, events.PartOpened)
        if isinstance(event, (events.Ending, events.Ended)):
            event = copy(event)
            event.terminal = _of_nothing(event.terminal, self._constraints, self._answered)
        return (event,)


# --- summaries in the history -----------------------------------------------------------------------------------------

LEAD = "Summary of the conversation so far:"
"""The line before a summary, so that a model does not take it for the user's present message."""


def replace(root: Request, _: Constraints, report: Report, options: Mapping[str, Any]) -> None:
    """Drop the turns that summaries replace, and send the summaries as text of the user."""
    turns = _without_summarised(root.turns or [], report)
    root.turns = [made for turn in turns for made in _as_users(turn, report, options)]


def _without_summarised(turns: list[Turn], report: Report) -> list[Turn]:
    """Return the turns from the last summary on, after the instructions before it."""
    last = max((index for index, turn in enumerate(turns) if turn.recap), default=0)
    kept = [turn for turn in turns[:last] if turn.role in INSTRUCTIONS]
    for turn in turns[:last]:
        if turn.role not in INSTRUCTIONS:
            report.at("PLC-63", turn)
    return [*kept, *turns[last:]]


def _as_users(turn: Turn, report: Report, options: Mapping[str, Any]) -> list[Turn]:
    """Return the summary at the start of a turn as a user turn, and the rest as another turn."""
    first = turn.parts[0] if turn.parts else None
    if is_sealed(first):
        text = _opened(first, options)
        if text is None:
            return [turn]  # the target refuses it (R2A-3)
        report.at("CTX-2", first)
        return [Turn(USER, [Text(_introduced(text), src=first.src)], None, turn.src)]
    if not turn.recap or type(first) is not Text:
        return [turn]
    first.text = _introduced(first.text)
    rest = turn.parts[1:]
    made = Turn(USER, [first], turn.name, turn.src, turn.extra)
    return [made, Turn(ASSISTANT, rest, None, turn.src)] if rest else [made]


def _introduced(summary: str) -> str:
    return f"{LEAD}\n\n{summary}"


def is_sealed(part: Any) -> TypeGuard[Reference]:
    """Return whether a part is a summary in an envelope of this library."""
    return type(part) is Reference and part.id.startswith(TAG)


def _opened(part: Reference, options: Mapping[str, Any]) -> str | None:
    """Return the summary in an envelope, or None if it may not or cannot be opened."""
    seals = asked_for(options)
    if seals is None:
        return None
    found = opened(Seal("", CLOSED, part.id), seals)
    return found.data if found.kind == SUMMARY else None
