"""One request of a client on its way through the gateway: what is known of it, and what is recorded at its end."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any
from uuid import uuid4

from ..exchange import Exchange
from ..reporting.diagnostics import Diagnostic
from .records import Record, entries


class Call:
    __slots__ = (
        "admitted",
        "begun",
        "body",
        "client",
        "diagnostics",
        "error",
        "exchange",
        "first_byte",
        "headers",
        "id",
        "model",
        "owner",
        "path",
        "payloads",
        "provider",
        "query",
        "sent_model",
        "started",
        "status",
        "streamed",
        "upstream",
        "upstream_status",
        "usage",
    )

    def __init__(self, client: str, path: str, headers: Mapping[str, str], *, payloads: bool = False) -> None:
        self.id = uuid4().hex
        self.client, self.path, self.headers = client, path, headers
        self.query = ""  # which logs do not have, as some clients send their key in it
        self.admitted = False  # whether the client may use the gateway
        self.started, self.begun = time.time(), time.perf_counter()
        self.owner = self.provider = self.upstream = ""
        self.model: str | None = None
        self.sent_model: str | None = None
        self.body = b""
        self.status = 500
        self.upstream_status: int | None = None
        self.first_byte: float | None = None
        self.usage: dict[str, Any] | None = None
        self.error: str | None = None
        self.diagnostics: list[dict[str, str]] = []
        self.exchange: Exchange | None = None
        self.streamed = False
        self.payloads: dict[str, list[bytes]] | None = {} if payloads else None

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
            "losses": sorted({one["rule"] for one in self.diagnostics if one["severity"] == "loss"}),
            "failed": self.error is not None,
        }

    def record(self) -> Record:
        return Record(
            id=self.id,
            started=self.started,
            client=self.client,
            provider=self.provider,
            path=self.path,
            status=self.status,
            upstream=self.upstream,
            model=self.model,
            sent_model=self.sent_model,
            upstream_status=self.upstream_status,
            streamed=self.streamed,
            duration=self.seconds(),
            first_byte=self.first_byte,
            usage=self.usage,
            diagnostics=self.diagnostics,
            error=self.error,
            owner=self.owner,
            **{name: b"".join(pieces) for name, pieces in (self.payloads or {}).items()},
        )
