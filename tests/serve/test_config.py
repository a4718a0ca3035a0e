"""The configuration: what it means, and that what is wrong is named with file, line and key."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

pytest.importorskip("pydantic", reason='the gateway needs the extra "serve"')
pytest.importorskip("httpx", reason='the gateway needs the extra "serve"')

from proxai_ir import Profile, profiles
from proxai_ir.cli.app import app as cli
from proxai_ir.exchange.provider import joined
from proxai_ir.serve import config as configuration
from proxai_ir.serve.config import ConfigError
from proxai_ir.serve.gateway import Gateway
from proxai_ir.serve.upstreams import Routes

GOOD = """
[listen]
port = 4100

[upstreams.claude]
protocol = "anthropic_messages"
base_url = "https://claude.invalid"
key_env = "CLAUDE_KEY"
headers = { x-team = "${TEAM}" }

[upstreams.local]
profile = "vllm"
base_url = "http://127.0.0.1:8000/v1"
settings = { images = false }

[[routes]]
models = ["claude-*"]
upstream = "claude"

[[routes]]
models = ["gpt-5", "gpt-*"]
upstream = "claude"
model = "claude-opus-5"
fallbacks = ["local", { upstream = "claude", model = "claude-haiku-5" }]
"""


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_KEY", "sk-the-secret-of-claude")
    monkeypatch.setenv("TEAM", "blue")


def read(text: str, folder: Path) -> configuration.Config:
    file = folder / "gateway.toml"
    file.write_text(text)
    return configuration.from_file(file)


def test_a_file(tmp_path: Path) -> None:
    config = read(GOOD, tmp_path)
    assert (config.listen.host, config.listen.port) == ("127.0.0.1", 4100)
    assert configuration.headers_of(config.upstreams["claude"]) == {"x-team": "blue"}
    assert configuration.profile_of(config.upstreams["claude"]) == Profile("anthropic_messages")
    local = configuration.profile_of(config.upstreams["local"])
    assert local.settings == {**profiles.VLLM.settings, "images": False}
    routes = Routes(config)
    sent = {
        model: [(one.upstream, one.model) for one in routes.candidates(model)]
        for model in ("claude-x", "gpt-5", "gpt-4", "mistral")
    }
    renamed = [("claude", "claude-opus-5"), ("local", None), ("claude", "claude-haiku-5")]
    assert sent == {"claude-x": [("claude", None)], "gpt-5": renamed, "gpt-4": renamed, "mistral": []}


WRONG: dict[str, tuple[str, str, int, str, str]] = {
    "no TOML": ("[listen]", "[listen", 2, "", "Expected"),
    "an unknown setting": ("port = 4100", "ports = 4100", 3, "listen.ports", "there is no such setting"),
    "nearly a setting": ("port = 4100", "prt = 4100", 3, "listen.prt", "there is no such setting; expected port"),
    "no setting of a fallback": (
        'model = "claude-haiku-5"',
        'modle = "claude-haiku-5"',
        24,
        "routes[1].fallbacks[1].modle",
        "there is no such setting; expected model",
    ),
    "no setting at all": (
        "base_url =",
        "x = 1\nbase_url =",
        7,
        "upstreams.claude.x",
        "one of protocol, base_url, key_env",
    ),
    "an origin with a path": (
        "[listen]",
        "[access]\norigins = ['https://a.example/x']\n[listen]",
        3,
        "access.origins",
        "expected one like https://app.example",
    ),
    "an origin without keys": (
        "[listen]",
        "[access]\norigins = ['https://a.example']\n[listen]",
        3,
        "access.origins",
        "needs [access] with client keys",
    ),
    "one of several variables": (
        '"CLAUDE_KEY"',
        '["CLAUDE_KEY", "NO_KEY"]',
        8,
        "upstreams.claude.key_env",
        "no variable NO_KEY",
    ),
    "a wrong type": ("port = 4100", 'port = "4100"', 3, "listen.port", "integer"),
    "an unknown table": ("[listen]", "[listens]", 2, "listens", "there is no such setting"),
    "no URL": ("base_url =", "# base_url =", 5, "upstreams.claude.base_url", "missing"),
    "a bad URL": ("https://claude", "ftp://claude", 7, "upstreams.claude.base_url", "http:// or https://"),
    "a URL with a password": ("https://claude", "https://a:b@claude", 7, "upstreams.claude.base_url", "user name"),
    "an unknown protocol": ('"anthropic_messages"', '"claude"', 6, "upstreams.claude.protocol", "openai_responses"),
    "the profile of another protocol": (
        'profile = "vllm"',
        'profile = "vllm"\nprotocol = "anthropic_messages"',
        12,
        "upstreams.local.profile",
        "this profile is of openai_chat_completions",
    ),
    "an unknown profile": ('"vllm"', '"vlm"', 12, "upstreams.local.profile", "vertex_ai"),
    "an unknown capability": ("images = ", "image = ", 14, "upstreams.local.settings", "'image'"),
    "no such variable": ("CLAUDE_KEY", "NO_KEY", 8, "upstreams.claude.key_env", "no variable NO_KEY"),
    "no such variable in a header": ("${TEAM}", "${NO_TEAM}", 9, "upstreams.claude.headers", "no variable NO_TEAM"),
    "an unknown upstream": ('"claude"\nmodel', '"clade"\nmodel', 22, "routes[1].upstream", "there is claude, local"),
    "an unknown fallback": ('"local", {', '"locl", {', 24, "routes[1].fallbacks[0]", "there is claude, local"),
    "a name that is no header": (
        "x-team",
        '"x team"',
        9,
        "upstreams.claude.headers",
        "'x team' is no name of a header",
    ),
    "a value that is no header": ("${TEAM}", "${TEAM}é", 9, "upstreams.claude.headers", "x-team has a character"),
    "no token": ("[listen]", "[access]\nadmin_env = 'NO_TOKEN'\n[listen]", 3, "access.admin_env", "NO_TOKEN needs at"),
    "beyond this machine": ("port =", 'host = "0.0.0.0"\nport =', 3, "listen.host", "[access] with client keys"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_named(name: str, tmp_path: Path) -> None:
    old, new, line, key, words = WRONG[name]
    assert old in GOOD
    with pytest.raises(ConfigError) as raised:
        read(GOOD.replace(old, new, 1), tmp_path)
    text = str(raised.value)
    assert text.startswith(f"{tmp_path}/gateway.toml:{line}: {key}"), text
    assert words in text
    assert "secret" not in text


def test_the_specification_describes_every_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-the-secret-of-claude")
    text = (Path(__file__).parents[2] / "spec" / "gateway.md").read_text()
    config = read(text.partition("```toml\n")[2].partition("```")[0], tmp_path)
    assert [one.upstream for one in Routes(config).candidates("gpt-5")] == ["claude", "local"]
    table = text.partition("| setting |")[2].partition("\n\n")[0]
    for name, value in config:
        listed: dict[str, Any] = {"upstreams": configuration.UpstreamTable, "routes": configuration.RouteTable}
        for setting in listed.get(name, type(value)).model_fields:
            assert f".{setting}`" in table, f"{name}.{setting} is not described"


def test_an_unreadable_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.toml: cannot be read: No such file"):
        configuration.from_file(tmp_path / "none.toml")


def test_several_upstreams_need_routes(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"expected \[\[routes\]\]"):
        read(GOOD.partition("[[routes]]")[0], tmp_path)


def test_client_keys_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = tmp_path / "keys"
    keys.write_text("# the team\nthe  team first-key-of-clients\n\n  second-key-of-clients\n")
    monkeypatch.setenv("ONE", "third-key-of-clients")
    access = f'[access]\nkeys_file = "{keys}"\nkeys_env = ["ONE"]\n[listen]\nhost = "0.0.0.0"'
    config = read(GOOD.replace("[listen]", access, 1), tmp_path)
    named = {"third": "ONE", "first": "the team", "second": ""}
    assert configuration.client_keys(config) == {f"{one}-key-of-clients": name for one, name in named.items()}
    keys.write_text("short")
    with pytest.raises(
        ConfigError, match=r"keys_file: .*keys:1: the key has less than 16 characters; expected a file with"
    ):
        read(GOOD.replace("[listen]", access, 1), tmp_path)


# --- keys -------------------------------------------------------------------------------------------------------------

UNSENDABLE = {
    "a line break": "the-secret\nof-claude",
    "a zero byte": "the-secret\x01of-claude",
    "no ASCII": "the-secrét",
}
unsendable = pytest.mark.parametrize("key", UNSENDABLE.values(), ids=UNSENDABLE)


def test_white_space_around_a_key_is_no_part_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Mounted secrets end with a line break."""
    monkeypatch.setenv("CLAUDE_KEY", " sk-the-secret-of-claude\r\n")
    monkeypatch.setenv("TEAM", "blue\n")
    monkeypatch.setenv("ONE", "\tfirst-key-of-clients\n")
    monkeypatch.setenv("ADMIN", "token-of-the-operator\n")
    access = '[access]\nkeys_env = ["ONE"]\nadmin_env = "ADMIN"\n[listen]'
    config = read(GOOD.replace("[listen]", access, 1), tmp_path)
    assert configuration.headers_of(config.upstreams["claude"]) == {"x-team": "blue"}
    gateway = Gateway(config)
    assert [*gateway.upstreams["claude"].keys] == ["sk-the-secret-of-claude"]
    assert gateway.access.owner("first-key-of-clients", {})
    gateway.access.check_operator({}, "token-of-the-operator")


@unsendable
@pytest.mark.parametrize(("name", "place"), [("CLAUDE_KEY", "key_env"), ("TEAM", "headers")])
def test_keys_that_no_header_can_have(
    key: str, name: str, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, key)
    with pytest.raises(ConfigError) as raised:
        read(GOOD, tmp_path)
    assert f"upstreams.claude.{place}: the environment variable {name} has a character that no header" in str(
        raised.value
    )
    assert "secr" not in str(raised.value)


@unsendable
@pytest.mark.parametrize(("setting", "given"), [("keys_env", '["ONE"]'), ("admin_env", '"ONE"')])
def test_keys_that_no_client_can_send(
    key: str, setting: str, given: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ONE", f"{key}-and-so-on")
    with pytest.raises(ConfigError) as raised:
        read(GOOD.replace("[listen]", f"[access]\n{setting} = {given}\n[listen]", 1), tmp_path)
    assert f"access.{setting}: the environment variable ONE has a character that no header" in str(raised.value)
    assert "secr" not in str(raised.value)


def test_a_file_of_keys_that_no_client_can_send(tmp_path: Path) -> None:
    keys = tmp_path / "keys"
    keys.write_text("\ufefffirst-key-of-clients\nthe-secrét-of-clients\n", encoding="utf-8")
    with pytest.raises(ConfigError) as raised:
        read(GOOD.replace("[listen]", f'[access]\nkeys_file = "{keys}"\n[listen]', 1), tmp_path)
    assert f"access.keys_file: {keys}:2: the key has a character that no header can have" in str(raised.value)
    assert "secr" not in str(raised.value)


@pytest.mark.parametrize(
    ("base", "url"),
    [
        ("https://a.invalid", "https://a.invalid/v1/messages"),
        ("https://a.invalid/", "https://a.invalid/v1/messages"),
        ("https://a.invalid/v1", "https://a.invalid/v1/messages"),
        ("https://a.invalid/v1/", "https://a.invalid/v1/messages"),
        ("https://a.invalid/openai/v1", "https://a.invalid/openai/v1/messages"),
        ("https://a.invalid/v1beta/openai/", "https://a.invalid/v1beta/openai/messages"),
        ("https://a.invalid/api/paas/v4", "https://a.invalid/api/paas/v4/messages"),
        ("https://a.invalid/anthropic", "https://a.invalid/anthropic/v1/messages"),
        ("https://a.invalid/x?api-version=7", "https://a.invalid/x/v1/messages?api-version=7"),
    ],
)
def test_base_urls(base: str, url: str) -> None:
    assert str(joined(base, "/v1/messages")) == url


def test_the_version_of_a_base_url_counts() -> None:
    vertex = "https://a.invalid/v1/projects/p/locations/l/publishers/google"
    path = "/v1beta/models/m:streamGenerateContent?alt=sse"
    assert str(joined(vertex, path)) == f"{vertex}/models/m:streamGenerateContent?alt=sse"


def test_a_model_cannot_lead_out_of_the_path() -> None:
    path = "/v1beta/models/..%2F..%2Fv1%2Ffiles%3Fkey:generateContent"
    assert joined("https://a.invalid", path) == f"https://a.invalid{path}"


def command(*arguments: str, **settings: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "proxai_ir.cli", "serve", *arguments],
        capture_output=True, text=True, timeout=60, check=False, **settings,
    )  # fmt: skip


def test_the_command_names_what_is_wrong(tmp_path: Path) -> None:
    file = tmp_path / "gateway.toml"
    file.write_text(GOOD.replace("port = 4100", "port = 99999"))
    found = command("--config", str(file))
    assert found.returncode == 2
    assert found.stderr.startswith(f"proxai-ir: {file}:3: listen.port: ")


def in_process(*arguments: str) -> Result:
    """The same without a process of its own, which takes much longer to start than to refuse."""
    return CliRunner().invoke(cli, ["serve", *arguments], prog_name="proxai-ir", catch_exceptions=False)


def test_the_command_with_a_key_that_cannot_be_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    options = ["--to", "anthropic_messages", "--base-url", "https://a.invalid", "--key-env", "CLAUDE_KEY"]
    monkeypatch.setenv("CLAUDE_KEY", "the-secrét")
    found = in_process(*options)
    assert found.exit_code == 2
    (line,) = found.stderr.splitlines()
    assert line.startswith("proxai-ir: upstreams.default.key_env: the environment variable CLAUDE_KEY has a character")
    assert "secr" not in line


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--to", "openai_responses"],
        ["--base-url", "https://a.invalid"],
        ["--config", "x.toml", "--base-url", "https://a.invalid"],
        ["--config", "x.toml", "--model", "m"],
        ["--to", "anthropic_messages", "--base-url", "https://a.invalid", "--key-env", "NO_SUCH_KEY"],
        ["--to", "anthropic_messages", "--base-url", "https://a.invalid", "--host", "0.0.0.0"],
    ],
)
def test_the_command_with_wrong_options(arguments: list[str]) -> None:
    found = in_process(*arguments)
    assert found.exit_code == 2
    assert found.stderr
    assert "Traceback" not in found.stderr
