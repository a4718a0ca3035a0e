"""Gateways as processes with one PostgreSQL, behind one nginx: as the example of `.assets/deploy` has them."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from ..waiting import came
from . import nginx
from .nginx import free_ports
from .test_key_limits import TEAM
from .visiting import TOKEN

DEPLOY = Path(__file__).parents[2] / ".assets" / "deploy"
CONFIG = """
[access]
keys_file = "{keys}"
admin_env = "PROXAI_IR_TOKEN"
[access.limits.bob]
requests_per_minute = {most}
[storage]
url = "{storage}"
[timeouts]
shutdown = 20
[upstreams.only]
protocol = "{protocol}"
base_url = "{upstream}"
key_env = "UPSTREAM_KEY"
[[routes]]
models = ["*"]
upstream = "only"
model = "big"
"""
SERVED = "x-served"
"""The header by which nginx says which process has answered; the last one, if it asked several."""


class Process:
    """One gateway, which can be ended and started again at the same port."""

    def __init__(self, config: Path, port: int) -> None:
        self.port = port
        self._command = [sys.executable, "-m", "proxai_ir.cli", "serve", "--config", str(config), "--port", str(port)]
        self._running: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self._running = made = subprocess.Popen(self._command, stderr=subprocess.DEVNULL)
        assert came(self._is_up, 60, over=lambda: made.poll() is not None), "it does not start"

    def end(self, how: signal.Signals = signal.SIGTERM) -> None:
        if self._running is not None:
            self._running.send_signal(how)
            self._running.wait(40)
            self._running = None

    def _is_up(self) -> bool:
        try:
            return httpx.get(f"http://127.0.0.1:{self.port}/health").status_code == 200
        except httpx.TransportError:
            return False


@contextmanager
def several(folder: Path, monkeypatch: Any, many: int = 2, **stated: Any) -> Iterator[tuple[str, Sequence[Process]]]:
    """The base URL of the nginx, and the processes behind it; `stated`: what CONFIG leaves open."""
    monkeypatch.setenv("PROXAI_IR_TOKEN", TOKEN)
    keys, config = folder / "keys", folder / "gateway.toml"
    keys.write_text("".join(f"{name} {key}\n" for name, key in TEAM.items()))
    config.write_text(CONFIG.format(**{"keys": keys, "most": 1_000_000, **stated}))
    port, *ports = free_ports(many + 1)
    processes = [Process(config, one) for one in ports]
    try:
        for one in processes:
            one.start()
        with nginx.included(folder, example(port, ports), port) as url:
            yield url, processes
    finally:
        for one in processes:
            one.end()


def example(port: int, behind: Sequence[int]) -> str:
    """The example for nginx with these ports and without TLS, which says what has answered."""
    text = re.sub(r"\n    ssl_certificate.*", "", (DEPLOY / "nginx.conf").read_text(encoding="utf-8"))
    text = text.replace("listen 443 ssl", f"listen 127.0.0.1:{port}")
    for place, one in zip(("    server 127.0.0.1:4000 ", "    # server 127.0.0.1:4001 "), behind, strict=True):
        assert place in text
        text = text.replace(place, f"    server 127.0.0.1:{one} ")
    return text.replace("location / {", f"location / {{ add_header {SERVED} $upstream_addr always;")


def port_of(found: httpx.Response) -> int:
    """The port of the process that has answered; 0 if none has."""
    port = found.headers[SERVED].rpartition(":")[2]
    return int(port) if port.isdecimal() else 0
