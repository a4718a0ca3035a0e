"""Total accounting, leaf by leaf: whatever value of a payload changes, the output changes, a diagnostic does, or the
conversion is refused (LOS-1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .. import Diagnostic, TranslationError
from .payloads import Case, converted
from .pointers import Path, at, places, pointer_to, replaced


def accounts_for_every_leaf(
    case: Case, targets: Iterable[str], repeats: Callable[[str], object] = lambda _: False
) -> None:
    """Changes one string, number or boolean of the payload at a time, and looks for a sign of it in each target.

    A diagnostic that names the value, or an object or array that holds it, is a sign too: it does not have to change.
    `repeats`: whether the value at a pointer repeats another, so that it may be ignored.
    """
    before = {dst: done for dst in targets if not isinstance(done := converted(case, dst), TranslationError)}
    silent: list[str] = []
    for path, value in leaves(case.payload):
        pointer = pointer_to(path)
        if repeats(pointer):
            continue
        changed = Case(case.protocol, case.kind, replaced(case.payload, path, other(value)))
        for dst, old in before.items():
            new = converted(changed, dst)
            if isinstance(new, TranslationError) or repr(new.output) != repr(old.output):
                continue
            if new.diagnostics == old.diagnostics and not any(_names(one, pointer) for one in new.diagnostics):
                silent.append(f"{pointer} ({value!r:.40}) towards {dst}")
    assert not silent, "neither carried, nor reported, nor refused: " + "; ".join(silent)


def leaves(payload: Any) -> Iterator[tuple[Path, Any]]:
    """Every string, number and boolean, with its place; null is the same as absent."""
    for path in places(payload):
        value = at(payload, path)
        if path and isinstance(value, (str, int, float)):
            yield path, value


def other(value: str | float | bool) -> Any:
    """Another value of the same type."""
    if isinstance(value, bool):
        return not value
    return f"{value}x" if isinstance(value, str) else value + 1


def _names(one: Diagnostic, pointer: str) -> bool:
    """Whether a diagnostic is about the value at a pointer, or about something below the root that holds it."""
    return bool(one.path) and (pointer == one.path or pointer.startswith(one.path + "/"))
