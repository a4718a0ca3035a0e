"""What a sample is, and what the folder of a protocol offers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

import orjson
from attrs import define, field, frozen
from hypothesis import strategies as st

Json = dict[str, Any]
Events = list[Any]
Payloads = dict[str, Json]
Streams = dict[str, Events]
Strategy = st.SearchStrategy[Any]


@frozen
class Sample:
    """One payload by hand. `dense`: as many members as fit, to be changed one by one; else a believable example."""

    protocol: str
    kind: str
    name: str
    dense: bool
    payload: Any

    @property
    def own(self) -> bool:
        """Whether it holds what no other protocol can express, or what is not documented."""
        return self.name.startswith("own")

    def make(self) -> Any:
        """A new copy, in which no object stands at two places."""
        return orjson.loads(orjson.dumps(self.payload))

    def __str__(self) -> str:
        return f"{self.protocol} {self.kind}: {self.name}"


def arguments(text: str) -> Any:
    """What the arguments of a call mean. Text that is no JSON stays text, as between protocols that both have text."""
    try:
        return json.loads(text or "{}")
    except ValueError:
        return text


@define
class Conversation:
    """What every protocol can express in a request: the texts of each speaker, calls and results, each in order."""

    model: str | None
    system: list[str] = field(factory=list)
    user: list[str] = field(factory=list)
    assistant: list[str] = field(factory=list)
    calls: list[tuple[str, str, Any]] = field(factory=list)
    results: list[tuple[str, list[str]]] = field(factory=list)

    def add_texts(self, role: str, texts: list[str]) -> None:
        """Empty texts mean nothing; whoever is neither user nor assistant gives instructions."""
        speaker = {"user": self.user, "assistant": self.assistant}.get(role, self.system)
        speaker += [text for text in texts if text]


class Reading(Protocol):
    """Sound payloads of one protocol, read by its documentation and not by the library; a module will do.

    conversation  of a request
    summary       of a response: text, thinking, refusal, calls, ending, usage and what else it has, as values that
                  can be compared with another summary of the same protocol
    message       of an error body
    whole         the response that the events of a stream add up to
    is_error      whether an event is the protocol's own error event
    is_end        whether an event is the one that ends a complete stream
    is_final      whether a client expects no more after an event
    is_complete   whether a stream that may have been cut off came to an end of its own (STR-2)

    Whatever is not as documented raises.
    """

    def conversation(self, request: Json, /) -> Conversation: ...
    def summary(self, response: Json, /) -> Json: ...
    def message(self, error: Json, /) -> str: ...
    def whole(self, events: Events, /) -> Json: ...
    def is_error(self, event: Any, /) -> bool: ...
    def is_end(self, event: Any, /) -> bool: ...
    def is_final(self, event: Any, /) -> bool: ...
    def is_complete(self, events: Events, /) -> bool: ...


@frozen(kw_only=True)
class Samples:
    """What the folder of a protocol offers; see the package's docstring."""

    examples: Mapping[str, Mapping[str, Any]]
    dense: Mapping[str, Mapping[str, Any]]
    strategies: Mapping[str, Strategy]
    reading: Reading
    illegal: Mapping[str, tuple[Events, str]] = {}
    endless: Mapping[str, Callable[[], Iterator[Any]]] = {}
    growing: Mapping[str, Callable[[int], Events]] = {}
    repeats: bool = False

    def of(self, protocol: str) -> list[Sample]:
        """All samples, each with its protocol, kind and name."""
        return [
            Sample(protocol, kind, name, dense, payload)
            for dense, kinds in ((False, self.examples), (True, self.dense))
            for kind, payloads in kinds.items()
            for name, payload in payloads.items()
        ]
