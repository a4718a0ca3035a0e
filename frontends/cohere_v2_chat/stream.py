"""A stream of /v2/chat into the IR (STR-8): content by its index, calls by theirs, the plan as a text of its own.

Rule: a part ends with its own event; the plan, which has none, with the next event of another kind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from proxai_ir.ir.error import stands_for_error
from proxai_ir.ir.node import Extra
from proxai_ir.ir.parts import FunctionCall, Part, Text
from proxai_ir.ir.response import Response
from proxai_ir.ir.stream import events
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.wire import cohere_v2_chat as wire

from .._lib.reading import Json, Object, constant, extra_fields, identifier, optional, required, tag, wrong
from .error import lower_error
from .parts import ASSISTANT, call, citations
from .response import read_scores, read_terminal, read_usage

Found = list[events.Event]
Key = tuple[str, int]
PLAN: Key = ("plan", 0)
DONE = "[DONE]"
EMPTY = ("content", "tool_plan", "tool_calls", "citations")
"""Members of a message that has only begun."""


class Reader:
    """One stream. `_open`: the part that is open; `_parts`: the index and the text part, by its key on the wire."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._started = self._over = False
        self._count = 0
        self._open: Key | None = None
        self._parts: dict[Key, tuple[int, Part]] = {}
        self._read: dict[str, Callable[[Object], Found]] = {
            "message-start": self._start,
            "content-start": self._content_start,
            "content-delta": self._content_delta,
            "content-end": lambda event: self._end("content", event),
            "tool-plan-delta": self._plan,
            "tool-call-start": self._call_start,
            "tool-call-delta": self._call_delta,
            "tool-call-end": lambda event: self._end("call", event),
            "citation-start": self._citation,
            "citation-end": lambda event: unmapped(event, {"type", "index"}),
            "message-end": self._message_end,
            "debug": lambda event: [events.UnmappedFields("Debug", Extra(event), src=event)],
        }

    def text_delta(self, event: Json, part: int) -> str | None:
        """Most events hold a piece of a text and nothing else."""
        try:
            key = ("content", event["index"])
            (delta,) = event["delta"].values()
            ((member, text),) = delta["content"].items()
            if (
                event["type"] == "content-delta"
                and len(event) == 3
                and len(delta) == 1
                and self._open == key
                and self._parts[key][0] == part
                and member == MEMBER[type(self._parts[key][1])]
                and text.__class__ is str
            ):
                return text or None  # type: ignore[no-any-return]
        except (AttributeError, KeyError, TypeError, ValueError):
            pass
        return None

    def feed(self, event: Json) -> Found:
        if event == DONE and self._over:
            return [events.UnmappedFields("Done", Extra())]
        if not isinstance(event, dict):
            raise Refusal("SHP-1", None, f"expected an object as the event, found {type(event).__name__}")
        if event.get("type") not in self._read and stands_for_error(event):
            self._over = True
            return [events.Failed(lower_error(event))]
        read = self._read.get(tag(event))
        if read is None:
            return [events.UnmappedFields("Unknown", Extra(event), src=event)]
        return read(event)

    def close(self) -> Found:
        return []  # only message-end ends a stream (STR-2)

    def _start(self, event: Object) -> Found:
        if self._started:
            raise Refusal("STR-9", (event, "type"), "a second message-start")
        self._started = True
        message = _message(event)
        constant(message, "role", "assistant")
        response = Response(wire.NAME, identifier(event), None, [], src=event)
        begun = {key for key in EMPTY if not message.get(key)}
        return [events.Started(response), *unmapped(event, {"type", "id"}, message, {"role", *begun})]

    # --- parts --------------------------------------------------------------------------------------------------------

    def _opened(self, key: Key, part: Part, event: Object) -> Found:
        closed = self._no_plan()
        if key in self._parts or self._open is not None:
            raise Refusal("STR-9", (event, "type"), "another part is open, or had this index")
        self._open, self._parts[key] = key, (self._count, part)
        self._count += 1
        return [*closed, events.PartOpened(self._count - 1, part)]

    def _no_plan(self) -> Found:
        if self._open != PLAN:
            return []
        self._open = None
        return [events.PartClosed(self._parts[PLAN][0])]

    def _grown(self, key: Key, event: Object) -> tuple[int, Part]:
        if self._open != key:
            raise Refusal("STR-9", (event, "type"), "no such part is open")
        return self._parts[key]

    def _end(self, kind: str, event: Object) -> Found:
        key = (kind, _index(event))
        index, _ = self._grown(key, event)
        self._open = None
        return [*unmapped(event, {"type", "index"}), events.PartClosed(index)]

    def _content_start(self, event: Object) -> Found:
        message = _message(event)
        block = required(message, "content", dict)
        kind = tag(block)
        if kind not in ASSISTANT:
            raise wrong(block, "type", "one of " + ", ".join(ASSISTANT), "SHP-5")
        part = ASSISTANT[kind](block)
        return [*unmapped(event, {"type", "index"}, message), *self._opened(("content", _index(event)), part, event)]

    def _content_delta(self, event: Object) -> Found:
        index, part = self._grown(("content", _index(event)), event)
        message = _message(event)
        block = required(message, "content", dict)
        member = MEMBER[type(part)]
        text, scores = required(block, member, str), optional(event, "logprobs", dict)
        found: Found = [] if scores is None else [events.Scored(read_scores([scores], event), src=event)]
        found += unmapped(event, {"type", "index", "logprobs"}, message)
        extra = extra_fields(block, {member, "type"})
        found += [] if extra is None else [events.UnmappedFields("Event", extra, src=block)]
        return [*found, *([events.PartGrew(index, text)] if text else [])]

    def _plan(self, event: Object) -> Found:
        message = _message(event)
        text = required(message, "tool_plan", str)
        found = unmapped(event, {"type", "index"}, message, {"tool_plan"})
        if self._open != PLAN:
            return [*found, *self._opened(PLAN, Text(text, src=(message, "tool_plan")), event)]
        return [*found, *([events.PartGrew(self._parts[PLAN][0], text)] if text else [])]

    def _call_start(self, event: Object) -> Found:
        message = _message(event)
        part = call(required(message, "tool_calls", dict))
        found = unmapped(event, {"type", "index"}, message, {"tool_calls"})
        return [*found, *self._opened(("call", _index(event)), part, event)]

    def _call_delta(self, event: Object) -> Found:
        index, part = self._grown(("call", _index(event)), event)
        assert isinstance(part, FunctionCall)
        message = _message(event)
        function = required(required(message, "tool_calls", dict), "function", dict)
        text = required(function, "arguments", str)
        return [
            *unmapped(event, {"type", "index"}, message, {"tool_calls"}),
            *([events.PartGrew(index, text)] if text else []),
        ]

    def _citation(self, event: Object) -> Found:
        message = _message(event)
        cited = required(message, "citations", dict)
        found = unmapped(event, {"type", "index"}, message, {"citations"})
        kind, index = optional(cited, "type", str), optional(cited, "content_index", int)
        texts = [key for key, (_, part) in self._parts.items() if isinstance(part, Text)]
        wanted = PLAN if kind == wire.PLAN_CITED else ("content", index)
        key = next((one for one in texts if one == wanted or (index is None and wanted != PLAN)), None)
        if key is None or kind not in (None, wire.TEXT_CITED, wire.PLAN_CITED):
            return [*found, events.UnmappedFields("Turn", Extra({"citations": cited}), src=message)]
        return [*found, *(events.PartCited(self._parts[key][0], one) for one in citations(cited))]

    # --- the end ------------------------------------------------------------------------------------------------------

    def _message_end(self, event: Object) -> Found:
        delta = optional(event, "delta", dict) or {}
        counts = optional(delta, "usage", dict)
        self._over = True
        closed = self._no_plan()
        if self._open is not None:
            index, _ = self._parts[self._open]
            closed = [events.PartClosed(index)]
        ending = read_terminal(delta, optional(delta, "error", str))
        extra = extra_fields(delta, {"finish_reason", "usage", "error"})
        return [
            *closed,
            *unmapped(event, {"type", "id", "delta"}),
            *([] if extra is None else [events.UnmappedFields("Response", extra, src=delta)]),
            events.Ended(ending),
            *([] if counts is None else [events.UsageReported(read_usage(counts))]),
            events.Completed(),
        ]


MEMBER: dict[type, str] = {type(ASSISTANT[kind]({"type": kind, kind: ""})): kind for kind in ASSISTANT}
"""The member of a delta that has the text, by the class of the part."""


def _index(event: Object) -> int:
    return optional(event, "index", int) or 0


def _message(event: Object) -> Object:
    return optional(optional(event, "delta", dict) or {}, "message", dict) or {}


def unmapped(event: Object, known: set[str], message: Object | None = None, inner: set[str] | None = None) -> Found:
    """Members without an IR event, of an event, its `delta` and the message in it."""
    delta = optional(event, "delta", dict) or {}
    listed = [(event, known if message is None else {*known, "delta"})]
    if message is not None:
        listed += [(delta, {"message"}), (message, inner or {"content"})]
    found = [(holder, extra_fields(holder, names)) for holder, names in listed]
    return [events.UnmappedFields("Event", extra, src=holder) for holder, extra in found if extra is not None]
