"""Framings of streams on the wire: bytes to events and back, sans I/O.

A protocol declares its own in `Http(framing=…)`. Rule: whoever reads or writes the bytes of a stream asks the framing;
no other module knows how events stand in bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from itertools import chain
from typing import Any, Protocol

from attrs import frozen

Json = Any
MOST_BYTES = 64 * 1024 * 1024
BLANK = b" \t\r\n\xef\xbb\xbf"  # and a byte order mark


class Decoder(Protocol):
    """Bytes of one stream to events. Raises StreamError, and nothing else, whatever the bytes are."""

    def feed(self, chunk: bytes, /) -> list[Json]:
        """Return the events that these bytes complete, in order; good ones before a bad one come first."""
        ...

    def close(self) -> list[Json]:
        """Return the event that the end of the bytes completes."""
        ...


@frozen
class Framing:
    """How the events of streams stand in bytes.

    name          as it is called
    content_type  the media type of a stream
    module        the full name of the module with its `Decoder` and `encode`, which is loaded when they are first used
    starts        what the bytes of a stream begin with, one of them
    keep_alive    bytes that readers skip between any two events; none where they skip nothing
    binary        whether its bytes are no text
    around        what stands before the first event, between two, and behind the last
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
        """Makes what reads one stream."""
        made: Callable[[], Decoder] = import_module(self.module).Decoder
        return made

    @property
    def encode(self) -> Callable[[Json, str], bytes]:
        """What writes one event of a stream of a protocol; raises StreamError for an event that cannot be written."""
        encode: Callable[[Json, str], bytes] = import_module(self.module).encode
        return encode

    def decode(self, chunks: Iterable[bytes]) -> Iterator[Json]:
        """Return the events of a whole stream of bytes, or of the JSON array of them, each as soon as it is
        complete."""
        begun, rest = bytearray(), iter(chunks)
        for chunk in rest:
            begun += chunk
            if begun.lstrip(BLANK):
                break
        framing = JSON_ARRAY if JSON_ARRAY.begins(begun) else self
        return decoded(framing.decoder(), chain((bytes(begun),), rest))

    def begins(self, data: bytes | bytearray) -> bool | None:
        """Return whether bytes begin such a stream, by their start alone; None while there are too few to say."""
        begun = data.lstrip(BLANK)
        if begun.startswith(self.starts):
            return True
        return False if len(begun) >= max(map(len, self.starts)) else None


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
"""Lines of JSON. Without a keep-alive, as many clients parse every line, a blank one too."""
JSON_ARRAY = Framing(
    "JSON array",
    "application/json",
    "proxai_ir.framing.json_array",
    starts=(b"[",),
    keep_alive=b"\n",
    around=(b"[", b",\n", b"]"),
)
"""The form that a stream of any protocol may have in place of its own: its first byte shows it."""
AWS_EVENT_STREAM = Framing(
    "AWS event stream",
    "application/vnd.amazon.eventstream",
    "proxai_ir.framing.aws_event_stream",
    starts=(b"\x00", b"\x01"),  # the first byte of a length, which the limits of its parts keep below 2 ** 25
    binary=True,
)
AWS_CHUNKS = Framing(
    "chunks in an AWS event stream",
    AWS_EVENT_STREAM.content_type,
    "proxai_ir.framing.aws_chunks",
    starts=AWS_EVENT_STREAM.starts,
    binary=True,
)
"""Events of a protocol whose own framing is another, each in a frame of AWS's."""
