"""The worker processes: they convert chunks, and are replaced when one of them ends by itself.

Rule 1: workers are spawned, not forked, and end when this process ends, however it ends. Rule 2: if a worker ends,
chunks on their way are converted again, each in a process of its own; a row that ends that process is refused.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Generator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.connection import wait
from typing import Any

from .job import BulkError, Chunk, Done, Job
from .rows import Watch
from .sources import convert

SPAWN = multiprocessing.get_context("spawn")
NOT_BEGUN = (
    "a worker process ended before its first row; the main module must start a run only below "
    '`if __name__ == "__main__":`'
)


class Workers:
    """A pool of processes that is replaced when one of them ends."""

    def __init__(self, job: Job, count: int) -> None:
        self._job = job
        self._count = count
        self._pool = self._started()

    def submit(self, chunk: Chunk) -> Future[Done]:
        try:
            return self._pool.submit(_work, chunk)
        except BrokenProcessPool:
            self.close()
            self._pool = self._started()
            return self._pool.submit(_work, chunk)

    def result(self, chunk: Chunk, future: Future[Done]) -> Done:
        """Return the converted chunk. Raises BulkError if processes end before they convert."""
        try:
            return future.result()
        except BrokenProcessPool:
            return _alone(chunk, self._job)

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)

    def _started(self) -> ProcessPoolExecutor:
        pool = ProcessPoolExecutor(self._count, SPAWN, _begin, (self._job,))
        with _no_interrupts():
            for _ in range(self._count):
                pool.submit(os.getpid)  # it starts a worker
        return pool


def _alone(chunk: Chunk, job: Job) -> Done:
    """Return a chunk converted in a process of its own; if a row ends that, in another one without the row."""
    fatal: frozenset[int] = frozenset()
    while True:
        at = SPAWN.Value("q", 0, lock=False)
        pool = ProcessPoolExecutor(1, SPAWN, _begin, (job, at))
        try:
            with _no_interrupts():
                done = pool.submit(_work_watched, chunk, fatal)
            return done.result()
        except BrokenProcessPool as error:
            if at.value == 0:
                raise BulkError(NOT_BEGUN) from error
            if at.value in fatal:
                raise BulkError(f"row {at.value} ends every process that it is sent to") from error
            fatal |= {at.value}
        finally:
            pool.shutdown(cancel_futures=True)


@contextmanager
def _no_interrupts() -> Generator[None, None, None]:
    """Start processes that never see Ctrl-C, which a terminal sends to them too, as their parent ends them.

    This process sees it afterwards.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# --- in a worker ---

_job: list[Job] = []
_at: list[Any] = []
"""The number of the row that is being converted, in memory shared with the parent."""


def _begin(job: Job, *at: Any) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _job[:], _at[:] = [job], at
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _work(chunk: Chunk) -> Done:
    return convert(chunk, _job[0])


def _work_watched(chunk: Chunk, fatal: frozenset[int]) -> Done:
    return convert(chunk, _job[0], Watch(_at[0], fatal))
