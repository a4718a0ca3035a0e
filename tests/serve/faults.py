"""Faults at the n-th step: an upstream, or a database, whose steps are counted and one of which fails.

Nothing waits here: an upstream that hangs is one whose reader is told at once that its time is over, and a database
that hangs does so until it is let go.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from proxai_ir.storage import Storage

from ..clients.provider import reply

NEVER = 10**9


class Steps:
    """Counts; at step `n`, from 0 on, `what` is done in place of the step, or besides it."""

    def __init__(self, n: int = NEVER) -> None:
        self.n = n
        self.count = 0
        self.names: list[str] = []
        self._lock = threading.Lock()

    def is_now(self, name: str = "") -> bool:
        with self._lock:
            self.names.append(name)
            self.count += 1
            return self.count - 1 == self.n


# --- upstreams ---

FAULTS: dict[str, type[Exception]] = {
    "refused": httpx.ConnectError,
    "hang": httpx.ReadTimeout,
    "reset": httpx.ReadError,
    "no HTTP": httpx.RemoteProtocolError,
}
SIZE = 150
"""Bytes of a chunk: fewer than most events have."""
TRUNCATE = "truncate"
"""The body ends as if it were whole."""


class FaultyUpstream(httpx.AsyncBaseTransport):
    """Responds with the text, whole or as a stream. Steps: sending the request, each chunk of the body, and its end."""

    def __init__(self, protocol: str, fault: str, n: int = NEVER) -> None:
        self.protocol, self.fault = protocol, fault
        self.steps = Steps(n)
        self.asked = 0
        self.given = b""
        self.open = 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.asked += 1
        body = request.content
        self._step("request")
        streamed = b'"stream":true' in body or "streamGenerateContent" in request.url.path
        made = reply(self.protocol, "text", streamed)
        self.open += 1
        return httpx.Response(
            made.status,
            headers={"content-type": made.type},
            stream=_Body(self, pieces(b"".join(made.chunks)) if streamed else made.chunks),
        )

    def _step(self, name: str) -> bool:
        """Whether the body ends here. Raises what the fault is."""
        if not self.steps.is_now(name):
            return False
        if self.fault == TRUNCATE:
            return True
        raise FAULTS[self.fault]("the fault")


def pieces(data: bytes) -> list[bytes]:
    return [data[at : at + SIZE] for at in range(0, len(data), SIZE)]


class _Body(httpx.AsyncByteStream):
    def __init__(self, upstream: FaultyUpstream, chunks: list[bytes]) -> None:
        self._upstream, self._chunks = upstream, chunks

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self._chunks:
            if self._upstream._step("chunk"):
                return
            self._upstream.given += chunk
            yield chunk
        self._upstream._step("end")

    async def aclose(self) -> None:
        self._upstream.open -= 1


# --- databases ---

DATABASE_FAULTS = ("fails", "fails after", "is locked", "hangs")


@contextmanager
def faulty(storage: Storage, fault: str, n: int) -> Iterator[Steps]:
    """A storage in SQLite: each statement and each commit is a step."""
    steps, dialect = Steps(n), storage._database._engine.dialect
    freed = threading.Event()
    usual = {name: getattr(dialect, name) for name in ("do_execute", "do_executemany", "do_commit")}

    def wrapped(name: str) -> Callable[..., Any]:
        def step(*given: Any) -> Any:
            if not steps.is_now(name):
                return usual[name](*given)
            if fault == "is locked":
                raise sqlite3.OperationalError("database is locked")
            if fault == "fails":
                raise sqlite3.OperationalError("disk I/O error")
            if fault == "hangs":
                freed.wait(10)
                return usual[name](*given)
            usual[name](*given)
            raise sqlite3.OperationalError("disk I/O error")

        return step

    for name in usual:
        setattr(dialect, name, wrapped(name))
    steps.let_go = freed.set  # type: ignore[attr-defined]
    try:
        yield steps
    finally:
        freed.set()
        for name, function in usual.items():
            setattr(dialect, name, function)
