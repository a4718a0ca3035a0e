"""Payloads of a record as a reader sees them: JSON, the events of a stream, or text.

Rule: nothing here raises for a payload, whatever its bytes are. To see what an exchange would lose with another target,
its request is converted as a gateway does it, from its client; of the response there is only what the provider sent,
which is converted to what a client of the target would get.
"""

from __future__ import annotations

import json
from typing import Any

from ..api import Kind, check, lower
from ..conversion.profile import Profile
from ..exchange import Exchange, Memory
from ..framing import JSON_ARRAY
from ..ir.envelope import Seals
from ..protocol.detection import holds_stream
from ..protocol.registry import backend, framing_of
from ..reporting.diagnostics import Diagnostic, TranslationError
from ..streaming.whole import folded
from ..targets.settings import in_proxies
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


def failure(status: int, data: bytes, protocol: str) -> str:
    """Return a sentence that the provider failed, with the provider's own message."""
    try:
        message = lower(data, protocol, kind="error").message
    except TranslationError:
        message = ""
    return f"The provider failed with status {status}{f': {message}' if message else '.'}"


def request_again(record: Record, to: str | Profile, memory: Memory | None = None) -> tuple[Diagnostic, ...]:
    """Return the diagnostics of the request towards another target; the memory has the history it refers to."""
    if record.request is None:
        return ()
    exchange = Exchange(record.client, to, memory=memory, owner=record.owner, now=record.started)
    try:
        return exchange.request(record.request, {}, path=record.path).diagnostics
    except TranslationError as error:
        return error.diagnostics


def response_again(record: Record, to: str | Profile) -> tuple[Diagnostic, ...]:
    """Return the diagnostics of the provider's response towards another target."""
    if record.upstream_response is None:
        return ()
    options: Any = {"seals": Seals(), **in_proxies(backend(to).target.settings)}
    kind = kind_of_response(record)
    return check(record.upstream_response, record.provider, to, kind=kind, **options)
