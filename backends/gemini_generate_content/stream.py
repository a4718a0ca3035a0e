"""A stream of the IR as chunks, each a response in itself: a text as it comes, all else when it is whole (STR-2).

The last chunk has the ending, the sources of the text and the usage: a client that puts the chunks together keeps the
last of each.
"""

from __future__ import annotations

from copy import copy
from typing import Any

from proxai_ir import ir
from proxai_ir.ir.error import Error
from proxai_ir.ir.node import Seal
from proxai_ir.ir.request import BETWEEN_ITEMS, Tier
from proxai_ir.ir.response import CUT_OFF, Candidate, LogProbs, Response, Usage
from proxai_ir.ir.stream import events
from proxai_ir.ir.stream.interfaces import StreamWriter
from proxai_ir.json.types import written
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.targets.conditions import flaw_of_arguments
from proxai_ir.targets.settings import Server
from proxai_ir.wire import gemini_generate_content as wire

from .._lib.writing import Json, Object, dumps
from .write import (
    BUILD,
    SEARCHES,
    Contents,
    Grounding,
    ending,
    envelope,
    finish,
    logprobs_of,
    raise_error,
    raise_usage,
    thought,
)

GROWS = (ir.Text, ir.Reasoning)
LARGEST = 2**31  # of 32 bits


class State:
    """One candidate.

    part    its last one
    before  the class of the last part, where a text of that class would go on with its text in a client
    count   of the parts that clients have when they have put the chunks together
    broken  the calls whose arguments are no object, and why
    """

    def __init__(self, number: int) -> None:
        self.number = number
        self.part: Any = None
        self.before: Any = None
        self.count = 0
        self.broken: list[tuple[Any, Refusal]] = []
        self.grounding = Grounding()
        self.scored: list[Any] | None = None
        self.ending: Object = {}

    def last(self) -> Object:
        """Return what the last chunk has of the candidate.

        An empty text stands behind other parts, as Google's servers send it: chats of the official client take a chunk
        without parts for a faulty response, and forget the whole turn.
        """
        said: Object = {"parts": [{"text": ""}]} if self.count else {}
        built: Object = {"content": {**said, "role": wire.MODEL}, **self.ending, "index": self.number}
        grounding = self.grounding.written()
        if grounding:
            built["groundingMetadata"] = grounding
        if self.scored is not None:
            built["logprobsResult"] = logprobs_of(LogProbs(self.scored))
        return built


class Writer(StreamWriter):
    """One candidate of a stream, and for the first one the stream.

    _states  of all candidates; _state is that of this one
    _part    the part that is open; _text is that of a call so far
    """

    def __init__(self, server: Server) -> None:
        self._server = server
        self._contents = Contents(server)
        self._head: Object = {}
        self._own = False  # whether the response is this protocol's
        self._tier: Tier | None = None
        self._part: Any = None
        self._text: list[str] = []
        self._lead = ""  # what comes before the next text of a thought
        self._state = State(0)
        self._states: dict[int, State] = {}

    def started(self, response: Response, /) -> list[Json]:
        self._head, self._tier, self._own = envelope(response), response.tier, response.protocol == wire.NAME
        return []

    def of_candidate(self, candidate: int, /) -> Writer:
        if not 0 <= candidate < LARGEST:
            raise Refusal("CHO-1", None, f"found candidate {written(candidate)}")
        writer = self
        if self._states:
            writer = Writer(self._server)
            writer._head, writer._own, writer._states = self._head, self._own, self._states
        self._states[candidate] = writer._state = State(candidate)
        return writer

    def _chunk(self, part: Object) -> Json:
        content = {"parts": [part], "role": wire.MODEL}
        return {"candidates": [{"content": content, "index": self._state.number}], **self._head}

    # --- parts --------------------------------------------------------------------------------------------------------

    def opened(self, part: Any, /) -> list[Json]:
        state = self._state
        self._part = state.part = part
        if isinstance(part, SEARCHES):
            state.grounding.search(part)
            return []
        before, state.before = state.before, None
        thinks_on = before is type(part) is ir.Reasoning
        self._lead = BETWEEN_ITEMS if thinks_on else ""  # or clients would run both together
        if isinstance(part, GROWS) and part.seal is None:
            state.before = type(part)
        state.count += before is None or before is not state.before
        if isinstance(part, ir.Text):
            state.grounding.begin(part, state.count - 1)
        if isinstance(part, GROWS):
            return self.grew(part.text) if part.text else []
        if isinstance(part, ir.FunctionCall):
            given = part.arguments
            self._text = [given if isinstance(given, str) else dumps(given, (part, "arguments")) if given else ""]
            return []
        return [self._chunk(BUILD[type(part)](part))]

    def apart(self) -> list[Json]:
        """Write a blank line before a text, where a text stands directly before it, or clients would run both
        together."""
        return self.opened(ir.Text(BETWEEN_ITEMS)) if self._state.before is ir.Text else []

    def grew(self, text: str, /) -> list[Json]:
        kind = self._part.__class__
        if kind is ir.FunctionCall:
            self._text.append(text)
            return []
        built: Object = {"text": text}
        if kind is ir.Reasoning:
            built = {"text": self._lead + text, "thought": True}
            self._lead = ""
        else:
            self._state.grounding.add(text)
        return [self._chunk(built)]

    def sealed(self, seal: Seal, /) -> list[Json]:
        """Keep the signature until the part is closed."""
        self._part = copy(self._part)
        self._part.seal = seal
        return []

    def cited(self, citation: ir.Citation, /) -> list[Json]:
        """Keep the citation for the last chunk, which has the sources of the text."""
        self._state.grounding.cite(citation, self._state.part)
        return []

    def cited_late(self, citation: ir.Citation, text: ir.Text, /) -> list[Json]:
        self._state.grounding.cite(citation, text)
        return []

    def closed(self) -> list[Json]:
        part = self._part
        if isinstance(part, ir.FunctionCall):
            return self._call(part)
        if not isinstance(part, GROWS) or part.seal is None:
            return []
        self._state.before = None  # a signature ends the part that has it
        built = thought("", part) if isinstance(part, ir.Reasoning) else {"text": ""}
        return [self._chunk(finish(built, part))]

    def _call(self, part: ir.FunctionCall) -> list[Json]:
        text = "".join(self._text)
        flaw = flaw_of_arguments(text)
        if flaw:
            self._state.broken.append((self._state.part, Refusal("TUL-1", part.src, flaw)))
            return []
        whole = copy(part)
        whole.arguments = text
        return [self._chunk(self._contents.call(whole))]

    def cut_off(self) -> list[Json]:
        """Leave out a call that broke off before any of its arguments (TUL-29)."""
        self._state.broken.append((self._state.part, Refusal("TUL-1", self._part.src, "no arguments")))
        return []

    # --- the end ------------------------------------------------------------------------------------------------------

    def scored(self, event: events.Scored, /) -> list[Json]:
        self._state.scored = self._state.scored or []
        self._state.scored += event.logprobs.text or ()
        return []

    def ended(self, candidate: Candidate, /) -> list[Json]:
        """Keep the ending, which comes with the usage. A last call may break off where the response did (TUL-29)."""
        state = self._state
        for call, refusal in state.broken:
            if candidate.terminal.reason not in CUT_OFF or call is not state.part:
                raise refusal
        state.ending = ending(candidate.terminal, self._own)
        return []

    def broken_off(self) -> tuple[Any, str] | None:
        return (self._state.broken[-1][0], "") if self._state.broken else None

    def completed(self, usage: Usage | None, /) -> list[Json]:
        last = [self._states[number].last() for number in sorted(self._states)]
        return [{"candidates": last, "usageMetadata": raise_usage(usage, self._tier), **self._head}]

    def failed(self, error: Error, /) -> list[Json]:
        return [raise_error(error, self._server)]
