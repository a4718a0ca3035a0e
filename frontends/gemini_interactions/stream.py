"""A stream of Interactions into the IR: the interaction and its end; `stream_parts` has the steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from proxai_ir import ir
from proxai_ir.ir.error import stands_for_error
from proxai_ir.ir.node import Extra
from proxai_ir.ir.stream import events
from proxai_ir.ir.terminal import END, Terminal, fitted_reason
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.wire import gemini_interactions as wire

from .._lib.reading import Json, Object, missing, optional, required, wrong
from .._lib.unmapped import unmapped
from .error import failed, lower_error
from .response import envelope, read_usage, terminal
from .stream_parts import EVENT_KEYS, Events, Steps

PENDING = (ir.FunctionCall, ir.ClientCall)
CREATED, ENDS = "interaction.created", "interaction.completed"
LIFECYCLE = frozenset({"event_type", "interaction"})
STATUS = frozenset({"event_type", "interaction_id", "status"})


class Reader:
    def __init__(self, _options: Mapping[str, Any]) -> None:
        self._started = False
        self._named: Object = {}  # members of the interaction without an IR field that were emitted
        self._called = False
        self._steps = steps = Steps()
        self._read: dict[str, Callable[[Object], Events]] = {
            CREATED: self._start,
            "interaction.status_update": self._update,
            "step.start": steps.start,
            "step.delta": steps.delta,
            "step.stop": steps.stop,
            ENDS: self._end,
            "error": self._error,
        }

    def text_delta(self, event: Json, part: int) -> str | None:
        """Most events hold a piece of a text and nothing else."""
        steps = self._steps
        try:
            delta = event["delta"]
            text = delta["text"]
            if (
                steps.growing is ir.Text
                and steps.part == part
                and delta["type"] == "text"
                and event["index"] == steps.index
                and event["event_type"] == "step.delta"
                and len(delta) == 2
                and len(event) == 3
                and text.__class__ is str
                and text
            ):
                steps.text.append(text)
                return text
        except (KeyError, TypeError):
            pass
        return None

    def feed(self, event: Json) -> Events:
        if not isinstance(event, dict):
            raise Refusal("SHP-1", None, f"expected an object as the event, found {type(event).__name__}")
        kind = event.get("event_type")
        if kind is None and stands_for_error(event):
            return self._error(event)
        if type(kind) is not str:
            raise missing(event, "event_type") if kind is None else wrong(event, "event_type", "a string")
        read = self._read.get(kind)
        if read is None:
            return [events.UnmappedFields("Unknown", Extra(event), src=event)]
        found = read(event)
        self._called = self._called or any(
            isinstance(one, events.PartOpened) and isinstance(one.part, PENDING) for one in found
        )
        return found

    def close(self) -> Events:
        return []  # only its last event ends a stream (STR-2)

    # --- the interaction ----------------------------------------------------------------------------------------------

    def _start(self, event: Object) -> Events:
        interaction = required(event, "interaction", dict)
        response = envelope(interaction)
        usage = optional(interaction, "usage", dict)
        response.usage = None if usage is None else read_usage(usage)
        self._started = True
        self._named = dict((response.extra and response.extra.fields) or {})
        steps = optional(interaction, "steps", list) or []
        return [events.Started(response), *unmapped(event, LIFECYCLE), *self._steps.whole(steps)]

    def _update(self, event: Object) -> Events:
        """A status on the way; that of the last event counts."""
        optional(event, "status", str)
        return unmapped(event, STATUS, about="Status")

    def _end(self, event: Object) -> Events:
        interaction = required(event, "interaction", dict)
        response, usage = envelope(interaction), optional(interaction, "usage", dict)
        if interaction.get("status") == wire.FAILED:
            return [events.Failed(failed(interaction))]
        counted = [] if usage is None else [events.UsageReported(read_usage(usage))]
        found = [] if self._started else self._start({**event, "interaction": {**interaction, "steps": []}})
        found += self._steps.over(event)
        if self._steps.part < 0:
            found += self._steps.whole(optional(interaction, "steps", list) or [])
        ending = self._terminal(interaction, found)
        found += [events.Ended(ending), *counted]
        new = {
            key: value
            for key, value in ((response.extra and response.extra.fields) or {}).items()
            if key not in self._named
        }
        if new:
            found.append(events.UnmappedFields("Response", Extra(new), src=interaction))
        return [*found, *unmapped(event, LIFECYCLE | EVENT_KEYS), events.Completed()]

    def _terminal(self, interaction: Object, found: Events) -> Terminal:
        ending = terminal(interaction, [])
        called = self._called or any(
            isinstance(one, events.PartOpened) and isinstance(one.part, PENDING) for one in found
        )
        if ending.reason is END:
            ending.reason = fitted_reason(END, called)
        return ending

    def _error(self, event: Object) -> Events:
        return [events.Failed(lower_error(event))]
