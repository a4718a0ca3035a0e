"""The public functions: `run` converts files, `check` counts what that would lose."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from .job import CHUNK, LONGEST_ROW, BulkError, Job, Server
from .loop import Loop, Progress
from .outputs import Output
from .report import Report
from .sources import Place, Unread, as_file, find, output_place

Path_ = str | os.PathLike[str]
WORK = ".proxai-ir"
"""The folder, inside the output folder, in which outputs are made."""


def run(
    sources: Sequence[Path_],
    output: Path_,
    src: Server,
    dst: Server,
    *,
    kind: str | None = None,
    options: Mapping[str, Any] | None = None,
    column: str | None = None,
    profile: Literal["model", "protocol"] = "model",
    workers: int | None = None,
    ordered: bool = True,
    fail_fast: bool = False,
    diagnostics: bool = False,
    key: str | None = None,
    envelope: bool = False,
    limit: int | None = None,
    sample: float | None = None,
    overwrite: bool = False,
    work: Path_ | None = None,
    progress: Callable[[Progress], None] | None = None,
    chunk: int = CHUNK,
    longest_row: int = LONGEST_ROW,
) -> Report:
    """Convert every row of the files, folders and globs `sources` into files of the same names in the folder `output`.

    One file can be converted into the file `output`, whose name shows its format: out.jsonl, out.jsonl.gz, out.parquet.

    column     the member (JSON Lines) or column (Parquet) with the payload; without it the line is the payload, and in
               Parquet the column "payload" is
    kind       what a row is: "request", "response", "error" or "stream"; "pair", a request with its response; "batch",
               a line of a vendor's batch file; or "export", where `src` or `dst` is a form of `proxai_ir.exports`.
               Without it each row shows its kind, one of the first three, and recorded streams and archives are known
    options    options of `proxai_ir.convert`
    profile    "model": requests are converted for the model that they name, by the table of models (CAP-5); a Profile
               as `dst`, and options, take precedence. "protocol": for what every server takes
    workers    how many processes convert; without it one for each core. 0: this process does, so that a row that ends
               its process ends the run
    ordered    False: chunks of rows are written as soon as they are converted, in any order
    fail_fast  stop at the first row that is refused and the first file that cannot be read or written
    diagnostics
               True: NAME.diagnostics.jsonl beside an output NAME has all findings of its rows
    key        the member (a name or a JSON pointer) or column with what a row is called, for what says its number
    envelope   True: each row is an object with `row`, `key`, `route`, `headers` and `output`, or in tables has columns
               of these names; a refused row keeps its place, with `refused_rule` and `refused_path`. Rows that are
               pairs keep their other members beside it
    limit      the number of rows of each file that are converted, from the first
    sample     the share of the rows that are converted, above 0; the same ones in each run
    overwrite  start again, over outputs that exist; without it a run resumes where the last one ended
    work       the folder in which outputs are made; without it one in `output`, or for an object store one in the
               user's cache
    progress   called after each chunk
    chunk      bytes of a unit of work
    longest_row
               bytes of the longest line that is read

    Where workers are processes, the caller's main module must be safe to import: `if __name__ == "__main__":`.
    Raises BulkError if the run cannot begin, TypeError and ValueError for wrong arguments.
    """
    limits: dict[str, Any] = {"chunk": chunk, "longest_row": longest_row, "fail_fast": fail_fast}
    rows: dict[str, Any] = {"key": key, "envelope": envelope, "limit": limit, "sample": sample}
    about: dict[str, Any] = {"ordered": ordered, "diagnostics": diagnostics, **rows, **limits}
    job = Job(src, dst, kind, dict(options or {}), column, profile, **about).validated()
    folder = output_place(output)
    unread = Unread()
    one = folder.is_file_name
    folder, found = as_file(sources, folder, unread) if one else (folder, find(sources, folder, unread))
    made_in = Path(work) if work is not None else _work(folder)
    with _alone(made_in):
        for source in found:
            Output(source, folder, made_in, job).planned(overwrite)
        return Loop(job, found, lambda one: Output(one, folder, made_in, job), workers, progress, unread).report()


def check(
    sources: Sequence[Path_],
    src: Server,
    dst: Server,
    *,
    kind: str | None = None,
    options: Mapping[str, Any] | None = None,
    column: str | None = None,
    profile: Literal["model", "protocol"] = "model",
    workers: int | None = None,
    fail_fast: bool = False,
    envelope: bool = False,
    limit: int | None = None,
    sample: float | None = None,
    progress: Callable[[Progress], None] | None = None,
    chunk: int = CHUNK,
    longest_row: int = LONGEST_ROW,
) -> Report:
    """Return the report that `run` would have; nothing is written."""
    limits: dict[str, Any] = {"chunk": chunk, "longest_row": longest_row, "fail_fast": fail_fast}
    rows: dict[str, Any] = {"envelope": envelope, "limit": limit, "sample": sample}
    job = Job(src, dst, kind, dict(options or {}), column, profile, writes=False, **rows, **limits).validated()
    unread = Unread()
    return Loop(job, find(sources, None, unread), None, workers, progress, unread).report()


def _work(folder: Place) -> Path:
    if folder.local:
        return Path(folder.path) / WORK
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "proxai_ir" / "bulk" / hashlib.sha256(str(folder).encode()).hexdigest()[:16]


@contextmanager
def _alone(work: Path) -> Iterator[None]:
    """Lock a work folder, if the system has locks for files. Raises BulkError if another run has it."""
    try:
        work.mkdir(parents=True, exist_ok=True)
        lock = open(work / "lock", "wb")  # noqa: SIM115 (closed below)
    except OSError as error:
        raise BulkError(f"{work}: {error.strerror or error}") from error
    with lock:
        try:
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except ImportError:
            pass
        except BlockingIOError:
            raise BulkError(f"another run is at work in {work}") from None
        yield
