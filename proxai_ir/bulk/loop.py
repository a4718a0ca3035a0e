"""The loop of a run: it reads and writes the files, and workers convert chunks of them.

Rule 1: a file that cannot be read or written costs itself alone; the files after it are converted. Rule 2: chunks on
their way to and from the workers are bounded in bytes and in number, so that reading runs ahead of writing by that
much; a chunk above the bound travels alone. Rule 3: complete outputs are put in their place by threads, which wait for
the disk or the store together, while the files after them are converted.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing, suppress

import attrs

from .job import FIRST_ROW, Chunk, Done, Job, Tally, UnreadableError
from .outputs import OPEN, Output
from .report import FileReport, Report, sources_of
from .rows import Ids
from .sources import Source, chunks, convert
from .workers import Workers

# --- the order of chunks ----------------------------------------------------------------------------------------------

EACH = 3
"""How many chunks of the usual size are on their way for each worker."""

Item = tuple[int, Chunk | None]
"""The number of a file, and a chunk of it, or None for its beginning and its end."""
Result = tuple[int, Chunk | None, Done | None]


def results(items: Iterable[Item], job: Job, count: int) -> Generator[Result, None, None]:
    """Yield every item with its converted chunk; without workers this process converts."""
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
    """Wait for the first item that can be written, and return its place.

    That is a converted chunk, or a mark with no chunk of its file before it.
    """
    while True:
        before: set[int] = set()
        for at, (file, _, done) in enumerate(waiting):
            if file not in before if done is None else done.done():
                return at
            before.add(file)
        wait([done for _, _, done in waiting if done is not None], return_when=FIRST_COMPLETED)


def usual_workers() -> int:
    """Return how many processes convert besides this one: one for each core that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


# --- loop -------------------------------------------------------------------------------------------------------------

FINISHING = 8
"""The threads that wait for the disk or the store."""
AHEAD = 64
"""The most complete outputs that are not in their place yet."""


@attrs.frozen
class Progress:
    """The progress of a run: the bytes read, the size of the input, and rows by outcome."""

    read: int
    size: int
    rows: int
    lossy: int
    refused: int


@attrs.define
class _File:
    """A file that is not done: its output, or None if nothing is written, and the counts so far."""

    source: Source
    output: Output | None
    tally: Tally
    ids: Ids
    open: bool = False
    unread: str | None = None
    """The reason why its last rows were not read."""
    error: str | None = None
    """The reason why it is given up."""
    finished: Future[None] | None = None
    """Done when the output is in its place."""


class Loop:
    """A run, which reports at its end."""

    def __init__(
        self,
        job: Job,
        sources: Sequence[Source],
        made: Callable[[Source], Output] | None,
        workers: int | None,
        progress: Callable[[Progress], None] | None,
        unread: Mapping[str, int],
    ) -> None:
        """Take the job, its files, the function that makes an output, and counts of unread files for the report."""
        self._job = job
        self._sources = sources
        self._made = made
        self._workers = usual_workers() if workers is None else workers
        self._progress = progress
        self._size = sum(source.size for source in sources)
        self._read = 0
        self._files: dict[int, _File] = {}
        self._ending: deque[int] = deque()
        self._finishing = ThreadPoolExecutor(FINISHING)
        mode = "convert" if job.writes else "check"
        self._report = Report(*job.protocols(), mode, unread=dict(unread), outside=job.outside)

    def report(self) -> Report:
        start = time.monotonic()
        report = self._report
        try:
            with closing(results(self._items(), self._job, self._workers)) as steps:
                for at, chunk, done in steps:
                    self._step(at, chunk, done)
                    if report.stopped is not None:
                        break
        finally:
            for at in [at for at, file in self._files.items() if file.open and at not in self._ending]:
                self._ending.append(at)
            self._end_first(0)
            self._finishing.shutdown()
            report.seconds = time.monotonic() - start
        return report

    # --- reading ---

    def _items(self) -> Iterator[Item]:
        """Yield the chunks of each file between two marks, for its beginning and its end."""
        for at, source in enumerate(self._sources):
            output = None if self._made is None else self._made(source)
            file = _File(source, output, Tally() if output is None else output.state.tally, Ids(self._job))
            self._report.earlier += file.tally.rows
            self._files[at] = file
            yield at, None
            if output is None or output.state.stage == OPEN:
                yield from self._chunks(at, file)
            yield at, None

    def _chunks(self, at: int, file: _File) -> Iterator[Item]:
        state = None if file.output is None else file.output.state
        start, row = (0, FIRST_ROW) if state is None else (state.start, state.row)
        written = set() if state is None else {first for first, _, _ in state.ahead}
        try:
            with file.source.open() as opened:
                for chunk in chunks(opened, file.source.form, self._job, start, row):
                    if file.error is not None or (self._job.limit is not None and chunk.row > self._job.limit):
                        return
                    if chunk.row not in written:
                        yield at, chunk._replace(file=file.source.name)
        except UnreadableError as error:
            file.unread = str(error)
        except OSError as error:
            file.unread = error.strerror or str(error)

    # --- writing ---

    def _step(self, at: int, chunk: Chunk | None, done: Done | None) -> None:
        file = self._files[at]
        ends = chunk is None and file.open
        try:
            if not file.open:
                file.open = True
                if file.output is not None:
                    file.output.resume()
            elif file.error is None and chunk is not None and done is not None:
                self._write(file, chunk, done)
            elif ends and file.error is None:
                file.error = file.unread
                if file.error is None and file.output is not None:
                    file.finished = self._finishing.submit(file.output.finish)
        except UnreadableError as error:
            file.error = str(error)
        except OSError as error:
            file.error = _unwritten(file, error)
        if self._job.fail_fast:
            self._report.stopped = _why_stop(file)
        self._show(chunk, file)
        if ends:
            self._ending.append(at)
            self._end_first(0 if self._job.fail_fast else AHEAD)

    def _write(self, file: _File, chunk: Chunk, done: Done) -> None:
        file.ids.count_repeated(done)
        if file.output is None:
            file.tally.add(done.tally)
        elif self._job.fail_fast and done.tally.refused:  # it is converted again when the run is resumed
            file.tally = Tally.from_json(file.tally.as_json())
            file.tally.add(done.tally)
        else:
            file.output.write(chunk, done)

    def _end_first(self, most: int) -> None:
        """Count ended files in the report, in their order, until at most `most` wait for their place."""
        while self._ending:
            finished = self._files[self._ending[0]].finished
            if len(self._ending) <= most and finished is not None and not finished.done():
                return
            self._end(self._files.pop(self._ending.popleft()))

    def _end(self, file: _File) -> None:
        """Wait until the file is in its place, count it in the report, and close it."""
        try:
            if file.finished is not None:
                file.finished.result()
        except UnreadableError as error:
            file.error = str(error)
        except OSError as error:
            file.error = _unwritten(file, error)
        if self._job.fail_fast and self._report.stopped is None:
            self._report.stopped = _why_stop(file)
        if file.output is not None:
            with suppress(OSError):  # the disk is full: the last checkpoint holds
                file.output.checkpoint()
            file.output.abandon()
        self._read += file.source.size
        name, tally, report = str(file.source.place), file.tally, self._report
        report.total.add(tally, name)
        counts = (tally.converted, tally.lossy, tally.refused, tally.blank)
        output = file.source.name if file.output else None
        report.files.append(FileReport(name, output, *counts, file.error, sources_of(tally)))

    def _show(self, chunk: Chunk | None, file: _File) -> None:
        if self._progress is not None:
            read = self._read + (0 if chunk is None else chunk.position)
            done, tally = self._report.total, file.tally
            rows, lossy = done.rows + tally.rows, done.lossy + tally.lossy
            self._progress(Progress(read, self._size, rows, lossy, done.refused + tally.refused))


def _unwritten(file: _File, error: OSError) -> str:
    return f"cannot be written after row {file.tally.rows + file.tally.blank}: {error.strerror or error}"


def _why_stop(file: _File) -> str | None:
    if file.error is not None:
        return f"{file.source.place}: {file.error}"
    if file.tally.refused:
        rule, count = next(iter(file.tally.refusals.items()))
        row, path, message = (count.example[name] for name in ("row", "path", "message"))
        return f"{file.source.place}, row {row}: {rule} at {path or 'the payload'}: {message}"
    return None
