"""The examples of `.assets/deploy` as they are: each with the program that it is for, where this machine has it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("uvicorn", reason='the gateway needs the extra "serve"')
pytest.importorskip("sqlalchemy", reason='the gateway needs the extra "serve"')

import httpx
from typer.testing import CliRunner

from proxai_ir.cli.app import app
from proxai_ir.serve.config import from_file

from ..clients.provider import ANTHROPIC, CHAT, TEXT
from . import caddy, nginx
from .nginx import free_ports
from .support import asked, configured, path_of, serving
from .upstreams import KEY, Upstream, running

DEPLOY = Path(__file__).parents[2] / ".assets" / "deploy"
CLIENT_KEY = "a-key-of-some-client"
LIMIT = 32 * 1024 * 1024


def text_of(name: str) -> str:
    return (DEPLOY / name).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def gateway() -> Iterator[int]:
    """The port of a gateway as the examples have it behind them."""
    with pytest.MonkeyPatch.context() as monkeypatch, running(Upstream(ANTHROPIC)) as upstream:
        monkeypatch.setenv("CLIENT_KEY", CLIENT_KEY)
        config = configured(monkeypatch, (ANTHROPIC, upstream), access={"keys_env": ["CLIENT_KEY"]})
        with serving(config) as (url, _):
            yield httpx.URL(url).port or 0


def test_nginx_passes_on_the_api_alone(gateway: int, tmp_path: Path) -> None:
    """The example with another port, and without TLS, for which there are no certificates."""
    (port,) = free_ports(1)
    text = re.sub(r"\n    ssl_certificate.*", "", text_of("nginx.conf"))
    text = text.replace("listen 443 ssl", f"listen 127.0.0.1:{port}")
    text = text.replace("    server 127.0.0.1:4000 ", f"    server 127.0.0.1:{gateway} ")
    with nginx.included(tmp_path, text, port) as url:
        passes_on_the_api_alone(url)


def test_caddy_passes_on_the_api_alone(gateway: int, tmp_path: Path) -> None:
    """As with nginx."""
    (port,) = free_ports(1)
    text = text_of("Caddyfile").replace("\ngateway.example {", f"\nhttp://gateway.example:{port} {{\n\tbind 127.0.0.1")
    text = text.replace("reverse_proxy 127.0.0.1:4000", f"reverse_proxy 127.0.0.1:{gateway}")
    with caddy.started(tmp_path, caddy.GLOBAL + text, port):
        passes_on_the_api_alone(f"http://127.0.0.1:{port}")


def passes_on_the_api_alone(url: str) -> None:
    with httpx.Client(base_url=url, headers={"host": "gateway.example"}) as http:
        assert http.post(path_of(CHAT), json=asked(CHAT)).status_code == 401
        assert {http.get(path).status_code for path in ("/ui", "/ui/", "/ui/exchanges/a", "/metrics")} == {404}
        assert http.get("/health").text == "ok\n"
        key = {"authorization": f"Bearer {CLIENT_KEY}"}
        assert TEXT in http.post(path_of(CHAT), json=asked(CHAT), headers=key).text
        with http.stream("POST", path_of(CHAT), json=asked(CHAT, streamed=True), headers=key) as found:
            assert b"[DONE]" in found.read()
        assert http.post(path_of(CHAT), content=b" " * (LIMIT + 1), headers=key).status_code == 413


def test_caddy() -> None:
    caddy = shutil.which("caddy")
    if caddy is None:
        pytest.skip("there is no caddy on this machine")
    command = [caddy, "validate", "--adapter", "caddyfile", "--config", str(DEPLOY / "Caddyfile")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("many", [False, True], ids=["one process", "one of several"])
def test_the_unit(many: bool, tmp_path: Path, root: Path) -> None:
    """The one of several is made as the specification says."""
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("there is no systemd-analyze on this machine")
    text, unit = text_of("proxai-ir.service"), tmp_path / "proxai-ir.service"
    if many:
        (change,) = re.findall(r"^sed '(.*)' proxai-ir.service", (root / "spec/gateway.md").read_text(), re.MULTILINE)
        text = subprocess.run(["sed", change], input=text, capture_output=True, text=True, check=True).stdout
        unit = tmp_path / "proxai-ir@4000.service"
        assert "/gateway.toml --port %i\n" in text
        assert "StateDirectory=proxai-ir/%i\n" in text
    unit.write_text(text.replace("/opt/proxai-ir/bin/proxai-ir", shutil.which("true") or ""))
    done = subprocess.run([analyze, "verify", str(unit)], capture_output=True, text=True, check=False)
    assert (done.returncode, str(unit) in done.stderr) == (0, False), done.stderr


def test_kubernetes(gateway: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no cluster in the tests: what it states fits the image, the configuration and the gateway."""
    yaml = pytest.importorskip("yaml")
    configured, deployment, service = yaml.safe_load_all(text_of("kubernetes.yaml"))
    pod = deployment["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    for one in container["env"]:
        monkeypatch.setenv(one["name"], "a-value-of-the-secret")
    mounts = {one["name"]: one["mountPath"] for one in container["volumeMounts"]}
    assert {*mounts} == {one["name"] for one in pod["volumes"]}
    keys, file = tmp_path / "keys", tmp_path / "gateway.toml"
    keys.write_text(f"{CLIENT_KEY}\n")
    (text,) = configured["data"].values()
    assert f"{mounts['secret']}/keys" in text
    file.write_text(text.replace(f"{mounts['secret']}/keys", str(keys)))
    config = from_file(file, {"listen": {"host": "0.0.0.0"}})
    assert (config.storage.url or "").startswith("postgresql://")
    assert config.seals.secrets_env, "one for all processes"
    (_, pause) = container["lifecycle"]["preStop"]["exec"]["command"]
    assert pod["terminationGracePeriodSeconds"] > config.timeouts.shutdown + int(pause)
    image = text_of("Containerfile")
    (port,) = re.findall(r"^EXPOSE (\d+)$", image, re.MULTILINE)
    assert f"{mounts['config']}/gateway.toml" in image
    assert re.search(r"^USER [1-9]\d*$", image, re.MULTILINE), "what `runAsNonRoot` can see"
    probes = [container[name]["httpGet"] for name in ("readinessProbe", "livenessProbe")]
    ports = [*(one["port"] for one in probes), container["ports"][0]["containerPort"]]
    assert {*ports, service["spec"]["ports"][0]["targetPort"]} == {int(port)}
    assert {httpx.get(f"http://127.0.0.1:{gateway}{one['path']}").status_code for one in probes} == {200}
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    assert labels == deployment["spec"]["selector"]["matchLabels"] == service["spec"]["selector"]


def test_the_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = tmp_path / "keys"
    keys.write_text(f"{CLIENT_KEY}\n")
    file = tmp_path / "gateway.toml"
    file.write_text(text_of("gateway.toml").replace("/etc/proxai-ir/keys", str(keys)))
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("PROXAI_IR_TOKEN", "the-token-of-the-operator")
    config = from_file(file)
    assert config.limits.body == LIMIT, "which nginx and Caddy have, too"
    assert config.timeouts.shutdown < 70, "TimeoutStopSec"
    assert max(config.timeouts.response, config.timeouts.stall) < 610, "proxy_read_timeout"
    from_file(file, {"listen": {"host": "0.0.0.0"}})  # as the container has it


def test_the_container_by_its_parts(root: Path, project: dict[str, Any]) -> None:
    """There is no registry of images in the tests: what it copies, installs and starts is there."""
    text = text_of("Containerfile")
    copied = [words.split()[:-1] for words in re.findall(r"^COPY (?!--)(.*)$", text, re.MULTILINE)]
    names = {name for names in copied for name in names}
    assert all((root / name).exists() for name in names)
    assert {*project["tool"]["setuptools"]["package-dir"].values(), project["project"]["readme"]} <= names
    (extras,) = re.findall(r'"\.\[(.*)\]"', text)
    assert set(extras.split(",")) <= set(project["project"]["optional-dependencies"])
    (command,) = re.findall(r"^CMD (.*)$", text, re.MULTILINE)
    done = CliRunner().invoke(app, [*json.loads(command)])
    assert "/etc/proxai-ir/gateway.toml: cannot be read" in done.output
