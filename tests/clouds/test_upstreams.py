"""Clouds as upstreams of the gateway and of SDKs in process: whole responses, streams, errors, counts, signatures."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

import proxai_ir
from proxai_ir.exchange import Exchange
from proxai_ir.framing import AWS_CHUNKS, AWS_EVENT_STREAM
from proxai_ir.reporting.diagnostics import StreamError
from proxai_ir.serve.access import access_of
from proxai_ir.serve.app import app
from proxai_ir.serve.config import from_mapping
from proxai_ir.serve.config_errors import ConfigError
from tests.serve.visiting import TOKEN as OPERATOR

from ..clients.provider import ANTHROPIC, CHAT, GEMINI, RESPONSES, TEXT, reply
from .mock import ACCESS, SECRET, SIGNED, TOKEN, Bedrock, OverHttpx, Sent, sent, signature_of

Json = Any
HELLO = [{"role": "user", "content": "hi"}]
ASKED: dict[str, tuple[str, Json]] = {
    CHAT: ("/v1/chat/completions", {"model": "M", "messages": HELLO}),
    RESPONSES: ("/v1/responses", {"model": "M", "input": "hi"}),
    ANTHROPIC: ("/v1/messages", {"model": "M", "max_tokens": 9, "messages": HELLO}),
}
ON_BEDROCK = {"name": "bedrock", "region": "us-east-1"}
BEDROCK = {"protocol": ANTHROPIC, "cloud": ON_BEDROCK}
each_client = pytest.mark.parametrize("client", [CHAT, RESPONSES, ANTHROPIC])


@contextmanager
def gateway(upstream: Json, respond: Any, **more: Json) -> Iterator[Callable[..., httpx.Response]]:
    """Asks a gateway whose only upstream is this one."""
    config = from_mapping({"upstreams": {"u": upstream}, **more})
    made = app(config, None, access=access_of(config, OPERATOR), transport=lambda _: OverHttpx(respond))

    def ask(path: str, body: Json) -> httpx.Response:
        async def asked() -> httpx.Response:
            over = httpx.ASGITransport(made)
            async with httpx.AsyncClient(transport=over, base_url="http://127.0.0.1:4000") as client:
                return await client.post(path, json=body, headers={"host": "127.0.0.1:4000"})

        return asyncio.run(asked())

    yield ask


def text_of(client: str, came: httpx.Response, streamed: bool) -> str:
    if not streamed:
        made = came.json()
        if client == CHAT:
            return str(made["choices"][0]["message"]["content"])
        return str(made["content"][0]["text"] if client == ANTHROPIC else made["output"][-1]["content"][0]["text"])
    texts = ""
    for event in proxai_ir.sse.decode([came.content]):
        if client == CHAT and isinstance(event, dict):
            texts += "".join(choice["delta"].get("content") or "" for choice in event["choices"])
        elif client == ANTHROPIC and event["type"] == "content_block_delta":
            texts += event["delta"].get("text", "")
        elif client == RESPONSES and event["type"] == "response.output_text.delta":
            texts += event["delta"]
    return texts


@each_client
@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("signed", [False, True])
def test_claude_on_bedrock_behind_the_gateway(
    client: str, streamed: bool, signed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("botocore")
    for name, value in (SIGNED if signed else {"AWS_BEARER_TOKEN_BEDROCK": TOKEN}).items():
        monkeypatch.setenv(name, value)
    cloud, (path, body) = Bedrock(), ASKED[client]
    with gateway(BEDROCK, cloud.respond) as ask:
        came = ask(path, {**body, "model": MODELS[0], **({"stream": True} if streamed else {})})
    assert came.status_code == 200, came.text
    assert text_of(client, came, streamed) == TEXT
    assert cloud.seen[0].host == "bedrock-runtime.us-east-1.amazonaws.com"
    assert cloud.seen[0].path == f"/model/{MODELS[0]}/invoke" + ("-with-response-stream" if streamed else "")


MODELS = (
    "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "arn:aws:bedrock:us-east-1:12:inference-profile/us.anthropic.x",
)


@pytest.mark.parametrize("model", MODELS)
def test_a_signature_holds_for_every_name_of_a_model(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("botocore")
    for name, value in SIGNED.items():
        monkeypatch.setenv(name, value)
    cloud = Bedrock()
    with gateway(BEDROCK, cloud.respond) as ask:
        came = ask("/v1/messages", {**ASKED[ANTHROPIC][1], "model": model})
    assert came.status_code == 200, came.text
    assert cloud.seen[0].path == f"/model/{model}/invoke"


def test_a_wrong_signature_is_an_error_of_the_client(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("botocore")
    for name, value in {**SIGNED, "AWS_SECRET_ACCESS_KEY": SECRET[:-1]}.items():
        monkeypatch.setenv(name, value)
    with gateway(BEDROCK, Bedrock().respond) as ask:
        came = ask("/v1/chat/completions", ASKED[CHAT][1])
    assert came.status_code == 403
    assert "signature we calculated does not match" in came.json()["error"]["message"]


def test_what_is_altered_after_it_was_signed_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("botocore")
    for name, value in SIGNED.items():
        monkeypatch.setenv(name, value)
    asked: list[httpx.Request] = []

    def keep(request: httpx.Request) -> Any:
        asked.append(request)
        return Bedrock().respond(request)

    with gateway(BEDROCK, keep) as ask:
        ask("/v1/messages", ASKED[ANTHROPIC][1])
    (request,) = asked
    stated = request.headers["authorization"].rpartition("=")[2]
    assert signature_of(request) == stated
    for altered in (
        httpx.Request("POST", str(request.url) + "2", headers=request.headers, content=request.content),
        httpx.Request("POST", request.url, headers=request.headers, content=request.content + b" "),
        httpx.Request("POST", request.url, headers={**request.headers, "host": "else.where"}, content=request.content),
    ):
        assert signature_of(altered) != stated


def test_another_profile_signs(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    """Its keys and its region, from the files of AWS's tools, though there is a token of another account."""
    pytest.importorskip("botocore")
    (tmp_path / "credentials").write_text(f"[work]\naws_access_key_id={ACCESS}\naws_secret_access_key={SECRET}\n")
    (tmp_path / "config").write_text("[profile work]\nregion=eu-west-3\n")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", "another")
    cloud = Bedrock()
    with gateway({"protocol": ANTHROPIC, "cloud": {"name": "bedrock", "profile": "work"}}, cloud.respond) as ask:
        assert ask("/v1/messages", ASKED[ANTHROPIC][1]).status_code == 200
    assert cloud.seen[0].host == "bedrock-runtime.eu-west-3.amazonaws.com"


@each_client
def test_errors_of_bedrock(client: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", TOKEN)
    path, body = ASKED[client]
    with gateway(BEDROCK, Bedrock("throttled").respond) as ask:
        came = ask(path, body)
    assert came.status_code == 429
    error = came.json()["error"]
    assert error["message"] == "Too many requests, please wait before trying again."
    if client == ANTHROPIC:
        assert error["type"] == "rate_limit_error"


def frame(name: str, payload: Json) -> bytes:
    return AWS_EVENT_STREAM.encode({name: payload}, "")


SPOILED: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "a wrong checksum": (lambda data: data[:-1] + bytes([data[-1] ^ 1]), "checksum"),
    "a wrong checksum of lengths": (lambda data: data[:8] + bytes([data[8] ^ 1]) + data[9:], "checksum"),
    "cut in the headers of a frame": (lambda data: first(data, 3) + frame("chunk", {})[:20], "is cut off after 20"),
    "cut between two frames": (lambda data: first(data, 3), "ended before its response was complete"),
    "an exception in mid-stream": (
        lambda data: first(data, 3) + frame("throttlingException", {"message": "slow down"}),
        "",  # an error of the provider's, and none of its stream
    ),
    "a chunk without bytes": (lambda data: first(data, 3) + frame("chunk", {"other": 1}), "expected a chunk"),
    "a chunk that is no JSON": (
        lambda data: first(data, 3) + frame("chunk", {"bytes": base64.b64encode(b"{").decode()}),
        "expected a chunk",
    ),
}


def first(data: bytes, frames: int) -> bytes:
    at = 0
    for _ in range(frames):
        at += int.from_bytes(data[at : at + 4])
    return data[:at]


@each_client
@pytest.mark.parametrize("name", SPOILED)
def test_a_stream_of_bedrock_that_is_spoiled_ends_with_an_error(name: str, client: str) -> None:
    """The reason is the operator's to know, and the client's where it is the provider's own."""
    spoils, why = SPOILED[name]
    exchange = Exchange(client, ANTHROPIC, key=TOKEN, cloud=ON_BEDROCK)
    made = exchange.request({**ASKED[client][1], "stream": True})
    request = httpx.Request("POST", f"https://b{made.path}", headers=made.headers, content=made.body)
    status, headers, chunks = Bedrock("text", spoils).respond(request)
    stream = exchange.stream(status, headers)
    out = b"".join(map(stream.feed, chunks)) + stream.end()
    assert b'"error":{' in out or b'"type":"error"' in out
    assert why in str(stream.error)
    assert stream.failure is None if why else (stream.failure is not None and b"slow down" in out)


def test_chunks() -> None:
    """The framing by itself: split anywhere, padded, with exceptions of AWS's as errors."""
    events = [{"type": "a", "text": "ü😀"}, {"type": "b"}]
    data = b"".join(AWS_CHUNKS.encode(one, "") for one in events)
    for size in (1, 7, len(data)):
        assert [*AWS_CHUNKS.decode(data[at : at + size] for at in range(0, len(data), size))] == events
    padded = frame("chunk", {"bytes": base64.b64encode(b'{"type":"b"}').decode(), "p": "abcdefgh"})
    assert [*AWS_CHUNKS.decode([padded])] == [{"type": "b"}]
    assert [*AWS_CHUNKS.decode([frame("initial-response", {}), padded])] == [{"type": "b"}]
    assert [*AWS_CHUNKS.decode([frame("modelStreamErrorException", {"originalMessage": "m"})])] == [
        {"type": "error", "error": {"type": "api_error", "message": "m"}}
    ]
    assert [*AWS_CHUNKS.decode([frame("error", {"code": "InternalFailure", "message": "m"})])] == [
        {"type": "error", "error": {"type": "InternalFailure", "message": "m"}}
    ]
    with pytest.raises(StreamError) as error:
        list(AWS_CHUNKS.decode([data, data[:30]]))
    assert error.value.rule == "STR-2"


def test_the_official_client_reads_what_a_bedrock_of_ours_would_send() -> None:
    """So that the mock speaks as Bedrock does: AWS's own parser finds the same events."""
    decoder = pytest.importorskip("anthropic.lib.bedrock._stream_decoder")
    pytest.importorskip("botocore")
    events = [{"type": "message_start", "message": {}}, {"type": "ping"}]
    data = b"".join(AWS_CHUNKS.encode(one, "") for one in events)
    found = [*decoder.AWSEventStreamDecoder().iter_bytes(iter([data]))]
    assert [json.loads(one.data) for one in found] == events


# --- the others -------------------------------------------------------------------------------------------------------

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
        "needs 'region': state it, or set the variable AWS_REGION or AWS_DEFAULT_REGION",
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
def test_what_is_wrong_is_said_at_the_start(name: str) -> None:
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


# --- SDKs in process --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("streamed", [False, True])
def test_openais_client_on_claude_on_bedrock(streamed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    openai = pytest.importorskip("openai")
    library = pytest.importorskip("httpx2")
    pytest.importorskip("botocore")
    for name, value in {**SIGNED, "AWS_REGION": "us-east-1"}.items():
        monkeypatch.setenv(name, value)
    cloud = Bedrock()

    def respond(request: Any) -> Any:
        same = httpx.Request(request.method, str(request.url), headers=dict(request.headers), content=request.content)
        status, headers, chunks = cloud.respond(same)
        return library.Response(status, headers=headers, content=b"".join(chunks))

    http = proxai_ir.httpx.client(ANTHROPIC, cloud="bedrock", model=MODELS[0], transport=library.MockTransport(respond))
    client = openai.OpenAI(http_client=http, api_key="any", max_retries=0)
    made = client.chat.completions.create(model="m", messages=HELLO, stream=streamed)
    if streamed:
        assert "".join(one.choices[0].delta.content or "" for one in made if one.choices) == TEXT
    else:
        assert made.choices[0].message.content == TEXT
    assert cloud.seen[0].path.startswith(f"/model/{MODELS[0]}/invoke")


def test_what_cannot_be_signed_is_a_connection_error(monkeypatch: pytest.MonkeyPatch) -> None:
    openai = pytest.importorskip("openai")
    library = pytest.importorskip("httpx2")
    google = pytest.importorskip("google.auth")

    def none(**_: Any) -> Any:
        raise google.exceptions.DefaultCredentialsError("no")

    credentials = pytest.importorskip("google.oauth2.credentials").Credentials(None, refresh_token=None)
    monkeypatch.setattr(google, "default", lambda **_: (credentials, "p"))
    cloud = {"name": "vertex", "project": "p", "region": "global"}
    http = proxai_ir.httpx.client(ANTHROPIC, cloud=cloud, transport=library.MockTransport(lambda _: 1 / 0))
    client = openai.OpenAI(http_client=http, api_key="any", max_retries=0)
    with pytest.raises(openai.APIConnectionError) as error:
        client.chat.completions.create(model="m", messages=HELLO)
    assert "cannot be signed" in str(error.value.__cause__)
    monkeypatch.setattr(google, "default", none)
    with pytest.raises(ValueError, match="cannot be signed: the credentials of this machine"):
        proxai_ir.httpx.client(ANTHROPIC, cloud=cloud)


def test_credentials_of_google(monkeypatch: pytest.MonkeyPatch) -> None:
    google = pytest.importorskip("google.auth")
    library = pytest.importorskip("httpx2")
    openai = pytest.importorskip("openai")
    credentials = pytest.importorskip("google.oauth2.credentials").Credentials(TOKEN, quota_project_id="billed")
    monkeypatch.setattr(google, "default", lambda **_: (credentials, "p"))
    found: list[Sent] = []

    def respond(request: Any) -> Any:
        found.append(sent(request))
        made = reply(GEMINI, "text", False)
        return library.Response(made.status, headers={"content-type": made.type}, content=b"".join(made.chunks))

    http = proxai_ir.httpx.client(
        GEMINI, model="gemini-3-pro", cloud={"name": "vertex", "project": "p"}, transport=library.MockTransport(respond)
    )
    openai.OpenAI(http_client=http, api_key="any").chat.completions.create(model="m", messages=HELLO)
    assert found[0].headers["authorization"] == f"Bearer {TOKEN}"
    assert found[0].headers["x-goog-user-project"] == "billed"


def test_an_upstream_whose_requests_cannot_be_signed_has_a_fallback(monkeypatch: pytest.MonkeyPatch) -> None:
    """As one that cannot be reached: credentials may run out while the gateway runs."""
    google = pytest.importorskip("google.auth")
    spent = pytest.importorskip("google.oauth2.credentials").Credentials(None, refresh_token=None)
    monkeypatch.setattr(google, "default", lambda **_: (spent, "p"))
    monkeypatch.setenv("MISTRAL_API_KEY", TOKEN)
    asked: list[str] = []

    def respond(request: httpx.Request) -> Any:
        asked.append(request.url.host)
        made = reply(CHAT, "text", False)
        return made.status, {"content-type": made.type}, made.chunks

    vertex = {"protocol": GEMINI, "cloud": {"name": "vertex", "project": "p"}}
    upstreams = {"u": vertex, "other": {"protocol": CHAT, "cloud": "mistral"}}
    routes = [
        {"models": ["M"], "upstream": "u", "fallbacks": ["other"]},
        {"models": ["alone"], "upstream": "u"},
    ]
    config = from_mapping({"upstreams": upstreams, "routes": routes})
    made = app(config, None, access=access_of(config, OPERATOR), transport=lambda _: OverHttpx(respond))

    async def both() -> list[httpx.Response]:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(made), base_url="http://127.0.0.1:4000") as client:
            path, body = ASKED[CHAT]
            return [await client.post(path, json={**body, "model": model}) for model in ("M", "alone")]

    first, second = asyncio.run(both())
    assert text_of(CHAT, first, False) == TEXT
    assert asked == ["api.mistral.ai"]
    assert second.status_code == 502
    assert "requests cannot be signed" in second.json()["error"]["message"]
