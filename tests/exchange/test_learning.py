"""A provider that refuses a setting is asked once more without it, as it is for the model from then on (CAP-5)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxai_ir import Exchange, Profile
from proxai_ir.exchange.provider import LIFETIME, MOST, Learned
from proxai_ir.exchange.refused_settings import MEMBERS, PHRASES, shown
from proxai_ir.protocol.registry import backend, protocols

CHAT, RESPONSES = "openai_chat_completions", "openai_responses"
ANTHROPIC, GEMINI = "anthropic_messages", "gemini_generate_content"
CONVERSE = "bedrock_converse"
Json = Any

# (protocol, what its server says, the settings that the next request is without)
ERRORS: list[tuple[str, str, dict[str, Any]]] = [
    (CHAT, "Unsupported parameter: 'temperature' is not supported with this model.", {"sampling": False}),
    (
        CHAT,
        "Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) is supported.",
        {"sampling": False},
    ),
    (
        CHAT,
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        {"max_completion_tokens": True},
    ),
    (CHAT, "Unrecognized request argument supplied: reasoning_effort", {"thinking": False}),
    (RESPONSES, "Encrypted content is not supported with this model.", {"encrypted_reasoning": False}),
    (CHAT, "property 'store' is unsupported", {"openai_settings": False}),
    (RESPONSES, "tool type namespace not supported", {"openai_tools": False}),
    (RESPONSES, "Unsupported Responses tool type: 'custom'", {"openai_tools": False}),
    (RESPONSES, "'type' of tool must be 'function'", {"openai_tools": False}),
    (RESPONSES, "Unknown parameter: 'input[145].namespace'.", {"openai_tools": False}),
    (RESPONSES, "'msg': \"Input should be 'custom'\", 'input': 'namespace'", {"openai_tools": False}),
    (RESPONSES, "tools[55].type: unknown variant `namespace`, expected `function`", {"openai_tools": False}),
    (CHAT, "tools[0].type: unknown variant `custom`, expected `function`", {"custom_tools": False}),
    (CHAT, "Argument not supported on this model: stop", {"stop_sequences": False}),
    (
        CHAT,
        "Unsupported value: 'messages[0].role' does not support 'developer' with this model.",
        {"developer_role": False},
    ),
    (
        CHAT,
        "messages[0].role: unknown variant `developer`, expected one of `system`, `user`",
        {"developer_role": False},
    ),
    (CHAT, "This response_format type is unavailable now", {"json_schema": False}),
    (CHAT, "The `reasoning_content` in the thinking mode must be passed back to the API.", {"unreasoned_calls": False}),
    (CHAT, "System message must be at the beginning.", {"system_in_place": False}),
    (
        CHAT,
        "Function tools with reasoning_effort are not supported for gpt-5.6-luna in /v1/chat/completions.",
        {"tools_with_thinking": False},
    ),
    (
        RESPONSES,
        "Unsupported value: 'reasoning.effort' … 'minimal'. Supported values are: 'none', 'low', and 'high'.",
        {"xhigh_effort": False, "least_effort": "low", "highest_effort": "high", "thinking_off": True},
    ),
    (
        ANTHROPIC,
        "`temperature` and `top_p` cannot both be specified for this model. Please use only one.",
        {"temperature_with_top_p": False},
    ),
    (ANTHROPIC, "adaptive thinking is not supported on this model", {"adaptive_thinking": False}),
    (
        ANTHROPIC,
        "This model does not support effort level 'xhigh'. Supported levels: high, low, max, medium.",
        {"xhigh_effort": False},
    ),
    (ANTHROPIC, "role 'system' is not supported on this model", {"system_in_place": False}),
    (ANTHROPIC, "output_config.effort: Extra inputs are not permitted", {"effort": False}),
    (ANTHROPIC, "`top_k` is deprecated for this model.", {"sampling": False}),
    (
        ANTHROPIC,
        "Too many strict tools (25). The maximum number of strict tools supported is 20.",
        {"strict_tools": False},
    ),
    (ANTHROPIC, "output_config: Extra inputs are not permitted", {"effort": False, "structured_output": False}),
    (ANTHROPIC, "output_config.format: Extra inputs are not permitted", {"structured_output": False}),
    (ANTHROPIC, "The model returned the following errors: invalid beta flag", {"betas": False}),
    (
        ANTHROPIC,
        "Unexpected value(s) `prompt-caching-scope-2026-01-05` for the `anthropic-beta` header. Please consult our …",
        {"betas": False},
    ),
    (ANTHROPIC, "tools.0.custom.defer_loading: Extra inputs are not permitted", {"betas": False}),
    (ANTHROPIC, "context_management: Extra inputs are not permitted", {"betas": False}),
    (ANTHROPIC, "speed: Extra inputs are not permitted", {"fast_mode": False}),
    (ANTHROPIC, "The compiled grammar is too large, which would cause performance issues.", {"strict_tools": False}),
    (CONVERSE, "Schema is too complex for compilation. Simplify your tool schemas.", {"strict_tools": False}),
    (GEMINI, "Thinking level is not supported for this model.", {"effort": False}),
    (
        GEMINI,
        "Function calling with a response mime type: 'application/json' is unsupported",
        {"json_with_tools": False},
    ),
    (GEMINI, "Penalty is not enabled for models/gemini-2.5-pro", {"penalties": False}),
    (GEMINI, "Function call is missing a thought_signature in functionCall parts.", {"dummy_signatures": True}),
]


@pytest.mark.parametrize(("protocol", "message", "settings"), ERRORS, ids=[message[:60] for _, message, _ in ERRORS])
def test_an_error_names_a_setting(protocol: str, message: str, settings: dict[str, Any]) -> None:
    likeliest = next(shown(message, backend(protocol).target.settings))
    assert {name: value for one in likeliest for name, value in one.items()} == settings


@pytest.mark.parametrize(
    "message",
    [
        "",
        "Invalid API key",
        "Unsupported parameter: 'tools' is not supported with this model.",
        "Unsupported parameter: 'max_output_tokens' is not supported with this model.",
        "messages.0.content.0.image: Extra inputs are not permitted",
        "prompt is too long: 250000 tokens > 200000 maximum",
        "tools.0.custom.input_schema: JSON schema is invalid",
        "The image data you provided does not represent a valid image",
    ],
)
def test_content_tools_limits_and_other_errors_name_none(message: str) -> None:
    for protocol in (CHAT, RESPONSES, ANTHROPIC, GEMINI):
        assert list(shown(message, backend(protocol).target.settings)) == []


def test_every_setting_is_one_of_a_protocol() -> None:
    every = {name for protocol in protocols() for name in backend(protocol).target.settings}
    named = {name for _, *rows in MEMBERS for settings in rows for name in settings}
    named |= {name for phrase in PHRASES if not callable(phrase.settings) for name in phrase.settings}
    assert named <= every
    assert {"images", "documents", "function_tools", "hosted_tools", "token_limit"}.isdisjoint(named)


ASKED: Json = {
    "model": "corvid-1",
    "max_tokens": 64,
    "temperature": 0.5,
    "messages": [{"role": "user", "content": "Hi"}],
}
REFUSED = json.dumps(
    {"error": {"message": "Unsupported parameter: 'temperature' is not supported with this model.", "code": "x"}}
).encode()


def asked(learned: Learned | None, provider: str | Profile = CHAT) -> tuple[Exchange, Json]:
    exchange = Exchange(ANTHROPIC, provider, learned=learned)
    return exchange, json.loads(exchange.request(ASKED).body)


def test_it_is_asked_once_more_without_it() -> None:
    learned = Learned()
    exchange, sent = asked(learned)
    assert sent["temperature"] == 0.5
    again = exchange.retry(400, {}, REFUSED)
    assert again is not None
    assert json.loads(again.body) == {key: value for key, value in sent.items() if key != "temperature"}
    assert [(one.rule, one.path) for one in again.diagnostics if one.severity == "loss"] == [("SMP-3", "/temperature")]
    assert exchange.retry(400, {}, REFUSED) is None
    assert "temperature" not in asked(learned)[1]
    assert learned.models() == {("", CHAT, "corvid-1"): {"sampling": False}}


def test_each_of_several_requests_at_once_is_asked_once_more() -> None:
    """Send the second one again as well, though the first one has taught what to leave out meanwhile."""
    learned = Learned()
    exchanges = [asked(learned)[0] for _ in range(2)]
    first, second = (one.retry(400, {}, REFUSED) for one in exchanges)
    assert second is not None
    assert second == first
    other = Exchange(ANTHROPIC, CHAT, learned=learned)
    other.request({name: value for name, value in ASKED.items() if name != "temperature"})
    assert other.retry(400, {}, REFUSED) is None, "nothing of it has changed"


def test_what_was_learned_is_the_models_and_the_protocols() -> None:
    learned = Learned()
    asked(learned)[0].retry(400, {}, REFUSED)
    other = Exchange(ANTHROPIC, CHAT, model="corvid-2", learned=learned)
    assert json.loads(other.request(ASKED).body)["temperature"] == 0.5
    assert json.loads(Exchange(ANTHROPIC, RESPONSES, learned=learned).request(ASKED).body)["temperature"] == 0.5


@pytest.mark.parametrize("status", [401, 404, 429, 500])
def test_other_statuses_are_the_clients(status: int) -> None:
    assert asked(Learned())[0].retry(status, {}, REFUSED) is None


def test_it_is_off_without_a_place_to_keep_it() -> None:
    assert asked(None)[0].retry(400, {}, REFUSED) is None


@pytest.mark.parametrize("body", [b"", b"{", b"[1]", b"<html>", b'{"error": {"message": "No."}}'])
def test_an_error_that_names_nothing_is_the_clients(body: bytes) -> None:
    learned = Learned()
    exchange, _ = asked(learned)
    assert exchange.retry(400, {}, body) is None
    assert learned.models() == {}
    reply = exchange.response(400, {"content-type": "application/json"}, body)
    assert (reply.status, json.loads(reply.body)["type"]) == (400, "error")
    if b"No." in body:
        assert json.loads(reply.body)["error"]["message"] == "No."


def test_a_profile_of_the_callers_has_the_last_word() -> None:
    exchange, _ = asked(Learned(), Profile(CHAT, sampling=True))
    assert exchange.retry(400, {}, REFUSED) is None


@pytest.mark.parametrize(
    ("asked", "left"),
    [
        (["reasoning.encrypted_content"], {}),
        (
            ["reasoning.encrypted_content", "code_interpreter_call.outputs"],
            {"include": ["code_interpreter_call.outputs"]},
        ),
    ],
)
def test_a_relay_asks_for_no_encrypted_reasoning_where_there_is_none(asked: list[str], left: Json) -> None:
    server = Profile(RESPONSES, encrypted_reasoning=False)
    sent = Exchange(RESPONSES, server).request({"model": "m", "input": "Hi", "include": asked})
    assert json.loads(sent.body) == {"model": "m", "input": "Hi", **left}
    assert ("ENV-10", "/include") in [(one.code, one.path) for one in sent.diagnostics]


def test_nothing_is_given_up_between_a_protocol_and_itself() -> None:
    exchange = Exchange(CHAT, CHAT, learned=Learned())
    exchange.request({"model": "corvid-1", "temperature": 0.5, "messages": [{"role": "user", "content": "Hi"}]})
    assert exchange.retry(400, {}, REFUSED) is None


def test_it_is_forgotten_after_a_day() -> None:
    now = [0.0]
    learned = Learned(lambda: now[0])
    asked(learned)[0].retry(400, {}, REFUSED)
    now[0] = LIFETIME
    assert "temperature" not in asked(learned)[1]
    now[0] = LIFETIME + 1
    assert asked(learned)[1]["temperature"] == 0.5
    assert learned.models() == {}


def test_it_is_bounded() -> None:
    learned = Learned()
    for number in range(MOST + 10):
        learned.add(("", CHAT, f"m{number}"), {"sampling": False})
    assert len(learned.models()) == MOST
    assert learned.of(("", CHAT, "m0")) == {}
    assert learned.of(("", CHAT, f"m{MOST + 9}")) == {"sampling": False}
