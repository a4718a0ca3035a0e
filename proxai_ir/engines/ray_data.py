"""Ray Data: add the columns of a conversion to a dataset of payloads."""

from __future__ import annotations

from typing import Any, Literal

import pyarrow as pa

from ..conversion.profile import Profile
from .tables import converter


def convert(
    dataset: Any,
    src: str | Profile,
    dst: str | Profile,
    *,
    column: str = "payload",
    kind: str | None = None,
    profile: Literal["model", "protocol"] = "model",
    diagnostics: bool = True,
    batch_size: int | None = 1024,
    **options: Any,
) -> Any:
    """Return the ray.data.Dataset with the columns of a conversion added (`map_batches`), lazily.

    `converter` has the parameters. A call converts `batch_size` rows: fewer are better if rows are large. The workers
    need this package, which Ray's `runtime_env={"pip": […]}` installs there.
    Where the dataset knows its columns before it is read, raises KeyError and TypeError for those of no use, as a batch
    does.
    """
    batches = converter(src, dst, column=column, kind=kind, profile=profile, diagnostics=diagnostics, **options)
    schema = dataset.schema(fetch_if_missing=False)
    if schema is not None and isinstance(schema.base_schema, pa.Schema):
        batches(schema.base_schema.empty_table())

    def convert_batch(table: Any) -> Any:  # Ray would take a callable object for a class
        return batches(table)

    return dataset.map_batches(convert_batch, batch_format="pyarrow", batch_size=batch_size)
