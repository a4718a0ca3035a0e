"""Parquet: cut into chunks of rows, the payload column converted, the other columns kept.

Rule: what the cells of the payload column hold, and which type its outputs have, `cells` says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO

import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from ..exports.pairs import MEMBERS
from ..reporting.diagnostics import near
from . import cells
from .job import ADDED, WHOLE, Chunk, Done, Job, UnreadableError
from .rows import FATAL, Made, Refused, Rows, Watch

FORM = "parquet"
COLUMN = "payload"
EACH_ROW = f"{WHOLE!r} is the name where each row is a payload"
MOST_ROWS = 10_000
STEP = 64
"""The most rows that are decoded at once: they may be larger than a group's size shows, if values repeat."""
BUFFER = 1 << 20
"""Bytes of a column that are read at once; by default a whole row group is read."""
GROUP = 64 << 20
"""Bytes of rows that are written as one row group."""


# --- reading ---


def chunks(file: BinaryIO, form: str, job: Job, start: int, row: int) -> Iterator[Chunk]:
    """Yield all rows; a Parquet file always starts at its first row."""
    try:
        table = pq.ParquetFile(file, buffer_size=BUFFER, pre_buffer=False)
        _checked(_seen(table.schema_arrow, job), job)
        for group in range(table.num_row_groups):
            for part in _parts(table, group, job.chunk):
                rows = _grouped(part, job) if job.column == WHOLE else part
                yield Chunk(form, row, rows.num_rows, _packed(rows), row + rows.num_rows, file.tell())
                row += rows.num_rows
    except (pa.ArrowException, OSError, ValueError, KeyError) as error:
        raise UnreadableError(f"after row {row - 1}: {error}") from error


def _parts(table: pq.ParquetFile, group: int, size: int) -> Iterator[pa.Table]:
    """Yield the rows of a group, in tables of about `size` bytes."""
    facts = table.metadata.row_group(group)
    each = max(1, facts.total_byte_size // max(1, facts.num_rows))
    waiting: list[pa.RecordBatch] = []
    for batch in table.iter_batches(max(1, min(STEP, size // each)), row_groups=[group]):
        waiting.append(batch)
        if sum(one.nbytes for one in waiting) >= size or sum(one.num_rows for one in waiting) >= MOST_ROWS:
            yield pa.Table.from_batches(waiting)
            waiting = []
    if waiting:
        yield pa.Table.from_batches(waiting)


def schema(file: BinaryIO, job: Job) -> tuple[pa.Schema, str]:
    """Return the columns of the output, and the compression of the input."""
    try:
        table = pq.ParquetFile(file)
        made = _made(_checked(_seen(table.schema_arrow, job), job), job)
        groups, columns = table.num_row_groups, table.metadata.num_columns
        used = table.metadata.row_group(0).column(0).compression if groups and columns else "SNAPPY"
    except (pa.ArrowException, OSError, ValueError, KeyError) as error:
        raise UnreadableError(str(error)) from error
    return made, "none" if used == "UNCOMPRESSED" else used.lower()


def _seen(found: pa.Schema, job: Job) -> pa.Schema:
    """Return the columns of the rows as they are converted: where each row is a payload, there is one of structs."""
    return _grouped(found.empty_table(), job).schema if job.column == WHOLE else found


def _grouped(rows: pa.Table, job: Job) -> pa.Table:
    """Return rows with a column of structs as their payloads, beside the key and, if they are pairs, the others."""
    names = rows.schema.names
    inside = [name for name in names if name in MEMBERS] if job.of_pairs else names
    beside = [name for name in names if name not in inside or name == job.key]
    payloads = rows.select(inside).to_struct_array()
    return pa.table([payloads, *rows.select(beside).columns], names=[COLUMN, *beside])


def _checked(found: pa.Schema, job: Job) -> pa.Schema:
    column = job.column or COLUMN
    if found.names.count(column) != 1:
        raise UnreadableError(_which(found, column))
    kind = found.field(column).type
    if not cells.can_hold(kind):
        raise UnreadableError(f"column {column!r} is {kind}; expected {cells.EXPECTED}")
    if job.key is not None and found.names.count(job.key) != 1:
        raise UnreadableError(f"expected one column {job.key!r} with keys, found {', '.join(found.names)}")
    taken = [name for name in ADDED if job.envelope and name in found.names]
    if taken:
        raise UnreadableError(f"expected no columns {', '.join(taken)}: an envelope adds its own")
    return found


def _which(found: pa.Schema, column: str) -> str:
    """Return the message for a column that is missing or exists twice, with the one that may be meant."""
    fitting = [one.name for one in found if cells.may_be_meant(one.type)]
    which = f"; which has the payload: {' or '.join(map(repr, fitting))}?" if fitting else ""
    hint = near(column, found.names) or which
    advice = f"{hint} Name it: column (--column)" if hint else ""
    return f"expected one column {column!r}, found the columns {', '.join(found.names)}{advice}; {EACH_ROW}"


def _made(found: pa.Schema, job: Job) -> pa.Schema:
    """Return the columns of the output, with those of the envelope."""
    at = found.get_field_index(job.column or COLUMN)
    field = found.field(at)
    kind = cells.written_as(field.type)
    made = found.set(at, field.with_type(kind))
    for name in ADDED if job.envelope else ():
        made = made.append(pa.field(name, pa.int64() if name == "row" else pa.string()))
    return made if made == found else made.remove_metadata()  # it describes the old columns


def _packed(rows: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema) as stream:
        stream.write_table(rows.combine_chunks())
    packed: bytes = sink.getvalue().to_pybytes()
    return packed


def unpacked(data: bytes) -> pa.Table:
    with pa.ipc.open_stream(data) as stream:
        return stream.read_all()


# --- converting ---


def convert(chunk: Chunk, job: Job, watch: Watch | None) -> Done:
    table = unpacked(chunk.data)
    rows = Rows(job, watch)
    keys = None if job.key is None else table.column(job.key)
    made: list[Made] = []
    kept: list[int] = []
    try:
        for at, cell in enumerate(table.column(job.column or COLUMN)):
            if not job.takes(chunk.row + at, chunk.file):
                continue
            rows.key = None if keys is None else keys[at].as_py()
            one = _converted(cell, chunk.row + at, rows)
            if one.output is not None or one.added:
                made.append(one)
                kept.append(at)
    except Refused:
        pass
    output = _packed(_replaced(table, job, made, kept)) if job.writes and kept else b""
    return rows.done(output)


def _converted(cell: pa.Scalar, row: int, rows: Rows) -> Made:
    if rows.is_fatal(row):
        return rows.refuse(FATAL, row, cells.shown(cell))
    try:
        payload = cells.payload_of(cell)
    except cells.NoJson as error:
        return rows.wrong("SHP-7", str(error), row, cells.shown(cell))
    if payload is None:
        return rows.wrong("SHP-1", cells.NULL, row, None)
    return rows.convert(payload, row)


def _replaced(table: pa.Table, job: Job, made: Sequence[Made], kept: list[int]) -> pa.Table:
    schema = _made(table.schema, job)
    at = schema.get_field_index(job.column or COLUMN)
    columns = _picked(table, kept).columns
    columns[at] = cells.written([one.output for one in made], schema.field(at).type)
    for field in list(schema)[len(columns) :]:
        columns.append(pa.array([as_cell(one.added.get(field.name)) for one in made], field.type))
    return pa.Table.from_arrays(columns, schema=schema)


def as_cell(value: Any) -> Any:
    """Return a value for a column: a route and headers as the text of their JSON."""
    return orjson.dumps(value).decode() if isinstance(value, dict) else value


def _picked(table: pa.Table, kept: list[int]) -> pa.Table:
    """Return the rows with these numbers, cut out in runs, since `take` lacks some types."""
    others = [-1, *sorted(set(range(table.num_rows)).difference(kept)), table.num_rows]
    return pa.concat_tables([table.slice(one + 1, other - one - 1) for one, other in pairwise(others)])


# --- writing ---


class TableWriter:
    """A Parquet file, in row groups of about GROUP bytes."""

    def __init__(self, path: Path, columns: pa.Schema, compression: str) -> None:
        self._writer = pq.ParquetWriter(path, columns, compression=compression)
        self._waiting: list[pa.Table] = []
        self._bytes = 0

    def write(self, data: bytes) -> None:
        table = unpacked(data)
        self._waiting.append(table)
        self._bytes += table.nbytes
        if self._bytes >= GROUP:
            self._flush()

    def close(self) -> None:
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        if self._waiting:
            table = pa.concat_tables(self._waiting)
            self._waiting, self._bytes = [], 0
            self._writer.write_table(table, row_group_size=max(1, table.num_rows))
