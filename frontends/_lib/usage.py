"""Usage as servers count it that are not as exact as the official types: a fraction of a token is none."""

from __future__ import annotations

from math import isfinite

from proxai_ir.ir.usage import Usage
from proxai_ir.json.pointer import Respelled
from proxai_ir.reporting.diagnostics import Refusal

from .objects import ObjectReader
from .reading import Json, Object, keep


def read_counts(reader: ObjectReader, usage: Object) -> Usage:
    """The usage; counts with a fraction are rounded down, and stay with their protocol as they are."""
    try:
        found: Usage = reader.read(usage)
        return found
    except Refusal:
        counts, kept = _whole(usage)
        if not kept:
            raise
    found = reader.read(counts)
    for key, value in kept.items():
        keep(found, key, value)
    return found


def _whole(usage: Object) -> tuple[Object, Object]:
    """The same with whole numbers, and what had to be rounded."""
    counts, kept = {**usage}, dict[str, Json]()
    for key, value in usage.items():
        if isinstance(value, float) and isfinite(value):
            counts[key] = int(value)
            kept[key] = value
        elif isinstance(value, dict):
            inner, rest = _whole(value)
            if rest:
                counts[key], kept[key] = inner, rest
    return Respelled(counts, usage, {}), kept
