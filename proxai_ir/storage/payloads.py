"""Payloads that a record keeps, as a reader sees them: JSON, the events of a stream, or text.

Rule: whatever bytes a payload is, there is something to show; nothing here raises for it. To see what an exchange would
lose with another target, its request is converted as a gateway converts it, from its client; of the response there is
only what the provider sent, which is converted to what a client of the target would get.
"""

from __future__ import annotations

import json
from typing import Any

from ..api import Kind, check, lower
from ..conversion.profile import Profile
from ..exchange import Exchange, Memory
from ..framing import JSON_ARRAY, Framing
from ..protocol.detection import holds_stream
from ..protocol.registry import backend, framing_of
from ..reporting.diagnostics import Diagnostic, TranslationError
from ..streaming.whole import folded
from ..targets.settings import in_proxies
from .records import Record

Json = Any


def read(payload: bytes, protocol: str) -> tuple[Json, str]:
    """JSON, the list of a stream's events, or text; and a sentence where it is not all that it should be."""
    framing = framing_of(protocol)
    if holds_stream(framing, payload):
        return _events(framing, payload)
    try:
        return json.loads(payload), ""
    except (ValueError, RecursionError):
        return payload.decode("utf-8", "replace"), "This is not JSON." if payload.strip() else "This is empty."


def is_stream(payload: bytes | None, protocol: str) -> bool:
    """Return whether this is a stream of the protocol."""
    return payload is not None and (JSON_ARRAY.begins(payload) or holds_stream(framing_of(protocol), payload))


def side_of(record: Record, name: str) -> str:
    """Return the protocol of the payload with this name."""
    return record.provider if name.startswith("upstream_") else record.client


def kind_of_response(record: Record) -> Kind:
    """What the provider's response is."""
    if record.upstream_status is not None and record.upstream_status >= 400:
        return "error"
    return "stream" if is_stream(record.upstream_response, record.provider) else "response"


def whole_of(stream: bytes, protocol: str) -> Json:
    """Return the whole response that a stream makes; None of one that breaks off or fails."""
    try:
        return folded(read(stream, protocol)[0], protocol)
    except TranslationError:
        return None


def failure(status: int, data: bytes, protocol: str) -> str:
    """That a provider failed, with its own words of why."""
    try:
        said = lower(data, protocol, kind="error").message
    except TranslationError:
        said = ""
    return f"The provider failed with status {status}{f': {said}' if said else '.'}"


def _events(framing: Framing, payload: bytes) -> tuple[Json, str]:
    events: list[Json] = []
    decoder = framing.decoder()
    try:
        events += decoder.feed(payload)
        events += decoder.close()
    except TranslationError as error:
        return events, f"The stream breaks off after {len(events)} events: {error}"
    return events, ""


def request_again(record: Record, to: str | Profile, memory: Memory | None = None) -> tuple[Diagnostic, ...]:
    """What would be reported of the request; with the memory, of what it refers to as well."""
    if record.request is None:
        return ()
    exchange = Exchange(record.client, to, memory=memory, owner=record.owner, now=record.started)
    try:
        return exchange.request(record.request, {}, path=record.path).diagnostics
    except TranslationError as error:
        return error.diagnostics


def response_again(record: Record, to: str | Profile) -> tuple[Diagnostic, ...]:
    """What would be reported of the provider's response."""
    if record.upstream_response is None:
        return ()
    options: Any = {"carry_seals": True, **in_proxies(backend(to).target.settings)}
    kind = kind_of_response(record)
    return check(record.upstream_response, record.provider, to, kind=kind, **options)
