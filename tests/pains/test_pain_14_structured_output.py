"""Pain 14: the schema of the output is dropped on the way, and the response comes back as prose."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

import proxai_ir

from ..servers import gemini_api
from . import generate_content as google
from .generate_content import GEMINI, Json
from .support import (
    ANTHROPIC,
    CHAT,
    RESPONSES,
    again,
    anthropic,
    chat,
    from_responses,
    losses,
    notes,
    refusals,
    responses,
    to_anthropic,
    to_chat,
    to_responses,
    user,
)

CLOSED = {
    "type": "object",
    "properties": {"n": {"type": "integer"}},
    "required": ["n"],
    "additionalProperties": False,
}
OPEN = {"type": "object", "properties": {"n": {"type": "integer"}}}


def chat_format(**schema: Any) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": schema}


def test_the_older_place_of_the_schema_is_read_as_well() -> None:
    made = to_chat(anthropic.request(user("Count."), output_format={"type": "json_schema", "schema": CLOSED}))
    assert made.output["response_format"] == chat_format(name="response", schema=CLOSED, strict=True)


def test_effort_and_format_share_a_place_without_harm() -> None:
    wanted = chat_format(name="count", schema=CLOSED)
    made = to_anthropic(chat.request(user("Count."), response_format=wanted, reasoning_effort="low"))
    schema = {**CLOSED, "title": "count"}
    assert made.output["output_config"] == {"effort": "low", "format": {"type": "json_schema", "schema": schema}}


# --- what Anthropic enforces, it enforces always; what it cannot, it refuses ------------------------------------------


def deep() -> dict[str, Any]:
    """Open objects and limits at every place where schemas stand."""
    leaf = {"type": "string", "minLength": 1, "format": "email"}
    inner = {"type": "object", "properties": {"s": leaf, "at": {"type": "string", "format": "regex"}}}
    return {
        "type": "object",
        "properties": {
            "list": {"type": "array", "items": inner, "minItems": 2, "description": "Some."},
            "any": {"anyOf": [{"type": "integer", "maximum": 5}, {"$ref": "#/$defs/inner"}, {"type": "null"}]},
        },
        "$defs": {"inner": {**inner, "additionalProperties": False}},
        "additionalProperties": False,
    }


def test_what_anthropic_cannot_enforce_moves_into_descriptions_by_name() -> None:
    given = deep()
    made = to_anthropic(chat.request(user("Count."), response_format=chat_format(name="x", schema=given)))
    leaf = {"type": "string", "format": "email", "description": '{"minLength": 1}'}
    inner = {
        "type": "object",
        "properties": {"s": leaf, "at": {"type": "string", "description": '{"format": "regex"}'}},
        "additionalProperties": False,
    }
    assert made.output["output_config"]["format"]["schema"] == {
        "type": "object",
        "properties": {
            "list": {"type": "array", "items": inner, "description": 'Some.\n\n{"minItems": 2}'},
            "any": {
                "anyOf": [
                    {"type": "integer", "description": '{"maximum": 5}'},
                    {"$ref": "#/$defs/inner"},
                    {"type": "null"},
                ]
            },
        },
        "$defs": {"inner": inner},
        "additionalProperties": False,
        "title": "x",
    }
    assert given == deep()
    at = "/response_format/json_schema/schema"
    assert sorted(path.removeprefix(at) for code, path in losses(made) if code == "SCH-7") == [
        "/$defs/inner/properties/at/format",
        "/$defs/inner/properties/s/minLength",
        "/properties/any/anyOf/0/maximum",
        "/properties/list/items/properties/at/format",
        "/properties/list/items/properties/s/minLength",
        "/properties/list/minItems",
    ]
    assert notes(made) == [("SCH-6", f"{at}/properties/list/items")]


def test_name_and_description_of_an_output_come_back_as_title_and_description_of_its_schema() -> None:
    wanted = chat_format(name="count", description="How many.", schema=CLOSED, strict=True)
    there = to_anthropic(chat.request(user("Count."), response_format=wanted))
    titled = {**CLOSED, "title": "count", "description": "How many."}
    assert there.output["output_config"]["format"]["schema"] == titled
    assert losses(there) == []
    back = to_chat(there.output)
    assert back.output["response_format"] == chat_format(name="count", schema=titled, strict=True)


def test_a_title_that_is_no_name_becomes_one() -> None:
    for title, name in (("Größe (cm)", "Gr__e__cm_"), ("t" * 70, "t" * 64), ("", "response"), (5, "response")):
        wanted = {"type": "json_schema", "schema": {**CLOSED, "title": title}}
        made = to_chat(anthropic.request(user("Count."), output_config={"format": wanted}))
        assert made.output["response_format"]["json_schema"]["name"] == name


def test_a_schema_that_only_refers_gets_no_title() -> None:
    """Members next to `$ref` would be ignored or refused."""
    schema = {"$ref": "#/$defs/x", "$defs": {"x": CLOSED}}
    wanted = chat_format(name="count", description="How many.", schema=schema)
    made = to_anthropic(chat.request(user("Count."), response_format=wanted))
    assert made.output["output_config"]["format"]["schema"] == schema
    assert losses(made) == [("OUT-4", "/response_format/json_schema/description")]
    assert ("OUT-8", "/response_format/json_schema/name") in notes(made)


@pytest.mark.parametrize("more", [True, {"type": "string"}, {}])
def test_a_map_is_no_output_of_anthropic(more: Any) -> None:
    """Closed, it would always be empty."""
    schema = {"type": "object", "properties": {"m": {"type": "object", "additionalProperties": more}}}
    made = to_anthropic(chat.request(user("Count."), response_format=chat_format(name="x", schema=schema)))
    assert "output_config" not in made.output
    assert losses(made) == [("SCH-8", "/response_format")]


def test_a_schema_that_holds_itself_comes_to_an_end() -> None:
    schema: dict[str, Any] = {"type": "object", "properties": {}}
    schema["properties"]["more"] = schema
    made = to_anthropic(chat.request(user("Count."), response_format=chat_format(name="x", schema=schema)))
    assert "output_config" not in made.output


def test_strictness_is_not_added() -> None:
    made = to_responses(chat.request(user("Count."), response_format=chat_format(name="x", schema=CLOSED)), CHAT)
    assert made.output["text"]["format"] == {"type": "json_schema", "name": "x", "schema": CLOSED}
    assert losses(made) == []


def test_a_function_of_responses_is_strict_unless_it_cannot_be() -> None:
    """Which is that protocol's default."""
    tool = {"type": "function", "name": "count", "parameters": CLOSED}
    request = responses.request(user("Count."), tools=[tool, {**tool, "name": "open", "parameters": OPEN}])
    made = from_responses(request, CHAT)
    assert [one["function"].get("strict") for one in made.output["tools"]] == [True, None]
    assert losses(made) == []
    assert again(request, RESPONSES) == request


def test_only_objects_are_made_by_openai() -> None:
    wanted = {"format": {"type": "json_schema", "schema": {"type": "array", "items": {"type": "string"}}}}
    request = anthropic.request(user("Count."), output_config=wanted)
    for dst in (CHAT, RESPONSES):
        assert refusals(request, ANTHROPIC, dst=dst) == [("SCH-5", "/output_config/format/schema")]


@pytest.mark.parametrize("name", ["filter[id]", "$top", "a b", "x" * 65, "é", ""])
def test_parameters_whose_names_anthropic_refuses(name: str) -> None:
    tool = chat.tool("find", parameters={"type": "object", "properties": {name: {"type": "string"}}})
    assert refusals(chat.request(user("Find."), tools=[tool]), CHAT) == [("SCH-4", "/tools/0/function/parameters")]


@pytest.mark.parametrize("key", ["anyOf", "oneOf", "allOf"])
def test_alternatives_of_parameters_become_one_object(key: str) -> None:
    text, count = {"type": "string"}, {"type": "integer"}
    branches = [
        {"properties": {"a": text}, "required": ["a"]},
        {"properties": {"a": count, "b": text}},
        {"$ref": "#/x"},
    ]
    tool = chat.tool("find", parameters={"properties": {"c": count}, "required": ["c"], key: branches})
    made = to_anthropic(chat.request(user("Find."), tools=[tool]))
    assert made.output["tools"][0]["input_schema"] == {
        "type": "object",
        "properties": {"c": count, "a": {"anyOf": [text, count]}, "b": text},
        "required": ["c", "a"] if key == "allOf" else ["c"],
    }
    assert losses(made) == [("SCH-9", "/tools/0/function/parameters")]


@pytest.mark.parametrize(
    "composed", [{"anyOf": 1}, {"allOf": [1, None]}, {"oneOf": [{"properties": [], "required": [{}]}]}]
)
def test_odd_alternatives_are_left_out(composed: dict[str, Any]) -> None:
    made = to_anthropic(chat.request(user("Find."), tools=[chat.tool("find", parameters=composed)]))
    assert made.output["tools"][0]["input_schema"] == {"type": "object", "properties": {}}


def test_a_name_that_anthropic_refuses_is_refused_among_alternatives_too() -> None:
    tool = chat.tool("find", parameters={"oneOf": [{"properties": {"a b": {}}}]})
    assert refusals(chat.request(user("Find."), tools=[tool]), CHAT) == [("SCH-4", "/tools/0/function/parameters")]


def test_an_object_without_properties_gets_empty_ones_for_openai() -> None:
    """What MCP servers write for tools without arguments, and OpenAI refuses."""
    request = anthropic.request(user("Time?"), tools=[{"name": "now", "input_schema": {"type": "object"}}])
    wanted = {"type": "object", "properties": {}}
    assert to_chat(request).output["tools"][0]["function"]["parameters"] == wanted
    assert to_responses(request, ANTHROPIC).output["tools"][0]["parameters"] == wanted
    assert request["tools"][0]["input_schema"] == {"type": "object"}


def test_an_id_that_openai_refuses_for_its_length_is_hashed() -> None:
    """Agents send long ones."""
    request = anthropic.request(user("Hi."), metadata={"user_id": "u" * 129})
    for made in (to_chat(request), to_responses(request, ANTHROPIC)):
        assert made.output["safety_identifier"] == hashlib.sha256(b"u" * 129).hexdigest()
        assert ("USR-5", "/metadata/user_id") in notes(made)
    fits = anthropic.request(user("Hi."), metadata={"user_id": "u" * 128})
    assert to_chat(fits).output["safety_identifier"] == "u" * 128


def test_an_id_that_anthropic_refuses_for_its_length_is_hashed() -> None:
    made = to_anthropic(chat.request(user("Hi."), safety_identifier="u" * 257))
    assert made.output["metadata"] == {"user_id": hashlib.sha256(b"u" * 257).hexdigest()}
    assert notes(made) == [("USR-5", "/safety_identifier")]
    fits = to_anthropic(chat.request(user("Hi."), safety_identifier="u" * 256))
    assert fits.output["metadata"] == {"user_id": "u" * 256}


# --- Gemini -----------------------------------------------------------------------------------------------------------
# Structured output is dropped on the way, or loses the media type that it needs.

SCHEMA: Json = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}
FORMAT: Json = {"responseMimeType": "application/json", "responseJsonSchema": SCHEMA}

WANTED: dict[str, Json] = {
    CHAT: chat.request(
        user("?"),
        response_format={"type": "json_schema", "json_schema": {"name": "city", "schema": SCHEMA, "strict": True}},
    ),
    RESPONSES: responses.request(
        user("?"), text={"format": {"type": "json_schema", "name": "city", "schema": SCHEMA, "strict": True}}
    ),
    ANTHROPIC: anthropic.request(user("?"), output_config={"format": {"type": "json_schema", "schema": SCHEMA}}),
}


@pytest.mark.parametrize("src", WANTED)
def test_a_schema_is_sent_with_its_media_type(src: str) -> None:
    made = google.to_gemini(WANTED[src], src)
    config = made.output["generationConfig"]
    assert config["responseMimeType"] == "application/json"
    sent = config["responseJsonSchema"]
    assert {name: value for name, value in sent.items() if name != "title"} == SCHEMA  # which is the format's name
    assert losses(made) == []
    assert gemini_api.refusals(made.output, {}) == []


def of_chat(made: Json) -> Json:
    return made["response_format"]["json_schema"]["schema"]


def of_responses(made: Json) -> Json:
    return made["text"]["format"]["schema"]


def of_anthropic(made: Json) -> Json:
    return made["output_config"]["format"]["schema"]


@pytest.mark.parametrize(
    ("dst", "found"), [(CHAT, of_chat), (RESPONSES, of_responses), (ANTHROPIC, of_anthropic)], ids=[CHAT, RESPONSES, ""]
)
@pytest.mark.parametrize(
    "config",
    [
        FORMAT,
        {"responseMimeType": "application/json", "_responseJsonSchema": SCHEMA},
        {"response_mime_type": "application/json", "response_json_schema": SCHEMA},
        {"responseFormat": {"text": {"mimeType": "APPLICATION_JSON", "schema": SCHEMA}}},
    ],
    ids=["camelCase", "with an underscore", "snake_case", "responseFormat"],
)
def test_every_way_to_ask_for_a_schema_reaches_the_others(dst: str, found: Any, config: Json) -> None:
    given = google.request(google.user(google.text("?")), generationConfig=config)
    made = google.from_gemini(given, dst)
    assert found(made.output) == SCHEMA
    assert losses(made) == []
    assert again(given, GEMINI) == given


def test_googles_own_schema_is_json_schema_to_others() -> None:
    own = {
        "type": "OBJECT",
        "properties": {"city": {"type": "STRING"}, "note": {"type": "STRING", "nullable": True}},
        "required": ["city"],
        "propertyOrdering": ["note", "city"],
    }
    given = google.request(
        google.user(google.text("?")),
        generationConfig={"responseMimeType": "application/json", "responseSchema": own},
    )
    schema = of_chat(google.from_gemini(given, CHAT).output)
    assert schema["properties"]["city"] == {"type": "string"}
    assert schema["properties"]["note"] == {"type": ["string", "null"]}
    assert schema["required"] == ["city"]
    assert list(schema["properties"]) == ["note", "city"]
    assert "propertyOrdering" not in schema
    assert again(given, GEMINI) == given


@pytest.mark.parametrize("name", ["propertyOrdering", "property_ordering"])
def test_the_order_of_properties_is_no_loss(name: str) -> None:
    own = {
        "type": "object",
        "properties": {"city": {"type": "string"}, "note": {"type": "string"}},
        "required": ["city", "note"],
        name: ["note", "city"],
    }
    given = google.request(
        google.user(google.text("?")),
        generationConfig={"responseMimeType": "application/json", "responseSchema": own},
    )
    made = google.from_gemini(given, ANTHROPIC)
    schema = of_anthropic(made.output)
    assert [*schema.items()] == [
        ("type", "object"),
        ("properties", {"note": {"type": "string"}, "city": {"type": "string"}}),
        ("required", ["city", "note"]),
        ("additionalProperties", False),
    ]
    assert [*schema["properties"]] == ["note", "city"]
    assert losses(made) == []
    assert again(given, GEMINI) == given


@pytest.mark.parametrize("order", [["note"], ["note", "note"], ["note", "town"], "note", [1, 2]])
def test_an_order_of_other_properties_is_kept(order: Any) -> None:
    own = {"type": "object", "properties": {"city": {}, "note": {}}, "propertyOrdering": order}
    given = google.request(
        google.user(google.text("?")),
        generationConfig={"responseMimeType": "application/json", "responseSchema": own},
    )
    assert of_chat(google.from_gemini(given, CHAT).output)["propertyOrdering"] == order
    assert again(given, GEMINI) == given


def test_json_without_a_schema() -> None:
    given = google.request(google.user(google.text("JSON?")), generationConfig={"responseMimeType": "application/json"})
    assert google.from_gemini(given, CHAT).output["response_format"] == {"type": "json_object"}
    back = google.to_gemini(chat.request(user("JSON?"), response_format={"type": "json_object"}), CHAT)
    assert back.output["generationConfig"]["responseMimeType"] == "application/json"


def test_plain_text_is_the_default_everywhere() -> None:
    given = google.request(google.user(google.text("?")), generationConfig={"responseMimeType": "text/plain"})
    made = google.from_gemini(given, CHAT)
    assert made.output.get("response_format", {"type": "text"}) == {"type": "text"}
    assert losses(made) == []


def test_an_enum_as_text_is_an_object_with_one_property() -> None:
    """A response that is one bare word, which no other sample is."""
    given = google.request(
        google.user(google.text("?")),
        generationConfig={
            "responseMimeType": "text/x.enum",
            "responseSchema": {"type": "STRING", "enum": ["C", "F"]},
        },
    )
    made = google.from_gemini(given, CHAT)
    assert (losses(made), made.state) == ([], {"wrapped_output": ["value"]})
    assert of_chat(made.output)["properties"] == {"value": {"type": "string", "enum": ["C", "F"]}}
    assert again(given, GEMINI) == given


def test_a_schema_survives_the_round() -> None:
    made = proxai_ir.convert(google.to_gemini(WANTED[CHAT], CHAT).output, GEMINI, CHAT, model="m", kind="request")
    assert made["response_format"]["json_schema"]["name"] == "city"
    assert {name: value for name, value in of_chat(made).items() if name != "title"} == SCHEMA
