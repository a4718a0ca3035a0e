"""Errors whose body is a declared object, and whose category the HTTP status alone has."""

from __future__ import annotations

from collections.abc import Callable

from proxai_ir.ir.error import Error, ErrorCategory, by_status
from proxai_ir.wire.objects import WireObject

from .objects import ObjectReader
from .reading import Object, read_or_keep

Read = Callable[..., Error]


def error_reader(
    protocol: str, declared: WireObject, category: Callable[[int | None], ErrorCategory] = by_status
) -> Read:
    """What `Frontend.error` is; `category`: that of a status."""
    reader = ObjectReader(declared)

    def lower_error(payload: Object, status: int | None = None) -> Error:
        def read() -> Error:
            made: Error = reader.read(payload)
            made.category, made.status = category(status), status
            return made

        return read_or_keep(protocol, payload, status, read)

    return lower_error
