"""Writers of declared wire objects (proxai_ir/wire/objects.py), written out as code when the first object is written.

Rule 1: `write` is canonical: what the node has, defaults for the rest, nothing of the source's own protocol. Rule 2:
`restore` gives an object back to the protocol that it came from: no defaults, its wire forms, its extra fields. A node
without extra fields and wire forms is the same either way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache, cached_property
from typing import Any

from proxai_ir.codegen import compiled
from proxai_ir.wire import objects as wire

from .writing import Object, merge

Write = Callable[[Any], Object]


class Writer:
    """Writes nodes as objects of one declaration."""

    def __init__(self, declared: wire.WireObject) -> None:
        self.declared = declared

    @cached_property
    def write(self) -> Write:
        return generated(self.declared, False)

    @cached_property
    def restore(self) -> Write:
        return generated(self.declared, True)


@cache
def generated(declared: wire.WireObject, restores: bool) -> Write:
    source = _Source(declared, restores)
    name = f"{'restorer' if restores else 'writer'} of {declared.name}"
    write: Write = compiled(name, source.lines, source.scope)
    return write


class _Source:
    """The lines of one writer."""

    def __init__(self, declared: wire.WireObject, restores: bool) -> None:
        self.scope: dict[str, Any] = {"merge": merge, "NO_FORMS": ()}
        self.restores = restores
        self.renamed = {  # field -> the other names that its member may have
            field: {
                key for key, one in declared.members.items() if isinstance(one, wire.OtherName) and one.field == field
            }
            for field in {one.field for one in declared.members.values() if isinstance(one, wire.OtherName)}
        }
        plain = [member for _, member in declared.walk() if isinstance(member, wire.Plain)]
        lines = [f"{name} = node.{name} or {{}}" for name in sorted({one.field for one in plain if one.entry})]
        lines += ["forms = NO_FORMS if node.extra is None else node.extra.wire_forms"] if restores else []
        lines += self._level(declared.members, "built")
        if restores:
            lines += ["if node.extra is not None and node.extra.fields:", "    merge(built, node.extra.fields)"]
        self.lines = ["def write(node):", *_indented(lines), "    return built"]

    def _level(self, members: Mapping[str, wire.Member], built: str) -> list[str]:
        """Lines that make one object; a nested one is left out where it holds constants at most."""
        lines = [f"{built} = {{}}"]
        for number, (key, member) in enumerate(members.items()):
            name = f"{built}_{number}"
            if isinstance(member, wire.Nested):
                constants = sum(isinstance(inner, wire.Constant) for inner in member.members.values())
                lines += self._level(member.members, name)
                conditions, value = [f"len({name}) > {constants}" if constants else name], name
            else:
                conditions, value = self._member(key, member, name)
            store = f"{built}[{key!r}] = {value}"
            if value:
                lines += [f"if {' and '.join(conditions)}:", f"    {store}"] if conditions else [store]
        return lines

    def _member(self, key: str, member: wire.Member, name: str) -> tuple[list[str], str]:
        """When a member is written, and the expression of its value, "" where it never is; `name` is free to use."""
        if isinstance(member, wire.Plain):
            return self._plain(member, name)
        if isinstance(member, wire.Total):
            whole = " + ".join(f"(node.{part} or 0)" for part in (member.field, *member.parts))
            return [] if self._filled(member) else [f"node.{member.field} is not None"], whole
        if isinstance(member, wire.Node):
            self.scope[name] = generated(member.declared, self.restores)
            return [f"node.{member.field} is not None"], f"{name}(node.{member.field})"
        if isinstance(member, wire.Constant) and (self.restores or not member.present):
            self.scope[name] = member.value
            forms = [f"{member.present!r} in forms"] if member.present else []
            forms += [f"{member.absent!r} not in forms"] if member.absent else []
            return forms if self.restores else [], name
        if isinstance(member, wire.OtherName) and self.restores:
            return [f"{key!r} in forms"], f"node.{member.field}"
        return [], ""

    def _plain(self, member: wire.Plain, name: str) -> tuple[list[str], str]:
        if member.entry:
            return [f"{member.entry!r} in {member.field}"], f"{member.field}[{member.entry!r}]"
        value = f"node.{member.field}"
        if not self.restores and member.sum_of:
            return [], " + ".join(f"(node.{part} or 0)" for part in member.sum_of)
        if self._filled(member):
            self.scope[name] = member.default
            return [], f"{name} if {value} is None else {value}"
        conditions = [f"{value} is not None"]
        if self.restores:
            conditions += [f"{member.absent!r} not in forms"] if member.absent else []
            conditions += [f"{other!r} not in forms" for other in self.renamed.get(member.field, ())]
        return conditions, value

    def _filled(self, member: wire.Plain | wire.Total) -> bool:
        return member.default is not None and not self.restores


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"    {line}" for line in lines]
