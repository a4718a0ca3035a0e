"""The checks of a target's table, written out as code: each runs only where the tree gives reason for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..json.codegen import compiled
from ..rules.verdicts import Target


def checks_of(cls: type, target: Target) -> Callable[..., None]:
    """All checks of one class, each only where there is one of the fields or nodes that it needs."""
    lines = ["def check(root, report, server):", "    met = report.facts.met"]
    scope: dict[str, Any] = {}
    for number, check in enumerate(one for one in target.active if one.about is cls):
        scope |= {f"check_{number}": check.run, f"given_{number}": check.given}
        present = [f"root.{name} is not None" for name in check.needs]
        guard = " or ".join([*present, *(f"root.{name} is None" for name in check.lacks)])
        if check.given:
            guard = f"met and not met.isdisjoint(given_{number})" + (f" and ({guard})" if guard else "")
        call = f"check_{number}(root, report, server)"
        lines += [f"    if {guard}:", f"        {call}"] if guard else [f"    {call}"]
    made: Callable[..., None] = compiled(f"checks of {cls.__name__} for {target.name}", lines, scope)
    return made
