"""A JSON array of events, sans I/O: bytes in, events out, and back (STR-10). Used as `proxai_ir.sse` is.

Google's servers send such a stream unless they are asked for server-sent events. An event is complete with its last
bracket, whatever follows it. Chunks may be split anywhere, inside a character too, and no byte is read twice before its
event is complete. Source: RFC 8259, and Google's reference of `streamGenerateContent`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import orjson

from ..reporting.diagnostics import Refusal, StreamError
from . import BLANK, MOST_BYTES, decoded
from .common import GoodFirst, json_of, loads, stream_error

Json = Any
SPACE = b" \t\r\n"

next_bracket = re.compile(rb'["\[\]{},]').search
next_in_string = re.compile(rb'["\\]').search


class Decoder(GoodFirst):
    """Turns the bytes of a stream into events. `limit`: the most bytes that one event may have (STR-15).

    Anything but an array of JSON values is refused (SHP-6). An element that was cut off is dropped.

    _depth  the number of open brackets, that of the array included
    _ended  whether a comma or the array's bracket comes next, after an element
    """

    def __init__(self, limit: int = MOST_BYTES) -> None:
        self._limit = limit
        self._unfinished = bytearray()  # the element that is not complete yet
        self._depth = 0
        self._in_string = self._escaped = self._ended = self._over = False
        self._position = 0  # of the next event

    def _read(self, data: bytes, found: list[Json]) -> None:
        begin = 0  # where the element, or the rest of it, begins
        at = 0
        while at < len(data):
            if self._escaped:
                self._escaped = False
                at += 1
                continue
            match = (next_in_string if self._in_string else next_bracket)(data, at)
            if match is None:
                break
            at, byte = match.end(), match[0]
            if byte in b'"\\':
                self._in_string, self._escaped = byte == b"\\" or not self._in_string, byte == b"\\"
            elif self._depth > 1 or (self._depth and byte in b"[{"):
                self._depth += (byte in b"[{") - (byte in b"]}")
            else:
                self._between(byte, data[begin : at - 1], found)
                begin = at
                continue
            if self._depth == 1 and not self._in_string:
                self._take(data[begin:at], found)
                self._ended = True
                begin = at
        self._hold(data[begin:])

    def _between(self, byte: bytes, text: bytes, found: list[Json]) -> None:
        """Handle a bracket of the array itself, or a comma between its elements; `text` is what precedes it."""
        before = bytes(self._unfinished) + text
        if not self._depth:
            if byte != b"[" or self._over or before.strip(BLANK):
                raise self._error("SHP-6", "expected one array")
            self._depth = 1
        elif byte == b"}":
            raise self._error("SHP-6", "a bracket that closes nothing")
        elif not self._ended and (before.strip(SPACE) or byte == b"," or self._position):
            self._take(text, found)
        elif before.strip(SPACE):
            raise self._error("SHP-6", "expected a comma after an element")
        self._ended = False
        self._unfinished.clear()
        if byte == b"]":
            self._depth, self._over = 0, True

    def _take(self, text: bytes, found: list[Json]) -> None:
        """Append the event of an element to `found`."""
        element = (bytes(self._unfinished) + text).strip(SPACE)
        self._unfinished.clear()
        if self._ended:
            raise self._error("SHP-6", "expected a comma after an element")
        if len(element) > self._limit:
            raise self._error("STR-15", f"an event of more than {self._limit} bytes")
        why = ""
        try:
            found.append(loads(element))
        except orjson.JSONDecodeError as error:
            why = str(error)  # the error itself holds the data
        if why:
            raise self._error("SHP-6", why)
        self._position += 1

    def _hold(self, rest: bytes) -> None:
        """Keep unread bytes; only whitespace may surround the array."""
        if not self._depth and rest.strip(BLANK):
            raise self._error("SHP-6", "expected one array")
        if self._depth and (self._unfinished or rest.strip(SPACE)):
            self._unfinished += rest
        if len(self._unfinished) > self._limit:
            raise self._error("STR-15", f"an event of more than {self._limit} bytes")

    def _error(self, rule: str, why: str) -> StreamError:
        return stream_error(rule, self._position, why)


def decode(chunks: Iterable[bytes], limit: int = MOST_BYTES) -> Iterator[Json]:
    """Return the events of a whole stream of bytes, each as soon as it is complete."""
    return decoded(Decoder(limit), chunks)


def encode(event: Json, protocol: str = "") -> bytes:
    """Return one event as an element, without brackets or commas around it. Raises StreamError if it is not JSON."""
    try:
        return json_of(event, protocol)
    except Refusal as refusal:
        raise StreamError(refusal.taken(None)) from None
