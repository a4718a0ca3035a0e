"""Databases for what the gateway keeps."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .postgres import CannotStart, Server


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
