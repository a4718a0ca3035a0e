"""What of a protocol stands in HTTP instead of in the payload: one declaration a protocol, which proxies read.

Sources: the vendors' API references, and what their official clients send and read. Rule: a protocol that states
nothing here converts like any other, but cannot be a side of an Exchange.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any

from attrs import field, frozen

from ..ir.error import ErrorCategory, by_status, usual_status

Json = Any

SHARED_HEADERS = ("retry-after", "retry-after-ms", "x-should-retry")
"""Response headers that clients of every protocol read alike."""
LIMITED = ("requests", "tokens", "input-tokens", "output-tokens")
FACTS = ("limit", "remaining", "reset")
"""What rate-limit headers are about, and what they state of it."""
REGISTERED = frozenset(HTTPStatus)
"""Statuses that clients of every protocol know, whatever their own vendor uses."""
COMMENT = b": keep-alive\n\n"
"""A comment of server-sent events, which readers skip."""


def no_options(_payload: Json) -> dict[str, Any]:
    return {}


@frozen(kw_only=True)
class Http:
    """How servers of one protocol are called, and what its clients expect of one.

    path        of a request; None: `Backend.route` says it
    asked       reads the path of a request that names its model: {"model": …, "stream": …}, None if it is no such path
    key         the request header with the API key
    scheme      what stands before the key in it
    version     the request header with the version of the API
    betas       the request header that lists betas
    request_id  the response header with the request's id
    limits      the name of rate-limit headers, with {what} of LIMITED and {fact} of FACTS
    resets      what `reset` is: a "time" (RFC 3339), or a "duration" ("6m0s")
    statuses    HTTP statuses of error categories for which protocols have different ones
    keep_alive  bytes that keep a stream open, and that readers skip
    models      where responses and events have the name of the model
    expects     the options for the response that follow from what the client's request asked for
    """

    path: str | None = None
    asked: Callable[[str], dict[str, Any] | None] | None = None
    key: str = "authorization"
    scheme: str = "Bearer "
    version: str | None = None
    betas: str | None = None
    request_id: str | None = None
    limits: str | None = None
    resets: str = "duration"
    statuses: Mapping[ErrorCategory, int] = field(factory=dict)
    keep_alive: bytes = COMMENT
    models: tuple[tuple[str, ...], ...] = (("model",),)
    expects: Callable[[Json], dict[str, Any]] = no_options

    def status_of(self, category: ErrorCategory, status: int | None = None) -> int:
        """The HTTP status of an error; `status`, the upstream's own, where clients of this protocol read it so."""
        usual = self.statuses.get(category) or usual_status(category) or 500
        if status is None or by_status(status) is not category or status // 100 != usual // 100:
            return usual
        standard = status == usual_status(category) and status in REGISTERED
        return usual if category in self.statuses and not standard else status

    def headers_with(self, key: str) -> dict[str, str]:
        """The header that authenticates a request."""
        return {self.key: self.scheme + key}

    def key_in(self, headers: Mapping[str, str]) -> str | None:
        """The key that a client sent; headers by lower-case name. Clients may use the standard scheme, too."""
        found = headers.get(self.key)
        if found is not None and found.startswith(self.scheme):
            return found.removeprefix(self.scheme).strip() or None
        scheme, _, token = headers.get("authorization", "").partition(" ")
        return token.strip() if scheme.lower() == "bearer" and token.strip() else None
