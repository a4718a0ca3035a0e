"""Constraints of the output, searches and probabilities of tokens, as servers compatible with chat have them."""

from __future__ import annotations

import json
from typing import Any

import pytest

import proxai_ir
from proxai_ir import Exchange, ir

from .samples.openai_chat_completions import building as chat

Json = dict[str, Any]
CHAT, RESPONSES, GEMINI = "openai_chat_completions", "openai_responses", "gemini_generate_content"
SCHEMA: Json = {"type": "object", "properties": {"at": {"type": "integer"}}}
WORDS = ir.EnumFormat({"type": "string", "enum": ["yes", "no"]})
OF_SCHEMA = ir.SchemaFormat(SCHEMA, strict=True)
WEB = ir.WebSearchTool(CHAT)
GERMAN = ir.WebSearchTool(
    CHAT, ir.Location(country="DE"), allowed_domains=["example.org"], blocked_domains=["example.com"]
)
GERMAN_SOURCE = {
    "type": "web",
    "country": "DE",
    "allowed_websites": ["example.org"],
    "excluded_websites": ["example.com"],
}


def request(**members: Any) -> Json:
    return chat.request(chat.user("Hi"), **members)


def losses(payload: Json, target: str = GEMINI) -> list[tuple[str, str]]:
    found = proxai_ir.compile(payload, CHAT, target).diagnostics
    return [(one.rule, one.path) for one in found if one.severity == "loss"]


@pytest.mark.parametrize(
    ("members", "form"),
    [
        ({"guided_json": SCHEMA}, OF_SCHEMA),
        ({"guided_choice": ["yes", "no"]}, WORDS),
        ({"structured_outputs": {"json": SCHEMA}}, OF_SCHEMA),
        ({"structured_outputs": {"choice": ["yes", "no"]}}, WORDS),
    ],
)
def test_a_constraint_of_the_output(members: Json, form: Any) -> None:
    found: Any = proxai_ir.lower(request(**members), CHAT)
    assert found.output.format == form
    assert losses(request(**members)) == []


@pytest.mark.parametrize(
    ("members", "place"),
    [
        ({"guided_regex": "a+"}, "/guided_regex"),
        ({"guided_grammar": "root ::= a"}, "/guided_grammar"),
        ({"guided_json": "{}"}, "/guided_json"),
        ({"guided_choice": [1]}, "/guided_choice"),
        ({"structured_outputs": {"regex": "a+"}}, "/structured_outputs/regex"),
        ({"structured_outputs": {"json": SCHEMA, "whitespace_pattern": " "}}, "/structured_outputs/whitespace_pattern"),
        ({"guided_json": SCHEMA, "response_format": {"type": "json_object"}}, "/guided_json"),
    ],
)
def test_a_constraint_that_no_other_protocol_has(members: Json, place: str) -> None:
    assert ("OUT-15", place) in losses(request(**members))


def test_two_constraints_are_none() -> None:
    """Two constraints at once are named, as no document says which of them counts."""
    both = request(guided_json=SCHEMA, guided_choice=["yes"])
    assert losses(both) == [("OUT-15", "/guided_json"), ("OUT-15", "/guided_choice")]


@pytest.mark.parametrize(
    ("members", "tools"),
    [
        ({"enable_search": True}, [WEB]),
        ({"enable_search": False}, None),
        ({"search_parameters": {"sources": [{"type": "web"}]}}, [WEB]),
        ({"search_parameters": {"mode": "auto", "sources": [GERMAN_SOURCE]}}, [GERMAN]),
        ({"search_parameters": {"mode": "off"}}, None),
    ],
)
def test_a_search_of_the_web(members: Json, tools: Any) -> None:
    found: Any = proxai_ir.lower(request(**members), CHAT)
    assert found.tools == tools
    assert [rule for rule, _ in losses(request(**members), "anthropic_messages")] == []


@pytest.mark.parametrize(
    ("members", "place"),
    [
        ({"enable_search": True, "search_options": {"forced_search": True}}, "/search_options"),
        ({"search_parameters": {}}, "/search_parameters"),
        ({"search_parameters": {"mode": "on", "sources": [{"type": "web"}]}}, "/search_parameters"),
        ({"search_parameters": {"sources": [{"type": "web"}, {"type": "x"}]}}, "/search_parameters"),
        ({"search_parameters": {"sources": [{"type": "web"}], "max_search_results": 3}}, "/search_parameters"),
    ],
)
def test_a_search_that_no_other_protocol_has(members: Json, place: str) -> None:
    assert ("TUL-9", place) in losses(request(**members))


def test_a_choice_among_no_tools_but_a_search() -> None:
    made = proxai_ir.compile(request(enable_search=True, tool_choice="auto"), CHAT, RESPONSES)
    assert "tool_choice" not in made.output
    assert ("TUL-15", "/tool_choice") in [(one.rule, one.path) for one in made.diagnostics]


@pytest.mark.parametrize("model", [None, "qwen3-max", "gpt-5.1", "openai/gpt-oss-120b"])
@pytest.mark.parametrize(
    "members",
    [
        {"guided_choice": ["yes"]},
        {"structured_outputs": {"json": SCHEMA}},
        {"enable_search": True},
        {"search_parameters": {"sources": [GERMAN_SOURCE]}},
    ],
    ids=["words", "schema", "switch", "sources"],
)
def test_servers_of_the_protocol_get_them_as_they_are(members: Json, model: str | None) -> None:
    given = request(model="m", **members)
    sent = Exchange(CHAT, CHAT, model=model).request(given)
    assert proxai_ir.convert(given, CHAT, CHAT) == given
    for key, value in members.items():
        assert json.loads(sent.body)[key] == value


# --- probabilities ----------------------------------------------------------------------------------------------------

LISTS: Json = {"tokens": ["Hi", " there"], "token_logprobs": [-0.5, -1.0], "token_ids": [5, 6]}
SCORED = [ir.ScoredToken("Hi", -0.5, id=5), ir.ScoredToken(" there", -1.0, id=6)]


def scored(lists: Json) -> Json:
    made = chat.response(content="Hi there")
    made["choices"][0]["logprobs"] = lists
    return made


def test_tokens_in_lists() -> None:
    found: Any = proxai_ir.lower(scored(LISTS), CHAT, kind="response")
    assert found.candidates[0].logprobs == ir.LogProbs(SCORED)
    made = proxai_ir.compile(scored(LISTS), CHAT, GEMINI, kind="response")
    assert made.output["candidates"][0]["logprobsResult"]["chosenCandidates"] == [
        {"token": "Hi", "logProbability": -0.5, "tokenId": 5},
        {"token": " there", "logProbability": -1.0, "tokenId": 6},
    ]
    assert not [one for one in made.diagnostics if one.severity == "loss"]


def test_tokens_in_lists_of_a_stream() -> None:
    first = chat.chunk({"role": "assistant", "content": "Hi there"})
    first["choices"][0]["logprobs"] = LISTS
    made = proxai_ir.compile([first, chat.chunk({}, "stop"), "[DONE]"], CHAT, GEMINI, kind="stream")
    results = [one["candidates"][0].get("logprobsResult") for one in made.output]
    assert [token["token"] for one in results if one for token in one["chosenCandidates"]] == ["Hi", " there"]


@pytest.mark.parametrize(
    "lists",
    [
        {**LISTS, "tokens": ["Hi"]},
        {**LISTS, "token_logprobs": [None, -1.0]},
        {**LISTS, "token_logprobs": [True, -1.0]},
        {"tokens": 5, "token_logprobs": -0.5},
    ],
)
def test_lists_of_another_form_are_named(lists: Json) -> None:
    made = proxai_ir.compile(scored(lists), CHAT, GEMINI, kind="response")
    named = [one.path for one in made.diagnostics if one.severity == "loss"]
    assert {f"/choices/0/logprobs/{key}" for key in lists} <= {*named}
