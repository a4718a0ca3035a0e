"""The processes: chunks go out while there is room, and come back in the order in which they went, or as they are done.

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
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor
from concurrent.futures import wait as wait_for
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


def results(items: Iterable[Item], job: Job, workers: int) -> Generator[Result, None, None]:
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
        yield from _results(items, pool, workers * EACH, workers * EACH * job.chunk, job.ordered)
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


def _results(
    items: Iterable[Item], pool: ProcessPoolExecutor, most: int, budget: int, ordered: bool
) -> Iterator[Result]:
    waiting: Waiting = deque()
    size = 0
    for file, chunk in items:
        length = 0 if chunk is None else len(chunk.data)
        while waiting and (len(waiting) >= most or size + length > budget):
            result = _next(waiting, ordered)
            size -= len(result[1].data) if result[1] is not None else 0
            yield result
        waiting.append((file, chunk, None if chunk is None else pool.submit(_work, chunk)))
        size += length
    while waiting:
        yield _next(waiting, ordered)


def _next(waiting: Waiting, ordered: bool) -> Result:
    at = 0 if ordered else _ready(waiting)
    file, chunk, done = waiting[at]
    del waiting[at]
    return file, chunk, None if done is None else done.result()


def _ready(waiting: Waiting) -> int:
    """Where the first chunk is that is converted, or mark that has nothing of its file before it; waits for one."""
    while True:
        before: set[int] = set()
        for at, (file, _, done) in enumerate(waiting):
            if file not in before if done is None else done.done():
                return at
            before.add(file)
        wait_for([done for _, _, done in waiting if done is not None], return_when=FIRST_COMPLETED)


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
