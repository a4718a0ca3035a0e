"""A gateway in a thread of this process, for one client, and what passed through it.

Rule: what it has to say meanwhile is kept until the client has given back the terminal.
"""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from attrs import define, field

from ..exchange import Memory
from ..reporting.catalogue import KNOWN
from ..serve.access import Access, new_token
from ..serve.config import Config, one_upstream
from ..serve.gateway import Storage, Unstored
from ..serve.server import Started, allow_many_files, bound, pages_of, server_of, started, storage_of
from ..storage.records import Record
from .plan import Upstream

SHUTDOWN = 1.0
"""Seconds in which what still runs has to end: the client that asked for it has ended."""
MOST_SAID = 20


def config_of(upstream: Upstream, port: int = 0, storage: str | None = None, *, keep: bool = True) -> Config:
    """The gateway of one upstream, on this machine, which keeps payloads. Raises ConfigError, CannotRun."""
    kept = {"keep": keep, **({"url": storage} if storage else {})}
    tables: dict[str, Any] = {"listen": {"port": port}, "storage": kept, "log": {"payloads": keep}}
    return one_upstream(upstream.table, upstream.model, **tables, timeouts={"shutdown": SHUTDOWN})


@define
class Passed:
    """What passed through. `tokens`: by kind; `lost`: how many exchanges reported a rule, by rule."""

    exchanges: int = 0
    failed: int = 0
    error: str | None = None
    tokens: Counter[str] = field(factory=Counter)
    lost: Counter[str] = field(factory=Counter)

    def add(self, record: Record) -> None:
        self.exchanges += 1
        if record.failed:
            self.failed += 1
            self.error = record.error or f"status {record.status}"
        counts = {kind: count for kind, count in (record.usage or {}).items() if isinstance(count, int)}
        self.tokens.update(counts)
        self.lost.update({one["rule"] for one in record.diagnostics if one["severity"] != "info"})

    def lines(self) -> list[str]:
        """The summary; empty where nothing did."""
        if not self.exchanges:
            return []
        failed = f", {self.failed} failed; the last: {self.error}" if self.failed else ""
        tokens = ", ".join(f"{kind} {count}" for kind, count in self.tokens.items() if count)
        lines = [f"exchanges  {self.exchanges}{failed}", f"tokens     {tokens or 'none were reported'}"]
        width = max(map(len, self.lost), default=0)
        for rule, count in sorted(self.lost.items(), key=lambda one: (-one[1], one[0])):
            lines.append(
                f"lost       {rule:{width}} in {count}  {KNOWN[rule].sentence if rule in KNOWN else ''}".rstrip()
            )
        return lines if self.lost else [*lines, "lost       nothing"]


class Counted:
    """A storage whose records are counted, too."""

    def __init__(self, storage: Storage, passed: Passed) -> None:
        self._storage, self._passed = storage, passed

    @property
    def memory(self) -> Memory:
        return self._storage.memory

    def record(self, record: Record) -> None:
        self._passed.add(record)
        self._storage.record(record)

    def close(self) -> None:
        self._storage.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._storage, name)  # whatever else a storage has


@define
class Beside:
    """`key`: which the client has to send; `said`: what the gateway would have written to standard error."""

    started: Started
    key: str
    passed: Passed
    log: str | None
    said: list[str] = field(factory=list)


@contextmanager
def gateway(config: Config) -> Iterator[Beside]:
    """Serves until the block ends. Raises ConfigError, AddressError."""
    storage = storage_of(config)
    key, token, passed = new_token(), new_token(), Passed()
    access = Access([key], token)
    sockets = bound(config.listen)
    begun = started(sockets, config.listen, access, token, page=storage is not None)
    beside = Beside(begun, key, passed, storage.shown if storage else None)
    allow_many_files()
    counted = Counted(storage or Unstored(), passed)
    served = server_of(config, counted, access, pages_of(config, storage, access))
    thread = threading.Thread(target=served.run, args=(sockets,), name="gateway")
    with _kept(beside.said):
        thread.start()
        try:
            yield beside
        finally:
            served.should_exit = True
            thread.join()


@contextmanager
def _kept(said: list[str]) -> Iterator[None]:
    """Warnings go into a list; nothing goes to the terminal."""

    class Kept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if len(said) < MOST_SAID:
                said.append(record.getMessage())

    root = logging.getLogger()
    before: list[logging.Handler] = root.handlers
    root.handlers = [Kept(logging.WARNING)]
    try:
        yield
    finally:
        root.handlers = before
