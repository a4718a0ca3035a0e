"""What the chunks of a stream have besides its content, put together as members of the whole response (STR-19).

Rule: as the official client does it, but a value that is sent again replaces the one before. Only text that grows is
joined: that of reasoning.
"""

from __future__ import annotations

from typing import Any

from proxai_ir.ir.node import Extra
from proxai_ir.ir.stream import events
from proxai_ir.wire import openai_chat_completions as wire

from .._lib.reading import Object
from .reasoning import DETAILS, MEMBERS, OTHER_NAMES

OF = {"Delta": "Turn", "Choice": "Candidate", "Chunk": "Response", "Apart": "Response"}
"""What of the whole response the members of these parts of a chunk belong to."""
CONTENT = frozenset(
    """
    id object created model choices usage index role content refusal tool_calls function_call audio delta message
    finish_reason logprobs
    """.split()
) | {wire.PADDING}
"""Members that events have, or that mean something in chunks alone."""
EMPTY: tuple[Any, ...] = (None, "", [])
GROWING = ("text", "summary", "data", "signature")
"""The members of a reasoning detail that come in pieces."""


class Members:
    def __init__(self) -> None:
        self._found: dict[tuple[str, int], Object] = {}

    def add(self, found: list[events.Event]) -> None:
        """Note the unmapped members among the events of one chunk."""
        for one in found:
            if isinstance(one, events.UnmappedFields) and one.about in OF:
                for key, value in (one.extra.fields or {}).items():
                    if key not in CONTENT and key not in OTHER_NAMES and value not in EMPTY:
                        _put(self._found.setdefault((OF[one.about], one.index), {}), key, value)

    def named(self, number: int, delta: Any) -> None:
        """Note reasoning that has another name than canonical output gives it; clients look for it under that."""
        for name in OTHER_NAMES if isinstance(delta, dict) else ():
            text = delta.get(name)
            if isinstance(text, str) and text:
                _grow(self._found.setdefault(("Turn", number), {}), name, text)

    def take(self) -> list[events.Event]:
        """All that was found, for the whole response."""
        found, self._found = self._found, {}
        return [
            events.UnmappedFields(about, Extra({key: _whole(value) for key, value in members.items()}), index)
            for (about, index), members in found.items()
        ]


class Pieces(list[str]):
    """A text that grows."""


class Entries(dict[int, Object]):
    """The entries of a list, by the index that each has."""


def _put(members: Object, key: str, value: Any) -> None:
    """Add a value, at a cost that does not grow with what is there."""
    before = members.get(key)
    if key in MEMBERS and isinstance(value, str):
        _grow(members, key, value)
    elif isinstance(value, list) and all(isinstance(one, dict) and type(one.get("index")) is int for one in value):
        entries = before if isinstance(before, Entries) else Entries()
        members[key] = entries
        for one in value:
            _extend(entries.setdefault(one["index"], {}), one, key == DETAILS)
    elif isinstance(value, dict):
        members[key] = {**(before if isinstance(before, dict) else {}), **value}
    else:
        members[key] = value


def _extend(entry: Object, more: Object, grows: bool) -> None:
    for key, value in more.items():
        if grows and key in GROWING and isinstance(value, str):
            _grow(entry, key, value)
        elif value is not None or key not in entry:
            entry[key] = value


def _grow(holder: Object, key: str, text: str) -> None:
    before = holder.get(key)
    if isinstance(before, Pieces):
        before.append(text)
    else:
        holder[key] = Pieces((text,))


def _whole(value: Any) -> Any:
    """What was put together, as JSON."""
    if isinstance(value, Pieces):
        return "".join(value)
    if isinstance(value, Entries):
        return [{key: _whole(one) for key, one in entry.items()} for entry in value.values()]
    return value
