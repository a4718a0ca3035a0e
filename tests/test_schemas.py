"""Output schemas in the form that a target enforces (SCH-6 to SCH-8, SCH-11), arrays of anything (SCH-13)."""

from __future__ import annotations

import re
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import strategies as st

from proxai_ir.schemas.arrays import with_items
from proxai_ir.schemas.subset import fitted, is_enforced, obstacle
from proxai_ir.targets.grammars import STRING_FORMATS, unenforceable

from .trials import hold
from .work import operations

Json = Any
CLOSED = {"type": "object", "properties": {"n": {"type": "integer"}}, "additionalProperties": False}
REF = {"$ref": "#/$defs/A"}


def with_property(schema: Json, **more: Json) -> dict[str, Json]:
    return {"type": "object", "properties": {"p": schema}, "additionalProperties": False, **more}


@pytest.mark.parametrize(
    "schema",
    [
        CLOSED,
        {"type": "array", "items": CLOSED, "minItems": 1},
        with_property({"type": ["string", "null"], "default": None, "pattern": "^[a-z]+$"}),
        with_property({"enum": ["a", 1, None]}),
        with_property({"const": "a"}),
        with_property(REF, **{"$defs": {"A": CLOSED}}),
        with_property({"$ref": "#/definitions/a~1b"}, definitions={"a/b": CLOSED}),
        {**REF, "$defs": {"A": CLOSED}},
        with_property({"anyOf": [REF, {"type": "null"}], "description": "D", "title": "T"}, **{"$defs": {"A": CLOSED}}),
        with_property({"allOf": [{"type": "string"}, {"enum": ["a"]}]}),
        with_property({"type": "array"}),
    ],
)
def test_what_is_enforced_stays_as_it_is(schema: dict[str, Json]) -> None:
    assert obstacle(schema, unenforceable) == ""
    made, misfits = fitted(schema, unenforceable)
    assert made is schema
    assert misfits == []


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ({}, "any type"),
        ({"type": "object"}, "any name"),
        ({"type": ["object", "null"]}, "any name"),
        ({"type": "object", "properties": {}, "additionalProperties": {"type": "string"}}, "any name"),
        (with_property({}), "any type"),
        (with_property(True), "any type"),
        (with_property({"description": "D"}), "any type"),
        (with_property({"enum": [{"a": 1}]}), "any type"),
        (with_property({"anyOf": [{"type": "string"}, {}]}), "any type"),
        (with_property({"type": "array", "items": {"type": "object"}}), "any name"),
        (with_property(REF), "$defs"),
        (with_property({"$ref": "https://e.com/a.json"}), "$defs"),
        (with_property({"$ref": 5}), "$defs"),
        (with_property({"$ref": "#"}), "recursion"),
        (with_property(REF, **{"$defs": {"A": with_property(REF)}}), "recursion"),
        (with_property(REF, **{"$defs": {"A": {"$ref": "#/$defs/B"}, "B": REF}}), "recursion"),
        (with_property({"allOf": [CLOSED, CLOSED]}), "allOf"),
        (with_property({"allOf": [REF, {"type": "string"}]}, **{"$defs": {"A": CLOSED}}), "allOf"),
    ],
)
def test_what_cannot_be_enforced_in_any_form(schema: dict[str, Json], why: str) -> None:
    assert why in obstacle(schema, unenforceable)
    assert not is_enforced(schema, unenforceable)


@pytest.mark.parametrize(
    ("given", "made", "rules"),
    [
        ({"type": "string", "maxLength": 5}, {"type": "string", "description": '{"maxLength": 5}'}, ["SCH-7"]),
        (
            {"type": "string", "description": "D", "format": "regex", "minLength": 1},
            {"type": "string", "description": 'D\n\n{"format": "regex", "minLength": 1}'},
            ["SCH-7", "SCH-7"],
        ),
        (
            {"type": "string", "pattern": "^(?!a).$"},
            {"type": "string", "description": '{"pattern": "^(?!a).$"}'},
            ["SCH-7"],
        ),
        (
            {"type": "integer", "not": {"const": 0}},
            {"type": "integer", "description": '{"not": {"const": 0}}'},
            ["SCH-7"],
        ),
        ({"type": "string", "x-order": 1, "$comment": "C"}, {"type": "string"}, ["SCH-11", "SCH-11"]),
        ({"type": "string", "examples": ["é"]}, {"type": "string", "description": '{"examples": ["é"]}'}, ["SCH-11"]),
        ({"oneOf": [CLOSED, {"type": "null"}]}, {"anyOf": [CLOSED, {"type": "null"}]}, ["SCH-7"]),
        (
            {"oneOf": [CLOSED, CLOSED], "discriminator": {"propertyName": "n"}},
            {"anyOf": [CLOSED, CLOSED]},
            ["SCH-11"],
        ),
        ({"allOf": [{"$ref": "#/$defs/A"}], "title": "T"}, {"anyOf": [REF], "title": "T"}, []),
        ({"$ref": "#/$defs/A", "description": "D"}, REF, ["SCH-7"]),
        ({"type": "object", "anyOf": [CLOSED]}, {"anyOf": [CLOSED]}, ["SCH-11"]),
        (
            {**CLOSED, "anyOf": [{"required": ["n"]}]},
            {**CLOSED, "description": '{"anyOf": [{"required": ["n"]}]}'},
            ["SCH-7"],
        ),
        ({**CLOSED, "additionalProperties": {"type": "string"}}, CLOSED, ["SCH-7"]),
        ({"properties": {"n": {"type": "integer"}}}, CLOSED, ["SCH-6"]),
        ({"type": "array", "items": {}, "maxItems": 3}, {"type": "array", "description": '{"maxItems": 3}'}, ["SCH-7"]),
        (
            {"type": "array", "items": [{"type": "string"}]},
            {"type": "array", "description": '{"items": [{"type": "string"}]}'},
            ["SCH-7"],
        ),
        ({"type": "string", "not": {"enum": ["x"] * 200}}, {"type": "string"}, ["SCH-7"]),
        ({"type": "string", "pattern": "(?=" + "x" * 2000}, {"type": "string"}, ["SCH-7"]),
        ({"type": "number", "maximum": float("nan")}, {"type": "number"}, ["SCH-7"]),
    ],
)
def test_what_is_enforced_in_another_form(given: Json, made: Json, rules: list[str]) -> None:
    around = with_property(given, **{"$defs": {"A": CLOSED}})
    before = repr(around)
    assert not is_enforced({key: value for key, value in around.items() if key != "$defs"}, unenforceable)
    assert obstacle(around, unenforceable) == ""
    changed, misfits = fitted(around, unenforceable)
    assert changed == with_property(made, **{"$defs": {"A": CLOSED}})
    assert [rule for rule, _ in misfits] == rules
    assert repr(around) == before
    assert fitted(changed, unenforceable) == (changed, [])
    sdk = pytest.importorskip("anthropic.lib._parse._transform")
    sdk.transform_schema(changed)  # which raises ValueError for what the API does not accept


def test_strings_may_have_the_formats_of_the_sdk() -> None:
    sdk = pytest.importorskip("anthropic.lib._parse._transform")
    assert sdk.SupportedStringFormats == STRING_FORMATS


def fitting(depth: int) -> Callable[[], None]:
    """Schemas that are deep, and of few objects that stand in many places."""
    deep: Json = {"type": "string", "maxLength": 3}
    shared: Json = {"type": "string", "minLength": 1}
    for _ in range(depth):
        deep = {"type": "array", "items": deep, "maxItems": 9, "not": {"items": deep}}
        shared = {"anyOf": [shared, shared]}

    def run() -> None:
        for schema in (deep, shared, with_property(REF, **{"$defs": {"A": deep}})):
            assert obstacle(schema, unenforceable) == ""
            assert fitted(schema, unenforceable)[0] is not schema

    return run


def test_a_schema_takes_linear_time_however_deep() -> None:
    assert operations(fitting(2400)) < 2.1 * operations(fitting(1200))


@pytest.mark.parametrize(
    "schema",
    [
        CLOSED,
        with_property({"anyOf": [CLOSED, {"type": "null"}], "description": "D"}),
        with_property({"type": "array", "items": {"type": ["string", "null"], "enum": ["a", None]}}),
    ],
)
def test_what_is_plainly_enforced(schema: dict[str, Json]) -> None:
    assert is_enforced(schema, unenforceable)


@pytest.mark.parametrize("pattern", ["^a{1,3}$", r"\\d+", "(?:ab)+"])
def test_regular_patterns_are_enforced(pattern: str) -> None:
    assert not unenforceable("pattern", pattern)


@pytest.mark.parametrize("pattern", [r"(a)\1", r"\bword\b", "(?<=a)b", "(?<n>a)", 5])
def test_other_patterns_are_not(pattern: Json) -> None:
    assert unenforceable("pattern", pattern)
    assert isinstance(pattern, int) or re.compile(pattern.replace("(?<n>", "(?P<n>"))


WORDS = st.sampled_from(["object", "string", "integer", "array", "null", ["string", "null"], ["object", "null"], 5])
SCALARS = st.none() | st.integers(-1, 2) | st.text("ab", max_size=2) | st.booleans()


def members(inner: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    """Schemas of the given ones: of most keywords, in any combination, also such as mean nothing."""
    named = st.dictionaries(st.sampled_from(["a", "b"]), inner, max_size=2)
    keywords: dict[str, st.SearchStrategy[Json]] = {
        "type": WORDS,
        "properties": named | st.just({}),
        "additionalProperties": st.booleans() | inner,
        "items": inner | st.lists(inner, max_size=2) | st.booleans(),
        "anyOf": st.lists(inner, max_size=2),
        "oneOf": st.lists(inner, max_size=2),
        "allOf": st.lists(inner, max_size=2),
        "$ref": st.sampled_from(["#", "#/$defs/a", "#/$defs/b", "x"]),
        "$defs": named,
        "enum": st.lists(SCALARS | st.just({}), max_size=2),
        "const": SCALARS,
        "minItems": st.integers(0, 2),
        "format": st.sampled_from(["date", "regex"]),
        "description": st.just("D"),
        "default": SCALARS,
        "maximum": SCALARS,
        "examples": st.lists(SCALARS, max_size=2),
        "$comment": st.just("C"),
        "required": st.lists(st.sampled_from(["a", "b"]), max_size=2),
    }
    typed = {"type": keywords.pop("type")}
    return st.fixed_dictionaries({}, optional=keywords) | st.fixed_dictionaries(typed, optional=keywords)


SCHEMAS = members(st.recursive(st.builds(lambda word: {"type": word}, WORDS) | st.just(True), members, max_leaves=12))


def test_the_form_that_is_enforced_is_stable() -> None:
    hold(_stable, SCHEMAS)


def _stable(schema: dict[str, Json]) -> None:
    before = repr(schema)
    if obstacle(schema, unenforceable):
        assert not is_enforced(schema, unenforceable)
        return
    made, misfits = fitted(schema, unenforceable)
    assert repr(schema) == before
    if is_enforced(schema, unenforceable):
        assert made is schema
    assert made == schema or misfits or "allOf" in before or "items" in before or "type" not in schema
    assert obstacle(made, unenforceable) == ""
    assert fitted(made, unenforceable) == (made, [])


# --- arrays of anything -----------------------------------------------------------------------------------------------


def test_arrays_of_anything_say_so() -> None:
    bare = {"type": "array"}
    schema = {
        "type": "object",
        "properties": {"a": bare, "b": {"anyOf": [bare, {"type": "null"}]}, "type": bare},
        "$defs": {"c": {"type": "array", "items": bare}},
        "additionalProperties": {"type": ["array", "null"], "description": "Any."},
        "default": {"a": bare},
        "examples": [bare],
    }
    before = deepcopy(schema)
    filled = {"type": "array", "items": {}}
    assert with_items(schema) == {
        "type": "object",
        "properties": {"a": filled, "b": {"anyOf": [filled, {"type": "null"}]}, "type": filled},
        "$defs": {"c": {"type": "array", "items": filled}},
        "additionalProperties": {"type": ["array", "null"], "description": "Any.", "items": {}},
        "default": {"a": bare},
        "examples": [bare],
    }
    assert schema == before


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"a": {"type": "array", "items": {"type": "string"}}}},
        {"type": "array", "items": False},
        {"type": "array", "prefixItems": [{"type": "string"}]},
        {"type": "object", "default": {"type": "array"}},
        {"const": [{"type": "array"}]},
    ],
)
def test_a_schema_without_such_an_array_is_the_same(schema: Json) -> None:
    assert with_items(schema) is schema


def test_a_deep_schema_is_walked_without_recursion() -> None:
    schema: Json = {"type": "array"}
    for _ in range(20_000):
        schema = {"properties": {"a": schema}}
    made = with_items(schema)
    while "properties" in made:
        made = made["properties"]["a"]
    assert made == {"type": "array", "items": {}}
