"""One request of a client on its way through the gateway: what is known of it, and what is recorded at its end."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any
from uuid import uuid4

from attrs import define, field, fields

from ..exchange import Exchange
from ..ir.terminal import Finish
from ..reporting.diagnostics import Diagnostic
from .budget import Budget, Share
from .records import Exchanged, Record, brief, entries


@define
class Call:
    """`admitted`: whether the client may use the gateway; `payloads`: in pieces, None where the log has none."""

    client: str
    path: str
    headers: Mapping[str, str]
    payloads: dict[str, list[bytes]] | None
    id: str = field(factory=lambda: uuid4().hex)
    admitted: bool = False
    started: float = field(factory=time.time)
    begun: float = field(factory=time.perf_counter)
    owner: str = ""
    provider: str = ""
    upstream: str = ""
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
    query: str = ""  # which logs do not have, as some clients send their key in it

    @property
    def target(self) -> str:
        """The path with its query."""
        return f"{self.path}?{self.query}" if self.query else self.path

    def keep(self, name: str, data: bytes) -> None:
        """A payload, or a piece of one, where the log has payloads."""
        if self.payloads is not None:
            self.payloads.setdefault(name, []).append(data)

    def found(self, side: str, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics += entries(side, diagnostics)

    def seconds(self) -> float:
        return time.perf_counter() - self.begun

    def line(self) -> dict[str, Any]:
        """What logs have of it, in one line."""
        return {
            "id": self.id,
            "client": self.client,
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
            "losses": sorted({one["rule"] for one in self.diagnostics if one["severity"] == "loss"}),
            "failed": self.error is not None,
        }

    def record(self) -> Record:
        known: dict[str, Any] = {name: getattr(self, name) for name in RECORDED}
        known |= {name: b"".join(pieces) for name, pieces in (self.payloads or {}).items()}
        return Record(**known, duration=self.seconds())


RECORDED = (*(one.name for one in fields(Exchanged) if one.name != "duration"), "diagnostics", "owner")
