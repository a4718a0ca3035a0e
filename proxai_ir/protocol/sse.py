"""Server-sent events, sans I/O: bytes in, events out, and back (STR-10). It is `proxai_ir.sse`.

    decoder = Decoder()
    for chunk in response:
        for event in decoder.feed(chunk):
            ...
    for event in decoder.close():
        ...

Events of all protocols are read in one way (framing/sse.py). They are written as the servers of their protocol do, some
of which name each event by a member of it: `Backend.named`.
"""

from __future__ import annotations

from typing import Any

import orjson

from ..framing.common import dumps, finite
from ..framing.sse import DATA, END, Decoder, decode
from ..reporting.diagnostics import Refusal, StreamError
from .registry import backend

Json = Any
NAME = b"event: "
HEADS: dict[tuple[str, str | None], bytes] = {}
"""The lines before the data of an event, by protocol and type; remembered within these bounds."""
MOST_HEADS = 256
LONGEST_TYPE = 80


def encode(event: Json, protocol: str) -> bytes:
    """Return one event as the bytes that a server of this protocol sends. Raises StreamError if it is not JSON
    (SHP-7)."""
    try:
        try:
            data = orjson.dumps(event)
        except TypeError:
            data = dumps(event)  # which may have half a character
        nulls = data.count(b"null")
        if nulls and not finite(event, nulls, protocol):
            raise Refusal("SHP-7", None, "NaN and infinity are not JSON")
        if not isinstance(event, dict):
            return DATA + (_word(event) if isinstance(event, str) else data) + END
        kind = event.get("type")
        try:
            head = HEADS[protocol, kind]
        except (KeyError, TypeError):
            head = _head(protocol, event)
        return head + data + END
    except Refusal as refusal:
        raise StreamError(refusal.taken(None)) from None


def _word(word: str) -> bytes:
    """Return what is sent in the place of JSON. Raises Refusal for a line break, which would end it."""
    if "\n" in word or "\r" in word:
        raise Refusal("SHP-7", None, "a string that is an event has no line breaks")
    try:
        return word.encode()
    except UnicodeEncodeError as error:
        raise Refusal("SHP-7", None, error.reason) from None


def _head(protocol: str, event: Json) -> bytes:
    """Return the lines before the data of an event; a type that is not printable would write lines of its own, so that
    it gives the event no name."""
    named = backend(protocol).named
    kind = event.get(named if isinstance(named, str) else "type")
    kind = kind if isinstance(kind, str) else None
    head = DATA
    if named and kind and kind.isprintable() and kind.strip() == kind:
        head = NAME + kind.encode() + b"\n" + DATA
    if len(kind or "") <= LONGEST_TYPE and not isinstance(named, str):
        if len(HEADS) >= MOST_HEADS:
            HEADS.clear()
        HEADS[protocol, kind] = head
    return head


__all__ = ["Decoder", "decode", "encode"]
