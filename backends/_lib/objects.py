"""Writers of declared wire objects (proxai_ir/wire/objects.py), written out as code when the first object is written.

Rule: canonical output: what the node has, defaults for the rest, and the members of its own protocol that have no
field (LOS-3), which a node of another protocol has lost by now.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, cached_property
from typing import Any

import attrs

from proxai_ir import ir
from proxai_ir.ir.envelope import seal_text
from proxai_ir.json.codegen import compiled
from proxai_ir.json.merge import own
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.wire import objects as wire

from .writing import Object, merge, whole

Write = Callable[[Any], Object]


class ObjectWriter:
    """Writes nodes as objects of one declaration.

    `by_hand`: by the path of a member, the function that makes its value from the node, None for a member that is
    absent; or the writer of the nodes inside.
    """

    def __init__(self, declared: wire.WireObject, by_hand: Mapping[str, ByHand] | None = None) -> None:
        self.declared = declared
        self._by_hand = by_hand

    @cached_property
    def write(self) -> Write:
        return _compiled(self.declared, self._by_hand) if self._by_hand else generated(self.declared)

    def __call__(self, node: Any) -> Object:
        """Write a node, as `write` does; tables hold the writer itself, which is compiled at its first use."""
        return self.write(node)


class _Writers(dict[type[Any], Write]):
    """The writers of a union by class; a node of another class is written as it was read.

    Only a payload that stays in its protocol has such nodes, which its server reads or refuses: a call in the content
    of a user's message, for one.
    """

    def __missing__(self, cls: type[Any]) -> Write:
        return _as_read


def _as_read(node: Any) -> Object:
    source = own(node.src)
    if not isinstance(source, dict):
        raise Refusal("SHP-9", (node, ""), f"the protocol has no form of a {type(node).__name__} in this place")
    return source


class UnionWriter:
    """Writes nodes as objects of a union, each by its class.

    `by_hand`: by class, a writer or function, for classes without a declaration, with several, or with an incomplete
    one. `writers`: the function for each class.
    """

    def __init__(
        self, declared: wire.TaggedUnion, by_hand: Mapping[type[Any], Write | ObjectWriter] | None = None
    ) -> None:
        self.declared = declared
        self.writers: dict[type[Any], Write] = _Writers()
        found: dict[type[Any], Write | ObjectWriter] = {**(by_hand or {})}
        for one in declared.alternatives.values():
            if one is not None and one.node not in (by_hand or {}):
                if one.node in found:
                    raise ValueError(f"{declared.name} does not say how {one.node.__name__} is written")
                found[one.node] = ObjectWriter(one)
        for cls, writer in found.items():
            self.writers[cls] = self._first(cls, writer) if isinstance(writer, ObjectWriter) else writer

    def _first(self, cls: type[Any], writer: ObjectWriter) -> Write:
        def write(node: Any) -> Object:
            self.writers[cls] = writer.write
            return writer.write(node)

        return write

    def write(self, node: Any) -> Object:
        return self.writers[type(node)](node)


ByHand = Callable[[Any], Any] | ObjectWriter | UnionWriter
union_writer = cache(UnionWriter)


def error_writer(declared: wire.WireObject) -> Callable[[ir.Error, Any], Any]:
    """Return the function `Backend.error` for errors whose body is a declared object."""
    writer = ObjectWriter(declared)
    return lambda error, _server: whole(error) if error.verbatim else writer.write(error)


@cache
def generated(declared: wire.WireObject) -> Write:
    return _compiled(declared, None)


def _compiled(declared: wire.WireObject, by_hand: Mapping[str, ByHand] | None) -> Write:
    source = _Source(declared, by_hand or {})
    write: Write = compiled(f"writer of {declared.name}", source.lines, source.scope)
    return write


class _Source:
    """The code of one writer: leading members that are always present form one literal, the others statements."""

    def __init__(self, declared: wire.WireObject, by_hand: Mapping[str, ByHand]) -> None:
        self.by_hand = by_hand
        fields = attrs.fields(declared.node)
        self.filled = {one.name for one in fields if one.default is attrs.NOTHING}  # in every node
        self.scope: dict[str, Any] = {"merge": merge, "seal_text": seal_text}
        if unknown := by_hand.keys() - {path for path, _ in declared.walk()}:
            raise ValueError(f"{declared.name} has no {', '.join(sorted(unknown))}")
        plain = [member for _, member in declared.walk() if isinstance(member, wire.Plain)]
        lines = [f"{name} = node.{name} or {{}}" for name in sorted({one.field for one in plain if one.entry})]
        lines += self._level(declared.members, "built", "")
        lines += ["if node.extra is not None and node.extra.fields:", "    merge(built, node.extra.fields)"]
        self.lines = ["def write(node):", *(f"    {line}" for line in lines), "    return built"]

    def _level(self, members: Mapping[str, wire.Member], built: str, path: str) -> list[str]:
        """Return the lines that make one object; a nested one is left out if it holds constants alone."""
        first: list[str] = []
        lines: list[str] = []
        for number, (key, member) in enumerate(members.items()):
            name, before = f"{built}_{number}", list[str]()
            if path + key in self.by_hand or not isinstance(member, wire.Nested):
                condition, value = self._member(path + key, member, name)
            else:
                constants = sum(isinstance(inner, wire.Constant) for inner in member.members.values())
                before = self._level(member.members, name, f"{path}{key}/")
                condition, value = f"len({name}) > {constants}" if constants else name, name
                condition = "" if member.required else condition
            if value and not condition and not before and not lines:
                first.append(f"{key!r}: {value}")
            elif value:
                store = f"{built}[{key!r}] = {value}"
                lines += [*before, *([f"if {condition}:", f"    {store}"] if condition else [store])]
        return [f"{built} = {{{', '.join(first)}}}", *lines]

    def _member(self, path: str, member: wire.Member, name: str) -> tuple[str, str]:
        """Return the condition under which a member is written and the expression of its value.

        An empty condition means always, an empty expression never. `name` is a free variable name.
        """
        hand = self.by_hand.get(path)
        if hand is not None and not isinstance(hand, (ObjectWriter, UnionWriter)):
            self.scope[f"write_{name}"] = hand
            return f"({name} := write_{name}(node)) is not None", name
        if isinstance(member, wire.Plain):
            return self._plain(member, name)
        if isinstance(member, wire.Total):
            whole = " + ".join(f"(node.{part} or 0)" for part in (member.field, *member.parts))
            return "" if member.default is not None else f"node.{member.field} is not None", whole
        if hand is not None or isinstance(member, wire.Node):
            return self._inside(member, name, hand)
        if isinstance(member, wire.Word):
            self.scope[f"{name}_of"] = member.words()
            return f"({name} := {name}_of.get(node.{member.field})) is not None", name
        if isinstance(member, wire.Sealed):
            value, condition = (
                f"seal_text(node.{member.field}, {member.provider!r})",
                f"node.{member.field} is not None",
            )
            if member.default is None:
                return condition, value
            return "", f"{value} if {condition} else {member.default!r}"
        if isinstance(member, wire.Constant) and member.written:
            if isinstance(member.value, str):
                return "", repr(member.value)
            self.scope[name] = member.value
            return "", name
        return "", ""

    def _inside(self, member: wire.Member, name: str, hand: ObjectWriter | UnionWriter | None) -> tuple[str, str]:
        """Return the condition and expression of a member that holds nodes."""
        value, several = f"node.{wire.fields_of(member)[0]}", isinstance(member, wire.Node) and member.several
        required = getattr(member, "required", False)
        if hand is None:
            assert isinstance(member, wire.Node)
            inside = member.declared
            hand = union_writer(inside) if isinstance(inside, wire.TaggedUnion) else ObjectWriter(inside)
        one = "one" if several else value
        if isinstance(hand, UnionWriter):
            self.scope[f"{name}_of"] = hand.writers
            made = f"{name}_of[type({one})]({one})"
        else:
            self.scope[f"{name}_of"] = hand.write
            made = f"{name}_of({one})"
        if several:
            made = f"[{made} for one in {value}]"
        if isinstance(member, wire.Node) and member.default is not None:
            return "", f"{made} if {value} else {member.default!r}"
        if required and value[len("node.") :] in self.filled:
            return "", made
        return value if several and not required else f"{value} is not None", made

    def _plain(self, member: wire.Plain, name: str) -> tuple[str, str]:
        if member.entry:
            return f"{member.entry!r} in {member.field}", f"{member.field}[{member.entry!r}]"
        value = f"node.{member.field}"
        if member.sum_of:
            return "", " + ".join(f"(node.{part} or 0)" for part in member.sum_of)
        if member.default is not None:
            self.scope[name] = member.default
            return "", f"{name} if {value} is None else {value}"
        always = member.nullable or (member.required and member.field in self.filled)
        return "" if always else f"{value} is not None", value
