"""The meaning of payloads, read independently of conversions: by a module that follows the protocol's documentation,
or else by the library's own frontend.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Protocol

from attrs import define, evolve, field

from .. import TranslationError, lower, raise_to
from ..ir.error import Error
from ..ir.parts import CALLS, CustomCall, FunctionCall, Reasoning, Refusal, Text, ToolResult
from ..ir.request import Request, Role
from ..ir.response import Response, StopReason
from ..ir.stream.aggregate import fold
from ..ir.stream.events import Completed, Ended, Event, Failed, Stream
from ..streaming.lowering import LoweredStream

Json = dict[str, Any]
Events = list[Any]


def arguments(text: str) -> Any:
    """Return the value of the arguments of a call; text that is no JSON stays text."""
    try:
        return json.loads(text or "{}")
    except ValueError:
        return text


@define
class Conversation:
    """The content that every protocol can express in a request: texts of each speaker, calls and results, in order."""

    model: str | None
    system: list[str] = field(factory=list)
    user: list[str] = field(factory=list)
    assistant: list[str] = field(factory=list)
    calls: list[tuple[str, str, Any]] = field(factory=list)
    results: list[tuple[str, list[str]]] = field(factory=list)

    def add_texts(self, role: str, texts: list[str]) -> None:
        """Add the texts of a role that are not empty; other roles than user and assistant give instructions."""
        speaker = {"user": self.user, "assistant": self.assistant}.get(role, self.system)
        speaker += [text for text in texts if text]

    def joined(self, messages: bool = False) -> Conversation:
        """Return a conversation with one text for each result, for targets that have one there (PLC-8).

        With `messages` each speaker has one text too, without the line breaks that those targets put between texts.
        """
        results = [(identity, ["\n".join(texts)]) for identity, texts in self.results]
        if not messages:
            return evolve(self, results=results)
        system, user, assistant = (
            ["".join(texts).replace("\n", "")] for texts in (self.system, self.user, self.assistant)
        )
        return evolve(self, results=results, system=system, user=user, assistant=assistant)


class Reading(Protocol):
    """Reads sound payloads of one protocol by its documentation, without the library; a module will do.

    conversation  the content of a request
    summary       the content of a response: text, thinking, refusal, calls, ending, usage and so on, as values that can
                  be compared with another summary of the same protocol
    message       the message of an error body
    whole         the response that the events of a stream add up to
    outcomes      a word for each event of a stream: "error" for the protocol's own error events, "end" for the one that
                  ends a complete stream, "final" for another after which a client expects no more, else ""
    is_complete   whether a stream that may have been cut off reached its own end (STR-2)

    Each raises an exception if the payload is not as documented.
    """

    def conversation(self, request: Json, /) -> Conversation: ...
    def summary(self, response: Json, /) -> Json: ...
    def message(self, error: Json, /) -> str: ...
    def whole(self, events: Events, /) -> Json: ...
    def outcomes(self, events: Events, /) -> list[str]: ...
    def is_complete(self, events: Events, /) -> bool: ...


Readings = Mapping[str, Reading]


class LibraryReading:
    """Reads payloads of any protocol by its own frontend.

    Calls are numbered instead of named by their ids, which not every protocol has.
    """

    def __init__(self, protocol: str) -> None:
        self.protocol = protocol

    def conversation(self, request: Json, /) -> Conversation:
        root = lower(request, self.protocol, kind="request")
        assert isinstance(root, Request)
        found = Conversation(root.model)
        numbers: dict[str, str] = {}
        for turn in root.turns or ():
            joined = "".join(part.text for part in turn.parts if isinstance(part, Text))
            found.add_texts(turn.role.value if turn.role in (Role.USER, Role.ASSISTANT) else "system", [joined])
            for part in turn.parts:
                if isinstance(part, CALLS):
                    number = numbers[part.id or ""] = str(len(found.calls))
                    found.calls.append((number, *_call(part)))
                elif isinstance(part, ToolResult):
                    texts = [inner.text for inner in part.parts if isinstance(inner, Text) and inner.text]
                    found.results.append((numbers.get(part.call_id or "", "unknown"), texts))
        found.results.sort(key=lambda result: result[0])
        return found

    def summary(self, response: Json, /) -> Json:
        root = lower(response, self.protocol, kind="response")
        assert isinstance(root, Response)
        (candidate,) = root.candidates
        usage = root.usage
        parts = candidate.parts
        return {
            "text": "".join(part.text for part in parts if isinstance(part, Text)),
            "thinking": "".join(part.text or "" for part in parts if isinstance(part, Reasoning)),
            "refusal": "".join(part.text for part in parts if isinstance(part, Refusal)),
            "citations": sum(len(part.citations or ()) for part in parts if isinstance(part, Text)),
            "calls": [_call(part) for part in parts if isinstance(part, CALLS)],
            "ending": candidate.terminal.reason,
            "usage": None
            if usage is None or usage.input is usage.output is None
            else (usage.all_input, usage.all_output),
        }

    def message(self, error: Json, /) -> str:
        root = lower(error, self.protocol, kind="error")
        assert isinstance(root, Error)
        return root.message

    def whole(self, events: Events, /) -> Json:
        stream = lower(events, self.protocol, kind="stream")
        assert isinstance(stream, Stream)
        found = [event for step in (*stream.steps, stream.ending) for event in step]
        whole: Json = raise_to(fold(found), self.protocol)
        return whole

    def outcomes(self, events: Events, /) -> list[str]:
        """Return "error" from a failure on, and "end" for the last event of a complete stream."""
        stream = LoweredStream(self.protocol, {})
        found = []
        completed = failed = False
        for event in events:
            step = stream.feed(event)
            assert stream.disorder is None, stream.disorder
            completed = completed or any(isinstance(one, Completed) for one in step)
            failed = failed or any(map(_fails, step))
            found.append("error" if failed else "")
        if not failed and (completed or (found and self.is_complete(events))):  # some streams end with the bytes
            found[-1] = "end"
        return found

    def is_complete(self, events: Events, /) -> bool:
        stream = LoweredStream(self.protocol, {})
        try:
            for event in events:
                stream.feed(event)
            stream.end()
        except TranslationError:
            return False
        return stream.disorder is None


def _fails(event: Event) -> bool:
    """Return whether a stream fails by this event: an error, or an ending that counts as one (FIN-8)."""
    ending = isinstance(event, Ended) and event.terminal.reason is StopReason.FAILED
    return ending or isinstance(event, Failed)


def _call(call: FunctionCall | CustomCall) -> tuple[str, Any]:
    if isinstance(call, CustomCall):
        return call.name, call.input
    return call.name, arguments(call.arguments) if isinstance(call.arguments, str) else call.arguments


def reading_of(protocol: str, readings: Readings) -> Reading:
    """Return the given reading of a protocol, else the library's."""
    return readings.get(protocol) or LibraryReading(protocol)
