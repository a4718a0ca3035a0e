"""What the chunks of a stream have besides its content, put together as members of the whole response (STR-19).

Rule: as the official client does it, but a value that is sent again replaces the one before. Only text that grows is
joined: that of reasoning.
"""

from __future__ import annotations

from typing import Any

from proxai_ir.ir.node import Extra
from proxai_ir.streaming import events
from proxai_ir.wire import openai_chat_completions as wire

from .._lib.reading import Object
from .reasoning import DETAILS, MEMBERS

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
                    if key not in CONTENT and value not in EMPTY:
                        _put(self._found.setdefault((OF[one.about], one.index), {}), key, value)

    def take(self) -> list[events.Event]:
        """All that was found, for the whole response."""
        found, self._found = self._found, {}
        return [events.UnmappedFields(about, Extra(members), index) for (about, index), members in found.items()]


def _put(members: Object, key: str, value: Any) -> None:
    if key in MEMBERS and isinstance(value, str):
        members[key] = members.get(key, "") + value
    elif isinstance(value, list) and all(isinstance(one, dict) and type(one.get("index")) is int for one in value):
        known = {one["index"]: one for one in members.setdefault(key, [])}
        for one in value:
            if one["index"] not in known:
                members[key].append(known.setdefault(one["index"], {**one}))
            else:
                _extend(known[one["index"]], one, key == DETAILS)
    elif isinstance(value, dict) and isinstance(members.get(key), dict):
        members[key] = {**members[key], **value}
    else:
        members[key] = value


def _extend(entry: Object, more: Object, grows: bool) -> None:
    for key, value in more.items():
        before = entry.get(key)
        joins = grows and key in GROWING and isinstance(before, str) and isinstance(value, str)
        if value is not None:
            entry[key] = before + value if joins else value
