"""Declared wire objects: generated readers and writers do what a plain reading of the declaration gives.

Law 1: a generated reader and the naive interpreter below make the same node of any object, or refuse it under the same
rule at the same place. Law 2: what is restored reads as the same node. Law 3: what is written has all fields of the
node. Law 4: a node without extra fields and wire forms is written as it is restored.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from typing import Any

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import proxai_ir
from proxai_ir.backends._lib.objects import ObjectWriter
from proxai_ir.frontends._lib.objects import ObjectReader
from proxai_ir.ir.node import Extra
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.wire import objects as wire

Object = dict[str, Any]


def declared() -> Iterator[wire.WireObject]:
    for name in proxai_ir.protocols():
        module = importlib.import_module(f"proxai_ir.wire.{name}")
        yield from (one for one in vars(module).values() if isinstance(one, wire.WireObject))


DECLARED = {one.name: one for one in declared()}

# --- the naive interpreter --------------------------------------------------------------------------------------------

KINDS: dict[str, type] = {"str": str, "int": int, "bool": bool, "dict": dict, "list": list, "strings": list}


def interpreted(one: wire.WireObject, holder: Object) -> Any:
    """The node of an object, member by member; raises Refusal for the first that is wrong."""
    values: Object = {}
    level(one.members, holder, values)
    members = one.members.items()
    lent: set[str] = set()
    for key, member in members:
        if isinstance(member, wire.OtherName) and values.get(member.field) is None:
            if holder.get(key) is not None:
                values[member.field] = checked("int", holder, key)
                lent.add(key)
    kept = extra(one.members, holder, lent)
    for key, member in members:
        if isinstance(member, wire.Total) and values[member.field] is not None:
            rest = values[member.field] - sum(values[part] or 0 for part in member.parts)
            if rest < 0:
                kept[key] = holder[key]
            values[member.field] = max(rest, 0)
    for _, member in one.walk():
        if isinstance(member, wire.Plain) and member.entry:
            values[member.field] = values[member.field] or None
    fields = {**one.fixed, **values, "src": holder}
    made = one.node(**fields)
    made.extra = Extra(kept) if kept else None
    return made


def level(members: Mapping[str, wire.Member], holder: Object, values: Object) -> None:
    """Read the members of one object: their types, then which must be there, then what is inside."""
    for key, member in members.items():
        if isinstance(member, wire.Constant):
            constant(member, holder, key)
        elif kind := kind_of(member):
            value = checked(kind, holder, key)
            if isinstance(member, wire.Plain) and member.entry:
                values.setdefault(member.field, {}).update({} if value is None else {member.entry: value})
            elif isinstance(member, (wire.Plain, wire.Total)):
                values[member.field] = value
    for key, member in members.items():
        if getattr(member, "required", False) and holder.get(key) is None:
            raise Refusal("SHP-2", (holder, key) if key in holder else holder)
    for key, member in members.items():
        inner = holder.get(key)
        if isinstance(member, wire.Nested):
            unset(member.members, values)
            if inner is not None:
                level(member.members, inner, values)
        elif isinstance(member, wire.Node):
            values[member.field] = None if inner is None else interpreted(member.declared, inner)


def constant(member: wire.Constant, holder: Object, key: str) -> None:
    if holder.get(key) not in (None, member.value):
        raise Refusal("SHP-3", (holder, key))


def kind_of(member: wire.Member) -> str:
    if isinstance(member, (wire.Plain, wire.ByHand)):
        return member.type
    if isinstance(member, wire.Total):
        return "int"
    return "dict" if isinstance(member, (wire.Nested, wire.Node)) else ""


def unset(members: Mapping[str, wire.Member], values: Object) -> None:
    for member in members.values():
        if isinstance(member, wire.Nested):
            unset(member.members, values)
        elif isinstance(member, (wire.Plain, wire.Node)):
            values.setdefault(member.field, {} if isinstance(member, wire.Plain) and member.entry else None)


def checked(kind: str, holder: Object, key: str) -> Any:
    value = holder.get(key)
    if type(value) not in (KINDS[kind], type(None)):
        raise Refusal("SHP-1", (holder, key))
    if kind == "strings":
        for index, item in enumerate(value or ()):
            if type(item) is not str:
                raise Refusal("SHP-1", (value, index))
    return value


def extra(members: Mapping[str, wire.Member], holder: Object, lent: set[str]) -> Object:
    kept: Object = {}
    for key, value in holder.items():
        member = members.get(key)
        if value is None or key in lent:
            continue
        if member is None or isinstance(member, (wire.Vendor, wire.OtherName)):
            kept[key] = value
        elif isinstance(member, wire.Nested) and (inner := extra(member.members, value, set())):
            kept[key] = inner
    return kept


# --- objects, sound and mutated ---------------------------------------------------------------------------------------

JUNK = st.sampled_from([None, None, "", "x", "text", 0, 1, -1, 10**20, 1.5, True, False, [], {}, ["x"], [1], {"x": 1}])


def sound(member: wire.Member) -> st.SearchStrategy[Any]:
    if isinstance(member, (wire.Plain, wire.ByHand)):
        of = {"str": st.sampled_from(["a", "b"]), "int": st.integers(0, 9), "bool": st.booleans()}
        of |= {"strings": st.lists(st.sampled_from(["a", "b"])), "dict": st.sampled_from([{}, {"x": 1}])}
        return of.get(member.type, st.just([]))
    if isinstance(member, wire.Constant):
        return st.just(member.value)
    if isinstance(member, (wire.Nested, wire.Node)):
        return objects(member.members if isinstance(member, wire.Nested) else member.declared.members)
    return st.integers(0, 9)


def objects(members: Mapping[str, wire.Member]) -> st.SearchStrategy[Object]:
    """Objects with most of these members, sometimes a wrong or an unknown one, in any order."""
    required = {key: sound(one) for key, one in members.items() if getattr(one, "required", False)}
    others = {key: sound(one) for key, one in members.items() if key not in required}
    good = st.fixed_dictionaries(required, optional=others)
    return st.tuples(
        good, st.dictionaries(st.sampled_from([*members, "unknown", "known", "holder"]), JUNK, max_size=2)
    ).map(lambda pair: {**pair[1], **pair[0]} if len(pair[0]) % 3 else {**pair[0], **pair[1]})


def outcome(read: Any, holder: Object) -> Any:
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


@pytest.mark.parametrize("name", DECLARED)
@settings(deadline=None)  # the first example generates code
@given(data=st.data())
def test_reader_and_interpreter_agree(name: str, data: st.DataObject) -> None:
    one = DECLARED[name]
    holder = data.draw(objects(one.members))
    read = outcome(ObjectReader(one).read, holder)
    expected = outcome(lambda given: interpreted(one, given), holder)
    assert read == expected
    if attrs.has(type(read)):
        assert sources(read) == sources(expected)


@pytest.mark.parametrize("name", DECLARED)
@settings(deadline=None)  # the first example generates code
@given(data=st.data())
def test_what_is_written_has_all_fields(name: str, data: st.DataObject) -> None:
    one = DECLARED[name]
    read = outcome(ObjectReader(one).read, data.draw(objects(one.members)))
    required = any(isinstance(member, wire.ByHand) and member.required for _, member in one.walk())
    if not attrs.has(type(read)) or required:
        return
    computed = {member.field for _, member in one.walk() if isinstance(member, wire.Plain) and member.sum_of}
    again = ObjectReader(one).read(ObjectWriter(one).write(read))
    for field in attrs.fields(one.node):
        value = getattr(read, field.name)
        if value is not None and field.name not in {*computed, "src", "extra"}:
            assert getattr(again, field.name) == value


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
