"""Guess which class and field of the IR an object and a member of a schema are, and draw a table of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from types import NoneType
from typing import Any, get_args

import attrs
from attrs import field, frozen

from .. import ir
from ..ir.error import Error
from ..ir.parts import Text
from ..ir.request import Request, Role, Sampling, Turn
from ..ir.response import Response, StopReason, Terminal, Usage
from ..ir.structure import BOOKKEEPING, CHILDREN, hints
from ..ir.tools import FunctionTool
from ..targets.base import BASE
from ..targets.verdicts import NOT_CARRIED, Chain, based_on, members
from .schema import Shape

# --- guesses ----------------------------------------------------------------------------------------------------------
# Which class and field of the IR an object and a member of a schema most likely are, by their names and types.
#
# Rule: a member is guessed only where both its name and its type fit; every other one is left to the author.


ALSO: dict[type, dict[str, str]] = {
    Request: {"max_tokens": "maxoutputtokens maxcompletiontokens maxnewtokens"},
    Sampling: {"stop": "stopsequences", "candidates": "n candidatecount"},
    Response: {"id": "responseid", "model": "modelversion"},
    Usage: {"input": "inputtokens prompttokens", "output": "outputtokens completiontokens", "total": "totaltokens"},
    FunctionTool: {"parameters": "inputschema schema"},
    Text: {"text": "content value"},
    Error: {"message": "error detail description"},
}
"""What fields are called besides their own names; letters and digits only."""
KINDS: dict[Any, str] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    dict[str, Any]: "mapping",
    list[str]: "strings",
}
"""Types of fields, as the declarations call them; and the JSON types that fit."""
FITS = {
    "integer": ("integer", "number"),
    "number": ("number", "integer"),
    "mapping": ("object",),
    "strings": ("array",),
}
NESTED = (FunctionTool, Error)
"""Classes whose objects often have their members in an object of their own."""

ROLES = {
    **dict.fromkeys(("user", "human", "customer"), Role.USER),
    **dict.fromkeys(("assistant", "model", "bot", "ai", "chatbot"), Role.ASSISTANT),
    "system": Role.SYSTEM,
    "developer": Role.DEVELOPER,
}
REASONS = {
    **dict.fromkeys(("stop", "end", "done", "end_turn", "complete", "completed", "finished", "eos"), StopReason.END),
    **dict.fromkeys(("length", "max_tokens", "max_output_tokens", "limit", "cut"), StopReason.LENGTH),
    **dict.fromkeys(("content_filter", "safety"), StopReason.CONTENT_FILTER),
    "stop_sequence": StopReason.STOP_SEQUENCE,
    "refusal": StopReason.REFUSAL,
}
TURNS = ("messages", "turns", "conversation", "contents", "history")
ROLE = ("role", "who", "speaker", "author")
CONTENT = ("content", "parts", "text", "message")
CHOICES = ("choices", "candidates", "outputs", "generations")
MESSAGE = ("message", "output", "reply", "turn")
ENDING = ("finish_reason", "stop_reason", "finish", "end", "done_reason", "finishreason", "stopreason", "ending")
USAGE = ("usage", "tokens", "usagemetadata", "meta")
TOOLS = ("tools", "functions")


def normal(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())


def named(shape: Shape, names: tuple[str, ...], kind: str = "") -> str | None:
    """Return the member that has one of these names, and this type; the earlier name counts."""
    for name in map(normal, names):
        for member, inner in shape.members.items():
            if normal(member) == name and (not kind or inner.of(kind)):
                return member
    return None


def field_of(cls: type, member: str, shape: Shape) -> tuple[str, str] | None:
    """Return the field that a member is, and the kind of its declaration."""
    for name, hint in hints(cls).items():
        options = [one for one in get_args(hint) if one is not NoneType] if NoneType in get_args(hint) else [hint]
        kind = KINDS.get(options[0]) if len(options) == 1 else None
        known = (normal(name), *ALSO.get(cls, {}).get(name, "").split())
        if kind and name != "protocol" and normal(member) in known and _fits(shape, kind):
            return name, kind
    return None


def _fits(shape: Shape, kind: str) -> bool:
    if kind == "strings" and shape.items is not None and shape.items.type not in ("string", ""):
        return False
    return not shape.type or shape.type in FITS.get(kind, (kind,))


@frozen
class Declared:
    """A declaration: lines of its members, the fields that they fill, and by path the members that nothing fits."""

    cls: type
    lines: list[str] = field(factory=list)
    fields: list[str] = field(factory=list)
    undecided: dict[str, str] = field(factory=dict)

    @property
    def complete(self) -> bool:
        """Whether every field without which there is no node is filled, but for those that are fixed."""
        return _needed(self.cls) - FIXED <= set(self.fields)


FIXED = {"candidates", "category"}


def _needed(cls: type) -> set[str]:
    """Return the fields that may not be absent."""
    every = [one.name for one in attrs.fields(cls) if one.default is attrs.NOTHING]
    return {name for name in every if NoneType not in get_args(hints(cls)[name])}


def declared(cls: type, shape: Shape, given: Mapping[str, str]) -> Declared:
    """Return the declaration of an object as a class of the IR. `given`: members that are known, with what declares
    them."""
    found = Declared(cls)
    found.lines.extend(_members(found, shape, given, ""))
    return found


def _members(found: Declared, shape: Shape, given: Mapping[str, str], path: str) -> Iterator[str]:
    for member, inner in shape.members.items():
        fits = field_of(found.cls, member, inner)
        if member in given:
            yield f'"{member}": {given[member]},'
        elif fits and fits[0] not in found.fields:
            name, kind = fits
            found.fields.append(name)
            needed = name in _needed(found.cls)
            text = f'{kind}("{name}")'
            yield f'"{member}": {f"required({text})" if needed else text},'
        elif len(inner.words) == 1:
            yield f'"{member}": constant("{inner.words[0]}"),'
        elif inner.type == "object" and found.cls in NESTED and not path and inner.members:
            lines = list(_members(found, inner, {}, f"{path}{member}/"))
            yield f'"{member}": required({{{" ".join(lines).rstrip(",")}}}),'
        else:
            found.undecided[path + member] = said(inner)


def said(shape: Shape) -> str:
    """Return a shape in a few words."""
    if shape.type == "union":
        return " or ".join(dict.fromkeys(said(one) for one in shape.options)) or "anything"
    if shape.type == "array":
        return f"array of {said(shape.items or Shape())}"
    if shape.words:
        return "one of " + ", ".join(shape.words)
    members = f" with {', '.join(shape.members)}" if shape.members else ""
    return (shape.type or "anything") + members


# --- table ------------------------------------------------------------------------------------------------------------
# The table of what was guessed: what the base carries and the declarations do not, and the reverse.


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
    """Return whether the base lets a field through to be written; what holds nodes needs no verdict for that."""
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
    """Return a row of the table, on one line where it fits."""
    line = f"{head}, {', '.join(verdicts)}),"
    name, _, first = head.partition("(")
    if len(line) <= 116:
        return line
    return f"{name}(\n" + "".join(f"        {one},\n" for one in (first, *verdicts)) + "    ),"
