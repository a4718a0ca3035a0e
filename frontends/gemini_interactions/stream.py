"""Reads the events of a stream of Interactions, one at a time: the frame of the response, and its parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from proxai_ir import ir
from proxai_ir.ir.error import Error, stands_for_error
from proxai_ir.ir.response import END, fitted_reason
from proxai_ir.ir.stream import events
from proxai_ir.ir.stream.interfaces import StreamReader
from proxai_ir.json.types import quoted
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.wire import gemini_interactions as wire
from proxai_ir.wire import google

from .._google.reading import signature
from .._lib import reading as r
from .._lib.reading import Json, Object
from .parts import CITATIONS, CONTENT, RESPONSE, placed, read_step
from .response import envelope, failed, lower_error, read_usage, terminal

# --- stream parts -----------------------------------------------------------------------------------------------------
# The steps of a stream as parts: how they start, what they grow by, how they stop.
#
# A step of content has one part after the other, a thought's signature comes last, and what the provider ran is read
# when it is complete: the members of its start and of its deltas are put together into one object.

EVENT_KEYS = frozenset({"event_type", "index", "delta", "step"})
read_ids = r.reader(id=str, call_id=str)
Events = list[events.Event]


def _tag(delta: Object) -> str:
    """Return the type of a delta; agents send pieces of text without one."""
    return "text" if "type" not in delta and "text" in delta else r.tag(delta)


def _call_at_start(step: Object) -> ir.FunctionCall:
    """Return a call as it starts, with the arguments that it has then."""
    given = r.optional(step, "arguments", dict)
    call: ir.FunctionCall = read_step({"arguments": {}, **step}, RESPONSE).parts[0]  # type: ignore[assignment]
    call.src, call.arguments = step, r.json_text(step, "arguments") if given else ""
    return call


class Steps:
    """The steps of a stream.

    `kind` is the type of the open step and `index` its number; `part` is the index of the last part, and `growing` its
    class while it is open. `pieces` has those of the open text, whose citations count its bytes by `_offsets`.
    """

    def __init__(self) -> None:
        self.part = self.item = -1
        self.growing: type | None = None
        self.pieces: list[str] = []
        self._offsets = google.Offsets(self.pieces)
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
        self.pieces = [part.text] if isinstance(part, ir.Text) else []
        self._offsets = google.Offsets(self.pieces)
        return [*closed, events.PartOpened(self.part, part, 0, max(self.item, 0))]

    def close(self) -> Events:
        closed, self.growing = self.growing, None
        return [] if closed is None else [events.PartClosed(self.part)]

    def _grow(self, part: ir.Text | ir.Reasoning) -> Events:
        """Return more of the open part if it is of the same class, else a new part."""
        text, cited = part.text or "", isinstance(part, ir.Text) and part.citations
        if self.growing is not type(part) or part.extra is not None or cited:
            return self._open(part)
        self.pieces.append(text)
        return [events.PartGrew(self.part, text)] if text else []

    def complete_steps(self, steps: list[Json]) -> Events:
        """Return the parts of steps that an event has in full."""
        found: Events = []
        for at in range(len(steps)):
            self.item += 1
            found += self._parts(r.an_object(steps, at))
        return found

    def _parts(self, step: Object) -> Events:
        found: Events = []
        turn = read_step(step, RESPONSE)
        for part in turn.parts:
            if isinstance(part, ir.FunctionCall) and not isinstance(part.arguments, str):
                part.arguments = r.json_text(step, "arguments")
            found += [*self._open(part), *self.close()]
        if turn.extra is not None:
            found.append(events.UnmappedFields("Turn", turn.extra, max(self.part, 0), step))
        return found

    # --- events -------------------------------------------------------------------------------------------------------

    def start(self, event: Object) -> Events:
        index, step = r.required(event, "index", int), r.required(event, "step", dict)
        if self._step is not None:
            raise r.wrong(event, "index", "no step before the open one stops", "STR-9")
        kind = r.tag(step)
        read_ids(step)  # before the step is held: facts are refused where they stand (ENV-15)
        call = _call_at_start(step) if kind == wire.CALL else None
        self.kind, self.index, self._step = kind, index, dict(step)
        self.item += 1
        self._begun = self._arguments = self._strange = False
        found = r.unmapped_members(event, EVENT_KEYS, max(self.part, 0))
        if self.kind == wire.MODEL:
            for part in CONTENT.each(r.optional(step, "content", list) or []):
                found += self._add(part)
            left = r.extra_fields(step, frozenset({"type", "content"}))
        elif self.kind == wire.THOUGHT:
            for one in r.optional(step, "summary", list) or []:
                found += self._summary({"content": one})
            found += self._seal(signature(step, "signature"), step)
            left = r.extra_fields(step, frozenset({"type", "summary", "signature"}))
        elif call is not None:
            self._arguments = bool(call.arguments)
            return [*found, *self._open(call)]
        else:
            return found
        return [*found, *([] if left is None else [events.UnmappedFields("Turn", left, max(self.part, 0), step)])]

    def delta(self, event: Object) -> Events:
        delta = r.required(event, "delta", dict)
        self._open_step(event)
        kind = _tag(delta)
        more = r.unmapped_members(event, EVENT_KEYS, max(self.part, 0))
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
        index = r.required(event, "index", int)
        if self._step is None or index != self.index:
            raise r.wrong(event, "index", "the index of the open step", "STR-9")

    def _content(self, event: Object, delta: Object) -> Events:
        kind = _tag(delta)
        if kind == wire.ANNOTATED:
            return self._cite(event, delta)
        if kind in wire.CONTENT:
            return self._add(CONTENT.read(delta))
        return self._other(event, delta)

    def _add(self, part: ir.Part) -> Events:
        return self._grow(part) if isinstance(part, ir.Text) else [*self._open(part), *self.close()]

    def _cite(self, event: Object, delta: Object) -> Events:
        listed = CITATIONS.each(r.optional(delta, "annotations", list) or [])
        if listed and self.growing is not ir.Text:
            if self._strange:  # the text may be in a delta of unknown type
                return [events.UnmappedFields("Unknown", ir.Extra(event), max(self.part, 0), event)]
            raise r.wrong(delta, "type", "the type of a delta of the open step", "STR-9")
        more = self._rest(event, delta, "annotations")
        return [*(events.PartCited(self.part, placed(one, self._offsets)) for one in listed), *more]

    def _thought(self, event: Object, delta: Object) -> Events:
        kind = _tag(delta)
        if kind == "thought_summary":
            return [*self._summary(delta), *self._rest(event, delta, "content")]
        if kind == "thought_signature":
            return [*self._seal(signature(delta, "signature"), delta), *self._rest(event, delta, "signature")]
        return self._other(event, delta)

    def _seal(self, seal: ir.Seal | None, src: Object) -> Events:
        """Return a signature as a part of its own; one of another provider seals the text before it."""
        if seal is None:
            return []
        if self._begun and seal.provider != google.PROVIDER:
            return [events.PartSealed(self.part, seal, src)]
        return [*self._open(ir.Reasoning(None, seal, src)), *self.close()]

    def _summary(self, delta: Object) -> Events:
        content = r.optional(delta, "content", dict)
        if content is None:
            return []
        if content.get("type", "text") != "text":
            extra = ir.Extra({"summary": [content]})
            return [events.UnmappedFields("Turn", extra, max(self.part, 0), delta)]
        left = r.extra_fields(content, frozenset({"type", "text"}))
        return self._grow(ir.Reasoning(r.required(content, "text", str), None, content, left, True))

    def _call(self, event: Object, delta: Object) -> Events:
        if _tag(delta) != "arguments_delta":
            return self._other(event, delta)
        text = r.optional(delta, "arguments", str) or ""
        if text and self._arguments:
            raise r.wrong(delta, "arguments", "none, as the start of the call has them all", "STR-9")
        grew: Events = [events.PartGrew(self.part, text)] if text else []
        return [*grew, *self._rest(event, delta, "arguments")]

    def _rest(self, event: Object, delta: Object, member: str) -> Events:
        """Return the members of a delta other than the one that it adds."""
        inner = r.extra_fields(delta, frozenset({"type", member}))
        kept = None if inner is None else ir.Extra({"delta": inner.fields})
        return [] if kept is None else [events.UnmappedFields("Event", kept, max(self.part, 0), event)]

    def _other(self, event: Object, delta: Object) -> Events:
        if self.kind in RESPONSE and _tag(delta) in wire.DELTAS:  # else it belongs to the unknown step (STR-27)
            raise r.wrong(delta, "type", f"a delta of the open step, {quoted(self.kind)}", "STR-9")
        self._strange = True
        return [events.UnmappedFields("Unknown", ir.Extra(event), max(self.part, 0), event)]

    def stop(self, event: Object) -> Events:
        self._open_step(event)
        return [*self.over(event), *r.unmapped_members(event, EVENT_KEYS, max(self.part, 0))]

    def over(self, event: Object) -> Events:
        """Close the open step, if there is one; what is read at its end stands in no single event."""
        step, self._step = self._step, None
        if step is None:
            return []
        found: Events = []
        if self.kind == wire.THOUGHT and not self._begun:
            found += self._open(ir.Reasoning(None, None, event))
        elif self._strange and self.kind not in self._kinds:  # so the rest of it may be missing
            found += self._open(ir.UnknownPart(self.kind, step, event))
        elif self.kind not in self._kinds:
            found += self._parts(step)
        return [*found, *self.close()]


# --- stream -----------------------------------------------------------------------------------------------------------
# A stream of Interactions into the IR: the interaction and its end.

PENDING = (ir.FunctionCall, ir.ClientCall)
CREATED, ENDS = "interaction.created", "interaction.completed"
LIFECYCLE = frozenset({"event_type", "interaction"})
STATUS = frozenset({"event_type", "interaction_id", "status"})


class Reader(StreamReader):
    def __init__(self, _options: Mapping[str, Any]) -> None:
        self._started = False
        self._named: Object = {}  # members of the interaction without an IR field that were emitted
        self._called = False
        self._reported: Error | None = None
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
        """Return the text of an event that only extends this part's text, as most do, else None."""
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
                steps.pieces.append(text)
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
            raise r.missing(event, "event_type") if kind is None else r.wrong(event, "event_type", "a string")
        read = self._read.get(kind)
        if read is None:
            return [events.UnmappedFields("Unknown", ir.Extra(event), src=event)]
        found = read(event)
        self._called = self._called or _opens_call(found)
        return found

    def close(self) -> Events:
        return []  # only its last event ends a stream (STR-2)

    # --- the interaction ----------------------------------------------------------------------------------------------

    def _start(self, event: Object) -> Events:
        interaction = r.required(event, "interaction", dict)
        response = envelope(interaction)
        usage = r.optional(interaction, "usage", dict)
        response.usage = None if usage is None else read_usage(usage)
        self._started = True
        self._named = dict((response.extra and response.extra.fields) or {})
        steps = r.optional(interaction, "steps", list) or []
        return [events.Started(response), *r.unmapped_members(event, LIFECYCLE), *self._steps.complete_steps(steps)]

    def _update(self, event: Object) -> Events:
        """Return the unknown members of a status update, or its error. Its status does not count: the last event has
        the final one."""
        if r.optional(event, "status", str) == wire.FAILED and event.get("error") is not None:
            return self._error(event)
        return r.unmapped_members(event, STATUS, about="Status")

    def _end(self, event: Object) -> Events:
        interaction = r.required(event, "interaction", dict)
        response, usage = envelope(interaction), r.optional(interaction, "usage", dict)
        if interaction.get("status") == wire.FAILED:
            return self._failed(failed(interaction))
        counted = [] if usage is None else [events.UsageReported(read_usage(usage))]
        found = [] if self._started else self._start({**event, "interaction": {**interaction, "steps": []}})
        found += self._steps.over(event)
        if self._steps.part < 0:
            found += self._steps.complete_steps(r.optional(interaction, "steps", list) or [])
        ending = terminal(interaction, [])
        if ending.reason is END:
            ending.reason = fitted_reason(END, self._called or _opens_call(found))
        found += [events.Ended(ending), *counted]
        fields = (response.extra and response.extra.fields) or {}
        new = {key: value for key, value in fields.items() if key not in self._named}
        if new:
            found.append(events.UnmappedFields("Response", ir.Extra(new), src=interaction))
        return [*found, *r.unmapped_members(event, LIFECYCLE | EVENT_KEYS), events.Completed()]

    def _error(self, event: Object) -> Events:
        return self._failed(lower_error(event))

    def _failed(self, error: Error) -> Events:
        """Return a failure; if one was returned before, return findings about what this one adds or contradicts."""
        before, self._reported = self._reported, error
        if before is None:
            return [events.Failed(error)]
        found: Events = [] if error.extra is None else [events.UnmappedFields("Error", error.extra, src=error.src)]
        if error.message and error.message != before.message:
            found.append(events.UnmappedFields("Contradicted", ir.Extra({"error": error.message}), src=error.src))
        return found


def _opens_call(found: Events) -> bool:
    for one in found:  # noqa: SIM110 - a generator is a call more
        if isinstance(one, events.PartOpened) and isinstance(one.part, PENDING):
            return True
    return False
