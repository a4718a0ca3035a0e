"""From the events that a source's reader gives to those that a target's writer emits: the passes of a stream.

What the passes do to a whole response is done here to one that is still being made: a node is made legal when it
arrives, and what only the whole response shows (its placement, its stop reason against its content) is checked at its
end. For that the pipeline keeps an outline of the response: its parts, each with no more than the first of its text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

from ..binding.registry import Backend
from ..binding.server import Server
from ..ir.copying import copy_tree
from ..ir.error import Error
from ..ir.logprobs import LogProbs
from ..ir.parts import Citation, Text
from ..ir.response import Candidate, Response
from ..ir.stream import events
from ..ir.stream.aggregate import fallen, merged, refused
from ..ir.terminal import CUT_OFF, StopReason, Terminal
from ..ir.turns import Role, Turn
from ..ir.usage import Usage
from ..json.types import found, written
from ..passes.calls import ANSWERED, Answering
from ..passes.emulation import buffer_limit
from ..passes.endings import note_no_arguments
from ..passes.legality import Judgement, among, plan_of
from ..passes.pipeline import Pipeline, legalize
from ..reporting.diagnostics import Record, Refusal
from ..reporting.report import Report
from ..reporting.vocabulary import NO_RULE, unmapped_members
from ..rules.constraints import Constraints
from ..rules.verdicts import Target
from .interfaces import StreamWriter
from .part_buffer import PartBuffer, PartBuffers
from .repetitions import Repetitions

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
        """Those that a part is among."""
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
        """The arguments of a call that has been sent so far."""
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
