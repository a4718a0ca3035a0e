"""Reads the events of a stream of Cohere's chat, one at a time: the frame of the response, and its parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from proxai_ir import ir
from proxai_ir.ir.error import stands_for_error
from proxai_ir.ir.stream import events
from proxai_ir.ir.stream.interfaces import StreamReader
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.wire import cohere_v2_chat as wire

from .._lib.reading import Json, Known, Object, constant, identifier, optional, required, tag, unmapped_members, wrong
from .parts import ASSISTANT, call, citations
from .response import is_complete, lower_error, lower_failure, read_scores, read_terminal, read_usage

# --- stream parts -----------------------------------------------------------------------------------------------------
# The parts of a stream of /v2/chat (STR-8): content by its index, calls by theirs, the plan as a text of its own.
#
# Rule: a part ends with its own event; the plan, which has none, with the next event of another kind.

Events = list[events.Event]
Key = tuple[str, int]
PLAN: Key = ("plan", 0)
MEMBER: dict[type, str] = {type(read({"type": kind, kind: ""})): kind for kind, read in ASSISTANT.items()}
"""The member of a delta that has the text, by the class of the part."""


class Parts:
    """The parts of a stream.

    `open` is the key of the open part; `known` has the IR index of every part, and the part as it began.
    """

    def __init__(self) -> None:
        self.open: Key | None = None
        self.known: dict[Key, tuple[int, ir.Part]] = {}

    def begin(self, key: Key, part: ir.Part, event: Object) -> Events:
        closed = self.close() if self.open == PLAN else []
        if key in self.known or self.open is not None:
            raise Refusal("STR-9", (event, "type"), "expected the end of the open part, and an index of its own")
        index = len(self.known)
        self.open, self.known[key] = key, (index, part)
        return [*closed, events.PartOpened(index, part)]

    def grown(self, key: Key, event: Object) -> tuple[int, ir.Part]:
        """Return the index and the beginning of the open part, which must be this one."""
        if self.open != key:
            raise Refusal("STR-9", (event, "type"), "expected an event of the open part")
        return self.known[key]

    def plan(self, event: Object, text: str) -> Events:
        if self.open != PLAN:
            return self.begin(PLAN, ir.Text(text, src=(event["delta"]["message"], "tool_plan")), event)
        return [events.PartGrew(self.known[PLAN][0], text)] if text else []

    def close(self) -> Events:
        """Close the open part, if there is one."""
        closed, self.open = self.open, None
        return [] if closed is None else [events.PartClosed(self.known[closed][0])]

    def cited(self, one: Object) -> Events | None:
        """Return the citation of a text, or None if there is no such text."""
        kind, index = optional(one, "type", str), optional(one, "content_index", int)
        if kind not in (None, wire.TEXT_CITED, wire.PLAN_CITED):
            return None
        wanted = PLAN if kind == wire.PLAN_CITED else ("content", index)
        for key, (number, part) in self.known.items():
            if isinstance(part, ir.Text) and (key == wanted or (index is None and wanted != PLAN)):
                return [events.PartCited(number, cited) for cited in citations(one)]
        return None


# --- stream -----------------------------------------------------------------------------------------------------------
# A stream of /v2/chat into the IR: each event by its type, in the table of the reader.

EMPTY = ("content", "tool_plan", "tool_calls", "citations")
"""Members of a message that may be empty at its start."""
FAILED = frozenset(word for word, reason in wire.REASON.items() if reason is ir.StopReason.FAILED)
OWN, SCORES = frozenset({"type", "index"}), frozenset({"logprobs"})
IN_MESSAGE: dict[str, tuple[str, type, frozenset[str]]] = {
    "content-start": ("content", dict, OWN),
    "content-delta": ("content", dict, OWN | SCORES),
    "tool-plan-delta": ("tool_plan", str, OWN),
    "tool-call-start": ("tool_calls", dict, OWN),
    "tool-call-delta": ("tool_calls", dict, OWN),
    "citation-start": ("citations", dict, OWN),
}
"""The events about one member of a message: the member, its type, and the event's own members."""


class Reader(StreamReader):
    """One stream; only message-end ends it (STR-2)."""

    def __init__(self, _options: Mapping[str, Any]) -> None:
        self._started = False
        self._parts = Parts()
        self._read_member: dict[str, Callable[[Object, Any], Events]] = {
            "content-start": self._content_start,
            "content-delta": self._content_delta,
            "tool-plan-delta": self._parts.plan,
            "tool-call-start": self._call_start,
            "tool-call-delta": self._call_delta,
            "citation-start": self._cite,
        }
        self._read: dict[str, Callable[[Object], Events]] = {
            "message-start": self._start,
            "content-end": lambda event: self._end("content", event),
            "tool-call-end": lambda event: self._end("call", event),
            "citation-end": lambda event: unmapped_members(event, OWN),
            "message-end": self._message_end,
            "debug": lambda event: [events.UnmappedFields("Debug", ir.Extra(event), src=event)],
        }

    def text_delta(self, event: Json, part: int) -> str | None:
        """Return the text of an event that only extends this part's text, as most do, else None."""
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

    def feed(self, event: Json) -> Events:
        if not isinstance(event, dict):
            raise Refusal("SHP-1", None, f"expected an object as the event, found {type(event).__name__}")
        if event.get("type") in (None, "error") and stands_for_error(event):
            return [events.Failed(lower_error(event))]
        kind = tag(event)
        if kind in IN_MESSAGE:
            member, of, known = IN_MESSAGE[kind]
            message = _message(event)
            found = self._read_member[kind](event, required(message, member, of))
            return [*in_message(event, known, message, {member}), *found]
        read = self._read.get(kind)
        return [events.UnmappedFields("Unknown", ir.Extra(event), src=event)] if read is None else read(event)

    def close(self) -> Events:
        return []

    def _start(self, event: Object) -> Events:
        if self._started:
            raise Refusal("STR-9", (event, "type"), "expected one message-start, found a second one")
        message = _message(event)
        constant(message, "role", "assistant")
        begun = {key for key in EMPTY if not message.get(key)}
        response = ir.Response(wire.NAME, identifier(event), None, [], src=event)
        self._started = True
        return [events.Started(response), *in_message(event, {"type", "id"}, message, {"role", *begun})]

    def _end(self, kind: str, event: Object) -> Events:
        self._parts.grown((kind, _index(event)), event)
        return [*unmapped_members(event, OWN), *self._parts.close()]

    def _content_start(self, event: Object, block: Object) -> Events:
        kind = tag(block)
        part = ASSISTANT[kind](block) if kind in ASSISTANT else ir.UnknownPart(kind, block, block)
        return self._parts.begin(("content", _index(event)), part, event)

    def _content_delta(self, event: Object, block: Object) -> Events:
        index, part = self._parts.grown(("content", _index(event)), event)
        if isinstance(part, ir.UnknownPart):
            return _of_unknown(event, index)
        member = MEMBER[type(part)]
        text = required(block, member, str)
        return [
            *_scores(event),
            *unmapped_members(block, {member, "type"}, about="Block"),
            *([events.PartGrew(index, text)] if text else []),
        ]

    def _call_start(self, event: Object, one: Object) -> Events:
        return self._parts.begin(("call", _index(event)), call(one), event)

    def _call_delta(self, event: Object, given: Object) -> Events:
        index, part = self._parts.grown(("call", _index(event)), event)
        if isinstance(part, ir.UnknownPart):
            return _of_unknown(event, index)
        function = required(given, "function", dict)
        text = required(function, "arguments", str)
        return [
            *unmapped_members(given, {"function"}, about="Call"),
            *unmapped_members(function, {"arguments"}, about="Function"),
            *([events.PartGrew(index, text)] if text else []),
        ]

    def _cite(self, event: Object, one: Object) -> Events:
        cited = self._parts.cited(one)
        if cited is not None:
            return cited
        return [events.UnmappedFields("Turn", ir.Extra({"citations": one}), src=_message(event))]

    def _message_end(self, event: Object) -> Events:
        delta = optional(event, "delta", dict) or {}
        counts = optional(delta, "usage", dict)
        word = delta.get("finish_reason")
        if not self._started and type(word) is str and word in FAILED:
            return [events.Failed(lower_failure(delta))]
        ending = events.Ended(read_terminal(delta, optional(delta, "error", str)))
        counted = [] if counts is None else [events.UsageReported(read_usage(counts))]
        return [
            *self._parts.close(),
            *unmapped_members(event, {"type", "id", "delta"}),
            *unmapped_members(delta, {"finish_reason", "usage", "error"}, about="Response"),
            ending,
            *counted,
            events.Completed(),
        ]


def _scores(event: Object) -> Events:
    """Return the score of a delta; one without its text or values is kept for this protocol."""
    scores = optional(event, "logprobs", dict)
    if scores is None:
        return []
    if not is_complete(scores):
        return unmapped_members(event, event.keys() - SCORES)
    return [events.Scored(read_scores([scores], event), src=event)]


def _index(event: Object) -> int:
    index = optional(event, "index", int) or 0
    if index < 0:
        raise wrong(event, "index", "an index of at least 0", "SHP-3")
    return index


def _of_unknown(event: Object, index: int) -> Events:
    """Return more of a part of unknown type (STR-27)."""
    return [events.UnmappedFields("Unknown", ir.Extra({"delta": event.get("delta")}), index, event)]


def _message(event: Object) -> Object:
    return optional(optional(event, "delta", dict) or {}, "message", dict) or {}


def in_message(event: Object, known: Known, message: Object, inner: Known) -> Events:
    """Return the unmapped members of an event, of its `delta`, and of the message in it.

    Each object has its own name, by which repeated members are reported once (STR-14).
    """
    return [
        *unmapped_members(event, known | {"delta"}),
        *unmapped_members(optional(event, "delta", dict) or {}, {"message"}, about="Delta"),
        *unmapped_members(message, inner, about="Message"),
    ]
