"""Which requests are turns of one session: those of one client with the same first message of the user's.

Rule: what marks a session is in the request, since clients have no common name for it; of the message only its texts
count, since clients move cache markers from one turn to the next.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from ..exchange.memory import Memory, Recollection, Unavailable, digest, first_reference
from ..protocol.registry import frontend
from .records import Record

Json = Any
TEXTS = ("text", "content")
"""The members that hold texts of messages, in all protocols."""


def session_of(record: Record, memory: Memory) -> str | None:
    """The name of the session; None for what is no turn of any: its payload was not kept, or has no message."""
    try:
        request = orjson.loads(record.request or b"")
        references = frontend(record.client).memory
        if references and first_reference(references, request):
            request = Recollection(references, memory, record.owner).recall(request)[0]
        lists = [references.items(request)] if references else request.values()
        first = next((one for items in lists if isinstance(items, list) for one in items if is_of_user(one)), None)
        name = digest([record.owner, record.client, list(texts(first)) or first]) if first else None
    except (ValueError, TypeError, AttributeError, RecursionError, Unavailable):  # a request that is none
        return None
    return name and name[:16]


def is_of_user(item: Json) -> bool:
    return isinstance(item, dict) and item.get("role") == "user"


def texts(item: Json) -> Iterator[str]:
    if isinstance(item, dict):
        yield from (item[name] for name in TEXTS if isinstance(item.get(name), str))
    for value in item if isinstance(item, list) else item.values() if isinstance(item, dict) else ():
        yield from texts(value)
