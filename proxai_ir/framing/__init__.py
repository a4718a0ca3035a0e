"""Framings of streams on the wire: bytes to events and back, sans I/O.

A protocol declares its own in `Http(framing=…)`. No other module knows how events are encoded in bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from itertools import chain
from typing import Any, Protocol

from ..json.classes import frozen

Json = Any
MOST_BYTES = 64 * 1024 * 1024
BLANK = b" \t\r\n\xef\xbb\xbf"  # and a byte order mark


class Decoder(Protocol):
    """Turns the bytes of one stream into events. Raises StreamError, and nothing else, whatever the bytes are."""

    def feed(self, chunk: bytes, /) -> list[Json]:
        """Return the events that these bytes complete, in order; good ones before a bad one come first."""
        ...

    def close(self) -> list[Json]:
        """Return the events that the end of the bytes completes."""
        ...


@frozen
class Framing:
    """A form in which bytes hold the events of a stream.

    name          its name for readers
    content_type  the media type of a stream
    module        the full name of the module with its `Decoder` and `encode`, which is loaded when they are first used
    starts        the possible first bytes of a stream
    keep_alive    bytes between two events that readers skip; empty if there are none
    binary        whether the bytes are no text
    around        the bytes before the first event, between two events, and after the last one
    """

    name: str
    content_type: str
    module: str
    starts: tuple[bytes, ...]
    keep_alive: bytes = b""
    binary: bool = False
    around: tuple[bytes, bytes, bytes] = (b"", b"", b"")

    @property
    def decoder(self) -> Callable[[], Decoder]:
        """The class that decodes one stream."""
        made: Callable[[], Decoder] = import_module(self.module).Decoder
        return made

    @property
    def encode(self) -> Callable[[Json, str], bytes]:
        """The function that writes one event of a protocol; it raises StreamError for one that cannot be written."""
        encode: Callable[[Json, str], bytes] = import_module(self.module).encode
        return encode

    def decode(self, chunks: Iterable[bytes]) -> Iterator[Json]:
        """Return the events of a stream, in this form or as a JSON array, each as soon as it is complete."""
        start, rest = bytearray(), iter(chunks)
        for chunk in rest:
            start += chunk
            if start.lstrip(BLANK):
                break
        return decoded(self.shown_by(start).decoder(), chain((bytes(start),), rest))

    def shown_by(self, data: bytes | bytearray) -> Framing:
        """Return the framing of a stream that begins so: a JSON array may stand in place of any other."""
        return JSON_ARRAY if JSON_ARRAY.begins(data) else self

    def begins(self, data: bytes | bytearray) -> bool | None:
        """Return whether the first bytes show this form, or None if there are too few to tell."""
        start = data.lstrip(BLANK)
        if start.startswith(self.starts):
            return True
        return False if len(start) >= max(map(len, self.starts)) else None


def decoded(decoder: Decoder, chunks: Iterable[bytes]) -> Iterator[Json]:
    """Yield the events of a whole stream of bytes, each as soon as it is complete."""
    for chunk in chunks:
        yield from decoder.feed(chunk)
    yield from decoder.close()


SSE = Framing(
    "server-sent events",
    "text/event-stream",
    "proxai_ir.protocol.sse",
    starts=(b"data:", b"event:", b":", b"id:", b"retry:"),
    keep_alive=b": keep-alive\n\n",
)
NDJSON = Framing("NDJSON", "application/x-ndjson", "proxai_ir.framing.ndjson", starts=(b"{",))
"""Lines of JSON. There is no keep-alive, as many clients parse every line, even a blank one."""
JSON_ARRAY = Framing(
    "JSON array",
    "application/json",
    "proxai_ir.framing.json_array",
    starts=(b"[",),
    keep_alive=b"\n",
    around=(b"[", b",\n", b"]"),
)
"""The form that a stream of any protocol may have instead of its own; its first byte shows it."""
AWS_EVENT_STREAM = Framing(
    "AWS event stream",
    "application/vnd.amazon.eventstream",
    "proxai_ir.framing.aws_event_stream",
    starts=(b"\x00", b"\x01"),  # the first byte of a length, which is below 2 ** 25
    binary=True,
)
AWS_CHUNKS = Framing(
    "chunks in an AWS event stream",
    AWS_EVENT_STREAM.content_type,
    "proxai_ir.framing.aws_chunks",
    starts=AWS_EVENT_STREAM.starts,
    binary=True,
)
"""Events of a protocol that has another framing, each in a frame of AWS's."""
