"""Parquet: cut into chunks of rows, the payload column converted, the other columns kept.

Rule 1: a payload column of strings or bytes keeps its type; one of structs becomes strings of JSON, since payloads of
another protocol have other members. Rule 2: a null in a struct is a member that the payload lacks.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO

import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from ..reporting.diagnostics import near
from .job import Chunk, Done, Job, UnreadableError
from .rows import FATAL, Refused, Rows, Watch

FORM = "parquet"
COLUMN = "payload"
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
        _checked(table.schema_arrow, job.column or COLUMN)
        for group in range(table.num_row_groups):
            for rows in _parts(table, group, job.chunk):
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
        column = job.column or COLUMN
        made = _made(_checked(table.schema_arrow, column), column)
        groups, columns = table.num_row_groups, table.metadata.num_columns
        used = table.metadata.row_group(0).column(0).compression if groups and columns else "SNAPPY"
    except (pa.ArrowException, OSError, ValueError, KeyError) as error:
        raise UnreadableError(str(error)) from error
    return made, "none" if used == "UNCOMPRESSED" else used.lower()


def _checked(found: pa.Schema, column: str) -> pa.Schema:
    if found.names.count(column) != 1:
        raise UnreadableError(_which(found, column))
    kind = _plain(found.field(column).type)
    if not (_is_text(kind) or _is_binary(kind) or pa.types.is_struct(kind)):
        raise UnreadableError(f"column {column!r} is {kind}; expected string, binary or struct")
    return found


def _which(found: pa.Schema, column: str) -> str:
    """Return the message for a column that is missing or exists twice, with the one that may be meant."""
    fitting = [one.name for one in found if pa.types.is_struct(kind := _plain(one.type)) or _is_text(kind)]
    which = f"; which has the payload: {' or '.join(map(repr, fitting))}?" if fitting else ""
    hint = near(column, found.names) or which
    advice = f"{hint} Name it: column (--column)" if hint else ""
    return f"expected one column {column!r}, found the columns {', '.join(found.names)}{advice}"


def _made(found: pa.Schema, column: str) -> pa.Schema:
    at = found.get_field_index(column)
    field = found.field(at)
    kind = pa.string() if pa.types.is_struct(_plain(field.type)) else _plain(field.type)
    made = found.set(at, field.with_type(kind))
    return made if kind == field.type else made.remove_metadata()  # it describes the old columns


def _plain(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _is_binary(kind: pa.DataType) -> bool:
    return bool(pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_binary_view(kind))


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
    column = job.column or COLUMN
    rows = Rows(job, watch)
    made: list[Any] = []
    kept: list[int] = []
    try:
        for at, cell in enumerate(table.column(column)):
            output = _converted(cell, chunk.row + at, rows)
            if output is not None:
                made.append(output)
                kept.append(at)
    except Refused:
        pass
    output = _packed(_replaced(table, column, made, kept)) if job.writes and kept else b""
    return Done(output, b"".join(rows.refused), rows.tally, rows.ids)


def _converted(cell: pa.Scalar, row: int, rows: Rows) -> bytes | None:
    if isinstance(cell, pa.DictionaryScalar):
        cell = cell.value
    if not cell.is_valid:
        rows.wrong("SHP-1", "expected a payload, found null", row, None)
        return None
    if rows.is_fatal(row):
        rows.refuse(FATAL, row, _shown(cell))
        return None
    if not isinstance(cell, pa.StructScalar):
        return rows.convert(_shown(cell), row)
    try:
        payload = orjson.dumps(_members(cell.as_py(maps_as_pydicts="strict")))
    except (TypeError, ValueError, KeyError) as error:  # no JSON, or none that Python reads: a key twice, nanoseconds
        rows.wrong("SHP-7", str(error), row, _shown(cell))
        return None
    return rows.convert(payload, row)


def _shown(cell: pa.Scalar) -> bytes:
    """Return the bytes of a cell; a struct as pyarrow shows it."""
    if isinstance(cell, pa.StructScalar):
        return bytes(pa.array([cell]).to_string(window=MOST_ROWS, skip_new_lines=True).encode())
    return bytes(cell.as_buffer().to_pybytes())


def _members(value: Any) -> Any:
    """Return a struct without members that are null, as only other rows have them."""
    if isinstance(value, dict):
        return {name: _members(one) for name, one in value.items() if one is not None}
    if isinstance(value, list):
        return [_members(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"JSON has no number {value}")
    return value


def _replaced(table: pa.Table, column: str, made: list[bytes], kept: list[int]) -> pa.Table:
    schema = _made(table.schema, column)
    at = schema.get_field_index(column)
    kind = schema.field(at).type
    values = made if _is_binary(kind) else [one.decode() for one in made]
    columns = _picked(table, kept).columns
    columns[at] = pa.array(values, kind)
    return pa.Table.from_arrays(columns, schema=schema)


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
