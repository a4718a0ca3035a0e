"""A ConverseStream into the IR: events are objects with one member, by their type.

A text starts with its first delta, a call with an event of its own; other blocks are read when they are whole. The
metadata come last as a rule, if they come (STR-2). The order of events is the stream grammar's to judge (STR-9).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from proxai_ir.ir.error import stands_for_error
from proxai_ir.ir.node import Extra
from proxai_ir.ir.response import Response
from proxai_ir.ir.stream import events
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.streaming.interfaces import StreamReader
from proxai_ir.wire import bedrock_converse as wire

from .._lib.reading import Object, constant, required
from .._lib.unmapped import unmapped
from .error import lower_error, lower_exception
from .response import METADATA, terminal
from .stream_parts import Blocks, Events

ERROR = "error"  # of the framing, for what the service does not model


class Reader(StreamReader):
    """One stream into the IR."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        _ = options  # none is about this protocol
        self._blocks = blocks = Blocks()
        self._ended = self._completed = False
        self._read: dict[str, Callable[[Object], Events]] = {
            "messageStart": self._start,
            "contentBlockStart": blocks.start,
            "contentBlockDelta": blocks.delta,
            "contentBlockStop": blocks.stop,
            "messageStop": self._stop,
            "metadata": self._metadata,
        }

    def feed(self, event: Any, /) -> Events:
        if not isinstance(event, dict):
            raise Refusal("SHP-1", None, f"expected an object as the event, found {type(event).__name__}")
        other = sorted(key for key in event if isinstance(key, str) and key != wire.HEADERS)  # members have no order
        kind = next((key for key in other if key in self._read or key.endswith("Exception")), "".join(other[:1]))
        if kind in self._read:
            inner = required(event, kind, dict)
            return [*self._read[kind](inner), *unmapped(event, {kind, wire.HEADERS})]
        given = event.get(kind)
        if isinstance(given, dict) and (kind.endswith("Exception") or kind == ERROR):
            return [*unmapped(event, {kind, wire.HEADERS}), events.Failed(_failure(kind, given))]
        if stands_for_error(event):
            return [events.Failed(lower_error(event))]
        return [events.UnmappedFields("Unknown", Extra(event), src=event)]

    def close(self) -> Events:
        """A stream whose message stopped is whole, with or without metadata."""
        return [events.Completed()] if self._ended and not self._completed else []

    # --- the message --------------------------------------------------------------------------------------------------

    def _start(self, event: Object) -> Events:
        constant(event, "role", "assistant")
        return [events.Started(Response(wire.NAME, None, None, [], src=event)), *unmapped(event, {"role"})]

    def _stop(self, event: Object) -> Events:
        ending, shown = terminal(event)
        left = self._blocks.left(event)
        self._ended = self._blocks.over = True
        return [*left, events.Ended(ending), *unmapped(event, {"stopReason", wire.SHOWN}, more={wire.SHOWN: shown})]

    def _metadata(self, event: Object) -> Events:
        self._completed = self._ended  # else they come once more, or the end of the bytes completes the stream
        found: Response = METADATA(event)
        late = {key: event[key] for key in LATE if event.get(key) is not None}
        usage: Events = [] if found.usage is None else [events.UsageReported(found.usage)]
        return [*usage, *unmapped(event, {"usage", *LATE}, more=late), *([events.Completed()] if self._ended else ())]


LATE = ("performanceConfig", "serviceTier")
"""What a response's envelope has, and is known only when a stream ends."""


def _failure(kind: str, given: Object) -> Any:
    """An exception of the service; an error of the framing has its type in `code`."""
    if kind == ERROR and isinstance(given.get("code"), str):
        return lower_exception(given["code"], {key: value for key, value in given.items() if key != "code"})
    return lower_exception(kind, given)
