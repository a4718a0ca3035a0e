"""A stream of Responses events into the IR: the answer and its end; stream_parts.py has the items.

Much of this wire repeats itself: parts, items and the response are sent once more when they are done. What is repeated
must equal what was emitted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from proxai_ir import ir
from proxai_ir.ir.error import Error, stands_for_error
from proxai_ir.ir.stream import events
from proxai_ir.ir.stream.interfaces import StreamReader
from proxai_ir.json.pointer import Respelled
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.wire import openai_responses as wire

from .._lib.reading import Json, Object, required, rest, tag
from .output_items import custom_tools
from .parts import OUTPUT, read_items
from .response import KNOWN, failed, lower_error, lower_response, refuses
from .stream_output import ADDRESS, EVENT_KEYS, Unknown, unmapped
from .stream_parts import Items

COMPLETED = ("response.completed", "response.done")  # the latter as the realtime service calls it
HEAD = ("id", "created_at", "model")
"""Members that servers may leave out of the whole response."""


class Reader(StreamReader):
    """One stream. `kept` is whether a response is made of the events.

    OpenAI sends an error event and then the answer that failed with it, which repeats the error; Azure sends an answer
    that failed without saying why, and then an error event that does (STS-14).
    """

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._kept = bool(options.get("kept"))
        self._items = Items(self._kept)
        self._unknown = Unknown()
        self._started: ir.Response | None = None
        self._named: Object = {}  # members of the response without an IR field that were emitted
        self._over = False
        self._reported: Error | None = None
        self._unrepeated: Error | None = None  # the error of an event, which the answer may yet repeat
        self._unexplained: Object | None = None  # the event of a failed answer, whose error may yet come
        self._read: dict[str, Callable[[Object], list[events.Event]]] = {
            "response.created": self._start,
            "response.in_progress": self._again,
            "response.queued": self._again,
            **dict.fromkeys(COMPLETED, self._end),
            "response.incomplete": self._end,
            "response.failed": self._failed,
            "response.cancelled": self._end,
            "error": self._error,
            "keepalive": lambda _: [],
            "ping": lambda _: [],  # of gateways
            **self._items.readers,
        }

    def text_delta(self, event: Json, part: int) -> str | None:
        try:
            return self._items.text_delta(event, part)
        except (KeyError, TypeError):
            return None

    def feed(self, event: Json) -> list[events.Event]:
        if not isinstance(event, dict):
            if event == wire.DONE and self._unexplained is not None:
                return self.close()
            raise Refusal("SHP-1", None, f"expected an object as the event, found {type(event).__name__}")
        kind = "error" if event.get("type") is None and stands_for_error(event) else tag(event)
        read = self._read.get(kind)
        if read is not None:
            if self._unknown.holds(kind, event):
                return unmapped("Unknown", rest(event, ADDRESS), event)
            return [*read(event), *self._others(event)]
        if kind.startswith(wire.PROGRESSING):
            return self._others(event, "Progress")
        return unmapped("Unknown", event, event)

    def close(self) -> list[events.Event]:
        """Return the end, if there was a terminal event in a valid position: only that ends a stream (STR-2)."""
        held, self._unexplained = self._unexplained, None
        if held is not None:
            return self._end(held)
        return [events.Completed()] if self._over else []

    def _others(self, event: Object, of: str = "Event") -> list[events.Event]:
        """Return the members of an event that have no IR field, under the vocabulary's table `of`."""
        changed, self._items.changed_id = self._items.changed_id, None
        renamed = changed is not None and changed == event.get("item_id")  # else an event before this one was refused
        others = unmapped("Item id", {"item_id": changed}, event) if renamed else []
        return [*others, *unmapped(of, rest(event, EVENT_KEYS), event)]

    def _start(self, event: Object) -> list[events.Event]:
        response = with_output(required(event, "response", dict))
        found = lower_response(response)
        if isinstance(found, Error):
            return [events.Failed(found)]
        found.candidates = []
        self._started = found
        self._named = dict((found.extra and found.extra.fields) or {})
        self._items.customs = custom_tools(response.get("tools"))
        return [events.Started(found)]

    def _again(self, event: Object) -> list[events.Event]:
        """Return the new members of a response that is repeated, or its start if there was none."""
        if self._started is None:
            return self._start(event)
        response = event.get("response")
        return self._new(rest(response, KNOWN), response) if isinstance(response, dict) else []

    def _new(self, fields: Object | None, response: Object) -> list[events.Event]:
        """Return the members without an IR field that no event of the response had."""
        new = {key: value for key, value in (fields or {}).items() if key not in self._named}
        self._named |= new
        return unmapped("Response", new, response)

    def _end(self, event: Object, again: ir.Response | Error | None = None) -> list[events.Event]:
        """Return how the response ended, with the whole response repeated; `again` is the response if it has been
        read."""
        response = with_output(required(event, "response", dict))
        found = lower_response(response) if again is None else again
        self._over = True
        if isinstance(found, Error):
            self._without_repetition(found, response)
            self._reported = found
            return [events.Failed(found)]
        (candidate,) = found.candidates
        turns, declined = candidate.turns, False
        if response.get("status") == wire.FAILED:  # its texts are the refusal, and have been handed on
            turns = read_items(response.get("output") or [], OUTPUT)
            declined = not refuses(turns)
        emitted = self._items.not_streamed(turns, response)
        self._items.check_placed()
        completed = event["type"] in COMPLETED
        emitted += self._items.texts_over() if completed else self._items.broken_off()
        emitted.append(events.Ended(candidate.terminal, 0, declined))
        if found.usage is not None:
            emitted.append(events.UsageReported(found.usage))
        if found.extra is not None:
            emitted += self._new(found.extra.fields, response)
        restated = self._restated(response, turns) if self._kept else []
        return [*emitted, *restated, events.Completed()]

    def _restated(self, response: Object, turns: list[ir.Turn]) -> list[events.Event]:
        """Return the whole response, read anew, with what only the start had (STR-19)."""
        begun = {} if self._started is None else self._started.src
        head = {key: begun[key] for key in HEAD if response.get(key) is None and key in begun}
        output = self._items.complete(turns, response.get("status"))
        found = lower_response({**response, **head, "output": output})
        return [events.Restated(found)] if isinstance(found, ir.Response) else []

    def _without_repetition(self, error: Error, response: Object) -> None:
        """Drop the output of a failed response if events had it already."""
        if error.extra is None or not error.extra.fields:
            return
        output = response.get("output") or []
        try:
            had = isinstance(output, list) and self._items.had(read_items(output, OUTPUT))
        except Refusal:  # which is no reason to refuse the error
            return
        if had:
            error.extra.fields.pop("output", None)

    def _error(self, event: Object) -> list[events.Event]:
        found, before = lower_error(event), self._reported
        held, self._unexplained = self._unexplained, None
        self._over, self._reported = True, found
        if before is None:
            self._unrepeated = found
            return [events.Failed(found), *([] if held is None else self._failed(held))]
        differs = found.message != before.message
        return unmapped("Contradicted", {"error": event.get("error")}, event) if differs else []

    def _failed(self, event: Object) -> list[events.Event]:
        """Return a failed response; if an event had the error before, what is new or different here is reported.

        One in which nothing is an error or a refusal is held back until the next event or the end.
        """
        response = event.get("response")
        if not isinstance(response, dict):
            return self._error(event)
        try:
            again = lower_response(response)
        except Refusal:
            if response.get("error") is None:
                raise
            again = failed(response)
        reported, self._unrepeated = self._unrepeated, None
        if reported is None:
            if not isinstance(again, Error) and not refuses(read_items(response.get("output") or [], OUTPUT)):
                self._unexplained = event
                return [events.UnmappedFields("Event", ir.Extra({}), src=event)]  # findings point at it later
            return self._end(event, again)
        if not isinstance(again, Error):  # its output is a refusal, but the error that came before is what counts
            again = failed(response)
        self._without_repetition(again, response)
        differs = (again.message, again.code) != (reported.message, reported.code)
        emitted = unmapped("Contradicted", {"error": response.get("error")}, response) if differs else []
        begun = self._started.src if self._started is not None else {}
        patch = (again.extra and again.extra.fields) or {}
        new = {key: value for key, value in patch.items() if begun.get(key) != value}
        return [*emitted, *unmapped("Error", new, response)]


def with_output(response: Object) -> Object:
    """Return the response of an event; some servers leave out its output, as its items have events of their own."""
    return response if "output" in response else Respelled({**response, "output": []}, response, {})
