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
from proxai_ir.serve import server
from proxai_ir.serve.config import Config, from_mapping
from proxai_ir.serve.server import Started

URL = "http://127.0.0.1:4000"
UPSTREAMS = {
    "one": {"protocol": "gemini_generate_content", "base_url": "https://generativelanguage.googleapis.com"},
    "two": {"profile": "vllm", "base_url": "http://127.0.0.1:8000/v1"},
    "three": {"protocol": "anthropic_messages", "profile": "protocol", "base_url": "http://127.0.0.1:1"},
}
ONE = "one at https://generativelanguage.googleapis.com is sent gemini_generate_content"
TWO = "two at http://127.0.0.1:8000/v1 is sent openai_chat_completions"
THREE = "three at http://127.0.0.1:1 is sent anthropic_messages"


def said(begun: Started, *routes: Any, **tables: Any) -> list[str]:
    return [*lines(from_mapping({"upstreams": UPSTREAMS, "routes": routes, **tables}), begun)]


def test_without_client_keys() -> None:
    begun = Started(URL, "t", f"{URL}/ui?token=t", keyless=True)
    route = {"models": ["*"], "upstream": "one", "model": "gemini-3-pro", "fallbacks": ["two"]}
    *found, last = said(begun, route)
    assert found == [
        f"serving at {URL}",
        "clients:",
        f"  ANTHROPIC_BASE_URL={URL} ANTHROPIC_AUTH_TOKEN=any",
        f"  OPENAI_BASE_URL={URL}/v1 OPENAI_API_KEY=any",
        f"  GOOGLE_GEMINI_BASE_URL={URL} GEMINI_API_KEY=any",
        f"page: {URL}/ui?token=t",
        "models: * -> one as gemini-3-pro, else two",
        f"{ONE}, with 4 facts about gemini-3-pro (proxai-ir models gemini-3-pro)",
        f"{TWO} as vllm takes it, and what each model takes by its name",
    ]
    assert last.startswith("no client keys: ")


def test_with_client_keys_and_a_token_of_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN_OF_MINE", "a" * 16)
    begun = Started(URL, None, f"{URL}/ui", keyless=False)
    one = {"models": ["claude-opus-5", "other"], "upstream": "one"}
    routes = one, {"models": ["x"], "upstream": "three"}
    found = said(begun, *routes, access={"admin_env": "TOKEN_OF_MINE"})
    assert f"  OPENAI_BASE_URL={URL}/v1 OPENAI_API_KEY=YOUR_KEY" in found
    assert f"page: {URL}/ui?token=$TOKEN_OF_MINE" in found
    assert found[6:] == [
        "models: claude-opus-5, other -> one",
        "models: x -> three",
        f"{ONE}; claude-opus-5 needs nothing else",
        f"{ONE}; other is not known",
        f"{THREE} as every server of it takes it, as the configuration says",
    ]


def test_without_a_log() -> None:
    found = said(Started(URL, "t", None, keyless=True), {"models": ["*"], "upstream": "three"})
    assert found[5] == "no log; the token of /metrics: t"


OPENAI = "https://api.openai.com"


def upstream(to: str, *, base_url: str | None = None, model: str | None = None) -> dict[str, Any]:
    found = serve._upstream(to, base_url, None, model, None)
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


def test_a_cloud_by_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", "https://ours.openai.azure.com")
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", "k")
    made = served(monkeypatch, "--to", "azure", "--model", "gpt-5.2").upstreams["default"]
    assert (made.base_url, made.key_env) == ("https://ours.openai.azure.com/openai", ("AZURE_OPENAI_API_KEY",))
    assert (made.cloud, made.server) == ("azure", "azure")


def test_a_vendor_that_there_is_not() -> None:
    result = CliRunner().invoke(app, ["serve", "--to", "gorq", "--model", "m"])
    assert result.exit_code == 2
    assert "there is no protocol, profile or vendor 'gorq'; did you mean 'groq'?" in " ".join(result.output.split())


@pytest.mark.parametrize(
    ("to", "model", "expected"),
    [
        ("openai", None, "'openai:' names no model; expected openai:MODEL"),
        ("openai", "gpt-5.6", "openai needs an API key: set OPENAI_API_KEY"),
    ],
)
def test_what_a_vendor_needs_is_named(
    monkeypatch: pytest.MonkeyPatch, to: str, model: str | None, expected: str
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(typer.BadParameter, match=expected):
        upstream(to, model=model)
