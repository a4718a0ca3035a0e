"""Reads the events of a stream of Interactions, one at a time: the frame of the response, and its parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from proxai_ir import ir
from proxai_ir.ir.error import stands_for_error
from proxai_ir.ir.node import Extra, Seal
from proxai_ir.ir.response import END, Terminal, fitted_reason
from proxai_ir.ir.stream import events
from proxai_ir.ir.stream.interfaces import StreamReader
from proxai_ir.json.types import quoted
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.wire import gemini_interactions as wire
from proxai_ir.wire import google

from .._google.reading import signature
from .._lib.reading import (
    Json,
    Object,
    an_object,
    extra_fields,
    json_text,
    missing,
    optional,
    required,
    tag,
    unmapped_members,
    wrong,
)
from .parts import CITATIONS, CONTENT, RESPONSE, placed, read_step
from .response import envelope, failed, lower_error, read_usage, terminal

# --- stream parts -----------------------------------------------------------------------------------------------------
# The steps of a stream as parts: how they start, what they grow by, how they stop.
#
# A step of content has one part after the other, a thought's signature comes last, and what the provider ran is read
# when it is whole. What a step has at its start and in its deltas is one object in the end.


EVENT_KEYS = frozenset({"event_type", "index", "delta", "step"})
Events = list[events.Event]


def _begun(step: Object) -> ir.FunctionCall:
    """Return a call as it starts, with what it has of its arguments."""
    given = optional(step, "arguments", dict)
    call: ir.FunctionCall = read_step({"arguments": {}, **step}, RESPONSE).parts[0]  # type: ignore[assignment]
    call.src, call.arguments = step, json_text(step, "arguments") if given else ""
    return call


class Steps:
    """The steps of one interaction.

    part     the index of the last part, -1 before the first
    growing  the class of that part while it is open
    text     the open text so far, whose citations count its bytes
    kind     the type of the step that is open; _step is its beginning, None between steps
    """

    def __init__(self) -> None:
        self.part = self.item = -1
        self.growing: type | None = None
        self.text: list[str] = []
        self.index = -1
        self.kind = ""
        self._step: Object | None = None
        self._begun = False  # whether the step has any part
        self._arguments = False
        self._strange = False  # whether a delta of it has an unknown type
        self._kinds: dict[str, Callable[[Object, Object], Events]] = {
            wire.MODEL: self._content,
            wire.THOUGHT: self._thought,
            wire.CALL: self._call,
        }

    # --- parts --------------------------------------------------------------------------------------------------------

    def _open(self, part: Any) -> Events:
        closed = self.close()
        self.part += 1
        self.growing, self._begun = type(part), True
        self.text = [part.text] if isinstance(part, ir.Text) else []
        return [*closed, events.PartOpened(self.part, part, 0, max(self.item, 0))]

    def close(self) -> Events:
        closed, self.growing = self.growing, None
        return [] if closed is None else [events.PartClosed(self.part)]

    def _grow(self, part: ir.Text | ir.Reasoning) -> Events:
        """Return more of the open part if that is of its class, or a new part."""
        text, cited = part.text or "", isinstance(part, ir.Text) and part.citations
        if self.growing is not type(part) or part.extra is not None or cited:
            return self._open(part)
        self.text.append(text)
        return [events.PartGrew(self.part, text)] if text else []

    def whole(self, steps: list[Json]) -> Events:
        """Return the parts of steps that an event has as a whole."""
        found: Events = []
        for at in range(len(steps)):
            self.item += 1
            found += self._parts(an_object(steps, at))
        return found

    def _parts(self, step: Object) -> Events:
        found: Events = []
        turn = read_step(step, RESPONSE)
        for part in turn.parts:
            if isinstance(part, ir.FunctionCall) and not isinstance(part.arguments, str):
                part.arguments = json_text(step, "arguments")
            found += [*self._open(part), *self.close()]
        if turn.extra is not None:
            found.append(events.UnmappedFields("Turn", turn.extra, max(self.part, 0), step))
        return found

    # --- events -------------------------------------------------------------------------------------------------------

    def start(self, event: Object) -> Events:
        index, step = required(event, "index", int), required(event, "step", dict)
        if self._step is not None:
            raise wrong(event, "index", "no step before the open one stops", "STR-9")
        kind = tag(step)
        call = _begun(step) if kind == wire.CALL else None
        self.kind, self.index, self._step = kind, index, dict(step)
        self.item += 1
        self._begun = self._arguments = self._strange = False
        found = unmapped_members(event, EVENT_KEYS, max(self.part, 0))
        if self.kind == wire.MODEL:
            for part in CONTENT.each(optional(step, "content", list) or []):
                found += self._add(part)
            left = extra_fields(step, frozenset({"type", "content"}))
        elif self.kind == wire.THOUGHT:
            for one in optional(step, "summary", list) or []:
                found += self._summary({"content": one})
            found += self._seal(signature(step, "signature"), step)
            left = extra_fields(step, frozenset({"type", "summary", "signature"}))
        elif call is not None:
            self._arguments = bool(call.arguments)
            return [*found, *self._open(call)]
        else:
            return found
        return [*found, *([] if left is None else [events.UnmappedFields("Turn", left, max(self.part, 0), step)])]

    def delta(self, event: Object) -> Events:
        delta = required(event, "delta", dict)
        self._open_step(event)
        kind = tag(delta)
        more = unmapped_members(event, EVENT_KEYS, max(self.part, 0))
        read = self._kinds.get(self.kind)
        if read is not None:
            return [*read(event, delta), *more]
        if kind != self.kind:
            return self._other(event, delta)
        assert self._step is not None
        for key, value in delta.items():
            begun = self._step.get(key)
            whole = {**begun, **value} if isinstance(begun, dict) and isinstance(value, dict) else value
            self._step[key] = begun if value is None else whole
        return more

    def _open_step(self, event: Object) -> None:
        index = required(event, "index", int)
        if self._step is None or index != self.index:
            raise wrong(event, "index", "the index of the open step", "STR-9")

    def _content(self, event: Object, delta: Object) -> Events:
        kind = tag(delta)
        if kind == wire.ANNOTATED:
            return self._cite(event, delta)
        if kind in wire.CONTENT:
            return self._add(CONTENT.read(delta))
        return self._other(event, delta)

    def _add(self, part: ir.Part) -> Events:
        return self._grow(part) if isinstance(part, ir.Text) else [*self._open(part), *self.close()]

    def _cite(self, event: Object, delta: Object) -> Events:
        listed = CITATIONS.each(optional(delta, "annotations", list) or [])
        if listed and self.growing is not ir.Text:
            if self._strange:  # whose text is among what is not known
                return [events.UnmappedFields("Unknown", Extra(event), max(self.part, 0), event)]
            raise wrong(delta, "type", "the type of a delta of the open step", "STR-9")
        text = "".join(self.text)
        more = self._rest(event, delta, "annotations")
        return [*(events.PartCited(self.part, placed(one, text)) for one in listed), *more]

    def _thought(self, event: Object, delta: Object) -> Events:
        kind = tag(delta)
        if kind == "thought_summary":
            return [*self._summary(delta), *self._rest(event, delta, "content")]
        if kind == "thought_signature":
            return [*self._seal(signature(delta, "signature"), delta), *self._rest(event, delta, "signature")]
        return self._other(event, delta)

    def _seal(self, seal: Seal | None, src: Object) -> Events:
        """Return a signature, which is a part of its own; an envelope seals the text before it."""
        if seal is None:
            return []
        if self._begun and seal.provider != google.PROVIDER:
            return [events.PartSealed(self.part, seal, src)]
        return [*self._open(ir.Reasoning(None, seal, src)), *self.close()]

    def _summary(self, delta: Object) -> Events:
        content = optional(delta, "content", dict)
        if content is None:
            return []
        if content.get("type") != "text":
            extra = Extra({"summary": [content]})
            return [events.UnmappedFields("Turn", extra, max(self.part, 0), delta)]
        left = extra_fields(content, frozenset({"type", "text"}))
        return self._grow(ir.Reasoning(required(content, "text", str), None, content, left, True))

    def _call(self, event: Object, delta: Object) -> Events:
        if tag(delta) != "arguments_delta":
            return self._other(event, delta)
        text = optional(delta, "arguments", str) or ""
        if text and self._arguments:
            raise wrong(delta, "arguments", "none, as the start of the call has them all", "STR-9")
        grew: Events = [events.PartGrew(self.part, text)] if text else []
        return [*grew, *self._rest(event, delta, "arguments")]

    def _rest(self, event: Object, delta: Object, member: str) -> Events:
        """Return the members of a delta other than the one that it adds."""
        inner = extra_fields(delta, frozenset({"type", member}))
        kept = None if inner is None else Extra({"delta": inner.fields})
        return [] if kept is None else [events.UnmappedFields("Event", kept, max(self.part, 0), event)]

    def _other(self, event: Object, delta: Object) -> Events:
        if self.kind in RESPONSE and tag(delta) in wire.DELTAS:  # else all belongs to the unknown (STR-27)
            raise wrong(delta, "type", f"a delta of the open step, {quoted(self.kind)}", "STR-9")
        self._strange = True
        return [events.UnmappedFields("Unknown", Extra(event), max(self.part, 0), event)]

    def stop(self, event: Object) -> Events:
        self._open_step(event)
        return [*self.over(event), *unmapped_members(event, EVENT_KEYS, max(self.part, 0))]

    def over(self, event: Object) -> Events:
        """Return the end of the step that is open, if one is, and the parts that only the whole of it makes."""
        step, self._step = self._step, None
        if step is None:
            return []
        found: Events = []
        if self.kind == wire.THOUGHT and not self._begun:
            found += self._open(ir.Reasoning(None, None, event))
        elif self._strange and self.kind not in self._kinds:  # and so the rest of it may be missing
            found += self._open(ir.UnknownPart(self.kind, step, event))
        elif self.kind not in self._kinds:
            found += self._parts(step)
        return [*found, *self.close()]


# --- stream -----------------------------------------------------------------------------------------------------------
# A stream of Interactions into the IR: the interaction and its end; Steps has what is in its steps.


PENDING = (ir.FunctionCall, ir.ClientCall)
CREATED, ENDS = "interaction.created", "interaction.completed"
LIFECYCLE = frozenset({"event_type", "interaction"})
STATUS = frozenset({"event_type", "interaction_id", "status"})


class Reader(StreamReader):
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
        """Return the text of an event that has a piece of a text and nothing else, as most have."""
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
        return [events.Started(response), *unmapped_members(event, LIFECYCLE), *self._steps.whole(steps)]

    def _update(self, event: Object) -> Events:
        """Return the members of a status on the way that have no IR event; the status of the last event counts."""
        optional(event, "status", str)
        return unmapped_members(event, STATUS, about="Status")

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
        return [*found, *unmapped_members(event, LIFECYCLE | EVENT_KEYS), events.Completed()]

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
