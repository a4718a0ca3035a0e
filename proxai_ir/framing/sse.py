"""Reads server-sent events, sans I/O (STR-10). They are written by protocol/sse.py, as each protocol names its events.

An event is the parsed JSON of its data, or the word in place of JSON ("[DONE]"). Chunks may be split anywhere, inside a
character too; lines end in LF, CRLF or CR; comments and all fields but `data` are ignored. The names of events are
ignored, too, except `error`: an event of that name becomes {"error": data} unless its data say that they are an error,
and so does a text in place of JSON that begins with the word `error`. Source: the WHATWG HTML standard, section 9.2,
"Server-sent events".

There are three ways to read, which give the same events. The data are cut out of a chunk that is one event and begins
with the same lines as the event before it. One regular expression reads a run of events whose only data line is their
last. All other events are read line by line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import orjson

from ..reporting.diagnostics import StreamError
from . import BLANK, JSON_ARRAY, MOST_BYTES, decoded
from .common import DONE, loads, stream_error

Json = Any
BOM = b"\xef\xbb\xbf"
DATA, END = b"data: ", b"\n\n"
ERROR_NAME = b"error\n"  # the end of the line with the name of an error
ERROR_WORD = b"error"  # the beginning of the text that servers send in place of JSON when they fail
CR, LF = b"\r\n"

one_line_data = re.compile(rb"(?:(?!data).++\n)*+data: (.++)\n\n|(?s:.+)").findall
"""Find the data of events whose only data line is their last; the last match is empty if other events follow."""

_loads = orjson.loads


class Decoder:
    """Turns the bytes of a stream into events. `limit`: the most bytes that one event may have (STR-15)."""

    def __init__(self, limit: int = MOST_BYTES) -> None:
        self._limit = limit
        self._unfinished = bytearray()  # the event that is not complete yet; its lines end in LF
        self._after_cr = False
        self._begun = False  # whether there has been more than blank lines
        self._past_mark = False  # whether the first lines, which may begin with a byte order mark, were read
        self._head = DATA  # the lines of the last event up to its data
        self._room = -1  # the longest chunk that is read in the fastest way; -1 in the middle of an event
        self._position = 0  # of the next event
        self._broken: StreamError | None = None

    def feed(self, chunk: bytes) -> list[Json]:
        """Return the events that these bytes complete, in order.

        Raises StreamError for data that is not JSON (SHP-6), and for an event beyond the limit (STR-15); if there are
        good events before it, they are returned first, and the next call raises.
        """
        if chunk.__class__ is bytes and len(chunk) <= self._room and chunk.startswith(self._head):
            data = chunk[len(self._head) : -2]
            if LF not in data and CR not in data and chunk.endswith(END):
                try:
                    event = _loads(data)
                except orjson.JSONDecodeError:
                    pass
                else:
                    self._position += 1
                    return [event]
        found: list[Json] = []
        try:
            self._read(self._whole_events(bytes(chunk)), found)
        except StreamError as error:
            self._broken, self._room = error, -1
            if not found:
                raise
        self._position += len(found)
        return found

    def close(self) -> list[Json]:
        """Return the event that the end of the bytes completes; one that was cut off is dropped.

        The end of the last line may be missing, since JSON shows whether its data are complete.
        """
        event, self._unfinished = bytes(self._unfinished), bytearray()
        if self._broken is not None or len(event) > self._limit:
            raise self._broken or self._too_long()
        self._check_begin(event)
        found: list[Json] = []
        try:
            event = event if self._past_mark else event.removeprefix(BOM)
            self._parse(data_of(event), found, failed=ERROR_NAME in event and name_of(event) == "error")
        except StreamError:
            return []
        return found if found and isinstance(found[0], (dict, str)) else []

    def _whole_events(self, chunk: bytes) -> bytes:
        """Return the events that are complete now, with lines that end in LF; the rest is kept."""
        if self._broken is not None:
            raise self._broken
        if self._after_cr and chunk:
            self._after_cr = False
            chunk = chunk.removeprefix(b"\n")  # the second half of a CRLF
        if CR in chunk:
            self._after_cr = chunk.endswith(b"\r")
            chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        unread = max(0, len(self._unfinished) - 1)
        self._unfinished += chunk
        end = self._unfinished.rfind(END, unread) + len(END)
        if end < len(END):
            self._room = -1
            if len(self._unfinished) > self._limit:
                raise self._too_long()
            return b""
        events = bytes(self._unfinished[:end])
        del self._unfinished[:end]
        self._room = -1 if self._unfinished or self._after_cr else self._limit
        if not self._begun:
            self._check_begin(events)
            events = events if self._past_mark else events.removeprefix(BOM)
            self._begun, self._past_mark = bool(events.strip(BLANK)), True
            self._room = self._room if self._begun else -1
        return events

    def _check_begin(self, data: bytes) -> None:
        """Refuse an array, whose lines would be ignored as fields with unknown names."""
        if not self._begun and JSON_ARRAY.begins(data):
            self._broken = self._error("SHP-3", "expected server-sent events, found a JSON array", 0)
            raise self._broken

    def _read(self, events: bytes, found: list[Json]) -> None:
        """Append the events in complete lines to `found`; those without data are skipped."""
        if not events:
            return
        if len(events) <= self._limit and ERROR_NAME not in events:
            run = one_line_data(events)
            if run[-1]:
                last = events.rfind(END, 0, -len(END))
                self._head = events[0 if last < 0 else last + len(END) : -len(run[-1]) - len(END)]
                for data in run:
                    self._parse(data, found)
                return
        for event in events.split(END):
            if len(event) > self._limit:
                raise self._too_long(len(found))
            data = data_of(event)
            if data:
                self._parse(data, found, failed=ERROR_NAME in event and name_of(event) == "error")

    def _parse(self, data: bytes, found: list[Json], *, failed: bool = False) -> None:
        """Append the event of some data to `found`; `failed`: its name says that it is an error."""
        try:
            event = loads(data)
            found.append(as_error(event) if failed else event)
            return
        except orjson.JSONDecodeError as error:
            why = str(error)  # the error itself holds the data
        if (failed and data[:1] not in (b"", b"{", b"[")) or data[: len(ERROR_WORD)].lower() == ERROR_WORD:
            found.append(as_error(data.decode(errors="replace")))
            return
        word = data.strip(BLANK)
        if word == DONE.encode():
            found.append(DONE)
        elif word:
            raise self._error("SHP-6", why, len(found))

    def _too_long(self, before: int = 0) -> StreamError:
        return self._error("STR-15", f"an event of more than {self._limit} bytes", before)

    def _error(self, rule: str, why: str, before: int) -> StreamError:
        """Return an error of the event that follows `before` others in this chunk."""
        return stream_error(rule, self._position + before, why)


def name_of(event: bytes) -> str:
    """Return the name of an event, which its last `event` line gives."""
    names = [line[6:] for line in event.split(b"\n") if line.startswith(b"event:")]
    return names[-1].strip().decode(errors="replace") if names else ""


SAYS_ERROR = ("error", "message", "detail", "type")
"""Members by which readers know an error."""


def as_error(event: Json) -> Json:
    """Return an event that says that it is an error unchanged, and any other as the content of one."""
    if isinstance(event, dict) and any(event.get(key) is not None for key in SAYS_ERROR):
        return event
    return {"error": {"message": event} if isinstance(event, str) else event}


def data_of(event: bytes) -> bytes:
    """Return the data lines of an event, joined."""
    lines = event.split(b"\n")
    return b"\n".join([line[5:].removeprefix(b" ") for line in lines if line.startswith(b"data:") or line == b"data"])


def decode(chunks: Iterable[bytes], limit: int = MOST_BYTES) -> Iterator[Json]:
    """Return the events of a whole stream of bytes, each as soon as it is complete."""
    return decoded(Decoder(limit), chunks)
