"""Spark: add the columns of a conversion to a frame of payloads."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any, Literal

from ..bulk.cells import EXPECTED
from ..bulk.job import OUTPUT, WHOLE
from ..conversion.profile import Profile
from ..reporting.diagnostics import Diagnostic
from .tables import DIAGNOSTICS, added, check_columns, converter


def convert(
    frame: Any,
    src: str | Profile,
    dst: str | Profile,
    *,
    column: str = "payload",
    kind: str | None = None,
    profile: Literal["model", "protocol"] = "model",
    diagnostics: bool = True,
    **options: Any,
) -> Any:
    """Return the pyspark DataFrame with the columns of a conversion added (`mapInArrow`), lazily.

    `converter` has the parameters. The executors need this package, by `spark.submit.pyFiles` or in their environment.
    Raises KeyError if the column is missing, or one that is added exists already, and TypeError if it cannot hold
    payloads.
    """
    types = import_module("pyspark.sql.types")  # here, as executors load this module, too
    names = added(diagnostics)
    check_columns(frame.columns, column, names)
    batches = converter(src, dst, column=column, kind=kind, profile=profile, diagnostics=diagnostics, **options)

    def convert_all(found: Iterator[Any]) -> Iterator[Any]:
        return map(batches, found)

    text = types.StringType()
    kept = (types.StringType, types.BinaryType)
    found_type = frame.schema if column == WHOLE else frame.schema[column].dataType  # a frame's is that of structs
    if not isinstance(found_type, (*kept, types.StructType, types.MapType, types.NullType)):
        raise TypeError(f"column {column!r} has the type {found_type.simpleString()}; expected {EXPECTED}")
    finding = types.StructType([types.StructField(name, text) for name in Diagnostic._fields])
    own = {OUTPUT: found_type if isinstance(found_type, kept) else text, DIAGNOSTICS: types.ArrayType(finding)}
    fields = [types.StructField(name, own.get(name, text)) for name in names]
    return frame.mapInArrow(convert_all, types.StructType([*frame.schema.fields, *fields]))
