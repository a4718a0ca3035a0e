"""Server-sent events, sans I/O: bytes in, events out, and back (STR-10).

    decoder = Decoder()
    for chunk in response:
        for event in decoder.feed(chunk):
            ...
    for event in decoder.close():
        ...

An event is the parsed JSON of one event's data, or the word that stands there instead ("[DONE]"). Chunks may be split
anywhere, in the middle of a character too; lines end in LF, CRLF or CR; comments and all fields but `data` are passed
over. Source: the WHATWG HTML standard, section 9.2, "Server-sent events".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from math import isfinite
from typing import Any

import orjson

from ..diagnostics import Refusal, StreamError, render
from ..registry import backend

Json = Any
WORDS = frozenset({b"[DONE]"})
MOST_BYTES = 64 * 1024 * 1024
BOM = b"\xef\xbb\xbf"


class Decoder:
    """Bytes of a stream to events. `limit`: the most bytes that one event may have (STR-15)."""

    def __init__(self, limit: int = MOST_BYTES) -> None:
        self._limit = limit
        self._rest: list[bytes] = []  # of a line that is not whole yet
        self._data: list[bytes] = []  # lines of an event that is not whole yet
        self._size = 0
        self._after_cr = False
        self._position = 0  # of the next event
        self._begun = False
        self._broken: StreamError | None = None

    def feed(self, chunk: bytes) -> list[Json]:
        """The events that these bytes complete, in order.

        Raises StreamError for data that is no JSON (SHP-6), and for an event beyond the limit (STR-15); where there are
        good events before it, they are given first, and the next call raises.
        """
        if self._broken is not None:
            raise self._broken
        if not chunk:
            return []
        if self._after_cr and chunk[:1] == b"\n":  # the second half of a CRLF
            chunk = chunk[1:]
        self._after_cr = False
        self._size += len(chunk)
        if b"\n" not in chunk and b"\r" not in chunk:
            self._rest.append(chunk)
            return self._events([], self._size)
        self._rest.append(chunk)
        whole = b"".join(self._rest) if len(self._rest) > 1 else chunk
        self._after_cr = whole.endswith(b"\r")
        if b"\r" in whole:
            whole = whole.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        *lines, rest = whole.split(b"\n")
        self._rest = [rest] if rest else []
        return self._events(lines, len(rest))

    def close(self) -> list[Json]:
        """The event that the end of the bytes completes; one that was cut off in the middle is none.

        Servers that leave out the last line's end are understood, since JSON shows whether it is whole.
        """
        if self._broken is not None:
            raise self._broken
        rest = b"".join(self._rest)
        name, _, value = (rest if self._begun else rest.removeprefix(BOM)).partition(b":")
        data = b"\n".join([*self._data, value.removeprefix(b" ")] if name == b"data" else self._data)
        self._rest, self._data = [], []
        try:
            found = self._parsed(data)
        except StreamError:
            return []
        return [found] if isinstance(found, (dict, str)) else []

    def _events(self, lines: list[bytes], rest: int) -> list[Json]:
        found: list[Json] = []
        try:
            self._read(lines, rest, found)
            self._check_size()
        except StreamError as error:
            self._broken = error
            if not found:
                raise
        return found

    def _read(self, lines: list[bytes], rest: int, found: list[Json]) -> None:
        if lines and not self._begun:
            self._begun = True
            lines[0] = lines[0].removeprefix(BOM)
        for line in lines:
            if line:
                name, _, value = line.partition(b":")
                if name == b"data":
                    self._data.append(value.removeprefix(b" "))
            elif self._data:
                data, self._data = b"\n".join(self._data), []
                self._size = max(rest, len(data))
                self._check_size()
                self._size = rest
                if data:
                    found.append(self._parsed(data))
                    self._position += 1
        if not self._data:
            self._size = rest

    def _parsed(self, data: bytes) -> Json:
        if data in WORDS:
            return data.decode()
        try:
            return orjson.loads(data)
        except orjson.JSONDecodeError as error:
            raise self._error("SHP-6", str(error)) from None

    def _check_size(self) -> None:
        if self._size > self._limit:
            raise self._error("STR-15", f"an event of more than {self._limit} bytes")

    def _error(self, rule: str, why: str) -> StreamError:
        """Its path is the position of the event, counted from 0."""
        seen = {self._position: None}
        return StreamError(render([(rule, (seen, self._position), why)], seen, refused=True))


def encode(event: Json, protocol: str) -> bytes:
    """One event as the bytes that a server of this protocol sends. Raises StreamError where it is not JSON (SHP-7)."""
    try:
        if isinstance(event, str):
            return b"data: " + event.encode() + b"\n\n"
        data = orjson.dumps(event)
        if b"null" in data and not _finite(event):
            raise Refusal("SHP-7", None, "NaN and infinity are not JSON")
        kind = event.get("type") if isinstance(event, dict) and _named(protocol) else None
    except (TypeError, UnicodeEncodeError) as error:
        raise StreamError(render([("SHP-7", None, str(error))], None, refused=True)) from None
    except Refusal as refusal:
        raise StreamError(render(refusal.records, None, refused=True)) from None
    if isinstance(kind, str) and kind.isprintable() and kind.strip() == kind:  # others would write lines of their own
        return b"event: " + kind.encode() + b"\ndata: " + data + b"\n\n"
    return b"data: " + data + b"\n\n"


def _finite(value: Json) -> bool:
    """Whether no number inside is NaN or infinite, which orjson writes as null."""
    waiting = [value]
    for one in waiting:  # which grows meanwhile
        if type(one) is dict:
            waiting += one.values()
        elif type(one) is list:
            waiting += one
        elif type(one) is float and not isfinite(one):
            return False
    return True


@cache
def _named(protocol: str) -> bool:
    return backend(protocol).named


def decode(chunks: Iterable[bytes], limit: int = MOST_BYTES) -> Iterator[Json]:
    """The events of a whole stream of bytes, each as soon as it is complete."""
    decoder = Decoder(limit)
    for chunk in chunks:
        yield from decoder.feed(chunk)
    yield from decoder.close()
