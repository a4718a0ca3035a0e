"""The memory of an Exchange in the database, for clients that refer to earlier responses; any process can read it.

Rule 1: a response is not held up for its memory: what is kept is written by a thread. What cannot be kept is forgotten,
counted and logged. Rule 2: `get` and `delete` wait BUDGET at most and raise StorageError, so that a client is not sent
away for a reference that is kept.
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
"""Seconds that a client waits for the memory; then its request is refused."""
SWEEPS = 60.0
"""Seconds between two searches for what has expired."""

VALUE = select(MEMORY.c.value).where(MEMORY.c.key == bindparam("wanted"), MEMORY.c.until >= bindparam("now"))
GONE = delete(MEMORY).where(MEMORY.c.key == bindparam("wanted"))
EXPIRED = delete(MEMORY).where(MEMORY.c.until < bindparam("now"))


@frozen
class Job:
    """What is to be kept of one response; `size`: about how many bytes it holds."""

    work: Callable[[Memory], None]
    size: int


class KeptMemory:
    """`get`, `put`, `delete` and `later` as `proxai_ir.exchange.Memory` has them."""

    def __init__(
        self, database: Database, clock: Callable[[], float] = time.time, *, queue: int, queue_bytes: int
    ) -> None:
        self._database = database
        self._clock = clock
        self._writer = Writer(self._keep, "responses", most=queue, most_bytes=queue_bytes, linger=0)
        self._swept: float | None = None

    @property
    def forgotten(self) -> int:
        """How many values and responses were not kept."""
        return self._writer.dropped

    def later(self, work: Callable[[Memory], None], size: int) -> None:
        """Do the work soon, in a thread, with a memory that keeps all that is put, or nothing; and again where the
        database fails. What `get` is asked for later waits for it."""
        self._writer.put(Job(work, size))

    def get(self, key: str) -> Json | None:
        return self._database.within(BUDGET, lambda connection: self._read(connection, key))

    def put(self, key: str, value: Json, seconds: float) -> None:
        self.later(lambda memory: memory.put(key, value, seconds), size_of(value))

    def delete(self, key: str) -> None:
        gone = {"wanted": digest(key)}
        self._database.within(BUDGET, lambda connection: connection.execute(GONE, gone), write=True)

    def settle(self) -> None:
        """Wait a little for what was to be kept before."""
        self._writer.settled(BUDGET)

    def as_of(self, connection: Connection) -> Memory:
        """Return the memory as a transaction sees it."""
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
    """The memory as one transaction has it: what is put is found again, and written at its end."""

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
        row = row_of(key, value, self._now + seconds)
        self._rows[row["key"]] = row

    def delete(self, key: str) -> None:
        self._rows.pop(digest(key), None)
        self._connection.execute(GONE, {"wanted": digest(key)})

    @property
    def rows(self) -> list[dict[str, Any]]:
        return list(self._rows.values())


def row_of(key: str, value: Json, until: float) -> dict[str, Any]:
    return {"key": digest(key), "until": until, "value": orjson.dumps(value)}


def digest(key: str) -> str:
    """Return a key as the table has it: clients choose parts of keys, which may be too long for an index, or no
    text."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
