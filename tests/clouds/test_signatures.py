"""Requests to clouds that are signed, or have a token of this machine's: by AWS's and by Google's own libraries."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest

import proxai_ir
from proxai_ir.protocol import signing
from proxai_ir.serve.access import access_of
from proxai_ir.serve.app import app
from proxai_ir.serve.config import from_mapping
from tests.serve.visiting import TOKEN as OPERATOR

from ..clients.provider import ANTHROPIC, CHAT, GEMINI, TEXT, reply
from .mock import ACCESS, SECRET, SIGNED, TOKEN, Bedrock, OverHttpx, Sent, sent, signature_of
from .support import ASKED, BEDROCK, HELLO, MODELS, gateway, text_of

Json = Any


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
    assert came.status_code == 401  # AWS's own 403 is for its type InvalidSignatureException (spec/clouds.md)
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


# --- without a gateway ------------------------------------------------------------------------------------------------


def test_the_region_is_that_of_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    assert signing.aws_region() == ""
    (tmp_path / "config").write_text("[default]\nregion = sa-east-1\n[profile work]\nregion = eu-north-1\n")
    (tmp_path / "credentials").write_text("[other]\nregion = ap-south-1\n[bare]\naws_access_key_id = a\n")
    found = {name: signing.aws_region(name) for name in ("work", "other", "bare", "default", "missing")}
    assert found == {"work": "eu-north-1", "other": "ap-south-1", "bare": "", "default": "sa-east-1", "missing": ""}
    assert signing.aws_region() == "sa-east-1"
    monkeypatch.setenv("AWS_PROFILE", "work")
    assert signing.aws_region() == "eu-north-1"
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
    monkeypatch.setenv("AWS_REGION", "eu-west-2")
    assert signing.aws_region() == "eu-west-2"
    assert signing.aws_region("work") == "eu-north-1"
    (tmp_path / "config").write_text("no section\n")
    assert signing.aws_region("work") == ""


@pytest.mark.parametrize(
    ("host", "region"),
    [
        ("bedrock-runtime.eu-west-3.amazonaws.com", "eu-west-3"),
        ("vpce-1a.bedrock-runtime.us-gov-west-1.vpce.amazonaws.com", "us-gov-west-1"),
        ("bedrock-mantle.ap-southeast-2.api.aws", "ap-southeast-2"),
        ("gateway.example.com", "us-east-1"),
    ],
)
def test_the_region_is_that_of_the_address(host: str, region: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("botocore")
    for name, value in SIGNED.items():
        monkeypatch.setenv(name, value)
    signed = signing.aws("bedrock")("POST", f"https://{host}/model/m/converse", {}, b"{}")
    assert f"/{region}/bedrock/aws4_request" in signed["authorization"]


def test_a_package_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "botocore.session", None)
    headers = {"content-type": "application/json"}
    sent = ("POST", "http://h/model/m/converse", headers, b"{}")
    for needed in (False, True):
        with pytest.raises(signing.MissingPackage, match="botocore"):
            signing.aws("bedrock", needed=needed)(*sent)


@pytest.mark.parametrize("needed", [False, True])
def test_credentials_that_fail_are_named(monkeypatch: pytest.MonkeyPatch, needed: bool) -> None:
    """A request without a signature would be refused for a reason that is none."""
    pytest.importorskip("botocore")
    monkeypatch.setenv("AWS_PROFILE", "of nobody")
    with pytest.raises(signing.Unsigned, match=r"cannot be used \(ProfileNotFound\)"):
        signing.aws("bedrock", needed=needed)("POST", "http://h/model/m/converse", {}, b"{}")
