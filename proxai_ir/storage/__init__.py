"""The storage of a gateway: records of exchanges, and the memory of responses.

It is SQLite in one file, or PostgreSQL for gateways of several processes or machines. Tables are made on first use.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from threading import Event, Thread
from typing import Any, TypeVar

from sqlalchemy import Connection, select

from . import exchanges, sessions, told
from .database import Database, StorageError, default_path
from .memory import BUDGET, KeptMemory
from .records import Beside, Filter, Found, Record, Summary, summed
from .writer import Writer

__all__ = ["Storage", "StorageError", "default_path"]

ANY = Filter()
Result = TypeVar("Result")
SWEEPS = 60.0
"""Seconds between two searches for records that are too old."""
DAY = 86_400.0
PATIENCE = 10.0
"""Seconds that the page and the commands wait for the log."""


class Storage:
    """A storage, whose `memory` is for Exchanges; any thread may use it. `shown`, `file`, `shared`: as of a Database.

    url          a path, sqlite:///PATH, or postgresql://USER@HOST/DATABASE; None: `default_path()`
    days, most, most_bytes
                 how long exchanges are kept, how many, and how many bytes of them
    memory_days, memory_bytes
                 the same of the memory
    queue, queue_bytes
                 how many records may wait for the database, and how many responses for the memory, and their bytes
    clock        returns the seconds since 1970

    Raises StorageError for a URL that is none. The database is opened when it is first used, or by `open`.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        days: float = 30,
        most: int = 100_000,
        most_bytes: int = 4 << 30,
        memory_days: float = 30,
        memory_bytes: int = 1 << 30,
        queue: int = 10_000,
        queue_bytes: int = 64 << 20,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._database = Database(url)
        self.shown, self.file, self.shared = self._database.shown, self._database.file, self._database.shared
        self._writer: Writer[Record] = Writer(self._write, "records", most=queue, most_bytes=queue_bytes)
        self._days, self._most, self._most_bytes = days, most, most_bytes
        self._unmeasured = most_bytes  # bytes written since the log was measured, which it has not been at first
        self.clock = clock
        self._closed = Event()
        self._sweeps: Thread | None = None
        bounds = memory_days * DAY, memory_bytes
        self.memory = KeptMemory(self._database, clock, bounds, queue=queue, queue_bytes=queue_bytes)

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

    def sums(
        self, columns: Sequence[str], wanted: Filter = ANY, since: float = -math.inf, until: float = math.inf
    ) -> list[dict[str, Any]]:
        """Return sums by columns over the exchanges that began in a time, as `summed` has them. Raises StorageError."""

        def found() -> Iterator[Sequence[Any]]:
            place = None
            while True:
                look = partial(exchanges.sums, wanted=wanted, columns=columns, place=place, since=since, until=until)
                rows, place = self._read(look)
                yield from rows
                if place is None:
                    return

        return summed(found(), columns)

    def beside(self, name: str) -> Beside:
        """Return the session of an exchange, and its neighbours in it. Raises StorageError."""
        return self._read(lambda connection: exchanges.beside(connection, name))

    def exchange(self, name: str) -> Record | None:
        """Return the exchange with this id. Raises StorageError."""
        return self._read(lambda connection: exchanges.read_one(connection, name))

    def named(self, beginning: str, limit: int) -> list[str]:
        """Return ids with this beginning. Raises StorageError."""
        return self._read(lambda connection: exchanges.named(connection, beginning, limit))

    def tell(self, process: str, news: Mapping[str, Any], since: float) -> told.Heard:
        """Tell other processes the news, and return what they told since then. Raises StorageError."""
        return self._database.within(BUDGET, lambda one: told.exchanged(one, process, news, since), write=True)

    def keep_swept(self) -> None:
        """Sweep now, and then every SWEEPS seconds in a thread, until the storage is closed."""
        self._sweeps = Thread(target=self._keep_swept, name="proxai-ir sweeps", daemon=True)
        self._sweeps.start()

    def sweep(self) -> None:
        """Delete what is too old or too much, some rows at a time, and shrink the file. Raises StorageError."""
        self.memory.sweep()
        oldest = self.clock() - self._days * DAY
        if self._unmeasured * exchanges.MEASURED >= self._most_bytes:
            beyond = self._database.run(
                lambda connection: exchanges.beyond(connection, exchanges.LOG, self._most_bytes)
            )
            oldest, self._unmeasured = max(oldest, beyond), 0
        while self._database.run(lambda connection: exchanges.forget(connection, oldest, self._most), write=True):
            pass
        if self.shared:
            self._database.run(told.forget, write=True)
        self._database.shrink()

    def close(self, timeout: float = 5.0) -> None:
        """Write what waits, for so many seconds at most."""
        until = time.monotonic() + timeout
        self._closed.set()
        self.memory.close(timeout)
        self._writer.close(max(0.0, until - time.monotonic()))
        if self._sweeps is not None:
            self._sweeps.join(max(0.0, until - time.monotonic()))
        self._database.close()

    def _keep_swept(self) -> None:
        while True:
            with suppress(StorageError):  # the next one may succeed, and the writers complain
                self.sweep()
            if self._closed.wait(SWEEPS):
                return

    def _read(self, work: Callable[[Connection], Result]) -> Result:
        return self._database.within(PATIENCE, work)

    def _write(self, records: Sequence[Record]) -> None:
        self.memory.settle()

        def write(connection: Connection) -> None:
            kept = self.memory.as_of(connection)
            exchanges.write(connection, records, sessions.assigned(connection, records, kept))

        self._database.run(write, write=True)
        self._unmeasured += sum(record.size for record in records)
