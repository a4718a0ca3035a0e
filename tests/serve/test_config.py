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
from proxai_ir.exchange.provider import http_of, joined
from proxai_ir.protocol.signing import NoCredentials
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
    "a body that is no table": (
        'profile = "vllm"',
        'profile = "vllm"\nbody = [1]',
        13,
        "upstreams.local.body",
        "dictionary",
    ),
    "a date in a body": (
        "images = false }",
        "images = false }\n[upstreams.local.body.a]\nb = 2026-01-02",
        16,
        "upstreams.local.body.a.b",
        "found a Python date; expected a string",
    ),
    "the model in a body": (
        'profile = "vllm"',
        'profile = "vllm"\nbody = { model = "m" }',
        13,
        "upstreams.local.body.model",
        "each request names its model",
    ),
    "no token": ("[listen]", "[access]\nadmin_env = 'NO_TOKEN'\n[listen]", 3, "access.admin_env", "NO_TOKEN needs at"),
    "a text in place of a list": ('["claude-*"]', '"claude-*"', 17, "routes[0].models", 'expected a list, as ["…"]'),
    "no list": ('upstream = "claude"\n', "upstream = 1\n", 18, "routes[0].upstream", "expected a list"),
    "one of several equal ones": (
        '"claude"\nmodel',
        '["claude", "clade"]\nmodel',
        22,
        "routes[1].upstream",
        "'clade'; there is claude, local",
    ),
    "no upstream at all": ('"claude"\nmodel', "[]\nmodel", 22, "routes[1].upstream", "at least 1"),
    "no path": (
        "headers =",
        'passthrough = ["/v1/x", "v1/files"]\nheaders =',
        9,
        "upstreams.claude.passthrough[1]",
        "path",
    ),
    "a capture of a name": (
        'model = "claude-opus-5"',
        'model = "claude-{}"',
        23,
        "routes[1].model",
        "{} stands for what `*` matches; expected one * in each of the route's models",
    ),
    "a capture of a fallback": (
        'model = "claude-haiku-5"',
        'model = "claude-{}"',
        24,
        "routes[1].fallbacks[1].model",
        "expected one * in each",
    ),
    "no name of a model": (
        'model = "claude-opus-5"',
        'model = " "',
        23,
        "routes[1].model",
        "' ' is no name of a model",
    ),
    "the limits of no key": (
        "[listen]",
        "[access.limits.'*']\ntokens_per_day = 9\n[access.limits.alice]\nrequests_per_minute = 1\n[listen]",
        4,
        "access.limits.alice",
        "no client key has the name 'alice'; expected one of '*'",
    ),
    "no limit of a key": (
        "[listen]",
        "[access.limits.'*']\nrequests_a_minute = 1\n[listen]",
        3,
        "access.limits.*.requests_a_minute",
        "there is no such setting; expected requests_per_minute",
    ),
    "a limit of nothing": (
        "[listen]",
        "[access.limits.'*']\nrequests_at_once = 0\n[listen]",
        3,
        "access.limits.*.requests_at_once",
        "greater than 0",
    ),
    "no model at all": (
        "[listen]",
        "[access.limits.'*']\nmodels = []\n[listen]",
        3,
        "access.limits.*.models",
        "at least 1",
    ),
    "a limit that is no path": (
        "[listen]",
        "[access.limits.'*']\npaths = ['v1/chat']\n[listen]",
        3,
        "access.limits.*.paths[0]",
        "expected a path",
    ),
    "a hook without a function": (
        "[listen]",
        '[hook]\nfunction = "json"\n[listen]',
        3,
        "hook.function",
        "expected \"module:function\", found 'json'",
    ),
    "a hook of no module": (
        "[listen]",
        '[hook]\ntimeout = 2\nfunction = "tests.serve.no_hooks:alone"\n[listen]',
        4,
        "hook.function",
        "the module 'tests.serve.no_hooks' cannot be imported: ModuleNotFoundError (tests.serve.no_hooks)",
    ),
    "a hook of a module that fails": (
        "[listen]",
        '[hook]\nfunction = "tests.serve.hooks_that_fail:alone"\n[listen]',
        3,
        "hook.function",
        "cannot be imported: ValueError",
    ),
    "a hook that is not there": (
        "[listen]",
        '[hook]\nfunction = "tests.serve.hooks:nothing"\n[listen]',
        3,
        "hook.function",
        "the module 'tests.serve.hooks' has no function 'nothing'",
    ),
    "a hook that is no function": (
        "[listen]",
        '[hook]\nfunction = "tests.serve.hooks:RELEASED"\n[listen]',
        3,
        "hook.function",
        "has no function 'RELEASED'",
    ),
    "a hook of one argument": (
        "[listen]",
        '[hook]\nfunction = "tests.serve.hooks:of_one"\n[listen]',
        3,
        "hook.function",
        "expected a function (ir, call)",
    ),
    "an asynchronous hook": (
        "[listen]",
        '[hook]\nfunction = "tests.serve.hooks:later"\n[listen]',
        3,
        "hook.function",
        "is asynchronous; expected a plain function",
    ),
    "a hook without time": (
        "[listen]",
        '[hook]\nfunction = "tests.serve.hooks:alone"\ntimeout = 0\n[listen]',
        4,
        "hook.timeout",
        "greater than 0",
    ),
    "no setting of a hook": (
        "[listen]",
        '[hook]\nfunktion = "tests.serve.hooks:alone"\n[listen]',
        3,
        "hook.funktion",
        "there is no such setting; expected function",
    ),
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


def test_a_file_behind_a_byte_order_mark(tmp_path: Path) -> None:
    """As editors of Windows write it."""
    assert read("\ufeff" + GOOD, tmp_path).listen.port == 4100


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


# --- models -----------------------------------------------------------------------------------------------------------


def routes_of(route: dict[str, Any], **upstream: Any) -> Routes:
    table = {"protocol": "openai_chat_completions", "base_url": "http://a.invalid", **upstream}
    return Routes(configuration.from_mapping({"upstreams": {"u": table}, "routes": [{"upstream": "u", **route}]}))


CAPTURES = [
    ("claude-*", "us.anthropic.{}", "claude-opus-5", "us.anthropic.opus-5"),
    ("*", "{}-eu", "gpt-5", "gpt-5-eu"),
    ("gpt-?-*-prod", "{}/{}", "gpt-5-mini-prod", "mini/mini"),
    ("a.*", "{}", "a.*", "*"),
    ("a*", "big", "abc", "big"),
]


@pytest.mark.parametrize(("pattern", "model", "asked", "sent"), CAPTURES)
def test_what_a_pattern_matched_stands_in_the_name(pattern: str, model: str, asked: str, sent: str) -> None:
    fallback = {"upstream": "u", "model": f"other-{model}"}
    found = routes_of({"models": [pattern], "model": model, "fallbacks": [fallback, "u"]})
    assert [one.model for one in found.candidates(asked)] == [sent, f"other-{sent}", None]
    assert found.candidates("nothing-of-it") == () or pattern == "*"
    assert all("{" not in name for name in found.names)


def test_a_model_that_no_path_can_have_is_named_at_the_start() -> None:
    route = {"models": ["*"], "model": "../files"}
    assert routes_of(route).candidates("m")[0].model == "../files", "it stands in the body"
    with pytest.raises(ConfigError, match=r"routes\[0\]\.model: '\.\./files' is no name of a model that gemini_gen"):
        routes_of(route, protocol="gemini_generate_content")


def test_one_upstream_without_a_route_has_all_models() -> None:
    table = {"protocol": "openai_chat_completions", "base_url": "http://a.invalid"}
    found = Routes(configuration.from_mapping({"upstreams": {"only": table}}))
    assert [(one.upstream, one.model) for one in found.candidates("any")] == [("only", None)]


def test_paths_that_are_passed_on() -> None:
    def passed(given: Any) -> list[bool]:
        table = {"protocol": "openai_chat_completions", "base_url": "http://a.invalid", "passthrough": given}
        (upstream,) = Gateway(configuration.from_mapping({"upstreams": {"only": table}})).upstreams.values()
        return [upstream.passes(path) for path in ("/v1/embeddings", "/v1/audio/speech", "/v1/organization/keys")]

    assert passed(True) == [True] * 3
    assert passed(False) == [False] * 3
    assert passed(["/v1/embeddings", "/v1/audio/*"]) == [True, True, False]


def test_where_responses_are_kept() -> None:
    def kept(**tables: Any) -> bool:
        table = {"protocol": "openai_chat_completions", "base_url": "http://a.invalid"}
        return configuration.from_mapping({"upstreams": {"only": table}, **tables}).keeps_responses

    assert kept()
    assert kept(log={"requests": True})
    assert kept(log={"payloads": True})
    assert not kept(log={"payloads": False})
    assert kept(log={"payloads": False}, storage={"memory_days": 1.0})


def test_converse_needs_a_key_or_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("botocore")

    def without() -> None:
        raise NoCredentials("there are no AWS credentials")

    monkeypatch.setattr(http_of("bedrock_converse").sign, "_found", without)
    monkeypatch.setattr(http_of("bedrock_converse").sign, "_credentials", None)
    monkeypatch.setenv("AWS_KEY", "a-key-of-bedrock")
    table = {"protocol": "bedrock_converse", "base_url": "https://bedrock-runtime.us-east-1.amazonaws.com"}
    with pytest.raises(ConfigError, match=r"upstreams\.u\.key_env: requests cannot be signed: there are no AWS"):
        configuration.from_mapping({"upstreams": {"u": table}})
    for more in ({"key_env": "AWS_KEY"}, {"headers": {"Authorization": "Bearer ${AWS_KEY}"}}):
        assert configuration.from_mapping({"upstreams": {"u": table | more}})
