"""How much memory a gateway takes that strangers, clients and providers fill: of a process of its own.

What is measured is the highest it ever was, as the system tells it; where that is not told, these tests are skipped.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import pytest

pytest.importorskip("uvicorn", reason='the gateway needs the extra "serve"')
pytest.importorskip("sqlalchemy", reason='the gateway needs the extra "serve"')

import httpx

from ..clients.provider import ANTHROPIC, CHAT, TEXT
from ..waiting import listens, until
from .nginx import free_ports
from .support import asked, path_of
from .upstreams import KEY, Upstream, running

MIB = 1 << 20
CONFIG = """
[listen]
port = {port}
connections = 5000
[limits]
memory = {memory}
stream = {stream}
[timeouts]
body = 20
[storage]
keep = false
[upstreams.one]
protocol = "{protocol}"
base_url = "{url}"
key_env = "UPSTREAM_KEY"
"""
BUDGET = 32 * MIB
pytestmark = pytest.mark.skipif(
    not Path("/proc/self/clear_refs").exists(), reason="the system does not tell the memory"
)


class Gateway(NamedTuple):
    url: str
    pid: int

    def rest(self) -> int:
        """Forget the highest that it was: bytes that it has now."""
        Path(f"/proc/{self.pid}/clear_refs").write_text("5")
        return self._bytes("VmRSS")

    def highest(self) -> int:
        return self._bytes("VmHWM")

    def _bytes(self, name: str) -> int:
        lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))

    def connected(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", httpx.URL(self.url).port or 0), timeout=20)

    def serves(self) -> bool:
        return TEXT in httpx.post(self.url + path_of(CHAT), json=asked(CHAT), timeout=20).text


@pytest.fixture(scope="module")
def upstream() -> Upstream:
    return Upstream(ANTHROPIC)


@pytest.fixture(scope="module")
def gateway(upstream: Upstream, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    (port,) = free_ports(1)
    file = tmp_path_factory.mktemp("gateway") / "gateway.toml"
    with running(upstream) as url:
        file.write_text(CONFIG.format(port=port, memory=BUDGET, stream=2**40, protocol=ANTHROPIC, url=url))
        command = [sys.executable, "-m", "proxai_ir.cli", "serve", "--config", str(file)]
        environment = {**os.environ, "UPSTREAM_KEY": KEY}
        process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        try:
            until(lambda: listens(port), 30, over=lambda: process.poll() is not None)
            made = Gateway(f"http://127.0.0.1:{port}", process.pid)
            assert all(made.serves() for _ in range(5))
            yield made
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(10)


def test_24_mib_of_header_lines(gateway: Gateway) -> None:
    idle = gateway.rest()
    lines = b"a: b\r\n" * (64 * 1024 // 6)
    with gateway.connected() as client:
        client.sendall(b"POST /v1/messages HTTP/1.1\r\nhost: 127.0.0.1\r\n")
        with pytest.raises((ConnectionResetError, BrokenPipeError)):
            for _ in range(24 * MIB // len(lines)):
                client.sendall(lines)
    assert gateway.highest() - idle < 64 * MIB
    assert gateway.serves()


@pytest.mark.parametrize("many", [200, pytest.param(1000, marks=pytest.mark.slow)])
def test_bodies_that_are_half_sent(many: int, gateway: Gateway) -> None:
    """By their budget, and what sockets and their buffers take."""
    idle = gateway.rest()
    host = gateway.url.partition("//")[2]
    size = 256 * 1024
    head = f"POST {path_of(CHAT)} HTTP/1.1\r\nhost: {host}\r\ncontent-length: {2 * size}\r\n\r\n".encode()
    clients: list[Any] = []
    refused: list[Any] = []
    try:
        for _ in range(many):
            clients.append(gateway.connected())
            clients[-1].settimeout(0.5)
            try:
                clients[-1].sendall(head + b" " * size)
            except OSError:
                continue
        wanted = many - BUDGET // size - many // 20

        def enough() -> bool:
            refused.extend(filter(has_503, clients))
            return len(refused) >= wanted

        until(enough, 15)
        used = gateway.highest() - idle
    finally:
        for one in clients:
            one.close()
    assert used < BUDGET + many * 64 * 1024 + 32 * MIB, f"{used / MIB:.0f} MiB"
    until(gateway.serves, 10)


def test_large_bodies_hold_nobody_up(gateway: Gateway) -> None:
    """Each takes seconds to convert, as it has so many members that nobody knows."""
    request = asked(CHAT) | {f"unknown_{at}": at for at in range(20_000)}
    waited: list[float] = []
    with ThreadPoolExecutor(4) as pool:
        large = [pool.submit(httpx.post, gateway.url + path_of(CHAT), json=request, timeout=60) for _ in range(4)]

        def served() -> bool:
            begun = time.monotonic()
            assert httpx.get(gateway.url + "/health", timeout=20).status_code == 200
            waited.append(time.monotonic() - begun)
            return all(one.done() for one in large)

        until(served, 120, pause=0)
    assert all(one.result().status_code == 200 for one in large)
    assert sorted(waited)[len(waited) // 2] < 2, waited


def has_503(client: socket.socket) -> bool:
    client.setblocking(False)
    try:
        return client.recv(20).startswith(b"HTTP/1.1 503")
    except OSError:
        return False


def streamed(gateway: Gateway, upstream: Upstream, size: int) -> int:
    """How much more memory it takes for a client to read so much of a stream."""
    upstream.script[:] = ["endless"]
    idle, read = gateway.rest(), 0
    with httpx.stream("POST", gateway.url + path_of(CHAT), json=asked(CHAT, True), timeout=60) as found:
        for chunk in found.iter_raw():
            read += len(chunk)
            if read >= size:
                break
    upstream.script.clear()
    return gateway.highest() - idle


def test_a_stream_of_16_mib(gateway: Gateway, upstream: Upstream) -> None:
    assert streamed(gateway, upstream, 16 * MIB) < 8 * MIB


@pytest.mark.slow
def test_a_stream_of_a_gigabyte(gateway: Gateway, upstream: Upstream) -> None:
    assert streamed(gateway, upstream, 1 << 30) < 32 * MIB
