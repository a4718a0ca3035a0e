"""The function that every engine calls with a batch of rows, and that adds the same columns in all of them.

Rule: all columns of the table stay, and OUTPUT, RULE, PATH and DIAGNOSTICS are added.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa

from ..bulk.rows import attempt
from ..conversion.directions import bound
from ..conversion.profile import Profile
from ..reporting.diagnostics import Diagnostic, render

OUTPUT, RULE, PATH, DIAGNOSTICS = "output", "refused_rule", "refused_path", "diagnostics"
ADDED = (OUTPUT, RULE, PATH, DIAGNOSTICS)

Row = tuple[bytes | None, str | None, str | None, list[dict[str, str]]]
Batch = Any
"""A Table or RecordBatch of pyarrow."""
FINDING = pa.struct([(name, pa.string()) for name in Diagnostic._fields])


def converter(
    src: str | Profile, dst: str | Profile, *, column: str = "payload", kind: str | None = None, **options: Any
) -> Callable[[Batch], Batch]:
    """Return the function that an engine calls with each batch. It can be pickled.

    column   the name of the column with the payloads, as text or bytes; the output has its type
    kind     as in `convert`; None: detected row by row
    options  those of `convert`

    Raises TypeError and TranslationError here, before anything runs, for options and protocols that do not exist.
    """
    bound(src, dst, options)
    return Converter(src, dst, column, kind, options)


class Converter:
    """A conversion of batches, as plain data. A call raises KeyError or TypeError if the column cannot be used."""

    def __init__(
        self, src: str | Profile, dst: str | Profile, column: str, kind: str | None, options: dict[str, Any]
    ) -> None:
        self.src, self.dst, self.column, self.kind, self.options = src, dst, column, kind, options

    def __call__(self, batch: Batch) -> Batch:
        names = batch.schema.names
        check_columns(names, self.column)
        cells = batch.column(self.column)
        if not any(test(cells.type) for test in (_is_text, _is_binary, pa.types.is_null)):
            raise TypeError(f"column {self.column!r} has the type {cells.type}; expected text or binary")
        read = cells.cast(pa.large_binary()) if _is_text(cells.type) else cells  # so that bad UTF-8 costs one row only
        rows = [self.row(cell) for cell in read.to_pylist()]
        kind = pa.string() if pa.types.is_null(cells.type) else cells.type
        outputs: list[Any] = [row[0] for row in rows]
        if _is_text(kind):
            outputs = [None if one is None else one.decode() for one in outputs]
        added = [
            pa.array(outputs, kind),
            pa.array([row[1] for row in rows], pa.string()),
            pa.array([row[2] for row in rows], pa.string()),
            pa.array([row[3] for row in rows], pa.list_(FINDING)),
        ]
        columns = [batch.column(index) for index in range(len(names))]
        fields = [*batch.schema, *(pa.field(name, one.type) for name, one in zip(ADDED, added, strict=True))]
        return type(batch).from_arrays([*columns, *added], schema=pa.schema(fields))

    def row(self, payload: bytes | None) -> Row:
        """Return output, refused rule, refused path and diagnostics of one payload. Raises nothing."""
        if payload is None:
            what = "expected a payload, found null"
            return _refused(render([("SHP-1", None, what)], None, refused=True))
        done = attempt(payload, self.src, self.dst, self.kind, self.options)
        if isinstance(done, tuple):
            return _refused(done)
        return bytes(done.output), None, None, [one.as_json() for one in done.diagnostics]


def _refused(found: tuple[Diagnostic, ...]) -> Row:
    return None, found[0].rule, found[0].path, [one.as_json() for one in found]


def check_columns(names: list[str], column: str) -> None:
    if column not in names:
        raise KeyError(f"no column {column!r}; the columns are {', '.join(names)}")
    taken = [name for name in ADDED if name in names]
    if taken:
        raise KeyError(f"the columns {', '.join(taken)} exist already; rename them, as the conversion adds its own")


def _is_text(kind: Any) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _is_binary(kind: Any) -> bool:
    return bool(pa.types.is_binary(kind) or pa.types.is_large_binary(kind))
