"""JSON Lines, plain, gzip or zstd: cut into chunks of whole lines, and converted line by line.

Rule: each chunk of a compressed output is a gzip member or zstd frame of its own, so that workers can compress and a
run can be resumed.
"""

from __future__ import annotations

import gzip
import json
import zlib
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO, cast

import orjson

from ..json.types import described
from ..reporting.diagnostics import MOST_NAMED, near
from .job import FIRST_ROW, Chunk, Done, Job, UnreadableError
from .rows import FATAL, Refused, Rows, Watch

PLAIN, GZIP, ZSTD = "lines", "lines.gz", "lines.zst"
GZIP_LEVEL = 6
ZSTD_LEVEL = 3


# --- reading ---


def chunks(file: BinaryIO, form: str, job: Job, start: int, row: int) -> Iterator[Chunk]:
    """Yield the chunks from the byte `start` of the text, where the line `row` begins."""
    try:
        text = text_of(file, form)
        _skip(text, start, job.chunk)
        rest = b""
        while True:
            data, rest = _whole_lines(text, rest, job)
            if isinstance(data, int):
                start += data
                yield Chunk(form, row, 1, b"", start, file.tell(), data)
                row += 1
                continue
            if not data:
                return
            start += len(data)
            rows = data.count(b"\n") + (not data.endswith(b"\n"))
            yield Chunk(form, row, rows, data, start, file.tell())
            row += rows
    except (EOFError, OSError, ValueError, zlib.error) as error:
        raise UnreadableError(f"after row {row - 1}: {error}") from error


def text_of(file: BinaryIO, form: str) -> BinaryIO:
    """Return the decompressed text of a file."""
    if form == GZIP:
        return cast("BinaryIO", gzip.GzipFile(fileobj=file))
    if form == ZSTD:
        import pyarrow

        return cast("BinaryIO", pyarrow.CompressedInputStream(pyarrow.PythonFile(file, mode="r"), "zstd"))
    return file


def _skip(text: BinaryIO, start: int, size: int) -> None:
    """Skip to a byte, for which compressed text has to be read."""
    if text.seekable() and not isinstance(text, gzip.GzipFile):
        text.seek(start)
        return
    while start:
        skipped = len(text.read(min(start, size)))
        if not skipped:
            raise ValueError("the file is shorter than when the run began")
        start -= skipped


def _whole_lines(text: BinaryIO, rest: bytes, job: Job) -> tuple[bytes | int, bytes]:
    """Return the next lines, or the length of a line that is too long; and the beginning of the line after them."""
    pieces = [rest, text.read(job.chunk - len(rest))]
    length = len(rest) + len(pieces[1])
    if b"\n" not in rest and b"\n" not in pieces[1]:
        while length <= job.longest_row and (piece := text.read(job.chunk)):
            pieces.append(piece)
            length += len(piece)
            if b"\n" in piece:
                break
        else:
            if length > job.longest_row:
                return _past(text, length, job.chunk)
    data = b"".join(pieces)
    del pieces
    end = data.rfind(b"\n") + 1
    return (data[:end], data[end:]) if end else (data, b"")


def _past(text: BinaryIO, length: int, size: int) -> tuple[int, bytes]:
    """Skip the rest of a line that is too long, and return its length and the bytes that were read after it."""
    while piece := text.read(size):
        end = piece.find(b"\n") + 1
        if end:
            return length + end, piece[end:]
        length += len(piece)
    return length, b""


# --- converting ---


def convert(chunk: Chunk, job: Job, watch: Watch | None) -> Done:
    rows = Rows(job, watch)
    made: list[bytes] = []
    try:
        if chunk.too_long:
            what = f"expected a row of at most {job.longest_row} bytes, found {chunk.too_long}"
            rows.wrong("SHP-1", what, chunk.row, b"")
        else:
            _lines(chunk, job, rows, made)
    except Refused:
        pass
    output = b"".join(made) if job.writes else b""
    return Done(compressed(output, chunk.form) if output else b"", b"".join(rows.refused), rows.tally, rows.ids)


def _lines(chunk: Chunk, job: Job, rows: Rows, made: list[bytes]) -> None:
    data = chunk.data.removeprefix(BOM_UTF8) if chunk.row == FIRST_ROW else chunk.data
    for row, line in enumerate(data.removesuffix(b"\n").split(b"\n"), chunk.row):
        payload = line.strip()
        if not payload:
            rows.tally.blank += 1
            continue
        if rows.is_fatal(row):
            rows.refuse(FATAL, row, payload)
            continue
        output = rows.convert(payload, row) if job.column is None else _member(payload, job.column, row, rows)
        if output is not None:
            made.append(output)
            made.append(b"\n")


def _member(line: bytes, column: str, row: int, rows: Rows) -> bytes | None:
    """Return the line with the payload in one member converted: text stays text, JSON stays JSON."""
    try:
        entry: Any = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        rows.wrong("SHP-6", str(error), row, line)
        return None
    payload = entry.get(column) if isinstance(entry, dict) else None
    if not isinstance(payload, (str, dict, list)):
        found = _description(entry, column, payload)
        rows.wrong("SHP-1", f"expected an object with the payload in {column!r}, found {found}", row, line)
        return None
    try:
        given = payload.encode() if isinstance(payload, str) else orjson.dumps(payload)
        if _has_floats(value for name, value in entry.items() if name != column):  # one may have been a long integer
            entry = json.loads(line, parse_int=orjson.Fragment, parse_float=orjson.Fragment)
        orjson.dumps({**entry, column: None})
    except (TypeError, RecursionError) as error:  # deeper than orjson writes
        rows.wrong("SHP-7", str(error), row, line)
        return None
    output = rows.convert(given, row, line)
    if output is None:
        return None
    entry[column] = output.decode() if isinstance(payload, str) else orjson.Fragment(output)
    return orjson.dumps(entry)


def _description(entry: Any, column: str, payload: Any) -> str:
    if not isinstance(entry, dict):
        return described(entry)
    if column in entry:
        return f"{described(payload)} there"
    return f"the members {', '.join(map(repr, [*entry][:MOST_NAMED]))}{near(column, entry)}"


def _has_floats(values: Iterable[Any]) -> bool:
    waiting = list(values)
    while waiting:
        value = waiting.pop()
        if isinstance(value, float):
            return True
        if isinstance(value, (dict, list)):
            waiting += value.values() if isinstance(value, dict) else value
    return False


def compressed(data: bytes, form: str) -> bytes:
    if form == GZIP:
        return gzip.compress(data, GZIP_LEVEL, mtime=0)
    if form == ZSTD:
        import pyarrow

        frame: bytes = pyarrow.Codec("zstd", ZSTD_LEVEL).compress(data, asbytes=True)
        return frame
    return data
