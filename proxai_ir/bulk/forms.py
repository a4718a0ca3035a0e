"""The forms of files, by the ends of their names. What a form needs is loaded when it is first used."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import BinaryIO

from . import lines
from .chunks import Chunk, Done
from .job import Job
from .rows import Watch

PARQUET = "parquet"
ENDS = {
    ".jsonl": lines.PLAIN,
    ".ndjson": lines.PLAIN,
    ".jsonl.gz": lines.GZIP,
    ".ndjson.gz": lines.GZIP,
    ".jsonl.zst": lines.ZSTD,
    ".ndjson.zst": lines.ZSTD,
    ".parquet": PARQUET,
}
"""What is taken from folders. A file that is named by itself can have any name, and is JSON Lines."""
REFUSED = ".refused.jsonl"
"""Behind the name of an output: its refused rows."""


def form_in_folder(name: str) -> str | None:
    if name.endswith(REFUSED):
        return None
    return next((form for end, form in ENDS.items() if name.endswith(end)), None)


def form_of(name: str) -> str:
    if name.endswith(".parquet"):
        return PARQUET
    return lines.GZIP if name.endswith(".gz") else lines.ZSTD if name.endswith(".zst") else lines.PLAIN


def chunks(file: BinaryIO, form: str, job: Job, start: int, row: int) -> Iterator[Chunk]:
    """Raises UnreadableError, perhaps after some chunks."""
    return _reader(form)(file, form, job, start, row)


def _reader(form: str) -> Callable[[BinaryIO, str, Job, int, int], Iterator[Chunk]]:
    if form == PARQUET:
        from . import tables

        return tables.chunks
    return lines.chunks


def convert(chunk: Chunk, job: Job, watch: Watch | None = None) -> Done:
    if chunk.form == PARQUET:
        from . import tables

        return tables.convert(chunk, job, watch)
    return lines.convert(chunk, job, watch)
