"""Which class and field of the IR an object and a member of a schema most likely are, by their names and types.

Rule: a member is guessed only where both its name and its type fit; every other one is left to the author.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import NoneType
from typing import Any, get_args

import attrs
from attrs import field, frozen

from ..ir.error import Error
from ..ir.parts import Text
from ..ir.request import Request, Role, Sampling
from ..ir.response import Response, StopReason, Usage
from ..ir.structure import hints
from ..ir.tools import FunctionTool
from .schema import Shape

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
    """The member that has one of these names, and this type; the earlier name counts."""
    for name in map(normal, names):
        for member, inner in shape.members.items():
            if normal(member) == name and (not kind or inner.of(kind)):
                return member
    return None


def field_of(cls: type, member: str, shape: Shape) -> tuple[str, str] | None:
    """The field that a member is, and the kind of its declaration."""
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
    """The fields that may not be absent."""
    every = [one.name for one in attrs.fields(cls) if one.default is attrs.NOTHING]
    return {name for name in every if NoneType not in get_args(hints(cls)[name])}


def declared(cls: type, shape: Shape, given: Mapping[str, str]) -> Declared:
    """The declaration of an object as a class of the IR. `given`: members that are known, with what declares them."""
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
    """A shape in a few words."""
    if shape.type == "union":
        return " or ".join(dict.fromkeys(said(one) for one in shape.options)) or "anything"
    if shape.type == "array":
        return f"array of {said(shape.items or Shape())}"
    if shape.words:
        return "one of " + ", ".join(shape.words)
    members = f" with {', '.join(shape.members)}" if shape.members else ""
    return (shape.type or "anything") + members
