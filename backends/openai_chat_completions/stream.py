"""A stream of the IR as chunks (STR-7): role first, then deltas, then the finish reason, then usage, then "[DONE]"."""

from __future__ import annotations

from typing import Any

from proxai_ir import ir
from proxai_ir.ir.error import Error
from proxai_ir.ir.node import Seal
from proxai_ir.ir.response import REFUSAL, Candidate, Response, Usage
from proxai_ir.ir.stream import events
from proxai_ir.ir.stream.interfaces import StreamWriter
from proxai_ir.targets.settings import Server
from proxai_ir.wire import openai_chat_completions as wire

from .._lib.writing import Json, Object, dumps
from .._openai.writing import raise_error
from .parts import GENERATED, Recording, completed, data_of, paragraph, sign, spoken
from .write import USAGE, annotation, envelope, explanation, finish_reason, has_wording, logprobs_of

MEMBER: dict[type, str] = {ir.Text: "content", ir.Reasoning: "reasoning_content", ir.Refusal: "refusal"}
"""The member of a delta that a part's text is in."""
CONTENT = MEMBER[ir.Text]
ROLE: Object = {"role": "assistant", "content": ""}
SIGNED = (ir.Text, ir.Reasoning)


class Writer(StreamWriter):
    """One choice of a stream, and for the first one the stream, which ends with a usage chunk where the caller wants
    one (`include_usage`).

    _index      of the choice; _indexes has those of all candidates
    _before     the chunk with the role, until something follows it
    _member     the member of the delta in which the open part grows; None for a call
    _call       the last call, and the number of calls before it
    _no_text    the open call is of a function and has no arguments so far
    _images     how many there have been; clients join the items of lists by their index
    _recording  what has been spoken so far; _speaks is whether that is the open part
    _thought    there has been reasoning, which further reasoning is set apart from
    _begins     where texts begin in the whole content, by id; _length is that of the content so far
    _citations  of the open text; _annotations are those of closed ones
    _signed     whether the message has its signature; _alone: that of reasoning, which is sent if there is no text,
                or on the first call behind one
    """

    def __init__(self, server: Server) -> None:
        self._server = server
        self._head: Object = {}
        self._index = 0
        self._indexes: dict[int, int] = {}
        self._before: list[Json] = []
        self._member: str | None = None
        self._call: Any = None
        self._number = -1
        self._images = 0
        self._recording: Recording | None = None
        self._speaks = False
        self._no_text = self._thought = self._signed = False
        self._alone: Seal | None = None
        self._text: Any = None
        self._begins: dict[int, int] = {}
        self._length = 0
        self._citations: list[ir.Citation] = []
        self._annotations: list[Object] = []

    def started(self, response: Response, /) -> list[Json]:
        self._head = envelope(response, wire.CHUNK, self._server)
        return [self._chunk({**ROLE})]

    def of_candidate(self, candidate: int, /) -> Writer:
        """Return the writer of a candidate's choice.

        The first candidate is choice 0, whose role has been sent; candidate 0, if it comes later, takes its number.
        """
        if not self._indexes:
            self._indexes[candidate] = 0
            return self
        writer = Writer(self._server)
        first = next(iter(self._indexes))
        writer._head, writer._index = self._head, candidate if candidate else first
        writer._before = [writer._chunk({**ROLE})]
        self._indexes[candidate] = writer._index
        return writer

    def _chunk(self, delta: Object, finish_reason: str | None = None) -> Object:
        return {**self._head, "choices": [{"index": self._index, "delta": delta, "finish_reason": finish_reason}]}

    def _role(self) -> list[Json]:
        before, self._before = self._before, []
        return before

    def opened(self, part: Any, /) -> list[Json]:
        self._member = MEMBER.get(part.__class__)
        if self._member is not None:
            signature = self.sealed(part.seal) if part.__class__ in SIGNED and part.seal is not None else []
            self._text, self._begins[id(part)] = part, self._length
            text = part.text
            if text and type(part) is ir.Reasoning:
                text, self._thought = paragraph(text, self._thought), True
            return [*self._role(), *(self.grew(text) if text else []), *signature]
        self._no_text, self._speaks = False, isinstance(part, ir.Audio)
        if isinstance(part, ir.Image):
            image, self._images = GENERATED.write(part), self._images + 1
            return [*self._role(), self._chunk({"images": [{"index": self._images - 1, **image}]})]
        if self._speaks:
            return [*self._role(), *self._spoken(part)]
        self._call, self._number = part, self._number + 1
        start = call_start(part, self._number)
        if self._number == 0 and self._length and self._alone is not None and self._signs(part):
            sign(start, self._alone)
            self._alone = None
        self._no_text = type(part) is ir.FunctionCall and not start["function"]["arguments"]
        return [*self._role(), self._chunk({"tool_calls": [start]})]

    def _signs(self, call: Any) -> bool:
        """Return whether a call takes the signature of the reasoning before it, which a text hides (RSN-28)."""
        return type(call) is ir.FunctionCall and call.seal is None

    def _spoken(self, part: ir.Audio) -> list[Json]:
        """Return a piece of the recording; the first one has what clients require of it."""
        if self._recording is not None:
            data = self._recording.add(data_of(part))
            return [self._chunk({"audio": {"data": data}})] if data else []
        self._recording = Recording()
        first = completed(spoken([part]), self._head.get("id"), self._index)
        return [self._chunk({"audio": {**first, "data": self._recording.add(data_of(part))}})]

    def grew(self, text: str, /) -> list[Json]:
        member = self._member
        if member is None:
            if self._speaks:
                return [self._chunk({"audio": {"transcript": text}})]
            self._no_text = self._no_text and text.isspace()
            return [self._chunk({"tool_calls": [call_growth(self._call, self._number, text)]})]
        if member == CONTENT:
            self._length += len(text)
        built = self._head.copy()  # written out, since most events of a stream come here
        built["choices"] = [{"index": self._index, "delta": {member: text}, "finish_reason": None}]
        return [built]

    def media_grew(self, event: events.MediaGrew, /) -> list[Json]:
        assert self._recording is not None
        ends = {} if event.expires_at is None else {"expires_at": event.expires_at}
        return [self._chunk({"audio": {"data": self._recording.add(event.data), **ends}})]

    def sealed(self, seal: Seal, /) -> list[Json]:
        """Return a signature of Google's, the only ones that the target table leaves.

        A message has one, since clients add up the texts of deltas; that of reasoning is sent only where no text comes,
        whose signature it would be (RSN-4).
        """
        if self._member is None:
            return [self._chunk({"tool_calls": [sign({"index": self._number}, seal)]})]
        if self._member != CONTENT:
            self._alone = self._alone or seal
            return []
        if self._signed:
            return []
        self._signed = True
        return [self._chunk(sign({}, seal))]

    def cited(self, citation: ir.Citation, /) -> list[Json]:
        """Hold a citation until its text is whole, for its span, and to the end: clients take `annotations` once
        (CIT-1)."""
        self._citations.append(citation)
        return []

    def cited_late(self, citation: ir.Citation, text: ir.Text, /) -> list[Json]:
        self._annotations.append(annotation(citation, self._begins[id(text)], 0))
        return []

    def closed(self) -> list[Json]:
        if self._member is None and self._no_text:  # a call without arguments: their text must be JSON (TUL-1)
            return self.grew("{}")
        if self._citations:
            begin = self._begins[id(self._text)]
            self._annotations += [annotation(one, begin, self._length - begin) for one in self._citations]
            self._citations = []
        return []

    def cut_off(self) -> list[Json]:
        """Write no arguments for a call that broke off before any of them (TUL-29)."""
        return []

    def scored(self, event: events.Scored, /) -> list[Json]:
        built = self._chunk({})
        built["choices"][0]["logprobs"] = logprobs_of(event.logprobs)
        return [*self._role(), built]

    def ended(self, candidate: Candidate, /) -> list[Json]:
        """Return the finish chunk; before it citations, and the wording of a refusal that has none yet (REF-6,
        STS-5)."""
        delta: Object = {}
        if self._recording is not None and (left := self._recording.rest()):
            delta["audio"] = {"data": left}
        if candidate.terminal.reason is REFUSAL and not has_wording(candidate):
            wording = explanation(candidate.terminal)
            if wording:
                delta["refusal"] = wording
        if self._annotations:
            delta["annotations"] = self._annotations
        if self._alone is not None and not self._length and not self._signed:
            sign(delta, self._alone)
        finish = self._chunk({}, finish_reason(candidate))
        return [*self._role(), *([self._chunk(delta)] if delta else ()), finish]

    def completed(self, usage: Usage | None, /) -> list[Json]:
        if usage is None or not self._server.include_usage:
            return [wire.DONE]
        return [{**self._head, "choices": [], "usage": USAGE.write(usage)}, wire.DONE]

    def failed(self, error: Error, /) -> list[Json]:
        return [raise_error(error, self._server)]


def call_start(call: ir.FunctionCall | ir.CustomCall, index: int) -> Object:
    """Return the first fragment of a call; `index` counts the calls of the choice."""
    start: Object
    if isinstance(call, ir.CustomCall):
        inner = {"name": call.name, "input": call.input}
        start = {"index": index, "id": call.id, "type": "custom", "custom": inner}
    else:
        text = call.arguments if type(call.arguments) is str else dumps(call.arguments, (call, "arguments"))
        start = {"index": index, "id": call.id, "type": "function", "function": {"name": call.name, "arguments": text}}
    return start if call.seal is None else sign(start, call.seal)


def call_growth(call: Any, index: int, text: str) -> Object:
    """Return a further fragment of a call."""
    if type(call) is ir.CustomCall:
        return {"index": index, "custom": {"input": text}}
    return {"index": index, "function": {"arguments": text}}
