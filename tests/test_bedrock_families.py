"""What Converse makes of requests for single families: whole outputs, by hand."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir
from proxai_ir.profiles import for_model
from proxai_ir.schemas.inlined import MOST_REPEATED, inlined, is_plain

CHAT, MESSAGES, BEDROCK = "openai_chat_completions", "anthropic_messages", "bedrock_converse"
LLAMA, CLAUDE, NOVA = (
    "us.meta.llama4-maverick-17b-instruct-v1:0",
    "us.anthropic.claude-sonnet-4-6",
    "amazon.nova-pro-v1:0",
)
Json = Any

# --- schemas ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("schema", "made", "rules"),
    [
        ({"type": "object", "properties": {"a": {"$ref": "#/x"}}}, {"a": {}}, ["SCH-12"]),
        ({"type": "object", "properties": {"a": {"$ref": "#"}}}, {"a": {}}, ["SCH-12"]),
        (
            {
                "properties": {"a": {"$ref": "#/$defs/A", "title": "B"}},
                "$defs": {"A": {"type": "string", "title": "A"}},
            },
            {"a": {"type": "string", "title": "B"}},
            [],
        ),
        (
            {
                "properties": {"a": {"$ref": "#/definitions/A"}},
                "definitions": {"A": {"$ref": "#/definitions/B"}, "B": {}},
            },
            {"a": {}},
            [],
        ),
        (
            {"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"items": [{"$ref": "#/$defs/A"}, 1]}}},
            {"a": {"items": [{}, 1]}},
            ["SCH-12"],
        ),
        ({"properties": {"$ref": {"type": "string"}}}, {"$ref": {"type": "string"}}, []),
        ({"properties": {}, "additionalProperties": False, "title": "T", "$schema": "s", "$id": "i"}, {}, []),
        ({"properties": {}, "description": "D", "patternProperties": {}}, {}, ["SCH-7", "SCH-7"]),
    ],
)
def test_a_schema_with_few_keywords_at_its_top(schema: Json, made: Json, rules: list[str]) -> None:
    before = repr(schema)
    found, misfits = inlined(schema)
    assert found["properties"] == made
    assert [rule for rule, _ in misfits] == rules
    assert is_plain(found)
    assert repr(schema) == before


def test_schemas_in_another_spelling_get_few_keywords() -> None:
    """Objects of a payload in snake_case are of a class of their own while they are read."""
    properties = {"a": {"type": "STRING", "max_length": "5"}}
    parameters = {"type": "OBJECT", "properties": properties, "additional_properties": False}
    payload = {
        "contents": [{"role": "user", "parts": [{"text": "Hi"}]}],
        "tools": [{"function_declarations": [{"name": "f", "parameters": parameters}]}],
    }
    sent = proxai_ir.convert(payload, "gemini_generate_content", for_model(BEDROCK, NOVA), model=NOVA)
    expected = {"type": "object", "properties": {"a": {"type": "string", "maxLength": 5}}}
    assert sent["toolConfig"]["tools"][0]["toolSpec"]["inputSchema"]["json"] == expected


@pytest.mark.parametrize(
    ("schema", "lost"),
    [
        ({"day": {"type": "string"}}, "day"),
        ({"type": ["object", "null"], "patternProperties": {"^a": {}}}, "patternProperties"),
        ({"allOf": [{"properties": {"a": {}}}], "patternProperties": {"^a": {}}}, "patternProperties"),
    ],
)
def test_what_is_lost_of_a_schema_that_was_completed_has_its_place(schema: Json, lost: str) -> None:
    payload = {
        "model": "m",
        "messages": [{"role": "user", "content": "Hi"}],
        "tools": [{"type": "function", "function": {"name": "f", "parameters": schema}}],
    }
    made = proxai_ir.compile(payload, "openai_chat_completions", for_model(BEDROCK, NOVA))
    found = [one.path for one in made.diagnostics if one.rule == "SCH-7"]
    assert found == [f"/tools/0/function/parameters/{lost}"]


def test_references_that_repeat_too_much_end() -> None:
    pair = [{"$ref": f"#/$defs/{number}"} for number in range(1, 31)]
    defs = {str(number): {"anyOf": [one, one]} for number, one in enumerate(pair[1:], 1)}
    found, misfits = inlined({"properties": {"a": pair[0]}, "$defs": {**defs, "30": {"type": "string"}}})
    assert len(misfits) > 10
    assert len(repr(found)) < 100 * MOST_REPEATED


# --- conversations ----------------------------------------------------------------------------------------------------

CALL = {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": {}}]}
RESULT = {"type": "tool_result", "tool_use_id": "t1", "content": "4"}
TOOLS = [{"name": "f", "input_schema": {"type": "object", "properties": {}}}]
TEXT_FILE = {"type": "document", "title": "d", "source": {"type": "text", "media_type": "text/plain", "data": "06:12"}}
PDF_FILE = {
    "type": "document",
    "title": "d",
    "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERg=="},
}
MARK = {"cache_control": {"type": "ephemeral"}}
POINT = {"cachePoint": {"type": "default"}}


def messages(model: str, *last: Json) -> list[Json]:
    asked = {
        "model": "m",
        "max_tokens": 64,
        "tools": TOOLS,
        "messages": [{"role": "user", "content": "Go"}, CALL, {"role": "user", "content": [*last]}],
    }
    made: list[Json] = proxai_ir.convert(asked, MESSAGES, for_model(BEDROCK, model), kind="request")["messages"]
    return made


def kinds(found: list[Json]) -> list[list[str]]:
    return [[next(iter(block)) for block in message["content"]] for message in found[2:]]


SPLIT = "text"
"""What the assistant says between."""


@pytest.mark.parametrize(
    ("model", "last", "expected"),
    [
        (LLAMA, [RESULT], [["toolResult"]]),
        (LLAMA, [RESULT, {"type": "text", "text": "So?"}], [["toolResult"], [SPLIT], ["text"]]),
        (CLAUDE, [RESULT, {"type": "text", "text": "So?"}], [["toolResult", "text"]]),
        (CLAUDE, [RESULT, {"type": "text", "text": "So?"}, TEXT_FILE], [["toolResult"], [SPLIT], ["text", "document"]]),
        (CLAUDE, [RESULT, PDF_FILE], [["toolResult"], [SPLIT], ["document", "text"]]),
        (NOVA, [RESULT, TEXT_FILE], [["toolResult", "document", "text"]]),
    ],
)
def test_what_stands_beside_results(model: str, last: Json, expected: list[list[str]]) -> None:
    assert kinds(messages(model, *last)) == expected


@pytest.mark.parametrize(
    ("model", "file", "inside", "expected"),
    [
        (CLAUDE, PDF_FILE, ["document"], [["toolResult"]]),
        (NOVA, TEXT_FILE, ["document"], [["toolResult"]]),
        (NOVA, PDF_FILE, ["text"], [["toolResult", "document", "text"]]),
        ("mistral.mistral-large-3-675b-instruct", PDF_FILE, ["document"], [["toolResult"]]),
        ("moonshotai.kimi-k2.5", TEXT_FILE, ["text"], [["toolResult"], [SPLIT], ["document", "text"]]),
    ],
)
def test_which_files_results_hold(model: str, file: Json, inside: list[str], expected: list[list[str]]) -> None:
    found = messages(model, {**RESULT, "content": [file]})
    results = found[2]["content"][0]["toolResult"]["content"]
    assert [next(iter(block)) for block in results] == inside
    assert kinds(found) == expected


@pytest.mark.parametrize(
    ("model", "blocks", "expected"),
    [
        (CLAUDE, [{"type": "text", "text": "Read"}, {**TEXT_FILE, **MARK}], ["text", "cachePoint", "document"]),
        (CLAUDE, [{"type": "text", "text": "Read"}, {**PDF_FILE, **MARK}], ["text", "document", "cachePoint"]),
        (
            CLAUDE,
            [{"type": "text", "text": "Read"}, {**TEXT_FILE, **MARK, "citations": {"enabled": True}}],
            ["text", "document", "cachePoint"],
        ),
        (NOVA, [{"type": "text", "text": "Read"}, {**PDF_FILE, **MARK}], ["text", "cachePoint", "document"]),
        (CLAUDE, [{**TEXT_FILE, **MARK}, {"type": "text", "text": "Read"}], ["document", "text"]),
        (
            CLAUDE,
            [{"type": "text", "text": "Read", **MARK}, {**TEXT_FILE, **MARK}],
            ["text", "cachePoint", "document"],
        ),
    ],
)
def test_a_cache_point_behind_a_document(model: str, blocks: Json, expected: list[str]) -> None:
    asked = {"model": "m", "max_tokens": 64, "messages": [{"role": "user", "content": blocks}]}
    made = proxai_ir.convert(asked, MESSAGES, for_model(BEDROCK, model), kind="request")
    assert [next(iter(block)) for block in made["messages"][0]["content"]] == expected


@pytest.mark.parametrize(("model", "blocks"), [(CLAUDE, ["toolResult", "cachePoint"]), (NOVA, ["toolResult"])])
def test_a_cache_point_in_a_result(model: str, blocks: list[str]) -> None:
    """That of the last part moves behind the result, which not all families take (CAC-4)."""
    result = {**RESULT, "content": [{"type": "text", "text": "5", **MARK}]}
    history = [
        {"role": "user", "content": "Read"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": RESULT["tool_use_id"], "name": "f", "input": {}}]},
        {"role": "user", "content": [result]},
    ]
    tools = [{"name": "f", "input_schema": {"type": "object"}}]
    asked = {"model": "m", "max_tokens": 64, "messages": history, "tools": tools}
    made = proxai_ir.compile(asked, MESSAGES, for_model(BEDROCK, model), kind="request")
    assert [next(iter(block)) for block in made.output["messages"][-1]["content"]] == blocks
    assert ("CAC-4" in made.rules) is (model == NOVA)


@pytest.mark.parametrize(
    ("added", "effort", "mode"),
    [
        ({"reasoning": {"effort": "low"}}, "low", None),
        ({"reasoning_config": "high"}, "high", None),
        ({"reasoning_effort": "none"}, None, "disabled"),
        ({"reasoning": {"effort": "none"}}, None, "disabled"),
    ],
)
def test_the_efforts_of_families_are_read(added: Json, effort: str | None, mode: str | None) -> None:
    asked = {"messages": [{"role": "user", "content": [{"text": "Hi"}]}], "additionalModelRequestFields": added}
    made = proxai_ir.convert(asked, BEDROCK, MESSAGES, kind="request", model="m", max_tokens=9)
    assert made.get("output_config", {}).get("effort") == effort
    assert (made.get("thinking") or {}).get("type") == (mode or "adaptive")


SCHEMA: Json = {
    "type": "object",
    "properties": {"a": {"type": "string"}},
    "required": ["a"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("dst", "get"),
    [
        (CHAT, lambda made: made["response_format"]["json_schema"]["schema"]),
        ("openai_responses", lambda made: made["text"]["format"]["schema"]),
        (MESSAGES, lambda made: made["output_config"]["format"]["schema"]),
        ("gemini_generate_content", lambda made: made["generationConfig"]["responseJsonSchema"]),
        ("gemini_interactions", lambda made: made["response_format"]["schema"]),
        ("cohere_v2_chat", lambda made: made["response_format"]["json_schema"]),
        ("ollama_chat", lambda made: made["format"]),
    ],
)
def test_members_of_anthropic_are_read_for_every_target(dst: str, get: Any) -> None:
    """The AI SDK states a schema for the output so, in Converse for Claude."""
    added = {"output_config": {"format": {"type": "json_schema", "schema": SCHEMA}, "effort": "high"}}
    asked = {"messages": [{"role": "user", "content": [{"text": "Hi"}]}], "additionalModelRequestFields": added}
    made = proxai_ir.compile(asked, BEDROCK, dst, kind="request", model="m")
    assert get(made.output)["properties"] == {"a": {"type": "string"}}
    assert [one.rule for one in made.diagnostics if one.rule in ("SMP-80", "OUT-1")] == []


# --- citations --------------------------------------------------------------------------------------------------------

PLACES: list[Json] = [{"web": {"url": "https://x"}}, {"documentChar": {"documentIndex": 0, "start": 0, "end": 2}}]


@pytest.mark.parametrize("place", PLACES, ids=[next(iter(one)) for one in PLACES])
def test_a_client_of_converse_has_its_citations_dropped_for_a_model_that_refuses_them(place: Json) -> None:
    """They are in its history if another model, or another provider, has answered before."""
    cited = {"citationsContent": {"content": [{"text": "Hi."}], "citations": [{"title": "X", "location": place}]}}
    said = [("user", {"text": "Hi"}), ("assistant", cited), ("user", {"text": "On."})]
    asked = {"messages": [{"role": role, "content": [one]} for role, one in said]}
    other = proxai_ir.compile(asked, BEDROCK, for_model(BEDROCK, LLAMA), kind="request")
    assert other.output["messages"][1]["content"] == [{"text": "Hi."}]
    assert [(one.rule, one.path) for one in other.diagnostics if one.severity == "loss"] == [
        ("CIT-1", "/messages/1/content/0/citationsContent/citations/0")
    ]
    assert proxai_ir.convert(asked, BEDROCK, for_model(BEDROCK, CLAUDE), kind="request") == asked
