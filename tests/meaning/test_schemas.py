"""What is enforced, and how much what is lost matters."""

from __future__ import annotations

from typing import Any

import pytest

from ..samples.anthropic_messages import building as anthropic
from ..samples.gemini_generate_content import building as gemini
from ..samples.openai_chat_completions import building as chat
from ..samples.openai_responses import building as responses
from .support import ANTHROPIC, CHAT, GEMINI, RESPONSES, Json, found, losses, made

CLOSED: Json = {
    "type": "object",
    "properties": {"a": {"type": "string"}},
    "required": ["a"],
    "additionalProperties": False,
}
OPEN = {key: value for key, value in CLOSED.items() if key != "additionalProperties"}
OPTIONAL = {**OPEN, "required": []}
HI: Json = {"role": "user", "content": "Hi"}
STRICT: dict[str, Json] = {
    CHAT: chat.request(HI, tools=[chat.tool("f", parameters=CLOSED, strict=True)]),
    RESPONSES: responses.request(
        {"type": "message", **HI}, tools=[responses.tool("f", parameters=CLOSED) | {"strict": True}]
    ),
    ANTHROPIC: anthropic.request(HI, tools=[anthropic.tool("f", input_schema=CLOSED, strict=True)]),
}


def mode(output: Json) -> Any:
    return output.get("toolConfig", {}).get("functionCallingConfig", {}).get("mode")


@pytest.mark.parametrize("src", STRICT)
def test_strict_tools_are_validated(src: str) -> None:
    conversion = made(STRICT[src], src, GEMINI, "request")
    assert (mode(conversion.output), losses(conversion)) == ("VALIDATED", [])


@pytest.mark.parametrize("choice, expected", [("auto", "VALIDATED"), ("required", "ANY"), ("none", "NONE")])
def test_a_choice_among_strict_tools(choice: str, expected: str) -> None:
    conversion = made({**STRICT[CHAT], "tool_choice": choice}, CHAT, GEMINI, "request")
    assert (mode(conversion.output), losses(conversion)) == (expected, [])


def test_if_some_tools_are_strict_all_are_validated() -> None:
    tools = [chat.tool("f", parameters=CLOSED, strict=True), chat.tool("g", parameters=CLOSED)]
    conversion = made(chat.request(HI, tools=tools), CHAT, GEMINI, "request")
    assert (mode(conversion.output), losses(conversion)) == ("VALIDATED", [])
    assert ("SCH-14", "/tools/1") in found(conversion, "info")


def validated(schema: Json) -> Json:
    function = {"name": "f", "parametersJsonSchema": schema}
    config = {"functionCallingConfig": {"mode": "VALIDATED"}}
    return gemini.request(gemini.user("Hi"), tools=gemini.tools(function), toolConfig=config)


def strictness(output: Json) -> Any:
    tool = output["tools"][0]
    return tool.get("function", tool).get("strict")


@pytest.mark.parametrize("schema", [CLOSED, OPEN], ids=["closed", "open"])
@pytest.mark.parametrize("dst", [CHAT, RESPONSES, ANTHROPIC])
def test_validated_tools_are_strict(dst: str, schema: Json) -> None:
    conversion = made(validated(schema), GEMINI, dst, "request")
    assert (strictness(conversion.output), losses(conversion)) == (True, [])


@pytest.mark.parametrize("dst", [CHAT, RESPONSES])
def test_what_cannot_be_strict_stays_a_loss(dst: str) -> None:
    conversion = made(validated(OPTIONAL), GEMINI, dst, "request")
    assert (strictness(conversion.output) or False, len(losses(conversion))) == (False, 1)


@pytest.mark.parametrize("dst", [CHAT, RESPONSES])
def test_an_open_output_is_closed_before_it_is_given_up(dst: str) -> None:
    config = {"responseMimeType": "application/json", "responseJsonSchema": OPEN}
    conversion = made(gemini.request(gemini.user("Hi"), generationConfig=config), GEMINI, dst, "request")
    output = conversion.output
    wanted = output["response_format"]["json_schema"] if dst == CHAT else output["text"]["format"]
    assert (wanted["strict"], wanted["schema"], losses(conversion)) == (True, CLOSED, [])
    assert "SCH-6" in [rule for rule, _ in found(conversion, "info")]


IGNORED: dict[str, Json] = {
    "pattern": {"type": "string", "pattern": "^a"},
    "minLength": {"type": "string", "minLength": 1},
    "allOf": {"allOf": [{"type": "string", "title": "A"}, {"type": "string", "title": "B"}]},
    "uniqueItems": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
    "multipleOf": {"type": "integer", "multipleOf": 2},
    "exclusiveMinimum": {"type": "number", "exclusiveMinimum": 1},
    "not": {"not": {"type": "string"}},
    "patternProperties": {"type": "object", "patternProperties": {"^x": {}}},
}


@pytest.mark.parametrize("place", ["tool", "output"])
@pytest.mark.parametrize("keyword", IGNORED)
def test_a_keyword_that_gemini_ignores_is_named(keyword: str, place: str) -> None:
    schema = {**CLOSED, "properties": {"a": IGNORED[keyword]}}
    wanted = {"type": "json_schema", "json_schema": {"name": "o", "schema": schema}}
    settings: Json = {"tools": [chat.tool("f", parameters=schema)]} if place == "tool" else {"response_format": wanted}
    conversion = made(chat.request(HI, **settings), CHAT, GEMINI, "request")
    top = "/tools/0/function/parameters" if place == "tool" else "/response_format/json_schema/schema"
    assert ("SCH-7", f"{top}/properties/a/{keyword}") in losses(conversion)


@pytest.mark.parametrize("dst", [CHAT, RESPONSES, ANTHROPIC])
def test_one_word_of_several_is_a_schema(dst: str) -> None:
    config = {"responseMimeType": "text/x.enum", "responseSchema": {"type": "STRING", "enum": ["a", "b"]}}
    conversion = made(gemini.request(gemini.user("Hi"), generationConfig=config), GEMINI, dst, "request")
    assert losses(conversion) == []
    assert "['a', 'b']" in str(conversion.output)
    answer = {
        CHAT: chat.response(content='{"value": "b"}'),
        RESPONSES: responses.response(responses.message(responses.output_text('{"value": "b"}'))),
        ANTHROPIC: anthropic.response({"type": "text", "text": '{"value": "b"}'}),
    }[dst]
    back = made(answer, dst, GEMINI, state=conversion.state).output
    assert back["candidates"][0]["content"]["parts"] == [{"text": "b"}]


# --- how much it matters ----------------------------------------------------------------------------------------------


def test_seed_and_stop_are_rules_of_their_own() -> None:
    conversion = made(chat.request(HI, seed=1, stop=["x"]), CHAT, RESPONSES, "request")
    rules = {path: rule for one in ("loss", "info") for rule, path in found(conversion, one)}
    assert rules["/seed"] != rules["/stop"]


@pytest.mark.parametrize(
    "dst, settings", [(ANTHROPIC, {"user": "u", "safety_identifier": "s"}), (GEMINI, {"user": "u"})]
)
def test_a_users_id_is_bookkeeping(dst: str, settings: Json) -> None:
    conversion = made(chat.request(HI, **settings), CHAT, dst, "request")
    assert (losses(conversion), ("USR-2", "/user") in found(conversion, "info")) == ([], True)


@pytest.mark.parametrize("threshold", ["BLOCK_NONE", "OFF"])
@pytest.mark.parametrize("dst", [CHAT, RESPONSES, ANTHROPIC])
def test_filters_that_are_off_are_no_loss(dst: str, threshold: str) -> None:
    settings = [{"category": "HARM_CATEGORY_HARASSMENT", "threshold": threshold}]
    assert losses(made(gemini.request(gemini.user("Hi"), safetySettings=settings), GEMINI, dst, "request")) == []


@pytest.mark.parametrize("dst", [CHAT, RESPONSES, ANTHROPIC])
def test_filters_that_are_on_are_a_loss(dst: str) -> None:
    settings = [{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_LOW_AND_ABOVE"}]
    conversion = made(gemini.request(gemini.user("Hi"), safetySettings=settings), GEMINI, dst, "request")
    assert losses(conversion) == [("MOD-1", "/safetySettings")]


@pytest.mark.parametrize("dst", [CHAT, RESPONSES, ANTHROPIC])
def test_an_average_that_nobody_asked_for_is_no_loss(dst: str) -> None:
    assert losses(made(gemini.response("Hi", avgLogprobs=-0.5), GEMINI, dst)) == []


@pytest.mark.parametrize("dst", [CHAT, RESPONSES])
def test_what_a_tool_says_of_its_error_is_all_sent(dst: str) -> None:
    result = gemini.user(gemini.result("f", {"error": "bad"}))
    tools = gemini.tools(gemini.function("f"))
    request = gemini.request(gemini.user("Hi"), gemini.model(gemini.call("f")), result, tools=tools)
    assert losses(made(request, GEMINI, dst, "request")) == []


@pytest.mark.parametrize("dst", [CHAT, ANTHROPIC, GEMINI])
def test_a_search_for_tools_by_the_provider_is_no_loss(dst: str) -> None:
    tool = responses.tool("look")
    search = {"type": "tool_search_call", "id": "s", "execution": "server", "arguments": {}, "status": "completed"}
    output = {"type": "tool_search_output", "id": "o", "execution": "server", "status": "completed", "tools": [tool]}
    items = ({"type": "message", **HI}, search, output, responses.call("look"), responses.result("ok"))
    request = responses.request(*items, tools=[{"type": "tool_search"}, {**tool, "defer_loading": True}])
    assert [one for one in losses(made(request, RESPONSES, dst, "request")) if one[0] == "TUL-6"] == []
