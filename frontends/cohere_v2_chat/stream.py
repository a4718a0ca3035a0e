"""A stream of /v2/chat into the IR: each event by its type, in the table of the reader."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from proxai_ir.ir.error import stands_for_error
from proxai_ir.ir.node import Extra
from proxai_ir.ir.response import Response
from proxai_ir.ir.stream import events
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.wire import cohere_v2_chat as wire

from .._lib.reading import Json, Object, constant, extra_fields, identifier, optional, required, tag, wrong
from .error import lower_error
from .parts import ASSISTANT
from .response import read_scores, read_terminal, read_usage
from .stream_parts import MEMBER, Found, Parts
from .tools import call

DONE = "[DONE]"
EMPTY = ("content", "tool_plan", "tool_calls", "citations")
"""Members of a message that has only begun."""
OWN = frozenset({"type", "index"})


class Reader:
    """One stream; only message-end ends it (STR-2)."""

    def __init__(self, _options: Mapping[str, Any]) -> None:
        self._started = self._over = False
        self._parts = Parts()
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
            "citation-end": lambda event: unmapped(event, OWN),
            "message-end": self._message_end,
            "debug": lambda event: [events.UnmappedFields("Debug", Extra(event), src=event)],
        }

    def text_delta(self, event: Json, part: int) -> str | None:
        """Most events hold a piece of a text and nothing else."""
        try:
            ((_, message),) = event["delta"].items()
            ((member, text),) = message["content"].items()
            key = ("content", event["index"])
            index, begun = self._parts.known[key]
            if (
                event["type"] == "content-delta"
                and len(event) == 3
                and len(message) == 1
                and self._parts.open == key
                and index == part
                and member == MEMBER[type(begun)]
                and text.__class__ is str
            ):
                return text or None
        except (AttributeError, KeyError, TypeError, ValueError):
            pass
        return None

    def feed(self, event: Json) -> Found:
        if event == DONE and self._over:
            return [events.UnmappedFields("Done", Extra())]
        if not isinstance(event, dict):
            raise Refusal("SHP-1", None, f"expected an object as the event, found {type(event).__name__}")
        if event.get("type") in (None, "error") and stands_for_error(event):
            self._over = True
            return [events.Failed(lower_error(event))]
        read = self._read.get(tag(event))
        return [events.UnmappedFields("Unknown", Extra(event), src=event)] if read is None else read(event)

    def close(self) -> Found:
        return []

    def _start(self, event: Object) -> Found:
        if self._started:
            raise Refusal("STR-9", (event, "type"), "a second message-start")
        self._started = True
        message = _message(event)
        constant(message, "role", "assistant")
        begun = {key for key in EMPTY if not message.get(key)}
        response = Response(wire.NAME, identifier(event), None, [], src=event)
        return [events.Started(response), *unmapped(event, {"type", "id"}, message, {"role", *begun})]

    def _end(self, kind: str, event: Object) -> Found:
        self._parts.grown((kind, _index(event)), event)
        return [*unmapped(event, OWN), *self._parts.close()]

    def _content_start(self, event: Object) -> Found:
        message = _message(event)
        block = required(message, "content", dict)
        read = ASSISTANT.get(tag(block))
        if read is None:
            raise wrong(block, "type", "one of " + ", ".join(ASSISTANT), "SHP-5")
        opened = self._parts.begin(("content", _index(event)), read(block), event)
        return [*unmapped(event, OWN, message, {"content"}), *opened]

    def _content_delta(self, event: Object) -> Found:
        index, part = self._parts.grown(("content", _index(event)), event)
        message, member = _message(event), MEMBER[type(part)]
        block = required(message, "content", dict)
        text, scores = required(block, member, str), optional(event, "logprobs", dict)
        extra = extra_fields(block, {member, "type"})
        return [
            *([] if scores is None else [events.Scored(read_scores([scores], event), src=event)]),
            *unmapped(event, {*OWN, "logprobs"}, message, {"content"}),
            *([] if extra is None else [events.UnmappedFields("Block", extra, src=block)]),
            *([events.PartGrew(index, text)] if text else []),
        ]

    def _plan(self, event: Object) -> Found:
        message = _message(event)
        text = required(message, "tool_plan", str)
        return [*unmapped(event, OWN, message, {"tool_plan"}), *self._parts.plan(text, message, event)]

    def _call_start(self, event: Object) -> Found:
        message = _message(event)
        opened = self._parts.begin(("call", _index(event)), call(required(message, "tool_calls", dict)), event)
        return [*unmapped(event, OWN, message, {"tool_calls"}), *opened]

    def _call_delta(self, event: Object) -> Found:
        index, _ = self._parts.grown(("call", _index(event)), event)
        message = _message(event)
        given = required(message, "tool_calls", dict)
        function = required(given, "function", dict)
        text = required(function, "arguments", str)
        inner = [
            ("Call", given, extra_fields(given, {"function"})),
            ("Function", function, extra_fields(function, {"arguments"})),
        ]
        return [
            *unmapped(event, OWN, message, {"tool_calls"}),
            *(events.UnmappedFields(about, extra, src=holder) for about, holder, extra in inner if extra is not None),
            *([events.PartGrew(index, text)] if text else []),
        ]

    def _citation(self, event: Object) -> Found:
        message = _message(event)
        one = required(message, "citations", dict)
        cited = self._parts.cited(one)
        if cited is None:
            cited = [events.UnmappedFields("Turn", Extra({"citations": one}), src=message)]
        return [*unmapped(event, OWN, message, {"citations"}), *cited]

    def _message_end(self, event: Object) -> Found:
        delta = optional(event, "delta", dict) or {}
        counts = optional(delta, "usage", dict)
        extra = extra_fields(delta, {"finish_reason", "usage", "error"})
        self._over = True
        return [
            *self._parts.close(),
            *unmapped(event, {"type", "id", "delta"}),
            *([] if extra is None else [events.UnmappedFields("Response", extra, src=delta)]),
            events.Ended(read_terminal(delta, optional(delta, "error", str))),
            *([] if counts is None else [events.UsageReported(read_usage(counts))]),
            events.Completed(),
        ]


def _index(event: Object) -> int:
    index = optional(event, "index", int) or 0
    if index < 0:
        raise wrong(event, "index", "an index of at least 0", "SHP-3")
    return index


def _message(event: Object) -> Object:
    return optional(optional(event, "delta", dict) or {}, "message", dict) or {}


def unmapped(
    event: Object, known: set[str] | frozenset[str], message: Object | None = None, inner: set[str] | None = None
) -> Found:
    """Members without an IR event: of an event, and where it has one of its `delta` and the message in it. Each object
    has its own name, by which what repeats is reported once (STR-14)."""
    listed: list[tuple[str, Object, set[str]]] = [("Event", event, {*known} if message is None else {*known, "delta"})]
    if message is not None:
        listed += [("Delta", optional(event, "delta", dict) or {}, {"message"}), ("Message", message, inner or set())]
    found = [(about, holder, extra_fields(holder, names)) for about, holder, names in listed]
    return [events.UnmappedFields(about, extra, src=holder) for about, holder, extra in found if extra is not None]
