"""Schemas without keywords that a target ignores (SCH-7, SCH-11), and as strict modes ask for them (SCH-1, SCH-6)."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import strategies as st

import proxai_ir
from proxai_ir.schemas.restated import restated
from proxai_ir.schemas.strict import closed, closing
from proxai_ir.wire.gemini_generate_content import IGNORED_KEYWORDS

from .samples.anthropic_messages import building as anthropic
from .samples.openai_chat_completions import building as chat
from .trials import hold

Json = Any
REF = {"$ref": "#/$defs/A"}
OPEN = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
CLOSED = {**OPEN, "additionalProperties": False}


@pytest.mark.parametrize(
    "schema",
    [
        {},
        REF,
        {"$defs": {"A": {"enum": ["a", 1, None]}}, **REF},
        {"type": "object", "properties": {"pattern": {"type": "string"}, "const": {"format": "uri", "default": "a"}}},
        {"type": ["integer", "null"], "minimum": 1, "maximum": 2, "$schema": "s", "x-note": 1, "examples": [1]},
        {"oneOf": [{"type": "string"}, {"type": "integer"}]},
        {"oneOf": [REF, REF], "discriminator": {"propertyName": "k"}},
        {"prefixItems": [{"type": "string"}], "items": False, "minItems": 1},
        {"default": {"allOf": [], "const": 1}},
    ],
)
def test_what_is_not_ignored_stays_as_it_is(schema: dict[str, Json]) -> None:
    made, misfits = restated(schema, IGNORED_KEYWORDS)
    assert (made is schema, misfits) == (True, [])


@pytest.mark.parametrize(
    ("schema", "said", "rules"),
    [
        ({"const": "a", "type": "string"}, {"enum": ["a"], "type": "string"}, []),
        ({"const": None}, {"type": "null"}, []),
        ({"const": True}, {"description": '{"const": true}'}, ["SCH-7"]),
        ({"enum": [True]}, {"description": '{"enum": [true]}'}, ["SCH-7"]),
        ({"allOf": [REF]}, REF, []),
        ({"allOf": [REF], "title": "T"}, {"title": "T", "anyOf": [REF]}, []),
        ({**REF, "description": "D"}, {"description": "D", "anyOf": [REF]}, []),
        (
            {"allOf": [OPEN, {"properties": {"m": {}}, "required": ["m"]}]},
            {**OPEN, "properties": {"n": {"type": "integer"}, "m": {}}, "required": ["n", "m"]},
            [],
        ),
        (
            {"allOf": [{"minimum": 1}, {"minimum": 2}]},
            {"description": '{"allOf": [{"minimum": 1}, {"minimum": 2}]}'},
            ["SCH-7"],
        ),
        ({"type": "integer", "exclusiveMinimum": 0}, {"type": "integer", "minimum": 1}, ["SCH-11"]),
        ({"type": "integer", "exclusiveMinimum": 0.5}, {"type": "integer", "minimum": 1}, ["SCH-11"]),
        ({"type": "integer", "exclusiveMinimum": 0, "minimum": 5}, {"type": "integer", "minimum": 5}, ["SCH-11"]),
        ({"type": "integer", "minimum": 5, "exclusiveMinimum": 7}, {"type": "integer", "minimum": 8}, ["SCH-11"]),
        ({"type": ["integer", "null"], "exclusiveMaximum": 9}, {"type": ["integer", "null"], "maximum": 8}, ["SCH-11"]),
        (
            {"type": "number", "exclusiveMaximum": 9},
            {"type": "number", "description": '{"exclusiveMaximum": 9}'},
            ["SCH-7"],
        ),
        (
            {"$ref": "#/definitions/A", "definitions": {"A": {"$ref": "#/definitions/A"}}},
            {"$defs": {"A": REF}, **REF},
            [],
        ),
        ({"oneOf": [{"type": "string"}, {"type": "string"}]}, {"oneOf": [{"type": "string"}] * 2}, ["SCH-7"]),
    ],
)
def test_what_is_ignored_is_said_otherwise(schema: dict[str, Json], said: Json, rules: list[str]) -> None:
    before = deepcopy(schema)
    made, misfits = restated(schema, IGNORED_KEYWORDS)
    assert (made, [rule for rule, _ in misfits], schema) == (said, rules, before)


def test_alternatives_that_a_required_value_tells_apart_are_the_same_as_any_of_them() -> None:
    one, other = (
        {"type": "object", "properties": {"k": {"const": word}}, "required": ["k"]} for word in ("one", "other")
    )
    assert [rule for rule, _ in restated({"oneOf": [one, other]}, IGNORED_KEYWORDS)[1]] == []
    assert [rule for rule, _ in restated({"oneOf": [one, {**other, "required": []}]}, IGNORED_KEYWORDS)[1]] == ["SCH-7"]


@pytest.mark.parametrize(
    ("schema", "made"),
    [
        (CLOSED, CLOSED),
        (OPEN, CLOSED),
        ({"anyOf": [OPEN, {"type": "null"}]}, {"anyOf": [CLOSED, {"type": "null"}]}),
        ({"type": "array", "items": OPEN}, {"type": "array", "items": CLOSED}),
        ({**OPEN, "required": []}, None),
        ({**OPEN, "additionalProperties": True}, None),
        ({**OPEN, "additionalProperties": {"type": "string"}}, None),
        ({"type": "object"}, None),
        ({**CLOSED, "allOf": [OPEN]}, None),
    ],
)
def test_objects_are_closed_where_that_is_enough(schema: dict[str, Json], made: Json) -> None:
    before = deepcopy(schema)
    assert (closing(schema), schema) == (made, before)
    assert closed(schema) is (schema is CLOSED)


HELD = "$ref enum oneOf anyOf definitions properties required type items minimum description".split()
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["", "a", "integer", "object", "#"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*sorted(IGNORED_KEYWORDS), *HELD]), inner, max_size=3)
    ),
    max_leaves=12,
)


def test_whatever_a_keyword_holds() -> None:
    names = st.sampled_from([*sorted(IGNORED_KEYWORDS), "properties", "items", "anyOf"])
    hold(_restated, st.dictionaries(names, VALUES), 150)


def _restated(schema: dict[str, Json]) -> None:
    before = repr(schema)
    made, misfits = restated(schema, IGNORED_KEYWORDS)
    closing(schema)
    assert repr(schema) == before
    assert made is schema or misfits or made != schema or "nan" in before


def test_a_schema_that_holds_itself_or_is_deep() -> None:
    own: dict[str, Json] = {"allOf": []}
    own["allOf"].append(own)
    deep: dict[str, Json] = {"const": "a"}
    for _ in range(20_000):
        deep = {"type": "object", "properties": {"p": deep}, "required": ["p"]}
    for schema in (own, deep, {"allOf": [deep, {**deep}]}):
        restated(schema, IGNORED_KEYWORDS)
        closing(schema)


# --- one word of an enum, on a stream ---------------------------------------------------------------------------------

WORD = {"wrapped_output": ["value"]}


def words(deltas: list[str], **options: Any) -> tuple[str, list[str]]:
    head = anthropic.response()
    start = {"type": "message_start", "message": {**head, "content": [], "stop_reason": None}}
    events: list[Json] = [start, {"type": "content_block_start", "index": 0, "content_block": anthropic.text("")}]
    events += [
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": one}} for one in deltas
    ]
    events.append({"type": "content_block_stop", "index": 0})
    events.append({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}})
    events.append({"type": "message_stop"})
    made = proxai_ir.compile(events, "anthropic_messages", "gemini_generate_content", kind="stream", **options)
    parts = [
        part for chunk in made.output for one in chunk["candidates"] for part in one.get("content", {}).get("parts", [])
    ]
    return "".join(part["text"] for part in parts), [one.rule for one in made.diagnostics if one.rule == "OUT-14"]


def test_a_word_is_taken_out_of_a_stream() -> None:
    assert words(['{"val', 'ue": "b', '"}'], state=WORD) == ("b", [])
    assert words(['{"val', 'ue": "b'], state=WORD) == ('{"value": "b', ["OUT-14"])
    assert words(['{"value": "b"}']) == ('{"value": "b"}', [])


def test_a_text_that_is_too_long_for_a_word_does_not_wait() -> None:
    assert words(["x" * 40, "y"], state=WORD, buffer_limit=10) == ("x" * 40 + "y", ["OUT-14"])


@pytest.mark.parametrize("text", ["b", "[]", '{"value": 1}', '{"value": "b", "more": 1}', "null"])
def test_other_text_arrives_as_it_is(text: str) -> None:
    response = chat.response(content=text)
    made = proxai_ir.compile(response, "openai_chat_completions", "gemini_generate_content", state=WORD)
    assert made.output["candidates"][0]["content"]["parts"] == [{"text": text}]
    assert "OUT-14" in [one.rule for one in made.diagnostics]
