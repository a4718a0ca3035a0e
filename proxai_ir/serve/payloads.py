"""Payloads that a record keeps, as a reader sees them: JSON, the events of a stream, or text.

Rule: whatever bytes a payload is, there is something to show; nothing here raises for it.
"""

from __future__ import annotations

import json
from typing import Any

from ..api import Kind
from ..framing import sse
from ..reporting.diagnostics import TranslationError
from .records import Record

Json = Any
SERVER_SENT = (b"data:", b"event:", b":", b"id:", b"retry:")
"""How server-sent events begin."""


def read(payload: bytes) -> tuple[Json, str]:
    """JSON, the list of a stream's events, or text; and a sentence where it is not all that it should be."""
    if is_stream(payload):
        return _events(payload)
    try:
        return json.loads(payload), ""
    except (ValueError, RecursionError):
        return payload.decode("utf-8", "replace"), "This is not JSON." if payload.strip() else "This is empty."


def is_stream(payload: bytes | None) -> bool:
    """Whether these are server-sent events."""
    return payload is not None and payload.lstrip().startswith(SERVER_SENT)


def kind_of_response(record: Record) -> Kind:
    """What the provider's response is."""
    if record.upstream_status is not None and record.upstream_status >= 400:
        return "error"
    return "stream" if is_stream(record.upstream_response) else "response"


def _events(payload: bytes) -> tuple[Json, str]:
    events: list[Json] = []
    decoder = sse.Decoder()
    try:
        events += decoder.feed(payload)
        events += decoder.close()
    except TranslationError as error:
        return events, f"The stream breaks off after {len(events)} events: {error}"
    return events, ""
