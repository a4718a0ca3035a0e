"""What gateways with one database know of each other: the use of keys, and the rest of upstreams' keys.

Needs a PostgreSQL of the system; without it, only what is counted is tried.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer
from typing import Any

import pytest

pytest.importorskip("uvicorn", reason='the gateway needs the extra "serve"')
pytest.importorskip("sqlalchemy", reason='the gateway needs the extra "serve"')

import anyio
from sqlalchemy import text

from proxai_ir.serve.config import KeyLimits, from_mapping
from proxai_ir.serve.gateway import Gateway
from proxai_ir.serve.limits import SILENCE, Account, Use
from proxai_ir.serve.shared import Shared, sharing
from proxai_ir.storage import Storage

from ..clients.provider import CHAT
from .postgres import Server
from .test_database_away import stalled
from .test_key_limits import DAY, refusal

# --- what is counted --------------------------------------------------------------------------------------------------


def test_requests_of_others_count_for_a_minute() -> None:
    account, limits = Account(), KeyLimits(requests_per_minute=3)
    account.begin(limits, 0.0, 100.0)
    assert account.told(100.5) == Use(0, 0, 1, [(0.0, 1)])
    account.hear([(110.0, Use(0, 0, 0, [(30, 1), (0, 1)]))], 110.0)
    assert refusal(account, limits, 0.0, 115.0) == ("This key may have 3 requests a minute.", 25.0)
    assert refusal(account, limits, 0.0, 140.0) == ("", None)
    assert account.told(141.0).begun == [(40.5, 1), (0.0, 1)], "of its own alone"
    assert account.told(161.0).begun == [(20.0, 1)]


def test_a_refusal_ends_when_enough_of_all_are_a_minute_old() -> None:
    account = Account()
    for clock in (0.0, 10.0, 20.0):
        account.begin(KeyLimits(requests_per_minute=9), 0.0, clock)
    account.hear([(25.0, Use(0, 0, 0, [(20, 2)]))], 25.0)  # 0, 5, 5, 10, 20
    found = [refusal(account, KeyLimits(requests_per_minute=most), 0.0, 30.0)[1] for most in (5, 4, 3, 2, 1)]
    assert found == [30.0, 35.0, 35.0, 40.0, 50.0]


def test_what_others_told_is_replaced() -> None:
    account = Account()
    for _ in range(2):
        account.hear([(10.0, Use(0, 7, 2, [(1, 2)])), (9.0, Use(0, 1, 1, []))], 10.0)
    assert refusal(account, KeyLimits(requests_per_minute=2), 0.0, 10.0)[1] == 59
    assert refusal(account, KeyLimits(requests_at_once=3), 0.0, 10.0) == ("This key may have 3 requests at once.", 1)
    assert refusal(account, KeyLimits(requests_at_once=4), 0.0, 10.0) == ("", None)
    assert "has used 8 since" in refusal(account, KeyLimits(tokens_per_day=8), 0.0, 10.0)[0]


def test_requests_of_a_process_that_is_silent_do_not_run() -> None:
    account, limits = Account(), KeyLimits(requests_at_once=2)
    account.hear([(0.0, Use(0, 0, 5, [])), (11.0, Use(0, 0, 1, []))], SILENCE + 1)
    assert refusal(account, limits, 0.0, SILENCE + 2) == ("", None)
    assert refusal(account, limits, 0.0, SILENCE + 2)[1] == 1
    assert refusal(account, limits, 0.0, 3 * SILENCE) == ("", None), "nor if the database says nothing any more"


def test_tokens_of_others_count_for_their_day() -> None:
    account, limits = Account(), KeyLimits(tokens_per_day=10)
    account.hear([(0.0, Use(4, 90, 0, [])), (0.0, Use(5, 6, 0, []))], 0.0)
    account.begin(limits, 5 * DAY, 0.0)
    account.end({"output": 4}, 5 * DAY)
    assert "has used 10 since" in refusal(account, limits, 5 * DAY + 1)[0]
    assert refusal(account, limits, 6 * DAY) == ("", None)


# --- through the database ---------------------------------------------------------------------------------------------


class Member:
    """One of several gateways."""

    def __init__(self, url: str, **limits: Any) -> None:
        upstream = {"protocol": CHAT, "base_url": "http://u.invalid", "key_env": ["ONE", "OTHER"]}
        tables = {"upstreams": {"u": upstream}, "access": {"limits": {"*": limits} if limits else {}}}
        self.storage = Storage(url)
        with pytest.MonkeyPatch.context() as monkeypatch:
            monkeypatch.setenv("ONE", "k-one-0123456789")
            monkeypatch.setenv("OTHER", "k-other-0123456789")
            self.gateway = Gateway(from_mapping(tables), self.storage)
        self.shared = Shared(self.gateway, self.storage)
        self.ring = self.gateway.upstreams["u"].keys

    def exchange(self) -> None:
        anyio.run(self.shared.exchange)

    def begin(self) -> Account:
        return self.gateway.accounts.begin("alice", "/v1/any", time.time(), time.perf_counter())

    def refusal(self) -> str:
        limits = self.gateway.accounts.of("alice")
        return refusal(self.gateway.accounts._accounts["alice"], limits, time.time(), time.perf_counter())[0]


@contextmanager
def members(postgres: Server, many: int = 2, **limits: Any) -> Iterator[list[Member]]:
    url = postgres.new_database()
    made = [Member(url, **limits) for _ in range(many)]
    try:
        yield made
    finally:
        for one in made:
            one.storage.close()


def test_limits_of_all_processes_together(postgres: Server) -> None:
    with members(postgres, requests_per_minute=3) as (first, second):
        first.begin()
        first.begin()
        second.exchange()
        first.exchange()
        second.begin()
        second.exchange()
        assert "3 requests a minute" in second.refusal()
        assert first.refusal() == "", "it has not heard: this is what is over"
        first.exchange()
        assert "3 requests a minute" in first.refusal()
        assert len(second.gateway.accounts._accounts["alice"].begun) == 1


def test_what_runs_and_what_has_ended(postgres: Server) -> None:
    with members(postgres, requests_at_once=1, tokens_per_day=100) as (first, second):
        running = first.begin()
        for one in (first, second):
            one.exchange()
        assert "1 requests at once" in second.refusal()
        running.end({"input": 90, "output": 10}, time.time())
        for one in (first, second):
            one.exchange()
        assert "100 tokens a day, and has used 100" in second.refusal()


def test_a_new_process_knows_from_its_first_request_on(postgres: Server) -> None:
    """The day's tokens stay with the database when all that have counted them are gone."""
    with members(postgres, 3, tokens_per_day=100) as (first, *_, last):

        async def whole_life(one: Member, tokens: int) -> str:
            async with sharing(one.gateway):
                if tokens:
                    one.begin().end({"output": tokens}, time.time())
                    return ""
                return one.refusal()

        assert anyio.run(whole_life, first, 100) == ""
        assert "has used 100" in anyio.run(whole_life, last, 0)


def test_a_key_of_an_upstream_rests_in_all(postgres: Server) -> None:
    with members(postgres) as (first, second):
        key = first.ring.next()
        first.ring.another(key, 60)
        first.exchange()
        second.exchange()
        assert key is not None
        assert 55 < second.ring.left(key) <= 60
        assert {second.ring.next() for _ in range(4)} == {*second.ring} - {key}
        told = second.storage._read(lambda one: [str(row) for row in one.execute(text("SELECT * FROM told"))])
        assert told
        assert not any("k-one" in row or "k-other" in row for row in told)


def test_nothing_is_told_where_nothing_is_counted(postgres: Server) -> None:
    with members(postgres) as (one, _):
        one.begin()
        one.exchange()
        one.storage.open()
        assert one.storage._read(lambda it: it.execute(text("SELECT count(*) FROM told")).scalar_one()) == 0


def test_a_database_that_stands_still(postgres: Server) -> None:
    """A process keeps what it knows, tells what is new once the database is back, and waits a second at most."""
    with members(postgres, requests_per_minute=3) as (first, second):
        first.begin()
        for one in (first, second):
            one.exchange()
        with stalled(postgres):
            second.begin()
            begun = time.perf_counter()
            second.exchange()
            assert time.perf_counter() - begun < 2
            second.begin()
            assert "3 requests a minute" in second.refusal()
        time.sleep(1)  # `database.PAUSE`
        for one in (second, first):
            one.exchange()
        assert "3 requests a minute" in first.refusal()


def test_a_response_that_another_process_is_about_to_keep(postgres: Server) -> None:
    with members(postgres) as (first, second):
        second.storage.open()
        keeping = Timer(0.1, lambda: first.storage.memory.put("owner/response/r", 1, 60))
        keeping.start()
        assert second.storage.memory.get("owner/response/r") == 1
        keeping.join()
        begun = time.perf_counter()
        assert second.storage.memory.get("owner/response/other") is None
        assert 0.2 < time.perf_counter() - begun < 1.2
        begun = time.perf_counter()
        assert second.storage.memory.get("owner/item/other") is None
        assert time.perf_counter() - begun < 0.2


def test_what_is_old_is_swept(postgres: Server) -> None:
    with members(postgres, requests_per_minute=3) as (one, other):
        one.begin()
        one.exchange()
        one.storage.sweep()
        rows = "SELECT count(*) FROM told"
        assert one.storage._read(lambda it: it.execute(text(rows)).scalar_one()) == 1
        one.storage._database.run(lambda it: it.execute(text("UPDATE told SET at = at - 172801")), write=True)
        other.exchange()
        assert not other.gateway.accounts._accounts, "nor is it heard"
        one.storage.sweep()
        assert one.storage._read(lambda it: it.execute(text(rows)).scalar_one()) == 0
