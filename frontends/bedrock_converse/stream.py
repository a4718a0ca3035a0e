"""A ConverseStream into the IR. An event is an object with one member, by its type, as AWS's own clients show it.

Blocks of text and of reasoning begin with their first delta; the stream is whole with `metadata` (STR-2).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from proxai_ir.ir import parts
from proxai_ir.ir.error import stands_for_error
from proxai_ir.ir.node import Extra
from proxai_ir.ir.response import Response
from proxai_ir.ir.stream import events
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.wire import bedrock_converse as wire

from .._lib.reading import Json, Object, constant, extra_fields, optional, required, rest
from .error import lower_error, named
from .response import additional_fields, read_usage, terminal
from .stream_parts import INDEX, Blocks, Events, type_of, unmapped, unmapped_rest


class Reader:
    def __init__(self, options: Mapping[str, Any]) -> None:
        self._kept = bool(options.get("own_response"))  # what only its own response has
        blocks = Blocks()
        self._open = blocks.open
        self._read: dict[str, Callable[[Object, Object], Events]] = {
            "messageStart": self._start,
            "contentBlockStart": blocks.start,
            "contentBlockDelta": blocks.delta,
            "contentBlockStop": blocks.stop,
            "messageStop": self._message_stop,
            "metadata": self._metadata,
        }

    def text_delta(self, event: Json, part: int) -> str | None:
        """Most events hold a piece of a text, and padding."""
        try:
            inner = event["contentBlockDelta"]
            delta = inner["delta"]
            text = delta["text"]
            if (
                inner[INDEX] == part
                and type(self._open[part]) is parts.Text
                and len(delta) == len(event) == 1
                and (len(inner) == 2 or (len(inner) == 3 and "p" in inner))
                and text.__class__ is str
            ):
                return text or None
        except (KeyError, TypeError):
            pass
        return None

    def feed(self, event: Json) -> Events:
        if not isinstance(event, dict):
            raise Refusal("SHP-1", None, f"expected an object as the event, found {type(event).__name__}")
        name = type_of(event)
        read = self._read.get(name)
        if read is not None:
            inner = required(event, name, dict)
            return [*read(inner, event), *_beside(event, {name})]
        if isinstance(event.get(name), dict) and (name == "error" or name.endswith("Exception")):
            return [*self._failed(name, event), *_beside(event, {name})]
        if stands_for_error(event):
            return [events.Failed(lower_error(event))]
        if not name:
            raise Refusal("SHP-2", event, "the event has no type")
        return [events.UnmappedFields("Unknown", Extra(event), src=event)]

    def close(self) -> Events:
        return []

    # --- the message --------------------------------------------------------------------------------------------------

    def _start(self, inner: Object, event: Object) -> Events:
        constant(inner, "role", "assistant")
        begun = Response(wire.NAME, None, None, [], src=inner)
        return [events.Started(begun), *unmapped_rest(event, inner, {"role"})]

    def _message_stop(self, inner: Object, event: Object) -> Events:
        additional, known, nested = additional_fields(inner)
        extra = extra_fields(inner, known | {"stopReason"}, nested=nested)
        late: Events = []
        if self._kept and extra is not None and extra.fields:
            late = [events.UnmappedFields("Response", Extra(_without_padding(extra.fields)))]
        beside = unmapped(event, extra)
        return [events.Ended(terminal(inner, additional)), *late, *beside]

    def _metadata(self, inner: Object, event: Object) -> Events:
        given = optional(inner, "usage", dict)
        found: Events = []
        if given is not None:
            usage = read_usage(given)
            found = [events.UsageReported(usage)]
            if not self._kept and usage.details is not None:  # of which no other stream has a place at its end
                usage.details = None
                found.append(events.UnmappedFields("Usage", Extra({"cacheDetails": given["cacheDetails"]}), src=given))
        if self._kept and (late := rest(inner, {"usage", "p"})):
            found.append(events.UnmappedFields("Response", Extra(late)))
        return [*found, *unmapped_rest(event, inner, {"usage"}), events.Completed()]

    def _failed(self, name: str, event: Object) -> Events:
        inner = event[name]
        kind = optional(inner, "code", str) if name == "error" else wire.ERROR_EVENTS.get(name, name)
        try:
            return [events.Failed(named(inner, kind))]
        except Refusal:
            return [events.Failed(lower_error(event))]


def _without_padding(fields: Object) -> Object:
    return {key: value for key, value in fields.items() if key != "p"}


def _beside(event: Object, known: set[str]) -> Events:
    if len(event) == len(known):
        return []
    extra = extra_fields(event, known)
    return [] if extra is None else [events.UnmappedFields("Event", extra, src=event)]
