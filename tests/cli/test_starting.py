"""What a gateway says at its start: what to paste, the page, the models, and what decides what an upstream is sent."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("pydantic", reason='the gateway needs the extra "serve"')
pytest.importorskip("uvicorn", reason='the gateway needs the extra "serve"')

import typer
from typer.testing import CliRunner

from proxai_ir.cli import serve
from proxai_ir.cli.app import app
from proxai_ir.cli.starting import lines
from proxai_ir.launch.clients import CLIENTS, SDKS
from proxai_ir.serve import server
from proxai_ir.serve.config import Config, from_mapping
from proxai_ir.serve.server import Started

URL = "http://127.0.0.1:4000"
AWS = f"AWS_ENDPOINT_URL_BEDROCK_RUNTIME={URL}"
UPSTREAMS = {
    "one": {"protocol": "gemini_generate_content", "base_url": "https://generativelanguage.googleapis.com"},
    "two": {"profile": "vllm", "base_url": "http://127.0.0.1:8000/v1"},
    "three": {"protocol": "anthropic_messages", "profile": "protocol", "base_url": "http://127.0.0.1:1"},
}
ONE = "one at https://generativelanguage.googleapis.com is sent gemini_generate_content"
TWO = "two at http://127.0.0.1:8000/v1 is sent openai_chat_completions"
THREE = "three at http://127.0.0.1:1 is sent anthropic_messages"


@pytest.fixture(autouse=True)
def _no_variables_of_clients(monkeypatch: pytest.MonkeyPatch) -> None:
    for client in (*CLIENTS, *SDKS):
        for name in client.without:
            monkeypatch.delenv(name, raising=False)


def said(begun: Started, *routes: Any, **tables: Any) -> list[str]:
    return [*lines(from_mapping({"upstreams": UPSTREAMS, "routes": routes, **tables}), begun)]


def test_without_client_keys() -> None:
    begun = Started(URL, "t", f"{URL}/ui?token=t", keyless=True)
    route = {"models": ["*"], "upstream": "one", "model": "gemini-3-pro", "fallbacks": ["two"]}
    *found, last = said(begun, route)
    assert found == [
        f"serving at {URL}",
        "anthropic, claude:",
        f"  export ANTHROPIC_BASE_URL={URL} ANTHROPIC_AUTH_TOKEN=any",
        "openai:",
        f"  export OPENAI_BASE_URL={URL}/v1 OPENAI_API_KEY=any",
        "google-genai:",
        f"  export GOOGLE_GEMINI_BASE_URL={URL} GEMINI_API_KEY=any",
        "boto3:",
        f"  export {AWS} AWS_ACCESS_KEY_ID=any AWS_SECRET_ACCESS_KEY=any",
        "cohere:",
        f"  export CO_API_URL={URL} CO_API_KEY=any",
        "ollama:",
        f"  export OLLAMA_HOST={URL} OLLAMA_API_KEY=any",
        "codex:",
        "  export PROXAI_IR_KEY=any",
        (
            "  codex -c model_provider=proxai_ir -c 'model_providers.proxai_ir.name=\"proxai_ir\"'"
            f" -c 'model_providers.proxai_ir.base_url=\"{URL}/v1\"'"
            " -c 'model_providers.proxai_ir.wire_api=\"responses\"'"
            " -c 'model_providers.proxai_ir.env_key=\"PROXAI_IR_KEY\"'"
        ),
        "gemini:",
        f"  export GOOGLE_GEMINI_BASE_URL={URL} GEMINI_API_KEY=any",
        '  # in ~/.gemini/settings.json: {"security": {"auth": {"selectedType": "gemini-api-key"}}}',
        "opencode:",
        next(line for line in found if "OPENCODE_CONFIG_CONTENT" in line and "proxai_ir/gemini-3-pro" in line),
        "aider:",
        (
            f"  export OPENAI_API_BASE={URL}/v1 OPENAI_API_KEY=any AIDER_MODEL=openai/gemini-3-pro"
            " AIDER_WEAK_MODEL=openai/gemini-3-pro"
        ),
        "goose:",
        (
            f"  export GOOSE_PROVIDER=openai GOOSE_MODEL=gemini-3-pro OPENAI_HOST={URL}"
            " OPENAI_BASE_PATH=v1/chat/completions OPENAI_API_KEY=any"
        ),
        f"page: {URL}/ui?token=t",
        "models: * -> one as gemini-3-pro, else two",
        f"{ONE}, with 4 facts about gemini-3-pro (proxai-ir models gemini-3-pro)",
        f"{TWO} as vllm takes it, and what each model takes by its name",
    ]
    assert last.startswith("no client keys: ")


def test_what_would_lead_a_client_elsewhere_is_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    found = said(Started(URL, "t", None, keyless=True), {"models": ["*"], "upstream": "three"})
    assert found[1:4] == [
        "anthropic, claude:",
        "  unset ANTHROPIC_API_KEY",
        f"  export ANTHROPIC_BASE_URL={URL} ANTHROPIC_AUTH_TOKEN=any",
    ]
    assert any("GOOSE_MODEL=MODEL" in line for line in found)


def test_with_client_keys_and_a_token_of_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN_OF_MINE", "a" * 16)
    begun = Started(URL, None, f"{URL}/ui", keyless=False)
    one = {"models": ["claude-opus-5", "other"], "upstream": "one"}
    routes = one, {"models": ["x"], "upstream": "three"}
    found = said(begun, *routes, access={"admin_env": "TOKEN_OF_MINE"})
    assert f"  export OPENAI_BASE_URL={URL}/v1 OPENAI_API_KEY=YOUR_KEY" in found
    assert f"page: {URL}/ui?token=$TOKEN_OF_MINE" in found
    assert found[found.index(f"page: {URL}/ui?token=$TOKEN_OF_MINE") + 1 :] == [
        "models: claude-opus-5, other -> one",
        "models: x -> three",
        f"{ONE}; claude-opus-5 needs nothing else",
        f"{ONE}; other is not known",
        f"{THREE} as every server of it takes it, as the configuration says",
    ]


def test_without_a_log() -> None:
    found = said(Started(URL, "t", None, keyless=True), {"models": ["*"], "upstream": "three"})
    assert "no log; the token of /metrics: t" in found


def test_the_context_of_an_upstream() -> None:
    """As stated, or as its server has it, where requests could set it."""
    begun = Started(URL, "t", None, keyless=True)
    local = {"protocol": "ollama_chat", "base_url": "http://127.0.0.1:11434"}
    upstreams = {
        "a": local,
        "b": {**local, "context": 65536},
        "c": {**local, "settings": {"context_size": 8192}},
        "d": {**UPSTREAMS["two"], "context": 32768},
    }
    routes = [{"models": [name], "upstream": name} for name in upstreams]
    found = [*lines(from_mapping({"upstreams": upstreams, "routes": routes}), begun)]
    assert [line for line in found if line.startswith("the context of ")] == [
        (
            "the context of a is its server's own, which may cut what is longer without a word; agents need tens of"
            " thousands of tokens: --context TOKENS, or context of the upstream, asks for them"
        ),
        "the context of b is 65536 tokens, which each request asks for",
        "the context of c is 8192 tokens, which each request asks for",
        "the context of d is 32768 tokens, as stated",
    ]


OPENAI = "https://api.openai.com"


def upstream(to: str, *, base_url: str | None = None, model: str | None = None) -> dict[str, Any]:
    found, _ = serve._upstream(to, base_url, None, model, None)
    return {name: value for name, value in found.items() if value is not None}


def test_of_a_vendor_the_model_decides_the_protocol(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    known = {"base_url": OPENAI, "key_env": "OPENAI_API_KEY"}
    assert upstream("openai", model="gpt-5.6") == {"protocol": "openai_responses", **known}
    assert upstream("openai", base_url="http://127.0.0.1:1", model="gpt-5.6")["base_url"] == "http://127.0.0.1:1"
    local = upstream("vllm", base_url="http://127.0.0.1:1", model="m")  # a vendor's name that is a profile's, too
    assert local == {"protocol": "openai_chat_completions", "base_url": "http://127.0.0.1:1", "profile": "vllm"}


def served(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> Config:
    """What the command serves."""
    found: list[Config] = []
    monkeypatch.setattr(server, "run", lambda config, *_: found.append(config))
    result = CliRunner().invoke(app, ["serve", *arguments, "--no-storage"])
    assert result.exit_code == 0, result.output
    return found[0]


def test_a_vendor_by_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROQ_API_KEY", "k")
    made = served(monkeypatch, "--to", "groq", "--model", "m").upstreams["default"]
    assert (made.protocol, made.base_url) == ("openai_chat_completions", "https://api.groq.com/openai/v1")
    assert (made.key_env, made.server) == (("GROQ_API_KEY",), "groq")


def test_a_vendor_with_a_model_by_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XAI_API_KEY", "k")
    made = served(monkeypatch, "--to", "xai:grok-4")
    assert (made.upstreams["default"].protocol, made.routes[0].model) == ("openai_responses", "grok-4")
    assert served(monkeypatch, "--to", "xai").routes[0].model is None


def test_a_cloud_by_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", "https://ours.openai.azure.com")
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", "k")
    made = served(monkeypatch, "--to", "azure", "--model", "gpt-5.2").upstreams["default"]
    assert (made.base_url, made.key_env) == ("https://ours.openai.azure.com/openai", ("AZURE_OPENAI_API_KEY",))
    assert (made.cloud, made.server) == ("azure", "azure")


def test_a_vendor_that_there_is_not() -> None:
    result = CliRunner().invoke(app, ["serve", "--to", "gorq", "--model", "m"])
    assert result.exit_code == 2
    assert "there is no protocol, vendor or profile 'gorq'; did you mean 'groq'?" in " ".join(result.output.split())


@pytest.mark.parametrize(
    ("to", "model", "expected"),
    [
        ("openai:gpt-5", "gpt-5.6", "'openai:gpt-5' names another model than 'gpt-5.6'; expected one"),
        ("openai_responses", None, "openai_responses needs an API key: set OPENAI_API_KEY"),
        ("openai", "gpt-5.6", "openai needs an API key: set OPENAI_API_KEY"),
    ],
)
def test_what_a_vendor_needs_is_named(
    monkeypatch: pytest.MonkeyPatch, to: str, model: str | None, expected: str
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(typer.BadParameter, match=expected):
        upstream(to, model=model)
