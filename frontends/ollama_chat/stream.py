"""Reads the events of a stream of Ollama's chat, one at a time: the frame of the response, and its parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxai_ir import ir
from proxai_ir.authoring import (
    Object,
    PartSequence,
    Refusal,
    StreamReader,
    constant,
    events,
    json_text,
    optional,
    required,
)
from proxai_ir.wire import ollama_chat as wire

from .parts import read_turn
from .response import lower_error, name_calls, read_envelope, read_logprobs, read_terminal, read_usage

# --- stream parts -----------------------------------------------------------------------------------------------------
# The message of a line of a stream: pieces of texts, and whole calls.


def read_parts(turn: ir.Turn, first: Object, sequence: PartSequence) -> list[events.Event]:
    """Return the events of a line's message; calls without ids are named after the `first` line."""
    name_calls(turn.parts, first, sequence.calls)
    found: list[events.Event] = []
    for part in turn.parts:
        if isinstance(part, ir.FunctionCall):
            part.arguments = json_text(part.src["function"], "arguments")
        if not isinstance(part, ir.Text) or part.text:
            found += sequence.add(part)
    return [*found, *([events.UnmappedFields("Message", turn.extra, src=turn.src)] if turn.extra else [])]


# --- stream -----------------------------------------------------------------------------------------------------------
# A stream of `/api/chat` into the IR: lines that are responses, with `done` false but for the last, or an error.

COUNTS = frozenset(wire.COUNTS)


class Reader(StreamReader):
    """One stream into the IR."""

    def __init__(self, _options: Mapping[str, Any]) -> None:
        self._first: Object | None = None
        self._parts = PartSequence()

    def feed(self, event: Any, /) -> list[events.Event]:
        if not isinstance(event, dict):
            raise Refusal("SHP-1", None, f"expected an object as the line, found {type(event).__name__}")
        if event.get("error") is not None:
            return [events.Failed(lower_error(event))]
        found: list[events.Event] = []
        done, _ = required(event, "done", bool), optional(event, "done_reason", str)
        counted = None if COUNTS.isdisjoint(event) else read_usage(event)
        if self._first is None:
            found.append(events.Started(read_envelope(event)))
        message, scores = optional(event, "message", dict), read_logprobs(event)
        constant(message or {}, "role", "assistant")
        turn = None if message is None else read_turn(message, ir.ASSISTANT)
        self._first = self._first or event
        found += self._unmapped(event, self._first)
        if turn is not None:
            found += read_parts(turn, self._first, self._parts)
        if scores is not None:
            found.append(events.Scored(scores, src=event))
        if done:
            found += [*self._parts.close(), events.Ended(read_terminal(event, self._parts.calls > 0))]
            found += [events.UsageReported(counted)] if counted is not None else []
            found.append(events.Completed())
        elif counted is not None:
            found.append(events.UsageReported(counted, provisional=True))
        return found

    def _unmapped(self, event: Object, first: Object) -> list[events.Event]:
        """Return the members without an IR event, and those of the envelope that differ from the first line's."""
        known = wire.RESPONSE - wire.ENVELOPE
        extra = {key: value for key, value in event.items() if key not in known and value is not None}
        first_of = extra if event is first else {key: first.get(key) for key in wire.ENVELOPE}
        fields = {key: value for key, value in extra.items() if first_of.get(key) != value}
        return [events.UnmappedFields("Chunk", ir.Extra(fields), src=event)] if fields else []
