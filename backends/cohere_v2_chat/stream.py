"""A stream of the IR as events of /v2/chat: parts start, grow and end one by one, and one event ends the message."""

from __future__ import annotations

from typing import Any

from proxai_ir import ir
from proxai_ir.ir.error import Error
from proxai_ir.ir.response import Candidate, Response, Usage
from proxai_ir.ir.stream import events
from proxai_ir.ir.stream.interfaces import StreamWriter
from proxai_ir.targets.settings import Server
from proxai_ir.wire import cohere_v2_chat as wire

from .._lib.writing import Json, Object, put
from .write import CONTENT, USAGE, call, citation, ending, scores

MEMBER: dict[type, str] = {ir.Text: "text", ir.Reasoning: "thinking"}


class Writer(StreamWriter):
    """The events of a stream. Content and calls are counted apart, as in a whole message.

    _places  by the id of a text its index in the content, and its length so far
    _part    the last one; _open is whether it is open
    """

    failed_with_usage = True

    def __init__(self, _server: Server) -> None:
        self._response = Response(None, None, None, [])
        self._counts = {"content": 0, "tool-call": 0}
        self._kind = "content"
        self._part: Any = None
        self._open = False
        self._argued = False  # whether the open call has arguments
        self._places: dict[int, list[int]] = {}
        self._cited = 0
        self._scores: list[Object] = []
        self._held: list[ir.Citation] = []
        self._ending: Object = {}

    def _event(self, name: str, **message: Json) -> Object:
        built: Object = {"type": name, "index": self._counts[self._kind]}
        return {**built, "delta": {"message": message}} if message else built

    def started(self, response: Response, /) -> list[Json]:
        self._response = response
        begun = {"role": "assistant", "content": [], "tool_plan": "", "tool_calls": [], "citations": []}
        return [{"type": "message-start", **put({}, id=response.id), "delta": {"message": begun}}]

    def opened(self, part: Any, /) -> list[Json]:
        self._part, self._open = part, True
        if isinstance(part, ir.FunctionCall):
            self._kind, self._argued = "tool-call", False
            begun = call(part, f"{self._response.id or ''}_{self._counts[self._kind]}")
            given, begun["function"]["arguments"] = begun["function"]["arguments"] if part.arguments else "", ""
            return [self._event("tool-call-start", tool_calls=begun), *(self.grew(given) if given else [])]
        self._kind = "content"
        self._places[id(part)] = [self._counts["content"], 0]
        block = CONTENT.write(part)
        member = MEMBER[type(part)]
        text, block[member] = block[member], ""
        return [self._event("content-start", content=block), *(self.grew(text) if text else [])]

    def grew(self, text: str, /) -> list[Json]:
        if self._kind == "tool-call":
            self._argued = True
            return [self._event("tool-call-delta", tool_calls={"function": {"arguments": text}})]
        self._places[id(self._part)][1] += len(text)
        before, self._scores = self._scores, []
        last = before.pop() if before else None
        delta = self._event("content-delta", content={MEMBER[type(self._part)]: text})
        return [*self._scored(before), {**delta, "logprobs": last} if last else delta]

    def _scored(self, listed: list[Any]) -> list[Json]:
        """Return the scores of tokens whose text comes with the last of them."""
        empty = self._event("content-delta", content={MEMBER[type(self._part)]: ""})
        return [{**empty, "logprobs": one} for one in listed]

    def scored(self, event: events.Scored, /) -> list[Json]:
        self._scores += scores(event.logprobs)
        return []

    def cited(self, citation: ir.Citation, /) -> list[Json]:
        """Hold a citation until its text is whole, for its span."""
        self._held.append(citation)
        return []

    def cited_late(self, one: ir.Citation, text: ir.Text, /) -> list[Json]:
        made = citation(one, *self._places[id(text)])
        start = {"type": "citation-start", "index": self._cited, "delta": {"message": {"citations": made}}}
        self._cited += 1
        return [start, {"type": "citation-end", "index": self._cited - 1}]

    def closed(self) -> list[Json]:
        found: list[Json] = []
        if self._kind == "content":
            found = self._scored(self._scores)
            self._scores = []
            held, self._held = self._held, []
            for one in held:
                found += self.cited_late(one, self._part)
        elif not self._argued:  # whose text must be JSON (TUL-1)
            found = self.grew("{}")
        return [*found, *self.cut_off()]

    def cut_off(self) -> list[Json]:
        """End the open part; a call that broke off before any arguments gets none (TUL-29)."""
        self._open = False
        end = self._event(f"{self._kind}-end")
        self._counts[self._kind] += 1
        return [end]

    def ended(self, candidate: Candidate, /) -> list[Json]:
        self._ending = ending(candidate.terminal, self._response.protocol == wire.NAME)
        return []

    def completed(self, usage: Usage | None, /) -> list[Json]:
        return [self._end(self._ending, usage)]

    def failed(self, error: Error, /) -> list[Json]:
        """Return the end of the message, which is all that clients take for a failure (ERR-12), after that of an open
        part."""
        left = [] if not self._open else self.closed() if self._kind == "content" else self.cut_off()
        failure = self._end({"finish_reason": wire.FAILED, "error": error.message}, self._response.usage)
        return [*left, put(failure, id=error.request_id)]

    def _end(self, ending: Object, usage: Usage | None) -> Object:
        counts = None if usage is None else USAGE.write(usage)
        return {"type": "message-end", "delta": put({**ending}, usage=counts)}
