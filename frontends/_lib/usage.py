"""Usage as servers count it that are not as exact as the official types, or whose types are floats: a fraction of a
token is none.
"""

from __future__ import annotations

from math import isfinite

from proxai_ir.ir.usage import Usage
from proxai_ir.json.pointer import extended
from proxai_ir.reporting.diagnostics import Refusal

from .objects import ObjectReader
from .reading import Object, keep


def read_counts(reader: ObjectReader, usage: Object) -> Usage:
    """The usage; counts with a fraction are rounded down, and stay with their protocol as they are."""
    try:
        found: Usage = reader.read(usage)
        return found
    except Refusal:
        counts, kept = _whole(usage)
        if counts is usage:
            raise
    found = reader.read(counts)
    for key, value in kept.items():
        keep(found, key, value)
    return found


def _whole(usage: Object, *, inside: bool = True) -> tuple[Object, Object]:
    """The same with whole numbers, in the objects `inside` it too, and what had to be rounded."""
    floats = {key: value for key, value in usage.items() if isinstance(value, float) and isfinite(value)}
    made: Object = {key: int(value) for key, value in floats.items()}
    kept: Object = {key: value for key, value in floats.items() if not value.is_integer()}
    for key, value in usage.items():
        if inside and isinstance(value, dict):
            inner, rounded = _whole(value, inside=False)
            if inner is not value:
                made[key] = inner
            if rounded:
                kept[key] = rounded
    return extended(usage, made) if made else usage, kept
