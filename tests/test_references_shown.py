"""What references in schemas of tools name, for models that are not shown it (SCH-18)."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir
from proxai_ir import profiles
from proxai_ir.schemas.inlined import MOST_REPEATED, expanded, inlined
from proxai_ir.testing.payloads import assert_reported

Json = dict[str, Any]
PLACE: Json = {"type": "object", "properties": {"name": {"type": "string"}}}


def tool(**definitions: Json) -> Json:
    return {"type": "object", "properties": {"at": {"$ref": "#/$defs/A"}}, "minProperties": 1, "$defs": definitions}


@pytest.mark.parametrize(
    ("given", "made"),
    [
        (tool(A=PLACE), {"type": "object", "properties": {"at": PLACE}, "minProperties": 1}),
        (
            tool(A={"type": "array", "items": {"$ref": "#/$defs/B"}}, B=PLACE),
            {"type": "object", "properties": {"at": {"type": "array", "items": PLACE}}, "minProperties": 1},
        ),
        (
            {"anyOf": [{"$ref": "#/definitions/A", "title": "One"}], "definitions": {"A": PLACE}},
            {"anyOf": [{**PLACE, "title": "One"}]},
        ),
        (  # a property of this name is none
            {**tool(A=PLACE), "properties": {"$ref": {"$ref": "#/$defs/A"}}},
            {"type": "object", "properties": {"$ref": PLACE}, "minProperties": 1},
        ),
    ],
    ids=["keywords stay", "within another", "beside others", "a property of this name"],
)
def test_what_a_reference_names_takes_its_place(given: Json, made: Json) -> None:
    assert expanded(given) == made
    assert expanded(made) is made


NODE: Json = {"type": "array", "items": {"$ref": "#/$defs/B"}}
LIST: Json = {"type": "object", "properties": {"next": {"$ref": "#/$defs/A"}}}


@pytest.mark.parametrize(
    "schema",
    [
        PLACE,
        tool(A=LIST),
        tool(A=NODE, B=LIST),
        tool(),
        {"type": "object", "properties": {"child": {"$ref": "#"}}},
        {"type": "object", "properties": {"at": {"$ref": "https://example.org/place"}}},
    ],
    ids=["none", "to itself", "to each other", "to nothing", "to the whole", "elsewhere"],
)
def test_a_schema_that_stays(schema: Json) -> None:
    assert expanded(schema) is schema


def test_a_reference_that_would_never_end_stays_within_others() -> None:
    schema = tool(A={"type": "object", "properties": {"tree": {"$ref": "#/$defs/B"}, "at": {"$ref": "#/$defs/C"}}})
    schema["$defs"] |= {"B": {"type": "array", "items": {"$ref": "#/$defs/B"}}, "C": PLACE}
    made = expanded(schema)
    assert made["properties"]["at"] == {"type": "object", "properties": {"tree": {"$ref": "#/$defs/B"}, "at": PLACE}}
    assert made["$defs"] == schema["$defs"]
    assert expanded(made) is made


def test_a_schema_that_would_be_too_long_stays() -> None:
    """Each definition has the next one twice."""
    named = [f"#/$defs/{number}" for number in range(40)]
    definitions = {
        str(number): {"type": "object", "properties": {"a": {"$ref": after}, "b": {"$ref": after}}}
        for number, after in enumerate(named[1:])
    }
    schema = {"type": "object", "properties": {"at": {"$ref": named[0]}}, "$defs": {**definitions, "39": PLACE}}
    assert 2 ** len(definitions) > MOST_REPEATED
    assert expanded(schema) is schema


def nested(depth: int) -> Json:
    """Return a schema that holds the same schema twice, which does so, too."""
    made: Json = {"type": "string"}
    for _ in range(depth):
        made = {"type": "object", "properties": {"a": made, "b": made}}
    return made


def test_a_schema_in_several_places_is_copied_once() -> None:
    """Its text would have a thousand million objects."""
    schema = {**tool(A=PLACE), "not": nested(30)}
    made = expanded(schema)
    assert made["properties"]["at"] == PLACE
    assert made["not"]["properties"]["a"] is made["not"]["properties"]["b"]
    schema["properties"]["there"] = nested(30)
    assert inlined(schema)[0]["properties"]["at"] == PLACE


def test_a_definition_in_several_places_of_itself_is_too_long() -> None:
    schema = tool(A=nested(30))
    assert expanded(schema) is schema
    assert inlined(schema)[0]["properties"]["at"]["type"] == "object"


def test_a_schema_that_holds_itself() -> None:
    schema = tool(A=PLACE)
    schema["properties"]["self"] = schema["properties"]
    for made in (expanded(schema), inlined(schema)[0]):
        assert made["properties"]["at"] == PLACE
        assert made["properties"]["self"] is made["properties"]


@pytest.mark.parametrize(
    ("protocol", "model", "place"),
    [
        ("openai_chat_completions", "openai/gpt-oss-120b", ("tools", 0, "function", "parameters")),
        ("openai_responses", "gpt-oss:20b", ("tools", 0, "parameters")),
        ("anthropic_messages", "gpt-oss:20b", ("tools", 0, "input_schema")),
        ("ollama_chat", "gpt-oss:20b", ("tools", 0, "function", "parameters")),
        (
            "bedrock_converse",
            "openai.gpt-oss-120b-1:0",
            ("toolConfig", "tools", 0, "toolSpec", "inputSchema", "json"),
        ),
    ],
)
def test_every_protocol_that_serves_the_model(protocol: str, model: str, place: tuple[str | int, ...]) -> None:
    asked = {
        "model": "m",
        "max_tokens": 64,
        "messages": [{"role": "user", "content": "Hi"}],
        "tools": [{"name": "f", "input_schema": tool(A=PLACE)}],
    }
    made = proxai_ir.compile(asked, "anthropic_messages", profiles.for_model(protocol, model))
    found: Any = made.output
    for key in place:
        found = found[key]
    assert found == {"type": "object", "properties": {"at": PLACE}, "minProperties": 1}
    assert ("SCH-18", "/tools/0/input_schema") in [(one.rule, one.path) for one in made.diagnostics]


def test_what_else_is_found_in_such_a_schema_has_its_place() -> None:
    """At its top, and within a list."""
    schema = tool(A=PLACE)
    schema["properties"] |= {"to": {"anyOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/none"}]}}
    asked = {
        "model": "m",
        "messages": [{"role": "user", "content": "Hi"}],
        "tools": [{"type": "function", "function": {"name": "f", "parameters": schema}}],
    }
    server = proxai_ir.Profile("bedrock_converse", schema_references=False, schema_keywords=False)
    found = proxai_ir.check(asked, "openai_chat_completions", server)
    assert_reported(found, asked)
    at = "/tools/0/function/parameters"
    assert {("SCH-7", f"{at}/minProperties"), ("SCH-12", f"{at}/properties/to/anyOf/1/$ref")} <= {
        (one.rule, one.path) for one in found
    }
