"""The steps of a stream as parts: how they start, what they grow by, how they stop.

A step of content has one part after the other, a thought's signature comes last, and what the provider ran is read when
it is whole. What a step has at its start and in its deltas is one object in the end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from proxai_ir import ir
from proxai_ir.ir.node import Extra, Seal
from proxai_ir.ir.stream import events
from proxai_ir.json.types import quoted
from proxai_ir.wire import gemini_interactions as wire
from proxai_ir.wire import google

from .._google.reading import signature
from .._lib.reading import Json, Object, an_object, extra_fields, json_text, optional, required, tag, wrong
from .._lib.unmapped import unmapped
from .parts import CITATIONS, CONTENT, RESPONSE, placed, read_step

EVENT_KEYS = frozenset({"event_type", "index", "delta", "step"})
Events = list[events.Event]


def _begun(step: Object) -> ir.FunctionCall:
    """A call as it starts, with what it has of its arguments."""
    given = optional(step, "arguments", dict)
    call: ir.FunctionCall = read_step({"arguments": {}, **step}, RESPONSE).parts[0]  # type: ignore[assignment]
    call.src, call.arguments = step, json_text(step, "arguments") if given else ""
    return call


class Steps:
    """`step`: what is open, None between steps, with `kind`, its type. `part`: the last part, of this class while it is
    open. `text`: of the open text, whose citations count its bytes.
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
        """More of the open part of its class, or a new one."""
        text, cited = part.text or "", isinstance(part, ir.Text) and part.citations
        if self.growing is not type(part) or part.extra is not None or cited:
            return self._open(part)
        self.text.append(text)
        return [events.PartGrew(self.part, text)] if text else []

    def whole(self, steps: list[Json]) -> Events:
        """The steps that an event has as a whole."""
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
        found = unmapped(event, EVENT_KEYS, max(self.part, 0))
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
        more = unmapped(event, EVENT_KEYS, max(self.part, 0))
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
        """A signature is a part of its own; an envelope seals the text before it."""
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
        """The members of a delta other than what it adds."""
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
        return [*self.over(event), *unmapped(event, EVENT_KEYS, max(self.part, 0))]

    def over(self, event: Object) -> Events:
        """The end of the step that is open, if one is; what it has as a whole stands in no single event."""
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
