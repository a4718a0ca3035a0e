"""Payloads of a record as a reader sees them: JSON, the events of a stream, or text.

Rule: nothing here raises for a payload, whatever its bytes are.
"""

from __future__ import annotations

import json
from typing import Any

from ..api import Kind, lower
from ..framing import JSON_ARRAY
from ..ir.response import Response
from ..protocol.detection import holds_stream
from ..protocol.registry import framing_of
from ..reporting.diagnostics import TranslationError
from ..streaming.whole import folded
from .records import Record

Json = Any


def read(payload: bytes, protocol: str) -> tuple[Json, str]:
    """Return JSON, a list of events or a text, and a sentence about what is wrong with it, if anything is."""
    framing = framing_of(protocol)
    if not holds_stream(framing, payload):
        try:
            return json.loads(payload), ""
        except (ValueError, RecursionError):
            return payload.decode("utf-8", "replace"), "This is not JSON." if payload.strip() else "This is empty."
    events: list[Json] = []
    decoder = framing.decoder()
    try:
        events += decoder.feed(payload)
        events += decoder.close()
    except TranslationError as error:
        return events, f"The stream breaks off after {len(events)} events: {error}"
    return events, ""


def is_stream(payload: bytes | None, protocol: str) -> bool:
    """Return whether a payload is a stream of the protocol."""
    return payload is not None and (JSON_ARRAY.begins(payload) or holds_stream(framing_of(protocol), payload))


def side_of(record: Record, name: str) -> str:
    """Return the protocol of a payload of the record, by the payload's name."""
    return record.provider if name.startswith("upstream_") else record.client


def kind_of_response(record: Record) -> Kind:
    if record.upstream_status is not None and record.upstream_status >= 400:
        return "error"
    return "stream" if is_stream(record.upstream_response, record.provider) else "response"


def fold_stream(stream: bytes, protocol: str) -> Json:
    """Return the whole response that a stream makes, or None if it breaks off or fails."""
    try:
        return folded(read(stream, protocol)[0], protocol)
    except TranslationError:
        return None


def response_in(data: bytes, protocol: str) -> Response | None:
    """Return the response that a payload is, or that its stream makes; None if it is cut, or another endpoint's."""
    try:
        whole = fold_stream(data, protocol) if is_stream(data, protocol) else read(data, protocol)[0]
        found = lower(whole, protocol, kind="response")
    except (TranslationError, ValueError, TypeError, AttributeError, RecursionError):
        return None
    return found if isinstance(found, Response) else None


def failure(status: int, data: bytes, protocol: str) -> str:
    """Return a sentence that the provider failed, with the provider's own message."""
    try:
        message = lower(data, protocol, kind="error").message
    except TranslationError:
        message = ""
    return f"The provider failed with status {status}{f': {message}' if message else '.'}"
