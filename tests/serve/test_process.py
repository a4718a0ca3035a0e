"""`proxai-ir serve` as a process: it serves, keeps what passed in its storage, and ends by a signal."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from itertools import takewhile
from pathlib import Path

import pytest

pytest.importorskip("uvicorn", reason='the gateway needs the extra "serve"')
pytest.importorskip("sqlalchemy", reason='the gateway needs the extra "serve"')

import httpx
from typer.testing import CliRunner

from proxai_ir.cli.app import app
from proxai_ir.storage import Storage

from ..clients.provider import ANTHROPIC, RESPONSES, TEXT
from ..waiting import free_port, until
from .support import asked
from .upstreams import KEY, Upstream, running


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="the system has no SIGHUP")
def test_a_configuration_that_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UPSTREAM_KEY", KEY)
    port, file = free_port(), tmp_path / "gateway.toml"
    url = f"http://127.0.0.1:{port}"
    table = f'[listen]\nport = {port}\n[storage]\nkeep = false\n[upstreams.only]\nprotocol = "{ANTHROPIC}"\n'
    routes = '[[routes]]\nmodels = ["{}"]\nupstream = "only"\n'

    def listed() -> list[str]:
        try:
            return [one["id"] for one in httpx.get(f"{url}/v1/models").json()["data"]]
        except httpx.TransportError:
            return []

    with running(Upstream(ANTHROPIC)) as upstream:
        table += f'base_url = "{upstream}"\nkey_env = "UPSTREAM_KEY"\n'
        file.write_text(table + routes.format("first"))
        command = [sys.executable, "-m", "proxai_ir.cli", "serve", "--config", str(file)]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        try:
            until(lambda: listed() == ["first"], 30)
            file.write_text(table + routes.format("second"))
            process.send_signal(signal.SIGHUP)
            until(lambda: listed() == ["second"], 30)
            file.write_text(table + routes.format("third").replace("models", "model"))
            process.send_signal(signal.SIGHUP)
            file.write_text(table + routes.format("second"))
            assert listed() == ["second"]
        finally:
            process.send_signal(signal.SIGTERM)
            _, messages = process.communicate(timeout=30)
    assert process.returncode in (0, -signal.SIGTERM)
    assert "the configuration was read again: only" in messages


def test_a_port_in_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With an exit code of its own, and nothing that says that it serves."""
    monkeypatch.setenv("UPSTREAM_KEY", KEY)
    arguments = ["serve", "--to", ANTHROPIC, "--base-url", "http://127.0.0.1:9", "--storage", str(tmp_path / "kept.db")]
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = CliRunner().invoke(app, [*arguments, "--port", str(port)])
    assert done.exit_code == 6
    assert done.output == (
        f"proxai-ir: the port is in use: 127.0.0.1:{port}; expected a free one (--port, or listen.port)\n"
    )


def test_a_gateway_of_one_upstream(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UPSTREAM_KEY", KEY)
    port, database = free_port(), str(tmp_path / "kept.db")
    url = f"http://127.0.0.1:{port}"
    with running(Upstream(ANTHROPIC)) as upstream:
        arguments = ["--to", ANTHROPIC, "--base-url", upstream, "--key-env", "UPSTREAM_KEY", "--model", "big"]
        command = [sys.executable, "-m", "proxai_ir.cli", "serve", *arguments, "--port", str(port)]
        process = subprocess.Popen([*command, "--storage", database], stderr=subprocess.PIPE, text=True)
        assert process.stderr is not None
        try:
            begin, *_, page, models, sent = takewhile(
                lambda line: not line.startswith("no client keys: "),
                (line.rstrip("\n") for line in iter(process.stderr.readline, "")),
            )
            assert begin == f"serving at {url}"
            page = page.removeprefix("page: ")
            assert models == "models: * -> default as big"
            assert sent == f"default at {upstream} is sent anthropic_messages; big is not known"
            assert httpx.get(f"{url}/health").text == "ok\n"  # it was said when the port was bound
            first = httpx.post(f"{url}/v1/responses", json=asked(RESPONSES)).json()
            second = httpx.post(f"{url}/v1/responses", json=asked(RESPONSES, previous_response_id=first["id"]))
            assert TEXT in second.text
            assert httpx.get(f"{url}/v1/responses/{first['id']}").json() == first
            assert httpx.get(f"{url}/ui").status_code == 401
            with httpx.Client() as browser:
                refresh = browser.get(page).headers["refresh"]
                assert "/ui/exchanges/" in browser.get(url + refresh.partition("url=")[2]).text
            token = httpx.URL(page).params["token"]
            metrics = httpx.get(f"{url}/metrics", headers={"authorization": f"Bearer {token}"}).text
            assert 'status="200"' in metrics
        finally:
            process.send_signal(signal.SIGTERM)
            _, messages = process.communicate(timeout=30)
    assert process.returncode in (0, -signal.SIGTERM)
    assert KEY not in messages
    assert "Traceback" not in messages
    kept = Storage(database)
    found = kept.exchanges()
    kept.close()
    assert [one.path for one in found] == ["/v1/responses/" + first["id"], "/v1/responses", "/v1/responses"]
    assert {one.status for one in found} == {200}
