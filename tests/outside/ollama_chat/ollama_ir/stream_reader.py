"""A stream of /api/chat into the IR: chunks are whole responses, with `done` false but for the last."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxai_ir.authoring import Refusal, constant, dumps, events, optional, required
from proxai_ir.ir import parts
from proxai_ir.ir.node import Extra
from proxai_ir.ir.turns import Role

from .reading import lower_error, name_calls, read_envelope, read_terminal, read_turn, read_usage

Object = dict[str, Any]


class Reader:
    """One stream."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._first: Object | None = None
        self._count = 0
        self._open: type | None = None  # of the part with the last index
        self._calls = 0

    def text_delta(self, event: Any, part: int, /) -> str | None:
        return None  # there is no shortcut

    def feed(self, event: Any, /) -> list[events.Event]:
        if not isinstance(event, dict):
            raise Refusal("SHP-1", None, "expected an object as the chunk")
        if event.get("error") is not None:
            return [events.Failed(lower_error(event))]
        found: list[events.Event] = []
        if self._first is None:
            self._first = event
            found.append(events.Started(read_envelope(event)))
        found += self._unmapped(event)
        message = optional(event, "message", dict)
        if message is not None:
            constant(message, "role", "assistant")
            turn = read_turn(message, Role.ASSISTANT)
            self._calls = name_calls(turn.parts, self._first, self._calls)
            for part in turn.parts:
                self._part(part, found)
            if turn.extra is not None:
                found.append(events.UnmappedFields("Message", turn.extra, src=message))
        if required(event, "done", bool):
            found += self._closed()
            found.append(events.Ended(read_terminal(event, self._calls > 0)))
            usage = read_usage(event)
            found += [] if usage is None else [events.UsageReported(usage)]
            found.append(events.Completed())
        return found

    def close(self) -> list[events.Event]:
        return []

    def _part(self, part: parts.Part, found: list[events.Event]) -> None:
        """Text goes on with the open part of its class; everything else is a part of its own."""
        if isinstance(part, (parts.Text, parts.Reasoning)):
            if part.text and type(part) is self._open:
                found.append(events.PartGrew(self._count, part.text))
            elif part.text:
                found += self._opened(part)
                self._open = type(part)
            return
        if isinstance(part, parts.FunctionCall):
            part.arguments = dumps(part.arguments, (part.src["function"], "arguments"))  # text, as all calls of streams
        found += [*self._opened(part), events.PartClosed(self._count)]

    def _opened(self, part: parts.Part) -> list[events.Event]:
        closed = self._closed()
        self._count += 1
        return [*closed, events.PartOpened(self._count, part)]

    def _closed(self) -> list[events.Event]:
        closed, self._open = self._open, None
        return [] if closed is None else [events.PartClosed(self._count)]

    def _unmapped(self, event: Object) -> list[events.Event]:
        """Members without an IR event, and those of the envelope that differ from the first chunk's."""
        assert self._first is not None
        known = {"message", "done", "done_reason", "prompt_eval_count", "eval_count"}
        extra = {key: value for key, value in event.items() if key not in known and value is not None}
        first = extra if event is self._first else {key: self._first.get(key) for key in ("model", "created_at")}
        fields = {key: value for key, value in extra.items() if first.get(key) != value}
        return [events.UnmappedFields("Chunk", Extra(fields), src=event)] if fields else []
