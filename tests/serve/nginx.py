"""A real nginx on loopback, with one server for each way in which it is put in front of something.

Its own defaults are left alone: what a configuration does not set is what nginx does.
"""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from ..waiting import came, listens

CONFIG = """
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 128; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    upstream behind {{ server 127.0.0.1:{behind}; }}
    upstream kept {{ server 127.0.0.1:{behind}; keepalive 8; }}
{servers}
}}
"""
SERVER = "    server {{ listen 127.0.0.1:{port}; location / {{ {directives} }} }}"


def found() -> str | None:
    return shutil.which("nginx", path=os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin")))


@contextmanager
def nginx(folder: Path, behind: int, ways: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """The base URL of each way; `ways`: the directives of each, in which {behind} is the port of what is behind."""
    command = found()
    if command is None:
        pytest.skip("there is no nginx on this machine")
    ports = free_ports(len(ways))
    directives = [one.replace("{behind}", str(behind)) for one in ways.values()]
    servers = [SERVER.format(port=port, directives=one) for port, one in zip(ports, directives, strict=True)]
    with started(command, folder, CONFIG.format(folder=folder, behind=behind, servers="\n".join(servers)), ports[-1]):
        yield {name: f"http://127.0.0.1:{port}" for name, port in zip(ways, ports, strict=True)}


@contextmanager
def included(folder: Path, text: str, port: int) -> Iterator[str]:
    """The base URL of a server that stands in a file which nginx includes; `port`: at which it listens."""
    command = found()
    if command is None:
        pytest.skip("there is no nginx on this machine")
    with started(command, folder, CONFIG.format(folder=folder, behind=9, servers=text), port):
        yield f"http://127.0.0.1:{port}"


@contextmanager
def started(command: str, folder: Path, text: str, port: int) -> Iterator[None]:
    file = folder / "nginx.conf"
    file.write_text(text)
    process = subprocess.Popen(
        [command, "-p", str(folder), "-c", str(file), "-e", str(folder / "error.log")],
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        if not came(lambda: listens(port), 10, over=lambda: process.poll() is not None):
            process.terminate()
            assert process.stderr is not None
            pytest.fail(f"nginx does not listen: {process.stderr.read()}")
        yield
    finally:
        process.terminate()
        process.communicate(timeout=10)


def has_a_user_of_its_own() -> bool:
    """Whether its workers run as another user than this process: root's nginx does that by itself."""
    return os.getuid() == 0 and any(one.pw_name in ("www-data", "nginx", "nobody", "http") for one in pwd.getpwall())


def free_ports(many: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(many)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports
