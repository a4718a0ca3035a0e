"""Streams as they should be, over real sockets: at once, no faster than they are read, and never left hanging."""

from __future__ import annotations

import logging
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

pytest.importorskip("uvicorn", reason='the gateway needs the extra "serve"')
pytest.importorskip("pydantic", reason='the gateway needs the extra "serve"')

import httpx

import proxai_ir
from proxai_ir.serve.access import access_of
from proxai_ir.serve.server import bound, server_of

from ..clients.provider import ANTHROPIC, CHAT, GEMINI, RESPONSES
from ..waiting import until
from .support import HEADERS, asked, configured, events, listening, path_of, sockets
from .test_endpoints import Kept
from .upstreams import KEY, PAUSE, Upstream, running
from .visiting import TOKEN

CLIENTS = (CHAT, RESPONSES, ANTHROPIC, GEMINI)
every_client = pytest.mark.parametrize("client", CLIENTS)
OTHER = {CHAT: ANTHROPIC, RESPONSES: ANTHROPIC, ANTHROPIC: CHAT, GEMINI: CHAT}
PINGS = {CHAT: b": keep-alive", RESPONSES: b": keep-alive", ANTHROPIC: b"event: ping", GEMINI: b"\n\n\n"}


def ask(url: str, client: str, streamed: bool = True, **more: Any) -> dict[str, Any]:
    return {
        "method": "POST",
        "url": url + path_of(client, streamed),
        "json": asked(client, streamed, **more),
        "headers": HEADERS.get(client, {}),
    }


@every_client
def test_bytes_come_at_once_and_connections_are_kept_open(client: str, monkeypatch: pytest.MonkeyPatch) -> None:
    upstream = Upstream(OTHER[client], "slow")
    timeouts = {"keep_alive": PAUSE / 3}
    with sockets(monkeypatch, upstream, timeouts=timeouts) as url, httpx.stream(**ask(url, client)) as found:
        pieces = found.iter_raw()
        first, sent = next(pieces), upstream.sent
        rest = b"".join(pieces)
    assert sent < upstream.sent / 2
    assert PINGS[client] in rest
    assert "42" in str(events(first + rest))
    assert proxai_ir.lower(events(first + rest), client, kind="stream")


def test_the_first_ping_comes_when_it_should(monkeypatch: pytest.MonkeyPatch) -> None:
    """After the time that is stated: the head of a response is nothing that keeps a connection open."""
    with (
        sockets(monkeypatch, Upstream(ANTHROPIC, "silent"), timeouts={"keep_alive": 0.2}) as url,
        httpx.stream(**ask(url, CHAT)) as found,
    ):
        begun = time.monotonic()
        pieces = found.iter_raw()
        assert PINGS[CHAT] in next(pieces)
        first = time.monotonic() - begun
        next(pieces)
        second = time.monotonic() - begun - first
    assert first < 2
    assert 0.15 < second < 2


@every_client
def test_a_stall_ends_with_the_clients_error(client: str, monkeypatch: pytest.MonkeyPatch) -> None:
    upstream, storage = Upstream(OTHER[client], "stall"), Kept()
    with sockets(monkeypatch, upstream, storage=storage, timeouts={"stall": 0.2}) as url:
        found = httpx.request(**ask(url, client), timeout=10)
        until(lambda: upstream.running == 0, 5)
    assert "error" in str(events(found.content)[-2:])
    assert storage.records[0].error == "The provider's stream has stalled."


@every_client
def test_a_provider_that_does_not_respond(client: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with sockets(monkeypatch, Upstream(OTHER[client], "stall"), timeouts={"response": 0.2}) as url:
        found = httpx.request(**ask(url, client, streamed=False), timeout=10)
    assert found.status_code == 504
    assert "did not respond in time" in found.text
    assert proxai_ir.lower(found.json(), client, kind="error")


@pytest.mark.parametrize("streamed", [True, False])
def test_a_client_that_goes_away_cancels_the_upstream(streamed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    upstream, storage = Upstream(ANTHROPIC, "stall"), Kept()
    with sockets(monkeypatch, upstream, storage=storage) as url:
        with pytest.raises(httpx.ReadTimeout), httpx.Client(timeout=0.3) as http:
            http.request(**ask(url, CHAT, streamed))
        until(lambda: bool(storage.records), 5)
        until(lambda: upstream.running == 0, 5)
        assert len(upstream.seen) == 1
    (record,) = storage.records
    assert record.error == "The client went away."
    assert record.status == (200 if streamed else 499)


def test_no_more_is_read_than_the_client_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    upstream = Upstream(ANTHROPIC, "endless")
    with sockets(monkeypatch, upstream) as url:
        with httpx.stream(**ask(url, CHAT)) as found:
            next(found.iter_raw())
            before = -1

            def stands_still() -> bool:  # all buffers are full: of sockets, and of the two servers
                nonlocal before
                before, last = upstream.sent, before
                time.sleep(0.2)
                return upstream.sent == before == last

            until(stands_still, 5)
            assert before < 64 << 20
        until(lambda: upstream.running == 0, 5)


def test_streams_that_run_end_before_a_server_does(monkeypatch: pytest.MonkeyPatch) -> None:
    upstream = Upstream(CHAT, "slow")
    with listening(monkeypatch, upstream) as (url, server), httpx.stream(**ask(url, RESPONSES)) as found:
        pieces = found.iter_raw()
        first = next(pieces)
        server.should_exit = True
        made = events(first + b"".join(pieces))
        assert made[-1]["type"] == "response.completed"
        with pytest.raises(httpx.TransportError):
            httpx.get(url + "/health")


@every_client
def test_streams_that_run_too_long_end_with_an_error(client: str, monkeypatch: pytest.MonkeyPatch) -> None:
    upstream, storage = Upstream(OTHER[client], "stall"), Kept()
    settings = {"timeout_graceful_shutdown": 0.2}
    with (
        listening(monkeypatch, upstream, storage=storage, settings=settings) as (url, server),
        httpx.stream(**ask(url, client)) as found,
    ):
        pieces = found.iter_raw()
        first = next(pieces)
        server.should_exit = True
        made = events(first + b"".join(pieces))
    assert "error" in str(made[-2:])
    assert storage.records[0].error == "The gateway was shut down."


@every_client
def test_an_upstream_that_is_away(client: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from proxai_ir.serve.app import app

    monkeypatch.setenv("CLIENT_KEY", KEY)
    config = configured(monkeypatch, (CHAT, "http://127.0.0.1:9"), access={"keys_env": ["CLIENT_KEY"]})
    with running(app(config)) as url:
        given = ask(url, client)
        given["headers"] = {**given.get("headers", {}), "authorization": f"Bearer {KEY}"}
        found = httpx.request(**given)
    assert found.status_code == 502
    assert "'u0' cannot be reached" in found.text
    assert "127.0.0.1:9" not in found.text
    assert proxai_ir.lower(found.json(), client, kind="error")


def test_whoever_started_the_gateway_reads_where_and_why(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """In the response, in the log, and on standard error; no secret that a URL's query may hold."""
    from proxai_ir.serve.app import app

    kept = Kept()
    with running(app(configured(monkeypatch, (CHAT, "http://127.0.0.1:9/v1?key=secret")), kept)) as url:
        found = httpx.request(**ask(url, CHAT, streamed=False))
    why = "The upstream 'u0' at http://127.0.0.1:9/v1 cannot be reached: Connection refused (errno 111)."
    assert found.json()["error"]["message"] == why
    assert [one.error for one in kept.records] == [why]
    assert caplog.messages == [why]


def test_an_upstream_that_is_away_has_a_fallback(monkeypatch: pytest.MonkeyPatch) -> None:
    from proxai_ir.serve.app import app

    second = Upstream(ANTHROPIC)
    with running(second) as there:
        config = configured(monkeypatch, (CHAT, "http://127.0.0.1:9"), (ANTHROPIC, there))
        with running(app(config)) as url:
            found = httpx.request(**ask(url, CHAT, streamed=False))
    assert found.status_code == 200


def test_many_streams_are_not_mixed(monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        sockets(monkeypatch, Upstream(ANTHROPIC)) as url,
        httpx.Client(limits=httpx.Limits(max_connections=32)) as http,
    ):

        def one(number: int) -> set[str]:
            found = http.request(**ask(url, CHAT, model=f"model-{number}"), timeout=60)
            return {event["model"] for event in events(found.content) if isinstance(event, dict)}

        with ThreadPoolExecutor(32) as pool:
            assert list(pool.map(one, range(200))) == [{f"model-{number}"} for number in range(200)]


def test_connections_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clients that send nothing take a place each; those beyond the bound are refused, and served later."""
    with listening(monkeypatch, Upstream(CHAT), settings={"limit_concurrency": 50}) as (url, _):
        address = ("127.0.0.1", httpx.URL(url).port or 0)
        idle = [socket.create_connection(address) for _ in range(300)]
        try:
            for one in idle:
                one.sendall(b"POST /v1/messages HTTP/1.1\r\nhost: 127.0.0.1\r\n")
            assert httpx.request(**ask(url, CHAT)).status_code == 503
        finally:
            for one in idle:
                one.close()
        until(lambda: httpx.request(**ask(url, CHAT)).status_code == 200, 5)


@pytest.mark.slow
def test_ten_thousand_slow_clients(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streams that run go on while connections pile up, and the gateway serves again once they are gone."""
    resource = pytest.importorskip("resource", reason="this system has no limits of open files")
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    many = min(10_000, (limit[1] - 500) // 2)  # both ends are of this process
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit[1], limit[1]))
    idle: list[socket.socket] = []
    try:
        with listening(monkeypatch, Upstream(CHAT, "slow"), settings={"limit_concurrency": 1000}) as (url, _):
            with httpx.stream(**ask(url, RESPONSES)) as found:
                pieces = found.iter_raw()
                first = next(pieces)
                for _ in range(many):
                    idle.append(socket.create_connection(("127.0.0.1", httpx.URL(url).port or 0), timeout=30))
                    idle[-1].sendall(b"POST /v1/messages HTTP/1.1\r\nhost: 127.0.0.1\r\n")
                assert events(first + b"".join(pieces))[-1]["type"] == "response.completed"
            assert httpx.request(**ask(url, CHAT), timeout=30).status_code == 503
            for one in idle:
                one.close()
            until(lambda: httpx.request(**ask(url, CHAT), timeout=30).status_code == 200, 30)
    finally:
        for one in idle:
            one.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, limit)


def test_bytes_that_are_no_http(monkeypatch: pytest.MonkeyPatch) -> None:
    with sockets(monkeypatch, Upstream(CHAT)) as url:
        with socket.create_connection(("127.0.0.1", httpx.URL(url).port or 0)) as raw:
            raw.sendall(b"\x00\xff" * 1000 + b"\r\n\r\n")
            raw.settimeout(5)
            assert b"400" in raw.recv(1000)
        assert httpx.request(**ask(url, CHAT)).status_code == 200


def test_threads_do_not_pile_up(monkeypatch: pytest.MonkeyPatch) -> None:
    with sockets(monkeypatch, Upstream(CHAT)) as url:
        httpx.request(**ask(url, ANTHROPIC))
        before = threading.active_count()
        for _ in range(20):
            httpx.request(**ask(url, ANTHROPIC))
        assert threading.active_count() <= before + 1


def test_a_forced_end_is_no_failure_of_the_application(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A stream that is cut off leaves one line in the log at most, and no traceback."""
    with running(Upstream(CHAT, "stall")) as upstream:
        config = configured(monkeypatch, (CHAT, upstream), listen={"port": 0}, timeouts={"shutdown": 1.0})
        access, listeners = access_of(config, TOKEN), bound(config.listen)
        made = server_of(config, Kept(), access, ())
        monkeypatch.setattr(logging.getLogger("uvicorn"), "propagate", True)  # which that of the upstream does not
        thread = threading.Thread(target=made.run, args=(listeners,))
        thread.start()
        try:
            with httpx.stream(**ask(f"http://127.0.0.1:{listeners[0].getsockname()[1]}", CHAT)) as found:
                pieces = found.iter_raw()
                next(pieces)
                made.should_exit = True
                assert b"error" in b"".join(pieces)
        finally:
            made.should_exit = True
            thread.join(20)
    assert any("timeout graceful shutdown exceeded" in one for one in caplog.messages)
    assert [one for one in caplog.records if one.exc_info] == []
