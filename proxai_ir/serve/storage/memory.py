"""The memory of an Exchange in the database, for clients that refer to earlier responses; any process can read it.

Rule: a response is not held up for its memory. `put` never raises: what cannot be kept is forgotten, counted and
logged. `get` and `delete` raise StorageError, so that a client is not sent away for a reference that is kept.
"""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Callable
from typing import Any

import orjson
from sqlalchemy import bindparam, delete, select

from .database import Database, StorageError
from .tables import MEMORY, insert

Json = Any
LOG = logging.getLogger(__name__)
COMPLAINTS = 60.0
"""Seconds between two messages about values that could not be kept."""
SWEEPS = 60.0
"""Seconds between two searches for what has expired."""

VALUE = select(MEMORY.c.value).where(MEMORY.c.key == bindparam("wanted"), MEMORY.c.until >= bindparam("now"))
GONE = delete(MEMORY).where(MEMORY.c.key == bindparam("wanted"))
EXPIRED = delete(MEMORY).where(MEMORY.c.until < bindparam("now"))


class KeptMemory:
    """`get`, `put` and `delete` as `proxai_ir.exchange.Memory` has them, and `forgotten`: how many were not kept."""

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self.forgotten = 0
        self._database = database
        self._clock = clock
        self._complained: float | None = None
        self._swept: float | None = None

    def get(self, key: str) -> Json | None:
        wanted = {"wanted": digest(key), "now": self._clock()}
        value = self._database.run(lambda connection: connection.execute(VALUE, wanted).scalar())
        return None if value is None else orjson.loads(value)

    def put(self, key: str, value: Json, seconds: float) -> None:
        try:
            now = self._clock()
            row = {"key": digest(key), "until": now + seconds, "value": orjson.dumps(value)}
            self._database.run(lambda connection: insert(connection, MEMORY, [row], replace=True), write=True)
            if self._swept is None or now - self._swept >= SWEEPS:
                self._swept = now
                self._database.run(lambda connection: connection.execute(EXPIRED, {"now": now}), write=True)
        except (StorageError, orjson.JSONEncodeError) as error:
            self.forgotten += 1
            self._complain(str(error))

    def delete(self, key: str) -> None:
        gone = {"wanted": digest(key)}
        self._database.run(lambda connection: connection.execute(GONE, gone), write=True)

    def _complain(self, reason: str) -> None:
        now = time.monotonic()
        if self._complained is None or now - self._complained >= COMPLAINTS:
            self._complained = now
            LOG.warning("%s; %d values of the memory were not kept so far", reason, self.forgotten)


def digest(key: str) -> str:
    """A key as the table has it: clients choose parts of keys, which may be too long for an index, or no text."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
