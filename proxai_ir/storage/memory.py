"""The memory of an Exchange in the database, for clients that refer to earlier responses; any process can read it.

Rule 1: no response waits for its memory, which a thread writes. What cannot be kept is dropped, counted and logged.
Rule 2: `get` and `delete` wait BUDGET at most and raise StorageError: no client learns that a reference is unknown
because the database hangs.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from typing import Any

import orjson
from attrs import frozen
from sqlalchemy import Connection, bindparam, delete, select

from ..exchange.memory import Memory, size_of
from .database import MEMORY, Database, insert
from .writer import Writer

Json = Any
BUDGET = 1.0
"""Seconds that a request waits for the memory before it is refused."""
SWEEPS = 60.0
"""Seconds between two searches for expired values."""

VALUE = select(MEMORY.c.value).where(MEMORY.c.key == bindparam("wanted"), MEMORY.c.until >= bindparam("now"))
GONE = delete(MEMORY).where(MEMORY.c.key == bindparam("wanted"))
EXPIRED = delete(MEMORY).where(MEMORY.c.until < bindparam("now"))


@frozen
class Job:
    """Keeps a response when it is called with the memory; it holds about `size` bytes."""

    work: Callable[[Memory], None]
    size: int


class KeptMemory:
    """The memory of Exchanges (`proxai_ir.exchange.Memory`) in the database."""

    def __init__(
        self, database: Database, clock: Callable[[], float] = time.time, *, queue: int, queue_bytes: int
    ) -> None:
        self._database = database
        self._clock = clock
        self._writer = Writer(self._keep, "responses", most=queue, most_bytes=queue_bytes, linger=0)
        self._swept: float | None = None

    @property
    def forgotten(self) -> int:
        """The number of values and responses that were not kept."""
        return self._writer.dropped

    def later(self, work: Callable[[Memory], None], size: int) -> None:
        """Do the work soon, in a thread and in one transaction, and again if the database fails; `get` waits for it."""
        self._writer.put(Job(work, size))

    def get(self, key: str) -> Json | None:
        return self._database.within(BUDGET, lambda connection: self._read(connection, key))

    def put(self, key: str, value: Json, seconds: float) -> None:
        self.later(lambda memory: memory.put(key, value, seconds), size_of(value))

    def delete(self, key: str) -> None:
        gone = {"wanted": digest(key)}
        self._database.within(BUDGET, lambda connection: connection.execute(GONE, gone), write=True)

    def settle(self) -> None:
        """Wait a little until earlier values are written."""
        self._writer.settled(BUDGET)

    def as_of(self, connection: Connection) -> Memory:
        """Return the memory as a transaction of this connection sees it."""
        return Together(connection, self._clock())

    def close(self, timeout: float) -> None:
        self._writer.close(timeout)

    def _read(self, connection: Connection, key: str) -> Json | None:
        if not self._writer.settled(BUDGET):
            raise TimeoutError("earlier responses wait to be kept")
        return Together(connection, self._clock()).get(key)

    def _keep(self, jobs: Sequence[Job]) -> None:
        now = self._clock()

        def keep(connection: Connection) -> None:
            memory = Together(connection, now)
            for job in jobs:
                job.work(memory)
            insert(connection, MEMORY, memory.rows, replace=True)
            if self._swept is None or now - self._swept >= SWEEPS:
                connection.execute(EXPIRED, {"now": now})
                self._swept = now

        self._database.run(keep, write=True)


class Together:
    """The memory within one transaction: values that are put are found at once, and written at its end."""

    def __init__(self, connection: Connection, now: float) -> None:
        self._connection, self._now = connection, now
        self._rows: dict[str, dict[str, Any]] = {}

    def get(self, key: str) -> Json | None:
        wanted = digest(key)
        if wanted in self._rows:
            value = self._rows[wanted]["value"]
        else:
            value = self._connection.execute(VALUE, {"wanted": wanted, "now": self._now}).scalar()
        return None if value is None else orjson.loads(value)

    def put(self, key: str, value: Json, seconds: float) -> None:
        name = digest(key)
        self._rows[name] = {"key": name, "until": self._now + seconds, "value": orjson.dumps(value)}

    def delete(self, key: str) -> None:
        self._rows.pop(digest(key), None)
        self._connection.execute(GONE, {"wanted": digest(key)})

    @property
    def rows(self) -> list[dict[str, Any]]:
        return list(self._rows.values())


def digest(key: str) -> str:
    """Return a hash of a key, as clients choose parts of keys, which may be too long for an index, or no text."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
