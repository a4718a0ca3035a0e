"""A stream of the IR as lines of `/api/chat`: a text as it comes, a call when it is whole, the counts at the end."""

from __future__ import annotations

from typing import Any

from attrs import evolve

from proxai_ir import ir
from proxai_ir.authoring import BrokenCalls, Object, Server, StreamWriter, events
from proxai_ir.ir.error import Error
from proxai_ir.ir.response import Candidate, Response, Terminal, Usage

from .write import call, counts, ending, envelope, raise_error, tokens

MEMBER: dict[type, str] = {ir.Text: "content", ir.Reasoning: "thinking"}


class Writer(StreamWriter):
    """One stream. A call is held until its arguments are whole, since a line has them as an object."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._head: Object = {}
        self._member = ""
        self._last: Any = None
        self._call: ir.FunctionCall | None = None
        self._arguments: list[str] = []
        self._broken = BrokenCalls()
        self._terminal: Terminal | None = None

    def _chunk(self, **members: Any) -> Object:
        return {**self._head, "message": {"role": "assistant", "content": "", **members}, "done": False}

    def started(self, head: Response, /) -> list[Any]:
        self._head = envelope(head)
        return []

    def opened(self, part: Any, /) -> list[Any]:
        self._broken.go_on()
        self._last = part
        if isinstance(part, ir.FunctionCall):
            self._call, self._arguments = part, [part.arguments] if isinstance(part.arguments, str) else []
            return []
        self._member = MEMBER[type(part)]
        return self.grew(part.text) if part.text else []

    def grew(self, text: str, /) -> list[Any]:
        if self._call is None:
            return [self._chunk(**{self._member: text})]
        self._arguments.append(text)
        return []

    def closed(self) -> list[Any]:
        if self._call is None:
            return []
        whole, self._call = self._call, None
        if isinstance(whole.arguments, str):
            text = "".join(self._arguments)
            if self._broken.closed(whole, text):
                return []
            whole = evolve(whole, arguments=text)
        return [self._chunk(tool_calls=[call(whole)])]

    def cut_off(self) -> list[Any]:
        """Leave out a call that broke off before any of its arguments (TUL-29)."""
        self._broken.cut_off(self._call)
        self._call = None
        return []

    def broken_off(self) -> tuple[Any, str] | None:
        return self._broken.last("")

    def scored(self, event: events.Scored, /) -> list[Any]:
        return [{**self._chunk(), "logprobs": tokens(event.logprobs)}]

    def ended(self, candidate: Candidate, /) -> list[Any]:
        self._broken.ended(candidate, self._last)
        self._terminal = candidate.terminal
        return []

    def completed(self, counted: Usage | None, /) -> list[Any]:
        assert self._terminal is not None
        return [{**self._chunk(), **ending(self._terminal), **counts(counted)}]

    def failed(self, failure: Error, /) -> list[Any]:
        return [raise_error(failure, self._server)]
