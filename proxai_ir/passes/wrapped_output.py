"""Output that is one word of an enum, for targets that have no such output: an object with one property (OUT-13).

What holds the word is in `state`; with it the way back takes the word out again. Rule: text that is no such object, as
that of a response which was cut off, arrives as it is (OUT-14).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from typing import Any

import orjson

from ..ir.parts import Part, Text
from ..ir.request import EnumFormat, Request, SchemaFormat
from ..ir.response import Candidate
from ..ir.stream import events
from ..reporting.report import Report
from ..rules.constraints import Constraints
from ..rules.verdicts import Target
from .custom_inputs import DEFAULT_LIMIT
from .stages import WRAPPED_OUTPUT, Stage

PROPERTY = "value"


def wrap(root: Request, target: Target, report: Report, _: Mapping[str, Any]) -> None:
    """Ask for an object in place of a word, where the target has no output of that kind."""
    output = root.output
    if output is None or type(output.format) is not EnumFormat:
        return
    if target.places["request"]["format"][EnumFormat][0].word == "ok":
        return
    report.at("OUT-13", output, "format")
    wanted = {
        "type": "object",
        "properties": {PROPERTY: {"type": "string", **output.format.schema}},
        "required": [PROPERTY],
        "additionalProperties": False,
    }
    output.format = SchemaFormat(wanted, strict=True, src=output.format.src)
    report.state[WRAPPED_OUTPUT] = [PROPERTY]


def unwrap(_: Constraints, report: Report, options: Mapping[str, Any]) -> list[Stage]:
    """Take the word out of the object that `state` says it is in."""
    names = (options.get("state") or {}).get(WRAPPED_OUTPUT)
    return [_Unwrapping(names[0], report, options.get("buffer_limit", DEFAULT_LIMIT))] if names else []


class _Unwrapping:
    """Takes the word out of each text. On a stream a text waits until it is complete, unless it is too long for a word.

    open  the texts that grow, by index, with what opened them
    """

    def __init__(self, name: str, report: Report, limit: int) -> None:
        self._name, self._report, self._limit = name, report, limit
        self._open: dict[int, tuple[events.PartOpened, list[str]]] = {}

    def whole(self, part: Part, _: Candidate, /) -> Iterable[Part]:
        return (self._unwrapped(part, part.text) if type(part) is Text else part,)

    def __call__(self, event: events.Event, /) -> Iterable[events.Event]:
        if isinstance(event, events.PartOpened) and type(event.part) is Text:
            self._open[event.index] = (event, [event.part.text])
            return ()
        if isinstance(event, events.PartGrew) and event.index in self._open:
            pieces = self._open[event.index][1]
            pieces.append(event.text)
            return self._opened(event.index) if sum(map(len, pieces)) > self._limit else ()
        if isinstance(event, events.PartClosed) and event.index in self._open:
            return (*self._opened(event.index), event)
        return (event,)

    def _opened(self, index: int) -> Iterable[events.Event]:
        opened, pieces = self._open.pop(index)
        return (events.PartOpened(index, self._unwrapped(opened.part, "".join(pieces)), opened.candidate, opened.item),)

    def _unwrapped(self, part: Any, text: str) -> Part:
        made: Text = copy(part)
        word = _word(text, self._name)
        if word is None and text:
            self._report.at("OUT-14", part)
        made.text = text if word is None else word
        return made


def _word(text: str, name: str) -> str | None:
    try:
        found = orjson.loads(text)
    except ValueError:
        return None
    word = found.get(name) if isinstance(found, dict) and len(found) == 1 else None
    return word if isinstance(word, str) else None
