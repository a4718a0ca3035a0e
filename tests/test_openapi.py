"""JSON Schema as Google's `Schema`, and back: what each keyword becomes, and how much a schema may cost."""

from __future__ import annotations

from typing import Any

import pytest

from proxai_ir.schemas.openapi import MOST_REPEATED, legal, normalised

Json = Any


def found(schema: Json) -> tuple[Json, list[tuple[str, str]]]:
    """The schema as Google has it, and each finding with the keyword that it is about."""
    made, misfits = legal(schema)
    return made, [(rule, "" if place is None else place[-1]) for rule, place in misfits]


@pytest.mark.parametrize(
    ("given", "made", "misfits"),
    [
        ({"type": "integer", "minimum": 1}, {"type": "INTEGER", "minimum": 1}, []),
        ({"type": ["string", "null"]}, {"type": "STRING", "nullable": True}, []),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, {"type": "STRING", "nullable": True}, []),
        ({"enum": ["a", None]}, {"type": "STRING", "enum": ["a"], "nullable": True}, []),
        ({"const": "a"}, {"type": "STRING", "enum": ["a"]}, []),
        ({"type": "array"}, {"type": "ARRAY", "items": {}}, []),
        ({"items": {"type": "string"}}, {"type": "ARRAY", "items": {"type": "STRING"}}, []),
        ({"type": "string", "format": "date-time"}, {"type": "STRING", "format": "date-time"}, []),
        ({"type": "object", "properties": {}}, {"type": "OBJECT"}, []),
        ({"additionalProperties": False}, {}, [("SCH-11", "additionalProperties")]),
        ({"type": "integer", "enum": [1]}, {"type": "INTEGER", "description": '{"enum": [1]}'}, [("SCH-7", "enum")]),
        ({"type": "string", "items": {}}, {"type": "STRING", "description": '{"items": {}}'}, [("SCH-7", "items")]),
        ({"not": {}}, {"description": '{"not": {}}'}, [("SCH-7", "not")]),
        ({"$ref": "elsewhere.json"}, {}, [("SCH-12", "$ref")]),
    ],
    ids=str,
)
def test_a_keyword_in_google_form(given: Json, made: Json, misfits: list[tuple[str, str]]) -> None:
    assert found(given) == (made, misfits)


def test_several_types_are_alternatives_with_what_is_for_each() -> None:
    given = {"type": ["string", "array", "null"], "maxLength": 9, "items": {"type": "integer"}, "description": "d"}
    assert found(given) == (
        {
            "anyOf": [
                {"type": "STRING", "maxLength": 9, "description": "d"},
                {"type": "ARRAY", "items": {"type": "INTEGER"}, "description": "d"},
                {"type": "NULL"},
            ]
        },
        [],
    )


def test_alternatives_of_an_object_that_has_properties_are_described() -> None:
    given = {"type": "object", "properties": {"a": {}}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}
    made, misfits = found(given)
    assert made.keys() == {"type", "properties", "description"}
    assert '"anyOf"' in made["description"]
    assert ("SCH-7", "anyOf") in misfits


def test_the_parts_of_all_of_are_one_schema() -> None:
    given = {
        "allOf": [{"$ref": "#/$defs/named"}, {"properties": {"age": {"type": "integer"}}, "required": ["age"]}],
        "$defs": {"named": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}},
    }
    made, misfits = found(given)
    assert made == {
        "type": "OBJECT",
        "properties": {"name": {"type": "STRING"}, "age": {"type": "INTEGER"}},
        "required": ["age", "name"],
    }
    assert misfits == []


def test_a_recursive_schema_ends() -> None:
    given = {"$ref": "#/$defs/a", "$defs": {"a": {"type": "object", "properties": {"next": {"$ref": "#/$defs/a"}}}}}
    assert found(given) == ({"type": "OBJECT", "properties": {"next": {}}}, [("SCH-12", "$ref")])


def nodes(schema: Json) -> int:
    waiting = [schema]
    for one in waiting:
        waiting += (one.get("properties") or {}).values()
    return len(waiting)


def test_references_repeat_a_limited_number_of_schemas() -> None:
    """Each definition refers to the next one twice: without a limit 2 to the 60th schemas."""
    last = {"d60": {"type": "string"}}
    given = {
        "$ref": "#/$defs/d0",
        "$defs": {
            f"d{n}": {"properties": {"a": {"$ref": f"#/$defs/d{n + 1}"}, "b": {"$ref": f"#/$defs/d{n + 1}"}}}
            for n in range(60)
        }
        | last,
    }
    made, misfits = found(given)
    assert nodes(made) < 3 * MOST_REPEATED
    assert ("SCH-12", "$ref") in misfits


def test_depth_costs_no_stack() -> None:
    deep: Json = {"type": "string"}
    for _ in range(5000):
        deep = {"properties": {"a": {"allOf": [{"anyOf": [deep]}]}}}
    legal(deep)
    normalised({"nullable": True, "properties": {"a": deep}})


# --- and back ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "made"),
    [
        ({"type": "OBJECT"}, {"type": "object"}),
        ({"type": "STRING", "nullable": True}, {"type": ["string", "null"]}),
        ({"type": "STRING", "nullable": False}, {"type": "string"}),
        ({"type": "STRING", "format": "enum", "enum": ["a"]}, {"type": "string", "enum": ["a"]}),
        ({"enum": ["a"], "type": "STRING", "nullable": True}, {"enum": ["a", None], "type": ["string", "null"]}),
        ({"anyOf": [{"type": "STRING"}], "nullable": True}, {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        ({"any_of": [{"type": "INTEGER", "max_items": "3"}]}, {"anyOf": [{"type": "integer", "maxItems": 3}]}),
        ({"properties": {"any_of": {"type": "STRING"}}}, {"properties": {"any_of": {"type": "string"}}}),
        ({"ref": "#/defs/a", "defs": {"a": {}}}, {"$ref": "#/$defs/a", "$defs": {"a": {}}}),
        ({"type": "TYPE_UNSPECIFIED", "title": "T"}, {"title": "T"}),
    ],
    ids=str,
)
def test_a_google_schema_is_json_schema(given: Json, made: Json) -> None:
    assert normalised(given) == made


def test_json_schema_is_not_copied() -> None:
    schema = {"type": "object", "properties": {"type": {"enum": ["STRING"]}, "a": {"$ref": "#/$defs/a"}}}
    assert normalised(schema) is schema


def test_there_and_back() -> None:
    schema = {
        "type": "object",
        "properties": {
            "name": {"type": ["string", "null"], "maxLength": 9},
            "kind": {"type": "string", "enum": ["a", "b"]},
            "list": {"type": "array", "items": {"type": "number"}, "minItems": 1},
            "any": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        },
        "required": ["name"],
    }
    assert normalised(legal(schema)[0]) == schema


@pytest.mark.parametrize(("length", "times"), [(1000, 2), (1001, 1)])
def test_a_description_beside_alternatives_stands_in_each_if_it_is_short(length: int, times: int) -> None:
    made, misfits = found({"anyOf": [{"type": "string"}, {"type": "integer"}], "description": "x" * length})
    assert ["description" in one for one in made["anyOf"]] == [True, times == 2]
    assert misfits == []
