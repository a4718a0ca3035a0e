"""The order of chunks: they go out to the workers while there is room, and come back in the order in which they went,
or as they are done.

Rule: what is on its way is bounded in bytes and in number; a chunk above the bound travels alone.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import closing

from .job import Chunk, Done, Job
from .sources import convert
from .workers import Workers

EACH = 3
"""How many chunks of the usual size are on their way for each worker."""

Item = tuple[int, Chunk | None]
"""The number of a file, and a chunk of it; None marks its beginning or end, which keeps its place in the order."""
Result = tuple[int, Chunk | None, Done | None]


def results(items: Iterable[Item], job: Job, count: int) -> Generator[Result, None, None]:
    """Every item with what became of its chunk. Without workers this process converts."""
    if count == 0:
        for file, chunk in items:
            yield file, chunk, None if chunk is None else convert(chunk, job)
        return
    with closing(Workers(job, count)) as workers:
        yield from _results(items, workers, count * EACH, count * EACH * job.chunk, job.ordered)


Waiting = deque[tuple[int, Chunk | None, Future[Done] | None]]


def _results(items: Iterable[Item], workers: Workers, most: int, budget: int, ordered: bool) -> Iterator[Result]:
    waiting: Waiting = deque()
    size = 0
    for file, chunk in items:
        length = 0 if chunk is None else len(chunk.data)
        while waiting and (len(waiting) >= most or size + length > budget):
            result = _next(waiting, workers, ordered)
            size -= len(result[1].data) if result[1] is not None else 0
            yield result
        waiting.append((file, chunk, None if chunk is None else workers.submit(chunk)))
        size += length
    while waiting:
        yield _next(waiting, workers, ordered)


def _next(waiting: Waiting, workers: Workers, ordered: bool) -> Result:
    at = 0 if ordered else _ready(waiting)
    file, chunk, done = waiting[at]
    del waiting[at]
    return file, chunk, None if chunk is None or done is None else workers.result(chunk, done)


def _ready(waiting: Waiting) -> int:
    """Where the first chunk is that is converted, or mark that has nothing of its file before it; waits for one."""
    while True:
        before: set[int] = set()
        for at, (file, _, done) in enumerate(waiting):
            if file not in before if done is None else done.done():
                return at
            before.add(file)
        wait([done for _, _, done in waiting if done is not None], return_when=FIRST_COMPLETED)
