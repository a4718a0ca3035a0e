"""Total accounting for what is not one payload: lines of batch files, pairs for exports (LOS-1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from proxai_ir import Conversion, TranslationError
from proxai_ir.testing.payloads import leaves, other
from proxai_ir.testing.pointers import at, places, pointer_to, replaced

NEW, VALUE = "zz_new", "zz_value"


def silent(value: Any, convert: Callable[[Any], Conversion]) -> list[str]:
    """Pointers to leaves, as they are or added to an object, that leave no trace when they change or appear."""
    before = convert(value)
    return [
        pointer_to(path)
        for path, changed in changes(value)
        if (done := _compiled(changed, convert)) is not None
        and repr(done.output) == repr(before.output)
        and done.diagnostics == before.diagnostics
        and not any(_names(one.path, pointer_to(path)) for one in done.diagnostics)
    ]


def changes(value: Any) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    for path, leaf in leaves(value):
        yield path, replaced(value, path, other(leaf))
    for path in places(value):
        if isinstance(holder := at(value, path), dict):
            yield (*path, NEW), replaced(value, path, {**holder, NEW: VALUE})


def _compiled(value: Any, convert: Callable[[Any], Conversion]) -> Conversion | None:
    """None where it is refused, which is a trace, too."""
    try:
        return convert(value)
    except TranslationError:
        return None


def _names(path: str, pointer: str) -> bool:
    return bool(path) and (pointer == path or pointer.startswith(f"{path}/"))
