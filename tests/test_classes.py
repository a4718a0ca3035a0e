"""The classes of `proxai_ir.json.classes` behave as those of attrs do."""

from __future__ import annotations

from typing import Any

import attrs
import pytest
from attrs import field

from proxai_ir.json import classes


def made(define: Any, frozen: Any) -> tuple[Any, Any, Any]:
    """Return a mutable class, a frozen one, and one without fields."""

    @define
    class Node:
        text: str
        note: Any = field(default=None, eq=False, repr=False)
        inner: Any = None

    @frozen(kw_only=True)
    class Fact:
        name: str
        source: str = field(default="", eq=False)

    @frozen
    class Empty:
        pass

    return Node, Fact, Empty


OURS = made(classes.define, classes.frozen)
THEIRS = made(attrs.define, attrs.frozen)
BOTH = pytest.mark.parametrize("kinds", [OURS, THEIRS], ids=["ours", "attrs"])


@BOTH
def test_equality(kinds: tuple[Any, Any, Any]) -> None:
    node, fact, empty = kinds
    assert node("a", note=1) == node("a", note=2)
    assert node("a") != node("b")
    assert node("a", inner=node("b")) == node("a", inner=node("b"))
    assert node("a", inner=node("b")) != node("a", inner=node("c"))
    assert fact(name="x", source="1") == fact(name="x", source="2")
    assert fact(name="x") != fact(name="y")
    assert empty() == empty()
    assert node("a") != fact(name="a")
    assert node("a") != "a"


@BOTH
def test_hashes(kinds: tuple[Any, Any, Any]) -> None:
    node, fact, empty = kinds
    assert len({fact(name="x", source="1"), fact(name="x", source="2"), fact(name="y"), empty(), empty()}) == 3
    with pytest.raises(TypeError, match="unhashable"):
        hash(node("a"))


@BOTH
def test_reprs(kinds: tuple[Any, Any, Any]) -> None:
    node, fact, empty = kinds
    assert repr(node("a", note=1, inner=fact(name="x"))) == "Node(text='a', inner=Fact(name='x', source=''))"
    assert repr(empty()) == "Empty()"


@BOTH
def test_all_else_is_of_attrs(kinds: tuple[Any, Any, Any]) -> None:
    node, fact, _ = kinds
    assert [one.name for one in attrs.fields(node)] == ["text", "note", "inner"]
    assert attrs.evolve(fact(name="x"), name="y") == fact(name="y")
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        fact(name="x").name = "y"
    with pytest.raises(AttributeError):
        node("a").other = 1
    match node("a", 1, 2):
        case node(text, note, inner):
            assert (text, note, inner) == ("a", 1, 2)


def test_methods_that_a_class_defines_stay_its_own() -> None:
    @classes.frozen
    class Upper:
        text: str

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Upper) and self.text.upper() == other.text.upper()

        def __hash__(self) -> int:
            return hash(self.text.upper())

        def __repr__(self) -> str:
            return self.text.upper()

    assert Upper("a") == Upper("A")
    assert {Upper("a"), Upper("A")} == {Upper("a")}
    assert repr(Upper("a")) == "A"


def test_a_class_may_keep_the_comparison_by_identity() -> None:
    @classes.frozen(eq=False)
    class Only:
        text: str

    one = Only("a")
    assert one != Only("a")
    assert {one: 1}[one] == 1
