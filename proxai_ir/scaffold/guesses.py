"""Guess the IR class of an object in a schema and the field of each member, and derive a target table from that.

A member is guessed only if both its name and its type fit; all others are left to the author.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from types import NoneType
from typing import Any, get_args

import attrs
from attrs import field, frozen

from .. import ir
from ..ir.structure import BOOKKEEPING, CHILDREN, hints
from ..targets.base import BASE
from ..targets.verdicts import NOT_CARRIED, Chain, based_on, members
from .schema import Shape

ALSO: dict[type, dict[str, str]] = {
    ir.Request: {"max_tokens": "maxoutputtokens maxcompletiontokens maxnewtokens"},
    ir.Sampling: {"stop": "stopsequences", "candidates": "n candidatecount"},
    ir.Response: {"id": "responseid", "model": "modelversion"},
    ir.Usage: {"input": "inputtokens prompttokens", "output": "outputtokens completiontokens", "total": "totaltokens"},
    ir.FunctionTool: {"parameters": "inputschema schema"},
    ir.FunctionCall: {
        "id": "callid toolcallid",
        "name": "tool toolname function",
        "arguments": "args input parameters",
    },
    ir.Text: {"text": "content value"},
    ir.Error: {"message": "error detail description"},
}
"""Other names of fields, in letters and digits only."""
KINDS: dict[Any, str] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    dict[str, Any]: "mapping",
    list[str]: "strings",
    str | dict[str, Any]: "string mapping",
}
"""The names of types in declarations; the first that fits is taken."""
FITS = {
    "integer": ("integer", "number"),
    "number": ("number", "integer"),
    "mapping": ("object",),
    "strings": ("array",),
}
"""The JSON types that fit these types; others fit the JSON type of their own name."""
NESTED = (ir.FunctionTool, ir.FunctionCall, ir.Error)
"""Classes whose members are often in a nested object."""

ROLES = {
    **dict.fromkeys(("user", "human", "customer"), ir.Role.USER),
    **dict.fromkeys(("assistant", "model", "bot", "ai", "chatbot"), ir.Role.ASSISTANT),
    "system": ir.Role.SYSTEM,
    "developer": ir.Role.DEVELOPER,
}
REASONS = {
    **dict.fromkeys(("stop", "end", "done", "end_turn", "complete", "completed", "finished", "eos"), ir.StopReason.END),
    **dict.fromkeys(("length", "max_tokens", "max_output_tokens", "limit", "cut"), ir.StopReason.LENGTH),
    **dict.fromkeys(("content_filter", "safety"), ir.StopReason.CONTENT_FILTER),
    **dict.fromkeys(("tool_calls", "tool_call", "tool_use", "calls", "function_call"), ir.StopReason.TOOL_CALLS),
    "stop_sequence": ir.StopReason.STOP_SEQUENCE,
    "refusal": ir.StopReason.REFUSAL,
}
TURNS = ("messages", "turns", "conversation", "contents", "history")
ROLE = ("role", "who", "speaker", "author")
CONTENT = ("content", "parts", "text", "message")
CHOICES = ("choices", "candidates", "outputs", "generations")
MESSAGE = ("message", "output", "reply", "turn")
ENDING = ("finish_reason", "stop_reason", "finish", "end", "done_reason", "finishreason", "stopreason", "ending")
USAGE = ("usage", "tokens", "usagemetadata", "meta")
TOOLS = ("tools", "functions")
CALLS = ("tool_calls", "calls", "function_calls")
CALL_ID = ("tool_call_id", "call_id", "tool_use_id")
RESULT_ROLES = ("tool", "function")


def normal(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())


def named(shape: Shape, names: tuple[str, ...], kind: str = "") -> str | None:
    """Return the member with one of these names and this type; earlier names come first."""
    for name in map(normal, names):
        for member, inner in shape.members.items():
            if normal(member) == name and (not kind or inner.of(kind)):
                return member
    return None


def field_of(cls: type, member: str, shape: Shape) -> tuple[str, str] | None:
    """Return the field for a member, and the name of its type in declarations, or None if no field fits."""
    for name, hint in hints(cls).items():
        options = [one for one in get_args(hint) if one is not NoneType] if NoneType in get_args(hint) else [hint]
        kinds = KINDS.get(options[0], "").split() if len(options) == 1 else []
        known = (normal(name), *ALSO.get(cls, {}).get(name, "").split())
        if name != "protocol" and normal(member) in known and (fits := [one for one in kinds if _fits(shape, one)]):
            return name, fits[0]
    return None


def _fits(shape: Shape, kind: str) -> bool:
    if kind == "strings" and shape.items is not None and shape.items.type not in ("string", ""):
        return False
    return not shape.type or shape.type in FITS.get(kind, (kind,))


@frozen
class Declared:
    """The declaration of an object: its lines, the paths and types of the members that fill fields, and the members
    without a field by path."""

    cls: type
    lines: list[str] = field(factory=list)
    fields: dict[str, tuple[str, str]] = field(factory=dict)
    undecided: dict[str, str] = field(factory=dict)

    @property
    def complete(self) -> bool:
        """Whether every required field is filled, except for FIXED ones."""
        return _needed(self.cls) - FIXED <= set(self.fields)


FIXED = {"candidates", "category"}


def _needed(cls: type) -> set[str]:
    """Return the fields of a class that are required and may not be None."""
    every = [one.name for one in attrs.fields(cls) if one.default is attrs.NOTHING]
    return {name for name in every if NoneType not in get_args(hints(cls)[name])}


def declared(cls: type, shape: Shape, given: Mapping[str, str]) -> Declared:
    """Return the declaration of an object as a class of the IR; `given` has the declarations of known members."""
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
            found.fields[name] = path + member, kind
            needed = name in _needed(found.cls)
            text = f'{kind}("{name}")'
            yield f'"{member}": {f"required({text})" if needed else text},'
        elif len(inner.words) == 1:
            yield f'"{member}": constant("{inner.words[0]}"),'
        elif inner.type == "object" and found.cls in NESTED and not path and inner.members:
            lines = list(_members(found, inner, {}, f"{path}{member}/"))
            yield f'"{member}": required({{{" ".join(lines).rstrip(",")}}}),'
        else:
            found.undecided[path + member] = in_words(inner)


def in_words(shape: Shape) -> str:
    """Return a shape in a few words."""
    if shape.type == "union":
        return " or ".join(dict.fromkeys(in_words(one) for one in shape.options)) or "anything"
    if shape.type == "array":
        return f"array of {in_words(shape.items or Shape())}"
    if shape.words:
        return "one of " + ", ".join(shape.words)
    members = f" with {', '.join(shape.members)}" if shape.members else ""
    return (shape.type or "anything") + members


# --- the target table -------------------------------------------------------------------------------------------------


VALUES = {ir.Turn: "role", ir.Terminal: "reason"}
"""Fields of which only some values are carried."""


@frozen
class Cells:
    """The difference between the base table and the declarations.

    left     the fields that only the base carries, by class
    refused  the classes that only the base carries, by place
    rows     lines of the table for fields that only declarations carry, and for values
    """

    left: dict[str, str] = field(factory=dict)
    refused: dict[str, list[str]] = field(factory=dict)
    rows: list[str] = field(factory=list)


def cells(carried: Mapping[type, Set[str]], placed: Mapping[str, Sequence[type]]) -> Cells:
    """Return how the table differs from the base, for the fields and values that declarations carry, and the classes
    that the package carries by place."""
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
    for place, known in placed.items():
        judged = [*base.request[place].items(), *base.response[place].items()]
        some = list(dict.fromkeys(cls.__name__ for cls, words in judged if cls not in known and _any(words)))
        found.rows.append(_row(f'inside("{place}"', f"ok({', '.join(cls.__name__ for cls in known)})"))
        if some:
            found.refused[place] = some
    return found


def _carries(cls: type, name: str, chain: Chain) -> bool:
    """Return whether the base carries a field; one that holds nodes needs no verdict for that."""
    if not chain:
        return name in CHILDREN.get(cls, ())
    return _any(one for _, one in chain)


def _any(verdicts: Any) -> bool:
    return any(one.word not in NOT_CARRIED for one in verdicts)


def _of_values(carried: Mapping[type, Set[str]]) -> list[str]:
    roles = [word for word in members(ir.Turn, "role") if f"role={word}" in carried[ir.Turn]]
    others = [word for word in members(ir.Turn, "role") if word not in (*roles, "developer")]
    ends = [word for word in members(ir.Terminal, "reason") if f"reason={word}" in carried[ir.Terminal]]
    weak = [word for word in members(ir.Terminal, "reason") if word not in (*ends, "unfinished", "failed")]
    of_roles = [
        f'ok("role={"|".join(roles)}")',
        *(() if "developer" in roles else ('notes("PLC-1", "role=developer")',)),
        *((f'refuses(wire.REFUSED, "role={"|".join(others)}")',) if others else ()),
    ]
    of_ends = [f'ok("reason={"|".join(ends)}")', f'weaker("STS-3", "reason={"|".join(weak)}")']
    return [_row("of(Turn", *of_roles), _row("of(Terminal", *of_ends)]


def _row(head: str, *verdicts: str) -> str:
    """Return a row of the table, on one line if it fits."""
    line = f"{head}, {', '.join(verdicts)}),"
    name, _, first = head.partition("(")
    if len(line) <= 116:
        return line
    return f"{name}(\n" + "".join(f"        {one},\n" for one in (first, *verdicts)) + "    ),"
