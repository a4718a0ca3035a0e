"""What is kept of one exchange: the record of one request of a client and of the response that it got.

Rule: a record has no HTTP headers, so that no key can be in it, neither the client's nor the provider's.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from attrs import field, frozen

from ..reporting.diagnostics import Diagnostic, Severity

Json = Any
PAYLOADS = ("request", "upstream_request", "upstream_response", "response")
"""The payloads of an exchange, in the order in which they are sent."""


@frozen(kw_only=True)
class Exchanged:
    """What is known of every exchange without its payloads. Defaults: what is not known, or was not there.

    started           seconds since 1970
    client, provider  the protocols of both sides
    upstream          the name of the upstream in the configuration
    model             the model that the client asked for
    sent_model        the model that the provider was asked for
    path              of the client's request
    status            the HTTP status that the client got
    upstream_status   the HTTP status of the provider's response
    duration          seconds from the request to the end of the response
    first_byte        seconds from the request to the first byte of the response
    usage             token counts by kind
    error             why the exchange failed
    """

    id: str
    started: float
    client: str
    provider: str
    path: str
    status: int
    upstream: str = ""
    model: str | None = None
    sent_model: str | None = None
    upstream_status: int | None = None
    streamed: bool = False
    duration: float | None = None
    first_byte: float | None = None
    usage: dict[str, Any] | None = None
    error: str | None = None

    @property
    def failed(self) -> bool:
        """Whether the client got an error, or a stream that broke off."""
        return self.status >= 400 or self.error is not None


@frozen(kw_only=True)
class Record(Exchanged):
    """One exchange, whole.

    diagnostics  as `entries` makes them
    owner        a hash of the client's key
    request, upstream_request, upstream_response, response
                 the bodies as they were sent; kept only where the configuration asks for it
    """

    diagnostics: list[dict[str, str]] = field(factory=list)
    owner: str = ""
    request: bytes | None = field(default=None, repr=False)
    upstream_request: bytes | None = field(default=None, repr=False)
    upstream_response: bytes | None = field(default=None, repr=False)
    response: bytes | None = field(default=None, repr=False)

    def found(self, side: str) -> list[Diagnostic]:
        """What was reported of the request, or of the response."""
        return [
            Diagnostic(one["rule"], Severity(one["severity"]), one["path"], one["message"])
            for one in self.diagnostics
            if one["side"] == side
        ]

    @property
    def size(self) -> int:
        """The bytes of its payloads."""
        return sum(len(getattr(self, name) or b"") for name in PAYLOADS)


@frozen(kw_only=True)
class Summary(Exchanged):
    """An exchange in a list. `rules`: for each rule that was reported, the rule, its severity, and how often;
    `session`: whose turn it is, empty where that is not known."""

    rules: tuple[tuple[str, str, int], ...] = ()
    session: str = ""


@frozen(kw_only=True)
class Filter:
    """Which exchanges are wanted; None: any.

    rule         a rule that was reported ("TUL-4"), or a family of rules ("TUL")
    model        the model that the client asked for, or the one that the provider was asked for
    client       the protocol of the client
    status       the HTTP status that the client got, or that the provider gave
    session      whose turns are wanted
    failed       whether the client got an error
    with_models  whether lists of models are wanted, too, and all else that asks for no model
    """

    rule: str | None = None
    model: str | None = None
    client: str | None = None
    status: int | None = None
    session: str | None = None
    failed: bool | None = None
    with_models: bool = True


class Found(NamedTuple):
    """What a search found, the newest first. `further`: where it can go on; None where it came to the log's end."""

    exchanges: list[Summary]
    further: str | None


class Beside(NamedTuple):
    """The session of an exchange, and the ids of the turns before and after it; empty where there is none."""

    session: str = ""
    before: str = ""
    after: str = ""


def entries(side: str, diagnostics: Iterable[Diagnostic]) -> list[dict[str, str]]:
    """Diagnostics as a record has them; `side`: "request" or "response", whose conversion they are of."""
    return [{"side": side, **one.as_json()} for one in diagnostics]
