"""The envelope in which a seal travels through a protocol of another vendor and comes back as it was (RSN-4).

    proxai_ir.seal.1.<base64url of the JSON array [provider, kind, id, data]>.<CRC-32 of that base64, eight hex digits>

Rule 1: an envelope is opened wherever it is read, so that no vendor gets another's seal as its own. Rule 2: one that is
damaged or of an unknown version stays closed: a seal without a provider, which no target takes (RSN-10).
"""

from __future__ import annotations

import json
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Any

from .node import Seal

TAG = "proxai_ir.seal."
VERSION = "1"
CLOSED = "closed"  # the kind of a seal whose envelope could not be opened


def read_seal(text: str, provider: str, kind: str) -> Seal:
    """The seal that a provider's protocol holds in one of its slots: its own, or another's in an envelope."""
    return _opened(text, provider) if text.startswith(TAG) else Seal(provider, kind, text)


def seal_text(seal: Seal, provider: str) -> str:
    """What a slot of this provider's protocol holds for the seal; the inverse of `read_seal`."""
    return seal.data if seal.provider == provider or seal.kind == CLOSED else enveloped(seal)


def enveloped(seal: Seal) -> str:
    inner = json.dumps([seal.provider, seal.kind, seal.id, seal.data], separators=(",", ":"))
    body = urlsafe_b64encode(inner.encode())
    return f"{TAG}{VERSION}.{body.decode()}.{_checksum(body)}"


def _checksum(body: bytes) -> str:
    return f"{zlib.crc32(body):08x}"


def _opened(text: str, reader: str) -> Seal:
    version, _, rest = text[len(TAG) :].partition(".")
    body, _, checksum = rest.rpartition(".")
    if version == VERSION and body.isascii() and checksum == _checksum(body.encode()):
        found = _inside(body)
        if found is not None and found.provider != reader:  # a provider gets its own seals without an envelope
            return found
    return Seal("", CLOSED, text)


def _inside(body: str) -> Seal | None:
    try:
        provider, kind, identity, data = json.loads(urlsafe_b64decode(body))
    except (ValueError, TypeError):
        return None
    if not all(isinstance(one, str) for one in (provider, kind, data)) or not isinstance(identity, (str, type(None))):
        return None
    found = Seal(provider, kind, data, identity)
    return found if enveloped(found) == f"{TAG}{VERSION}.{body}.{_checksum(body.encode())}" else None


def is_closed(node: Any) -> bool:
    """Whether a node's seal is in an envelope that could not be opened."""
    return node.seal is not None and node.seal.kind == CLOSED
