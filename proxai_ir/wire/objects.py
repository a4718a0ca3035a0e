"""One declaration for each dense flat object of a protocol: shaped like its JSON, with IR fields as values.

    USAGE = WireObject("chat.USAGE", Usage, {
        "prompt_tokens": total("input", "cache_read", default=0),
        "prompt_tokens_details": {"cached_tokens": integer("cache_read"), "audio_tokens": entry("details", "audio")},
        "prompt_cache_miss_tokens": vendor("USE-6"),
    })

From it come the reader (`Reader` of frontends), the writer (`Writer` of backends), and the object's entries of the
tables WIRE_PATHS and VENDOR_FIELDS, so that the name of each member stands once.

Rule 1: for objects whose members are mostly present and plain. Requests, parts, and unions by type are written by hand,
and so is every member that needs a function in both directions. Rule 2: members are read in the order of the
declaration, those of nested objects last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from attrs import evolve, field, frozen

Rule = str | Callable[[Any], str]


@frozen
class Plain:
    """A member of one type that is one field of the node, or with `entry` one entry of a field that is a dict.

    `default` is what the writer has for None; it writes the sum of the fields `sum_of` in place of this one.
    """

    type: str
    field: str
    entry: str = ""
    default: Any = None
    sum_of: tuple[str, ...] = ()
    required: bool = False


@frozen
class Total:
    """A token count that includes other fields of the node, which has the rest (USE-1).

    Where the parts are more than the total, the rest is 0, and the total is kept under `rule` (USE-2).
    """

    field: str
    parts: tuple[str, ...]
    default: int | None = None
    rule: Rule = "USE-2"


@frozen
class Constant:
    """A member that may be missing and can have one value only; it has no field.

    `written`: whether the writer has it.
    """

    value: Any
    written: bool = True


def _nested(members: Members) -> dict[str, Member]:
    """Dicts are nested objects."""
    return {key: Nested(member) if isinstance(member, Mapping) else member for key, member in members.items()}


@frozen
class Nested:
    """An object whose members belong to the node that it stands in."""

    members: Mapping[str, Member] = field(converter=_nested)
    required: bool = False


@frozen
class Node:
    """An object that is a node of its own."""

    field: str
    declared: WireObject
    required: bool = False


@frozen
class ByHand:
    """A member that code reads and writes; the reader checks its `type`, if any. `rule`: what reports it if kept."""

    type: str = ""
    fields: tuple[str, ...] = ()
    rule: Rule | None = None
    required: bool = False


@frozen
class OtherName:
    """Another name of an integer, read where that is missing; else kept under `rule`."""

    field: str
    rule: Rule


@frozen
class Vendor:
    """A member that only this protocol has, with the rule that reports its loss, or a table of such members."""

    rule: Rule | Mapping[str, Any]


Member = Plain | Total | Constant | Nested | Node | ByHand | OtherName | Vendor
Members = Mapping[str, "Member | Members"]
M = TypeVar("M", Plain, ByHand, Nested, Node)


def _plain(type_: str) -> Callable[..., Plain]:
    def declare(field: str, *, default: Any = None, sum_of: tuple[str, ...] = ()) -> Plain:
        return Plain(type_, field, "", default, sum_of)

    return declare


string, integer, boolean = _plain("str"), _plain("int"), _plain("bool")
mapping, strings = _plain("dict"), _plain("strings")


def entry(field: str, key: str) -> Plain:
    """An integer that is an entry of a field."""
    return Plain("int", field, key)


def total(field: str, *parts: str, default: int | None = None) -> Total:
    return Total(field, parts, default)


constant, vendor, other_name, node = Constant, Vendor, OtherName, Node


def by_hand(type_: str = "", *fields: str, rule: Rule | None = None) -> ByHand:
    return ByHand(type_, fields, rule)


def required(member: M | Members) -> M | Nested:
    """The member must be there; a nested object's members, only where the object is."""
    if isinstance(member, (Plain, ByHand, Nested, Node)):
        return evolve(member, required=True)
    return Nested(member, required=True)


@frozen(eq=False)
class WireObject:
    """`name` is for tracebacks; `node` is the IR class; `fixed` are fields that are the same for every object.

    `others`: what reports the loss of members that are not declared, where that is not UNK-1.
    """

    name: str
    node: type[Any]
    members: Mapping[str, Member] = field(converter=_nested)
    fixed: Mapping[str, Any] = field(factory=dict)
    others: Mapping[str, str] = field(factory=dict, kw_only=True)

    def walk(self) -> Iterator[tuple[str, Member]]:
        """Every member with its path."""
        return _walk(self.members, "")

    def entries(self, name: str) -> list[str]:
        """The entries of a field that is a dict."""
        return [member.entry for _, member in self.walk() if isinstance(member, Plain) and member.field == name]


def _walk(members: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Member]]:
    for key, member in members.items():
        yield prefix + key, member
        if isinstance(member, Nested):
            yield from _walk(member.members, f"{prefix}{key}/")


def _fields(member: Member) -> tuple[str, ...]:
    if isinstance(member, ByHand):
        return member.fields
    if isinstance(member, Plain):
        return (member.entry or member.field,)
    return (member.field,) if isinstance(member, (Total, Node, OtherName)) else ()


def _kept(members: Mapping[str, Any], others: Mapping[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {**others}
    for key, member in members.items():
        if isinstance(member, Nested):
            found[key] = _kept(member.members, others)
        elif isinstance(member, (Total, OtherName, Vendor, ByHand)) and member.rule is not None:
            found[key] = member.rule
    return found


def wire_paths(*objects: WireObject) -> dict[str, dict[str, Any]]:
    """The entries of WIRE_PATHS; several objects may be of one class. What is called like its field needs none."""
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for one in objects:
        paths = found.setdefault(one.node.__name__, {})
        for path, member in one.walk():
            for name in _fields(member):
                paths[name] = (*paths.get(name, ()), path)
    return {
        cls: {name: at[0] if len(at) == 1 else at for name, at in paths.items() if at != (name,)}
        for cls, paths in found.items()
    }


def vendor_fields(*objects: WireObject) -> dict[str, dict[str, Any]]:
    """The entries of VENDOR_FIELDS: the members that may be kept, with their rules."""
    found: dict[str, dict[str, Any]] = {}
    for one in objects:
        found.setdefault(one.node.__name__, {}).update(_kept(one.members, one.others))
    return found
