"""Streams of pigeon_coo into the IR, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxai_ir.authoring import (
    PartSequence,
    Refusal,
    Server,
    StreamReader,
    StreamWriter,
    events,
    optional,
    pick,
    required,
    whole,
)
from proxai_ir.ir.error import Error
from proxai_ir.ir.node import Extra
from proxai_ir.ir.parts import Text
from proxai_ir.ir.response import Candidate, Response
from proxai_ir.ir.usage import Usage

from . import wire

Object = dict[str, Any]


class Reader(StreamReader):
    """One stream into the IR: a start, parts that open, grow and close, an end."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._parts = PartSequence()
        self._read = {"start": self._start, "text": self._text, "end": self._end, "error": self._error}

    def feed(self, event: Any, /) -> list[events.Event]:
        if not isinstance(event, dict):
            raise Refusal("SHP-1", None, "expected an object as the event")
        read = pick(self._read, event, wire.EVENT)
        return [events.UnmappedFields("Event", Extra({**event}), src=event)] if read is None else read(event)

    def _start(self, event: Object) -> list[events.Event]:
        from .frontend import RESPONSE

        return [events.Started(RESPONSE.read({key: event[key] for key in event if key != wire.EVENT}))]

    def _text(self, event: Object) -> list[events.Event]:
        return self._parts.add(Text(required(event, "text", str), src=event))

    def _end(self, event: Object) -> list[events.Event]:
        from .frontend import USAGE, read_end

        used = optional(event, "usage", dict)
        reported = [] if used is None else [events.UsageReported(USAGE.read(used))]
        return [*self._parts.close(), events.Ended(read_end(event)), *reported, events.Completed()]

    def _error(self, event: Object) -> list[events.Event]:
        from .frontend import lower_error

        return [events.Failed(lower_error({"error": required(event, "error", dict)}))]


class Writer(StreamWriter):
    """The IR as one stream."""

    def __init__(self, server: Server) -> None:
        self._ending = ""

    def started(self, response: Response, /) -> list[Any]:
        return [{wire.EVENT: "start", "id": response.id, "model": response.model}]

    def opened(self, part: Any, /) -> list[Any]:
        return self.grew(part.text) if part.text else []

    def grew(self, text: str, /) -> list[Any]:
        return [{wire.EVENT: "text", "text": text}]

    def ended(self, candidate: Candidate, /) -> list[Any]:
        self._ending = wire.ENDINGS[candidate.terminal.reason]
        return []

    def completed(self, usage: Usage | None, /) -> list[Any]:
        from .backend import USAGE

        used = {} if usage is None else {"usage": USAGE.write(usage)}
        return [{wire.EVENT: "end", wire.ENDING: self._ending, **used}]

    def failed(self, error: Error, /) -> list[Any]:
        from .backend import ERROR

        return [{wire.EVENT: "error", **(whole(error) if error.verbatim else ERROR.write(error))}]
