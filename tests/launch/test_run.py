"""`proxai-ir run` as a process: the client gets the gateway's address and key, and a summary follows its end."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("uvicorn", reason='the gateway needs the extra "serve"')
pytest.importorskip("sqlalchemy", reason='the gateway needs the extra "serve"')

from proxai_ir.storage import Storage

from ..cli.support import Run, environment
from ..clients.provider import GEMINI, TEXT
from ..serve.upstreams import KEY, Upstream, running
from .test_foreground import awaited, is_gone

CLIENT = """#!{python}
# A client of Anthropic Messages: it asks once for each word, and ends with the status of the last response.
import json, os, sys, urllib.error, urllib.request
for word in sys.argv[1:]:
    headers = {{"authorization": "Bearer " + os.environ["ANTHROPIC_AUTH_TOKEN"], "anthropic-version": "2023-06-01"}}
    asked = {{"model": "claude-x", "max_tokens": 9, "messages": [{{"role": "user", "content": word}}]}}
    asked["tools"] = [{{"name": "look", "input_schema": {{"type": "object"}}}}]
    asked["tool_choice"] = {{"type": "auto", "disable_parallel_tool_use": True}}
    assert {key!r} not in os.environ.values() or word == "stranger", "the upstream's key is not the client's"
    if word == "stranger":
        headers["authorization"] = "Bearer any"
    url = os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages"
    try:
        code, made = 0, urllib.request.urlopen(urllib.request.Request(url, json.dumps(asked).encode(), headers)).read()
    except urllib.error.HTTPError as error:
        code, made = error.code % 256, error.read()
    print(made.decode())
sys.exit(code)
"""


@pytest.fixture(scope="module")
def upstream() -> Iterator[tuple[Upstream, str]]:
    made = Upstream(GEMINI)
    with running(made) as url:
        yield made, url


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program that is called as the real one, in front of all others."""
    program = tmp_path / "claude"
    program.write_text(CLIENT.format(python=sys.executable, key=KEY))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    monkeypatch.delenv("GOOGLE_API_KEY", raising=False)
    return program


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "proxai_ir.cli", "run", *arguments]


def test_a_session(upstream: tuple[Upstream, str], client: Path, tmp_path: Path) -> None:
    made, url = upstream
    made.begin("text", "429")
    kept = tmp_path / "kept.db"
    given = ["--on", "gemini:gemini-3-pro", "--base-url", url, "--storage", str(kept)]
    done = subprocess.run(
        command("claude", *given, "--", "hi", "again"), env=environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 429 % 256
    first, second = done.stdout.splitlines()
    assert TEXT in first
    assert '"rate_limit_error"' in second
    said = [line.removeprefix("proxai-ir: ") for line in done.stderr.splitlines()]
    assert said[0] == (
        f"gemini at {url} is sent gemini_generate_content, with 4 facts about gemini-3-pro"
        " (proxai-ir models gemini-3-pro)"
    )
    assert said[1].startswith("page: http://127.0.0.1:")
    assert said[2] == "the client ended with 173"
    assert said[3].startswith("exchanges  2, 1 failed; the last: ")
    assert said[4].startswith("tokens     input ")
    assert said[5].startswith("lost       TUL-9 in 2  Tool setting ")
    assert said[-1] == f"log        proxai-ir log --limit 2  ({kept})"
    assert KEY not in done.stderr
    storage = Storage(str(kept))
    found = [storage.exchange(one.id) for one in storage.exchanges()]
    storage.close()
    assert [(one.status, one.sent_model) for one in found if one] == [(429, "gemini-3-pro"), (200, "gemini-3-pro")]
    assert all(one and one.request for one in found)


def test_ctrl_c_ends_client_gateway_and_children(client: Path, tmp_path: Path) -> None:
    """And whoever has no key of this run is not served."""
    file = tmp_path / "children"
    script = f"claude stranger; sleep 60 & echo $! $$ > {file}; exec sleep 60"
    given = ["--on", "ollama:m", "--no-storage", "--", "sh", "-c", script]
    process = subprocess.Popen(command(*given), env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    child, shell = map(int, awaited(file).split())
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert b"authentication_error" in out
    assert b"nothing of it came to the gateway" in err
    assert b"Traceback" not in err
    assert is_gone(child)
    assert is_gone(shell)


def test_two_runs_at_once_are_two_sessions(upstream: tuple[Upstream, str], client: Path, tmp_path: Path) -> None:
    """Though both agents say the same, and both write to one log: each run has a port and a key of its own."""
    _, url = upstream
    kept = tmp_path / "kept.db"
    given = ["--on", "gemini:gemini-3-pro", "--base-url", url, "--storage", str(kept), "--", "sh", "-c"]
    meet = "touch {own}; for _ in $(seq 200); do test -e {other} && break; sleep 0.05; done; claude hi again"
    files = tmp_path / "first", tmp_path / "second"
    both = [
        subprocess.Popen(
            command(*given, meet.format(own=own, other=other)),
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for own, other in (files, files[::-1])
    ]
    said = [process.communicate(timeout=60) for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    storage = Storage(str(kept))
    found = storage.exchanges()
    storage.close()
    assert len({one.session for one in found}) == 4  # two first messages in each
    assert all(f"exchanges  {len(both)}".encode() in err for _, err in said)


@pytest.mark.skipif(os.name != "posix", reason="processes are looked for by signals")
def test_what_a_killed_run_left_is_gone_after_the_next(
    client: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    given = ["--on", "ollama:m", "--no-storage", "--", "sh", "-c"]
    file = tmp_path / "shell"
    killed = subprocess.Popen(
        command(*given, f"echo $$ > {file}; exec sleep 60"), env=environment(), stderr=subprocess.PIPE
    )
    shell = int(awaited(file))
    killed.kill()
    os.kill(shell, signal.SIGTERM)  # its program goes on, without a gateway
    killed.communicate(timeout=20)
    assert [one.name.startswith(f"proxai-ir-run-{killed.pid}-") for one in (tmp_path / "tmp").iterdir()] == [True]
    (tmp_path / "tmp" / f"proxai-ir-run-{os.getpid()}-x").mkdir()  # of a process that runs
    subprocess.run(command(*given, "true"), env=environment(), check=True, capture_output=True)
    assert [one.name for one in (tmp_path / "tmp").iterdir()] == [f"proxai-ir-run-{os.getpid()}-x"]


# --- in this process ---


def test_a_dry_run(run: Run, client: Path) -> None:
    done = run("run", "claude", "--on", "gemini:gemini-3-pro", "--dry-run", "--port", "4001", "--", "-p", "two words")
    lines = done.stdout.splitlines()
    assert lines[0] == (
        "# upstream: gemini-3-pro at https://generativelanguage.googleapis.com, gemini_generate_content; "
        "key from GEMINI_API_KEY"
    )
    assert lines[-3:] == [
        "export ANTHROPIC_BASE_URL=http://127.0.0.1:4001",
        "export ANTHROPIC_AUTH_TOKEN=KEY",
        "claude -p 'two words'",
    ]
    assert KEY not in done.output
    assert "not found" not in done.stdout
    assert done.exit_code == 0


@pytest.mark.parametrize(
    ("on", "key"),
    [
        ("gemini:gemini-3-pro", "key missing: set GEMINI_API_KEY or GOOGLE_API_KEY"),
        ("ollama:qwen3", "no key is needed"),
        ("bedrock:claude-opus-5", "key or signature: as the clients of the cloud find it"),
    ],
)
def test_a_dry_run_says_what_authenticates(
    on: str, key: str, run: Run, client: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if on.startswith("bedrock"):
        pytest.importorskip("botocore")
    for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY", "AWS_BEARER_TOKEN_BEDROCK"):
        monkeypatch.delenv(name, raising=False)
    done = run("run", "claude", "--on", on, "--dry-run")
    assert done.stdout.splitlines()[0].endswith(f"; {key}")


def test_members_of_every_request(run: Run, client: Path) -> None:
    stated = ["--body", "generationConfig.seed=7", "--body", '{"labels": {"a": "b"}}', "--body", "cachedContent=none"]
    done = run("run", "claude", "--on", "gemini:gemini-3-pro", "--dry-run", *stated)
    assert done.stdout.splitlines()[1] == (
        '# body: {"generationConfig": {"seed": 7}, "labels": {"a": "b"}, "cachedContent": "none"}'
    )


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        (["[1]"], "'[1]' is an array; expected an object"),
        (["num_ctx"], "'num_ctx' is neither KEY=VALUE nor a JSON object"),
        (["{1}"], "'{1}' is neither KEY=VALUE nor a JSON object"),
        (["a.b=1", "a=2"], "'a=2' states a member once more, with another value"),
        (["model=m"], "body/model: each request names its model"),
    ],
)
def test_members_that_no_request_can_have(stated: list[str], expected: str, run: Run, client: Path) -> None:
    done = run("run", "claude", "--on", "gemini:gemini-3-pro", *(one for text in stated for one in ("--body", text)))
    assert expected in " ".join(done.stderr.replace("│", " ").split())
    assert done.exit_code == 2


def test_a_dry_run_of_a_client_that_is_not_there(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    done = run("run", "codex", "--on", "openai:gpt-5", "--dry-run")
    assert done.stdout.splitlines()[1] == "# codex is not found; to install it: npm install -g @openai/codex"
    assert done.exit_code == 0


def test_a_client_that_is_not_found(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    done = run("run", "codex", "--on", "openai:gpt-5")
    assert done.stderr == "proxai-ir: codex is not found; to install it: npm install -g @openai/codex\n"
    assert done.exit_code == 127
    done = run("run", "--on", "openai:gpt-5", "--", "cluade")
    assert done.stderr.startswith(
        "proxai-ir: there is no command 'cluade'; did you mean 'claude'? Known clients: claude,"
    )


def test_without_a_key(run: Run, client: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GEMINI_API_KEY")
    done = run("run", "claude", "--on", "gemini:gemini-3-pro")
    assert done.stderr == "proxai-ir: gemini needs an API key: set GEMINI_API_KEY or GOOGLE_API_KEY\n"
    assert done.exit_code == 2


@pytest.mark.parametrize("on", ["gemini", "gemini:"])
def test_without_a_model(on: str, run: Run, client: Path) -> None:
    done = run("run", "claude", "--on", on)
    assert done.stderr == f"proxai-ir: {on!r} names no model; expected gemini:MODEL\n"
    assert done.exit_code == 2


def test_a_port_in_use(run: Run, client: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = run("run", "claude", "--on", "gemini:gemini-3-pro", "--no-storage", "--port", str(port))
    assert done.stderr.startswith(f"proxai-ir: the port is in use: 127.0.0.1:{port};")
    assert done.exit_code == 6
