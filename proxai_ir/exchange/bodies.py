"""What a body is: a client's request, in bytes or as objects of its SDK; and a provider's response where it is not what
was asked for: some servers stream unasked, or not at all, and some send errors with the status of success.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import Any

import orjson
from attrs import evolve

from ..binding.profile import Profile
from ..binding.registry import frontend
from ..framing import BLANK, Framing
from ..ir.error import Error, ErrorCategory, stands_for_error
from ..json.bytes import BINARY, dumped, parsed
from ..json.objects import as_payload
from ..reporting.diagnostics import InvalidPayload, Refusal, StreamError, TranslationError, Unrepresentable, render
from ..rules.verdicts import Target


def request_of(body: Any, client: str | Profile) -> dict[str, Any]:
    """A client's request. Raises InvalidPayload, and TypeError for what is no payload."""
    if isinstance(body, dict):
        return body
    made = parsed(body) if isinstance(body, BINARY) else as_payload(body, "request", frontend(client).client_only)
    if not isinstance(made, dict):
        raise InvalidPayload(render([("SHP-1", None, "expected an object as the request")], made, refused=True))
    return made


def media_type(headers: Mapping[str, str]) -> str:
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def is_stream(framing: Framing, headers: Mapping[str, str], data: bytes) -> bool:
    """Whether a whole body is a stream; those of providers that do not state the type are known by how they begin."""
    return media_type(headers) == framing.content_type or holds_stream(framing, data)


def holds_stream(framing: Framing, data: bytes) -> bool:
    """Whether whole bytes are a stream and not one JSON value, as which some framings begin, too."""
    if not framing.begins(data):
        return False
    try:
        orjson.loads(data)
    except orjson.JSONDecodeError:
        return True
    return False


def is_json(headers: Mapping[str, str]) -> bool:
    """Whether what comes in place of a stream is one JSON value."""
    kind = media_type(headers)
    return kind == "application/json" or kind.endswith("+json")


def text_in_place(data: bytes) -> str | None:
    """The text that takes the place of a response: a page or a line of a gateway, which no JSON begins like."""
    if data.lstrip(BLANK)[:1] in (b"", b"{", b"["):
        return None
    try:
        found = parsed(data, "error")
    except InvalidPayload:
        return None
    return found if isinstance(found, str) else None


def is_error(data: bytes, provider: str | Profile) -> bool:
    """Whether the body of a status of success is an error (ERR-10)."""
    if text_in_place(data) is not None:
        return True
    try:
        payload = parsed(data)
    except TranslationError:
        return False
    try:
        return frontend(provider).detect(payload) == "error"
    except Refusal:
        return isinstance(payload, dict) and stands_for_error(payload)


def first_event(framing: Framing, data: bytes) -> bytes:
    """The body of an error that came as an event of a stream; the same bytes where it did not."""
    if not holds_stream(framing, data):
        return data
    try:
        found = next((event for event in framing.decode([data]) if isinstance(event, dict)), None)
    except StreamError:
        found = None
    return data if found is None else orjson.dumps(found)


def with_delay(headers: Mapping[str, str], delay: float | None) -> Mapping[str, str]:
    """The headers with the time to wait before the next attempt, for providers that have it in the body of an error."""
    return headers if delay is None or "retry-after" in headers else {**headers, "retry-after": f"{ceil(delay)}"}


def without_arriving(error: Error, target: Target, headers: Mapping[str, str]) -> Error:
    """The error without what has no place in the client's body and reaches it outside: by these headers, and by the
    status, which says what kind of error it is. So nothing of it is named as dropped."""
    arrives = {
        "retry_after": "retry-after" in headers,
        "request_id": error.request_id in headers.values(),
        "type": error.category is not ErrorCategory.UNKNOWN,
    }
    gone: dict[str, Any] = {name: None for name, there in arrives.items() if there and target.drops(Error, name)}
    return evolve(error, **gone) if gone else error


def in_bytes(made: Any) -> bytes:
    """Raises Unrepresentable (SHP-7) for what JSON cannot hold."""
    try:
        return dumped(made)
    except Refusal as refusal:
        raise Unrepresentable(refusal.taken(None)) from None
