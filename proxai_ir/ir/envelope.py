"""The envelope in which a seal travels through a protocol of another vendor and comes back as it was (RSN-9, RSN-11).

    proxai_ir.seal.1.BODY.CHECK         BODY: base64url of the JSON array [provider, kind, id, data]; provider:
                                        "anthropic", or "anthropic/deepseek" of another maker's model in its protocol
                                        CHECK: CRC-32 of BODY, eight hex digits
    proxai_ir.seal.2.KEY.BODY.CHECK     KEY: the id of the key; BODY: base64url of [provider, kind, id, data, expires]
                                        CHECK: base64url of HMAC-SHA256(key, "proxai_ir.seal.2.KEY.BODY.AUDIENCE")

Rule 1: a frontend reads every envelope as a closed seal, which no target accepts; only the caller's options open it
(passes/seals.py). Rule 2: an envelope of version 1 proves nothing about its maker, one of version 2 was made with the
key; neither hides its content. Rule 3: no text raises an exception; it is opened, or stays closed.
"""

from __future__ import annotations

import json
import re
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from typing import Any

import orjson
from attrs import evolve, field

from ..json.classes import frozen
from ..json.types import described
from .node import Seal

TAG = "proxai_ir.seal."
PLAIN, AUTHENTICATED = "1", "2"  # versions
LONGEST = 1024 * 1024
"""The most characters that an envelope may have."""

SHORTEST_KEY = 16
KEY_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
KEYS = f"ids of 1 to 64 characters A-Z, a-z, 0-9, _ and -, each with a key of at least {SHORTEST_KEY} bytes"

INTEGER = (int, "an integer")
NONE = Seal("", "none", "")
"""The content of an envelope for a part that never had a seal (RSN-16)."""
CLOSED = "closed"  # the kind of a seal in an envelope that was not opened
UNVERIFIED = "unverified"  # the kind of a seal in an envelope that is not authentic


MEMBERS = {
    "ids": (bool, "True or False"),
    "audience": (str, "a string"),
    "maker": (str, "a string"),
    "expires": INTEGER,
    "now": INTEGER,
}
"""The types of the members of Seals other than `keys`, and how messages name these types."""


def are_keys(keys: Mapping[Any, Any]) -> bool:
    """Return whether there is a key, each has an id, and none is so short that it could be guessed."""
    ids = all(isinstance(key_id, str) and KEY_ID.fullmatch(key_id) for key_id in keys)
    return ids and len(keys) > 0 and all(type(key) is bytes and len(key) >= SHORTEST_KEY for key in keys.values())


@frozen
class Seals:
    """A Seals states how other vendors' signatures travel: in envelopes that come back with the next request (RSN-9).

    keys      {"id": b"secret"}: the first key makes envelopes, and each of them opens them (RSN-11); None: envelopes
              prove nothing about who made them
    ids       whether the id of a call carries its signature, for clients that send nothing else back (RSN-29)
    audience  with keys: a text that must be the same when an envelope is made and when it is opened
    maker     who made the model that is asked, if that is known: a model of another maker cannot read what it signed,
              though it has the same protocol
    expires   with keys: the Unix time until which new envelopes can be opened; None: for ever
    now       with keys: the Unix time at which envelopes are opened; None: those that expire stay closed

    Raises TypeError for values of another type, keys that could be guessed, and what needs keys without them.
    """

    keys: Mapping[str, bytes] | None = field(default=None, repr=False)
    ids: bool = False
    audience: str = ""
    maker: str = ""
    expires: int | None = None
    now: int | None = None

    def __attrs_post_init__(self) -> None:
        if self.keys is not None and not (isinstance(self.keys, Mapping) and are_keys(self.keys)):  # quotes no key
            raise TypeError(f"'keys' of Seals is a {type(self.keys).__name__} that holds no such keys; expected {KEYS}")
        for name, (kind, expected) in MEMBERS.items():
            value = getattr(self, name)
            if type(value) is not kind and not (value is None and kind is int):
                raise TypeError(f"{name!r} of Seals is {described(value)}; expected {expected}")
        if self.keys is None and (self.audience or self.expires is not None or self.now is not None):
            raise TypeError(
                "'audience', 'expires' and 'now' of Seals are for envelopes made with keys; expected 'keys' too"
            )

    def whose(self, provider: str) -> str:
        """Return the name in envelopes for a seal of a protocol's vendor, or of a model that another one has made."""
        return f"{provider}/{self.maker}" if provider and self.maker not in ("", provider) else provider


def read_seal(text: str, provider: str, kind: str) -> Seal:
    """Return the seal in a slot of a provider's protocol: the provider's own, or an envelope, which stays closed."""
    return Seal("", CLOSED, text) if text.startswith(TAG) else Seal(provider, kind, text)


def seal_text(seal: Seal, provider: str) -> str:
    """Return the text for a seal in a slot of this provider's protocol; the inverse of `read_seal`."""
    return seal.data if seal.provider == provider or seal.kind in (CLOSED, UNVERIFIED) else enveloped(seal)


PLAINLY = Seals()
"""Envelopes that anybody could make."""


def enveloped(seal: Seal, seals: Seals = PLAINLY) -> str:
    inner: list[Any] = [seals.whose(seal.provider), seal.kind, seal.id, seal.data]
    if seals.keys is None:
        body = _base64(inner)
        return f"{TAG}{PLAIN}.{body}.{_checksum(body)}"
    key_id, key = next(iter(seals.keys.items()))
    signed = f"{TAG}{AUTHENTICATED}.{key_id}.{_base64([*inner, seals.expires])}"
    return f"{signed}.{_check_of(signed, key, seals.audience)}"


def opened(envelope: Seal, seals: Seals) -> Seal:
    """Return the seal in an envelope; if it cannot be opened, return a seal of kind CLOSED or UNVERIFIED.

    The provider of a seal that another maker's model has issued is one that no target knows.
    """
    found = _opened(envelope, seals)
    provider, _, maker = found.provider.partition("/")
    if found.provider == seals.whose(provider):
        return evolve(found, provider=provider)
    return evolve(found, provider=f"{provider}/{maker or provider}")


def _opened(envelope: Seal, seals: Seals) -> Seal:
    text = envelope.data
    if len(text) > LONGEST or not text.isascii():
        return envelope
    signed, _, check = text.rpartition(".")
    version, _, rest = signed[len(TAG) :].partition(".")
    if version not in (PLAIN, AUTHENTICATED):
        return envelope
    if version == PLAIN and seals.keys is None:
        found = _read(rest, 4) if check == _checksum(rest) else None
        return envelope if found is None or enveloped(found[0]) != text else found[0]
    found = None if version == PLAIN else _authentic(signed, rest, check, seals)
    return Seal("", UNVERIFIED, text) if found is None else found[0]


def _authentic(signed: str, rest: str, check: str, seals: Seals) -> tuple[Seal, Any] | None:
    """Return the seal in an envelope that was made with one of the keys, for this audience, and has not expired."""
    key_id, _, body = rest.partition(".")
    key = (seals.keys or {}).get(key_id)
    from hmac import compare_digest  # slow to load, and rarely needed

    if key is None or not compare_digest(_check_of(signed, key, seals.audience), check):
        return None
    found = _read(body, 5)
    if found is None or found[1] is None:
        return found
    return found if seals.now is not None and seals.now < found[1] else None


def _check_of(signed: str, key: bytes, audience: str) -> str:
    """Return the last part of an envelope, computed from what is before it."""
    from hmac import digest  # slow to load, and rarely needed

    text = f"{signed}.{audience}".encode("utf-8", "surrogatepass")
    return urlsafe_b64encode(digest(key, text, "sha256")).decode()


def _read(body: str, members: int) -> tuple[Seal, Any] | None:
    """Return the seal in the body of an envelope and the time when it expires, or None if there is no seal."""
    try:
        inner = orjson.loads(urlsafe_b64decode(body))  # it limits the depth
    except ValueError:
        return None
    if type(inner) is not list or len(inner) != members:
        return None
    provider, kind, identity, data, *expires = inner
    if not all(isinstance(one, str) for one in (provider, kind, data)) or not isinstance(identity, (str, type(None))):
        return None
    return Seal(provider, kind, data, identity), expires[0] if expires else None


def _base64(inner: list[Any]) -> str:
    return urlsafe_b64encode(json.dumps(inner, separators=(",", ":")).encode()).decode()


def _checksum(body: str) -> str:
    return f"{zlib.crc32(body.encode()):08x}"


def holds_envelope(seal: Seal) -> bool:
    """Return whether a slot's seal is another provider's, in an envelope."""
    return seal.data.startswith(TAG)


def is_closed(node: Any) -> bool:
    """Return whether a node's seal is in an envelope that was not opened."""
    return node.seal is not None and node.seal.kind == CLOSED


def is_unverified(node: Any) -> bool:
    """Return whether a node's seal is in an envelope that is not authentic."""
    return node.seal is not None and node.seal.kind == UNVERIFIED
