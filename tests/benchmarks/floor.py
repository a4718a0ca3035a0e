"""Owns the comparison with the floor: what reading the source and writing the target cost, with nothing in between.

The floor writes our own output, so a conversion is not excused by what it leaves out, nor charged for what it adds. It
writes a fresh copy each time, and the making of the copy is subtracted: a string that was written before keeps its
UTF-8 form, and no conversion writes strings that were written before.
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
REREAD = "the floor's fresh copies"
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
    pairs = [(source, orjson.dumps(target_of(source, route, kind))) for source in sources]

    def floor() -> None:
        for source, target in pairs:
            loads(source)
            dumps(loads(target))

    def reread() -> None:
        for _, target in pairs:
            loads(target)

    def converted() -> None:
        for source in sources:
            convert(source, src, dst, kind=kind)

    def diagnosed() -> None:
        for source in sources:
            tuple(compile_(source, src, dst, kind=kind).diagnostics)

    return {FLOOR: floor, REREAD: reread, CONVERT: converted, DIAGNOSED: diagnosed}


def against_floor(sources: Sequence[bytes], route: Route, kind: str, settings: Settings, rounds: int) -> list[Round]:
    """The interleaved times of the floor, the conversion, and the conversion with diagnostics."""
    calls = contenders(sources, route, kind)
    taken = interleave({name: timed(call, settings.batch_seconds) for name, call in calls.items()}, rounds)
    return [{**one, FLOOR: one[FLOOR] - one[REREAD]} for one in taken]
