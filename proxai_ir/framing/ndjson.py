"""Newline-delimited JSON, sans I/O: bytes in, events out, and back (STR-10). Used as `proxai_ir.sse` is.

An event is the JSON value of one line. Chunks may be split anywhere, inside a character too; lines end in LF or CRLF,
blank ones are skipped, and the last may lack its end. "[DONE]" and comments are read as in server-sent events. Source:
the specification of NDJSON 1.0 and RFC 8259.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import orjson

from ..reporting.diagnostics import Refusal, StreamError
from . import MOST_BYTES, decoded
from .common import DONE, GoodFirst, json_of, loads, stream_error

Json = Any
BOM = b"\xef\xbb\xbf"
SPACE = b" \t\r"
DATA, COMMENT = b"data:", b":"  # of server-sent events, which some gateways append to these lines
ENDS = {"\u0085": rb"\u0085", "\u2028": rb"\u2028", "\u2029": rb"\u2029"}
"""Characters that end a line for clients that split text, as Python's HTTP clients do, with their escapes."""
ESCAPED = tuple((one.encode(), escaped) for one, escaped in ENDS.items())


class Decoder(GoodFirst):
    """Turns the bytes of a stream into events. `limit`: the most bytes that one line may have (STR-15).

    A line that is not JSON is refused (SHP-6).
    """

    def __init__(self, limit: int = MOST_BYTES) -> None:
        self._limit = limit
        self._unfinished = bytearray()  # the line that is not complete yet
        self._position = 0  # of the next event
        self._number, self._offset = 1, 0  # of the next line, and where it begins

    def _read(self, data: bytes, found: list[Json]) -> None:
        end = data.rfind(b"\n") + 1
        if end:
            lines, self._unfinished = bytes(self._unfinished) + data[:end], bytearray()
            for line in lines[:-1].split(b"\n"):
                self._line(line, found)
        self._unfinished += data[end:]
        if len(self._unfinished) > self._limit:
            raise self._too_long()

    def close(self) -> list[Json]:
        """Return the event of a last line without an end."""
        return self.feed(b"\n")

    def _line(self, line: bytes, found: list[Json]) -> None:
        """Append the event of a line that is not blank to `found`."""
        if len(line) > self._limit:
            raise self._too_long()
        text = line if self._offset else line.removeprefix(BOM)
        why = ""
        try:
            found.append(loads(text))
            self._position += 1
        except orjson.JSONDecodeError as error:
            word = text.strip(SPACE).removeprefix(DATA).strip(SPACE)
            if word == DONE.encode():
                found.append(DONE)
                self._position += 1
            elif word and not text.startswith(COMMENT):
                why = f"{error.msg} at column {error.colno}"  # the error itself holds the line
        if why:
            raise self._error("SHP-6", why)
        self._number += 1
        self._offset += len(line) + 1

    def _too_long(self) -> StreamError:
        return self._error("STR-15", f"more than {self._limit} bytes")

    def _error(self, rule: str, why: str) -> StreamError:
        return stream_error(rule, self._position, f"line {self._number} at byte {self._offset}: {why}")


def decode(chunks: Iterable[bytes], limit: int = MOST_BYTES) -> Iterator[Json]:
    """Return the events of a whole stream of bytes, each as soon as it is complete."""
    return decoded(Decoder(limit), chunks)


def encode(event: Json, protocol: str = "") -> bytes:
    """Return one event as a line. Raises StreamError if it is not JSON (SHP-7)."""
    try:
        line = json_of(event, protocol)
    except Refusal as refusal:
        raise StreamError(refusal.taken(None)) from None
    if not line.isascii():
        for character, escaped in ESCAPED:
            line = line.replace(character, escaped)
    return line + b"\n"
