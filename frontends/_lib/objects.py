"""Reads dense objects from one declaration each (proxai_ir/wire/objects.py), usage and errors among them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache, cached_property
from math import isfinite
from typing import Any

import attrs

from proxai_ir import ir
from proxai_ir.ir.envelope import read_seal
from proxai_ir.json.codegen import compiled
from proxai_ir.json.pointer import extended
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.wire import objects as wire

from . import reading as r
from .reading import Json, Object

# --- objects ----------------------------------------------------------------------------------------------------------
# Readers of declared wire objects (proxai_ir/wire/objects.py), written out as code when the first object is read.
#
# Rule 1: wrong types, missing members, nulls and extra fields are treated as by the functions of `reading`, which the
# code calls for everything unusual. Rule 2: the members of one level are checked in order, then whether the required
# ones are there, then nodes, members by hand and nested objects are read. Rule 3: what is read by hand is given to the
# reader, a union's objects by their tag, an object's members by their path; a payload is never searched for it.

Read = Callable[[Object], Any]
SCOPE = {
    "new": object.__new__,
    "optional": r.optional,
    "strings": r.strings,
    "number": r.number,
    "constant": r.constant,
    "missing": r.missing,
    "extra_fields": r.extra_fields,
    "each_object": r.each_object,
    "read_seal": read_seal,
}
TYPES = {wire.Total: "int", wire.Nested: "dict", wire.Word: "str", wire.Sealed: "str"}
SPECIAL = {
    "strings": "strings({holder}, {key!r})",
    "number": "number({holder}, {key!r})",
}  # types with checks of their own


class ObjectReader:
    """Reads objects of one declaration into new nodes; `read` raises Refusal for the first thing that is wrong.

    `by_hand` has readers by the path of a member: a function of the object and the member's name, or for an object or a
    list of objects an ObjectReader or a UnionReader.
    """

    def __init__(self, declared: wire.WireObject, by_hand: Mapping[str, ByHand] | None = None) -> None:
        self.declared = declared
        self._by_hand = by_hand

    @cached_property
    def read(self) -> Read:
        return _compiled(self.declared, self._by_hand) if self._by_hand else generated(self.declared)

    def __call__(self, holder: Object) -> Any:
        """Read one object; tables hold the reader itself, so that it is compiled when the first object is read."""
        return self.read(holder)

    def each(self, listed: list[Json]) -> list[Any]:
        """Return the nodes of a list of such objects."""
        return r.each_object(listed, self.read)


class UnionReader:
    """Reads the objects of a union, each by its tag.

    `by_hand` has readers by tag, where the declaration has none or is not sufficient. `other` reads objects of all
    other tags, which are refused without it (SHP-3). `readers` has the function for each tag.
    """

    def __init__(
        self,
        declared: wire.TaggedUnion,
        by_hand: Mapping[str, Read | ObjectReader] | None = None,
        other: Read | None = None,
    ) -> None:
        self.declared, self.other = declared, other
        self.readers: dict[str, Read] = {}
        by_hand = by_hand or {}
        if unknown := by_hand.keys() - declared.alternatives.keys():
            raise ValueError(f"{declared.name} has no {', '.join(sorted(unknown))}")
        for value, one in declared.alternatives.items():
            reader = by_hand.get(value)
            if reader is None:
                if one is None:
                    raise ValueError(f"{declared.name} does not say who reads {value}")
                reader = ObjectReader(one)
            self.readers[value] = self._first(value, reader) if isinstance(reader, ObjectReader) else reader

    def _first(self, value: str, reader: ObjectReader) -> Read:
        def read(holder: Object) -> Any:
            self.readers[value] = reader.read
            return reader.read(holder)

        return read

    def read(self, holder: Object) -> Any:
        tag = self.declared.tag
        value = holder.get(tag, self.declared.default)
        if type(value) is not str:
            raise r.missing(holder, tag) if value is None else r.wrong(holder, tag, "a string")
        read = self.readers.get(value, self.other)
        if read is None:
            raise r.wrong(holder, tag, "one of " + ", ".join(self.readers), "SHP-3")
        return read(holder)

    def each(self, listed: list[Json]) -> list[Any]:
        """Return the nodes of a list of such objects."""
        tag, readers, found = self.declared.tag, self.readers, list[Any]()
        try:
            if self.declared.default is None:
                for one in listed:
                    found.append(readers[one[tag]](one))
                return found
            for one in listed:
                found.append(readers[one.get(tag, self.declared.default)](one))
            return found
        except (KeyError, TypeError, AttributeError, Refusal):
            return r.each(range(len(listed)), lambda index: self.read(r.an_object(listed, index)))


ByHand = Callable[[Object, str], Any] | ObjectReader | UnionReader


@cache
def generated(declared: wire.WireObject) -> Read:
    """Return the function that reads an object into a new node, or raises Refusal."""
    return _compiled(declared, None)


@cache
def _union(declared: wire.TaggedUnion) -> UnionReader:
    return UnionReader(declared)


def _compiled(declared: wire.WireObject, by_hand: Mapping[str, ByHand] | None) -> Read:
    source = _Source(declared, by_hand or {})
    read: Read = compiled(f"reader of {declared.name}", source.lines, source.scope)
    return read


class _Source:
    """Generates the code of one reader.

    values   the variable with the value of each IR field
    entries  IR fields that are dicts, filled entry by entry
    totals   counts that include others, each with its name and the variable of the known members around it
    used     the paths of members that are read by hand
    """

    def __init__(self, declared: wire.WireObject, by_hand: Mapping[str, ByHand]) -> None:
        self.declared, self.by_hand = declared, by_hand
        self.scope: dict[str, Any] = {**SCOPE, "cls": declared.node}
        self.values: dict[str, str] = {}
        self.entries: list[str] = []
        self.totals: list[tuple[wire.Total, str, str]] = []
        self.used = set[str]()
        self.count = 0
        body, plain, nested = self._level(declared.members, "holder", "known", "")
        if unknown := by_hand.keys() - self.used:
            raise ValueError(f"{declared.name} has no {', '.join(sorted(unknown))} with a field")
        body += self._totals()
        body += ["node = new(cls)", "node.src = holder", *self._stores()]
        body += [f"node.extra = None if {plain} else extra_fields(holder, known, nested={nested})"]
        start = [f"{name} = {{}}" for name in dict.fromkeys(self.entries)]
        self.lines = ["def read(holder):", *_indented(self._usual()), *_indented(start), *_indented(body)]
        self.lines.append("    return node")

    def _usual(self) -> list[str]:
        """Return the lines of a short cut for objects that have the required members and no others."""
        needed: dict[str, str] = {}
        conditions: list[str] = []
        constants: list[str] = []
        for key, member in self.declared.members.items():
            if isinstance(member, wire.Constant) and member.is_tag:
                constants.append(f"{key!r} in holder")
            elif getattr(member, "required", False):
                if not isinstance(member, wire.Plain) or member.type in (*SPECIAL, "any") or key in self.by_hand:
                    return []
                needed[member.field] = f"v{len(needed)}"
                conditions.append(f"type({needed[member.field]} := holder.get({key!r})) is {member.type}")
        if not needed or len(needed) + len(constants) == len(self.declared.members):
            return []
        conditions = [f"len(holder) == {len(needed) + len(constants)}", *constants, *conditions]
        stores = self._stores({field: needed.get(field, "None") for field in (*self.values, *self.entries)})
        return [
            f"if {' and '.join(conditions)}:",
            *_indented(["node = new(cls)", "node.src = holder", *stores, "node.extra = None", "return node"]),
        ]

    def _level(
        self, members: Mapping[str, wire.Member], holder: str, known: str, path: str
    ) -> tuple[list[str], str, str]:
        """Return the lines that read an object, a condition that it has no extra fields, and an expression for the
        extra fields of nested objects."""
        names = [key for key, member in members.items() if not isinstance(member, (wire.Vendor, wire.OtherName))]
        self.scope[f"all_{known}"] = frozenset(names)
        lines, checks, below = [f"{known} = all_{known}", f"get = {holder}.get"], list[str](), list[str]()
        plain, nested = [f"{known}.issuperset({holder})"], list[str]()
        for key, member in members.items():
            self.count += 1
            variable = f"v{self.count}"
            hand = self.by_hand.get(path + key) if wire.fields_of(member) else None
            if hand is not None:
                self.used.add(path + key)
            lines += self._member(holder, known, key, member, variable, hand)
            if getattr(member, "required", False):
                checks += [f"if {variable} is None:", f"    raise missing({holder}, {key!r})"]
            if isinstance(member, wire.Node) or hand is not None:
                below += self._below(holder, key, member, variable, hand)
            elif isinstance(member, wire.Nested):
                before = {*self.values}
                inside, no_extra, extras = self._level(member.members, variable, f"known_{variable}", f"{path}{key}/")
                unset = [f"{self.values[name]} = None" for name in self.values if name not in before]
                below += [f"if {variable} is not None:", *_indented(inside)]
                below += ["else:", *_indented(unset)] if unset else []
                plain.append(f"({variable} is None or {no_extra})")
                kept = f"extra_fields({variable}, known_{variable}, nested={extras})"
                nested.append(f"{key!r}: None if {variable} is None else {kept}")
        below += self._other_names(members, holder, known)
        return [*lines, *checks, *below], " and ".join(plain), f"{{{', '.join(nested)}}}"

    def _member(
        self, holder: str, known: str, key: str, member: wire.Member, variable: str, hand: ByHand | None
    ) -> list[str]:
        """Return lines that get one member and check its type."""
        if isinstance(member, wire.Constant):
            return self._constant(holder, key, member, variable)
        kind = TYPES.get(type(member)) or getattr(member, "type", "")
        if isinstance(hand, (ObjectReader, UnionReader)) and not kind:
            kind = "dict"
        required = getattr(member, "required", False)
        lines = [f"{variable} = get({key!r})"] if kind or required or hand is not None else []
        checks: list[str] = []
        if kind and kind != "any":
            there, check = "" if required else f"{variable} is not None and ", f"optional({holder}, {key!r}, {kind})"
            other = f"{variable} is not None" if kind in SPECIAL else f"{there}type({variable}) is not {kind}"
            checks = [f"if {other}:", "    " + SPECIAL.get(kind, check).format(holder=holder, key=key)]
        if hand is not None:
            self.values[wire.fields_of(member)[0]] = variable
        elif isinstance(member, wire.Plain) and member.entry:
            self.entries.append(member.field)
            stored = [*checks, f"{member.field}[{member.entry!r}] = {variable}"]
            return [*lines, f"if {variable} is not None:", *_indented(stored)]  # most answers have none of them
        elif isinstance(member, (wire.Word, wire.Sealed)):
            checks += self._of_text(known, key, member, variable)
        elif isinstance(member, (wire.Plain, wire.Total, wire.Node)):
            self.values[member.field] = variable
            if isinstance(member, wire.Total):
                self.totals.append((member, key, known))
        return [*lines, *checks]

    def _constant(self, holder: str, key: str, member: wire.Constant, variable: str) -> list[str]:
        if member.is_tag:
            return []
        self.scope[f"only_{variable}"] = member.value
        return [
            f"{variable} = get({key!r})",
            f"if {variable} is not None and {variable} != only_{variable}:",
            f"    constant({holder}, {key!r}, only_{variable})",
        ]

    def _of_text(self, known: str, key: str, member: wire.Word | wire.Sealed, variable: str) -> list[str]:
        """Return lines that convert a text to a word's value or a seal, None if it is missing; unknown words are
        kept."""
        value = self.values[member.field] = f"{variable}_read"
        if isinstance(member, wire.Word):
            self.scope[f"words_{variable}"] = member.table
            lines = [f"{value} = words_{variable}.get({variable})", f"if {value} is None:"]
            lines.append(f"    {known} = {known} - {{{key!r}}}")
        else:
            made = f"read_seal({variable}, {member.provider!r}, {member.kind!r})"
            none = "" if member.default is None else f"None if {variable} == {member.default!r} else "
            lines = [f"{value} = {none}{made}"]
        return [f"if {variable} is None:", f"    {value} = None", "else:", *_indented(lines)]

    def _below(self, holder: str, key: str, member: wire.Member, variable: str, hand: ByHand | None) -> list[str]:
        """Return lines that read the objects in a member, or read the member by hand."""
        reader = hand
        if reader is None and isinstance(member, wire.Node):
            inside = member.declared
            reader = _union(inside) if isinstance(inside, wire.TaggedUnion) else ObjectReader(inside)
        several = isinstance(member, wire.Node) and member.several
        if isinstance(reader, (ObjectReader, UnionReader)):
            self.scope[f"read_{variable}"] = reader.each if several else reader.read
            lines = [f"{variable} = read_{variable}({variable})"]
            if isinstance(reader, UnionReader) and not several:  # the same without a call more
                self.scope[f"readers_{variable}"] = reader.readers
                lines = [
                    "try:",
                    f"    {variable} = readers_{variable}[{variable}[{reader.declared.tag!r}]]({variable})",
                ]
                lines += ["except (KeyError, TypeError):", f"    {variable} = read_{variable}({variable})"]
        else:
            self.scope[f"read_{variable}"] = reader
            lines = [f"{variable} = read_{variable}({holder}, {key!r})"]
        if getattr(member, "required", False):
            return lines
        if several:
            return [f"if {variable}:", *_indented(lines), "else:", f"    {variable} = None"]
        return [f"if {variable} is not None:", *_indented(lines)]

    def _other_names(self, members: Mapping[str, wire.Member], holder: str, known: str) -> list[str]:
        """Return lines that read a missing field under its other names; the first that is present counts."""
        found = [(key, member) for key, member in members.items() if isinstance(member, wire.OtherName)]
        lines: list[str] = []
        for name in dict.fromkeys(member.field for _, member in found):
            value, keys = self.values[name], tuple(key for key, member in found if member.field == name)
            lines += [f"if {value} is None and not {known}.issuperset({holder}):", f"    for key in {keys!r}:"]
            lines += [f"        {value} = optional({holder}, key, int)", f"        if {value} is not None:"]
            lines += [f"            {known} |= {{key}}", "            break"]
        return lines

    def _totals(self) -> list[str]:
        """Return lines that subtract parts from their totals; a total that is too small is kept."""
        lines: list[str] = []
        for member, key, known in self.totals:
            value = self.values[member.field]
            parts = " + ".join(f"({self.values[part]} or 0)" for part in member.parts if part in self.values)
            lines += [f"if {value} is not None:", f"    {value} -= {parts or 0}", f"    if {value} < 0:"]
            lines += [f"        {value}, {known} = 0, {known} - {{{key!r}}}"]
        return lines

    def _stores(self, usual: Mapping[str, str] | None = None) -> list[str]:
        """Return lines that fill every field of the node."""
        lines: list[str] = []
        values = {**{name: f"{name} or None" for name in self.entries}, **self.values} if usual is None else usual
        for field in attrs.fields(self.declared.node):
            name = field.name
            if name in values:
                lines.append(f"node.{name} = {values[name]}")
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


# --- errors -----------------------------------------------------------------------------------------------------------
# Errors whose body is a declared object, and whose category the HTTP status alone has.

ReadError = Callable[..., ir.Error]


def error_reader(
    protocol: str, declared: wire.WireObject, category: Callable[[int | None], ir.ErrorCategory] = ir.by_status
) -> ReadError:
    """Return the function for `Frontend.error`; `category` gives the category for an HTTP status."""
    reader = ObjectReader(declared)

    def lower_error(payload: Object, status: int | None = None) -> ir.Error:
        def read() -> ir.Error:
            made: ir.Error = reader.read(payload)
            made.category, made.status = category(status), status
            return made

        return r.read_or_keep(protocol, payload, status, read)

    return lower_error


# --- usage ------------------------------------------------------------------------------------------------------------
# Usage as servers report it that are less exact than the official types, or whose types are floats.


def read_counts(reader: ObjectReader, usage: Object) -> ir.Usage:
    """Return the usage; counts with a fraction are rounded down, and kept as they are."""
    try:
        found: ir.Usage = reader.read(usage)
        return found
    except Refusal:
        counts, kept = _rounded_down(usage)
        if counts is usage:
            raise
    found = reader.read(counts)
    for key, value in kept.items():
        r.keep(found, key, value)
    return found


def _rounded_down(usage: Object, *, inside: bool = True) -> tuple[Object, Object]:
    """Return the usage with integer counts, also in the objects `inside` it, and the counts that had a fraction."""
    floats = {key: value for key, value in usage.items() if isinstance(value, float) and isfinite(value)}
    made: Object = {key: int(value) for key, value in floats.items()}
    kept: Object = {key: value for key, value in floats.items() if not value.is_integer()}
    for key, value in usage.items():
        if inside and isinstance(value, dict):
            inner, rounded = _rounded_down(value, inside=False)
            if inner is not value:
                made[key] = inner
            if rounded:
                kept[key] = rounded
    return extended(usage, made) if made else usage, kept
