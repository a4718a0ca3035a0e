"""Records of exchanges, searches among them, and sums over them.

Rule 1: a record has no HTTP headers, so that no key can be in it, neither the client's nor the provider's. Rule 2: all
its fields are bounded, whatever clients and providers send.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from io import StringIO
from itertools import islice
from typing import Any, NamedTuple

from attrs import field, frozen

from ..ir.response import PARTITION
from ..json.types import cut, visible
from ..reporting.diagnostics import Diagnostic, Severity

PAYLOADS = ("request", "upstream_request", "upstream_response", "response")
"""The payloads of an exchange, in the order in which they are sent."""
MOST_TEXT = 1000
"""Characters of each text."""
MOST_FOUND = 500
"""Diagnostics of a conversion that are kept one by one; the others are counted by rule."""
BESIDES = 500
"""About how many bytes of memory a record or a diagnostic takes in addition to its texts."""


def _kept(text: str) -> str:
    return cut(text, MOST_TEXT)


def brief(text: str | None) -> str | None:
    return None if text is None else _kept(text)


@frozen(kw_only=True)
class Exchanged:
    """The facts about an exchange without its payloads; a default means that a fact is not known or absent."""

    id: str
    started: float  # seconds since 1970
    client: str  # the protocol of the client
    provider: str  # the protocol of the provider
    path: str = field(converter=_kept)  # of the client's request
    status: int  # the HTTP status that the client got
    upstream: str = ""  # its name in the configuration
    model: str | None = field(default=None, converter=brief)  # the model that the client asked for
    sent_model: str | None = field(default=None, converter=brief)  # the model that the provider was asked for
    upstream_status: int | None = None  # the HTTP status of the provider's response
    streamed: bool = False
    duration: float | None = None  # seconds from the request to the end of the response
    first_byte: float | None = None  # seconds from the request to the first byte of the response
    usage: dict[str, Any] | None = None  # token counts by kind
    error: str | None = field(default=None, converter=brief)  # why the exchange failed
    who: str = ""  # the name of the client's key
    attempts: list[dict[str, str]] = field(factory=list)  # that failed before the last: "upstream", "reason", "detail"

    @property
    def failed(self) -> bool:
        """Whether the client got an error, or a stream that broke off."""
        return self.status >= 400 or self.error is not None


@frozen(kw_only=True)
class Record(Exchanged):
    """One exchange, whole; with the bodies as they were sent, where the configuration asks for it."""

    diagnostics: list[dict[str, Any]] = field(factory=list)  # as `entries` makes them
    owner: str = ""  # a hash of the client's key
    session: str = ""  # a hash of the session that the client names, or ""
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
    """The conditions of a search; None: any."""

    rule: str | None = None  # a rule that was reported ("TUL-4"), or a family of rules ("TUL")
    model: str | None = None  # that the client asked for, or that the provider was asked for
    client: str | None = None  # the protocol of the client
    status: int | None = None  # the HTTP status that the client got, or that the provider gave
    session: str | None = None
    failed: bool | None = None  # whether the client got an error
    with_models: bool = True  # whether requests are included that name no model, as those for lists of models


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


# --- sums -------------------------------------------------------------------------------------------------------------

TIMES = {"day": "%Y-%m-%d", "hour": "%Y-%m-%d %H:00"}
"""The columns of times, which are UTC, and their forms."""
COLUMNS = ("who", "model", "sent_model", "upstream", "client", "provider", "status", *TIMES, "rule")
"""What can be told apart: fields of an exchange, the time at which it began, and the rules of its losses."""
COUNTS = ("exchanges", "failed", "losses", *PARTITION)


def columns_of(stated: str, known: Collection[str] = COLUMNS) -> list[str]:
    """Return the columns that a text names, between commas. Raises ValueError with a sentence for another one."""
    columns = list(dict.fromkeys(name.strip() for name in stated.split(",")))
    if wrong := [name for name in columns if name not in known]:
        raise ValueError(f"there is no column {wrong[0]!r:.80}; expected some of {', '.join(known)}.")
    return columns


def summed(found: Iterable[Sequence[Any]], columns: Sequence[str]) -> list[dict[str, Any]]:
    """Return a row for each combination of values of the columns, in their order, with COUNTS.

    `found` has values and counts of parts of the log.
    """
    sums: dict[tuple[str, ...], list[int]] = {}
    for row in found:
        values, counts = tuple(row[: len(columns)]), [*map(int, row[len(columns) :])]
        so_far = sums.get(values)
        sums[values] = counts if so_far is None else [a + b for a, b in zip(so_far, counts, strict=True)]
    names = (*columns, *COUNTS)
    return [dict(zip(names, (*values, *sums[values]), strict=True)) for values in sorted(sums)]


def as_csv(sums: Iterable[dict[str, Any]], columns: Sequence[str]) -> str:
    """Return sums as CSV with a line of names; what is not printable is escaped."""
    text = StringIO()
    rows = ([visible(str(value)) for value in one.values()] for one in sums)
    csv.writer(text, lineterminator="\n").writerows([(*columns, *COUNTS), *rows])
    return text.getvalue()
