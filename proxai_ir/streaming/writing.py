"""The last stage of a stream: what arrives is made legal, and handed to the target's writer.

What the passes do to a whole response is done here to one that is still being made: a node is made legal when it
arrives, and what only the whole response shows (its placement, its stop reason against its content) is checked at its
end. For that an outline of the response is kept: its parts, each with no more than the first of its text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from ..ir.error import Error
from ..ir.parts import Citation, Text
from ..ir.response import CUT_OFF, Candidate, LogProbs, Response, StopReason, Terminal, Usage
from ..ir.stream import events
from ..ir.stream.aggregate import fallen, merged, refused
from ..ir.stream.events import Event
from ..ir.stream.interfaces import StreamWriter
from ..ir.structure import copy_tree
from ..json.types import found as quoted
from ..json.types import written
from ..passes.emulation import buffer_limit
from ..passes.pipeline import Pipeline, legalize
from ..protocol.registry import Backend
from ..reporting.diagnostics import Record, Refusal
from ..reporting.report import Report
from ..reporting.vocabulary import NO_RULE, unmapped_members
from ..targets.settings import Server
from .findings import Marks
from .part_buffer import Legality, PartBuffers

Json = Any
RESTATED = "Restated"
"""The name of the members without an IR event that matter only where the stream is passed on (STR-20)."""


class Writing:
    """Hands the events of one legal stream to a writer; what the writer emits is appended to `out`.

    over          whether the target's stream has its end
    parts         those of the first candidate
    _others       those of further candidates, by their parts
    _candidates   those of each candidate
    _provisional  usage that counts only where no other report follows (STR-4)
    _reported     what event after event would repeat, and has been reported: the rule, with the member of an object

    Raises Refusal where the target cannot represent the response.
    """

    def __init__(
        self,
        back: Backend,
        server: Server,
        writer: StreamWriter,
        report: Report,
        marks: Marks,
        passes: Pipeline,
        *,
        texts_only: bool = False,
    ) -> None:
        """Begin a stream. `texts_only`: stages look at the growth of all parts but texts (PartBuffers)."""
        self.out: list[Json] = []
        self.over = False
        self._writer, self._passes, self._marks = writer, passes, marks
        self._legality = Legality(back, server, report)
        self._response = Response(None, None, None, [])
        self._provisional: Usage | None = None
        self._reported: set[tuple[Any, ...]] = set()
        self.parts = PartBuffers(self.out, writer, self._legality, buffer_limit(vars(server)), texts_only=texts_only)
        self._others: dict[int, PartBuffers] = {}
        self._candidates: dict[int, PartBuffers] = {}

    def run(self, found: Iterable[Event], /) -> Iterable[Event]:
        """Give the events to the writer; none of them goes any further."""
        for event in found:
            self._handlers[event.__class__](self, event)
        return ()

    def take(self) -> list[Json]:
        """Return what was emitted since the last call."""
        out = [*self.out]
        self.out.clear()
        return out

    def written(self, index: int) -> str | None:
        """Return the arguments of a call that have been sent so far; None: the target does not get the call."""
        return self._parts_of(index).written(index)

    @property
    def response_id(self) -> str | None:
        """The id that the response has in the target."""
        return self._response.id

    def begun(self, response: Response) -> None:
        """Note that the target has the start of this response already, as it came from the same protocol."""
        self._writer.started(copy_tree(response))

    def fail(self, error: Error) -> None:
        """End the target's stream with its own error event (STR-12)."""
        self.out += self._writer.failed(error)
        self.over = True
        for parts in (self.parts, *self._others.values()):
            parts.abandon()

    # --- the response -------------------------------------------------------------------------------------------------

    def _started(self, event: events.Started) -> None:
        self._marks.notable = True
        legality, before = self._legality, self._response.usage
        self._response = legality.judge(event.response)
        if before is not None:  # usage may come before all else
            self._response.usage = before if self._response.usage is None else merged(before, self._response.usage)
        for check in legality.target.active:
            if check.at_once:
                check.run(self._response, legality.report, legality.server)
        legality.report.stop()
        self.out += self._writer.started(self._response)

    def _usage(self, event: events.UsageReported) -> None:
        if event.provisional:
            self._provisional, self._marks.provisional = event.usage, True
            return
        self._provisional, self._marks.notable = None, True
        self._count(event.usage)

    def _count(self, given: Usage) -> None:
        usage = self._legality.judge(given)
        before = self._response.usage
        less = () if before is None else fallen(before, usage)
        if less:
            self._legality.report.at("USE-9", usage)
        self._response.usage = merged(before, usage, less)

    def _completed(self, _: events.Completed) -> None:
        if self._provisional is not None:
            self._count(self._provisional)
        response, report = self._response, self._legality.report
        response.candidates = [self._candidates[number].candidate for number in sorted(self._candidates)]
        self._legality.check(response)
        self._passes.end(response, report, vars(self._legality.server))
        for name in () if response.usage is None else self._writer.unsent(response.usage):
            report.at("USE-4", response.usage, name)
        report.stop()
        self.out += self._writer.completed(response.usage)
        self.over = True

    def _failed(self, event: events.Failed) -> None:
        report, usage = self._legality.report, self._response.usage
        for call in event.lost:
            report.at("ERR-2", call)
        if usage is not None and not self._writer.failed_with_usage:
            report.at("USE-4", usage)
        error = copy_tree(event.error)
        legalize(error, self._legality.target, report, self._legality.server)
        self.fail(error)

    def _unmapped(self, event: events.UnmappedFields) -> None:
        """Report members without an IR event; what repeats in event after event is reported once (STR-14)."""
        if not event.extra.fields:
            self._marks.notable |= event.src is not None  # what it has comes later, and points here
            return
        report = self._legality.report
        table: Any = report.vocabulary.vendor_fields.get(event.about, {})
        if table == NO_RULE or event.about == RESTATED:
            return
        records: list[Record] = []
        unmapped_members(event.extra.fields, table, event.src, (), records)
        for record in records:
            place = record[1]
            key = (event.about, record[0], place[1:] if isinstance(place, tuple) else ())
            if key not in self._reported:
                self._reported.add(key)
                report.records.append(record)

    # --- its candidates -----------------------------------------------------------------------------------------------

    def _of(self, number: int) -> PartBuffers:
        """Return the parts of a candidate, which may begin with them."""
        return self._candidates.get(number) or self._begin(number)

    def _begin(self, number: int) -> PartBuffers:
        alternatives = self._legality.constraints.alternatives
        first = not self._candidates
        writer = self._writer.of_candidate(number) if first or alternatives else self._writer
        if first:
            parts = self.parts
            parts.number = number
        elif writer is not self._writer:
            server = self._legality.server
            parts = PartBuffers(
                self.out,
                writer,
                self._legality,
                buffer_limit(vars(server)),
                texts_only=self.parts.texts_only,
                number=number,
            )
        else:
            raise Refusal("STR-5" if alternatives else "CHO-1", None, f"found candidate {written(number)}")
        self._candidates[number] = parts
        return parts

    def _parts_of(self, index: int) -> PartBuffers:
        """Return those that a part is among."""
        return self._others.get(index, self.parts) if self._others else self.parts

    def _scored(self, event: events.Scored) -> None:
        logprobs, report = event.logprobs, self._legality.report
        if LogProbs in self._legality.plan.of:
            logprobs = self._legality.judge(logprobs)
        else:
            if ("SMP-7",) not in self._reported:
                scored = Candidate([], Terminal(StopReason.UNKNOWN), src=event.src)
                report.records.append(("SMP-7", report.place(scored, "logprobs"), ""))
            self._reported.add(("SMP-7",))
            return
        writer = self._of(event.candidate).writer
        self.out += writer.scored(events.Scored(logprobs, event.candidate, event.src))

    def _ending(self, event: events.Ending) -> None:
        self._marks.notable = True  # Ended has it
        self._of(event.candidate)

    def _ended(self, event: events.Ended) -> None:
        self._marks.notable = True
        legality, report = self._legality, self._legality.report
        if event.terminal.reason is StopReason.UNFINISHED:  # abandoned: the stream ends, the response does not
            raise Refusal("STR-2", report.place(event.terminal, "raw"), f"found {quoted(event.terminal.raw)}")
        parts = self._of(event.candidate)
        parts.ended(event.terminal.reason in CUT_OFF)
        candidate, writer = parts.candidate, parts.writer
        candidate.terminal = legality.judge(event.terminal)
        candidate.src = candidate.terminal.src
        if event.texts_refuse:
            for part in candidate.turns[0].parts:
                if type(part) is Text and part.text:
                    report.at("REF-6", part)
            refused(candidate.turns[0])
        legality.check(candidate)
        self.out += writer.ended(candidate)
        if (broken_off := writer.broken_off()) is not None:
            call, sent = broken_off
            report.at("TUL-29", call, "", sent)

    # --- their parts --------------------------------------------------------------------------------------------------

    def _opened(self, event: events.PartOpened) -> None:
        parts = self._of(event.candidate)
        if parts is not self.parts:
            self._others[event.index] = parts
        self._marks.notable |= parts.opened(event)

    def _grew(self, event: events.PartGrew) -> None:
        self._marks.notable |= self._parts_of(event.index).grew(event)

    def _media_grew(self, event: events.MediaGrew) -> None:
        self._parts_of(event.index).media_grew(event)

    def _closed(self, event: events.PartClosed) -> None:
        self._parts_of(event.index).closed(event.index)

    def _gained(self, event: events.PartSealed | events.PartCited) -> None:
        parts = self._parts_of(event.index)
        sent = parts.sent(event.index)
        if sent is not None and isinstance(event, events.PartCited):
            self._cited_late(event.citation, sent, parts.writer)
        else:
            self._marks.notable |= parts.gained(event)

    def _cited_late(self, given: Citation, text: Text, writer: StreamWriter) -> None:
        self._marks.notable = True
        for citation in self._legality.citations(given):
            made = writer.cited_late(citation, text)
            if made is None:
                self._legality.report.at("CIT-1", citation, "", "its text has been sent")
            else:
                self.out += made

    def _ignored(self, _: Event) -> None:
        """Emit nothing."""

    _handlers: ClassVar[dict[type, Callable[[Any, Any], None]]] = {
        events.Started: _started,
        events.PartOpened: _opened,
        events.PartGrew: _grew,
        events.PartSealed: _gained,
        events.PartCited: _gained,
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
