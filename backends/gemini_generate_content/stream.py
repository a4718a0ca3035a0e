"""A stream of the IR as chunks, each a response in itself: a text as it comes, all else when it is whole (STR-2).

The last chunk has the ending, the sources of the text and the usage: a client that puts the chunks together keeps the
last of each.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any

import attrs

from proxai_ir.diagnostics import Refusal
from proxai_ir.ir import parts
from proxai_ir.ir.error import Error
from proxai_ir.ir.logprobs import LogProbs
from proxai_ir.ir.node import Seal
from proxai_ir.ir.request import Tier
from proxai_ir.ir.response import Candidate, Response
from proxai_ir.ir.terminal import CUT_OFF
from proxai_ir.ir.usage import Usage
from proxai_ir.rules.conditions import flaw_of_arguments
from proxai_ir.streaming import events
from proxai_ir.wire import gemini_generate_content as wire

from .._lib.writing import Json, Object, dumps
from .error import raise_error
from .grounding import Grounding
from .parts import BUILD, SEARCHES, Contents, finish, signature
from .response import ending, envelope, logprobs_of, raise_usage
from .restore import is_derived, respelled

GROWS = (parts.Text, parts.Reasoning)


class Writer:
    """One stream.

    _part    the part that is open; _text is that of a call so far
    _begun   whether the open text has been sent, so that its signature alone is missing
    _count   of the parts that clients have when they have put the chunks together
    _broken  the last call, where its arguments are no object, and why
    """

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._options = options
        self._contents = Contents(options)
        self._head: Object = {}
        self._tier: Tier | None = None
        self._part: Any = None
        self._before: Any = None
        self._text: list[str] = []
        self._count = 0
        self._broken: list[tuple[Any, Refusal]] = []
        self._grounding = Grounding()
        self._scored: list[Any] | None = None
        self._last: Object = {}

    def started(self, response: Response) -> list[Json]:
        self._head, self._tier = envelope(response), response.tier
        return []

    def _chunk(self, part: Object) -> Json:
        content = {"parts": [part], "role": wire.MODEL}
        return {"candidates": [{"content": content, "index": 0}], **self._head}

    def opened(self, part: Any) -> list[Json]:
        before, self._part = self._before, part
        if isinstance(part, SEARCHES):
            self._grounding.search(part)
            return []
        self._before = type(part) if isinstance(part, GROWS) and part.seal is None else None
        joined = self._before is not None and before is self._before
        self._count += not joined
        if isinstance(part, parts.Text):
            self._grounding.begin(self._count - 1)
        if isinstance(part, GROWS):
            text = part.text or ""
            return self.grew(text) if text else []
        if isinstance(part, parts.FunctionCall):
            given = part.arguments
            self._text = [given if isinstance(given, str) else dumps(given, (part, "arguments")) if given else ""]
            return []
        return [self._chunk(BUILD[type(part)](part))]

    def grew(self, text: str) -> list[Json]:
        part = self._part
        if isinstance(part, parts.FunctionCall):
            self._text.append(text)
            return []
        built: Object = {"text": text}
        if isinstance(part, parts.Reasoning):
            built["thought"] = True
        else:
            self._grounding.add(text)
        return [self._chunk(built)]

    def sealed(self, seal: Seal) -> list[Json]:
        """Sent when the part is closed, with what is left of it."""
        self._part = copy(self._part)
        self._part.seal = seal
        return []

    def cited(self, citation: parts.Citation) -> list[Json]:
        """Held for the last chunk, as `cited_late` does."""
        self._grounding.cite(citation)
        return []

    cited_late = cited

    def closed(self) -> list[Json]:
        part = self._part
        if isinstance(part, parts.FunctionCall):
            return self._call(part)
        if isinstance(part, GROWS) and part.seal is not None:
            self._before = None  # a signature ends the part that has it
            built: Object = {"text": ""}
            if isinstance(part, parts.Reasoning):
                built["thought"] = True
            return [self._chunk(finish(built, part))]
        return []

    def _call(self, part: parts.FunctionCall) -> list[Json]:
        text = "".join(self._text)
        flaw = flaw_of_arguments(text)
        if flaw:
            self._broken.append((part, Refusal("TUL-1", part.src, flaw)))
            return []
        whole = copy(part)
        whole.arguments = text
        return [self._chunk(self._contents.call(whole))]

    def scored(self, event: events.Scored) -> list[Json]:
        self._scored = [*(self._scored or ()), *(event.logprobs.text or ())]
        return []

    def ended(self, candidate: Candidate) -> list[Json]:
        """Nothing yet: the ending comes with the usage. A last call may break off where the response did (TUL-29)."""
        for call, refusal in self._broken:
            if candidate.terminal.reason not in CUT_OFF or call is not self._part:
                raise refusal
        self._last = {"content": {"parts": [], "role": wire.MODEL}, **ending(candidate.terminal), "index": 0}
        grounding = self._grounding.written()
        if grounding:
            self._last["groundingMetadata"] = grounding
        if self._scored is not None:
            self._last["logprobsResult"] = logprobs_of(LogProbs(self._scored))
        return []

    def broken_off(self) -> Any:
        return self._broken[-1][0] if self._broken else None

    def completed(self, usage: Usage | None) -> list[Json]:
        return [{"candidates": [self._last], "usageMetadata": raise_usage(usage, self._tier), **self._head}]

    def failed(self, error: Error) -> list[Json]:
        return [raise_error(error, self._options)]


class Restorer:
    """The chunks of this very protocol, each from the IR events that it was read as.

    The event `UnmappedFields("Chunk", …)` has a chunk without what the other events hold; the objects that its parts
    leave there are filled in order.
    """

    def __init__(self) -> None:
        self._parts: dict[int, Any] = {}
        self._contents = Contents({})

    def __call__(self, step: list[events.Event]) -> Json:
        chunk: Object = {}
        forms: tuple[str, ...] = ()
        for event in step:
            if isinstance(event, events.Failed):
                return raise_error(event.error, {})
            if isinstance(event, events.UnmappedFields):
                chunk, forms = dict(event.extra.fields or {}), event.extra.wire_forms
        candidates = [dict(one) for one in chunk.get("candidates", ())]
        if "candidates" in chunk:
            chunk["candidates"] = candidates
        made = iter(self._made(step))
        for candidate in candidates:
            if "parts" in candidate.get("content", ()):
                left = candidate["content"]["parts"]
                candidate["content"] = {**candidate["content"], "parts": [{**one, **next(made)} for one in left]}
        for event in step:
            self._around(event, chunk, candidates)
        return respelled(chunk, forms)

    def _made(self, step: list[events.Event]) -> list[Object]:
        """The parts of a chunk: each was opened, or is more of an open text."""
        made: list[Object] = []
        for event in step:
            if isinstance(event, events.PartOpened):
                part = self._parts[event.index] = event.part
                if is_derived(part):
                    continue
                plain = isinstance(part, GROWS) and part.extra is None
                text = part.text if isinstance(part, GROWS) else None
                made.append(({"text": text} if text else {}) if plain else self._whole(part))
            elif isinstance(event, events.PartGrew):
                part = self._parts[event.index]
                if isinstance(part, parts.FunctionCall):
                    made[-1] = self._whole(attrs.evolve(part, arguments=event.text))
                else:
                    made.append({"text": event.text} if event.text else {})
            elif isinstance(event, events.PartSealed):
                made[-1]["thoughtSignature"] = signature(event.seal)
        return made

    def _whole(self, part: Any) -> Object:
        return self._contents.call(part) if isinstance(part, parts.FunctionCall) else BUILD[type(part)](part)

    def _around(self, event: events.Event, chunk: Object, candidates: list[Object]) -> None:
        if isinstance(event, events.Started):
            chunk |= envelope(event.response)
        elif isinstance(event, events.UsageReported):
            chunk["usageMetadata"] = raise_usage(event.usage)
        elif isinstance(event, events.Ended):
            for candidate in candidates:
                if candidate.get("index", 0) == event.candidate:
                    candidate.update(ending(event.terminal))
