"""The stages of a stream before its target: what they hold back, join, replace or report of its events.

Rule: an event that a stage has nothing to do with goes on as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from copy import copy
from typing import Any

from .. import ir
from ..ir.error import Error
from ..ir.parts import CALLS, WORDING
from ..ir.response import Response, Terminal, answers
from ..ir.stream import events
from ..ir.stream.events import Event, PartClosed, PartGrew, PartOpened
from ..ir.stream.grammar import OF_PARTS, Grammar, OutOfOrder
from ..ir.structure import GROWING
from ..json.types import whole_characters
from ..passes.calls import ANSWERED, is_same
from ..passes.endings import error_of, failed
from ..reporting.diagnostics import Record
from ..reporting.report import Report
from ..reporting.vocabulary import Vocabulary
from .findings import HERE, Marks
from .part_buffer import buffered_text

# --- halves -----------------------------------------------------------------------------------------------------------
# Characters that a source splits over two deltas, a surrogate in each: joined before anything else sees them (STR-21).


FIRST, SECOND = "\ud800", "\udc00"  # the least first half and the least second half
LAST = "\udfff"
REPLACEMENT = "\ufffd"
FIELD: dict[type, str] = {cls: fields[0] for cls, fields in GROWING.items()}
"""The field with the text of parts that grow."""


def is_half(text: str) -> bool:
    """Return whether a text ends with the first half of a character."""
    return FIRST <= text[-1:] < SECOND


class Halves:
    """Joins the halves of characters. A half that stays alone is reported.

    held  first halves whose other half has not come, by the index of the part
    """

    def __init__(self, report: Report) -> None:
        self._report = report
        self.held: dict[int, str] = {}

    def run(self, found: list[Event], /) -> list[Event]:
        """Return the events with whole characters."""
        if not self.held:
            for event in found:
                kind = event.__class__
                if kind is PartGrew:
                    text = event.text  # type: ignore[union-attr]
                elif kind is PartOpened:
                    text = _begun(event)  # type: ignore[arg-type]
                else:
                    continue
                if text and text.__class__ is str and not text.isascii() and is_half(text):
                    break
            else:
                return found
        return [made for event in found for made in self._joined(event)]

    def grew(self, index: int, text: str) -> str:
        """Return what may be passed on of what a part grew by."""
        half = self.held.pop(index, "")
        if half and not SECOND <= text[:1] <= LAST:
            self._lose()
            half = REPLACEMENT
        text = whole_characters(half + text)
        if is_half(text):
            text, self.held[index] = text[:-1], text[-1]
        return text

    def _lose(self) -> None:
        """Report half a character that stays alone, which the event at hand shows."""
        self._report.records.append(("STR-21", HERE, ""))

    def _joined(self, event: Event) -> list[Event]:
        if isinstance(event, PartGrew) and event.text:
            text = self.grew(event.index, event.text)
            return [PartGrew(event.index, text)] if text else []
        if isinstance(event, PartOpened) and is_half(_begun(event)):
            part: Any = copy(event.part)
            setattr(part, FIELD[type(part)], self.grew(event.index, _begun(event)))
            return [PartOpened(event.index, part, event.candidate, event.item)]
        if isinstance(event, PartClosed) and self.held.pop(event.index, ""):
            self._lose()
            return [PartGrew(event.index, REPLACEMENT), event]
        return [event]


def _begun(event: PartOpened) -> str:
    """Return the text that a part begins with."""
    text = getattr(event.part, FIELD.get(type(event.part), ""), "")
    return text if isinstance(text, str) else ""


# --- failures ---------------------------------------------------------------------------------------------------------
# The ending of a failed generation, in a stream: the error at the end of the stream takes its place (FIN-8).
#
# Rule 1: usage that follows the ending still counts, so that the error comes last. Rule 2: a call that the failure
# came with, or in the middle of, is never completed.


ENDINGS = (events.Ending, events.Ended)


class Failures:
    """Puts the error of a failed generation in the place of its ending.

    error      of the generation that failed, until it is handed out
    _failed    the candidates of which it is; _seen has the last ending of each
    _answered  the candidates with content that answers
    _blank     the texts without any text so far, with their candidates
    _calls     the calls that are open, with their candidates
    _lost      the calls that are never completed
    """

    def __init__(self, protocol: str | None, marks: Marks) -> None:
        self._protocol = protocol
        self._marks = marks
        self._answered: set[int] = set()
        self._blank: dict[int, int] = {}
        self._calls: dict[int, tuple[int, Any]] = {}
        self.error: Error | None = None
        self._lost: list[Any] = []
        self._failed: set[int] = set()
        self._seen: dict[int, Terminal] = {}

    def run(self, found: list[Event], /) -> list[Event]:
        """Return the events with what a failure changes of them, for which it has to see them together."""
        ended: list[int] = []
        for event in found:
            kind = event.__class__
            if kind is events.PartGrew:
                if event.text and event.index in self._blank:  # type: ignore[union-attr]
                    self._answered.add(self._blank.pop(event.index))  # type: ignore[union-attr]
            elif kind is events.PartOpened:
                self._opened(event)  # type: ignore[arg-type]
            elif kind in ENDINGS and self._fails(event):  # type: ignore[arg-type]
                self.error = self.error or error_of(event.terminal, self._protocol)  # type: ignore[union-attr]
                ended.append(event.candidate)  # type: ignore[union-attr]
        if ended:
            found = self._without(found, ended)
        if self._calls:
            self._forget(found)
        if self.error is None:
            return found
        left = [event for event in found if type(event) is not events.Completed]
        if len(left) < len(found):
            return [*left, *self.rest()]
        self._marks.notable = True  # as the error points at it
        return found

    def rest(self) -> list[Event]:
        """Return the error, where the stream is over and has not had it."""
        error, self.error = self.error, None
        return [] if error is None else [events.Failed(error, self._lost)]

    def _fails(self, event: events.Ending | events.Ended) -> bool:
        """Return whether an ending is that of a generation that failed; the same one is looked at once."""
        candidate, terminal = event.candidate, event.terminal
        if self._seen.get(candidate) is terminal:
            return candidate in self._failed
        self._seen[candidate] = terminal
        return candidate in self._failed or failed(terminal, candidate in self._answered)

    def _opened(self, event: events.PartOpened) -> None:
        if answers(event.part):
            self._answered.add(event.candidate)
        elif isinstance(event.part, WORDING):
            self._blank[event.index] = event.candidate
        if isinstance(event.part, CALLS):
            self._calls[event.index] = (event.candidate, event.part)

    def _without(self, found: list[Event], ended: list[int]) -> list[Event]:
        """Return the events but for those endings; calls that began among them are left out, others stay open."""
        broken = {index: part for index, (candidate, part) in self._calls.items() if candidate in ended}
        self._lost += [part for index, part in broken.items() if self._calls[index][0] not in self._failed]
        self._failed.update(ended)
        fresh = {event.index for event in found if type(event) is events.PartOpened} & broken.keys()
        return [event for event in found if not _dropped(event, ended, broken.keys(), fresh)]

    def _forget(self, found: Iterable[Event]) -> None:
        for event in found:
            if type(event) is events.PartClosed:
                self._calls.pop(event.index, None)


def _dropped(event: Event, ended: Collection[int], broken: Collection[int], fresh: Collection[int]) -> bool:
    if isinstance(event, ENDINGS):
        return event.candidate in ended
    if type(event) is events.PartOpened or isinstance(event, OF_PARTS):
        return event.index in fresh or (type(event) is events.PartClosed and event.index in broken)
    return False


# --- a stream that is passed on as it is ------------------------------------------------------------------------------


REPEATED = ("STR-16", "STR-20")
"""Rules of what the end of a stream repeats in another form."""


class InPlace:
    """Follows a stream that goes to its own protocol: nothing in it ends it, and its first fault is reported (STR-18).

    start     the response as it began
    disorder  why the first event that is out of its place is so
    records   findings about the event at hand
    _last     the part that began or grew last
    """

    def __init__(self, grammar: Grammar, vocabulary: Vocabulary) -> None:
        self._grammar, self._vocabulary = grammar, vocabulary
        self._last = -1
        self.start: Response | None = None
        self.disorder: str | None = None
        self.records: list[Record] = []

    def run(self, found: list[Event], /) -> list[Event]:
        """Return the events that stand where they may."""
        out: list[int] = []
        for at, event in enumerate(found):
            kind = event.__class__
            if kind is PartGrew and event.index in self._grammar.open:  # type: ignore[union-attr]
                self._last = event.index  # type: ignore[union-attr]
                continue
            if kind is PartOpened:
                self._last = event.index  # type: ignore[union-attr]
            elif kind is events.Started:
                self.start = event.response  # type: ignore[union-attr]
            elif kind is events.UnmappedFields:
                self._compare(event)  # type: ignore[arg-type]
            try:
                self._grammar(event)
            except OutOfOrder as fault:
                self._grammar.follow(event)
                self.misplaced(HERE, str(fault))
                out.append(at)
        return [event for at, event in enumerate(found) if at not in out] if out else found

    def growing(self) -> int:
        """Return the index of the part that may grow by the fast path, as nothing here depends on its text; -1:
        none."""
        return self._last if self._last in self._grammar.open else -1

    def misplaced(self, place: Any, detail: str) -> None:
        """Report that an event stands where it may not, if it is the first."""
        if self.disorder is None:
            self.disorder = detail
            self.records.append(("STR-18", HERE if place is None else place, detail))

    def _compare(self, unmapped: events.UnmappedFields) -> None:
        """Report what the end of the stream repeats in another form than events before it had (STR-20)."""
        table = self._vocabulary.vendor_fields.get(unmapped.about)
        if isinstance(table, Mapping):
            for key, was in (unmapped.extra.fields or {}).items():
                if table.get(key) in REPEATED:
                    self.records.append(("STR-20", unmapped.src if was is None else (unmapped.src, key), ""))


# --- repetitions ------------------------------------------------------------------------------------------------------
# Parts of a stream that repeat what has been sent: refusals the text before them (REF-11), calls an earlier one by its
# id (TUL-77).
#
# Rule: a refusal counts once (REF-1), and so does a call. Either is held back while it can be such a repetition; the
# text before a refusal then stays ordinary text (REF-6).


BOUNDS = (events.PartOpened, events.PartClosed, events.Ended)
"""Events by which a part is held back, or shows to be a repetition."""


class Repetitions:
    """Holds back parts that may repeat what has been sent, and drops those that do.

    _of     by candidate: what its refusals repeat of its text, piece by piece where the two alternate
    _text   by candidate: its text so far, None where it is too long or not known
    _texts  the candidates of the texts that are open, by part
    _held   by part: the beginning of a refusal that may repeat the text, and the refusal so far; or that of a call
    _calls  by candidate and id: the first call
    _later  by part: what came of a call that is held
    """

    def __init__(self, report: Report, marks: Marks, written: Callable[[int], str | None]) -> None:
        """Begin a stream. `written`: the arguments of a call so far, by its part; None where it was dropped."""
        self._report, self._marks, self._written = report, marks, written
        self._calls: dict[tuple[int, str], events.PartOpened] = {}
        self._later: dict[int, list[Event]] = {}
        self._of: dict[int, str] = {}
        self._text: dict[int, str | None] = {}
        self._texts: dict[int, int] = {}
        self._held: dict[int, tuple[events.PartOpened, str]] = {}

    def run(self, found: list[Event], /) -> Iterable[Event]:
        """Return the events but for repetitions; an ending says whether the texts before it are a refusal's wording."""
        if not self._held:
            for event in found:
                if event.__class__ in BOUNDS:
                    break
            else:
                return found
        return self._each(found)

    def _each(self, found: list[Event]) -> Iterator[Event]:
        for event in found:
            kind = event.__class__
            if kind is events.PartOpened:
                if not self._holds(event):  # type: ignore[arg-type]
                    yield event
                else:
                    self._marks.notable = True
            elif self._held and isinstance(event, OF_PARTS) and event.index in self._held:
                yield from self._of_call(event) if event.index in self._later else self._of_refusal(event)
            elif kind is events.Ended and event.candidate in self._of:  # type: ignore[union-attr]
                yield events.Ended(event.terminal, event.candidate, texts_refuse=True)  # type: ignore[union-attr]
            else:
                if kind is events.PartClosed:
                    self._note(event)  # type: ignore[arg-type]
                yield event

    def _holds(self, event: events.PartOpened) -> bool:
        """Return whether a part that begins is held back."""
        part = event.part
        if isinstance(part, ir.Text):
            self._texts[event.index] = event.candidate
        elif isinstance(part, ir.Refusal) and self._may_repeat(event.candidate, part.text):
            self._held[event.index] = (event, part.text)
            return True
        elif isinstance(part, ANSWERED) and part.id:
            if self._calls.setdefault((event.candidate, part.id), event) is event:
                return False
            self._held[event.index], self._later[event.index] = (event, ""), []
            return True
        return False

    def _of_call(self, event: Any) -> Iterator[Event]:
        """Yield what goes on when a call that is held back gets an event: at its end all of it, or nothing."""
        if type(event) is not events.PartClosed:
            self._later[event.index].append(event)
            return
        opened, later = self._held.pop(event.index)[0], self._later.pop(event.index)
        first = self._calls[opened.candidate, opened.part.id]  # type: ignore[union-attr, index]
        written = self._written(first.index)
        text = buffered_text(opened.part) + "".join(one.text for one in later if isinstance(one, events.PartGrew))
        if written is not None and is_same(_with(opened.part, text), _with(first.part, written)):
            self._report.at("TUL-77", opened.part)
        else:
            yield from (opened, *later, event)

    def _of_refusal(self, event: Any) -> Iterator[Event]:
        """Yield what goes on when a refusal that is held back gets an event: all of it, once it repeats nothing."""
        opened, text = self._held[event.index]
        if type(event) is events.PartGrew:
            text += event.text
            self._held[event.index] = (opened, text)
            if not self._may_repeat(opened.candidate, text):
                yield self._released(event.index)
        elif type(event) is events.PartClosed and self._repeats(opened.candidate, text):
            del self._held[event.index]
            self._of[opened.candidate] = self._wording(opened.candidate, text)
            self._report.at("REF-11", opened.part)
        else:
            yield self._released(event.index)
            yield event

    def _note(self, event: events.PartClosed) -> None:
        """Note the text of a part that is over and was not held back."""
        candidate = self._texts.pop(event.index, None)
        if candidate is not None:
            before = self._text.get(candidate, "")
            whole = None if event.text is None or before is None else before + event.text
            self._text[candidate] = None if whole is None or len(whole) > events.MOST_REPEATED else whole

    def _wording(self, candidate: int, text: str) -> str:
        return self._of.get(candidate, "") + text

    def _may_repeat(self, candidate: int, text: str) -> bool:
        before = self._text.get(candidate)
        return before is not None and before.startswith(self._wording(candidate, text))

    def _repeats(self, candidate: int, text: str) -> bool:
        return bool(text) and self._text[candidate] == self._wording(candidate, text)

    def _released(self, index: int) -> events.PartOpened:
        opened, text = self._held.pop(index)
        part: Any = copy(opened.part)
        part.text = text
        return events.PartOpened(index, part, opened.candidate, opened.item)


def _with(call: Any, text: str) -> Any:
    """Return a call with all its arguments."""
    made = copy(call)
    setattr(made, "input" if isinstance(call, ir.CustomCall) else "arguments", text)
    return made
