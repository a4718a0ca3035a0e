"""A stream of Messages events into the IR: the message and its end; `stream_parts` has the blocks.

Events are checked one by one here; their order is the stream grammar's to judge (STR-9).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from proxai_ir.ir.error import stands_for_error
from proxai_ir.ir.node import Extra
from proxai_ir.ir.stream import events
from proxai_ir.ir.terminal import CUT_OFF, StopReason, Terminal
from proxai_ir.json.pointer import Respelled
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.wire import anthropic_messages as wire

from .._lib.reading import Json, Object, extra_fields, optional, required, rest, tag
from .error import lower_error
from .response import KNOWN, lower_response, read_usage, terminal
from .stream_parts import Blocks, unmapped_fields

METRICS = "amazon-bedrock-invocationMetrics"  # of a stream's last event, on AWS
METRICS_OF = {
    "input_tokens": "inputTokenCount",
    "output_tokens": "outputTokenCount",
    "cache_read_input_tokens": "cacheReadInputTokenCount",
    "cache_creation_input_tokens": "cacheWriteInputTokenCount",
}
"""The members of usage, as these metrics call them."""
ENDING: frozenset[str] = frozenset({"stop_reason", "stop_sequence", "stop_details"})


class Reader:
    def __init__(self, options: Mapping[str, Any]) -> None:
        self._kept = bool(options.get("own_response"))  # what only its own response has
        self._over = self._failed = False
        self._ending: Terminal | None = None  # of a message that was whole when it started
        self._ended = False
        self._last: Object | None = None  # the last delta of the message
        self._blocks = blocks = Blocks()
        self._grows = blocks.grows
        self._read: dict[str, Callable[[Object], list[events.Event]]] = {
            "message_start": self._start,
            "content_block_start": blocks.start,
            "content_block_delta": blocks.delta,
            "content_block_stop": blocks.stop,
            "message_delta": self._delta,
            "message_stop": self._stop,
            "ping": self._ping,
            "error": self._error,
        }

    def text_delta(self, event: Json, part: int) -> str | None:
        """Most events hold a piece of a block's text and nothing else."""
        try:
            delta = event["delta"]
            kind, member = self._grows[part]
            text = delta[member]
            if (
                delta["type"] == kind
                and event["index"] == part
                and event["type"] == "content_block_delta"
                and len(delta) == 2
                and len(event) == 3
                and text.__class__ is str
            ):
                return text
        except (KeyError, TypeError):
            pass
        return None

    def feed(self, event: Json) -> list[events.Event]:
        try:
            read = self._read[event["type"]]
        except (KeyError, TypeError):
            read = self._unusual
        return read(event)

    def close(self) -> list[events.Event]:
        return []  # only message_stop ends a stream (STR-2)

    def _unusual(self, event: Json) -> list[events.Event]:
        """An event of no known type is kept; what is no event is refused."""
        if event == wire.DONE and self._ended and not self._over:  # in place of message_stop
            return self._stop({})
        if not isinstance(event, dict):
            raise Refusal("SHP-1", None, f"expected an object as the event, found {type(event).__name__}")
        if event.get("type") is None and stands_for_error(event):
            return self._error(event)
        kind = tag(event)
        if kind in self._read:
            return self._read[kind](event)
        return [events.UnmappedFields("Unknown", Extra(event), src=event)]

    # --- the message --------------------------------------------------------------------------------------------------

    def _start(self, event: Object) -> list[events.Event]:
        message = required(event, "message", dict)
        if "content" not in message:  # which is empty yet
            message = Respelled({**message, "content": []}, message, {})
        response = lower_response(message)
        ending, response.candidates = response.candidates[0].terminal, []
        blocks, apart = message["content"] or [], ENDING  # `message_delta` has how it ended
        if blocks and message.get("stop_reason") is not None:  # nothing of the message is left to come
            self._ending, apart = ending, frozenset()
        if any(message.get(key) is not None for key in apart):
            response.extra = extra_fields(message, KNOWN - apart)
        return [events.Started(response), *unmapped_fields(event, {"type", "message"}), *self._blocks.given(blocks)]

    def _delta(self, event: Object) -> list[events.Event]:
        delta = self._last = required(event, "delta", dict)
        emitted: list[events.Event] = []
        usage = optional(event, "usage", dict)
        counted = [] if usage is None else [events.UsageReported(read_usage(usage))]
        if delta.get("stop_reason") is not None:
            ending, begun = terminal(delta, delta), self._ending
            if begun is not None and begun.raw != ending.raw:
                raise Refusal("STR-9", (delta, "stop_reason"), "another stop reason than at the start")
            self._ending = None
            emitted += [*(self._blocks.texts_over() if ending.reason not in CUT_OFF else ()), *self._end(ending, delta)]
        emitted += counted
        known = ENDING if delta.get("stop_reason") is not None else frozenset()
        if self._kept:
            late_members = {**(rest(delta, ENDING) or {}), **(rest(event, {"type", "delta", "usage"}) or {})}
            emitted += [events.UnmappedFields("Response", Extra(late_members))] if late_members else []
        return [*emitted, *unmapped_fields(event, {"type", "delta", "usage"}, delta=extra_fields(delta, known))]

    def _stop(self, event: Object) -> list[events.Event]:
        if self._failed:  # some servers end a stream all the same
            return [events.UnmappedFields("Repeated", Extra(event), src=event)]
        self._over = True
        last = [*_counted(event), events.Completed()]
        if self._ending is None and self._ended:
            return last
        ending = self._ending or terminal({}, event if self._last is None else self._last)  # none came (STS-10)
        return [*self._end(ending, ending.src), *last]

    def _end(self, ending: Terminal, src: Object) -> list[events.Event]:
        self._ended = True
        cut_off = [] if ending.reason not in CUT_OFF else self._blocks.cut_off()
        refused = ending.reason is StopReason.REFUSAL
        return [*cut_off, *self._blocks.released(ending, src), events.Ended(ending, 0, refused)]

    def _ping(self, event: Object) -> list[events.Event]:
        return [events.UnmappedFields("Ping", Extra(event), src=event)]

    def _error(self, event: Object) -> list[events.Event]:
        self._over = self._failed = True
        return [events.Failed(lower_error(event))]


def _counted(event: Object) -> list[events.Event]:
    """The usage that the last event has, and what else: of AWS, under its own names (STR-29)."""
    usage, metrics = optional(event, "usage", dict), optional(event, METRICS, dict)
    if metrics is None and usage is None:
        return unmapped_fields(event, {"type"})
    found: list[events.Event] = []
    named = {ours: theirs for ours, theirs in METRICS_OF.items() if (metrics or {}).get(theirs) is not None}
    if metrics and named:
        counts = {ours: metrics[theirs] for ours, theirs in named.items()}
        found.append(events.UsageReported(read_usage(Respelled(counts, metrics, named))))
    if usage is not None:
        found.append(events.UsageReported(read_usage(usage)))
    left = extra_fields(metrics or {}, frozenset(named.values()))
    kept = extra_fields(event, {"type", "usage", METRICS}, nested={METRICS: left})
    return found if kept is None else [*found, events.UnmappedFields("Event", kept, 0, event)]
