"""One declaration for each dense object of a protocol: shaped like its JSON, with IR fields as values.

    CACHE = WireObject("x cache", Cache, {"type": constant("ephemeral"), "ttl": word("ttl", {"5m": 300, "1h": 3600})})
    SOURCES = TaggedUnion("x source", "type", {  # the tag is written first, and not declared again
        "base64": WireObject("x data", Inline, {"data": required(string("data")), "media_type": string("mime")}),
        "url": WireObject("x link", Url, {"url": required(string("url"))}),
        "content": None,  # read and written by hand
    })
    IMAGE = WireObject("x image", Image, {"source": required(node("source", SOURCES)), "cache": node("cache", CACHE)})

    # frontend                                                      # backend
    READ = UnionReader(SOURCES, {"content": read_chunks})           WRITE = UnionWriter(SOURCES, {Chunks: write_chunks})
    IMAGES = ObjectReader(IMAGE, {"source": READ})                  IMAGES = ObjectWriter(IMAGE, {"source": WRITE})
    image = IMAGES.read(block); parts = READ.each(list)             block = IMAGES.write(image)

    WIRE_PATHS = {**wire_paths(IMAGE), …}; VENDOR_FIELDS = {**vendor_fields(IMAGE), …}  # and of the nodes inside

So the name of each member stands once. What a declaration cannot express is `by_hand("", "field")`: the reader is given
a function of the object and the member's name, which is called where the member is there and returns the field's value;
the writer one of the node, which returns the member's value or None: `ObjectReader(ONE, {"name": read_it})`. Such a
function may stand for a member of any kind. A path, `"input/query"`, names members of nested objects.

Members, all of them of one field of the node:
    string integer number boolean mapping strings anything    of that type in JSON; `strings`: a list of them
    word sealed                     a string that stands for a value; one that its vendor alone reads
    entry total other_name          of token counts: in a dict; including others; by another name
    node nodes                      an object, or a list of objects, of a declaration or a union
    by_hand                         read and written by code; checked for its type
and without a field: `constant`, `vendor` (kept for this protocol, with the rule of its loss), and a dict, an object
whose members are of the same node. `required(member)`: refused where it is missing. `nullable(member)`: written as
null where there is nothing.

Rule 1: for objects whose members are mostly present and plain; measure the code by hand against the declaration. Sparse
requests stay tables of one-member readers. Rule 2: members are read in the order of the declaration; nodes, members by
hand and nested objects last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

import attrs
from attrs import evolve, field

from ..ir.node import finds
from ..json.classes import frozen
from ..reporting.vocabulary import NO_RULE as NO_RULE  # for declarations, as OTHERS is
from ..reporting.vocabulary import OTHERS as OTHERS

Rule = str | Callable[[Any], str]


@frozen
class Plain:
    """A member of one type that is one field of the node, or with `entry` one entry of a field that is a dict.

    `default` is what the writer has for None; it writes the sum of the fields `sum_of` in place of this one. A
    `nullable` member is written as null.
    """

    type: str
    field: str
    entry: str = ""
    default: Any = None
    sum_of: tuple[str, ...] = ()
    required: bool = False
    nullable: bool = False


@frozen
class Total:
    """A token count that includes other fields of the node; its own field holds the rest (USE-1).

    If the parts are more than the total, the rest is 0, and the total is kept under `rule` (USE-2).
    """

    field: str
    parts: tuple[str, ...]
    default: int | None = None
    rule: Rule = "USE-2"


@frozen
class Constant:
    """A member that may be missing and can have only one value; it has no field.

    `written`: whether the writer writes it. `is_tag`: whether a union reads it.
    """

    value: Any
    written: bool = True
    is_tag: bool = False
    required: bool = False


@frozen
class Word:
    """A string that means a value of the field, by one table for both directions; any other is kept under `rule`.

    If several words mean one value, the first is written; values that the table lacks are left out.
    """

    field: str
    table: Mapping[str, Any]
    rule: Rule = "UNK-4"
    required: bool = False

    def words(self) -> dict[Any, str]:
        """Return the word of each value."""
        return {value: word for word, value in reversed([*self.table.items()])}


@frozen
class Sealed:
    """A string that only `provider` can read: a Seal of this kind. `default` is written for none, and read as none."""

    field: str
    provider: str
    kind: str
    default: str | None = None
    required: bool = False


def _nested(members: Members) -> dict[str, Member]:
    """Return members with each dict among them as a nested object."""
    return {key: Nested(member) if isinstance(member, Mapping) else member for key, member in members.items()}


@frozen
class Nested:
    """An object whose members belong to the node that it stands in."""

    members: Mapping[str, Member] = field(converter=_nested)
    required: bool = False


@frozen
class Node:
    """An object that is a node of its own, or with `several` a list of them.

    A list that need not be there is None where it is empty; `default` is what the writer has for it then.
    """

    field: str
    declared: WireObject | TaggedUnion
    several: bool = False
    default: Any = None
    required: bool = False

    @property
    def type(self) -> str:
        return "list" if self.several else "dict"


@frozen
class ByHand:
    """A member that code reads and writes; the reader checks its `type`, if any. `rule` reports it where it is kept.

    `fields` are the fields that it holds; a function that is given to the reader fills the first.
    """

    type: str = ""
    fields: tuple[str, ...] = ()
    rule: Rule | Mapping[str, Any] | None = None
    required: bool = False


@frozen
class OtherName:
    """Another name of an integer, read if the first one is missing, and kept under `rule` otherwise."""

    field: str
    rule: Rule


@frozen
class Vendor:
    """A member that only this protocol has, with the rule that reports its loss, or a table of such members."""

    rule: Rule | Mapping[str, Any]


Member = Plain | Total | Constant | Word | Sealed | Nested | Node | ByHand | OtherName | Vendor
Members = Mapping[str, "Member | Members"]
M = TypeVar("M", Plain, Constant, Word, Sealed, ByHand, Nested, Node)


def _plain(type_: str) -> Callable[..., Plain]:
    def declare(field: str, *, default: Any = None, sum_of: tuple[str, ...] = ()) -> Plain:
        return Plain(type_, field, "", default, sum_of)

    return declare


string, integer, boolean, number = _plain("str"), _plain("int"), _plain("bool"), _plain("number")
mapping, strings, anything = _plain("dict"), _plain("strings"), _plain("any")


def entry(field: str, key: str) -> Plain:
    """Declare an integer that is one entry of a dict field."""
    return Plain("int", field, key)


def total(field: str, *parts: str, default: int | None = None) -> Total:
    return Total(field, parts, default)


constant, vendor, other_name, word, sealed = Constant, Vendor, OtherName, Word, Sealed


def node(field: str, declared: WireObject | TaggedUnion) -> Node:
    return Node(field, declared)


def nodes(field: str, declared: WireObject | TaggedUnion, *, default: Any = None) -> Node:
    """Declare a list of objects that are nodes."""
    return Node(field, declared, several=True, default=default)


def by_hand(type_: str = "", *fields: str, rule: Rule | Mapping[str, Any] | None = None) -> ByHand:
    return ByHand(type_, fields, rule)


def required(member: M | Members) -> M | Nested:
    """Return the member as one that must be there; members of a nested object, only where the object is."""
    if isinstance(member, (Plain, Constant, Word, Sealed, ByHand, Nested, Node)):
        return evolve(member, required=True)
    return Nested(member, required=True)


def nullable(member: Plain) -> Plain:
    """Return the member as one that is written as null where there is no value; it may be missing when it is read."""
    return evolve(member, nullable=True)


@frozen(eq=False)
class WireObject:
    """An object of the wire and the node of the IR that it is.

    `name` is for tracebacks, `node` is the IR class, and `fixed` has the fields that all objects share. `others`
    has the rules that report the loss of members that are not declared, where that is not UNK-1.
    """

    name: str
    node: type[Any]
    members: Mapping[str, Member] = field(converter=_nested)
    fixed: Mapping[str, Any] = field(factory=dict)
    others: Mapping[str, str] = field(factory=dict, kw_only=True)

    def __attrs_post_init__(self) -> None:
        """Raise ValueError for a field that the class does not have: a mistake of the declaration."""
        known = {one.name for one in attrs.fields(self.node)}
        named = [(f"{path!r} is", name) for path, member in self.walk() for name in fields_of(member)]
        for what, name in (*named, *(("`fixed` has", name) for name in self.fixed)):
            if name.partition(".")[0] not in known:
                fields = ", ".join(sorted(known))
                raise ValueError(f"{self.name}: {what} {name!r}, and {self.node.__name__} has the fields {fields}")

    def walk(self) -> Iterator[tuple[str, Member]]:
        """Yield every member with its path."""
        return _walk(self.members, "")

    def plain(self) -> dict[str, Plain]:
        """Return the object's own members that are one field each."""
        return {key: member for key, member in self.members.items() if isinstance(member, Plain)}

    def entries(self, name: str) -> list[str]:
        """Return the keys of a dict field that members hold."""
        return [member.entry for _, member in self.walk() if isinstance(member, Plain) and member.field == name]


@frozen(eq=False)
class TaggedUnion:
    """Objects that differ by the value of one member, the tag; None for one that is read and written by hand.

    An object that does not declare the tag gets it, as its first member. `default`: the tag of objects without one.
    """

    name: str
    tag: str
    alternatives: Mapping[str, WireObject | None]
    default: str | None = None

    def __attrs_post_init__(self) -> None:
        made = {value: one and self._tagged(value, one) for value, one in self.alternatives.items()}
        object.__setattr__(self, "alternatives", made)

    def _tagged(self, value: str, one: WireObject) -> WireObject:
        if self.tag in one.members:
            return one
        return evolve(one, members={self.tag: Constant(value, is_tag=True), **one.members})

    def __getitem__(self, value: str) -> WireObject:
        """Return the object with this tag, to read or write it alone."""
        found = self.alternatives[value]
        if found is None:
            raise KeyError(value)
        return found


def _walk(members: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Member]]:
    for key, member in members.items():
        yield prefix + key, member
        if isinstance(member, Nested):
            yield from _walk(member.members, f"{prefix}{key}/")


def _reached(declared: Iterable[WireObject | TaggedUnion | None], found: dict[int, WireObject]) -> Iterable[WireObject]:
    """Return all objects: the declared ones, those of unions, and the nodes inside them."""
    for one in declared:
        if isinstance(one, TaggedUnion):
            _reached(one.alternatives.values(), found)
        elif one is not None and id(one) not in found:
            found[id(one)] = one
            _reached([member.declared for _, member in one.walk() if isinstance(member, Node)], found)
    return found.values()


def fields_of(member: Member) -> tuple[str, ...]:
    """Return the IR fields that a member holds; an entry of a dict field is named by its key."""
    if isinstance(member, ByHand):
        return member.fields
    if isinstance(member, Plain):
        return (member.entry or member.field,)
    return (member.field,) if isinstance(member, (Total, Word, Sealed, Node, OtherName)) else ()


def _kept(members: Mapping[str, Any], others: Mapping[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {**others}
    for key, member in members.items():
        if isinstance(member, Nested):
            found[key] = _kept(member.members, others)
        elif isinstance(member, Total) or (isinstance(member, Plain) and member.type == "int" and OTHERS in others):
            found[key] = _counted(member.rule if isinstance(member, Total) else others[OTHERS])
        elif isinstance(member, (OtherName, Vendor, ByHand, Word)) and member.rule is not None:
            found[key] = member.rule
    return found


def _counted(rule: Rule) -> Rule:
    """Return the rule of a kept count: USE-8 where a fraction is dropped, otherwise the given one."""
    if not isinstance(rule, str):
        return rule
    return finds("USE-8", rule)(lambda value: "USE-8" if isinstance(value, float) else rule)


def wire_paths(*declared: WireObject | TaggedUnion) -> dict[str, dict[str, Any]]:
    """Return the entries of WIRE_PATHS for these objects; a member that has its field's name needs none."""
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for one in _reached(declared, {}):
        paths = found.setdefault(one.node.__name__, {})
        for path, member in one.walk():
            for name in fields_of(member):
                paths[name] = tuple(dict.fromkeys((*paths.get(name, ()), path)))
    return {
        cls: {name: at[0] if len(at) == 1 else at for name, at in paths.items() if at != (name,)}
        for cls, paths in found.items()
    }


def vendor_fields(*declared: WireObject | TaggedUnion) -> dict[str, dict[str, Any]]:
    """Return the entries of VENDOR_FIELDS: the members that may be kept, with the rules that report their loss."""
    found: dict[str, dict[str, Any]] = {}
    for one in _reached(declared, {}):
        found.setdefault(one.node.__name__, {}).update(_kept(one.members, one.others))
    return found


FUNCTION: Members = {
    "name": required(string("name")),
    "description": string("description"),
    "parameters": mapping("parameters"),
}
"""The members of a function's definition in most protocols."""


def typed_function(name: str, node: type[Any], members: Members, **more: Member) -> WireObject:
    """Declare a function inside an object with a type, the form of definitions and calls in Chat Completions."""
    return WireObject(name, node, {"type": constant("function"), **more, "function": required(members)})
