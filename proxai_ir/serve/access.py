"""Who may use the gateway: client keys, this machine alone without them, and bounds on what a client sends.

Rule 1: keys are compared in constant time, and only their hashes are kept. Rule 2: without keys, pages in a browser
cannot use the gateway: the names that a request has for the gateway and for its own origin are checked.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterable, Mapping
from typing import Any

from .config import is_loopback
from .refusals import Forbidden

Headers = Mapping[str, str]
HOST = re.compile(r"(?:\w+://)?(\[[^\]]*\]|[^:/]*)(?::\d*)?/?")
"""The host of a `Host` or `Origin` header."""


class Access:
    """The clients that are known."""

    def __init__(self, keys: Iterable[str] = (), most_bytes: int = 64 * 1024) -> None:
        self._known = [hashlib.sha256(key.encode()).digest() for key in keys]
        self._most_bytes = most_bytes

    def owner(self, key: str | None, headers: Headers) -> str:
        """The name under which a client's responses are kept: a hash of its key. Raises Forbidden."""
        if not self._known:
            _check_local_names(headers)
            return ""
        given = hashlib.sha256((key or "").encode()).digest()
        found = [known for known in self._known if hmac.compare_digest(known, given)]
        if key is None or not found:
            raise Forbidden(401, "The API key is missing." if key is None else "The API key is not known.")
        return given.hex()[:32]

    def check_size(self, headers: Iterable[tuple[bytes, bytes]]) -> None:
        """Raises Forbidden for too many bytes of headers."""
        if sum(len(name) + len(value) for name, value in headers) > self._most_bytes:
            raise Forbidden(431, f"The headers are longer than {self._most_bytes} bytes.")


def _check_local_names(headers: Headers) -> None:
    for name in ("host", "origin"):
        value = headers.get(name)
        if value is None:
            continue
        found = HOST.fullmatch(value)
        if found is None or not is_loopback(found[1]):
            raise Forbidden(403, f"The gateway has no client keys, and serves this machine alone; `{name}` is another.")


def is_local(scope: Mapping[str, Any]) -> bool:
    """Whether a request comes from this machine, and calls the gateway by a name of this machine."""
    client = scope.get("client")
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
    try:
        _check_local_names(headers)
    except Forbidden:
        return False
    return client is None or is_loopback(client[0])
