"""Pain 11: a keyword of JSON Schema that Gemini's `Schema` has no field for refuses every request with the tool."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir

from ..servers import gemini_2_5, gemini_api, vertex_ai
from .generate_content import GEMINI, Json, from_gemini, functions, request, text, to_gemini
from .generate_content import user as asked
from .support import ANTHROPIC, CHAT, again, anthropic, assistant, chat, losses, user

OLDER = proxai_ir.Profile(GEMINI, json_schemas=False)
"""A server with the subset of OpenAPI alone."""


def tool_of(schema: Json) -> Json:
    return chat.request(user("?"), tools=[chat.tool("f", parameters=schema)])


def parameters(schema: Json) -> tuple[Json, list[tuple[str, str]]]:
    """The `parameters` of a function for the older server, and the losses, from its schema on."""
    made = proxai_ir.compile(tool_of(schema), CHAT, OLDER)
    (one,) = made.output["tools"][0]["functionDeclarations"]
    assert "parametersJsonSchema" not in one
    assert [found for found in vertex_ai.refusals(made.output, {}) if found.startswith("schema")] == []
    assert gemini_2_5.refusals(made.output, {}) == []
    top = "/tools/0/function/parameters"
    return one["parameters"], [(code, path.removeprefix(top)) for code, path in losses(made)]


def of(**properties: Json) -> Json:
    return {"type": "object", "properties": properties}


# --- newer servers take JSON Schema -----------------------------------------------------------------------------------

EVERYTHING: Json = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {
        "count": {"type": "integer", "exclusiveMinimum": 0},
        "name": {"type": ["string", "null"], "deprecated": True},
        "kind": {"const": "a"},
        "next": {"$ref": "#/$defs/Node"},
    },
    "required": ["count"],
    "additionalProperties": False,
    "$defs": {"Node": {"type": "object", "properties": {"value": {"type": "number"}}}},
}


def test_by_default_keywords_that_are_ignored_are_said_by_others() -> None:
    made = to_gemini(tool_of(EVERYTHING), CHAT)
    (one,) = made.output["tools"][0]["functionDeclarations"]
    said = {"count": {"type": "integer", "minimum": 1}, "kind": {"enum": ["a"]}}
    properties = {**EVERYTHING["properties"], **said}
    assert one == {"name": "f", "parametersJsonSchema": {**EVERYTHING, "properties": properties}}
    assert losses(made) == []
    assert gemini_api.refusals(made.output, {}) == []


# --- older servers take a subset, by an allow-list --------------------------------------------------------------------


def test_types_are_single_words() -> None:
    made, lost = parameters(of(a={"type": ["string", "null"]}, b={"type": "array", "items": {"type": "number"}}))
    assert made == {
        "type": "OBJECT",
        "properties": {
            "a": {"type": "STRING", "nullable": True},
            "b": {"type": "ARRAY", "items": {"type": "NUMBER"}},
        },
    }
    assert lost == []


def test_an_optional_value_of_pydantic_is_nullable() -> None:
    made, lost = parameters(of(a={"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None}))
    assert made["properties"]["a"] == {"type": "INTEGER", "nullable": True, "default": None}
    assert lost == []


@pytest.mark.parametrize(
    ("keyword", "value"),
    [
        ("multipleOf", 5),
        ("not", {"type": "number", "minimum": 7}),
    ],
)
def test_what_has_no_field_is_said_in_the_description(keyword: str, value: Json) -> None:
    made, lost = parameters(of(count={"type": "integer", "description": "How many.", keyword: value}))
    count = made["properties"]["count"]
    assert count["type"] == "INTEGER"
    assert count["description"].startswith("How many.")
    assert keyword in count["description"]
    assert lost == [("SCH-7", f"/properties/count/{keyword}")]


def test_closed_objects_and_remarks_are_no_loss() -> None:
    """The response is no other without them."""
    made, lost = parameters({**of(a={"type": "string"}), "additionalProperties": False, "$id": "x", "$comment": "y"})
    assert made == {"type": "OBJECT", "properties": {"a": {"type": "STRING"}}}
    assert lost == []


def test_words_are_an_enum_and_numbers_are_not() -> None:
    """Gemini: "Invalid value at '….enum[0]' (TYPE_STRING), 7"."""
    made, lost = parameters(of(a={"enum": ["x", "y"]}, b={"const": "z"}, c={"type": "integer", "enum": [7, 8]}))
    assert made["properties"]["a"] == {"type": "STRING", "enum": ["x", "y"]}
    assert made["properties"]["b"] == {"type": "STRING", "enum": ["z"]}
    assert made["properties"]["c"]["type"] == "INTEGER"
    assert "enum" not in made["properties"]["c"]
    assert lost == [("SCH-7", "/properties/c/enum")]


def test_a_reference_is_replaced_by_what_it_names() -> None:
    node = {"type": "object", "properties": {"value": {"type": "number"}}}
    made, lost = parameters({**of(one={"$ref": "#/$defs/Node"}, two={"$ref": "#/$defs/Node"}), "$defs": {"Node": node}})
    there = {"type": "OBJECT", "properties": {"value": {"type": "NUMBER"}}}
    assert made == {"type": "OBJECT", "properties": {"one": there, "two": there}}
    assert lost == []


def test_a_reference_that_never_ends_is_named() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}
    made, lost = parameters({**of(first={"$ref": "#/$defs/Node"}), "$defs": {"Node": node}})
    assert made["properties"]["first"]["properties"]["next"].get("type") is None
    assert lost == [("SCH-12", "/$defs/Node/properties/next/$ref")]


def test_properties_that_are_called_like_keywords_stay() -> None:
    made, lost = parameters(of(const={"type": "string"}, **{"$ref": {"type": "string"}, "type": {"type": "number"}}))
    assert made["properties"] == {
        "const": {"type": "STRING"},
        "$ref": {"type": "STRING"},
        "type": {"type": "NUMBER"},
    }
    assert lost == []


def test_the_schema_of_a_response_is_of_the_same_subset() -> None:
    schema = of(city={"type": "string", "minLength": 1}, score={"type": "number", "exclusiveMaximum": 1})
    wanted = {"type": "json_schema", "json_schema": {"name": "city", "schema": schema}}
    made = proxai_ir.compile(chat.request(user("?"), response_format=wanted), CHAT, OLDER)
    config = made.output["generationConfig"]
    assert config["responseMimeType"] == "application/json"
    assert config["responseSchema"]["properties"]["city"] == {"type": "STRING", "minLength": 1}
    assert ("SCH-7", "/response_format/json_schema/schema/properties/score/exclusiveMaximum") in losses(made)
    assert gemini_2_5.refusals(made.output, {}) == []


def test_the_source_is_not_changed() -> None:
    given = tool_of(EVERYTHING)
    before = repr(given)
    proxai_ir.compile(given, CHAT, OLDER)
    assert repr(given) == before


# --- content that only looks like a schema ----------------------------------------------------------------------------


def test_a_result_with_a_reference_is_content() -> None:
    """vercel/ai#14369: Gemini takes `$ref` in the response of a function for the name of a part with media."""
    words = '{"$ref":"#/$defs/x","type":["a","b"]}'
    given = chat.request(
        user("?"),
        assistant(None, tool_calls=[chat.call("f")]),
        chat.result(words),
        tools=[chat.tool("f")],
    )
    made = proxai_ir.compile(given, CHAT, OLDER)
    (part,) = made.output["contents"][2]["parts"]
    assert part["functionResponse"]["response"] == {"output": words}


# --- and back ---------------------------------------------------------------------------------------------------------

GOOGLES: Json = {
    "type": "OBJECT",
    "properties": {
        "city": {"type": "STRING", "nullable": True},
        "days": {"type": "ARRAY", "items": {"type": "INTEGER", "format": "int32"}, "maxItems": "7"},
        "unit": {"type": "STRING", "format": "enum", "enum": ["C", "F"]},
        "any": {"any_of": [{"type": "NUMBER"}, {"type": "STRING"}]},
    },
    "required": ["city"],
}
PLAIN: Json = {
    "type": "object",
    "properties": {
        "city": {"type": ["string", "null"]},
        "days": {"type": "array", "items": {"type": "integer", "format": "int32"}, "maxItems": 7},
        "unit": {"type": "string", "enum": ["C", "F"]},
        "any": {"anyOf": [{"type": "number"}, {"type": "string"}]},
    },
    "required": ["city"],
}


@pytest.mark.parametrize("dst", [CHAT, ANTHROPIC])
def test_the_words_of_openapi_are_not_sent_to_others(dst: str) -> None:
    given = request(asked(text("?")), tools=functions({"name": "f", "parameters": GOOGLES}))
    made = from_gemini(given, dst)
    wanted: Any = chat.tool("f", parameters=PLAIN) if dst == CHAT else anthropic.tool("f", input_schema=PLAIN)
    assert made.output["tools"] == [wanted]
    assert again(given, GEMINI) == given
