"""A thread that writes entries in batches, and tries again as long as the database is away.

Rule 1: `put` neither waits nor raises. Rule 2: the entries that wait or are being written are bounded in number and in
bytes; beyond that the oldest ones are dropped and counted.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Sequence
from threading import Condition, Thread
from typing import Generic, Protocol, TypeVar

from .database import StorageError

LOG = logging.getLogger(__name__)
LINGER = 0.05
"""Seconds that the first entry of a batch waits for others."""
BATCH, BATCH_BYTES = 200, 8 << 20
"""The most that a batch has, in number and in bytes; it has at least one entry."""
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 5.0
"""Seconds between tries: each pause is twice the last."""
COMPLAINTS = 60.0
"""Seconds between two messages about what was dropped."""


class Sized(Protocol):
    @property
    def size(self) -> int:
        """The bytes that count."""
        ...


Entry = TypeVar("Entry", bound=Sized)


class Writer(Generic[Entry]):
    """Writes entries in a thread. `write` may raise StorageError, having written nothing; `what` is for messages."""

    def __init__(
        self,
        write: Callable[[Sequence[Entry]], None],
        what: str,
        *,
        most: int,
        most_bytes: int,
        linger: float = LINGER,
    ) -> None:
        self.dropped = 0
        self._write, self._what = write, what
        self._most, self._most_bytes, self._linger = most, most_bytes, linger
        self._waiting: deque[Entry] = deque()
        self._bytes = 0  # of those that wait, and of the batch that is being written
        self._put = self._settled = 0  # how many were ever put, and how many of those are written or dropped
        self._hurried = False  # whether somebody waits in `settled`
        self._changed = Condition()
        self._singly = 0  # how many are written one by one, as one among them cannot be written
        self._thread: Thread | None = None
        self._deadline: float | None = None  # set by close: when to give up
        self._complained: float | None = None

    def put(self, entry: Entry) -> None:
        with self._changed:
            if self._deadline is not None:
                self.dropped += 1
                return
            self._put += 1
            self._waiting.append(entry)
            self._bytes += entry.size
            self._trim()
            if self._thread is None:
                self._thread = Thread(target=self._run, name=f"proxai-ir {self._what}", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def settled(self, timeout: float) -> bool:
        """Return whether all entries so far are written or dropped in time; a pause between tries ends for that."""
        with self._changed:
            wanted = self._put
            self._hurried = True
            self._changed.notify_all()
            return self._changed.wait_for(lambda: self._settled >= wanted, timeout)

    def close(self, timeout: float) -> None:
        """Write what waits, for so many seconds at most, and drop the rest."""
        with self._changed:
            self._deadline = time.monotonic() + timeout
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(timeout + LINGER)
        with self._changed:
            while self._waiting:
                self._drop_oldest()

    def _run(self) -> None:
        pause = FIRST_PAUSE
        while batch := self._next():
            try:
                self._write(batch)
                pause = FIRST_PAUSE
                self._done(batch)
            except StorageError as error:
                if error.bad_record and len(batch) == 1:
                    self._done(batch, dropped=1)
                    self._complain(str(error))
                    continue
                self._put_back(batch)
                if error.bad_record:
                    self._singly = len(batch)
                    continue
                self._complain(str(error))
                if self._is_over(pause):
                    return
                pause = min(2 * pause, LONGEST_PAUSE)

    def _next(self) -> list[Entry]:
        """Return the next batch, which is empty if the writer is closed and nothing waits."""
        with self._changed:
            while not self._waiting and self._deadline is None:
                self._changed.wait()
            if self._singly:
                self._singly -= 1
                return self._taken(1)
            if self._linger and self._deadline is None and len(self._waiting) < BATCH:
                self._changed.wait_for(lambda: self._deadline is not None or len(self._waiting) >= BATCH, self._linger)
            return self._taken(BATCH)

    def _taken(self, most: int) -> list[Entry]:
        batch: list[Entry] = []
        size = 0
        while self._waiting and len(batch) < most and (not batch or size + self._waiting[0].size <= BATCH_BYTES):
            batch.append(self._waiting.popleft())
            size += batch[-1].size
        return batch

    def _done(self, batch: Sequence[Entry], dropped: int = 0) -> None:
        with self._changed:
            self._bytes -= sum(entry.size for entry in batch)
            self._settled += len(batch)
            self.dropped += dropped
            self._changed.notify_all()

    def _put_back(self, batch: Sequence[Entry]) -> None:
        with self._changed:
            self._waiting.extendleft(reversed(batch))
            self._trim()

    def _is_over(self, pause: float) -> bool:
        """Wait until the next try, and return whether the time to close is over, so that there is none."""
        with self._changed:
            self._changed.wait_for(lambda: self._deadline is not None or self._hurried, pause)
            self._hurried = False
            if self._deadline is None:
                return False
            left = self._deadline - time.monotonic()
        if left > 0:
            time.sleep(min(FIRST_PAUSE, left))
        return left <= 0

    def _trim(self) -> None:
        while len(self._waiting) > self._most or (self._bytes > self._most_bytes and len(self._waiting) > 1):
            self._drop_oldest()

    def _drop_oldest(self) -> None:
        self._bytes -= self._waiting.popleft().size
        self._settled += 1
        self.dropped += 1
        self._changed.notify_all()

    def _complain(self, reason: str) -> None:
        now = time.monotonic()
        if self._complained is None or now - self._complained >= COMPLAINTS:
            self._complained = now
            waiting = len(self._waiting)
            LOG.warning("%s; %d %s dropped so far, %d wait", reason, self.dropped, self._what, waiting)
