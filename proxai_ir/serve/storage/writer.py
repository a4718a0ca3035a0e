"""The thread that writes records: in batches, and again for as long as the database is away.

Rule 1: `put` neither waits nor raises. Rule 2: what waits is bounded, in number and in bytes; beyond that the oldest
are dropped and counted.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Sequence
from threading import Condition, Thread

from ..records import Record
from .database import StorageError

LOG = logging.getLogger(__name__)
LINGER = 0.05
"""Seconds that the first record of a batch waits for others."""
BATCH, BATCH_BYTES = 200, 8 << 20
"""The most records and the most bytes of payloads of a batch, which has one record at least."""
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 5.0
"""Seconds between tries: each pause is twice the last."""
COMPLAINTS = 60.0
"""Seconds between two messages about records that were dropped."""


class RecordWriter:
    """`write` raises StorageError, and leaves nothing half-written then."""

    def __init__(self, write: Callable[[Sequence[Record]], None], *, most: int, most_bytes: int) -> None:
        self.dropped = 0
        self._write = write
        self._most, self._most_bytes = most, most_bytes
        self._waiting: deque[Record] = deque()
        self._bytes = 0
        self._changed = Condition()
        self._singly = 0  # how many of those that wait are written one by one, as one of them cannot be written
        self._thread: Thread | None = None
        self._deadline: float | None = None  # set by close: when to give up
        self._complained: float | None = None

    def put(self, record: Record) -> None:
        with self._changed:
            if self._deadline is not None:
                self.dropped += 1
                return
            self._waiting.append(record)
            self._bytes += record.size
            self._trim()
            if self._thread is None:
                self._thread = Thread(target=self._run, name="proxai-ir storage", daemon=True)
                self._thread.start()
            self._changed.notify()

    def close(self, timeout: float) -> None:
        """Write what waits, for so many seconds at most; what is left then is dropped."""
        with self._changed:
            self._deadline = time.monotonic() + timeout
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(timeout + LINGER)
        with self._changed:
            self.dropped += len(self._waiting)
            self._waiting.clear()
            self._bytes = 0

    def _run(self) -> None:
        pause = FIRST_PAUSE
        while batch := self._next():
            try:
                self._write(batch)
                pause = FIRST_PAUSE
            except StorageError as error:
                if error.bad_record and len(batch) == 1:
                    self._drop(1)
                    self._complain(str(error))
                    continue
                self._put_back(batch)
                if error.bad_record:
                    self._singly = len(batch)
                    continue
                self._complain(str(error))
                if self._over(pause):
                    return
                pause = min(2 * pause, LONGEST_PAUSE)

    def _next(self) -> list[Record]:
        """The next batch; an empty one where the writer is closed and nothing waits."""
        with self._changed:
            while not self._waiting and self._deadline is None:
                self._changed.wait()
            if self._singly:
                self._singly -= 1
                return self._taken(1)
            if self._deadline is None and len(self._waiting) < BATCH:
                self._changed.wait_for(lambda: self._deadline is not None or len(self._waiting) >= BATCH, LINGER)
            return self._taken(BATCH)

    def _taken(self, most: int) -> list[Record]:
        batch: list[Record] = []
        size = 0
        while self._waiting and len(batch) < most and (not batch or size + self._waiting[0].size <= BATCH_BYTES):
            batch.append(self._waiting.popleft())
            size += batch[-1].size
        self._bytes -= size
        return batch

    def _put_back(self, batch: Sequence[Record]) -> None:
        with self._changed:
            self._waiting.extendleft(reversed(batch))
            self._bytes += sum(record.size for record in batch)
            self._trim()

    def _over(self, pause: float) -> bool:
        """Wait until the next try; True where there is none, as the time to close is over."""
        with self._changed:
            self._changed.wait_for(lambda: self._deadline is not None, pause)
            if self._deadline is None:
                return False
            left = self._deadline - time.monotonic()
        if left > 0:
            time.sleep(min(FIRST_PAUSE, left))
        return left <= 0

    def _trim(self) -> None:
        while len(self._waiting) > self._most or (self._bytes > self._most_bytes and len(self._waiting) > 1):
            self._bytes -= self._waiting.popleft().size
            self.dropped += 1

    def _drop(self, count: int) -> None:
        with self._changed:
            self.dropped += count

    def _complain(self, reason: str) -> None:
        now = time.monotonic()
        if self._complained is None or now - self._complained >= COMPLAINTS:
            self._complained = now
            LOG.warning("%s; %d records dropped so far, %d wait", reason, self.dropped, len(self._waiting))
