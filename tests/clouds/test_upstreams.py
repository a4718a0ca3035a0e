"""Clouds as upstreams of the gateway: their routes and keys, counts, and what is wrong with a statement of one."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

import proxai_ir
from proxai_ir.exchange import Exchange
from proxai_ir.serve.config import ConfigError, from_mapping

from ..clients.provider import ANTHROPIC, CHAT, GEMINI, RESPONSES, TEXT, reply
from .mock import TOKEN, Bedrock, Sent, sent
from .support import ASKED, BEDROCK, HELLO, gateway, text_of

Json = Any

UPSTREAMS: dict[str, tuple[str, Json, str, str]] = {
    "azure": (CHAT, {"name": "azure", "resource": "r"}, "AZURE_OPENAI_API_KEY", "/openai/v1/chat/completions"),
    "azure, Responses": (RESPONSES, {"name": "azure", "resource": "r"}, "AZURE_OPENAI_API_KEY", "/openai/v1/responses"),
    "azure, deployments": (
        CHAT,
        {"name": "azure_deployments", "resource": "r", "api_version": "2024-10-21"},
        "AZURE_OPENAI_AD_TOKEN",
        "/openai/deployments/M/chat/completions",
    ),
    "bedrock, Responses": (
        RESPONSES,
        {"name": "bedrock", "region": "r-1"},
        "AWS_BEARER_TOKEN_BEDROCK",
        "/openai/v1/responses",
    ),
    "vertex, Gemini": (
        GEMINI,
        "vertex_express",
        "GOOGLE_API_KEY",
        "/v1beta1/publishers/google/models/M:generateContent",
    ),
    "mistral": (CHAT, "mistral", "MISTRAL_API_KEY", "/v1/chat/completions"),
    "openrouter": (CHAT, "openrouter", "OPENROUTER_API_KEY", "/api/v1/chat/completions"),
    "foundry": (ANTHROPIC, {"name": "azure", "resource": "r"}, "ANTHROPIC_FOUNDRY_API_KEY", "/anthropic/v1/messages"),
}


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("name", UPSTREAMS)
def test_each_cloud_behind_the_gateway(name: str, streamed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    protocol, cloud, variable, route = UPSTREAMS[name]
    monkeypatch.setenv(variable, TOKEN)
    found: list[Sent] = []

    def respond(request: httpx.Request) -> Any:
        found.append(sent(request))
        if TOKEN not in "".join(request.headers.values()):
            return 401, {}, [b"{}"]
        made = reply(protocol, "text", streamed)
        return made.status, {"content-type": made.type}, made.chunks

    client = ANTHROPIC if protocol == CHAT else CHAT
    path, body = ASKED[client]
    with gateway({"protocol": protocol, "cloud": cloud}, respond) as ask:
        came = ask(path, {**body, **({"stream": True} if streamed else {})})
    assert came.status_code == 200, came.text
    assert text_of(client, came, streamed) == TEXT
    assert found[0].path == route.replace("generate", "streamGenerate" if streamed else "generate")


def test_the_filters_of_azure_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", TOKEN)
    made = json.loads(b"".join(reply(CHAT, "text", False).chunks))
    made["prompt_filter_results"] = [{"prompt_index": 0, "content_filter_results": {"hate": {"filtered": False}}}]
    made["choices"][0]["content_filter_results"] = {"hate": {"filtered": False, "severity": "safe"}}
    with gateway(
        {"protocol": CHAT, "cloud": {"name": "azure", "resource": "r"}},
        lambda _: (200, {"content-type": "application/json"}, [json.dumps(made).encode()]),
    ) as ask:
        came = ask(*ASKED[CHAT])
    assert came.json() == {**made, "model": "M"}


def test_counts_without_betas(monkeypatch: pytest.MonkeyPatch) -> None:
    """`BerriAI/litellm#39597`: Unexpected value(s) `tool-search-tool-2025-10-19` for the `anthropic-beta` header."""
    found: list[Sent] = []

    def respond(request: httpx.Request) -> Any:
        found.append(sent(request))
        return 200, {"content-type": "application/json"}, [b'{"input_tokens": 7}']

    monkeypatch.setenv("T", TOKEN)
    tool = {"name": "f", "input_schema": {"type": "object"}}
    claude = {"model": "claude-sonnet-4-6", "messages": HELLO, "tools": [{**tool, "defer_loading": True}]}
    betas = {"anthropic-beta": "tool-search-tool-2025-10-19,context-management-2025-06-27"}
    on = {"name": "vertex", "project": "p", "region": "global"}
    with gateway({"protocol": ANTHROPIC, "cloud": on, "key_env": "T"}, respond) as ask:
        asked = {**claude, "context_management": {"edits": []}}
        assert ask("/v1/messages/count_tokens", asked, betas).json() == {"input_tokens": 7}
    assert "anthropic-beta" not in found[0].headers
    assert found[0].body == {**claude, "tools": [tool], "anthropic_version": "vertex-2023-10-16"}


def test_counts_name_no_version_where_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[Sent] = []

    def respond(request: httpx.Request) -> Any:
        found.append(sent(request))
        return 200, {"content-type": "application/json"}, [b'{"input_tokens": 7}']

    monkeypatch.setenv("T", TOKEN)
    on = {"name": "vertex", "project": "p", "region": "global"}
    with gateway({"protocol": ANTHROPIC, "cloud": on, "key_env": "T"}, respond) as ask:
        ask("/v1/messages/count_tokens", {"model": "claude-opus-4-6@default", "messages": HELLO})
    assert found[0].body["model"] == "claude-opus-4-6"


def test_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[Sent] = []

    def respond(request: httpx.Request) -> Any:
        found.append(sent(request))
        return 200, {"content-type": "application/json"}, [b'{"input_tokens": 7, "totalTokens": 8}']

    monkeypatch.setenv("T", TOKEN)
    on = {"name": "vertex", "project": "p", "region": "global"}
    claude = {"model": "claude-sonnet-4@20250514", "messages": HELLO}
    with gateway({"protocol": ANTHROPIC, "cloud": on, "key_env": "T"}, respond) as ask:
        assert ask("/v1/messages/count_tokens", claude).json() == {"input_tokens": 7}
    assert found[0].path == "/v1/projects/p/locations/global/publishers/anthropic/models/count-tokens:rawPredict"
    assert found[0].body == {**claude, "anthropic_version": "vertex-2023-10-16"}
    with gateway({"protocol": GEMINI, "cloud": on, "key_env": "T"}, respond) as ask:
        assert ask("/v1/messages/count_tokens", {**claude, "model": "gemini-3-pro"}).json() == {"input_tokens": 8}
    assert found[1].path.endswith("/models/gemini-3-pro:countTokens")
    assert found[1].body == {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]} | {
        name: one for name, one in found[1].body.items() if name == "generationConfig"
    }
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", TOKEN)
    with gateway(BEDROCK, respond) as ask:
        came = ask("/v1/messages/count_tokens", claude)
    assert came.headers["x-proxai-estimated"] == "true"
    assert len(found) == 2


WRONG: dict[str, tuple[Json, str]] = {
    "an unknown cloud": (
        {"cloud": "bedrok"},
        "there is no cloud 'bedrok' that serves anthropic_messages; expected azure, bedrock",
    ),
    "no region": (
        {"cloud": "bedrock"},
        (
            'needs \'region\': state it, as { name = "bedrock", region = "…" }, or set the variable AWS_REGION or'
            " AWS_DEFAULT_REGION"
        ),
    ),
    "an unknown value": (
        {"cloud": {"name": "bedrock", "zone": "x"}},
        "has no 'zone'; expected name, auth, region, profile",
    ),
    "another host in a region": ({"cloud": {"name": "bedrock", "region": "x.evil.example/"}}, "can stand in a URL"),
    "dots": ({"cloud": {"name": "vertex", "region": "r", "project": ".."}}, "can stand in a URL"),
    "an unknown way": ({"cloud": {"name": "bedrock", "region": "r", "auth": "key"}}, "expected bearer or sigv4"),
    "no credentials": ({"cloud": {"name": "bedrock", "region": "r"}}, "cannot be signed: there are no AWS credentials"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_reported_at_the_start(name: str) -> None:
    pytest.importorskip("botocore")
    stated, why = WRONG[name]
    with pytest.raises(ConfigError) as error:
        from_mapping({"upstreams": {"u": {"protocol": ANTHROPIC, **stated}}})
    assert str(error.value).startswith("upstreams.u.cloud: ")
    assert why in str(error.value)
    with pytest.raises(ValueError) as raised:
        proxai_ir.httpx.client(ANTHROPIC, **stated)
    assert why in str(raised.value)


def test_models_of_others_at_mistral_are_asked_as_mistral_takes_it() -> None:
    """Also those whose names nothing is known of."""
    exchange = Exchange(RESPONSES, CHAT, model="our-own", key=TOKEN, cloud="mistral")
    made = exchange.request({"model": "m", "input": "hi", "stream": True, "user": "u", "service_tier": "flex"})
    assert json.loads(made.body) == {"model": "our-own", "messages": HELLO, "stream": True}
    assert [one.rule for one in made.diagnostics] == ["USR-2", "SVC-1", "STR-13"]


def test_a_key_goes_to_the_server_that_it_is_meant_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", TOKEN)
    found: list[Sent] = []

    def respond(request: httpx.Request) -> Any:
        found.append(sent(request))
        made = reply(CHAT, "text", False)
        return made.status, {"content-type": made.type}, made.chunks

    upstream = {"protocol": CHAT, "cloud": "azure", "base_url": "http://127.0.0.1:9/mine"}
    with gateway(upstream, respond) as ask:
        assert ask(*ASKED[CHAT]).status_code == 200
    assert found[0].path == "/mine/openai/v1/chat/completions"
    assert TOKEN not in str(found[0].headers)


@pytest.mark.parametrize("model", ["", ".", "..", "../x", "a/../b", ";a"])
def test_a_model_reaches_no_other_part_of_the_url(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", TOKEN)
    cloud = Bedrock()
    with gateway(BEDROCK, cloud.respond) as ask:
        came = ask("/v1/messages", {**ASKED[ANTHROPIC][1], "model": model})
    assert came.status_code in (400, 404)
    assert cloud.seen == []
