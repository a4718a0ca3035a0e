"""Of which protocol bytes are, and of what kind: one payload, a stream in any framing, or a line of a batch file."""

from __future__ import annotations

from typing import Any

import proxai_ir

from ..batch import compile_line
from ..conversion.bytes import parsed
from ..protocol.detection import detected as of_payload
from ..protocol.registry import framing_of
from ..streaming.lowering import begins, first_of

Found = tuple[str, str, int]
"""A protocol, a kind, and how many members the protocol does not know."""


def detected(data: bytes) -> list[Found]:
    """What the bytes are, the likeliest first; none where no protocol reads them."""
    try:
        payload = parsed(data)
    except proxai_ir.TranslationError:
        return _stream(data)
    if isinstance(payload, list):
        return [(name, "stream", 0) for name in begins(first_of(payload))]
    return [one[:3] for one in of_payload(payload)] or _begun(payload) or _batch(payload)


def _stream(data: bytes) -> list[Found]:
    found = []
    for name in proxai_ir.protocols():
        try:
            events = [*framing_of(name).decode([data])]
        except proxai_ir.TranslationError:
            continue
        if name in begins(first_of(events)):
            found.append((name, "stream", 0))
    return found


def _begun(payload: Any) -> list[Found]:
    """One event of a stream."""
    return [(name, "stream", 0) for name in begins(payload)]


def _batch(payload: Any) -> list[Found]:
    try:
        done = compile_line(payload, None, proxai_ir.protocols()[0])
    except (proxai_ir.TranslationError, proxai_ir.UnknownProtocol):
        return []
    return [(done.src, "batch", 0)]
