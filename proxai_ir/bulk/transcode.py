"""An output in another format than its input: JSON Lines as Parquet and back, and between compressions.

Rule 1: it is made from the finished output in the input's format, so that a resumed run gives the same bytes. Rule 2: a
member keeps its type if all rows agree on one that Parquet has; otherwise it becomes text, the JSON of its value.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from . import lines
from .job import CHUNK, HEADERS, OUTPUT, ROUTE, Job
from .tables import COLUMN, FORM, GROUP, MOST_ROWS

SCALARS: dict[type, pa.DataType] = {str: pa.string(), bool: pa.bool_(), int: pa.int64(), float: pa.float64()}
COMPRESSION = "zstd"
LARGEST = 1 << 63


def transcode(made: Path, form: str, target: Path, into: str, job: Job) -> None:
    """Write the output `made`, of the format `form`, to `target` in the format `into`."""
    if into == FORM:
        _to_table(made, form, target, job.column or (OUTPUT if job.envelope else None))
        return
    pieces = _from_table(made, job) if form == FORM else _text(made, form)
    with target.open("wb") as file:
        empty = True
        for piece in pieces:
            file.write(lines.compressed(piece, into))
            empty = False
        if empty:
            file.write(lines.compressed(b"", into))


def _text(made: Path, form: str) -> Iterator[bytes]:
    with made.open("rb") as file:
        text = lines.text_of(file, form)
        while piece := text.read(CHUNK):
            yield piece


# --- to Parquet -------------------------------------------------------------------------------------------------------


def _to_table(made: Path, form: str, target: Path, column: str | None) -> None:
    kinds = _kinds(made, form, column)
    schema = pa.schema([(name, kind or pa.string()) for name, kind in kinds.items()])
    with pq.ParquetWriter(target, schema, compression=COMPRESSION) as writer:
        waiting: list[dict[str, Any]] = []
        size = 0
        for line in _lines(made, form):
            waiting.append(_row(line, kinds, column))
            size += len(line)
            if size >= GROUP or len(waiting) >= MOST_ROWS:
                writer.write_table(pa.Table.from_pylist(waiting, schema))
                waiting, size = [], 0
        writer.write_table(pa.Table.from_pylist(waiting, schema))


def _lines(made: Path, form: str) -> Iterator[bytes]:
    rest = b""
    for piece in _text(made, form):
        *whole, rest = (rest + piece).split(b"\n")
        yield from filter(None, whole)
    if rest:
        yield rest


def _kinds(made: Path, form: str, column: str | None) -> dict[str, pa.DataType | None]:
    """Return the columns, each with the type of all its values, or None if it becomes text.

    Lines are read by Python's parser, which keeps integers of any size.
    """
    if not column:
        return {COLUMN: None}
    kinds: dict[str, set[Any]] = {}
    for line in _lines(made, form):
        for name, value in json.loads(line).items():
            kinds.setdefault(name, set()).add(None if name == column else _kind(value))
    return {name: _joined(found - {pa.null()}) for name, found in kinds.items()}


def _kind(value: Any) -> pa.DataType | None:
    """Return the type of Parquet for a value, or None if it becomes text."""
    if value is None:
        return pa.null()
    if type(value) is int and not -LARGEST <= value < LARGEST:
        return None
    return SCALARS.get(type(value))


def _joined(found: set[Any]) -> pa.DataType | None:
    """Return the common type of values, or None; integers among floats become floats."""
    if found == {SCALARS[int], SCALARS[float]}:
        return SCALARS[float]
    return found.pop() if len(found) == 1 else None


def _row(line: bytes, kinds: dict[str, pa.DataType | None], column: str | None) -> dict[str, Any]:
    if not column:
        return {COLUMN: line.decode()}
    row: dict[str, Any] = json.loads(line)
    for name, value in row.items():
        if kinds[name] is None and value is not None and not (name == column and isinstance(value, str)):
            row[name] = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        elif kinds[name] == SCALARS[float] and value is not None:
            row[name] = float(value)
    return row


# --- from Parquet -----------------------------------------------------------------------------------------------------


def _from_table(made: Path, job: Job) -> Iterator[bytes]:
    """Yield lines of all columns, or of the payload alone if it is the only column and none was named."""
    table = pq.ParquetFile(made)
    name = job.column or COLUMN
    alone = not job.column and table.schema_arrow.names == [COLUMN]
    names = (name, ROUTE, HEADERS) if job.envelope else (name,)
    for batch in table.iter_batches(MOST_ROWS):
        rows = ({**row, **{one: _payload(row[one]) for one in names}} for row in batch.to_pylist())
        made_of = (orjson.dumps(row[name] if alone else row, default=_plain) for row in rows)
        yield b"".join(line + b"\n" for line in made_of)


def _payload(cell: str | bytes | None) -> Any:
    """Return a payload as JSON, a stream in its protocol's bytes as text, and None where a row was refused."""
    if cell is None:
        return None
    data = cell.encode() if isinstance(cell, str) else cell
    return orjson.Fragment(data) if data[:1] in (b"{", b"[") else data.decode(errors="replace")


def _plain(value: Any) -> Any:
    return b64encode(value).decode() if isinstance(value, bytes) else str(value)
