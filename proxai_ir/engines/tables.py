"""The function that every engine calls with a batch of rows, and that adds the same columns in all of them.

Rule: all columns of the table stay, and those of ADDED are added; DIAGNOSTICS is left out where it is not wanted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import pyarrow as pa

from ..bulk import cells
from ..bulk.job import HEADERS, OUTPUT, PATH, ROUTE, RULE, WHOLE, Job
from ..bulk.rows import RowConverter
from ..bulk.tables import as_cell
from ..conversion.options import quotes
from ..conversion.profile import Profile
from ..reporting.diagnostics import Diagnostic, render

DIAGNOSTICS = "diagnostics"
ADDED = (OUTPUT, RULE, PATH, ROUTE, HEADERS, DIAGNOSTICS)

Batch = Any
"""A Table or RecordBatch of pyarrow."""
FINDING = pa.struct([(name, pa.string()) for name in Diagnostic._fields])


def converter(
    src: str | Profile,
    dst: str | Profile,
    *,
    column: str = "payload",
    kind: str | None = None,
    profile: Literal["model", "protocol"] = "model",
    diagnostics: bool = True,
    **options: Any,
) -> Callable[[Batch], Batch]:
    """Return the function that an engine calls with each batch. It can be pickled.

    column   the name of the column with the payloads; the output has its type if that is text or bytes, else it is
             text. WHOLE: each row is a payload, whose members the columns are
    src, dst, kind, profile
             as in `proxai_ir.bulk.run`: the same rows give the same outputs there and here
    diagnostics
             False: without the column DIAGNOSTICS, which takes about a third of the time
    options  those of `convert`

    Raises TypeError for an option that does not exist and ValueError for other errors, before anything runs.
    """
    return Converter(Job(src, dst, kind, options, profile=profile).validated(), column, diagnostics)


class Converter:
    """A conversion of batches, as plain data. A call raises KeyError or TypeError if the column cannot be used."""

    def __init__(self, job: Job, column: str, diagnostics: bool) -> None:
        self.job, self.column = job, column
        self.added = added(diagnostics)

    def __call__(self, batch: Batch) -> Batch:
        names = batch.schema.names
        check_columns(names, self.column, self.added)
        column = batch.to_struct_array() if self.column == WHOLE else batch.column(self.column)
        if not cells.can_hold(column.type):
            raise TypeError(f"column {self.column!r} has the type {column.type}; expected {cells.EXPECTED}")
        convert = RowConverter(self.job).convert
        shows = quotes(self.job.options)
        wanted = DIAGNOSTICS in self.added
        rows = [_row(cell, convert, shows, wanted) for cell in column]
        made = [cells.written([row.get(OUTPUT) for row in rows], cells.written_as(column.type))]
        for name in self.added[1:]:
            kind = pa.list_(FINDING) if name == DIAGNOSTICS else pa.string()
            made.append(pa.array([as_cell(row.get(name)) for row in rows], kind))
        columns = [batch.column(index) for index in range(len(names))]
        fields = [*batch.schema, *(pa.field(name, one.type) for name, one in zip(self.added, made, strict=True))]
        return type(batch).from_arrays([*columns, *made], schema=pa.schema(fields))


def added(diagnostics: bool) -> tuple[str, ...]:
    """Return the names of the columns that a conversion adds."""
    return ADDED if diagnostics else ADDED[:-1]


def _row(cell: pa.Scalar, convert: Callable[[bytes], Any], shows: bool, wanted: bool) -> dict[str, Any]:
    """Return what one payload has in the added columns. Raises nothing."""
    try:
        payload = cells.payload_of(cell)
    except cells.NoJson as error:
        return _refused(render([("SHP-7", None, str(error))], None, refused=True, quote_values=shows))
    if payload is None:
        return _refused(render([("SHP-1", None, cells.NULL)], None, refused=True))
    done = convert(payload)
    if isinstance(done, tuple):
        return _refused(done)
    made = {OUTPUT: bytes(done.output), ROUTE: done.route or None, HEADERS: done.headers or None}
    return {**made, DIAGNOSTICS: [one.as_json() for one in done.diagnostics]} if wanted else made


def _refused(found: tuple[Diagnostic, ...]) -> dict[str, Any]:
    return {RULE: found[0].rule, PATH: found[0].path, DIAGNOSTICS: [one.as_json() for one in found]}


def check_columns(names: list[str], column: str, added: Sequence[str]) -> None:
    """Raise KeyError if the column is missing, or one that is added exists already."""
    if column not in (WHOLE, *names):
        raise KeyError(f"no column {column!r}; the columns are {', '.join(names)}")
    taken = [name for name in added if name in names]
    if taken:
        raise KeyError(f"the columns {', '.join(taken)} exist already; rename them, as the conversion adds its own")
