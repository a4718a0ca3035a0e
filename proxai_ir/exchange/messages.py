"""Requests to send and replies, which an Exchange returns; their headers and bodies, and counts of tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from math import ceil
from typing import TYPE_CHECKING, Any

import orjson
from attrs import evolve, field, frozen

from ..conversion.bytes import BINARY, dumped, parsed
from ..conversion.profile import Profile
from ..framing import BLANK, Framing
from ..ir.error import Error, ErrorCategory
from ..ir.response import Finish
from ..json.objects import as_payload
from ..protocol.detection import holds_stream, is_error
from ..protocol.http import FACTS, LIMITED, SHARED_HEADERS, Counting, Http
from ..protocol.registry import frontend
from ..reporting.diagnostics import (
    Diagnostic,
    InvalidPayload,
    Record,
    Refusal,
    StreamError,
    TranslationError,
    Unrepresentable,
    render,
)
from ..targets.verdicts import Target

# --- messages ---------------------------------------------------------------------------------------------------------
# A request to the provider, a reply to the client, and the headers of replies.
#
# Request ids, hints when to retry and rate limits go from one protocol to another; all other response headers are
# dropped. Names are lower-case on both sides.


if TYPE_CHECKING:
    from ..profiles.facts import Fact

JSON_TYPE = {"content-type": "application/json"}


@frozen(kw_only=True)
class Upstream:
    """A request to the provider. `path` follows the base URL, `stream` says whether a stream is asked for.

    `headers` have lower-case names: the content type, the version of the API, betas, and the key if one was given.
    `why` has the rows of the table of models that decided about the request, in order.
    """

    path: str
    headers: dict[str, str]
    body: bytes
    stream: bool
    diagnostics: tuple[Diagnostic, ...] = ()
    why: tuple[Fact, ...] = ()

    @property
    def content(self) -> tuple[str, Mapping[str, str], bytes]:
        """The path, the headers and the body, which are all that the provider gets."""
        return self.path, self.headers, self.body


@frozen(kw_only=True)
class Reply:
    """A whole response to the client. `usage`: token counts by kind (USE-1), if the provider stated them; `finishes`:
    how each candidate of the provider's response ended, empty for an error."""

    status: int
    headers: dict[str, str]
    body: bytes
    diagnostics: tuple[Diagnostic, ...] = ()
    usage: dict[str, Any] | None = field(default=None)
    finishes: tuple[Finish, ...] = ()

    @property
    def finish(self) -> Finish | None:
        """The ending of the response, or of its first candidate."""
        return self.finishes[0] if self.finishes else None


DURATION = re.compile(
    r"(?:(?P<d>\d+)d)?(?:(?P<h>\d+)h)?(?:(?P<m>\d+)m(?!s))?(?:(?P<s>\d+(?:\.\d+)?)s)?(?:(?P<ms>\d+)ms)?"
)
SECONDS = {"d": 86400, "h": 3600, "m": 60, "s": 1, "ms": 0.001}


def translated(headers: Mapping[str, str], source: Http, target: Http, now: float | None) -> dict[str, str]:
    """Return the headers of a response in the names and forms of another protocol.

    now  seconds since 1970; without it a reset is dropped if the protocols have different forms of it
    """
    made = {name: headers[name] for name in SHARED_HEADERS if name in headers}
    if source.request_id and target.request_id and source.request_id in headers:
        made[target.request_id] = headers[source.request_id]
    if source.limits and target.limits:
        for what in LIMITED:
            for fact in FACTS:
                value = headers.get(source.limits.format(what=what, fact=fact))
                if value is not None and fact == "reset":
                    value = reset_as(value, source.resets, target.resets, now)
                if value is not None:
                    made[target.limits.format(what=what, fact=fact)] = value
    return made


def reset_as(value: str, source: str, target: str, now: float | None) -> str | None:
    """Return a point in time as a duration from now, or the reverse; None for a value that cannot be read."""
    if source == target:
        return value
    if now is None:
        return None
    try:
        if target == "time":
            moment = datetime.fromtimestamp(now + seconds_of(value), UTC)
            return moment.isoformat(timespec="seconds").replace("+00:00", "Z")
        return duration_of(datetime.fromisoformat(value).timestamp() - now)
    except (ValueError, OverflowError, OSError):
        return None


def seconds_of(duration: str) -> float:
    """Return the seconds of a duration like "6m0s", "1.5s" or "20ms". Raises ValueError."""
    found = DURATION.fullmatch(duration)
    if not duration or found is None:
        raise ValueError("expected a duration")
    return sum(float(count) * SECONDS[unit] for unit, count in found.groupdict().items() if count)


def duration_of(seconds: float) -> str:
    minutes, rest = divmod(max(0, round(seconds)), 60)
    return f"{minutes}m{rest}s" if minutes else f"{rest}s"


def with_text(payload: Any, path: tuple[str, ...], text: str) -> Any:
    """Return the payload with the text at a path replaced; the payload itself if there is none."""
    name, *rest = path
    found = payload.get(name) if isinstance(payload, dict) else None
    if rest:
        made = with_text(found, tuple(rest), text)
        return payload if made is found else {**payload, name: made}
    return {**payload, name: text} if isinstance(found, str) and found != text else payload


def without(payload: Any, *paths: tuple[str, ...]) -> Any:
    """Return the payload without the members at these paths, and without objects that are empty then."""
    for name, *rest in paths:
        if isinstance(payload, dict) and name in payload:
            inner = without(payload[name], tuple(rest)) if rest else {}
            others = {key: value for key, value in payload.items() if key != name}
            payload = others if inner == {} else {**payload, name: inner}
    return payload


# --- bodies -----------------------------------------------------------------------------------------------------------
# A client's request, in bytes or as objects of its SDK; and a provider's response in a form that was not asked for:
# some servers stream unasked, or do not stream at all, and some send errors with a status of success.


def request_of(body: Any, client: str | Profile) -> dict[str, Any]:
    """Return a client's request as JSON. Raises InvalidPayload, and TypeError for a value that is no payload."""
    if isinstance(body, dict):
        return body
    made = parsed(body) if isinstance(body, BINARY) else as_payload(body, "request", frontend(client).client_only)
    if not isinstance(made, dict):
        raise InvalidPayload(render([("SHP-1", None, "expected an object as the request")], made, refused=True))
    return made


def media_type(headers: Mapping[str, str]) -> str:
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def is_stream(framing: Framing, headers: Mapping[str, str], data: bytes) -> bool:
    """Return whether a whole body is a stream, by its content type or its beginning."""
    return media_type(headers) == framing.content_type or holds_stream(framing, data)


def is_json(headers: Mapping[str, str]) -> bool:
    """Return whether a body, by its content type, is one JSON value."""
    kind = media_type(headers)
    return kind == "application/json" or kind.endswith("+json")


def text_in_place(data: bytes) -> str | None:
    """Return a body that is text, such as a page of a gateway; None for one that may be JSON."""
    if data.lstrip(BLANK)[:1] in (b"", b"{", b"["):
        return None
    try:
        found = parsed(data, "error")
    except InvalidPayload:
        return None
    return found if isinstance(found, str) else None


def has_error(data: bytes, provider: str | Profile) -> bool:
    """Return whether the body of a response with a status of success is an error (ERR-10)."""
    if text_in_place(data) is not None:
        return True
    try:
        payload = parsed(data)
    except TranslationError:
        return False
    return is_error(frontend(provider), payload)


def first_event(framing: Framing, data: bytes) -> bytes:
    """Return the body of an error that came as the event of a stream; else the same bytes."""
    if not holds_stream(framing, data):
        return data
    try:
        found = next((event for event in framing.decode([data]) if isinstance(event, dict)), None)
    except StreamError:
        found = None
    return data if found is None else orjson.dumps(found)


def with_delay(headers: Mapping[str, str], delay: float | None) -> Mapping[str, str]:
    """Return the headers with the time to wait before the next attempt, which some providers have in the error's
    body."""
    return headers if delay is None or "retry-after" in headers else {**headers, "retry-after": f"{ceil(delay)}"}


def without_arriving(error: Error, target: Target, headers: Mapping[str, str]) -> Error:
    """Return the error without the fields that the client gets by these headers or by the status, if its protocol has
    no place for them in the body: they are not reported as dropped."""
    arrives = {
        "retry_after": "retry-after" in headers,
        "request_id": error.request_id in headers.values(),
        "type": error.category is not ErrorCategory.UNKNOWN,
    }
    gone: dict[str, Any] = {name: None for name, there in arrives.items() if there and target.drops(Error, name)}
    return evolve(error, **gone) if gone else error


def in_bytes(made: Any) -> bytes:
    """Return a value as JSON. Raises Unrepresentable for what JSON cannot hold (SHP-7)."""
    try:
        return dumped(made)
    except Refusal as refusal:
        raise Unrepresentable(refusal.taken(None)) from None


# --- counting ---------------------------------------------------------------------------------------------------------
# Counting the tokens of a request: by the provider, or as an estimate.


Json = Any
BYTES_OF_TOKEN = 4
TOKENS_OF_MEDIA = 1500
BEYOND = "CAP-12"
SHORTEST_MEDIA = 1024
"""The characters from which on a text without a space counts as encoded data."""


def to_count(sent: Upstream, counting: Counting) -> Upstream:
    """Return the request to count the tokens of this one."""
    body = dumped(counting.body(orjson.loads(sent.body), sent.path))
    headers = {name: one for name, one in sent.headers.items() if name not in counting.unsent}
    return Upstream(
        path=counting.path(sent.path), headers=headers, body=body, stream=False, diagnostics=sent.diagnostics
    )


def count_in(data: bytes, counting: Counting) -> int | None:
    """Return the count in a provider's response; None if it has none."""
    try:
        number = orjson.loads(data)[counting.number]
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return None
    return number if type(number) is int else None


def beyond(request: Json, context: int | None) -> Iterator[Record]:
    """Yield the finding of a request that is longer than the model's context, by an estimate (CAP-12)."""
    if context is None:
        return
    with suppress(RecursionError):  # of what is so deep, nothing is estimated
        tokens = estimate(request)
        if tokens > context:
            yield BEYOND, None, f"about {tokens} tokens, by {BYTES_OF_TOKEN} bytes a token; the context has {context}"


def estimate(request: Json) -> int:
    """Return about how many tokens a request has, by the bytes of its texts and names; encoded data is a picture."""
    return -(-_bytes_in(request) // BYTES_OF_TOKEN)


def _bytes_in(value: Json) -> int:
    if isinstance(value, dict):
        return sum(len(name) + _bytes_in(one) for name, one in value.items())
    if isinstance(value, list):
        return sum(map(_bytes_in, value))
    if not isinstance(value, str):
        return 1
    data = len(value) >= SHORTEST_MEDIA and " " not in value[:SHORTEST_MEDIA] and value.isascii()
    return TOKENS_OF_MEDIA * BYTES_OF_TOKEN if data else len(value.encode("utf-8", "surrogatepass"))
