"""The processes: chunks go out while there is room, and come back in the order in which they went.

Rule 1: what is on its way is bounded in bytes and in number; a chunk above the bound travels alone. Rule 2: workers are
spawned, not forked, and end when this process ends, however it ends.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.connection import wait

from .chunks import Chunk, Done
from .forms import convert
from .job import BulkError, Job

EACH = 3
"""How many chunks of the usual size are on their way for each worker."""

Item = tuple[int, Chunk | None]
"""The number of a file, and a chunk of it; None marks its beginning or end, which keeps its place in the order."""
Result = tuple[int, Chunk | None, Done | None]


def ordered(items: Iterable[Item], job: Job, workers: int) -> Generator[Result, None, None]:
    """Every item with what became of its chunk. One worker is this process."""
    if workers == 1:
        for file, chunk in items:
            yield file, chunk, None if chunk is None else convert(chunk, job)
        return
    pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _begin, (job,))
    try:
        with _no_interrupts():
            for _ in range(workers):
                pool.submit(os.getpid)  # which starts a worker
        yield from _in_order(items, pool, workers * EACH, workers * EACH * job.chunk)
    except BrokenProcessPool as error:
        raise BulkError(
            "a worker process ended by itself, perhaps for lack of memory; the run can be continued"
        ) from error
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def _no_interrupts() -> Generator[None, None, None]:
    """Processes that start here never see Ctrl-C, which a terminal sends to them too: their parent ends them. This
    process sees it afterwards."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


Waiting = deque[tuple[int, Chunk | None, Future[Done] | None]]


def _in_order(items: Iterable[Item], pool: ProcessPoolExecutor, most: int, budget: int) -> Iterator[Result]:
    waiting: Waiting = deque()
    size = 0
    for file, chunk in items:
        length = 0 if chunk is None else len(chunk.data)
        while waiting and (len(waiting) >= most or size + length > budget):
            size -= len(waiting[0][1].data) if waiting[0][1] is not None else 0
            yield _first(waiting)
        waiting.append((file, chunk, None if chunk is None else pool.submit(_work, chunk)))
        size += length
    while waiting:
        yield _first(waiting)


def _first(waiting: Waiting) -> Result:
    file, chunk, done = waiting.popleft()
    return file, chunk, None if done is None else done.result()


# --- in a worker ---

_job: list[Job] = []


def _begin(job: Job) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _job[:] = [job]
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _work(chunk: Chunk) -> Done:
    return convert(chunk, _job[0])
