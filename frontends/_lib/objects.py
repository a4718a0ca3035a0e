"""Readers of declared wire objects (proxai_ir/wire/objects.py), written out as code when the first object is read.

Rule 1: wrong types, missing members, nulls and extra fields are treated as by the functions of `reading`, which the
code calls for everything unusual. Rule 2: the members of one level are checked in order, then whether the required ones
are there, then nested objects are read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache, cached_property
from typing import Any

import attrs

from proxai_ir.json.codegen import compiled
from proxai_ir.wire import objects as wire

from .reading import Object, constant, extra_fields, missing, optional, strings

SCOPE = {
    "new": object.__new__,
    "optional": optional,
    "strings": strings,
    "constant": constant,
    "missing": missing,
    "extra_fields": extra_fields,
}
TYPES = {wire.Total: "int", wire.Nested: "dict", wire.Node: "dict"}


class ObjectReader:
    """Reads objects of one declaration."""

    def __init__(self, declared: wire.WireObject) -> None:
        self.declared = declared

    @cached_property
    def read(self) -> Callable[[Object], Any]:
        return generated(self.declared)


@cache
def generated(declared: wire.WireObject) -> Callable[[Object], Any]:
    """The function that reads an object into a new node, or raises Refusal."""
    source = _Source(declared)
    read: Callable[[Object], Any] = compiled(f"reader of {declared.name}", source.lines, source.scope)
    return read


class _Source:
    """The lines of one reader.

    values   IR field -> the variable that holds what was read for it
    entries  IR fields that are dicts, filled entry by entry
    """

    def __init__(self, declared: wire.WireObject) -> None:
        self.declared = declared
        self.scope: dict[str, Any] = {**SCOPE, "cls": declared.node}
        self.values: dict[str, str] = {}
        self.entries: list[str] = []
        self.count = 0
        body, plain, nested = self._level(declared.members, "holder", "known")
        body += [*self._other_names(), *self._totals()]
        body += ["node = new(cls)", "node.src = holder", *self._stores()]
        body += [f"node.extra = None if {plain} else extra_fields(holder, known, nested={nested})"]
        start = ["known = all_known", *(f"{name} = {{}}" for name in dict.fromkeys(self.entries))]
        self.lines = ["def read(holder):", *_indented(start), *_indented(body), "    return node"]

    def _level(self, members: Mapping[str, wire.Member], holder: str, known: str) -> tuple[list[str], str, str]:
        """Lines that read an object; a condition that it has no extra fields; an expression of those of nested ones."""
        names = [key for key, member in members.items() if not isinstance(member, (wire.Vendor, wire.OtherName))]
        self.scope["all_known" if known == "known" else known] = frozenset(names)
        lines, checks, below = [f"get = {holder}.get"], list[str](), list[str]()
        plain, nested = [f"{known}.issuperset({holder})"], list[str]()
        for key, member in members.items():
            self.count += 1
            variable = f"v{self.count}"
            lines += self._member(holder, key, member, variable)
            if getattr(member, "required", False):
                checks += [f"if {variable} is None:", f"    raise missing({holder}, {key!r})"]
            if isinstance(member, wire.Node):
                self.scope[f"read_{variable}"] = generated(member.declared)
                below += [f"if {variable} is not None:", f"    {variable} = read_{variable}({variable})"]
            elif isinstance(member, wire.Nested):
                before = {*self.values}
                inside, no_extra, extras = self._level(member.members, variable, f"known_{variable}")
                unset = [f"{self.values[name]} = None" for name in self.values if name not in before]
                below += [f"if {variable} is not None:", *_indented(inside)]
                below += ["else:", *_indented(unset)] if unset else []
                plain.append(f"({variable} is None or {no_extra})")
                kept = f"extra_fields({variable}, known_{variable}, nested={extras})"
                nested.append(f"{key!r}: None if {variable} is None else {kept}")
        return [*lines, *checks, *below], " and ".join(plain), f"{{{', '.join(nested)}}}"

    def _member(self, holder: str, key: str, member: wire.Member, variable: str) -> list[str]:
        """Lines that get one member and check its type."""
        kind = TYPES.get(type(member)) or getattr(member, "type", "")
        lines = [f"{variable} = get({key!r})", f"if {variable} is not None:"]
        if isinstance(member, wire.Constant):
            self.scope[f"only_{variable}"] = member.value
            return [
                *lines,
                f"    if {variable} != only_{variable}:",
                f"        constant({holder}, {key!r}, only_{variable})",
            ]
        if not kind:
            return []
        if kind == "strings":
            lines.append(f"    strings({holder}, {key!r})")
        else:
            lines += [f"    if type({variable}) is not {kind}:", f"        optional({holder}, {key!r}, {kind})"]
        if isinstance(member, wire.Plain) and member.entry:
            self.entries.append(member.field)
            lines.append(f"    {member.field}[{member.entry!r}] = {variable}")
        elif isinstance(member, (wire.Plain, wire.Total, wire.Node)):
            self.values[member.field] = variable
        return lines

    def _other_names(self) -> list[str]:
        """Read a missing field by its other names, the first that is there."""
        members = self.declared.members.items()
        found = [(key, member) for key, member in members if isinstance(member, wire.OtherName)]
        lines: list[str] = []
        for name in dict.fromkeys(member.field for _, member in found):
            value, keys = self.values[name], tuple(key for key, member in found if member.field == name)
            lines += [f"if {value} is None and not known.issuperset(holder):", f"    for key in {keys!r}:"]
            lines += [f"        {value} = optional(holder, key, int)", f"        if {value} is not None:"]
            lines += ["            known |= {key}", "            break"]
        return lines

    def _totals(self) -> list[str]:
        """Take the parts out of their totals; a total that is too small is kept."""
        lines: list[str] = []
        for key, member in self.declared.members.items():
            if isinstance(member, wire.Total):
                value = self.values[member.field]
                parts = " + ".join(f"({self.values[part]} or 0)" for part in member.parts)
                lines += [f"if {value} is not None:", f"    {value} -= {parts}", f"    if {value} < 0:"]
                lines += [f"        {value}, known = 0, known - {{{key!r}}}"]
        return lines

    def _stores(self) -> list[str]:
        """Fill every field of the node."""
        lines: list[str] = []
        for field in attrs.fields(self.declared.node):
            name = field.name
            if name in self.values:
                lines.append(f"node.{name} = {self.values[name]}")
            elif name in self.entries:
                lines.append(f"node.{name} = {name} or None")
            elif name not in ("src", "extra"):
                lines.append(f"node.{name} = {self._default(field)}")
        return lines

    def _default(self, field: attrs.Attribute[Any]) -> str:
        value: Any = self.declared.fixed.get(field.name, field.default)
        if value is attrs.NOTHING:
            raise ValueError(f"{self.declared.name} does not say what {self.declared.node.__name__}.{field.name} is")
        made = isinstance(value, attrs.Factory)  # type: ignore[arg-type]
        self.scope[f"default_{field.name}"] = value.factory if made else value
        return f"default_{field.name}{'()' if made else ''}"


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"    {line}" for line in lines]
