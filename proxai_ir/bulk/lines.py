"""JSON Lines, plain or compressed: cut into chunks of whole lines, and converted line by line.

Rule: each chunk of a compressed output is a gzip member, a bzip2 or xz stream, or a zstd frame of its own, so that
workers can compress and a run can be resumed.
"""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import zlib
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO, cast

import orjson

from ..exports.pairs import MEMBERS
from ..json.types import described, loaded
from ..reporting.diagnostics import MOST_NAMED, near
from .job import ADDED, FIRST_ROW, OUTPUT, STREAM, Chunk, Done, Job, UnreadableError
from .rows import FATAL, Made, Refused, Rows, Watch

PLAIN, GZIP, ZSTD, BZIP2, XZ = "lines", "lines.gz", "lines.zst", "lines.bz2", "lines.xz"
GZIP_LEVEL = 6
ZSTD_LEVEL = 3
PACKERS: dict[str, Any] = {GZIP: gzip, BZIP2: bz2, XZ: lzma}
"""Modules of Python that open and compress a form."""


# --- reading ---


def chunks(file: BinaryIO, form: str, job: Job, start: int, row: int) -> Iterator[Chunk]:
    """Yield the chunks from the byte `start` of the text, where the line `row` begins."""
    try:
        text = text_of(file, form)
        _skip(text, form, start, job.chunk)
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
    except (EOFError, OSError, ValueError, zlib.error, lzma.LZMAError) as error:
        raise UnreadableError(f"after row {row - 1}: {error}") from error


def text_of(file: BinaryIO, form: str) -> BinaryIO:
    """Return the decompressed text of a file."""
    if form in PACKERS:
        return cast("BinaryIO", PACKERS[form].open(file))
    if form == ZSTD:
        import pyarrow

        return cast("BinaryIO", pyarrow.CompressedInputStream(pyarrow.PythonFile(file, mode="r"), "zstd"))
    return file


def _skip(text: BinaryIO, form: str, start: int, size: int) -> None:
    """Skip to a byte, for which compressed text has to be read."""
    if form == PLAIN and text.seekable():
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
            if job.takes(chunk.row, chunk.file):
                made += _ended(_alone(rows.wrong("SHP-1", what, chunk.row, b"")))
        else:
            _lines(chunk, job, rows, made)
    except Refused:
        pass
    output = b"".join(made) if job.writes else b""
    return rows.done(compressed(output, chunk.form) if output else b"")


def _lines(chunk: Chunk, job: Job, rows: Rows, made: list[bytes]) -> None:
    data = chunk.data.removeprefix(BOM_UTF8) if chunk.row == FIRST_ROW else chunk.data
    for row, line in enumerate(data.removesuffix(b"\n").split(b"\n"), chunk.row):
        if not job.takes(row, chunk.file):
            continue
        payload = line.strip()
        if not payload:
            rows.tally.blank += 1
            continue
        if job.key is not None:
            rows.key = _value(payload, job.key)
        if rows.is_fatal(row):
            output = _alone(rows.refuse(FATAL, row, payload))
        elif job.column or job.of_pairs:
            output = _member(payload, job, row, rows)
        else:
            output = _enveloped({}, rows.convert(payload, row), job)
        made += _ended(output)


def _ended(line: bytes | None) -> tuple[bytes, ...]:
    return () if line is None else (line, b"\n")


def _alone(made: Made) -> bytes | None:
    """Return the envelope of a row whose other members are not known; None if there are no envelopes."""
    return orjson.dumps(made.added, default=str) if made.added else None


def _enveloped(kept: dict[str, Any], made: Made, job: Job) -> bytes | None:
    """Return the line of a row that has no member for its output: the output, or its envelope."""
    if not made.added:
        return made.output
    return orjson.dumps({**kept, **made.added, OUTPUT: _held(made.output, job)})


def _held(output: bytes | None, job: Job) -> Any:
    """Return an output as the value of a member: JSON, or the text of a stream."""
    if output is None:
        return None
    return output.decode() if job.kind == STREAM and not output.startswith(b"[") else orjson.Fragment(output)


def _value(line: bytes, name: str) -> Any:
    """Return the value at a name or pointer in a line, or None; its numbers are as they are written."""
    try:
        value = _at(orjson.loads(line), name)
        if _has_floats([value]):  # which may have been long integers
            value = _at(json.loads(line, parse_int=orjson.Fragment, parse_float=orjson.Fragment), name)
    except orjson.JSONDecodeError:
        return None
    return value


def _at(entry: Any, name: str) -> Any:
    holder, last = _place(entry, name)
    return holder.get(last) if isinstance(holder, dict) else None


def _member(line: bytes, job: Job, row: int, rows: Rows) -> bytes | None:
    """Return the line with its payload converted; its other members stay as they are.

    The payload is a member, in which text stays text and JSON stays JSON, or the two members of a pair.
    """
    try:
        entry = loaded(line)
    except ValueError as error:
        return _alone(rows.wrong("SHP-6", str(error), row, line))
    taken = [name for name in (*ADDED, OUTPUT) if job.envelope and isinstance(entry, dict) and name in entry]
    if taken:
        detail = f"expected no members {', '.join(map(repr, taken))} beside the payload: an envelope adds its own"
        return _alone(rows.wrong("SHP-1", detail, row, line))
    if job.column:
        return _in_member(line, entry, job, row, rows)
    if not isinstance(entry, dict):
        return _enveloped({}, rows.convert(line, row), job)
    pair = {name: entry.pop(name) for name in MEMBERS if name in entry}
    try:
        kept = _exactly(line, entry)
        given = orjson.dumps(pair)
    except (TypeError, RecursionError) as error:  # deeper than orjson writes
        return _alone(rows.wrong("SHP-7", str(error), row, line))
    return _enveloped(kept, rows.convert(given, row, line), job)


def _exactly(line: bytes, members: dict[str, Any]) -> dict[str, Any]:
    """Return members of a line with their numbers as they are written: a float may have been a long integer."""
    if _has_floats(members.values()):
        read = json.loads(line, parse_int=orjson.Fragment, parse_float=orjson.Fragment)
        members = {name: read[name] for name in members}
    orjson.dumps(members)
    return members


def _in_member(line: bytes, entry: Any, job: Job, row: int, rows: Rows) -> bytes | None:
    column = job.column or ""
    holder, name = _place(entry, column)
    payload = holder.get(name) if isinstance(holder, dict) else None
    if not isinstance(payload, (str, dict, list)):
        found = _description(holder, name, payload)
        detail = f"expected an object with the payload in {column!r}, found {found}"
        return _alone(rows.wrong("SHP-1", detail, row, line))
    try:
        given = payload.encode() if isinstance(payload, str) else orjson.dumps(payload)
        holder[name] = None
        entry = _exactly(line, entry)
        holder, name = _place(entry, column)
        holder[name] = None
        orjson.dumps(entry)
    except (TypeError, RecursionError) as error:  # deeper than orjson writes
        return _alone(rows.wrong("SHP-7", str(error), row, line))
    output, added = rows.convert(given, row, line)
    if output is not None:
        holder[name] = output.decode() if isinstance(payload, str) else orjson.Fragment(output)
    elif not added:
        return None
    return orjson.dumps({**entry, **added})


def _place(entry: Any, column: str) -> tuple[Any, str]:
    """Return the object that holds the payload of a line, and the name of its member: a name, or a pointer to it."""
    if not column.startswith("/") or not isinstance(entry, dict) or column in entry:
        return entry, column
    *steps, name = (step.replace("~1", "/").replace("~0", "~") for step in column[1:].split("/"))
    for step in steps:
        entry = entry.get(step) if isinstance(entry, dict) else None
    return entry, name


def _description(holder: Any, name: str, payload: Any) -> str:
    if not isinstance(holder, dict):
        return described(holder)
    if name in holder:
        return f"{described(payload)} there"
    return f"the members {', '.join(map(repr, [*holder][:MOST_NAMED]))}{near(name, holder)}"


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
    if form in PACKERS:
        packed: bytes = PACKERS[form].compress(data)
        return packed
    if form == ZSTD:
        import pyarrow

        frame: bytes = pyarrow.Codec("zstd", ZSTD_LEVEL).compress(data, asbytes=True)
        return frame
    return data
