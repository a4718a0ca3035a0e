"""Ray Data: add the columns of a conversion to a dataset of payloads."""

from __future__ import annotations

from typing import Any

from ..conversion.profile import Profile
from .tables import converter


def convert(
    dataset: Any,
    src: str | Profile,
    dst: str | Profile,
    *,
    column: str = "payload",
    kind: str | None = None,
    batch_size: int | None = 1024,
    **options: Any,
) -> Any:
    """Return the ray.data.Dataset with OUTPUT, RULE, PATH and DIAGNOSTICS added (`map_batches`), lazily.

    `converter` has the parameters. A call converts `batch_size` rows: fewer are better if rows are large. The workers
    need this package, which Ray's `runtime_env={"pip": […]}` installs there.
    """
    batches = converter(src, dst, column=column, kind=kind, **options)

    def convert_batch(table: Any) -> Any:  # Ray would take a callable object for a class
        return batches(table)

    return dataset.map_batches(convert_batch, batch_format="pyarrow", batch_size=batch_size)
