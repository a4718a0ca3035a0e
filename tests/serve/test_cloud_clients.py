"""Clients in a cloud's form: the official ones of each, and what they send by hand."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

pytest.importorskip("uvicorn", reason='the gateway needs the extra "serve"')
pytest.importorskip("pydantic", reason='the gateway needs the extra "serve"')

import anyio
import httpx

from proxai_ir.serve.access import access_of
from proxai_ir.serve.app import app
from proxai_ir.serve.config import from_mapping

from ..clients.provider import ANTHROPIC, CHAT, GEMINI, RESPONSES, TEXT
from .support import asked, path_of, sockets
from .test_endpoints import Kept, ask
from .upstreams import Upstream
from .visiting import TOKEN

Json = Any
HELLO: Any = [{"role": "user", "content": "hi"}]
CLIENT_KEY = "AKIAOFTHEGATEWAY0123"
"""A client's key for the gateway, which may be the name of a key that signs."""


@contextmanager
def gateway(monkeypatch: pytest.MonkeyPatch, upstream: Upstream, **more: Any) -> Iterator[str]:
    """A gateway with client keys."""
    monkeypatch.setenv("CLIENT", CLIENT_KEY)
    with sockets(monkeypatch, upstream, access={"keys_env": ["CLIENT"]}, **more) as url:
        yield url


# --- official clients -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("deployment", [None, "ours"])
def test_azure_with_deployments(deployment: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    openai = pytest.importorskip("openai")
    upstream, kept = Upstream(ANTHROPIC), Kept()
    with gateway(monkeypatch, upstream, storage=kept) as url:
        client = openai.AzureOpenAI(
            azure_endpoint=url, api_key=CLIENT_KEY, api_version="2024-10-21", azure_deployment=deployment, max_retries=0
        )
        assert client.chat.completions.create(model="gpt-5", messages=HELLO).choices[0].message.content == TEXT
        stream = client.chat.completions.create(model="gpt-5", messages=HELLO, stream=True)
        assert "".join(one.choices[0].delta.content or "" for one in stream if one.choices) == TEXT
        assert client.responses.create(model="gpt-5", input="hi").output_text == TEXT
        assert [one.id for one in client.models.list()] == ["big"]
    assert [one.model for one in kept.records[:3]] == [deployment or "gpt-5", deployment or "gpt-5", "gpt-5"]


def test_azure_with_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    openai = pytest.importorskip("openai")
    with gateway(monkeypatch, Upstream(ANTHROPIC)) as url:
        client = openai.OpenAI(base_url=f"{url}/openai/v1", api_key=CLIENT_KEY, max_retries=0)
        assert client.responses.create(model="gpt-5", input="hi").output_text == TEXT
        assert client.chat.completions.create(model="gpt-5", messages=HELLO).choices[0].message.content == TEXT


BEDROCK: dict[str, Any] = {
    "a key": {"api_key": CLIENT_KEY},
    "a signature": {"aws_access_key": CLIENT_KEY, "aws_secret_key": "means nothing here"},
}


@pytest.mark.parametrize("auth", BEDROCK)
@pytest.mark.parametrize("protocol", [CHAT, GEMINI])
def test_claude_on_bedrock(protocol: str, auth: str, monkeypatch: pytest.MonkeyPatch) -> None:
    anthropic = pytest.importorskip("anthropic")
    pytest.importorskip("botocore")
    upstream, kept, model = Upstream(protocol, "text", "text", "429"), Kept(), "us.anthropic.claude-sonnet-5-v1:0"
    with gateway(monkeypatch, upstream, storage=kept) as url:
        client = anthropic.AnthropicBedrock(base_url=url, aws_region="eu-west-1", max_retries=0, **BEDROCK[auth])
        said: Any = {"model": model, "max_tokens": 999, "messages": HELLO}
        assert client.messages.create(**said).content[0].text == TEXT
        with client.messages.stream(**said) as stream:
            assert stream.get_final_text() == TEXT
        with pytest.raises(anthropic.RateLimitError) as raised:
            client.messages.create(**said)
        assert raised.value.response.headers["retry-after"] == "7"
    assert [one.model for one in kept.records] == [model] * 3
    assert [one.streamed for one in kept.records] == [False, True, False]


def test_boto3_invokes_claude(monkeypatch: pytest.MonkeyPatch) -> None:
    boto3 = pytest.importorskip("boto3")
    with gateway(monkeypatch, Upstream(CHAT)) as url:
        client = boto3.client(
            "bedrock-runtime",
            region_name="us-east-1",
            endpoint_url=url,
            aws_access_key_id=CLIENT_KEY,
            aws_secret_access_key="means nothing here",
        )
        body = json.dumps({"anthropic_version": "bedrock-2023-05-31", "max_tokens": 999, "messages": HELLO})
        model = "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-sonnet-5-v1:0"
        whole = client.invoke_model(modelId=model, body=body)
        assert json.loads(whole["body"].read())["content"][0]["text"] == TEXT
        stream = client.invoke_model_with_response_stream(modelId=model, body=body)
        events = [json.loads(one["chunk"]["bytes"]) for one in stream["body"]]
    assert events[0]["type"] == "message_start"
    assert events[-1]["type"] == "message_stop"
    assert "".join(one["delta"].get("text", "") for one in events if one["type"] == "content_block_delta") == TEXT


@pytest.mark.parametrize("name", ["AnthropicFoundry", "AnthropicBedrockMantle"])
def test_claude_below_a_path(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    anthropic = pytest.importorskip("anthropic")
    more = {"aws_region": "us-east-1"} if "Bedrock" in name else {}
    with gateway(monkeypatch, Upstream(CHAT)) as url:
        client = getattr(anthropic, name)(base_url=f"{url}/anthropic", api_key=CLIENT_KEY, max_retries=0, **more)
        assert client.messages.create(model="claude", max_tokens=999, messages=HELLO).content[0].text == TEXT


@pytest.mark.parametrize("version", ["", "/v1"])
def test_claude_on_vertex(version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    anthropic = pytest.importorskip("anthropic")
    upstream, kept = Upstream(GEMINI), Kept()
    with gateway(monkeypatch, upstream, storage=kept) as url:
        client = anthropic.AnthropicVertex(
            base_url=url + version, region="europe-west1", project_id="ours", access_token=CLIENT_KEY, max_retries=0
        )
        said: Any = {"model": "claude-sonnet-5@20260101", "messages": HELLO}
        assert client.messages.create(**said, max_tokens=999).content[0].text == TEXT
        with client.messages.stream(**said, max_tokens=999) as stream:
            assert stream.get_final_text() == TEXT
        assert client.messages.count_tokens(**said).input_tokens == 11
    assert [one.model for one in kept.records] == [said["model"]] * 3


def test_gemini_on_vertex(monkeypatch: pytest.MonkeyPatch) -> None:
    genai = pytest.importorskip("google.genai")
    credentials = pytest.importorskip("google.oauth2.credentials")
    with gateway(monkeypatch, Upstream(CHAT)) as url:
        client = genai.Client(
            vertexai=True,
            project="ours",
            location="us-central1",
            credentials=credentials.Credentials(CLIENT_KEY),
            http_options={"base_url": url},
        )
        assert client.models.generate_content(model="gemini-3-pro", contents="hi").text == TEXT
        stream = client.models.generate_content_stream(model="gemini-3-pro", contents="hi")
        assert "".join(one.text or "" for one in stream) == TEXT
        assert client.models.count_tokens(model="gemini-3-pro", contents="hi").total_tokens


# --- by hand ----------------------------------------------------------------------------------------------------------

Made = Callable[..., list[httpx.Response]]
INVOKED = {"max_tokens": 999, "messages": HELLO}


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Made:
    def work(upstream: Upstream, *requests: Json, **more: Any) -> list[httpx.Response]:
        monkeypatch.setenv("CLIENT", CLIENT_KEY)
        return ask(monkeypatch, [upstream], *requests, access={"keys_env": ["CLIENT"]}, **more)

    return work


def test_versions_and_betas_of_the_body_are_headers_again(made: Made) -> None:
    upstream = Upstream(ANTHROPIC)
    key = {"authorization": f"Bearer {CLIENT_KEY}"}
    members = {"anthropic_version": "bedrock-2023-05-31", "anthropic_beta": ["context-1m-2025-08-07", "x-2026-01-01"]}
    (found,) = made(upstream, ("POST", "/model/claude/invoke", {**INVOKED, **members}, key))
    assert found.status_code == 200
    (sent,) = upstream.seen
    assert sent.headers["anthropic-version"] == "2023-06-01"
    assert sent.headers["anthropic-beta"] == "context-1m-2025-08-07,x-2026-01-01"
    assert sent.body == {**INVOKED, "model": "big"}


def test_members_of_a_wrong_type_are_named(made: Made) -> None:
    kept, key = Kept(), {"x-api-key": CLIENT_KEY}
    for value in ([1], "context-1m-2025-08-07", {"a": 1}):
        body = {**INVOKED, "anthropic_beta": value, "anthropic_version": [value]}
        (found,) = made(Upstream(CHAT), ("POST", "/model/claude/invoke", body, key), storage=kept)
        assert found.status_code == 200
        assert {"/anthropic_beta", "/anthropic_version"} <= {one["path"] for one in kept.records[-1].diagnostics}


def test_bad_input_and_strangers_get_the_protocols_own_errors(made: Made) -> None:
    path, key = "/v1/projects/p/locations/l/publishers/anthropic/models/m:rawPredict", {"x-api-key": CLIENT_KEY}
    found = made(
        Upstream(CHAT),
        ("POST", path, INVOKED, {}),
        ("POST", path, INVOKED, {"api-key": "k-of-somebody-else"}),
        ("POST", path, b"[1]", key),
        ("POST", path, b"{not json", key),
        ("GET", path, None, key),
        ("POST", "/openai/deployments/m/completions", {}, key),
        ("POST", "/model/claude/invoke-async", {}, key),
    )
    assert [one.status_code for one in found] == [401, 401, 400, 400, 405, 404, 404]
    assert [one.json()["error"]["type"] for one in found[:2]] == ["authentication_error"] * 2


def test_the_key_for_a_cloud_goes_to_no_vendor() -> None:
    """A route may send the client's own key to its vendor; that of a cloud's client is for another server."""
    route = {"models": ["*"], "upstream": "u", "client_key": True}
    config = from_mapping({"upstreams": {"u": {"protocol": CHAT, "base_url": "http://u.invalid"}}, "routes": [route]})
    upstream, path = Upstream(CHAT), "/openai/deployments/m/chat/completions"
    served = app(config, access=access_of(config, TOKEN), transport=lambda _: httpx.ASGITransport(upstream))
    own = {"authorization": "Bearer sk-of-the-vendor"}

    async def work() -> None:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(served), base_url="http://127.0.0.1") as http:
            for where, headers in ((path_of(CHAT), own), (path, own), (path, {"api-key": "k-of-azure"})):
                await http.post(where, json=asked(CHAT), headers=headers)

    anyio.run(work)
    assert [one.headers.get("authorization") for one in upstream.seen] == [own["authorization"], None, None]
    assert all("api-key" not in one.headers for one in upstream.seen)


def test_other_paths_are_as_they_were(made: Made) -> None:
    key = {"authorization": f"Bearer {CLIENT_KEY}"}
    paths = ("/v1/chat/completions", "/chat/completions", "/v1/v1/chat/completions", "/api/v1/chat/completions")
    found = made(Upstream(CHAT), *(("POST", path, asked(CHAT), key) for path in paths))
    assert [one.status_code for one in found] == [200] * 4
    missing = made(Upstream(GEMINI), *(("POST", path, {}, key) for path in ("/openai/none", "/api/none", "/anthropic")))
    assert [one.status_code for one in missing] == [404] * 3
    (kept,) = made(Upstream(RESPONSES), ("POST", "/openai/v1/responses", asked(RESPONSES), key))
    assert kept.status_code == 200
