"""Passes of responses that run over each part: as a whole, or as it opens, grows and closes on a stream.

Rule: a pass is written once. Most need no more of a part than what it opens with, or all of it; those that follow its
growth state both ways next to each other.

What the response's conversion needs to know of the request's tools and calls is the option `state`, plain JSON:

| member | what it holds |
| --- | --- |
| `custom_tools` | the names of the custom tools, sent as such or as functions (TUL-19) |
| `tool_names` | the source's name of a tool, by the name that was sent (TUL-25, TUL-26) |
| `namespaces` | the source's namespace of a tool, by the name that was sent (TUL-25) |
| `client_tools` | the kind of the client's tool, by the name of the function that it was sent as (TUL-37) |
| `call_ids` | the ids of the calls in the history, as the source has them (TUL-46) |
| `wrapped_output` | the property that holds the text, where the output is an object in place of an enum (OUT-13) |
| `stop_sequences` | the stop sequences that were not sent, at which the response is cut (SMP-13) |
| `instead` | what the response is to be in place of a turn: "summary" (PLC-64), or "nothing" (CAC-8) |

All names are those that were sent. An empty member is absent.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping
from copy import copy
from typing import Any

from ..ir.parts import Part
from ..ir.response import Candidate, Response
from ..ir.stream import events


class PartStage(ABC):
    """One such pass, for one response."""

    reads_texts = False
    """Whether it follows the growth of texts, so that no event with more of one may go past it."""

    @abstractmethod
    def whole(self, part: Any, candidate: Candidate, /) -> Iterable[Part]:
        """Return what a complete part becomes."""

    @abstractmethod
    def __call__(self, event: events.Event, /) -> Iterable[events.Event]:
        """Return what an event of a stream becomes."""

    def run(self, found: list[events.Event], /) -> list[events.Event]:
        """Return what events of a stream become: it is a stage of the stream."""
        made: list[events.Event] = []
        for event in found:
            made += self(event)
        return made


def run_over(response: Response, stages: Iterable[PartStage]) -> None:
    """Run stages over the parts of a whole response."""
    for stage in stages:
        for candidate in response.candidates:
            for turn in candidate.turns:
                turn.parts[:] = [made for part in turn.parts for made in stage.whole(part, candidate)]


Change = Callable[[Any], Part]
"""A function that returns what a part becomes: itself, or another one. It changes no part that it is given."""


class OnOpening(PartStage):
    """A pass that needs what a part opens with."""

    def __init__(self, change: Change) -> None:
        self._change = change

    def whole(self, part: Any, _: Candidate, /) -> Iterable[Part]:
        return (self._change(part),)

    def __call__(self, event: events.Event, /) -> Iterable[events.Event]:
        if isinstance(event, events.PartOpened):
            return (events.PartOpened(event.index, self._change(event.part), event.candidate, event.item),)
        return (event,)


class OnClosing(PartStage):
    """A pass that needs all of certain calls, which wait on a stream until they close."""

    def __init__(self, concerns: Callable[[Any], bool], change: Change, begun: Callable[[Any], str]) -> None:
        self._concerns, self._change, self._begun = concerns, change, begun
        self._open: dict[int, tuple[events.PartOpened, list[str]]] = {}

    def whole(self, part: Any, _: Candidate, /) -> Iterable[Part]:
        return (self._change(part) if self._concerns(part) else part,)

    def __call__(self, event: events.Event, /) -> Iterable[events.Event]:
        if isinstance(event, events.PartOpened) and self._concerns(event.part):
            self._open[event.index] = (event, [self._begun(event.part)])
            return ()
        if isinstance(event, events.PartGrew) and event.index in self._open:
            self._open[event.index][1].append(event.text)
            return ()
        if isinstance(event, events.PartClosed) and event.index in self._open:
            opened, pieces = self._open.pop(event.index)
            call: Any = copy(opened.part)
            call.arguments = "".join(pieces)
            return (events.PartOpened(event.index, self._change(call), opened.candidate, opened.item), event)
        return (event,)


CUSTOM_TOOLS = "custom_tools"
TOOL_NAMES = "tool_names"
NAMESPACES = "namespaces"
CLIENT_TOOLS = "client_tools"
CALL_IDS = "call_ids"
WRAPPED_OUTPUT = "wrapped_output"
KEPT_STOPS = "stop_sequences"
INSTEAD = "instead"
IN_PLACE_OF_A_TURN = SUMMARY, NOTHING = "summary", "nothing"

LISTS = (CUSTOM_TOOLS, CALL_IDS, WRAPPED_OUTPUT, KEPT_STOPS)
MAPPINGS = (TOOL_NAMES, NAMESPACES, CLIENT_TOOLS)


def is_sound(state: Any) -> bool:
    """Return whether a value is a sound `state`."""
    if not isinstance(state, Mapping) or not set(state) <= {*LISTS, *MAPPINGS, INSTEAD}:
        return False
    if state.get(INSTEAD, SUMMARY) not in IN_PLACE_OF_A_TURN:
        return False
    lists = [state[name] for name in LISTS if name in state]
    mappings = [state[name] for name in MAPPINGS if name in state]
    return all(isinstance(one, (list, tuple)) and _texts(one) for one in lists) and all(
        isinstance(one, Mapping) and _texts(one) and _texts(one.values()) for one in mappings
    )


def _texts(values: Collection[Any] | Any) -> bool:
    return all(isinstance(one, str) for one in values)


def undoes(options: Mapping[str, Any]) -> bool:
    """Return whether the caller's state requires changes of a response beyond the ids of calls."""
    return not (options.get("state") or {}).keys() <= {CALL_IDS}


def names_of(options: Mapping[str, Any], member: str) -> Mapping[str, str]:
    """Return one of the mappings, empty where the caller has none."""
    found: Mapping[str, str] = (options.get("state") or {}).get(member) or {}
    return found


def ids_of(options: Mapping[str, Any]) -> Collection[str]:
    """Return the ids of the calls in the history, none where the caller has no state."""
    found: Collection[str] = (options.get("state") or {}).get(CALL_IDS) or ()
    return found
