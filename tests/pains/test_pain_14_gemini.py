"""Pain 14, of Gemini: structured output is dropped on the way, or loses the media type that it needs."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir

from ..servers import gemini_api
from .generate_content import GEMINI, Json, from_gemini, request, text, to_gemini
from .generate_content import user as asked
from .support import ANTHROPIC, CHAT, RESPONSES, again, anthropic, chat, losses, responses, user

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
    made = to_gemini(WANTED[src], src)
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
    given = request(asked(text("?")), generationConfig=config)
    made = from_gemini(given, dst)
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
    given = request(asked(text("?")), generationConfig={"responseMimeType": "application/json", "responseSchema": own})
    schema = of_chat(from_gemini(given, CHAT).output)
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
    given = request(asked(text("?")), generationConfig={"responseMimeType": "application/json", "responseSchema": own})
    made = from_gemini(given, ANTHROPIC)
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
    given = request(asked(text("?")), generationConfig={"responseMimeType": "application/json", "responseSchema": own})
    assert of_chat(from_gemini(given, CHAT).output)["propertyOrdering"] == order
    assert again(given, GEMINI) == given


def test_json_without_a_schema() -> None:
    given = request(asked(text("JSON?")), generationConfig={"responseMimeType": "application/json"})
    assert from_gemini(given, CHAT).output["response_format"] == {"type": "json_object"}
    back = to_gemini(chat.request(user("JSON?"), response_format={"type": "json_object"}), CHAT)
    assert back.output["generationConfig"]["responseMimeType"] == "application/json"


def test_plain_text_is_the_default_everywhere() -> None:
    given = request(asked(text("?")), generationConfig={"responseMimeType": "text/plain"})
    made = from_gemini(given, CHAT)
    assert made.output.get("response_format", {"type": "text"}) == {"type": "text"}
    assert losses(made) == []


def test_an_enum_as_text_is_named() -> None:
    """A response that is one bare word: nobody else has it."""
    given = request(
        asked(text("?")),
        generationConfig={
            "responseMimeType": "text/x.enum",
            "responseSchema": {"type": "STRING", "enum": ["C", "F"]},
        },
    )
    made = from_gemini(given, CHAT)
    assert [path for _, path in losses(made) if path.startswith("/generationConfig/response")] != []
    assert again(given, GEMINI) == given


def test_a_schema_survives_the_round() -> None:
    made = proxai_ir.convert(to_gemini(WANTED[CHAT], CHAT).output, GEMINI, CHAT, model="m", kind="request")
    assert made["response_format"]["json_schema"]["name"] == "city"
    assert {name: value for name, value in of_chat(made).items() if name != "title"} == SCHEMA
