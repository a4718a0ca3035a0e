"""What clients ask about the gateway and its models before they send requests."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("uvicorn", reason='the gateway needs the extra "serve"')
pytest.importorskip("pydantic", reason='the gateway needs the extra "serve"')

import httpx

from proxai_ir.serve.config import from_mapping

from ..clients.provider import ANTHROPIC, CHAT
from ..clouds.support import gateway
from .support import serving
from .test_endpoints import ask
from .upstreams import Upstream

Json = Any


def show(model: Json, member: str = "model") -> Json:
    return "POST", "/api/show", {member: model}


def test_the_official_client(monkeypatch: pytest.MonkeyPatch) -> None:
    ollama = pytest.importorskip("ollama")
    upstream = {"protocol": ANTHROPIC, "base_url": "http://u.invalid", "context": 200_000}
    route = {"models": ["*"], "upstream": "u", "model": "big"}
    with serving(from_mapping({"upstreams": {"u": upstream}, "routes": [route]})) as (url, _):
        client = ollama.Client(host=url)
        assert client.ps().models == []
        assert [one.model for one in client.list().models] == ["big"]
        found = client.show("big")
        assert found.capabilities == ["completion", "tools", "vision", "thinking"]
        info = found.modelinfo
        assert info[f"{info['general.architecture']}.context_length"] == 200_000


def test_what_a_model_takes_is_of_its_upstream(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = {"settings": {"images": False, "thinking": False}}
    (found,) = ask(monkeypatch, [Upstream(CHAT)], show("any", "name"), settings=settings)
    assert found.json()["capabilities"] == ["completion", "tools"]
    assert found.json()["model_info"] == {}


def test_the_version(monkeypatch: pytest.MonkeyPatch) -> None:
    (found,) = ask(monkeypatch, [Upstream(CHAT)], ("GET", "/api/version", None))
    assert [int(one) for one in found.json()["version"].split(".")] > [0, 6, 4]


def test_bad_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    requests = [
        show(None),
        show(7),
        show(""),
        ("POST", "/api/show", b"[1]"),
        ("POST", "/api/show", b"{"),
        ("GET", "/api/show", None),
        ("POST", "/api/version", {}),
        show("m"),
    ]
    access = {"limits": {"*": {"models": ["other"]}}}
    found = ask(monkeypatch, [Upstream(CHAT)], *requests, access=access)
    assert [one.status_code for one in found] == [400, 400, 400, 400, 400, 405, 405, 404]
    assert all(isinstance(one.json()["error"], str) for one in found)


def test_an_upstream_that_knows_more_is_asked() -> None:
    """One of the client's protocol may have the path itself."""
    asked: list[str] = []

    def respond(request: httpx.Request) -> tuple[int, dict[str, str], list[bytes]]:
        asked.append(request.url.path)
        return 200, {}, [b'{"capabilities": ["embedding"]}']

    upstream = {"protocol": "ollama_chat", "base_url": "http://u.invalid", "passthrough": ["/api/show"]}
    with gateway(upstream, respond) as ask_gateway:
        assert ask_gateway("/api/show", {"model": "m"}).json() == {"capabilities": ["embedding"]}
    assert asked == ["/api/show"]
