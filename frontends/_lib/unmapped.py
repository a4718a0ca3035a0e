"""Members of a stream's events that have no place in the IR (LOS-3)."""

from __future__ import annotations

from collections.abc import Mapping

from proxai_ir.ir.node import Extra
from proxai_ir.ir.stream import events

from .reading import NOTHING, Json, Known, Object, extra_fields


def unmapped(
    event: Object,
    known: Known,
    index: int = 0,
    about: str = "Event",
    *,
    more: Mapping[str, Json] = NOTHING,
    **nested: Extra | None,
) -> list[events.Event]:
    """Those of an event, or of an object in it, and of the objects inside that are named; `more`: others that are kept.

    `about`: what VENDOR_FIELDS has them under.
    """
    extra = extra_fields(event, known, nested=nested)
    added = {key: value for key, value in more.items() if value is not None} if more else None
    if added:
        extra = Extra({**((extra.fields if extra is not None else None) or {}), **added})
    return [] if extra is None else [events.UnmappedFields(about, extra, index, event)]
