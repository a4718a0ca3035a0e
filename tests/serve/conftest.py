"""Databases for what the gateway keeps, and keys of its clients."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .postgres import CannotStart, Server

CLIENT_KEYS = {"FIRST_KEY": "a-first-client-key-0123456789", "SECOND_KEY": "a-second-client-key-0123456789"}


@pytest.fixture
def client_keys(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Set the variables of two clients' keys, and return the setting that names them."""
    for name, key in CLIENT_KEYS.items():
        monkeypatch.setenv(name, key)
    return {"keys_env": list(CLIENT_KEYS)}


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    pytest.importorskip("psycopg")
    try:
        server = Server()
    except CannotStart as reason:
        pytest.skip(f"no PostgreSQL server can be started: {reason}")
    try:
        server.start()
        yield server
    except CannotStart as reason:
        pytest.skip(f"no PostgreSQL server can be started: {reason}")
    finally:
        server.close()


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of either kind."""
    if request.param == "sqlite":
        return str(tmp_path / "kept.db")
    server: Server = request.getfixturevalue("postgres")
    return server.new_database()
