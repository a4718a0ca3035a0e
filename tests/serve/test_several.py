"""Two processes with one PostgreSQL behind one nginx: what they share, while one restarts, and when one is killed.

Needs a PostgreSQL and an nginx of the system; without them these tests are skipped.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest

pytest.importorskip("uvicorn", reason='the gateway needs the extra "serve"')
pytest.importorskip("psycopg", reason='needs the extra "postgres"')

import httpx

from proxai_ir.storage import Storage

from ..clients.provider import ANTHROPIC, CHAT, RESPONSES, TEXT
from ..waiting import until
from .postgres import Server
from .several import Process, port_of, several
from .support import asked, path_of
from .test_key_limits import bearer
from .upstreams import KEY, Upstream, running

pytestmark = pytest.mark.slow


class Team(NamedTuple):
    url: str
    processes: Sequence[Process]
    database: str

    def client(self, name: str = "alice") -> httpx.Client:
        return httpx.Client(base_url=self.url, headers={"host": "gateway.example", **bearer(name)}, timeout=60)

    def logged(self) -> set[str]:
        storage = Storage(self.database)
        try:
            return {one.id for one in storage.exchanges(limit=100_000)}
        finally:
            storage.close()


@contextmanager
def team(postgres: Server, folder: Path, *script: str, **stated: Any) -> Iterator[Team]:
    database = postgres.new_database()
    with pytest.MonkeyPatch.context() as monkeypatch, running(Upstream(ANTHROPIC, *script)) as upstream:
        monkeypatch.setenv("UPSTREAM_KEY", KEY)
        stated = {"storage": database, "protocol": ANTHROPIC, "upstream": upstream, **stated}
        with several(folder, monkeypatch, **stated) as (url, processes):
            yield Team(url, processes, database)


class Answer(NamedTuple):
    """When a request began and ended, what came, which process sent it, and its id in the log."""

    begun: float
    ended: float
    status: int
    port: int
    exchange: str
    text: str


def answered(client: httpx.Client, streamed: bool) -> Answer:
    begun = time.monotonic()
    with client.stream("POST", path_of(CHAT), json=asked(CHAT, streamed)) as found:
        exchange, text = found.headers.get("x-proxai-exchange", ""), ""
        with suppress(httpx.TransportError):  # cut off: as far as it came
            for part in found.iter_text():
                text += part
        return Answer(begun, time.monotonic(), found.status_code, port_of(found), exchange, text)


def load(team: Team, during: Callable[[list[Answer]], None], name: str, pause: float, streams: int = 0) -> list[Answer]:
    """Return the answers that clients get meanwhile: one asks each `pause` seconds, the others ask for streams."""
    over = threading.Event()
    found: list[Answer] = []

    def asks(streamed: bool) -> None:
        with team.client(name) as client:
            while not over.is_set():
                one = answered(client, streamed)
                found.append(one)
                over.wait(0 if streamed else max(0.0, one.begun + pause - time.monotonic()))

    with ThreadPoolExecutor() as threads:
        asking = [threads.submit(asks, at > 0) for at in range(streams + 1)]
        try:
            during(found)
        finally:
            over.set()
        for each in asking:
            each.result()
    return found


def test_a_conversation_goes_on_at_another_process(postgres: Server, tmp_path: Path) -> None:
    with team(postgres, tmp_path) as here, here.client() as client:
        served = set()
        ids: list[str] = []
        for _ in range(20):
            more: dict[str, Any] = {"previous_response_id": ids[-1]} if ids else {}
            found = client.post(path_of(RESPONSES), json=asked(RESPONSES, **more))
            assert found.status_code == 200, found.text
            served.add(port_of(found))
            ids.append(found.json()["id"])
        assert served == {one.port for one in here.processes}
        assert client.get(f"/v1/responses/{ids[0]}").json()["id"] == ids[0]


def test_a_restart_of_one_after_the_other_drops_nothing(postgres: Server, tmp_path: Path) -> None:
    with team(postgres, tmp_path, *["slow"] * 10_000) as here:
        ends: list[tuple[int, float]] = []

        def restarts(_: list[Answer]) -> None:
            for one in [*here.processes] * 2:  # on a busy machine, one may have no stream when it is to end
                time.sleep(1)
                ends.append((one.port, time.monotonic()))
                one.end(signal.SIGTERM)
                time.sleep(0.5)
                one.start()
            time.sleep(1)

        found = load(here, restarts, "alice", 0.05, streams=4)
        for process in here.processes:
            process.end()
        assert {one.status for one in found} == {200}
        assert all(one.text.endswith("data: [DONE]\n\n") or TEXT in one.text for one in found)
        flying = [port for one in found for port, end in ends if one.port == port and one.begun < end < one.ended]
        assert {*flying} == {one.port for one in here.processes}, "streams that ran when their process was to end"
        assert here.logged() == {one.exchange for one in found}


LIMIT, PAUSE = 100, 0.03
KNOWN = 1.0
"""Seconds after which others know what a process let in, as spec/gateway.md says."""
SLACK = 0.5
"""Seconds more, as two cores do all of this."""


def test_one_is_killed_under_load(postgres: Server, tmp_path: Path) -> None:
    """The log keeps what it has, and processes overshoot a key's limit by what others begin in a second at most."""
    with team(postgres, tmp_path, most=LIMIT) as here:
        alive, killed = here.processes
        when = 0.0

        def kills(found: list[Answer]) -> None:
            nonlocal when
            time.sleep(3)
            until(lambda: all(sum(one.port == each.port for one in found) > 5 for each in here.processes))
            when = time.monotonic()
            killed.end(signal.SIGKILL)
            until(lambda: any(one.status == 429 for one in found), 60)

        found = load(here, kills, "bob", PAUSE)
        alive.end()
        assert {one.status for one in found} == {200, 429}, "nginx asks the other one where there is no answer yet"
        let_in = [one for one in found if one.status == 200]
        both = [one for one in let_in if one.begun < when]  # while both ran
        by = {one.port: [each.begun for each in both if each.port == one.port] for one in here.processes}
        assert min(map(len, by.values())) > 5
        assert LIMIT <= len(let_in) <= LIMIT + max(most_within(KNOWN + SLACK, times) for times in by.values())
        logged = here.logged()
        lost = [one for one in let_in if one.exchange not in logged]
        assert all(one.port == killed.port and one.begun > when - SLACK for one in lost), lost


def most_within(seconds: float, times: list[float]) -> int:
    return max(sum(one <= other < one + seconds for other in times) for one in times)
