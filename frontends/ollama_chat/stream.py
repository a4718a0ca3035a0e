"""A stream of `/api/chat` into the IR: lines that are responses, with `done` false but for the last, or an error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxai_ir.ir import parts
from proxai_ir.ir.node import Extra
from proxai_ir.ir.stream import events
from proxai_ir.ir.turns import ASSISTANT
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.wire import ollama_chat as wire

from .._lib.part_sequence import PartSequence
from .._lib.reading import Object, constant, json_text, optional, required
from .request import read_turn
from .response import lower_error, name_calls, read_envelope, read_logprobs, read_terminal, read_usage


class Reader:
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
        turn = read_turn(message, ASSISTANT)
        name_calls(turn.parts, first, self._parts.calls)
        found: list[events.Event] = []
        for part in turn.parts:
            if isinstance(part, parts.FunctionCall):
                part.arguments = json_text(part.src["function"], "arguments")
            if not isinstance(part, parts.Text) or part.text:
                found += self._parts.add(part)
        return [*found, *([events.UnmappedFields("Message", turn.extra, src=message)] if turn.extra else [])]

    def _unmapped(self, event: Object, first: Object) -> list[events.Event]:
        """Members without an IR event, and those of the envelope that differ from the first chunk's."""
        known = wire.RESPONSE - wire.ENVELOPE
        extra = {key: value for key, value in event.items() if key not in known and value is not None}
        told = extra if event is first else {key: first.get(key) for key in wire.ENVELOPE}
        fields = {key: value for key, value in extra.items() if told.get(key) != value}
        return [events.UnmappedFields("Chunk", Extra(fields), src=event)] if fields else []
