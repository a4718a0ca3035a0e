"""AWS event streams (application/vnd.amazon.eventstream), sans I/O: bytes in, events out, and back (STR-10).

Used as `proxai_ir.sse` is. A stream is frames: the lengths of the frame and of its headers with a checksum of both,
headers, payload, and a checksum of all. Chunks may be split anywhere. An event is the content of a frame as plain JSON:

    {"contentBlockDelta": {…}}         an event by its type, with its payload
    {"throttlingException": {…}}       an exception by its type; types that end in "Exception" are written as such
    {"error": {"code": …, "message": …}}    an error that the service does not model

This is the union that AWS's own clients show. Headers that it does not imply are in a second member, ":headers": JSON
has most of their types, others are {"bytes": base64}, {"timestamp": milliseconds} and {"uuid": text}. A payload that is
no JSON by its `:content-type` is a text in base64.
Sources: Smithy's "Amazon Event Stream specification", and the limits of botocore.
"""

from __future__ import annotations

import struct
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple
from uuid import UUID
from zlib import crc32

import orjson

from ..reporting.diagnostics import Refusal, StreamError
from . import decoded
from .common import json_of, loads, stream_error

Json = Any
Headers = dict[str, Json]

PRELUDE, CHECKSUM = 12, 4
MOST_HEADERS = 128 * 1024
MOST_PAYLOAD = 24 * 1024 * 1024
LENGTHS = struct.Struct(">III")

HEADERS = ":headers"
KIND, CONTENT_TYPE, JSON = ":message-type", ":content-type", "application/json"
EVENT, EXCEPTION, ERROR = "event", "exception", "error"
TYPE = {EVENT: ":event-type", EXCEPTION: ":exception-type"}
"""The header that names the type of a message, by the kind of the message."""
HEADER_OF = {"code": ":error-code", "message": ":error-message"}
"""The headers with the members of an error, by member."""
PAYLOAD = "payload"
"""The member of an error for a payload that is no object."""


def kind_of(name: str) -> str:
    """Return the kind of message that the name of an event implies."""
    return ERROR if name == ERROR else EXCEPTION if name.endswith("Exception") else EVENT


def is_json(content_type: Json) -> bool:
    return content_type is None or "json" in content_type


# --- reading ----------------------------------------------------------------------------------------------------------


class Head(NamedTuple):
    """The content of a message's headers: `error` has the members of an error, `others` the headers not implied."""

    name: str
    json: bool
    error: Mapping[str, str] | None
    others: Headers


MOST_HEADS = 64
LONGEST_HEAD = 512


class Decoder:
    """Turns the bytes of a stream into events. `limit`: the most bytes that one payload may have (STR-15)."""

    def __init__(self, limit: int = MOST_PAYLOAD) -> None:
        self._limit = limit
        self._unfinished = bytearray()  # the frame that is not complete yet
        self._needed = PRELUDE  # how many bytes of it are needed to go on
        self._position = 0  # of the next event
        self._offset = 0  # where the next frame begins
        self._heads: dict[bytes, Head] = {}  # a limited cache by the bytes of the headers
        self._broken: StreamError | None = None

    def feed(self, chunk: bytes) -> list[Json]:
        """Return the events of the frames that these bytes complete, in order.

        Raises StreamError for a frame that is corrupt (SHP-3), whose payload is not JSON (SHP-6), or that is beyond the
        limits (STR-15); if there are good frames before it, their events are returned first, and the next call raises.
        """
        if self._broken is not None:
            raise self._broken
        if self._unfinished:
            self._unfinished += chunk
            if len(self._unfinished) < self._needed:
                return []
            data, self._unfinished = bytes(self._unfinished), bytearray()
        else:
            data = bytes(chunk)
        found: list[Json] = []
        at = 0
        try:
            while len(data) - at >= self._needed:
                total, headers = self._lengths(data, at)
                if len(data) - at < total:
                    self._needed = total
                    break
                found.append(self._event(data, at, total, headers))
                at += total
                self._needed = PRELUDE
                self._position += 1
                self._offset += total
        except StreamError as error:
            self._broken = error
            if not found:
                raise
            return found
        if at < len(data):
            self._unfinished += data[at:]
        return found

    def close(self) -> list[Json]:
        """Return no events; raises StreamError for a frame that is cut off (STR-2)."""
        if self._broken is None and self._unfinished:
            of = f" of {self._needed}" if self._needed > PRELUDE else ""
            self._broken = self._error("STR-2", f"is cut off after {len(self._unfinished)}{of} bytes")
            self._unfinished.clear()
        if self._broken is not None:
            raise self._broken
        return []

    def _lengths(self, data: bytes, at: int) -> tuple[int, int]:
        """Return the lengths of the frame and of its headers, which the first checksum covers."""
        total, headers, stated = LENGTHS.unpack_from(data, at)
        self._check(stated, data[at : at + PRELUDE - CHECKSUM], "the lengths")
        payload = total - headers - PRELUDE - CHECKSUM
        if payload < 0:
            raise self._error("SHP-3", f"has {total} bytes, of which {headers} would be headers")
        if headers > MOST_HEADERS:
            raise self._error("STR-15", f"has {headers} bytes of headers, more than {MOST_HEADERS}")
        if payload > self._limit:
            raise self._error("STR-15", f"has {payload} bytes of payload, more than {self._limit}")
        return total, headers

    def _event(self, data: bytes, at: int, total: int, headers: int) -> Json:
        end = at + total - CHECKSUM
        self._check(int.from_bytes(data[end : end + CHECKSUM]), memoryview(data)[at:end], "the frame")
        payload = at + PRELUDE + headers
        try:
            return event_of(self._head(data[at + PRELUDE : payload]), data[payload:end])
        except Refusal as refusal:
            rule, _, detail = refusal.records[0]
        raise self._error(rule, f"is malformed: {detail}")

    def _head(self, data: bytes) -> Head:
        head = self._heads.get(data)
        if head is None:
            head = head_of(headers_of(data))
            if len(data) <= LONGEST_HEAD and not head.others and len(self._heads) < MOST_HEADS:
                self._heads[data] = head
        return head

    def _check(self, stated: int, data: bytes | memoryview, of: str) -> None:
        found = crc32(data)
        if found != stated:
            raise self._error(
                "SHP-3", f"is corrupt: for {of} expected the checksum {stated:#010x}, found {found:#010x}"
            )

    def _error(self, rule: str, why: str) -> StreamError:
        return stream_error(rule, self._position, f"the frame at byte {self._offset} {why}")


def decode(chunks: Iterable[bytes], limit: int = MOST_PAYLOAD) -> Iterator[Json]:
    """Return the events of a whole stream of bytes, each as soon as it is complete."""
    return decoded(Decoder(limit), chunks)


INTEGERS = {2: struct.Struct(">b"), 3: struct.Struct(">h"), 4: struct.Struct(">i"), 5: struct.Struct(">q")}
MOMENT = struct.Struct(">q")
LENGTH = struct.Struct(">H")


def headers_of(data: bytes) -> Headers:
    """Return headers, which may have any of the ten types. Raises Refusal (SHP-3)."""
    found: Headers = {}
    at = 0
    try:
        while at < len(data):
            end = at + 1 + data[at]
            name = data[at + 1 : end].decode()
            value, at = _value(data, end)
            if name in found:
                raise ValueError(f"expected each header once, found {name!r} twice")
            found[name] = value
    except (IndexError, struct.error):
        at = -1
    except ValueError as error:
        raise Refusal("SHP-3", None, str(error)) from None
    if at != len(data):
        raise Refusal("SHP-3", None, "the headers are truncated")
    return found


def _value(data: bytes, at: int) -> tuple[Json, int]:
    """Return the value at a position and where it ends. Raises IndexError, struct.error and ValueError."""
    kind, at = data[at], at + 1
    if kind in (0, 1):
        return kind == 0, at
    if kind in INTEGERS:
        return INTEGERS[kind].unpack_from(data, at)[0], at + INTEGERS[kind].size
    if kind in (6, 7):
        end = at + 2 + LENGTH.unpack_from(data, at)[0]
        value = data[at + 2 : end]
        return (value.decode() if kind == 7 else {"bytes": b64encode(value).decode()}), end
    if kind == 8:
        return {"timestamp": MOMENT.unpack_from(data, at)[0]}, at + MOMENT.size
    if kind == 9:
        return {"uuid": str(UUID(bytes=data[at : at + 16]))}, at + 16
    raise ValueError(f"expected a type of header from 0 to 9, found {kind}")


def head_of(headers: Headers) -> Head:
    """Return the content of a message's headers. Raises Refusal (SHP-3)."""
    others = dict(headers)
    kind = others.pop(KIND, EVENT)
    content_type = headers.get(CONTENT_TYPE)
    if not isinstance(kind, str) or not isinstance(content_type, (str, type(None))):
        raise Refusal("SHP-3", None, f"expected strings as {KIND} and {CONTENT_TYPE}")
    error = None
    if kind == ERROR:
        name: Json = ERROR
        error = {
            member: others.pop(header) for member, header in HEADER_OF.items() if isinstance(headers.get(header), str)
        }
    else:
        name = others.pop(TYPE.get(kind, TYPE[EVENT]), None)
        if not isinstance(name, str) or name == HEADERS:
            raise Refusal("SHP-3", None, f"expected a header with the type of the {kind:.80}")
    if content_type == JSON:
        del others[CONTENT_TYPE]
    if kind != kind_of(name):
        others[KIND] = kind
    return Head(name, is_json(content_type), error, others)


def event_of(head: Head, payload: bytes) -> Json:
    """Return the event of a message. Raises Refusal (SHP-6)."""
    value: Json = {}
    if not head.json:
        value = b64encode(payload).decode()
    else:
        why = ""
        try:
            value = loads(payload) if payload else {}
        except orjson.JSONDecodeError as error:
            why = f"its payload is no JSON: {error.msg} at column {error.colno}"  # the error itself holds the payload
        if why:
            raise Refusal("SHP-6", None, why)
    if head.error is not None:
        value = {**(value if isinstance(value, dict) else {PAYLOAD: value}), **head.error}
    return {head.name: value, HEADERS: head.others} if head.others else {head.name: value}


# --- writing ----------------------------------------------------------------------------------------------------------

HEADS: dict[str, bytes] = {}
"""The implied headers of events by type; the cache has the limits above."""


def encode(event: Json, protocol: str = "") -> bytes:
    """Return one event as a frame. Raises StreamError if it is no event of the form above (SHP-1, SHP-3, SHP-4), not
    JSON (SHP-7), or beyond the limits (STR-15)."""
    try:
        name, value, others = _parts(event)
        headers = HEADS.get(name) if others is None else None
        if headers is None:
            headers, value = _head(name, value, others)
        payload = value if isinstance(value, bytes) else json_of(value, protocol)
        if len(headers) > MOST_HEADERS or len(payload) > MOST_PAYLOAD:
            what = f"a frame has at most {MOST_HEADERS} bytes of headers and {MOST_PAYLOAD} of payload"
            raise Refusal("STR-15", None, f"{what}, found {len(headers)} and {len(payload)}")
        return frame(headers, payload)
    except Refusal as refusal:
        raise StreamError(refusal.taken(None)) from None


def frame(headers: bytes, payload: bytes) -> bytes:
    """Return a frame of headers and a payload, with both checksums."""
    lengths = LENGTHS.pack(PRELUDE + len(headers) + len(payload) + CHECKSUM, len(headers), 0)[:-CHECKSUM]
    message = b"".join((lengths, crc32(lengths).to_bytes(CHECKSUM), headers, payload))
    return message + crc32(message).to_bytes(CHECKSUM)


def _parts(event: Json) -> tuple[str, Json, Headers | None]:
    """Return the type of an event, its payload, and the headers in its second member."""
    if isinstance(event, dict) and len(event) == 1 + (HEADERS in event):
        (name,) = event.keys() - {HEADERS}
        others = event.get(HEADERS)
        if isinstance(name, str) and isinstance(others, (dict, type(None))):
            return name, event[name], others
    raise Refusal(
        "SHP-1", None, f"expected an object with one member, which the type of the event names, or {HEADERS!r}"
    )


def _head(name: str, value: Json, others: Headers | None) -> tuple[bytes, Json]:
    """Return the headers of an event as bytes, and its payload: bytes, or a value to be written as JSON."""
    others = others or {}
    kind = others.get(KIND, kind_of(name))
    content_type = others.get(CONTENT_TYPE, JSON)
    if not isinstance(kind, str) or not isinstance(content_type, str):
        raise Refusal("SHP-3", None, f"expected strings as {KIND} and {CONTENT_TYPE}")
    implied, value = _implied(name, kind, value)
    if twice := implied.keys() & others.keys():
        raise Refusal("SHP-4", None, f"expected no header {min(twice)!r}, which follows from the event, found one")
    if not is_json(content_type):
        value = _bytes(value)
    headers = {**implied, CONTENT_TYPE: content_type, KIND: kind, **others}
    made = b"".join([_header(*header) for header in headers.items()])
    if not others and kind != ERROR and len(made) <= LONGEST_HEAD:
        if len(HEADS) >= MOST_HEADS:
            HEADS.clear()
        HEADS[name] = made
    return made, value


def _implied(name: str, kind: str, value: Json) -> tuple[Headers, Json]:
    """Return the headers that name and payload imply, and the rest of the payload. Raises Refusal (SHP-1)."""
    if kind != ERROR:
        return {TYPE.get(kind, TYPE[EVENT]): name}, value
    if name != ERROR or not isinstance(value, dict):
        raise Refusal("SHP-1", None, "expected an error as an object with `code` and `message`")
    implied = {header: value[member] for member, header in HEADER_OF.items() if isinstance(value.get(member), str)}
    left = {member: one for member, one in value.items() if HEADER_OF.get(member) not in implied}
    return implied, (left[PAYLOAD] if left.keys() == {PAYLOAD} else left or b"")


def _header(name: Json, value: Json) -> bytes:
    """Return a header as bytes. Raises Refusal (SHP-3)."""
    try:
        named: bytes = name.encode()
        return bytes([len(named)]) + named + _written(value)
    except (AttributeError, TypeError, ValueError, struct.error) as error:
        raise Refusal("SHP-3", None, f"a header cannot be written: {error}") from None


def _written(value: Json) -> bytes:
    """Return a header's type and value. Raises TypeError, ValueError and struct.error."""
    if isinstance(value, bool):
        return b"\x00" if value else b"\x01"
    if isinstance(value, int):
        kind = 4 if -(2**31) <= value < 2**31 else 5
        return bytes([kind]) + INTEGERS[kind].pack(value)
    if isinstance(value, str):
        return b"\x07" + _long(value.encode())
    if isinstance(value, dict) and len(value) == 1:
        ((form, one),) = value.items()
        if form == "bytes":
            return b"\x06" + _long(_bytes(one))
        if form == "timestamp":
            return b"\x08" + MOMENT.pack(one)
        if form == "uuid":
            return b"\x09" + UUID(one).bytes
    raise TypeError(
        f"expected a truth value, an integer, a text, bytes, a timestamp or a UUID, found {type(value).__name__}"
    )


def _long(value: bytes) -> bytes:
    return LENGTH.pack(len(value)) + value


def _bytes(text: Json) -> bytes:
    """Return the bytes of a text in base64. Raises Refusal (SHP-3)."""
    try:
        return b64decode(text, validate=True)
    except (TypeError, ValueError):
        raise Refusal("SHP-3", None, "expected bytes as a text in base64") from None
