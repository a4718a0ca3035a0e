"""A stream of the IR as chunks of /api/chat."""

from __future__ import annotations

from typing import Any

from proxai_ir.authoring import Server, events
from proxai_ir.ir import parts
from proxai_ir.ir.error import Error
from proxai_ir.ir.node import Seal
from proxai_ir.ir.response import Candidate, Response
from proxai_ir.ir.terminal import Terminal
from proxai_ir.ir.usage import Usage

from .writing import Object, call, counts, ending, envelope, error

MEMBER: dict[type, str] = {parts.Text: "content", parts.Reasoning: "thinking"}


class Writer:
    """One stream. A call is held until its arguments are whole, since a chunk has them as an object."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._head: Object = {}
        self._member = ""
        self._call: parts.FunctionCall | None = None
        self._arguments: list[str] = []
        self._terminal: Terminal | None = None

    def _chunk(self, **members: Any) -> Object:
        return {**self._head, "message": {"role": "assistant", "content": "", **members}, "done": False}

    def started(self, response: Response, /) -> list[Any]:
        self._head = envelope(response, self._server)
        return []

    def opened(self, part: Any, /) -> list[Any]:
        if isinstance(part, parts.FunctionCall):
            self._call, self._arguments = part, [part.arguments] if isinstance(part.arguments, str) else []
            return []
        self._member = MEMBER[type(part)]
        return self.grew(part.text) if part.text else []

    def grew(self, text: str, /) -> list[Any]:
        if self._call is None:
            return [self._chunk(**{self._member: text})]
        self._arguments.append(text)
        return []

    def sealed(self, seal: Seal, /) -> list[Any]:
        return []  # the table drops all of them

    def cited(self, citation: parts.Citation, /) -> list[Any]:
        return []  # likewise

    def closed(self) -> list[Any]:
        if self._call is None:
            return []
        whole, self._call = self._call, None
        if isinstance(whole.arguments, str):
            whole.arguments = "".join(self._arguments)
        return [self._chunk(tool_calls=[call(whole)])]

    def scored(self, event: events.Scored, /) -> list[Any]:
        return []  # the table drops log probabilities

    def ended(self, candidate: Candidate, /) -> list[Any]:
        self._terminal = candidate.terminal
        return []

    def completed(self, usage: Usage | None, /) -> list[Any]:
        assert self._terminal is not None
        return [{**self._chunk(), **ending(self._terminal), **({} if usage is None else counts(usage))}]

    def failed(self, failure: Error, /) -> list[Any]:
        return [error(failure)]
