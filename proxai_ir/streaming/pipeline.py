"""Run the passes of a stream between the source's reader and the target's writer; every filter of events stands
here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from typing import Any, ClassVar

from .. import ir
from ..ir.error import Error, ErrorCategory
from ..ir.parts import CALLS, WORDING, Citation, Text
from ..ir.request import Role, Turn
from ..ir.response import CUT_OFF, Candidate, LogProbs, Response, StopReason, Terminal, Usage, answers
from ..ir.stream import events
from ..ir.stream.aggregate import fallen, merged, refused
from ..ir.stream.events import Event, PartClosed, PartGrew, PartOpened
from ..ir.stream.grammar import OF_PARTS
from ..ir.stream.interfaces import StreamWriter
from ..ir.structure import GROWING, copy_tree
from ..json.types import found, whole_characters, written
from ..passes.calls import ANSWERED, Answering, is_same
from ..passes.emulation import buffer_limit
from ..passes.endings import error_of, failed, note_no_arguments
from ..passes.legality import Judgement, among, plan_of
from ..passes.pipeline import Pipeline, legalize
from ..protocol.registry import Backend
from ..reporting.diagnostics import Record, Refusal, TranslationError
from ..reporting.report import Report
from ..reporting.vocabulary import NO_RULE, unmapped_members
from ..targets.constraints import Constraints
from ..targets.settings import Server
from ..targets.verdicts import Target
from .lowering import HERE
from .part_buffer import PartBuffer, PartBuffers, buffered_text

# --- repetitions ------------------------------------------------------------------------------------------------------
# Parts of a stream that repeat what has been sent: refusals the text before them (REF-11), calls an earlier one by its
# id (TUL-77).
#
# Rule: a refusal counts once (REF-1), and so does a call. Either is held back while it can be such a repetition; the
# text
# before a refusal then stays ordinary text (REF-6).


class Repetitions:
    """
    of     by candidate: what its refusals repeat of its text, piece by piece where the two alternate
    _text  by candidate: its text so far, None where it is too long or not known
    _texts the candidates of the texts that are open, by part
    held   by part: the beginning of a refusal that may repeat the text, and the refusal so far; or that of a call
    _calls by candidate and id: the first call
    _later by part: what came of a call that is held
    """

    def __init__(self, report: Report, written: Callable[[int], str | None]) -> None:
        """`written`: the arguments of a call so far, by its part; None where it was dropped."""
        self._report = report
        self._written = written
        self._calls: dict[tuple[int, str], events.PartOpened] = {}
        self._later: dict[int, list[events.Event]] = {}
        self.of: dict[int, str] = {}
        self._text: dict[int, str | None] = {}
        self._texts: dict[int, int] = {}
        self.held: dict[int, tuple[events.PartOpened, str]] = {}

    def opened(self, event: events.PartOpened) -> bool:
        """Return whether a part is held back."""
        part = event.part
        if isinstance(part, ir.Text):
            self._texts[event.index] = event.candidate
        elif isinstance(part, ir.Refusal) and self._may_repeat(event.candidate, part.text):
            self.held[event.index] = (event, part.text)
            return True
        elif isinstance(part, ANSWERED) and part.id:
            if self._calls.setdefault((event.candidate, part.id), event) is event:
                return False
            self.held[event.index], self._later[event.index] = (event, ""), []
            return True
        return False

    def gained(self, event: events.PartSealed | events.PartCited) -> None:
        """A call that is held back gained something besides text."""
        self._later[event.index].append(event)

    def grew(self, event: events.PartGrew) -> Iterator[events.Event]:
        """What goes on when a part that is held back grows: nothing, or all that was held."""
        if event.index in self._later:
            self._later[event.index].append(event)
            return
        opened, text = self.held[event.index]
        self.held[event.index] = (opened, text + event.text)
        if not self._may_repeat(opened.candidate, text + event.text):
            yield self._released(event.index)

    def note(self, event: events.PartClosed) -> None:
        """A part that was not held back is over."""
        candidate = self._texts.pop(event.index, None)
        if candidate is not None:
            self._note(candidate, event.text)

    def closed(self, event: events.PartClosed) -> Iterator[events.Event]:
        """What goes on when a part that is held back is over: nothing, or all of it."""
        if event.index in self._later:
            yield from self._settle_call(event)
            return
        if not self._repeats(event.index):
            yield self._released(event.index)
            yield event
            return
        opened, text = self.held.pop(event.index)
        self.of[opened.candidate] = self._wording(opened.candidate, text)
        self._report.at("REF-11", opened.part)

    def _settle_call(self, event: events.PartClosed) -> Iterator[events.Event]:
        opened, later = self.held.pop(event.index)[0], self._later.pop(event.index)
        first = self._calls[opened.candidate, opened.part.id]  # type: ignore[union-attr, index]
        written = self._written(first.index)
        text = buffered_text(opened.part) + "".join(one.text for one in later if isinstance(one, events.PartGrew))
        if written is not None and is_same(_with(opened.part, text), _with(first.part, written)):
            self._report.at("TUL-77", opened.part)
        else:
            yield from (opened, *later, event)

    def _wording(self, candidate: int, text: str) -> str:
        return self.of.get(candidate, "") + text

    def _may_repeat(self, candidate: int, text: str) -> bool:
        before = self._text.get(candidate)
        return before is not None and before.startswith(self._wording(candidate, text))

    def _repeats(self, index: int) -> bool:
        opened, text = self.held[index]
        return bool(text) and self._text[opened.candidate] == self._wording(opened.candidate, text)

    def _note(self, candidate: int, text: str | None) -> None:
        before = self._text.get(candidate, "")
        whole = None if text is None or before is None else before + text
        self._text[candidate] = None if whole is None or len(whole) > events.MOST_REPEATED else whole

    def _released(self, index: int) -> events.PartOpened:
        opened, text = self.held.pop(index)
        part: Any = copy(opened.part)
        part.text = text
        return events.PartOpened(index, part, opened.candidate, opened.item)


def _with(call: Any, text: str) -> Any:
    """Return a call with all its arguments."""
    made = copy(call)
    setattr(made, "input" if isinstance(call, ir.CustomCall) else "arguments", text)
    return made


# --- pipeline ---------------------------------------------------------------------------------------------------------
# From the events that a source's reader gives to those that a target's writer emits: the passes of a stream.
#
# What the passes do to a whole response is done here to one that is still being made: a node is made legal when it
# arrives, and what only the whole response shows (its placement, its stop reason against its content) is checked at
# its
# end. For that the pipeline keeps an outline of the response: its parts, each with no more than the first of its text.


Json = Any
REPEATED = ("STR-16", "STR-20")
"""Rules of what the end of a stream repeats in another form."""
RESTATED = "Restated"
"""What the unmapped fields are about that matter only where the stream is passed through (STR-20)."""


class StreamPipeline:
    """Hands the events of one legal stream to a writer; what the writer emits is appended to `out`.

    Raises Refusal where the target cannot represent it. `notable` is set by an event that later findings may point at,
    `provisional` by one that they may point at until another has provisional usage; `over` is true when the target's
    stream has its end. `passes`: those of the direction, where the caller has them.
    """

    def __init__(
        self,
        target: Target,
        constraints: Constraints,
        report: Report,
        writer: StreamWriter,
        server: Server,
        passes: Pipeline | None = None,
    ) -> None:
        options = vars(server)
        self.out: list[Json] = []
        self.notable = self.provisional = False
        self.over = False
        self.grew = writer.grew
        self._target, self._constraints, self._report = target, constraints, report
        self._writer, self._server = writer, server
        # Its class has it, so that a writer that hands calls on to another one has no choices by that
        several = hasattr(type(writer), "of_candidate")
        self._of: Callable[[int], StreamWriter] | None = writer.of_candidate if several else None  # type: ignore[attr-defined]
        self._plan = plan_of(target, "response")
        self._answering = Answering(constraints, report, options)
        self._passes = passes or Pipeline(target, constraints)
        self._limit = buffer_limit(options)
        self.parts = self._buffers(writer)  # of the first candidate
        self._others: dict[int, PartBuffers] = {}  # of further candidates, by their parts
        self._writers: dict[int, tuple[StreamWriter, PartBuffers]] = {}  # of the candidates
        self._reported: set[tuple[Any, ...]] = set()
        self._response = Response(None, None, None, [])
        self._provisional: Usage | None = None
        self._candidates: dict[int, Candidate] = {}
        self.stages = self._passes.stages(report, options)
        self.reads_texts = any(getattr(stage, "reads_texts", False) for stage in self.stages)
        self._repetitions = Repetitions(report, self._written)

    def feed(self, event: events.Event) -> None:
        """Pass one event on, through the stages that the caller's options ask for."""
        if not self.stages:
            self._handlers[event.__class__](self, event)
            return
        staged: Iterable[events.Event] = (event,)
        for stage in self.stages:
            staged = [each for one in staged for each in stage(one)]
        for one in staged:
            self._handlers[one.__class__](self, one)

    def take(self) -> list[Json]:
        """What was emitted since the last call."""
        out = [*self.out]
        self.out.clear()
        return out

    @property
    def response_id(self) -> str | None:
        """The id that the response has in the target."""
        return self._response.id

    def begun(self, response: Response) -> None:
        """The target has the start of this response already, as it came from the same protocol."""
        self._writer.started(copy_tree(response))

    def fail(self, error: Error) -> None:
        """End the target's stream with its own error event (STR-12)."""
        self.out += self._writer.failed(error)
        self.over = True
        for parts in {id(parts): parts for parts in (self.parts, *self._others.values())}.values():
            parts.abandon()

    # --- making nodes legal -------------------------------------------------------------------------------------------

    def _judge(self, node: Any) -> None:
        """Make a node that the pipeline owns legal, with all below it."""
        judgement = Judgement(self._report)
        self._plan.of[type(node)](judgement, node)
        judgement.apply()

    def _legal(self, node: Any, place: str, candidate: int = 0) -> list[Any]:
        """What the target gets for a node: itself, nothing, or what replaces it. No place: only fields are judged."""
        nodes, judgement = [node], Judgement(self._report)
        if place:
            among(judgement, nodes, self._plan.inside[place])
        else:
            self._plan.of[type(node)](judgement, node)
        judgement.apply()
        if place == "assistant":  # a part that is refused must not be opened
            self._report.stop()
            for part in nodes:
                if isinstance(part, ANSWERED):
                    self._answering.accept(part, candidate)
        return nodes

    # --- the response -------------------------------------------------------------------------------------------------

    def _started(self, event: events.Started) -> None:
        self.notable = True
        before, self._response = self._response.usage, copy_tree(event.response)
        self._response.candidates = []
        self._judge(self._response)
        if before is not None:  # usage may come before all else
            self._response.usage = before if self._response.usage is None else merged(before, self._response.usage)
        for check in self._target.active:
            if check.at_once:
                check.run(self._response, self._report, self._server)
        self._report.stop()
        self.out += self._writer.started(self._response)

    def _buffers(self, writer: StreamWriter) -> PartBuffers:
        one_text = not self._constraints.text_parts
        placed = self._constraints.placed_seals
        return PartBuffers(
            self.out, writer, self._legal, self._limit, self._no_arguments, one_text, self._uncited, placed
        )

    def _parts_of(self, index: int) -> PartBuffers:
        """Return those that a part is among."""
        return self._others.get(index, self.parts) if self._others else self.parts

    def _candidate(self, index: int) -> Candidate:
        if index not in self._candidates:
            if self._candidates and (self._of is None or not self._constraints.alternatives):
                rule = "STR-5" if self._constraints.alternatives else "CHO-1"
                raise Refusal(rule, None, f"found candidate {written(index)}")
            writer = self._writer if self._of is None else self._of(index)
            self._writers[index] = (writer, self._buffers(writer) if self._candidates else self.parts)
            self._candidates[index] = Candidate([Turn(Role.ASSISTANT, [])], Terminal(StopReason.UNKNOWN))
        return self._candidates[index]

    def _scored(self, event: events.Scored) -> None:
        logprobs = copy_tree(event.logprobs)
        if LogProbs in self._plan.of:
            self._judge(logprobs)
        elif not event.apart:  # else the writer refuses them
            scored = Candidate([], Terminal(StopReason.UNKNOWN), src=event.src)
            self._once("SMP-7", self._report.place(scored, "logprobs"))
            return
        self._candidate(event.candidate)
        self.out += self._writers[event.candidate][0].scored(events.Scored(logprobs, event.candidate, event.src))

    def _ending(self, event: events.Ending) -> None:
        self.notable = True  # Ended has it
        if event.candidate not in self._candidates:
            self._candidate(event.candidate)

    def _once(self, rule: str, place: Any) -> None:
        """Report what event after event would repeat (STR-14)."""
        if (rule,) not in self._reported:
            self._reported.add((rule,))
            self._report.records.append((rule, place, ""))

    def _usage(self, event: events.UsageReported) -> None:
        if event.provisional:
            self._provisional, self.provisional = event.usage, True
            return
        self._provisional, self.notable = None, True
        self._count(event.usage)

    def _count(self, given: Usage) -> None:
        usage = copy_tree(given)
        self._judge(usage)
        before = self._response.usage
        less = () if before is None else fallen(before, usage)
        if less:
            self._report.at("USE-9", usage)
        self._response.usage = merged(before, usage, less)

    def _ended(self, event: events.Ended) -> None:
        self.notable = True
        if event.terminal.reason is StopReason.UNFINISHED:  # abandoned: the stream ends, the response does not
            raise Refusal("STR-2", self._report.place(event.terminal, "raw"), f"found {found(event.terminal.raw)}")
        self._candidate(event.candidate)
        writer, parts = self._writers[event.candidate]
        parts.ended(event.candidate, event.terminal.reason in CUT_OFF)
        terminal = copy_tree(event.terminal)
        self._judge(terminal)
        candidate = self._candidate(event.candidate)
        candidate.terminal = terminal
        candidate.src = terminal.src
        if event.texts_refuse or event.candidate in self._repetitions.of:
            for part in candidate.turns[0].parts:
                if type(part) is Text and part.text:
                    self._report.at("REF-6", part)
            refused(candidate.turns[0])
        self._plan.checks[Candidate](candidate, self._report, self._server)
        self.out += writer.ended(candidate)
        find_broken_off = getattr(writer, "broken_off", None)
        broken_off = None if find_broken_off is None else find_broken_off()
        if broken_off is not None:
            call, sent = broken_off
            self._report.at("TUL-29", call, "", sent)

    def _completed(self, _: events.Completed) -> None:
        if self._provisional is not None:
            self._count(self._provisional)
        response, report = self._response, self._report
        response.candidates = [self._candidates[index] for index in sorted(self._candidates)]
        self._plan.checks[Response](response, report, self._server)
        self._passes.end(response, report, vars(self._server))
        unsent = getattr(self._writer, "unsent", None)
        for name in () if unsent is None or response.usage is None else unsent(response.usage):
            report.at("USE-4", response.usage, name)
        report.stop()
        self.out += self._writer.completed(response.usage)
        self.over = True

    def _failed(self, event: events.Failed) -> None:
        for call in event.lost:
            self._report.at("ERR-2", call)
        if self._response.usage is not None and not getattr(self._writer, "failed_with_usage", False):
            self._report.at("ERR-4", self._response.usage)
        error = copy_tree(event.error)
        legalize(error, self._target, self._report, self._server)
        self.fail(error)

    def _unmapped(self, event: events.UnmappedFields) -> None:
        """Fields of the envelope without an IR field: what repeats in event after event is reported once (STR-14)."""
        if not event.extra.fields and event.src is not None:  # what it has comes later, and points here
            self.notable = True
        table: Any = self._report.vocabulary.vendor_fields.get(event.about, {})
        if event.extra.fields and table != NO_RULE and event.about != RESTATED:
            found: list[Record] = []
            unmapped_members(event.extra.fields, table, event.src, (), found)
            for record in found:
                place = record[1]
                key = (event.about, record[0], place[1:] if isinstance(place, tuple) else ())
                if key not in self._reported:
                    self._reported.add(key)
                    self._report.records.append(record)

    # --- its parts ----------------------------------------------------------------------------------------------------

    def _opened(self, event: events.PartOpened) -> None:
        turn = self._candidate(event.candidate).turns[0]
        if self._repetitions.opened(event):
            self.notable = True
        else:
            self._open(event, turn)

    def _open(self, event: events.PartOpened, turn: Turn) -> None:
        parts = self._writers[event.candidate][1]
        if parts is not self.parts:
            self._others[event.index] = parts
        self.notable |= parts.opened(event.index, copy_tree(event.part), turn, event.candidate, event.item)

    def _uncited(self, citation: Citation) -> None:
        self._report.at("CIT-1", citation, "", "its text is empty")

    def _no_arguments(self, call: Any) -> None:
        note_no_arguments(call, self._report)

    def _part_grew(self, event: events.PartGrew) -> None:
        if event.index in self._repetitions.held:
            self._release(self._repetitions.grew(event))
        else:
            self.notable |= self._parts_of(event.index).grew(event)

    def _media_grew(self, event: events.MediaGrew) -> None:
        self._parts_of(event.index).media_grew(event)

    def _closed(self, event: events.PartClosed) -> None:
        if event.index in self._repetitions.held:
            self._release(self._repetitions.closed(event))
        else:
            self._repetitions.note(event)
            self._parts_of(event.index).closed(event.index)

    def _release(self, found: Iterable[events.Event]) -> None:
        """What repeats nothing after all, and its end."""
        for one in found:
            if isinstance(one, events.PartOpened):
                self._open(one, self._candidate(one.candidate).turns[0])
            else:
                self._handlers[one.__class__](self, one)

    def _written(self, index: int) -> str | None:
        """Return the arguments of a call that has been sent so far."""
        pieces = self._parts_of(index).called.get(index)
        return None if pieces is None else "".join(pieces)

    def _part_gained(self, event: events.PartSealed | events.PartCited) -> None:
        if event.index in self._repetitions.held:
            self._repetitions.gained(event)
            return
        parts = self._parts_of(event.index)
        sent = parts.sent(event.index)
        if sent is not None and isinstance(event, events.PartCited):
            self._late_citation(event.citation, sent)
        else:
            self.notable |= parts.gained(event)

    def _late_citation(self, given: Citation, sent: PartBuffer) -> None:
        self.notable = True
        cited_late = getattr(self._writers[sent.candidate][0], "cited_late", None)
        for citation in self.parts.legal_citations(given):
            if cited_late is None:
                self._report.at("CIT-1", citation, "", "its text has been sent")
            else:
                self.out += cited_late(citation, sent.part)

    def _ignored(self, _: events.Event) -> None:
        """Nothing comes of it."""

    _handlers: ClassVar[dict[type, Callable[[Any, Any], None]]] = {
        events.Started: _started,
        events.PartOpened: _opened,
        events.PartGrew: _part_grew,
        events.PartSealed: _part_gained,
        events.PartCited: _part_gained,
        events.MediaGrew: _media_grew,
        events.PartExtended: _ignored,  # what only one vendor has is dropped with its part
        events.PartClosed: _closed,
        events.Scored: _scored,
        events.UsageReported: _usage,
        events.Ending: _ending,
        events.Ended: _ended,
        events.Restated: _ignored,  # its content was handed on
        events.Completed: _completed,
        events.Failed: _failed,
        events.UnmappedFields: _unmapped,
    }


def pipeline_of(
    back: Backend, report: Report, options: Mapping[str, Any], passes: Pipeline | None = None
) -> StreamPipeline:
    if back.stream is None:
        raise Refusal("SHP-9", None, f"{back.protocol} has no streams")
    server = back.bound(options)
    return StreamPipeline(back.target, back.constraints, report, back.stream(server), server, passes)


# --- halves -----------------------------------------------------------------------------------------------------------
# Characters that a source splits over two deltas, a surrogate in each: joined before anything else sees them (STR-21).
#
# Rule: an event without half a character at its end is passed on as it is.


FIRST, SECOND = "\ud800", "\udc00"  # the least first half and the least second half
LAST = "\udfff"
REPLACEMENT = "\ufffd"


FIELD: dict[type, str] = {cls: fields[0] for cls, fields in GROWING.items()}
"""Of parts that grow, the field with their text."""


def is_half(text: str) -> bool:
    """Return whether a text ends with the first half of a character."""
    return FIRST <= text[-1:] < SECOND


class Halves:
    """Follows one stream, event by event of the source; what is lost of it goes into the report.

    held  first halves whose other half has not come, by the index of the part
    """

    def __init__(self, report: Report) -> None:
        self._report = report
        self.held: dict[int, str] = {}

    def __call__(self, found: list[Event]) -> list[Event]:
        """Return the same list where no half is in it and none waits."""
        if not self.held:
            for event in found:
                kind = event.__class__
                if kind is PartGrew:
                    text = event.text  # type: ignore[union-attr]
                elif kind is PartOpened and event.part.__class__ in FIELD:  # type: ignore[union-attr]
                    text = getattr(event.part, FIELD[event.part.__class__])  # type: ignore[union-attr]
                else:
                    continue
                if text and text.__class__ is str and not text.isascii() and is_half(text):
                    break
            else:
                return found
        return [made for event in found for made in self._joined(event)]

    def grew(self, index: int, text: str) -> str:
        """What may be passed on of what a part grew by."""
        half = self.held.pop(index, "")
        if half and not SECOND <= text[:1] <= LAST:
            self._lose()
            half = REPLACEMENT
        text = whole_characters(half + text)
        if is_half(text):
            text, self.held[index] = text[:-1], text[-1]
        return text

    def _lose(self) -> None:
        """Half a character stays alone, which the event at hand shows."""
        self._report.records.append(("STR-21", HERE, ""))

    def _joined(self, event: Event) -> list[Event]:
        if isinstance(event, PartGrew) and event.text:
            text = self.grew(event.index, event.text)
            return [PartGrew(event.index, text)] if text else []
        if isinstance(event, PartOpened) and is_half(getattr(event.part, FIELD.get(type(event.part), ""), "") or ""):
            part: Any = copy(event.part)
            name = FIELD[type(part)]
            setattr(part, name, self.grew(event.index, getattr(part, name)))
            return [PartOpened(event.index, part, event.candidate, event.item)]
        if isinstance(event, PartClosed) and self.held.pop(event.index, ""):
            self._lose()
            return [PartGrew(event.index, REPLACEMENT), event]
        return [event]


# --- failures ---------------------------------------------------------------------------------------------------------
# The ending of a failed generation, in a stream: the error at the end of the stream takes its place (FIN-8).
#
# Rule 1: usage that follows the ending still counts, so that the error comes last. Rule 2: a call that the failure
# came
# with, or in the middle of, is never completed.


TRUNCATED = "The stream was cut off before the response was complete."
BROKEN = "The stream could not be converted any further"
ENDINGS = (events.Ending, events.Ended)


def told(error: TranslationError) -> Error:
    """What a client is told of a stream that could not be converted to its end."""
    why = TRUNCATED if error.rule == "STR-2" else f"{BROKEN}: {error.diagnostics[0].message} ({error.rule})"
    return Error(None, ErrorCategory.SERVER, why)


class Failures:
    """Follows one stream, event by event of the source.

    error      of the generation that failed, until it is handed out
    _failed    the candidates of which it is; _seen has the last ending of each
    _answered  the candidates with content that answers
    _blank     the texts without any text so far, with their candidates
    _calls     the calls that are open, with their candidates
    """

    def __init__(self, protocol: str | None) -> None:
        self._protocol = protocol
        self._answered: set[int] = set()
        self._blank: dict[int, int] = {}
        self._calls: dict[int, tuple[int, Any]] = {}
        self.error: Error | None = None
        self._lost: list[Any] = []
        self._failed: set[int] = set()
        self._seen: dict[int, Terminal] = {}

    def __call__(self, found: list[Event]) -> list[Event]:
        """Return the events that one of the source was read as, with what a failure changes of them."""
        ended: list[int] = []
        closes = over = False
        for event in found:
            kind = event.__class__
            if kind is events.PartOpened:
                self._opened(event)  # type: ignore[arg-type]
            elif kind is events.PartGrew:
                if event.text and event.index in self._blank:  # type: ignore[union-attr]
                    self._answered.add(self._blank.pop(event.index))  # type: ignore[union-attr]
            elif kind is events.PartClosed:
                closes = True
            elif kind in ENDINGS:
                if self._fails(event):  # type: ignore[arg-type]
                    self.error = self.error or error_of(event.terminal, self._protocol)  # type: ignore[union-attr]
                    ended.append(event.candidate)  # type: ignore[union-attr]
            elif kind is events.Completed:
                over = self.error is not None
        if ended:
            found = self._without(found, ended)
        if closes:
            self._forget(found)
        if over:
            return [*(event for event in found if type(event) is not events.Completed), *self.rest()]
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


def _dropped(event: Event, ended: Iterable[int], broken: Iterable[int], fresh: Iterable[int]) -> bool:
    if isinstance(event, ENDINGS):
        return event.candidate in ended
    if type(event) is events.PartOpened or isinstance(event, OF_PARTS):
        return event.index in fresh or (type(event) is events.PartClosed and event.index in broken)
    return False
