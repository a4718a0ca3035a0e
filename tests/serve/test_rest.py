"""Upstreams that are down rest while there are others, and equal ones take turns."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

pytest.importorskip("uvicorn", reason='the gateway needs the extra "serve"')
pytest.importorskip("pydantic", reason='the gateway needs the extra "serve"')

import anyio
import httpcore
import httpx

from proxai_ir.serve.app import app
from proxai_ir.serve.config import Config, from_mapping
from proxai_ir.serve.gateway import Gateway
from proxai_ir.serve.keys import FAILURES, Rest
from proxai_ir.serve.upstreams import Connections, network

from ..clients.provider import ANTHROPIC, CHAT
from .support import OPERATOR, asked, configured, path_of, serving
from .test_endpoints import Kept, ask, post
from .upstreams import KEY, Upstream, running
from .visiting import browser_of

Json = Any
ALONE = [{"models": ["*"], "upstream": "u0"}]
EQUAL = [{"models": ["*"], "upstream": ["u0", "u1"]}]


# --- rest ---


def test_one_request_tries_an_upstream_that_has_rested() -> None:
    now = [0.0]
    rest = Rest(30, lambda: now[0])
    for _ in range(FAILURES - 1):
        rest.failed()
        assert (rest.admits(), rest.left) == (True, 0)
    rest.failed()
    assert (rest.admits(), rest.left) == (False, 30)
    now[0] = 30
    assert [rest.admits() for _ in range(3)] == [True, False, False], "one tries it"
    rest.failed()
    assert rest.left == 60, "twice as long"
    now[0] = 90
    assert [rest.admits() for _ in range(2)] == [True, False]
    now[0] = 150
    assert rest.admits(), "the one before was never answered, as its client went away"
    for _ in range(2_000):
        rest.failed()
    assert rest.left == 240, "eight times"
    rest.answered()
    assert [rest.admits() for _ in range(3)] == [True] * 3


def test_a_success_in_between_begins_the_count_anew() -> None:
    rest = Rest(30, lambda: 0.0)
    for _ in range(3 * FAILURES):
        rest.failed()
        rest.answered()
    assert rest.admits()


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("word", ["500", "429", "short"])
def test_an_upstream_that_fails_in_a_row_is_asked_no_more(
    word: str, streamed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if word == "short" and not streamed:
        pytest.skip("a whole response has no beginning")
    first, second, storage = Upstream(CHAT, *[word] * 10), Upstream(ANTHROPIC), Kept()
    given = ("POST", path_of(CHAT, streamed), asked(CHAT, streamed))
    metrics = ("GET", "/metrics", None, OPERATOR)
    *found, last = ask(monkeypatch, [first, second], *[given] * 6, metrics, storage=storage)
    assert [one.status_code for one in found] == [200] * 6
    assert (len(first.seen), len(second.seen)) == (FAILURES, 6)
    assert [len(one.attempts) for one in storage.records] == [1] * FAILURES + [0] * 3
    assert 'proxai_upstream_resting{upstream="u0"} 1.0' in last.text
    assert 'proxai_upstream_resting{upstream="u1"} 0.0' in last.text
    assert 'proxai_upstream_running{upstream="u0"} 0.0' in last.text


def test_an_upstream_without_a_fallback_does_not_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    upstream = Upstream(CHAT, *["500"] * 5)
    found = ask(monkeypatch, [upstream], *[post(CHAT)] * 6, routes=ALONE)
    assert [one.status_code for one in found] == [500] * 5 + [200]


def test_where_all_rest_they_are_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = Upstream(CHAT, *["500"] * 4), Upstream(ANTHROPIC, *["529"] * 3)
    found = ask(monkeypatch, [first, second], *[post(CHAT)] * 5)
    assert [one.status_code < 300 for one in found] == [False] * 3 + [True] * 2
    assert (len(first.seen), len(second.seen)) == (4, 5), "the fourth asks both, the fifth the one that has answered"


def test_the_page_shows_what_rests(tmp_path: Any) -> None:
    from proxai_ir.storage import Storage

    storage = Storage(str(tmp_path / "kept.db"))
    browser = browser_of(storage)
    gateway = Gateway(from_mapping({"upstreams": {"dead": {"protocol": CHAT, "base_url": "http://a.invalid"}}}))
    browser.app.state.gateway = gateway  # type: ignore[attr-defined]
    assert "The upstream dead" not in browser.get("/ui").text
    for _ in range(FAILURES):
        gateway.upstreams["dead"].rest.failed()
    assert "The upstream dead has failed several times in a row" in browser.get("/ui").text
    storage.close()


# --- equal upstreams ---


def test_equal_upstreams_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    both = [Upstream(CHAT), Upstream(ANTHROPIC)]
    found = ask(monkeypatch, both, *[post(CHAT)] * 6, routes=EQUAL)
    assert [one.status_code for one in found] == [200] * 6
    assert [len(one.seen) for one in both] == [3, 3]


def test_an_equal_one_is_asked_after_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    both = [Upstream(CHAT, *["500"] * 9), Upstream(ANTHROPIC)]
    found = ask(monkeypatch, both, *[post(CHAT)] * 8, routes=EQUAL)
    assert [one.status_code for one in found] == [200] * 8
    assert [len(one.seen) for one in both] == [FAILURES, 8]


def test_the_one_that_has_the_fewest_requests_is_first(monkeypatch: pytest.MonkeyPatch) -> None:
    tables: Json = {"routes": [{**EQUAL[0], "fallbacks": ["u2"]}]}
    config = configured(monkeypatch, *[(CHAT, f"http://u{at}.invalid") for at in range(3)], **tables)
    gateway = Gateway(config)
    gateway.upstreams["u0"].running = 2
    order = [[one.upstream for one in gateway.candidates("m")] for _ in range(3)]
    assert order == [["u1", "u0", "u2"]] * 3
    gateway.upstreams["u1"].running = 2
    assert [gateway.candidates("m")[0].upstream for _ in range(4)] == ["u0", "u1", "u0", "u1"]


# --- time ---


@contextmanager
def black_hole() -> Iterator[str]:
    """The URL of a port at which connections are neither taken nor refused, as its queue is full."""
    with socket.socket() as hole:
        hole.bind(("127.0.0.1", 0))
        hole.listen(0)
        port = hole.getsockname()[1]
        waiting: list[socket.socket] = []
        try:
            while len(waiting) < 20:
                one = socket.socket()
                waiting.append(one)
                one.settimeout(0.2)
                try:
                    one.connect(("127.0.0.1", port))
                except TimeoutError:
                    yield f"http://127.0.0.1:{port}"
                    return
            pytest.skip("the system takes connections beyond the queue")
        finally:
            for one in waiting:
                one.close()


def seconds_of(config: Config, count: int) -> list[float]:
    """The seconds of so many requests, one after the other."""
    found = []
    with serving(config) as (url, _), httpx.Client(base_url=url) as client:
        for _ in range(count):
            begun = time.perf_counter()
            assert client.post(path_of(CHAT), json=asked(CHAT)).status_code == 200
            found.append(time.perf_counter() - begun)
    return found


def test_a_dead_upstream_costs_five_requests_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    connect = 0.4
    with running(Upstream(CHAT)) as living, black_hole() as dead:
        tables = {"timeouts": {"connect": connect}}
        usual = seconds_of(configured(monkeypatch, (CHAT, living), **tables), 105)
        found = seconds_of(configured(monkeypatch, (CHAT, dead), (CHAT, living), **tables), 105)
    assert all(connect <= one < 2 * connect for one in found[:FAILURES]), "each takes the time that is stated, once"
    assert sum(one >= connect for one in found[FAILURES:]) <= 1, "only one trial request waits for it again"
    assert sorted(found[5:])[50] <= sorted(usual[5:])[50] + 0.1


@pytest.mark.parametrize("by_proxy", [False, True])
def test_the_time_to_connect_has_all_tries_in_it(by_proxy: bool) -> None:
    """Also where a connection is taken, and TLS or a proxy's CONNECT then gets no response."""

    async def work() -> float:
        with socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))
            silent.listen(5)
            url = f"https://127.0.0.1:{silent.getsockname()[1]}"
            proxy = {"proxy": url.replace("https", "http")} if by_proxy else {}
            config = from_mapping({"upstreams": {"u": {"protocol": CHAT, "base_url": url, **proxy}}})
            pool = network(config.upstreams["u"])
            waits = {"connect": 0.3, "read": 60.0, "write": 60.0, "pool": 60.0}
            begun = time.perf_counter()
            with pytest.raises(httpx.ConnectTimeout):
                await pool.handle_async_request(httpx.Request("GET", url, extensions={"timeout": waits}))
            return time.perf_counter() - begun

    assert 0.3 <= anyio.run(work) < 0.55


def test_the_time_to_connect_ends_with_the_connection() -> None:
    """A response may take longer."""

    class Slow(httpx.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            sent = httpcore.Request("GET", "http://a.invalid")
            await request.extensions["trace"]("http11.send_request_headers.started", {"request": sent})
            await anyio.sleep(0.05)
            return httpx.Response(200)

    async def work() -> int:
        request = httpx.Request("GET", "http://a.invalid", extensions={"timeout": {"connect": 0.01}})
        return (await Connections(Slow).handle_async_request(request)).status_code

    assert anyio.run(work) == 200


def test_a_response_that_is_no_http_is_not_out_of_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is named as what it is, and the key that it repeats is in no text."""
    storage = Kept()

    class NoHttp(httpx.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            raise httpx.RemoteProtocolError(f"illegal status line: bytearray(b'{KEY} is wrong')")

    made = app(configured(monkeypatch, (CHAT, "http://up.invalid")), storage, transport=lambda _: NoHttp())

    async def work() -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(made), base_url="http://127.0.0.1") as http:
            return await http.post(path_of(CHAT), json=asked(CHAT))

    found = anyio.run(work)
    said = found.json()["error"]["message"]
    assert found.status_code == 502
    assert said.startswith("The upstream 'u0' at http://up.invalid gave no whole HTTP response: illegal status line")
    assert KEY not in said + repr(storage.records)
