"""Clouds whose signing package is not installed: refused at the start, with what to install; never sent unsigned.

The packages are hidden, so that these tests are the same where they are installed and where they are not.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest
from typer.testing import CliRunner

import proxai_ir
from proxai_ir.cli.app import app
from proxai_ir.profiles import clouds as google
from proxai_ir.protocol import signing

HEADERS = {"content-type": "application/json"}
SENT = ("POST", "https://bedrock-runtime.us-east-1.amazonaws.com/model/m/converse", HEADERS, b"{}")
INSTALL_AWS = 'it needs botocore: in the checkout, pip install ".[bedrock]"'
INSTALL_GOOGLE = 'it needs google.auth: in the checkout, pip install ".[vertex]"'
VERTEX = {"name": "vertex", "project": "p", "region": "global"}
AT_GOOGLE = 'cloud = {name = "vertex", project = "p", region = "global"}'


@pytest.fixture(autouse=True)
def hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("botocore", "google.auth"):
        monkeypatch.setitem(sys.modules, module, None)
    for name in ("AWS_BEARER_TOKEN_BEDROCK", "AWS_PROFILE", "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "a")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "s")
    monkeypatch.setenv("AWS_REGION", "us-east-1")


@pytest.mark.parametrize("needed", [False, True])
def test_no_request_is_sent_unsigned(needed: bool) -> None:
    with pytest.raises(signing.MissingPackage) as error:
        signing.aws("bedrock", needed=needed)(*SENT)
    assert INSTALL_AWS in str(error.value)


def test_a_token_needs_no_package() -> None:
    headers = {**HEADERS, "authorization": "Bearer t"}
    assert signing.aws("bedrock", needed=False)(SENT[0], SENT[1], headers, SENT[3]) == headers


def test_no_credentials_are_another_thing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server of one's own may want none: what can be looked for, and is not there, is sent without a signature."""

    def found() -> Any:
        raise signing.NoCredentials("there are none")

    made = signing.Signer(found, lambda *_: {}, ("json", "none"), needed=False)
    assert made(*SENT) == HEADERS
    with pytest.raises(signing.NoCredentials):
        signing.Signer(found, lambda *_: {}, ("json", "none"))(*SENT)


def test_google() -> None:
    with pytest.raises(signing.MissingPackage) as error:
        google.google().ready()
    assert INSTALL_GOOGLE in str(error.value)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: proxai_ir.httpx.client("bedrock_converse", base_url="https://a.b"), INSTALL_AWS),
        (lambda: proxai_ir.httpx.client("anthropic_messages", cloud="bedrock"), INSTALL_AWS),
        (lambda: proxai_ir.httpx.client("anthropic_messages", cloud=VERTEX), INSTALL_GOOGLE),
    ],
)
def test_clients_of_sdks(make: Callable[[], Any], said: str) -> None:
    pytest.importorskip("httpx")
    with pytest.raises(ValueError, match=r"cannot be signed") as error:
        make()
    assert said in str(error.value)


def test_an_exchange_says_so_when_it_signs() -> None:
    """It reads and sends nothing by itself: who signs by other means needs no package."""
    exchange = proxai_ir.Exchange("openai_chat_completions", "bedrock_converse", model="m")
    sent = exchange.request({"model": "m", "messages": [{"role": "user", "content": "hi"}]}, {})
    with pytest.raises(signing.MissingPackage):
        exchange.signed(sent, SENT[1])


CONFIG = """
[upstreams.one]
{upstream}
[[routes]]
models = ["*"]
upstream = "one"
"""


@pytest.mark.parametrize(
    ("upstream", "said"),
    [
        ('protocol = "bedrock_converse"\nbase_url = "https://bedrock-runtime.us-east-1.amazonaws.com"', INSTALL_AWS),
        ('protocol = "anthropic_messages"\ncloud = "bedrock"', INSTALL_AWS),
        (
            'protocol = "anthropic_messages"\ncloud = {name = "vertex", project = "p", region = "global"}',
            INSTALL_GOOGLE,
        ),
    ],
)
def test_a_configuration(upstream: str, said: str, tmp_path: Any) -> None:
    pytest.importorskip("pydantic")
    pytest.importorskip("uvicorn")
    file = tmp_path / "gateway.toml"
    file.write_text(CONFIG.format(upstream=upstream))
    done = CliRunner().invoke(app, ["serve", "--config", str(file), "--port", "0", "--no-storage"])
    assert done.exit_code == 2
    assert said in done.output.replace("\n", " ")


@pytest.mark.parametrize(
    ("on", "said"),
    [
        ("bedrock:amazon.nova-pro-v1:0", INSTALL_AWS),
        ("azure:gpt-5.2", "or set AZURE_OPENAI_ENDPOINT, or base_url (--base-url), to the whole URL"),
        ("vertex:gemini-3-pro", "needs 'project'"),
    ],
)
def test_a_run(on: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--dry-run` prints what is missing in place of a plan that a run refuses."""
    for name in ("AZURE_OPENAI_ENDPOINT", "AZURE_OPENAI_API_KEY", "AZURE_RESOURCE_NAME"):
        monkeypatch.delenv(name, raising=False)
    done = CliRunner().invoke(app, ["run", "claude", "--on", on, "--dry-run"])
    (line,) = done.stdout.splitlines()
    assert "; key missing: " in line
    assert said in line
    refused = CliRunner().invoke(app, ["run", sys.executable, "--on", on])
    assert refused.exit_code == 2
    assert said in refused.output
