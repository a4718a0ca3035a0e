"""Declared wire objects: generated readers and writers do what a plain reading of the declaration gives.

Law 1: a generated reader and the naive interpreter below make the same node of any object, or refuse it under the same
rule at the same place; so do readers of unions and of lists of them. Law 2: what is written has all fields of the node.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs
import pytest
from hypothesis import strategies as st

from proxai_ir.backends._lib.objects import ObjectWriter, UnionWriter
from proxai_ir.frontends._lib.objects import ObjectReader, UnionReader
from proxai_ir.ir.node import Extra, Seal
from proxai_ir.ir.parts import UnknownPart
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.wire import objects as wire

from ..trials import each_count, hold

Object = dict[str, Any]


@attrs.define
class Small:
    """A node with a field for each kind of member."""

    name: str
    amount: float | None = None
    any: Any = None
    word: int | None = None
    given: str | None = None
    seal: Seal | None = None
    only: Any = None
    several: list[Any] | None = None
    listed: list[Any] | None = None
    made: list[Any] = attrs.field(factory=list)
    src: Any = attrs.field(default=None, eq=False)
    extra: Any = None


@attrs.define
class Other:
    text: str | None = None
    src: Any = attrs.field(default=None, eq=False)
    extra: Any = None


PLAIN = wire.WireObject("test plain", Other, {"type": wire.by_hand(), "text": wire.string("text")})
UNION = wire.TaggedUnion(
    "test union",
    "type",
    {
        "a": wire.WireObject("test a", Other, {"text": wire.required(wire.string("text"))}),
        "b": wire.WireObject(
            "test b",
            Small,
            {
                "kind": wire.constant("b"),
                "name": wire.required(wire.string("name")),
                "word": wire.word("word", {"one": 1, "uno": 1, "two": 2}, rule="UNK-1"),
                "inner": {
                    "word": wire.word("given", {"yes": "y"}),
                    "seal": wire.sealed("seal", "test", "x", default=""),
                },
                "amount": wire.number("amount"),
            },
        ),
        "hand": None,
    },
)
DEFAULT = wire.TaggedUnion("test default", "kind", {"": PLAIN, "a": UNION["a"]}, default="")
ALL = wire.WireObject(
    "test all",
    Small,
    {
        "name": wire.required(wire.string("name")),
        "any": wire.anything("any"),
        "one": wire.node("only", UNION),
        "many": wire.nodes("several", UNION, default=[]),
        "made": wire.required(wire.nodes("made", DEFAULT)),
        "seal": wire.sealed("seal", "test", "x"),
        "inner": {"list": wire.nodes("listed", PLAIN)},
    },
)


def declared() -> Iterator[Any]:
    """All that stand in a module, and the members of a tuple of them."""
    for file in sorted(Path(wire.__file__).parent.glob("*.py")):
        values = vars(importlib.import_module(f"proxai_ir.wire.{file.stem}")).values()
        listed = (one for value in values for one in (value if isinstance(value, tuple) else (value,)))
        yield from (one for one in listed if isinstance(one, (wire.WireObject, wire.TaggedUnion)))
    yield from (ALL, PLAIN, UNION, DEFAULT)


def whole(one: wire.WireObject | wire.TaggedUnion | None) -> bool:
    """Whether a declaration says what every field of its nodes is: what code reads is not known here."""
    if isinstance(one, wire.TaggedUnion):
        return all(map(whole, one.alternatives.values()))
    if one is None:
        return True
    needed = {field.name for field in attrs.fields(one.node) if field.default is attrs.NOTHING} - one.fixed.keys()
    members = [member for _, member in one.walk()]
    found = {name for member in members if not isinstance(member, wire.ByHand) for name in wire.fields_of(member)}
    return needed <= found and all(whole(member.declared) for member in members if isinstance(member, wire.Node))


UNIONS = {one.name: one for one in declared() if isinstance(one, wire.TaggedUnion) and whole(one)}
INSIDE = [one for union in UNIONS.values() for one in union.alternatives.values() if one is not None]
DECLARED = {one.name: one for one in (*declared(), *INSIDE) if isinstance(one, wire.WireObject) and whole(one)}


def by_hand(holder: Object) -> Any:
    return UnknownPart("by hand", holder, holder)


def reader(one: wire.WireObject) -> ObjectReader:
    """A reader of the object that is given the readers of all unions inside."""
    inside = [(path, member.declared) for path, member in one.walk() if isinstance(member, wire.Node)]
    return ObjectReader(one, {path: readers(union) for path, union in inside if isinstance(union, wire.TaggedUnion)})


def readers(union: wire.TaggedUnion, other: Any = None) -> UnionReader:
    found = union.alternatives.items()
    return UnionReader(union, {tag: by_hand if one is None else reader(one) for tag, one in found}, other)


def writer(one: wire.WireObject) -> ObjectWriter:
    inside = [(path, member.declared) for path, member in one.walk() if isinstance(member, wire.Node)]
    return ObjectWriter(one, {path: writers(union) for path, union in inside if isinstance(union, wire.TaggedUnion)})


def writers(union: wire.TaggedUnion) -> UnionWriter:
    """Of several objects of one class the first is written: the others have the same fields here."""
    found = {one.node: writer(one) for one in reversed([*union.alternatives.values()]) if one is not None}
    return UnionWriter(union, {UnknownPart: lambda part: part.raw, **found})


# --- the naive interpreter --------------------------------------------------------------------------------------------

KINDS: dict[str, tuple[type, ...]] = {
    "str": (str,),
    "int": (int,),
    "number": (int, float),
    "bool": (bool,),
    "dict": (dict,),
    "list": (list,),
    "strings": (list,),
}


def interpreted(one: wire.WireObject, holder: Object) -> Any:
    """The node of an object, member by member; raises Refusal for the first that is wrong."""
    values: Object = {}
    lent: set[tuple[int, str]] = set()
    level(one.members, holder, values, lent)
    kept = extra(one.members, holder, lent)
    for path, member in one.walk():
        if isinstance(member, wire.Total) and values[member.field] is not None:
            rest = values[member.field] - sum(values.get(part) or 0 for part in member.parts)
            if rest < 0:
                keep_at(kept, holder, path)
            values[member.field] = max(rest, 0)
    for _, member in one.walk():
        if isinstance(member, wire.Plain) and member.entry:
            values[member.field] = values[member.field] or None
    fields = {**one.fixed, **values, "src": holder}
    made = one.node(**fields)
    made.extra = Extra(kept) if kept else None
    return made


def keep_at(kept: Object, holder: Object, path: str) -> None:
    *around, key = path.split("/")
    for name in around:
        kept, holder = kept.setdefault(name, {}), holder[name]
    if holder.get(key) is not None:
        kept[key] = holder[key]


def level(members: Mapping[str, wire.Member], holder: Object, values: Object, lent: set[tuple[int, str]]) -> None:
    """Read the members of one object: their types, then which must be there, then what is inside, then what is missing
    by its other names, of which `lent` has those that were read.
    """
    for key, member in members.items():
        if isinstance(member, wire.Constant):
            constant(member, holder, key)
        elif kind := kind_of(member):
            value = checked(kind, holder, key)
            if isinstance(member, wire.Plain) and member.entry:
                values.setdefault(member.field, {}).update({} if value is None else {member.entry: value})
            elif isinstance(member, (wire.Plain, wire.Total, wire.Word, wire.Sealed)):
                values[member.field] = meant(member, value)
    for key, member in members.items():
        if getattr(member, "required", False) and holder.get(key) is None:
            raise lacking(holder, key)
    for key, member in members.items():
        inner = holder.get(key)
        if isinstance(member, wire.Nested):
            unset(member.members, values)
            if inner is not None:
                level(member.members, inner, values, lent)
        elif isinstance(member, wire.Node):
            values[member.field] = None if inner is None else inside(member, inner)
    by_other_names(members, holder, values, lent)


def by_other_names(
    members: Mapping[str, wire.Member], holder: Object, values: Object, lent: set[tuple[int, str]]
) -> None:
    others = [(key, member.field) for key, member in members.items() if isinstance(member, wire.OtherName)]
    for name in dict.fromkeys(field for _, field in others):
        for key in [key for key, field in others if field == name]:
            if values.get(name) is None and holder.get(key) is not None:
                values[name] = checked("int", holder, key)
                lent.add((id(holder), key))


def inside(member: wire.Node, inner: Any) -> Any:
    if not member.several:
        return of_union(member.declared, inner)
    return listed(member.declared, inner) or ([] if member.required else None)


def listed(one: wire.WireObject | wire.TaggedUnion, objects: list[Any]) -> list[Any]:
    """The nodes of a list; everything that is wrong in it is found."""
    records: list[Any] = []
    found: list[Any] = []
    for index, each in enumerate(objects):
        try:
            if type(each) is not dict:
                raise Refusal("SHP-1", (objects, index))
            found.append(of_union(one, each))
        except Refusal as refusal:
            records += refusal.records
    if records:
        raise Refusal.of_records(records)
    return found


def of_union(one: wire.WireObject | wire.TaggedUnion, holder: Object) -> Any:
    if isinstance(one, wire.WireObject):
        return interpreted(one, holder)
    tag = holder.get(one.tag, one.default)
    if type(tag) is not str:
        raise Refusal("SHP-1", (holder, one.tag)) if tag is not None else lacking(holder, one.tag)
    if tag not in one.alternatives:
        raise Refusal("SHP-3", (holder, one.tag))
    found = one.alternatives[tag]
    return by_hand(holder) if found is None else interpreted(found, holder)


def lacking(holder: Object, key: str) -> Refusal:
    return Refusal("SHP-2", (holder, key) if key in holder else holder)


def meant(member: wire.Member, value: Any) -> Any:
    if isinstance(member, wire.Word):
        return member.table.get(value)
    if isinstance(member, wire.Sealed):
        return None if value in (None, member.default) else Seal(member.provider, member.kind, value)
    return value


def constant(member: wire.Constant, holder: Object, key: str) -> None:
    if not member.is_tag and holder.get(key) not in (None, member.value):
        raise Refusal("SHP-3", (holder, key))


def kind_of(member: wire.Member) -> str:
    if isinstance(member, (wire.Plain, wire.ByHand, wire.Node)):
        return member.type
    if isinstance(member, (wire.Word, wire.Sealed)):
        return "str"
    if isinstance(member, wire.Total):
        return "int"
    return "dict" if isinstance(member, wire.Nested) else ""


def unset(members: Mapping[str, wire.Member], values: Object) -> None:
    for member in members.values():
        if isinstance(member, wire.Nested):
            unset(member.members, values)
        elif isinstance(member, (wire.Plain, wire.Total, wire.Node, wire.Word, wire.Sealed)):
            values.setdefault(member.field, {} if isinstance(member, wire.Plain) and member.entry else None)


def checked(kind: str, holder: Object, key: str) -> Any:
    value = holder.get(key)
    if kind != "any" and type(value) not in (*KINDS[kind], type(None)):
        raise Refusal("SHP-1", (holder, key))
    if kind == "strings":
        for index, item in enumerate(value or ()):
            if type(item) is not str:
                raise Refusal("SHP-1", (value, index))
    return value


def extra(members: Mapping[str, wire.Member], holder: Object, lent: set[tuple[int, str]]) -> Object:
    kept: Object = {}
    for key, value in holder.items():
        member = members.get(key)
        if value is None or (id(holder), key) in lent:
            continue
        unknown = isinstance(member, wire.Word) and value not in member.table
        if member is None or unknown or isinstance(member, (wire.Vendor, wire.OtherName)):
            kept[key] = value
        elif isinstance(member, wire.Nested) and (inner := extra(member.members, value, lent)):
            kept[key] = inner
    return kept


# --- objects, sound and mutated ---------------------------------------------------------------------------------------

JUNK = st.sampled_from([None, None, "", "x", "text", 0, 1, -1, 10**20, 1.5, True, False, [], {}, ["x"], [1], {"x": 1}])


def sound(member: wire.Member) -> st.SearchStrategy[Any]:
    if isinstance(member, (wire.Plain, wire.ByHand)):
        of = {"str": st.sampled_from(["a", "b"]), "int": st.integers(0, 9), "bool": st.booleans()}
        of |= {"strings": st.lists(st.sampled_from(["a", "b"])), "dict": st.sampled_from([{}, {"x": 1}])}
        of |= {"number": st.sampled_from([0, 1, 1.5])}
        return of.get(member.type, st.just([]))
    if isinstance(member, wire.Constant):
        return st.just(member.value)
    if isinstance(member, wire.Nested):
        return objects(member.members)
    if isinstance(member, wire.Node):
        one = variants(member.declared)
        return st.lists(one | JUNK, max_size=2) | st.lists(one, max_size=3) if member.several else one
    if isinstance(member, wire.Word):
        return st.sampled_from([*member.table])
    if isinstance(member, wire.Sealed):
        return st.sampled_from(["", "a", "b"])
    return st.integers(0, 9)


def variants(one: wire.WireObject | wire.TaggedUnion) -> st.SearchStrategy[Object]:
    """Objects of a declaration, of a union now and then with another tag or none."""
    if isinstance(one, wire.WireObject):
        return objects(one.members)
    found = [
        objects({} if each is None else each.members).flatmap(lambda made, tag=tag: tagged(made, one, tag))  # type: ignore[misc]
        for tag, each in one.alternatives.items()
    ]
    return st.one_of(found)


def tagged(made: Object, union: wire.TaggedUnion, tag: str) -> st.SearchStrategy[Object]:
    right = st.just({**made, union.tag: tag})
    return st.one_of(right, right, right, st.just(made), JUNK.map(lambda value: {**made, union.tag: value}))


def objects(members: Mapping[str, wire.Member]) -> st.SearchStrategy[Object]:
    """Objects with most of these members, sometimes a wrong or an unknown one, in any order."""
    required = {key: sound(one) for key, one in members.items() if getattr(one, "required", False)}
    others = {key: sound(one) for key, one in members.items() if key not in required}
    good = st.fixed_dictionaries(required, optional=others)
    return st.tuples(
        good, st.dictionaries(st.sampled_from([*members, "unknown", "known", "holder"]), JUNK, max_size=2)
    ).map(lambda pair: {**pair[1], **pair[0]} if len(pair[0]) % 3 else {**pair[0], **pair[1]})


def outcome(read: Any, holder: Any) -> Any:
    try:
        return read(holder)
    except Refusal as refusal:
        return [(rule, flat(place)) for rule, place, _ in refusal.records]


def flat(place: Any) -> tuple[Any, ...]:
    """A place by the identity of its container."""
    return (id(place[0]), *place[1:]) if isinstance(place, tuple) else (id(place),)


def extended(node: Any) -> bool:
    """Whether a node or one inside it has something of its own protocol."""
    values = [getattr(node, field.name) for field in attrs.fields(type(node)) if field.name != "extra"]
    return node.extra is not None or any(extended(one) for one in values if hasattr(one, "src"))


def sources(node: Any) -> list[int]:
    """The wire objects that a node and its inner nodes were read from."""
    found = [id(node.src)]
    for field in attrs.fields(type(node)):
        value = getattr(node, field.name)
        if attrs.has(type(value)) and hasattr(value, "src"):
            found += sources(value)
    return found


# --- the laws ---------------------------------------------------------------------------------------------------------


@each_count
@pytest.mark.parametrize("name", DECLARED)
def test_reader_and_interpreter_agree(name: str, count: int) -> None:
    one = DECLARED[name]
    made = reader(one)

    def law(holder: Object) -> None:
        read = outcome(made.read, holder)
        expected = outcome(lambda given: interpreted(one, given), holder)
        assert read == expected
        if attrs.has(type(read)):
            assert sources(read) == sources(expected)

    hold(law, objects(one.members), count)


@each_count
@pytest.mark.parametrize("name", UNIONS)
def test_readers_of_unions_and_interpreter_agree(name: str, count: int) -> None:
    union = UNIONS[name]
    made = readers(union)

    def law(objects: list[Any]) -> None:
        read = outcome(made.each, objects)
        expected = outcome(lambda given: listed(union, given), objects)
        assert read == expected
        if objects and attrs.has(type(read[0])):
            assert [sources(node) for node in read] == [sources(node) for node in expected]

    hold(law, st.lists(variants(union) | JUNK, max_size=3) | st.lists(variants(union), max_size=4), count)


@each_count
@pytest.mark.parametrize("name", DECLARED)
def test_what_is_written_has_all_fields(name: str, count: int) -> None:
    one = DECLARED[name]
    made, written = reader(one), writer(one)
    required = any(isinstance(member, wire.ByHand) and member.required for _, member in one.walk())
    computed = {member.field for _, member in one.walk() if isinstance(member, wire.Plain) and member.sum_of}

    def law(holder: Object) -> None:
        read = outcome(made.read, holder)
        if not attrs.has(type(read)) or required:
            return
        again = made.read(written.write(read))
        for field in attrs.fields(one.node):
            value = getattr(read, field.name)
            if value is not None and field.name not in {*computed, "src", "extra"}:
                assert getattr(again, field.name) == value

    hold(law, objects(one.members), count)


def test_a_generated_reader_can_be_debugged() -> None:
    import traceback

    with pytest.raises(Refusal) as caught:
        ObjectReader(DECLARED["openai_chat_completions usage"]).read({"prompt_tokens": "many"})
    shown = "".join(traceback.format_exception(caught.value))
    assert '"<generated reader of openai_chat_completions usage>", line ' in shown
    assert "optional(holder, 'prompt_tokens', int)" in shown


def test_a_declaration_that_leaves_a_field_open_is_refused() -> None:
    @attrs.define
    class Named:
        name: str
        src: Any = None
        extra: Any = None

    with pytest.raises(ValueError, match=r"x does not say what Named\.name is"):
        _ = ObjectReader(wire.WireObject("x", Named, {})).read


def test_the_reader_of_an_other_tag() -> None:
    found = readers(UNION, by_hand).each([{"type": "a", "text": "x"}, {"type": "new"}])
    assert found == [Other("x"), UnknownPart("by hand", {"type": "new"})]


def test_members_by_hand() -> None:
    one = wire.WireObject("x", Other, {"inner": {"text": wire.by_hand("", "text")}})
    read = ObjectReader(one, {"inner/text": lambda holder, key: holder[key].upper()}).read
    write = ObjectWriter(one, {"inner/text": lambda node: node.text and node.text.lower()}).write
    assert read({"inner": {"text": "a"}}).text == "A"
    assert read({"inner": {"text": None}}).text is None
    assert read({}).text is None
    assert write(Other("A")) == {"inner": {"text": "a"}}
    assert write(Other()) == {}


def test_what_nobody_reads_or_writes_is_refused() -> None:
    with pytest.raises(ValueError, match="test union does not say who reads hand"):
        UnionReader(UNION)
    with pytest.raises(ValueError, match="test union has no c"):
        UnionReader(UNION, {"hand": by_hand, "c": by_hand})
    with pytest.raises(ValueError, match="test plain has no c with a field"):
        _ = ObjectReader(PLAIN, {"c": by_hand}).read  # type: ignore[dict-item]
    with pytest.raises(ValueError, match="test plain has no c"):
        _ = ObjectWriter(PLAIN, {"c": by_hand}).write
    two = wire.TaggedUnion("two", "type", {"a": PLAIN, "b": PLAIN})
    with pytest.raises(ValueError, match="two does not say how Other is written"):
        UnionWriter(two)


def test_entries_of_tables_come_from_unions_too() -> None:
    assert wire.wire_paths(ALL) == {
        "Small": {
            "only": "one",
            "several": "many",
            "seal": ("seal", "inner/seal"),
            "listed": "inner/list",
            "given": "inner/word",
        },
        "Other": {},
    }
    assert wire.vendor_fields(ALL) == {"Small": {"inner": {"word": "UNK-4"}, "word": "UNK-1"}, "Other": {}}
