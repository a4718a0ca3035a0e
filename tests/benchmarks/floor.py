"""Owns the comparison with the floor: what reading the source and writing the target cost, with nothing in between.

The floor writes our own output, so a conversion is not excused by what it leaves out, nor charged for what it adds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson

import proxai_ir

from .payloads import Route
from .report import Settings
from .timing import Call, Round, interleave, timed

FLOOR = "floor"
CONVERT = "convert"
DIAGNOSED = "convert, diagnostics read"


def target_of(source: bytes, route: Route, kind: str) -> Any:
    """What our conversion makes of `source`, parsed. Bytes must become bytes: the rest would be no comparison."""
    output = proxai_ir.convert(source, *route, kind=kind)
    if not isinstance(output, bytes):
        raise TypeError(f"convert() made {type(output).__name__} of bytes")
    return orjson.loads(output)


def accepted(sources: Sequence[bytes], route: Route, kind: str) -> list[bytes]:
    """Those sources that the target can take; a refusal is quick, and would flatter us."""
    taken: list[bytes] = []
    for source in sources:
        try:
            target_of(source, route, kind)
        except proxai_ir.TranslationError:
            continue
        taken.append(source)
    return taken


def contenders(sources: Sequence[bytes], route: Route, kind: str) -> dict[str, Call]:
    """The floor, the conversion, and the conversion whose diagnostics somebody reads, each over all the sources."""
    src, dst = route
    convert, compile_, loads, dumps = proxai_ir.convert, proxai_ir.compile, orjson.loads, orjson.dumps
    pairs = [(source, target_of(source, route, kind)) for source in sources]

    def floor() -> None:
        for source, target in pairs:
            loads(source)
            dumps(target)

    def converted() -> None:
        for source in sources:
            convert(source, src, dst, kind=kind)

    def diagnosed() -> None:
        for source in sources:
            tuple(compile_(source, src, dst, kind=kind).diagnostics)

    return {FLOOR: floor, CONVERT: converted, DIAGNOSED: diagnosed}


def against_floor(sources: Sequence[bytes], route: Route, kind: str, settings: Settings, rounds: int) -> list[Round]:
    """The interleaved times of the three contenders."""
    calls = contenders(sources, route, kind)
    return interleave({name: timed(call, settings.batch_seconds) for name, call in calls.items()}, rounds)
