"""Spark: add the columns of a conversion to a frame of payloads."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

from ..conversion.profile import Profile
from ..reporting.diagnostics import Diagnostic
from .tables import DIAGNOSTICS, OUTPUT, PATH, RULE, check_columns, converter


def convert(
    frame: Any,
    src: str | Profile,
    dst: str | Profile,
    *,
    column: str = "payload",
    kind: str | None = None,
    **options: Any,
) -> Any:
    """Return the pyspark DataFrame with OUTPUT, RULE, PATH and DIAGNOSTICS added (`mapInArrow`), lazily.

    `converter` has the parameters. The executors need this package, by `spark.submit.pyFiles` or in their environment.
    Raises KeyError if the column is missing, or one that is added exists already.
    """
    types = import_module("pyspark.sql.types")  # here, as executors load this module, too
    check_columns(frame.columns, column)
    batches = converter(src, dst, column=column, kind=kind, **options)

    def convert_all(found: Iterator[Any]) -> Iterator[Any]:
        return map(batches, found)

    text = types.StringType()
    finding = types.StructType([types.StructField(name, text) for name in Diagnostic._fields])
    added = [
        types.StructField(OUTPUT, frame.schema[column].dataType),
        types.StructField(RULE, text),
        types.StructField(PATH, text),
        types.StructField(DIAGNOSTICS, types.ArrayType(finding)),
    ]
    return frame.mapInArrow(convert_all, types.StructType([*frame.schema.fields, *added]))
