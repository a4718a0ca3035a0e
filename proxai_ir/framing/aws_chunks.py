"""Events of another protocol in chunks of an AWS event stream, sans I/O: bytes in, events out, and back (STR-10).

Used as `proxai_ir.sse` is. A frame is {"chunk": {"bytes": base64 of an event's JSON}}; its padding has no meaning.
Exceptions of AWS's, and errors that it does not model, become {"type": "error", "error": {"type", "message"}}, with the
protocol's type of the same meaning if there is one. Frames of other types repeat what the events have.
Sources: botocore's model of InvokeModelWithResponseStream, whose ResponseStream these are; anthropic 2.11.0.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator
from typing import Any

from . import decoded
from .aws_event_stream import EXCEPTION, HEADERS, MOST_PAYLOAD, kind_of
from .aws_event_stream import Decoder as Frames
from .aws_event_stream import encode as encode_frame
from .common import GoodFirst, json_of, loads, stream_error

Json = Any
CHUNK, BYTES = "chunk", "bytes"
MEANING = {
    "internalServerException": "api_error",
    "modelStreamErrorException": "api_error",
    "modelTimeoutException": "timeout_error",
    "serviceUnavailableException": "overloaded_error",
    "throttlingException": "rate_limit_error",
    "validationException": "invalid_request_error",
}
"""The type of an error with the same meaning, by AWS's exception."""


class Decoder(GoodFirst):
    """Turns the bytes of a stream into events. `limit`: the most bytes that one frame may hold (STR-15).

    Corrupt frames, and chunks whose bytes are no event, are refused (SHP-3, SHP-6).
    """

    def __init__(self, limit: int = MOST_PAYLOAD) -> None:
        self._frames = Frames(limit)
        self._position = 0

    def _read(self, data: bytes, found: list[Json]) -> None:
        for frame in self._frames.feed(data):  # a bad frame after good ones is reported at the next call
            event = self._event(frame)
            self._position += 1
            if event is not None:
                found.append(event)

    def _event(self, frame: Json) -> Json:
        name = next(one for one in frame if one != HEADERS)
        value = frame[name]
        if name != CHUNK:
            return None if kind_of(name) not in (EXCEPTION, "error") else _error(name, value)
        try:
            return loads(b64decode(value[BYTES], validate=True))
        except (KeyError, TypeError, ValueError):
            why = "expected a chunk whose `bytes` are an event's JSON in base64"
        raise stream_error("SHP-6", self._position, why)

    def close(self) -> list[Json]:
        """Return no events; raises StreamError for a frame that is cut off (STR-2)."""
        if self._broken is not None:
            raise self._broken
        return self._frames.close()


def _error(name: str, value: Json) -> Json:
    stated = value if isinstance(value, dict) else {}
    message = stated.get("message") or stated.get("originalMessage") or name
    return {"type": "error", "error": {"type": MEANING.get(name) or stated.get("code") or name, "message": message}}


def decode(chunks: Iterable[bytes], limit: int = MOST_PAYLOAD) -> Iterator[Json]:
    """Return the events of a whole stream of bytes, each as soon as it is complete."""
    return decoded(Decoder(limit), chunks)


def encode(event: Json, protocol: str = "") -> bytes:
    """Return one event as a frame. Raises StreamError."""
    return encode_frame({CHUNK: {BYTES: b64encode(json_of(event, protocol)).decode()}})
