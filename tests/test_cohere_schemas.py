"""Schemas towards Cohere, whose server makes a grammar of them: what it has not moves, or is not sent."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir

CHAT, COHERE = "openai_chat_completions", "cohere_v2_chat"
Object = dict[str, Any]
TEXT: Object = {"type": "string"}
ASKED: Object = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}


def a(**properties: Any) -> Object:
    """An object that requires all of its properties."""
    return {"type": "object", "properties": properties, "required": [*properties]}


def sent(settings: Object) -> tuple[Object, list[str]]:
    made = proxai_ir.compile({**ASKED, **settings}, CHAT, COHERE, kind="request")
    rules = [one.rule for one in made.diagnostics if one.rule not in ("OUT-4", "SMP-6")]
    return made.output, rules


def as_output(schema: Object) -> tuple[Any, list[str]]:
    """The schema that is sent, None where JSON of any shape is asked for, and the rules."""
    output, rules = sent({"response_format": {"type": "json_schema", "json_schema": {"name": "s", "schema": schema}}})
    assert output["response_format"]["type"] == "json_object"
    return output["response_format"].get("json_schema"), rules


@pytest.mark.parametrize(
    "schema",
    [
        a(depth=TEXT),
        {**a(depth=TEXT), "additionalProperties": False},
        a(depth={"anyOf": [TEXT, {"type": "null"}]}),
        a(depth={"type": "array"}),
        a(depth={"type": "array", "items": a(metres={"type": "number"})}),
        a(depth={"type": "string", "format": "date"}, place={"enum": ["Emden", "Oslo"]}, kind={"const": "tide"}),
        a(depth={"type": "string", "pattern": "[A-Z]{3}"}),
        {**a(depth={"$ref": "#/$defs/d"}), "$defs": {"d": a(metres=TEXT)}},
        {"type": "object", "properties": {"depth": TEXT, "place": TEXT}, "required": ["depth"]},
    ],
)
def test_what_the_grammar_has_is_sent_as_it_is(schema: Object) -> None:
    assert as_output(schema) == (schema, [])


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"depth": TEXT}},
        {"type": "object", "properties": {"depth": TEXT}, "required": []},
        {"type": "object"},
        a(depth={"type": "object", "properties": {"metres": TEXT}}),
        a(depth={"type": "array", "items": {"type": "object", "additionalProperties": TEXT}}),
        {**a(depth={"$ref": "#/$defs/d"}), "$defs": {"d": {"type": "object", "properties": {"metres": TEXT}}}},
        a(depth={"anyOf": [TEXT, {"properties": {"metres": TEXT}}]}),
        a(depth={"allOf": [a(metres=TEXT), a(place=TEXT)]}),
        {"type": "array", "items": TEXT},
        {"properties": {"depth": TEXT}, "required": ["depth"]},
    ],
)
def test_what_no_grammar_is_made_of_asks_for_json_of_any_shape(schema: Object) -> None:
    assert as_output(schema) == (None, ["OUT-10"])


@pytest.mark.parametrize(
    ("given", "made", "rule"),
    [
        ({"type": "integer", "minimum": 1}, {"type": "integer", "description": '{"minimum": 1}'}, "SCH-7"),
        ({**TEXT, "maxLength": 9}, {**TEXT, "description": '{"maxLength": 9}'}, "SCH-7"),
        ({**TEXT, "format": "email"}, {**TEXT, "description": '{"format": "email"}'}, "SCH-7"),
        ({**TEXT, "pattern": "^x"}, {**TEXT, "description": '{"pattern": "^x"}'}, "SCH-7"),
        (
            {"type": "array", "items": TEXT, "uniqueItems": True, "description": "Names."},
            {"type": "array", "items": TEXT, "description": 'Names.\n\n{"uniqueItems": true}'},
            "SCH-7",
        ),
        ({"oneOf": [TEXT, {"type": "null"}]}, {"anyOf": [TEXT, {"type": "null"}]}, "SCH-7"),
        ({**TEXT, "$comment": "short"}, TEXT, "SCH-11"),
    ],
)
def test_what_the_grammar_has_not_moves_into_the_description(given: Object, made: Object, rule: str) -> None:
    assert as_output(a(depth=given)) == (a(depth=made), [rule])


def tool(name: str, parameters: Object | None, strict: bool | None = None) -> Object:
    function = {"name": name, "parameters": parameters, "strict": strict}
    return {"type": "function", "function": {key: value for key, value in function.items() if value is not None}}


MANY = a(**{f"p{at}": TEXT for at in range(101)})
OPEN: Object = {"type": "object", "properties": {"day": TEXT}}


@pytest.mark.parametrize(
    ("tools", "strict", "rules"),
    [
        ([tool("f", a(day=TEXT), True)], True, []),
        ([tool("f", a(day=TEXT), True), tool("g", a(day=TEXT))], True, ["SCH-14"]),
        ([tool("f", a(day=TEXT), True), tool("g", {"type": "object", "properties": {}})], True, ["SCH-14"]),
        ([tool("f", a(day=TEXT), True), tool("g", OPEN)], None, ["SCH-1"]),
        ([tool("f", OPEN, True), tool("g", OPEN, True)], None, ["SCH-1", "SCH-1"]),
        ([tool("f", a(day=OPEN), True)], None, ["SCH-1"]),
        ([tool("f", MANY, True), tool("g", MANY)], None, ["SCH-16"]),
        ([tool("f", OPEN), tool("g", MANY), tool("h", MANY)], None, []),
    ],
)
def test_tools_are_strict_together_if_all_of_them_can_be(
    tools: list[Object], strict: bool | None, rules: list[str]
) -> None:
    output, found = sent({"tools": tools})
    assert (output.get("strict_tools"), found) == (strict, rules)
    assert [one["function"].get("parameters") for one in output["tools"]] == [
        one["function"].get("parameters") for one in tools
    ]
