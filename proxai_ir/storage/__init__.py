"""Where a gateway keeps what passed through it: records of exchanges, and the memory of responses.

SQLite in one file, or PostgreSQL for gateways of several processes or machines. The tables are made on first use.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Connection, select

from . import exchanges
from .database import Database, StorageError, default_path
from .memory import KeptMemory
from .records import Beside, Filter, Found, Record, Summary, session_of
from .writer import Writer

__all__ = ["Storage", "StorageError", "default_path"]

ANY = Filter()
Result = TypeVar("Result")
SWEEPS = 60.0
"""Seconds between two searches for what is too old."""
DAY = 86_400.0
MEASURED = 16
"""How often the log is measured while its whole quota is written once: measuring reads the sizes of all rows."""
PATIENCE = 10.0
"""Seconds that the page and the commands wait for the log."""


class Storage:
    """`memory` is one for Exchanges, and `record` keeps a record; both can be called from any thread.

    url          a path, sqlite:///PATH, or postgresql://USER@HOST/DATABASE; None: `default_path()`
    days, most   how long exchanges are kept, how many,
    most_bytes   and how many bytes of them
    queue        how many records may wait for the database, and how many responses for the memory, and
    queue_bytes  how many bytes each of these may have

    Raises StorageError for a URL that is none. The database is opened when it is first used, or by `open`.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        days: float = 30,
        most: int = 100_000,
        most_bytes: int = 4 << 30,
        queue: int = 10_000,
        queue_bytes: int = 64 << 20,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._database = Database(url)
        self._writer: Writer[Record] = Writer(self._write, "records", most=queue, most_bytes=queue_bytes)
        self._days, self._most, self._most_bytes = days, most, most_bytes
        self._unmeasured = most_bytes  # bytes written since the log was measured: at first it is not known
        self._clock = clock
        self._swept = time.monotonic()
        self.memory = KeptMemory(self._database, clock, queue=queue, queue_bytes=queue_bytes)

    @property
    def shown(self) -> str:
        """Where it is, without a password."""
        return self._database.shown

    @property
    def file(self) -> Path | None:
        """The file of a SQLite database."""
        return self._database.file

    @property
    def dropped(self) -> int:
        """How many records could not be kept: the database was away, or full, for too long."""
        return self._writer.dropped

    def open(self) -> None:
        """Make the tables. Raises StorageError where the database cannot be used, or not now."""
        self._read(lambda connection: connection.execute(select(1)))

    def record(self, record: Record) -> None:
        """Keep a record. It is written soon, in a thread of the storage; this neither waits nor raises."""
        self._writer.put(record)

    def exchanges(self, wanted: Filter = ANY, limit: int = 50, before: str | None = None) -> list[Summary]:
        """Exchanges, the newest first; `before`: the id of the last one of the page before. Raises StorageError."""
        return self.search(wanted, limit, before, math.inf).exchanges

    def search(self, wanted: Filter, limit: int, before: str | None = None, seconds: float = 0.15) -> Found:
        """Return the same, which ends when so many seconds are over, whatever it has found. Raises StorageError."""
        return self._read(lambda connection: exchanges.read(connection, wanted, limit, before, seconds))

    def beside(self, name: str) -> Beside:
        """Return the session of an exchange, and its neighbours there. Raises StorageError."""
        return self._read(lambda connection: exchanges.beside(connection, name))

    def exchange(self, name: str) -> Record | None:
        """Return the exchange with this id. Raises StorageError."""
        return self._read(lambda connection: exchanges.read_one(connection, name))

    def named(self, beginning: str, limit: int) -> list[str]:
        """Return the ids that begin so. Raises StorageError."""
        return self._read(lambda connection: exchanges.named(connection, beginning, limit))

    def sweep(self) -> None:
        """Delete exchanges that are too old or too many, a part of them where there are a lot. Raises StorageError."""
        oldest = self._clock() - self._days * DAY
        if self._unmeasured * MEASURED >= self._most_bytes:
            beyond = self._database.run(lambda connection: exchanges.beyond(connection, self._most_bytes))
            oldest, self._unmeasured = max(oldest, beyond), 0
        for _ in range(exchanges.MOST_SLICES):
            if not self._database.run(lambda connection: exchanges.forget(connection, oldest, self._most), write=True):
                return

    def close(self, timeout: float = 5.0) -> None:
        """Write what waits, for so many seconds at most."""
        until = time.monotonic() + timeout
        self.memory.close(timeout)
        self._writer.close(max(0.0, until - time.monotonic()))
        self._database.close()

    def _read(self, work: Callable[[Connection], Result]) -> Result:
        return self._database.within(PATIENCE, work)

    def _write(self, records: Sequence[Record]) -> None:
        self.memory.settle()

        def write(connection: Connection) -> None:
            kept = self.memory.as_of(connection)
            exchanges.write(connection, records, {one.id: session_of(one, kept) for one in records})

        self._database.run(write, write=True)
        self._unmeasured += sum(record.size for record in records)
        if time.monotonic() - self._swept >= SWEEPS:
            self._swept = time.monotonic()
            self.sweep()
