"""Responses while the database is away, locked or stalled: as fast as ever; and what is there once it is back.

Needs a PostgreSQL of the system; without it, SQLite alone is tried.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pydantic", reason='the gateway needs the extra "serve"')
pytest.importorskip("sqlalchemy", reason='the gateway needs the extra "serve"')

import anyio
import httpx

from proxai_ir.serve.access import access_of
from proxai_ir.serve.app import app
from proxai_ir.serve.config import ConfigError, from_mapping
from proxai_ir.serve.server import storage_of
from proxai_ir.storage import Storage, memory

from ..clients.provider import ANTHROPIC, CHAT, RESPONSES
from ..waiting import until
from .postgres import Server
from .storing import NOW, kept, names, record
from .support import asked, configured, path_of
from .upstreams import Upstream
from .visiting import TOKEN

MANY = 20
SLACK = 0.1
"""Seconds that the slowest responses may take longer without the database; and half of what they take, as other
programs run on this machine."""


class Gateway:
    def __init__(self, monkeypatch: pytest.MonkeyPatch, storage: Storage) -> None:
        config = configured(monkeypatch, (ANTHROPIC, "http://u0.invalid"))
        transport = httpx.ASGITransport(Upstream(ANTHROPIC))
        self._app = app(config, storage, access=access_of(config, TOKEN), transport=lambda _: transport)
        self.ids: list[str] = []

    def slowest(self, rounds: int = 4) -> float:
        """Seconds of the slowest of many at once: of the best of some rounds, as other programs run here, too."""
        return min(anyio.run(self._many) for _ in range(rounds))

    async def _many(self) -> float:
        slowest = 0.0

        async def one(http: httpx.AsyncClient, streamed: bool) -> None:
            nonlocal slowest
            begun = time.perf_counter()
            found = await http.post(path_of(RESPONSES), json=asked(RESPONSES, streamed))
            slowest = max(slowest, time.perf_counter() - begun)
            assert found.status_code == 200
            assert "response.completed" in found.text or not streamed
            if not streamed:
                self.ids.append(found.json()["id"])

        async with self._client() as http, anyio.create_task_group() as group:
            for at in range(MANY):
                group.start_soon(one, http, at % 2 == 0)
        return slowest

    def continues(self, name: str) -> int:
        async def work() -> int:
            async with self._client() as http:
                return (
                    await http.post(path_of(RESPONSES), json=asked(RESPONSES, previous_response_id=name))
                ).status_code

        return anyio.run(work)

    def _client(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(transport=httpx.ASGITransport(self._app), base_url="http://127.0.0.1", timeout=30)


@contextmanager
def stalled(server: Server) -> Iterator[None]:
    """All of its processes stand still, as on a machine that has hung; its sockets stay open."""
    leader = server._process
    assert leader is not None
    pids = [leader.pid, *children(leader.pid)]
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


def children(pid: int) -> list[int]:
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@contextmanager
def killed(server: Server) -> Iterator[None]:
    server.kill()
    try:
        yield
    finally:
        server.start()


@contextmanager
def locked(file: str) -> Iterator[None]:
    """By another process that writes, and does not end."""
    other = sqlite3.connect(file)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.rollback()
        other.close()


WAYS = ("PostgreSQL stalled", "PostgreSQL killed", "SQLite locked")


@pytest.fixture(params=WAYS)
def away(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Callable[[], Any]]:
    """The URL of a database, and what takes it away for a while."""
    if request.param == "SQLite locked":
        file = str(tmp_path / "kept.db")
        return file, lambda: locked(file)
    if not Path("/proc/self/task").exists():
        pytest.skip("this system does not tell which processes a server has")
    server: Server = request.getfixturevalue("postgres")
    way = stalled if request.param == "PostgreSQL stalled" else killed
    return server.new_database(), lambda: way(server)


def test_responses_are_as_fast_as_ever_and_nothing_is_lost(
    away: tuple[str, Callable[[], Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "BUDGET", 0.3)
    url, taken = away
    storage = Storage(url)
    storage.open()
    gateway = Gateway(monkeypatch, storage)
    usual = gateway.slowest()
    assert storage.memory._writer.settled(20)
    first = gateway.ids[0]
    assert gateway.continues(first) == 200
    with taken():
        assert gateway.slowest() < 1.5 * usual + SLACK
        if gateway.ids and "postgresql" in url:
            begun = time.perf_counter()
            assert [gateway.continues(first) for _ in range(4)] == [503] * 4, "it may well be kept"
            assert time.perf_counter() - begun < 4 * 0.3 + 1
            assert gateway.slowest(2) < 1.5 * usual + SLACK + 0.5, "nor is the first one after a failure slower"
    until(lambda: gateway.continues(first) == 200)
    until(lambda: gateway.continues(gateway.ids[-1]) == 200, 30)
    assert storage._writer.settled(30)
    assert (storage.dropped, storage.memory.forgotten) == (0, 0)
    found = storage.exchanges(limit=10_000)
    recorded = [one.id for one in found if one.status == 200]
    assert len(found) == len({one.id for one in found})
    assert len(recorded) >= len(gateway.ids) * 2
    assert all(storage.memory.get(f"/response/{name}") for name in gateway.ids), "each one that a client has"
    storage.close()


# --- at the start -----------------------------------------------------------------------------------------------------


def configured_with(url: str) -> Any:
    upstream = {"protocol": CHAT, "base_url": "http://u.invalid"}
    return from_mapping({"upstreams": {"one": upstream}, "storage": {"url": url}})


def test_away_at_the_start(postgres: Server, caplog: pytest.LogCaptureFixture) -> None:
    config = configured_with(postgres.new_database())
    with killed(postgres):
        storage = storage_of(config)
        assert storage is not None
        (said,) = [one.getMessage() for one in caplog.records]
        assert "failed: connection failed" in said
        assert said.endswith("started without it: what is to be kept waits until it is back, and requests that need "
                             "what is kept get 503")  # fmt: skip
        storage.record(record("early"))
    until(lambda: names(storage.exchanges()) == ["early"])
    storage.close()


def test_locked_at_the_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr("proxai_ir.storage.database.BUSY", 0.05)
    file = tmp_path / "kept.db"
    sqlite3.connect(file).close()
    with locked(str(file)):
        storage = storage_of(configured_with(str(file)))
    assert "database is locked; started without it" in caplog.text
    assert storage is not None
    kept(storage, record("a"))
    storage.close()


def test_what_is_wrong_is_not_taken_for_away(postgres: Server, tmp_path: Path) -> None:
    good = postgres.new_database()
    with pytest.raises(ConfigError, match=r'^storage: .* database "nothing" does not exist'):
        storage_of(configured_with(good.rpartition("/")[0] + "/nothing"))
    with pytest.raises(ConfigError, match='role "stranger" does not exist'):
        storage_of(configured_with(good.replace("tests@", "stranger@")))
    file = tmp_path / "kept.db"
    file.write_bytes(b"this is not a database" * 100)
    with pytest.raises(ConfigError, match="file is not a database"):
        storage_of(configured_with(str(file)))


# --- a file that is taken away ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("moved", [False, True])
def test_a_file_that_is_taken_away(moved: bool, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """While the gateway has it open: what it wrote then would go nowhere."""
    file = tmp_path / "kept.db"
    storage = Storage(str(file))
    kept(storage, record("before"))
    storage.memory.put("k", 1, 60)
    assert storage.memory.get("k") == 1
    if moved:
        file.rename(tmp_path / "aside.db")
    else:
        file.unlink()
    storage.record(record("after", NOW + 1))
    assert storage._writer.settled(20)
    assert f"the storage {file} was taken away; a new one is begun" in caplog.text
    assert file.exists()
    assert names(storage.exchanges()) == ["after"]
    assert (storage.dropped, storage.memory.get("k")) == (0, None)
    storage.close()
    again = Storage(str(file))
    assert names(again.exchanges()) == ["after"]
    again.close()
