"""One request of a client on its way through the gateway: what is known of it, and what is recorded at its end."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from attrs import define, field, fields

from ..exchange import Exchange, Upstream
from ..ir.response import Finish
from ..reporting.diagnostics import Diagnostic
from ..storage.records import Exchanged, Record, brief, entries
from .budget import Budget, Share

if TYPE_CHECKING:
    from .upstreams import UpstreamServer

EXCHANGE, LOSSES, ESTIMATED = "x-proxai-exchange", "x-proxai-losses", "x-proxai-estimated"
LONGEST = 200
CUT = "\n[cut by the gateway: this is longer than {} bytes]"


@define
class Call:
    """`admitted`: whether the client may use the gateway; `who`: the name of its key; `payloads`: in pieces, None where
    the log has none, with `most` bytes each; `attempts`: those that failed before the one that the client got."""

    client: str
    path: str
    headers: Mapping[str, str]
    payloads: dict[str, list[bytes]] | None
    most: int = 0
    id: str = field(factory=lambda: uuid4().hex)
    admitted: bool = False
    started: float = field(factory=time.time)
    begun: float = field(factory=time.perf_counter)
    owner: str = ""
    who: str = ""
    own: Mapping[str, str] = field(factory=dict, repr=False)  # the headers with the client's own key for its vendor
    provider: str = ""
    upstream: str = ""
    method: str = "POST"
    model: str | None = field(default=None, converter=brief)
    sent_model: str | None = field(default=None, converter=brief)
    share: Share = field(factory=lambda: Budget(0).share())
    body: bytes = b""
    status: int = 500
    upstream_status: int | None = None
    first_byte: float | None = None
    usage: dict[str, Any] | None = None
    finishes: tuple[Finish, ...] = ()
    error: str | None = None
    diagnostics: list[dict[str, Any]] = field(factory=list)
    exchange: Exchange | None = None
    streamed: bool = False
    estimated: bool = False
    attempts: list[dict[str, str]] = field(factory=list)
    _sizes: dict[str, int] = field(init=False, factory=dict)
    query: str = ""  # which logs do not have, as some clients send their key in it

    @property
    def target(self) -> str:
        """The path with its query."""
        return f"{self.path}?{self.query}" if self.query else self.path

    def keep(self, name: str, data: bytes) -> None:
        """A payload, or a piece of one, where the log has payloads; what is too long is cut, and says so."""
        size = self._sizes.get(name, 0)
        if self.payloads is None or size > self.most:
            return
        self._sizes[name] = size + len(data)
        whole = self._sizes[name] <= self.most
        kept = data if whole else data[: self.most - size] + CUT.format(self.most).encode()
        self.payloads.setdefault(name, []).append(kept)

    def goes_to(self, upstream: UpstreamServer, sent_model: str | None, exchange: Exchange | None = None) -> None:
        """What is known of another upstream, which was asked before, is no more."""
        self.upstream, self.provider, self.exchange = upstream.name, upstream.side.protocol, exchange
        self.sent_model, self.upstream_status = sent_model, None

    def sends(self, sent: Upstream) -> None:
        """What is sent takes the place of what was sent before."""
        self.streamed, self.diagnostics, self.error = sent.stream, [], None
        self.found("request", sent.diagnostics)
        for name in ("upstream_request", "upstream_response"):
            self._sizes.pop(name, None)
            (self.payloads or {}).pop(name, None)
        self.keep("upstream_request", sent.body)

    @property
    def losses(self) -> list[str]:
        """The rules by which something has been lost so far."""
        return sorted({one["rule"] for one in self.diagnostics if one["severity"] == "loss"})

    @property
    def own_headers(self) -> dict[str, str]:
        """What the client's response has of the gateway: where the log has it, and what was lost."""
        losses = ", ".join(self.losses)
        short = losses if len(losses) <= LONGEST else f"{losses[:LONGEST]} ..."
        stated = {EXCHANGE: self.id, LOSSES: short, ESTIMATED: "true" if self.estimated else ""}
        return {name: value for name, value in stated.items() if value}

    def found(self, side: str, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics += entries(side, diagnostics)

    def seconds(self) -> float:
        return time.perf_counter() - self.begun

    def line(self) -> dict[str, Any]:
        """What logs have of it, in one line."""
        return {
            "id": self.id,
            "client": self.client,
            "who": self.who,
            "path": self.path,
            "model": self.model,
            "upstream": self.upstream,
            "sent_model": self.sent_model,
            "status": self.status,
            "upstream_status": self.upstream_status,
            "streamed": self.streamed,
            "seconds": round(self.seconds(), 4),
            "first_byte": None if self.first_byte is None else round(self.first_byte, 4),
            "usage": self.usage,
            "finishes": [one._asdict() for one in self.finishes],
            "attempts": self.attempts,
            "losses": self.losses,
            "failed": self.error is not None,
        }

    def record(self) -> Record:
        known: dict[str, Any] = {name: getattr(self, name) for name in RECORDED}
        known |= {name: b"".join(pieces) for name, pieces in (self.payloads or {}).items()}
        return Record(**known, duration=self.seconds())


RECORDED = (*(one.name for one in fields(Exchanged) if one.name != "duration"), "diagnostics", "owner")
