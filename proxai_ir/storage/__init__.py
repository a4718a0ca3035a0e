"""The storage of a gateway: records of exchanges, and the memory of responses.

It is SQLite in one file, or PostgreSQL for gateways of several processes or machines. Tables are made on first use.
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
"""Seconds between two searches for records that are too old."""
DAY = 86_400.0
MEASURED = 16
"""How often the size of the log is measured while a whole quota is written, as that reads the sizes of all rows."""
PATIENCE = 10.0
"""Seconds that the page and the commands wait for the log."""


class Storage:
    """A storage, whose `memory` is for Exchanges; any thread may use it.

    url          a path, sqlite:///PATH, or postgresql://USER@HOST/DATABASE; None: `default_path()`
    days, most, most_bytes
                 how long exchanges are kept, how many, and how many bytes of them
    queue, queue_bytes
                 how many records may wait for the database, and how many responses for the memory, and their bytes

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
        self._unmeasured = most_bytes  # bytes written since the log was measured, which it has not been at first
        self._clock = clock
        self._swept = time.monotonic()
        self.memory = KeptMemory(self._database, clock, queue=queue, queue_bytes=queue_bytes)

    @property
    def shown(self) -> str:
        """The path or URL, without a password."""
        return self._database.shown

    @property
    def file(self) -> Path | None:
        """The file of a SQLite database."""
        return self._database.file

    @property
    def dropped(self) -> int:
        """The number of records that could not be kept, as the database was away or full for too long."""
        return self._writer.dropped

    def open(self) -> None:
        """Make the tables. Raises StorageError if the database cannot be used, or not now."""
        self._read(lambda connection: connection.execute(select(1)))

    def record(self, record: Record) -> None:
        """Keep a record, which a thread writes soon; this neither waits nor raises."""
        self._writer.put(record)

    def exchanges(self, wanted: Filter = ANY, limit: int = 50, before: str | None = None) -> list[Summary]:
        """Return exchanges, the newest first; `before` is the id of the page before's last one. Raises StorageError."""
        return self.search(wanted, limit, before, math.inf).exchanges

    def search(self, wanted: Filter, limit: int, before: str | None = None, seconds: float = 0.15) -> Found:
        """Return the exchanges that are found in so many seconds. Raises StorageError."""
        return self._read(lambda connection: exchanges.read(connection, wanted, limit, before, seconds))

    def beside(self, name: str) -> Beside:
        """Return the session of an exchange, and its neighbours in it. Raises StorageError."""
        return self._read(lambda connection: exchanges.beside(connection, name))

    def exchange(self, name: str) -> Record | None:
        """Return the exchange with this id. Raises StorageError."""
        return self._read(lambda connection: exchanges.read_one(connection, name))

    def named(self, beginning: str, limit: int) -> list[str]:
        """Return ids with this beginning. Raises StorageError."""
        return self._read(lambda connection: exchanges.named(connection, beginning, limit))

    def sweep(self) -> None:
        """Delete exchanges that are too old or too many, though not all at once. Raises StorageError."""
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
