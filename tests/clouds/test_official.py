"""What the official clients send to each cloud, and what an Exchange sends: the same route, authentication and body."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from proxai_ir.exchange import Exchange
from proxai_ir.exchange.clouds import deployed
from proxai_ir.exchange.provider import joined

from ..clients.provider import ANTHROPIC, CHAT, GEMINI, RESPONSES
from .mock import SIGNED, TOKEN, Sent, seen, sent

Json = Any
HELLO = [{"role": "user", "content": "hi"}]
MESSAGES: Json = {"model": "M", "max_tokens": 9, "messages": HELLO}


def recorded(ask: Callable[[Any], Any], library: str = "httpx2") -> Sent:
    """The request that an official client sends; the response is none that it can read."""
    http = pytest.importorskip(library)
    found: list[Sent] = []

    def respond(request: Any) -> Any:
        found.append(sent(request))
        return http.Response(418, content=b"{}")

    with http.Client(transport=http.MockTransport(respond)) as client:
        try:
            for _ in ask(client) or ():
                pass
        except Exception as error:
            assert found, error
    return found[0]


def ours(side: str, cloud: Any, body: Json, key: str | None = TOKEN, headers: Any = None, path: str = "") -> Sent:
    """The request that a provider of the same protocol gets of a client, so that the body is the client's."""
    deployment = deployed(side, cloud, key=key is not None)
    exchange = Exchange(side, side, key=key, cloud=deployment)
    made = exchange.request(json.dumps(body).encode(), headers or {}, path=path)
    url = joined(deployment.base_url, made.path)
    return seen("POST", url, {**exchange.signed(made, url)}, made.body)


def same(one: Sent, other: Sent, *headers: str) -> None:
    assert one[:4] == other[:4]
    assert one.body == other.body
    for name in ("content-type", *headers):
        assert one.headers.get(name) == other.headers.get(name), name


AUTH = ("authorization", "api-key", "x-api-key", "x-goog-api-key")


# --- Claude -----------------------------------------------------------------------------------------------------------

MODELS = (
    "anthropic.claude-sonnet-5-v1:0",
    "arn:aws:bedrock:eu-central-1:123456789012:application-inference-profile/a1",
)
TAKEN = {"anthropic-beta": "context-1m-2025-08-07,compact-2026-01-12"}
"""Betas that every cloud takes; what becomes of others is in test_features.py."""
VERSION = {"anthropic-version": "2026-10-21"}
"""That of the official client, which it sends to every cloud."""


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("stream", [False, True])
def test_claude_on_bedrock(model: str, stream: bool) -> None:
    anthropic = pytest.importorskip("anthropic")
    asked = {**MESSAGES, "model": model, **({"stream": True} if stream else {})}
    theirs = recorded(
        lambda http: anthropic.AnthropicBedrock(
            api_key=TOKEN, aws_region="eu-central-1", http_client=http, max_retries=0
        ).messages.create(**asked, extra_headers=TAKEN)
    )
    made = ours(ANTHROPIC, {"name": "bedrock", "region": "eu-central-1"}, asked, headers={**VERSION, **TAKEN})
    assert theirs.body.pop("anthropic_version") == "2026-10-21"  # which some models refuse there
    assert made.body.pop("anthropic_version") == "bedrock-2023-05-31"
    same(theirs, made, *AUTH)
    assert made.path == f"/model/{model}/invoke" + ("-with-response-stream" if stream else "")
    assert made.host == "bedrock-runtime.eu-central-1.amazonaws.com"
    assert made.body == {
        "anthropic_beta": ["context-1m-2025-08-07", "compact-2026-01-12"],
        "max_tokens": 9,
        "messages": HELLO,
    }
    assert not {"anthropic-version", "anthropic-beta"} & made.headers.keys()


def test_clients_of_the_usual_version_have_that_of_the_cloud() -> None:
    """Whose name AWS's and Google's documents have: of these clients no later one is asked for."""
    headers = {"anthropic-version": "2023-06-01"}
    assert ours(ANTHROPIC, {"name": "bedrock", "region": "r-1"}, MESSAGES, headers=headers).body == {
        "anthropic_version": "bedrock-2023-05-31",
        "max_tokens": 9,
        "messages": HELLO,
    }
    on_vertex = {"name": "vertex", "region": "r-1", "project": "p"}
    assert ours(ANTHROPIC, on_vertex, MESSAGES).body["anthropic_version"] == "vertex-2023-10-16"


def test_a_signature_has_what_the_official_client_signs(monkeypatch: pytest.MonkeyPatch) -> None:
    anthropic = pytest.importorskip("anthropic")
    pytest.importorskip("boto3")
    for name, value in SIGNED.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-west-2")
    monkeypatch.setenv("AWS_SESSION_TOKEN", "session")
    theirs = recorded(
        lambda http: anthropic.AnthropicBedrock(http_client=http, max_retries=0).messages.create(**MESSAGES)
    )
    made = ours(ANTHROPIC, "bedrock", MESSAGES, key=None, headers=VERSION)
    assert {**theirs.body, "anthropic_version": "bedrock-2023-05-31"} == made.body
    theirs.body["anthropic_version"] = made.body["anthropic_version"]
    same(theirs, made, "x-amz-security-token")
    for one in (theirs, made):
        scope = one.headers["authorization"].split("/", 2)[2].partition(",")[0]
        assert scope == "us-west-2/bedrock/aws4_request"


@pytest.mark.parametrize("region", ["europe-west1", "global", "eu"])
@pytest.mark.parametrize("stream", [False, True])
def test_claude_on_vertex(region: str, stream: bool) -> None:
    anthropic = pytest.importorskip("anthropic")
    asked = {**MESSAGES, "model": "claude-sonnet-4@20250514", **({"stream": True} if stream else {})}
    theirs = recorded(
        lambda http: anthropic.AnthropicVertex(
            region=region, project_id="p-1", access_token=TOKEN, http_client=http, max_retries=0
        ).messages.create(**asked, extra_headers=TAKEN)
    )
    headers = {**VERSION, **TAKEN}
    made = ours(ANTHROPIC, {"name": "vertex", "region": region, "project": "p-1"}, asked, headers=headers)
    same(theirs, made, "anthropic-beta", *AUTH)
    assert "model" not in made.body
    assert "anthropic-version" not in made.headers


@pytest.mark.parametrize(
    ("kind", "settings", "cloud"),
    [
        ("AnthropicFoundry", {"resource": "ours"}, {"name": "azure", "resource": "ours"}),
        ("AnthropicBedrockMantle", {"aws_region": "us-east-1"}, {"name": "bedrock_mantle", "region": "us-east-1"}),
    ],
)
def test_claude_where_it_is_served_as_at_home(kind: str, settings: Json, cloud: Json) -> None:
    anthropic = pytest.importorskip("anthropic")
    client = getattr(anthropic, kind, None) or getattr(pytest.importorskip("anthropic.lib.bedrock"), kind)
    theirs = recorded(
        lambda http: client(api_key=TOKEN, http_client=http, max_retries=0, **settings).messages.create(**MESSAGES)
    )
    same(theirs, ours(ANTHROPIC, cloud, MESSAGES, headers=VERSION), "anthropic-version", "authorization", "x-api-key")


# --- OpenAI's protocols -----------------------------------------------------------------------------------------------

ASKED: dict[str, Json] = {CHAT: {"model": "m.1", "messages": HELLO}, RESPONSES: {"model": "m.1", "input": "hi"}}
both = pytest.mark.parametrize("side", [CHAT, RESPONSES])


def created(client: Any, side: str) -> Any:
    return (client.chat.completions if side == CHAT else client.responses).create(**ASKED[side])


@both
@pytest.mark.parametrize("entra", [False, True])
def test_azure_deployments(side: str, entra: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    openai = pytest.importorskip("openai")
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", "https://ours.openai.azure.com/")
    monkeypatch.setenv("OPENAI_API_VERSION", "2025-04-01-preview")
    key = {"azure_ad_token": TOKEN} if entra else {"api_key": TOKEN}
    theirs = recorded(lambda http: created(openai.AzureOpenAI(http_client=http, max_retries=0, **key), side))
    cloud = {"name": "azure_deployments", **({"auth": "bearer"} if entra else {})}
    made = ours(side, cloud, ASKED[side])
    same(theirs, made, *AUTH)
    assert made.query == {"api-version": "2025-04-01-preview"}


@both
@pytest.mark.parametrize("entra", [False, True])
def test_azure_without_versions(side: str, entra: bool) -> None:
    """Where the client is the one of OpenAI's own servers."""
    openai = pytest.importorskip("openai")
    url = "https://ours.openai.azure.com/openai/v1/"
    more = {} if entra else {"default_headers": {"api-key": TOKEN}}  # it sends both
    theirs = recorded(
        lambda http: created(openai.OpenAI(base_url=url, api_key=TOKEN, http_client=http, max_retries=0, **more), side)
    )
    cloud = {"name": "azure", "resource": "ours", **({"auth": "bearer"} if entra else {})}
    same(theirs, ours(side, cloud, ASKED[side]), "authorization" if entra else "api-key")


@both
@pytest.mark.parametrize(("endpoint", "name"), [("runtime", "bedrock"), ("mantle", "bedrock_mantle")])
def test_openai_on_aws(side: str, endpoint: str, name: str) -> None:
    openai = pytest.importorskip("openai")
    bedrock = pytest.importorskip("openai.providers").bedrock
    provider = bedrock(region="us-east-1", api_key=TOKEN, endpoint=endpoint)
    theirs = recorded(lambda http: created(openai.OpenAI(provider=provider, http_client=http, max_retries=0), side))
    same(theirs, ours(side, {"name": name, "region": "us-east-1"}, ASKED[side]), *AUTH)


def test_openai_on_vertex() -> None:
    openai = pytest.importorskip("openai")
    provider = pytest.importorskip("openai.providers.vertex").vertex(
        project="p-1", location="us-central1", token_provider=lambda: TOKEN
    )
    theirs = recorded(
        lambda http: created(openai.OpenAI(provider=provider, http_client=http, max_retries=0), RESPONSES)
    )
    cloud = {"name": "vertex", "project": "p-1", "region": "us-central1"}
    same(theirs, ours(RESPONSES, cloud, ASKED[RESPONSES]), *AUTH)


def test_a_router_is_told_who_asks() -> None:
    cloud = {"name": "openrouter", "referer": "https://ours.example/app", "title": "Our app"}
    made = ours(CHAT, cloud, ASKED[CHAT])
    assert (made.host, made.path) == ("openrouter.ai", "/api/v1/chat/completions")
    assert made.headers["authorization"] == f"Bearer {TOKEN}"
    assert (made.headers["http-referer"], made.headers["x-title"]) == ("https://ours.example/app", "Our app")
    assert not {"http-referer", "x-title"} & ours(CHAT, "openrouter", ASKED[CHAT]).headers.keys()
    assert ours(RESPONSES, "openrouter", ASKED[RESPONSES]).path == "/api/v1/responses"
    assert ours(ANTHROPIC, "openrouter", MESSAGES).path == "/api/v1/messages"
    assert ours(CHAT, "mistral", ASKED[CHAT])[1:3] == ("api.mistral.ai", "/v1/chat/completions")


# --- Gemini -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("region", ["europe-west4", "global", "us"])
@pytest.mark.parametrize("stream", [False, True])
def test_gemini_on_vertex(region: str, stream: bool) -> None:
    genai = pytest.importorskip("google.genai")
    credentials = pytest.importorskip("google.oauth2.credentials").Credentials(TOKEN)

    def ask(http: Any) -> Any:
        options = {"httpx_client": http}
        client = genai.Client(
            vertexai=True, project="p-1", location=region, credentials=credentials, http_options=options
        )
        method = client.models.generate_content_stream if stream else client.models.generate_content
        return method(model="gemini-3-pro", contents="hi")

    method = "streamGenerateContent?alt=sse" if stream else "generateContent"
    body = {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}
    made = ours(
        GEMINI,
        {"name": "vertex", "project": "p-1", "region": region},
        body,
        path=f"/v1beta/models/gemini-3-pro:{method}",
    )
    same(recorded(ask), made, *AUTH)
    where = f"/v1beta1/projects/p-1/locations/{region}/publishers/google/models/gemini-3-pro"
    assert made.path == f"{where}:{method.partition('?')[0]}"


def test_gemini_on_vertex_by_a_key() -> None:
    genai = pytest.importorskip("google.genai")

    def ask(http: Any) -> Any:
        client = genai.Client(vertexai=True, api_key=TOKEN, http_options={"httpx_client": http})
        client.models.generate_content(model="gemini-3-pro", contents="hi")

    body = {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}
    made = ours(GEMINI, "vertex_express", body, path="/v1beta/models/gemini-3-pro:generateContent")
    same(recorded(ask), made, *AUTH)
