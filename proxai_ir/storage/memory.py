"""The memory of an Exchange in the database, for clients that refer to earlier responses; any process can read it.
And what is kept of the settings that models refused (CAP-5), for the page and the command `log`.

Rule 1: no response waits for its memory, which a thread writes. What cannot be kept is dropped, counted and logged.
Rule 2: `get` and `delete` wait BUDGET at most and raise StorageError: no client learns that a reference is unknown
because the database hangs. Rule 3: a response that is not there is looked for again for SOON seconds where another
process may be about to write it. Rule 4: requests depend only on what their own process learned. The copy here is for
display: a race between processes, or a memory that cannot be reached, costs an entry here and nothing else.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import orjson
from attrs import asdict, frozen
from sqlalchemy import Connection, bindparam, delete, select, update

from ..exchange.memory import Memory, size_of
from ..exchange.provider import LIFETIME, MOST, Learned
from ..json.types import hashed
from .database import MEMORY, Database, insert
from .exchanges import MEASURED, ROW, SLICE, Measured, beyond, packed, unpacked
from .writer import Writer

Json = Any
BUDGET = 1.0
"""Seconds that a request waits for the memory before it is refused."""
SOON, AGAIN = 0.3, 0.03
RESPONSE = "/response/"
"""In the key of a response (`Recollection`)."""
VALUE = select(MEMORY.c.value).where(MEMORY.c.key == bindparam("wanted"), MEMORY.c.until >= bindparam("now"))
GONE = delete(MEMORY).where(MEMORY.c.key == bindparam("wanted"))
BEFORE = select(MEMORY.c.key).where(MEMORY.c.until < bindparam("time")).limit(SLICE)
EXPIRED = delete(MEMORY).where(MEMORY.c.key.in_(BEFORE))
SHORTENED = update(MEMORY).where(MEMORY.c.until > bindparam("latest")).values(until=bindparam("latest"))
VALUES: Measured = MEMORY, (MEMORY.c.until, MEMORY.c.key), (MEMORY.c.value,)


@frozen
class Job:
    """Keeps a response when it is called with the memory; it holds about `size` bytes."""

    work: Callable[[Memory], None]
    size: int


class KeptMemory:
    """The memory of Exchanges (`proxai_ir.exchange.Memory`) in the database.

    bounds  for how many seconds values are kept at most, and how many bytes of them
    """

    def __init__(
        self, database: Database, clock: Callable[[], float], bounds: tuple[float, int], *, queue: int, queue_bytes: int
    ) -> None:
        self._database = database
        self._clock = clock
        self._writer = Writer(self._keep, "responses", most=queue, most_bytes=queue_bytes, linger=0)
        self._longest, self._most_bytes = bounds
        self._unmeasured = self._most_bytes  # bytes written since the values were measured

    @property
    def forgotten(self) -> int:
        """The number of values and responses that were not kept."""
        return self._writer.dropped

    def later(self, work: Callable[[Memory], None], size: int) -> None:
        """Do the work soon, in a thread and in one transaction, and again if the database fails; `get` waits for it."""
        self._writer.put(Job(work, size))

    def get(self, key: str) -> Json | None:
        again = int(SOON / AGAIN) if self._database.shared and RESPONSE in key else 0
        look = partial(self._database.within, BUDGET, partial(self._read, key=key))
        while (found := look()) is None and again:
            time.sleep(AGAIN)
            again -= 1
        return found

    def put(self, key: str, value: Json, seconds: float) -> None:
        self.later(lambda memory: memory.put(key, value, seconds), size_of(value))

    def delete(self, key: str) -> None:
        gone = {"wanted": hashed(key)}
        self._database.within(BUDGET, lambda connection: connection.execute(GONE, gone), write=True)

    def settle(self) -> None:
        """Wait a little until earlier values are written."""
        self._writer.settled(BUDGET)

    def as_of(self, connection: Connection) -> Memory:
        """Return the memory as a transaction of this connection sees it."""
        return Together(connection, self._clock(), self._longest)

    def sweep(self) -> None:
        """Delete values that have expired or are too many, the first to expire first. Raises StorageError."""
        now = before = self._clock()
        if self._unmeasured * MEASURED >= self._most_bytes:
            before = max(now, self._database.run(lambda connection: beyond(connection, VALUES, self._most_bytes)))
            self._unmeasured = 0
        shortened, expired = {"latest": now + self._longest}, {"time": before}
        self._database.run(lambda connection: connection.execute(SHORTENED, shortened), write=True)
        while self._database.run(lambda connection: connection.execute(EXPIRED, expired).rowcount, write=True):
            pass

    def close(self, timeout: float) -> None:
        self._writer.close(timeout)

    def _read(self, connection: Connection, key: str) -> Json | None:
        if not self._writer.settled(BUDGET):
            raise TimeoutError("earlier responses wait to be kept")
        return self.as_of(connection).get(key)

    def _keep(self, jobs: Sequence[Job]) -> None:
        now = self._clock()

        def keep(connection: Connection) -> int:
            memory = Together(connection, now, self._longest)
            for job in jobs:
                job.work(memory)
            rows = [*memory.rows.values()]
            insert(connection, MEMORY, rows, replace=True)
            return sum(len(row["value"]) + ROW for row in rows)

        self._unmeasured += self._database.run(keep, write=True)


class Together:
    """The memory within one transaction: values that are put are found at once, and written at its end.

    Keys are hashed, as clients choose parts of them, which may be too long for an index, or no text.
    """

    def __init__(self, connection: Connection, now: float, longest: float) -> None:
        self._connection, self._now, self._longest = connection, now, longest
        self.rows: dict[str, dict[str, Any]] = {}

    def get(self, key: str) -> Json | None:
        wanted = hashed(key)
        if wanted in self.rows:
            value = self.rows[wanted]["value"]
        else:
            value = self._connection.execute(VALUE, {"wanted": wanted, "now": self._now}).scalar()
        return None if value is None else orjson.loads(unpacked(value) or b"")

    def put(self, key: str, value: Json, seconds: float) -> None:
        name = hashed(key)
        until = self._now + min(seconds, self._longest)
        self.rows[name] = {"key": name, "until": until, "value": packed(orjson.dumps(value))}

    def delete(self, key: str) -> None:
        self.rows.pop(hashed(key), None)
        self._connection.execute(GONE, {"wanted": hashed(key)})


# --- settings that models refused -------------------------------------------------------------------------------------

REFUSED = "learned"
"""The key in the memory; those of clients begin with an owner."""


@frozen(kw_only=True)
class Refused:
    """The settings that a model refused, until a time in seconds since 1970; `server` is "" if it is not known."""

    server: str
    protocol: str
    model: str
    settings: dict[str, Any]
    until: float

    @property
    def stated(self) -> str:
        """The settings, as a line."""
        return " ".join(f"{name}={value}" for name, value in sorted(self.settings.items()))


def note_refused(memory: Memory, learned: Learned) -> None:
    """Add what this process learned to what all processes have stored."""
    now = time.time()
    known = {(one.server, one.protocol, one.model): one for one in refused(memory, now)}
    for key, (seconds, settings) in learned.lasting().items():
        server, protocol, model = key
        known[key] = Refused(server=server, protocol=protocol, model=model, settings=settings, until=now + seconds)
    newest = sorted(known.values(), key=lambda one: -one.until)[:MOST]
    memory.put(REFUSED, [asdict(one) for one in newest], LIFETIME)


def refused(memory: Memory, now: float | None = None) -> list[Refused]:
    """Return the entries that hold now, the latest first. Raises what the memory raises if it cannot be reached."""
    moment = time.time() if now is None else now
    return [one for one in (Refused(**one) for one in memory.get(REFUSED) or ()) if one.until >= moment]
