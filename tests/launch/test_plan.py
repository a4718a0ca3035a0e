"""What is set for a client: by the table, and for any command; what is said where something is missing."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from proxai_ir import protocols
from proxai_ir.exchange.provider import http_of
from proxai_ir.launch.clients import CLIENTS, COMMAND, SDKS
from proxai_ir.launch.plan import CannotRun, plan_of, upstream_of
from proxai_ir.profiles.apis import VENDORS
from proxai_ir.profiles.clouds import CLOUDS

ROOT = Path(__file__).parents[2]
SOURCE = re.compile(r"https://|[\w-]+ \d+\.\d+\.\d+, `")
"""A page, or a name in a version of a package; else a page of the specification."""
URL, KEY, MODEL = "http://127.0.0.1:9", "k", "gemini-3-pro"
TO_BE_FILLED = re.compile(r"\{(url|key|model|folder)\}")


@pytest.mark.parametrize("client", [*CLIENTS, *SDKS, COMMAND], ids=lambda one: one.name or "any")
def test_every_row_leads_to_the_gateway(client: object) -> None:
    row = next(one for one in (*CLIENTS, *SDKS, COMMAND) if one is client)
    plan = plan_of((row.name or "any", "-p", "hi"), URL, KEY, MODEL, "/folder", row)
    told = json.dumps([plan.command, dict(plan.environment)])
    assert URL in told
    assert KEY in plan.environment.values() or KEY in told
    assert not TO_BE_FILLED.search(told)
    assert plan.command[-2:] == ("-p", "hi")
    assert set(row.protocols) <= set(protocols())
    assert row.source
    assert row.install or row is COMMAND


def test_every_vendor_speaks_protocols_that_there_are() -> None:
    for vendor in VENDORS:
        assert set(vendor.base_urls) <= set(protocols()), vendor.name
        for protocol, base_url in vendor.base_urls.items():
            http = http_of(protocol)
            assert base_url or http.base_url, vendor.name
            assert vendor.keys or http.key_env, vendor.name
            assert vendor.cloud is None or any(vendor.cloud == one.name and protocol in one.paths for one in CLOUDS)
        assert SOURCE.match(vendor.source) or (ROOT / vendor.source).is_file(), vendor.name
    assert len({one.name for one in VENDORS}) == len(VENDORS)


def test_claude() -> None:
    plan = plan_of(("/opt/bin/claude",), URL, KEY, MODEL, "")
    before = {"PATH": "/bin", "ANTHROPIC_API_KEY": "own", "NO_PROXY": "corp"}
    assert plan.applied_to(before) == {
        "PATH": "/bin",
        "ANTHROPIC_BASE_URL": URL,
        "ANTHROPIC_AUTH_TOKEN": "k",
        "NO_PROXY": "corp,127.0.0.1,localhost",
        "no_proxy": "127.0.0.1,localhost",
    }
    assert plan.command == ("/opt/bin/claude",)


def test_codex_gets_arguments() -> None:
    plan = plan_of(("codex", "exec", "hi"), URL, KEY, MODEL, "")
    assert 'model_providers.proxai_ir.base_url="http://127.0.0.1:9/v1"' in plan.command
    assert plan.command[-2:] == ("exec", "hi")
    assert plan.environment == {"PROXAI_IR_KEY": "k"}


def test_a_name_of_a_model_is_no_template() -> None:
    assert plan_of(("aider",), URL, KEY, "{key}", "").environment["AIDER_MODEL"] == "openai/{key}"


def test_a_file_of_the_clients_stands_in_the_midst_of_the_users_own(tmp_path: Path) -> None:
    home, folder = tmp_path / "home", tmp_path / "folder"
    (home / ".gemini").mkdir(parents=True)
    (home / ".gemini/GEMINI.md").write_text("my rules")
    own = {"ui": {"theme": "dark"}, "security": {"auth": {"selectedType": "oauth-personal", "useExternal": False}}}
    (home / ".gemini/settings.json").write_text(json.dumps(own))
    plan_of(("gemini",), URL, KEY, MODEL, str(folder)).write(home)
    assert (folder / ".gemini/GEMINI.md").read_text() == "my rules"
    assert json.loads((folder / ".gemini/settings.json").read_text()) == {
        "ui": {"theme": "dark"},
        "security": {"auth": {"selectedType": "gemini-api-key", "useExternal": False}},
    }
    assert json.loads((home / ".gemini/settings.json").read_text()) == own


def test_a_file_that_is_no_json(tmp_path: Path) -> None:
    (tmp_path / ".gemini").mkdir()
    (tmp_path / ".gemini/settings.json").write_text("{ // mine\n}")
    with pytest.raises(CannotRun, match=r"settings\.json cannot be read as JSON: .* line 1"):
        plan_of(("gemini",), URL, KEY, MODEL, str(tmp_path / "folder")).write(tmp_path)


# --- where the model is ---

ENVIRONMENT = {"GOOGLE_API_KEY": "g", "OPENAI_API_KEY": " ", "MINE": "m"}


def test_an_upstream() -> None:
    found = upstream_of("gemini:gemini-3-pro", ENVIRONMENT)
    assert found.table == {
        "protocol": "gemini_generate_content",
        "base_url": "https://generativelanguage.googleapis.com",
        "key_env": "GOOGLE_API_KEY",
        "profile": None,
        "server": None,
        "cloud": None,
        "body": None,
        "context": None,
    }


def test_a_model_of_a_name_with_colons_and_slashes() -> None:
    found = upstream_of("openrouter:z-ai/glm-5:free", {"OPENROUTER_API_KEY": "k"})
    assert (found.model, found.table["server"]) == ("z-ai/glm-5:free", "openrouter")


def test_the_protocol_in_which_a_model_can_do_most() -> None:
    assert upstream_of("xai:grok-4", {}).protocol == "openai_responses"
    assert upstream_of("groq:qwen/qwen3-32b", {}).protocol == "openai_chat_completions"
    assert upstream_of("openai:gpt-4o", {}).protocol == "openai_responses"


def test_a_server_on_this_machine_needs_no_key() -> None:
    table = upstream_of("vllm:qwen3", {}, "http://10.0.0.2:8000/v1").table
    assert (table["key_env"], table["profile"], table["base_url"]) == (None, "vllm", "http://10.0.0.2:8000/v1")


@pytest.mark.parametrize(
    ("on", "message"),
    [
        ("gemni:x", "there is no protocol, vendor or profile 'gemni'; did you mean 'gemini'? Expected a protocol (an"),
        (
            "compatible_chat:m",
            "compatible_chat is a profile of openai_chat_completions, which no URL belongs to; exp",
        ),
        ("openai:gpt-5", "openai needs an API key: set OPENAI_API_KEY"),
    ],
)
def test_what_is_missing(on: str, message: str) -> None:
    with pytest.raises(CannotRun) as caught:
        _ = upstream_of(on, ENVIRONMENT).table
    assert str(caught.value).startswith(message)


def test_a_local_model_is_asked_in_its_servers_own_protocol() -> None:
    table = upstream_of("ollama:qwen3:8b", {}).table
    assert (table["protocol"], table["base_url"], table["profile"]) == ("ollama_chat", "http://127.0.0.1:11434", None)


def test_a_key_goes_to_no_url_that_the_caller_states_for_a_protocol() -> None:
    assert upstream_of("openai_responses:m", {"OPENAI_API_KEY": "k"}).key == "OPENAI_API_KEY"
    found = upstream_of("openai_responses:m", {"OPENAI_API_KEY": "k"}, "http://127.0.0.1:1")
    assert (found.key, found.missing, found.base_url) == (None, "", "http://127.0.0.1:1")


def test_a_model_on_a_cloud() -> None:
    found = upstream_of("vertex:claude-sonnet-5", {})
    assert found.table == {
        "protocol": "anthropic_messages",
        "base_url": "",
        "key_env": None,
        "profile": None,
        "server": "vertex",
        "cloud": "vertex",
        "body": None,
        "context": None,
    }
    assert upstream_of("vertex:gemini-3-pro", {}).protocol == "gemini_generate_content"


def test_requests_that_are_signed_need_no_key() -> None:
    found = upstream_of("bedrock:amazon.nova-pro-v1:0", {}).table
    assert (found["protocol"], found["key_env"], found["cloud"]) == ("bedrock_converse", None, None)
    found = upstream_of("bedrock:amazon.nova-pro-v1:0", {"AWS_BEARER_TOKEN_BEDROCK": "k"}).table
    assert found["key_env"] == "AWS_BEARER_TOKEN_BEDROCK"


def test_a_variable_of_ones_own() -> None:
    assert upstream_of("openai:gpt-5", ENVIRONMENT, key_env="MINE").table["key_env"] == "MINE"
    with pytest.raises(CannotRun, match="set NOT_THERE"):
        _ = upstream_of("openai:gpt-5", ENVIRONMENT, key_env="NOT_THERE").table
