"""Ray Data: a dataset of payloads into the same dataset with the columns of a conversion."""

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
    """Return the ray.data.Dataset with OUTPUT, RULE, PATH and DIAGNOSTICS added (`map_batches`); lazy, as Ray's methods
    are.

    `converter` has the parameters. `batch_size`: rows that a call converts; less where rows are large. The workers need
    this package: Ray's `runtime_env={"pip": […]}` installs it there.
    """
    batches = converter(src, dst, column=column, kind=kind, **options)

    def convert_batch(table: Any) -> Any:  # Ray takes an object that is callable for a class of one
        return batches(table)

    return dataset.map_batches(convert_batch, batch_format="pyarrow", batch_size=batch_size)
