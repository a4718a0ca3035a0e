"""Records of exchanges, and the sessions whose turns they are.

Rule 1: a record has no HTTP headers, so that no key can be in it, neither the client's nor the provider's. Rule 2: all
its fields are bounded, whatever clients and providers send.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple

import orjson
from attrs import field, frozen

from ..exchange.memory import Memory, Recollection, Unavailable, digest, first_reference
from ..protocol.registry import frontend
from ..reporting.diagnostics import Diagnostic, Severity

Json = Any
PAYLOADS = ("request", "upstream_request", "upstream_response", "response")
"""The payloads of an exchange, in the order in which they are sent."""
MOST_TEXT = 1000
"""Characters of each text."""
MOST_FOUND = 500
"""Diagnostics of a conversion that are kept one by one; the others are counted by rule."""
BESIDES = 500
"""About how many bytes of memory a record or a diagnostic takes in addition to its texts."""


def cut(text: str) -> str:
    """Return a text of at most MOST_TEXT characters; a longer one is cut and ends with `…`."""
    return text if len(text) <= MOST_TEXT else text[: MOST_TEXT - 1] + "…"


def brief(text: str | None) -> str | None:
    return None if text is None else cut(text)


@frozen(kw_only=True)
class Exchanged:
    """The facts about an exchange without its payloads; a default means that a fact is not known or absent.

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
    who               the name of the client's key
    attempts          those that failed before the last: "upstream", "reason", "detail"
    """

    id: str
    started: float
    client: str
    provider: str
    path: str = field(converter=cut)
    status: int
    upstream: str = ""
    model: str | None = field(default=None, converter=brief)
    sent_model: str | None = field(default=None, converter=brief)
    upstream_status: int | None = None
    streamed: bool = False
    duration: float | None = None
    first_byte: float | None = None
    usage: dict[str, Any] | None = None
    error: str | None = field(default=None, converter=brief)
    who: str = ""
    attempts: list[dict[str, str]] = field(factory=list)

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

    diagnostics: list[dict[str, Any]] = field(factory=list)
    owner: str = ""
    request: bytes | None = field(default=None, repr=False)
    upstream_request: bytes | None = field(default=None, repr=False)
    upstream_response: bytes | None = field(default=None, repr=False)
    response: bytes | None = field(default=None, repr=False)

    def found(self, side: str) -> list[Diagnostic]:
        """Return the diagnostics of the request, or of the response."""
        return [
            Diagnostic(one["rule"], Severity(one["severity"]), one["path"], one["message"])
            for one in self.diagnostics
            if one["side"] == side
        ]

    @property
    def payloads(self) -> dict[str, bytes | None]:
        """The payloads by name; empty if none was kept."""
        found = {name: getattr(self, name) for name in PAYLOADS}
        return found if any(found.values()) else {}

    @property
    def size(self) -> int:
        """About how many bytes it takes, and no less than in the database."""
        texts = (self.model, self.sent_model, self.path, self.error)
        found = sum(len(one["path"]) + len(one["message"]) + BESIDES for one in self.diagnostics)
        return BESIDES + sum(len(one or "") for one in (*texts, *self.payloads.values())) + found


@frozen(kw_only=True)
class Summary(Exchanged):
    """An exchange in a list, with each rule that was reported, its severity and how often; and its session, or ""."""

    rules: tuple[tuple[str, str, int], ...] = ()
    session: str = ""


@frozen(kw_only=True)
class Filter:
    """The conditions of a search; None: any.

    rule         a rule that was reported ("TUL-4"), or a family of rules ("TUL")
    model        the model that the client asked for, or the one that the provider was asked for
    client       the protocol of the client
    status       the HTTP status that the client got, or that the provider gave
    session      the session of the exchange
    failed       whether the client got an error
    with_models  whether requests are included that name no model, as those for lists of models
    """

    rule: str | None = None
    model: str | None = None
    client: str | None = None
    status: int | None = None
    session: str | None = None
    failed: bool | None = None
    with_models: bool = True


class Found(NamedTuple):
    """The result of a search, the newest first; `further` is where it can go on, or None at the log's end."""

    exchanges: list[Summary]
    further: str | None


class Beside(NamedTuple):
    """The session of an exchange, and the ids of the turns before and after it; "" if there is none."""

    session: str = ""
    before: str = ""
    after: str = ""


def entries(side: str, diagnostics: Iterable[Diagnostic]) -> list[dict[str, Any]]:
    """Return diagnostics as a record has them; `side` is "request" or "response".

    Beyond the first ones there is one entry a rule, with the number of its diagnostics as `times`.
    """
    rest = iter(diagnostics)
    kept: list[dict[str, Any]] = [{"side": side, **one.as_json()} for one in islice(rest, MOST_FOUND)]
    for (rule, severity), times in Counter((one.rule, str(one.severity)) for one in rest).items():
        message = f"{times} more of this rule; of a conversion the first {MOST_FOUND} diagnostics are kept."
        kept.append({"side": side, "rule": rule, "severity": severity, "path": "", "message": message, "times": times})
    return kept


# --- sessions ---------------------------------------------------------------------------------------------------------
# Requests of one client with the same first user message are turns of one session, as clients have no common name for
# one. Only the message's texts count, since clients move cache markers from one turn to the next.

TEXTS = ("text", "content")
"""The members that hold texts of messages, in all protocols."""


def session_of(record: Record, memory: Memory) -> str | None:
    """Return the name of a record's session, or None if its request was not kept, cannot be read or has no message."""
    try:
        request = orjson.loads(record.request or b"")
        references = frontend(record.client).memory
        if references and first_reference(references, request):
            request = Recollection(references, memory, record.owner).recall(request)[0]
        lists = [references.items(request)] if references else request.values()
        messages = (one for items in lists if isinstance(items, list) for one in items if isinstance(one, dict))
        first = next((one for one in messages if one.get("role") == "user"), None)
        name = digest([record.owner, record.client, list(texts(first)) or first]) if first else None
    except (ValueError, TypeError, AttributeError, RecursionError, Unavailable):  # not a request
        return None
    return name and name[:16]


def texts(item: Json) -> Iterator[str]:
    if isinstance(item, dict):
        yield from (item[name] for name in TEXTS if isinstance(item.get(name), str))
    for value in item if isinstance(item, list) else item.values() if isinstance(item, dict) else ():
        yield from texts(value)
