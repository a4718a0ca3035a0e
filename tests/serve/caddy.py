"""A real Caddy on loopback, with one site for each way in which it is put in front of something.

Its own defaults are left alone, but for certificates and its administration, which need more than a machine.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from ..waiting import came, listens
from .nginx import free_ports

GLOBAL = "{\n\tadmin off\n\tauto_https off\n}\n"


@contextmanager
def caddy(folder: Path, ways: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """The base URL of each way; `ways`: the directives of each."""
    ports = free_ports(len(ways))
    sites = [f":{port} {{\n\tbind 127.0.0.1\n{one}\n}}\n" for port, one in zip(ports, ways.values(), strict=True)]
    with started(folder, GLOBAL + "".join(sites), ports[-1]):
        yield {name: f"http://127.0.0.1:{port}" for name, port in zip(ways, ports, strict=True)}


@contextmanager
def started(folder: Path, text: str, port: int) -> Iterator[None]:
    command = shutil.which("caddy")
    if command is None:
        pytest.skip("there is no caddy on this machine")
    file = folder / "Caddyfile"
    file.write_text(text)
    homes = {"XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    with (folder / "caddy.log").open("w") as log:
        process = subprocess.Popen(
            [command, "run", "--adapter", "caddyfile", "--config", str(file)], stderr=log, env=os.environ | homes
        )
    try:
        if not came(lambda: listens(port), 10, over=lambda: process.poll() is not None):
            pytest.fail(f"caddy does not listen: {(folder / 'caddy.log').read_text()[-800:]}")
        yield
    finally:
        process.terminate()
        process.wait(timeout=10)
