"""Writers of declared wire objects (proxai_ir/wire/objects.py), written out as code when the first object is written.

Rule: canonical output: what the node has, defaults for the rest, and the members of its own protocol that have no
field (LOS-3), which a node of another protocol has lost by now.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache, cached_property
from typing import Any

from proxai_ir.json.codegen import compiled
from proxai_ir.wire import objects as wire

from .writing import Object, merge

Write = Callable[[Any], Object]


class ObjectWriter:
    """Writes nodes as objects of one declaration."""

    def __init__(self, declared: wire.WireObject) -> None:
        self.declared = declared

    @cached_property
    def write(self) -> Write:
        return generated(self.declared)


@cache
def generated(declared: wire.WireObject) -> Write:
    source = _Source(declared)
    write: Write = compiled(f"writer of {declared.name}", source.lines, source.scope)
    return write


class _Source:
    """The lines of one writer."""

    def __init__(self, declared: wire.WireObject) -> None:
        self.scope: dict[str, Any] = {"merge": merge}
        plain = [member for _, member in declared.walk() if isinstance(member, wire.Plain)]
        lines = [f"{name} = node.{name} or {{}}" for name in sorted({one.field for one in plain if one.entry})]
        lines += self._level(declared.members, "built")
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
                condition, value = f"len({name}) > {constants}" if constants else name, name
            else:
                condition, value = self._member(member, name)
            store = f"{built}[{key!r}] = {value}"
            if value:
                lines += [f"if {condition}:", f"    {store}"] if condition else [store]
        return lines

    def _member(self, member: wire.Member, name: str) -> tuple[str, str]:
        """When a member is written, and the expression of its value, "" where it never is; `name` is free to use."""
        if isinstance(member, wire.Plain):
            return self._plain(member, name)
        if isinstance(member, wire.Total):
            whole = " + ".join(f"(node.{part} or 0)" for part in (member.field, *member.parts))
            return "" if member.default is not None else f"node.{member.field} is not None", whole
        if isinstance(member, wire.Node):
            self.scope[name] = generated(member.declared)
            return f"node.{member.field} is not None", f"{name}(node.{member.field})"
        if isinstance(member, wire.Constant) and member.written:
            self.scope[name] = member.value
            return "", name
        return "", ""

    def _plain(self, member: wire.Plain, name: str) -> tuple[str, str]:
        if member.entry:
            return f"{member.entry!r} in {member.field}", f"{member.field}[{member.entry!r}]"
        value = f"node.{member.field}"
        if member.sum_of:
            return "", " + ".join(f"(node.{part} or 0)" for part in member.sum_of)
        if member.default is not None:
            self.scope[name] = member.default
            return "", f"{name} if {value} is None else {value}"
        return f"{value} is not None", value


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"    {line}" for line in lines]
