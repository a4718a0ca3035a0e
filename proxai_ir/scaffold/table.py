"""The table of what was guessed: what the base carries and the declarations do not, and the reverse."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any

import attrs
from attrs import field, frozen

from .. import ir
from ..ir.request import Turn
from ..ir.response import Terminal
from ..ir.structure import BOOKKEEPING, CHILDREN
from ..targets.base import BASE
from ..targets.verdicts import NOT_CARRIED, Chain, based_on, members

PLACED: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("instructions", "user", "assistant"), (ir.Text,)),
    "tools": (ir.FunctionTool,),
}
"""The classes that what is made carries, by place."""
VALUES = {Turn: "role", Terminal: "reason"}
"""Fields of which some values are carried."""


@frozen
class Cells:
    """left     fields that the base carries and no declaration, by class
    refused  classes in places, likewise
    rows     lines for what declarations carry and the base does not, and for values"""

    left: dict[str, str] = field(factory=dict)
    refused: dict[str, list[str]] = field(factory=dict)
    rows: list[str] = field(factory=list)


def cells(carried: Mapping[type, Set[str]], with_tools: bool) -> Cells:
    found, base = Cells(), based_on(BASE)
    for cls, fields in carried.items():
        chains = base.fields.get(cls, {})
        names = [one.name for one in attrs.fields(cls) if one.name not in BOOKKEEPING and one.name != VALUES.get(cls)]
        left = [name for name in names if name not in fields and _carries(cls, name, chains.get(name, ()))]
        new = [name for name in names if name in fields and any(one.rule for _, one in chains.get(name, ()))]
        if left:
            found.left[cls.__name__] = " ".join(left)
        if new:
            found.rows.append(_row(f"of({cls.__name__}", f'ok("{" ".join(new)}")'))
    found.rows.extend(_of_values(carried))
    for place, known in PLACED.items():
        if place != "tools" or with_tools:
            judged = [*base.request[place].items(), *base.response[place].items()]
            some = list(dict.fromkeys(cls.__name__ for cls, words in judged if cls not in known and _any(words)))
            found.rows.append(_row(f'inside("{place}"', f"ok({', '.join(cls.__name__ for cls in known)})"))
            if some:
                found.refused[place] = some
    return found


def _carries(cls: type, name: str, chain: Chain) -> bool:
    """Whether the base lets a field through to be written; what holds nodes needs no verdict for that."""
    if not chain:
        return name in CHILDREN.get(cls, ())
    return _any(one for _, one in chain)


def _any(verdicts: Any) -> bool:
    return any(one.word not in NOT_CARRIED for one in verdicts)


def _of_values(carried: Mapping[type, Set[str]]) -> list[str]:
    roles = [word for word in members(Turn, "role") if f"role={word}" in carried[Turn]]
    others = [word for word in members(Turn, "role") if word not in (*roles, "developer")]
    ends = [word for word in members(Terminal, "reason") if f"reason={word}" in carried[Terminal]]
    weak = [word for word in members(Terminal, "reason") if word not in (*ends, "unfinished", "failed")]
    of_roles = [
        f'ok("role={"|".join(roles)}")',
        *(() if "developer" in roles else ('notes("PLC-1", "role=developer")',)),
        *((f'refuses(wire.REFUSED, "role={"|".join(others)}")',) if others else ()),
    ]
    of_ends = [f'ok("reason={"|".join(ends)}")', f'weaker("STS-3", "reason={"|".join(weak)}")']
    return [_row("of(Turn", *of_roles), _row("of(Terminal", *of_ends)]


def _row(head: str, *verdicts: str) -> str:
    """A row of the table, on one line where it fits."""
    line = f"{head}, {', '.join(verdicts)}),"
    name, _, first = head.partition("(")
    if len(line) <= 116:
        return line
    return f"{name}(\n" + "".join(f"        {one},\n" for one in (first, *verdicts)) + "    ),"
