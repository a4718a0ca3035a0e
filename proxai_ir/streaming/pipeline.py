"""All that the events of a stream go through, in order, from what the source's reader makes of an event to its end.

The order is the list of StreamPipeline. Two things stand outside of it. A reader's fast path (`text_delta`): an event
that only adds text to the part that is open in the target goes from the reader to the writer, past all stages, as to
go through them would cost several times what the rest of the conversion does. StreamConverter.feed has it, and
`PartBuffers.fast_index` says where it may be taken. And PartBuffers themselves, which no event comes out of: they are
how the last stage, Writing, calls the writer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..ir.stream.aggregate import Fold, Progress
from ..ir.stream.events import Event
from ..ir.stream.grammar import Grammar
from ..ir.stream.interfaces import Stage, StreamWriter
from ..passes.pipeline import Pipeline
from ..protocol.registry import Backend, Frontend, in_form
from ..reporting.diagnostics import Refusal
from ..reporting.report import Report
from .filters import Failures, Halves, InPlace, Repetitions
from .findings import Marks
from .writing import Writing


class StreamPipeline:
    """The stages of one stream.

    stages      of a stream to another protocol, in order
    relaying    of a stream to its own protocol, whose events go on as they came
    reads_texts whether a stage follows the growth of texts, so that the fast path is closed
    """

    def __init__(
        self,
        front: Frontend | None,
        back: Backend,
        options: Mapping[str, Any],
        grammar: Grammar,
        report: Report,
        marks: Marks,
        passes: Pipeline | None = None,
        *,
        keep_response: bool = False,
        hook: Stage | None = None,
    ) -> None:
        """Begin a stream from a frontend, None for a tree of no protocol. Raises Refusal where the target has none."""
        if back.stream is None:
            raise Refusal("SHP-9", None, f"{back.protocol} has no streams")
        server = back.bound(options)
        writer = in_form(back.stream(server), StreamWriter, back.protocol)
        passes = passes or Pipeline(back.target, back.constraints)
        asked = passes.stages(report, vars(server))
        self._grammar = grammar
        self.halves = Halves(report)
        self.failures = Failures(None if front is None else front.protocol, marks)
        self.in_place = InPlace(grammar, report.vocabulary)
        self.progress = Progress()
        self.fold = Fold() if keep_response else None
        self.writing = Writing(back, server, writer, report, marks, passes, texts_only=bool(asked))
        joining: list[Stage] = [] if self.fold is None else [self.halves]  # nothing else of a relay holds texts
        watching: list[Stage] = [self.progress] if self.fold is None else [self.progress, self.fold]
        self.stages: list[Stage] = [
            self.halves,  # joins characters that are split over two events (STR-21)
            self.failures,  # puts the error of a failed generation in the place of its ending (FIN-8)
            *([] if hook is None else [hook]),  # the caller's, whose events are as those of the source to all behind it
            grammar,  # refuses what may not follow what came before it (STR-9)
            *watching,  # note ending, usage and error; and the whole response, where the caller wants it
            *asked,  # the passes that the caller's options ask for (passes/stages.py)
            Repetitions(report, marks, self.writing.written),  # drops what repeats what was sent (REF-11, TUL-77)
            self.writing,  # makes legal what arrives, hands it to the writer, and reports the rest
        ]
        self.relaying: list[Stage] = [*joining, self.in_place, *watching]
        self.reads_texts = any(stage.reads_texts for stage in asked)

    def run(self, found: Iterable[Event]) -> None:
        """Take what one event of the source was read as through the stages. Raises Refusal and OutOfOrder."""
        for stage in self.stages:
            found = stage.run(found)
        if self._grammar.fault is not None:
            raise self._grammar.fault
