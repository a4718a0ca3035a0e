"""Streams of /api/chat, both ways: chunks are whole responses, with `done` false but for the last."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxai_ir import ir
from proxai_ir.authoring import (
    PartSequence,
    Refusal,
    Server,
    StreamReader,
    StreamWriter,
    constant,
    dumps,
    events,
    optional,
    required,
)
from proxai_ir.ir.error import Error
from proxai_ir.ir.node import Extra
from proxai_ir.ir.request import Role
from proxai_ir.ir.response import Terminal

from . import wire
from .backend import call, counts, ending, envelope, raise_error, tokens
from .frontend import (
    RESPONSE,
    lower_error,
    name_calls,
    read_envelope,
    read_logprobs,
    read_terminal,
    read_turn,
    read_usage,
)

Object = dict[str, Any]


class Reader(StreamReader):
    """One stream into the IR."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._first: Object | None = None
        self._parts = PartSequence()

    def feed(self, event: Any, /) -> list[events.Event]:
        if not isinstance(event, dict):
            raise Refusal("SHP-1", None, "expected an object as the chunk")
        if event.get("error") is not None:
            return [events.Failed(lower_error(event))]
        found: list[events.Event] = []
        if self._first is None:
            self._first = event
            found.append(events.Started(read_envelope(event)))
        found += self._unmapped(event, self._first)
        message, scores = optional(event, "message", dict), read_logprobs(event)
        if message is not None:
            found += self._message(message, self._first)
        if scores is not None:
            found.append(events.Scored(scores, src=event))
        if required(event, "done", bool):
            counted = read_usage(event)
            found += [*self._parts.close(), events.Ended(read_terminal(event, self._parts.calls > 0))]
            found += [events.UsageReported(counted)] if counted is not None else []
            found.append(events.Completed())
        return found

    def _message(self, message: Object, first: Object) -> list[events.Event]:
        constant(message, "role", "assistant")
        turn = read_turn(message, Role.ASSISTANT)
        name_calls(turn.parts, first, self._parts.calls)
        found: list[events.Event] = []
        for part in turn.parts:
            if isinstance(part, ir.FunctionCall):
                part.arguments = dumps(part.arguments, (part.src["function"], "arguments"))
            if not isinstance(part, ir.Text) or part.text:
                found += self._parts.add(part)
        return [*found, *([events.UnmappedFields("Message", turn.extra, src=message)] if turn.extra else [])]

    def _unmapped(self, event: Object, first: Object) -> list[events.Event]:
        """Members without an IR event, and those of the envelope that differ from the first chunk's."""
        known = RESPONSE - wire.ENVELOPE
        extra = {key: value for key, value in event.items() if key not in known and value is not None}
        told = extra if event is first else {key: first.get(key) for key in wire.ENVELOPE}
        fields = {key: value for key, value in extra.items() if told.get(key) != value}
        return [events.UnmappedFields("Chunk", Extra(fields), src=event)] if fields else []


MEMBER: dict[type, str] = {ir.Text: "content", ir.Reasoning: "thinking"}


class Writer(StreamWriter):
    """One stream out of the IR. A call is held until its arguments are whole, since a chunk has them as an object."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._head: Object = {}
        self._member = ""
        self._call: ir.FunctionCall | None = None
        self._arguments: list[str] = []
        self._terminal: Terminal | None = None

    def _chunk(self, **members: Any) -> Object:
        return {**self._head, "message": {"role": "assistant", "content": "", **members}, "done": False}

    def started(self, head: ir.Response, /) -> list[Any]:
        self._head = envelope(head, self._server)
        return []

    def opened(self, part: Any, /) -> list[Any]:
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
            whole.arguments = "".join(self._arguments)
        return [self._chunk(tool_calls=[call(whole)])]

    def scored(self, event: events.Scored, /) -> list[Any]:
        return [{**self._chunk(), "logprobs": tokens(event.logprobs)}]

    def ended(self, candidate: ir.Candidate, /) -> list[Any]:
        self._terminal = candidate.terminal
        return []

    def completed(self, counted: ir.Usage | None, /) -> list[Any]:
        assert self._terminal is not None
        return [{**self._chunk(), **ending(self._terminal), **counts(counted)}]

    def failed(self, failure: Error, /) -> list[Any]:
        return [raise_error(failure, self._server)]
