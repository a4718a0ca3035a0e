"""What stands in place of the keys that an upstream repeats, whatever its status is and however its bytes are cut.

Rule: what comes from an upstream is redacted before anything else sees it, so that no client, log, span or metric does.
"""

from __future__ import annotations

from collections.abc import Iterable

NOTHING = b""


class Redaction:
    """Bytes without secrets. Bytes that may be the beginning of one are held back until more has come, or the end."""

    __slots__ = ("_held", "_shown")

    def __init__(self, secrets: Iterable[tuple[str, bytes]]) -> None:
        """`secrets`, each with what is shown for it."""
        found: dict[bytes, bytes] = {}
        for secret, shown in secrets:
            plain = secret.encode("latin-1")
            for one in (plain, plain.replace(b"/", b"\\/")):  # as some servers write JSON
                found.setdefault(one, shown)
        self._shown = [*found.items()]
        self._held = NOTHING

    def whole(self, data: bytes) -> bytes:
        for secret, shown in self._shown:
            if secret in data:
                data = data.replace(secret, shown)
        return data

    def feed(self, chunk: bytes) -> bytes:
        data = self.whole(self._held + chunk if self._held else chunk)
        size = max((_begun(data, secret) for secret, _ in self._shown), default=0)
        if not size:
            self._held = NOTHING
            return data
        self._held = data[-size:]
        return data[:-size]

    def end(self) -> bytes:
        held, self._held = self._held, NOTHING
        return held


def _begun(data: bytes, secret: bytes) -> int:
    """How many of the last bytes are the beginning of a secret."""
    at = data.find(secret[:1], max(0, len(data) - len(secret) + 1))
    while at >= 0:
        if secret.startswith(data[at:]):
            return len(data) - at
        at = data.find(secret[:1], at + 1)
    return 0
