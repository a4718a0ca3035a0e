"""A stream of the IR as chunks of /api/chat: `Writer` for streams of other protocols, `Restorer` for its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxai_ir.authoring import Refusal, events
from proxai_ir.ir import parts
from proxai_ir.ir.error import Error
from proxai_ir.ir.node import Seal
from proxai_ir.ir.response import Candidate, Response
from proxai_ir.ir.terminal import Terminal
from proxai_ir.ir.turns import Role, Turn
from proxai_ir.ir.usage import Usage

from .writing import Object, call, counts, ending, envelope, error, message, restored

MEMBER: dict[type, str] = {parts.Text: "content", parts.Reasoning: "thinking"}


class Writer:
    """One stream. A call is held until its arguments are whole, since a chunk has them as an object."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._options = options
        self._head: Object = {}
        self._member = ""
        self._call: parts.FunctionCall | None = None
        self._arguments: list[str] = []
        self._terminal: Terminal | None = None

    def _chunk(self, **members: Any) -> Object:
        return {**self._head, "message": {"role": "assistant", "content": "", **members}, "done": False}

    def started(self, response: Response, /) -> list[Any]:
        self._head = envelope(response, self._options)
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


class Restorer:
    """The chunk that a reader read as these events."""

    def __init__(self) -> None:
        self._head: Object = {}
        self._open: dict[int, type] = {}

    def __call__(self, step: list[events.Event]) -> Any:
        if step and isinstance(step[0], events.Failed):
            return error(step[0].error)
        turn = Turn(Role.ASSISTANT, [])
        built: Object = {**self._head, "done": False}
        absent = False
        for event in step:
            match event:
                case events.Started(response):
                    self._head = envelope(response, {})
                    built = {**self._head, **built}
                    if response.extra is not None:
                        built = restored(built, response.extra)
                        self._head = {key: built[key] for key in self._head}
                case events.PartOpened(index, part):
                    self._open[index] = type(part)
                    turn.parts.append(part)
                case events.PartGrew(index, text):
                    part = parts.Reasoning(text) if self._open[index] is parts.Reasoning else parts.Text(text)
                    turn.parts.append(part)
                case events.UnmappedFields("Message", extra):
                    absent, turn.extra = "absent" in extra.wire_forms, extra
                case events.UnmappedFields("Chunk", extra):
                    built = restored(built, extra)
                case events.Ended(terminal):
                    built |= ending(terminal)
                case events.UsageReported(usage):
                    built |= counts(usage)
                case events.PartClosed() | events.Completed():
                    pass
                case _:
                    raise Refusal("STR-9", None, f"no chunk holds {type(event).__name__}")
        return built if absent else {**built, "message": message(turn)}
