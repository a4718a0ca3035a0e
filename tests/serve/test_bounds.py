"""What strangers and providers can fill, and for how long: bodies, streams, records; each has its bound."""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("uvicorn", reason='the gateway needs the extra "serve"')
pytest.importorskip("sqlalchemy", reason='the gateway needs the extra "serve"')

import anyio
import httpx

from proxai_ir import Exchange
from proxai_ir.reporting.diagnostics import Diagnostic, Severity
from proxai_ir.serve import asgi
from proxai_ir.serve.asgi import Budget, Forbidden, body_of
from proxai_ir.serve.forward import run
from proxai_ir.storage import Storage
from proxai_ir.storage.records import MOST_FOUND, MOST_TEXT, brief, entries

from ..clients.provider import ANTHROPIC, CHAT, RESPONSES, TEXT
from .storing import NOW, kept, names, record
from .support import asked, events, listening, over_asgi, path_of, sockets
from .test_endpoints import Kept
from .upstreams import Upstream

Json = Any


# --- bodies -----------------------------------------------------------------------------------------------------------


def test_a_budget_is_shared_and_given_back() -> None:
    budget = Budget(100)
    one, two = budget.share(), budget.share()
    one.take(60)
    two.take(40)
    with pytest.raises(
        Forbidden, match=r"^The gateway holds 100 bytes of other requests, its limit; try again later\.$"
    ):
        two.take(1)
    assert budget.used == 100
    one.give_back()
    one.give_back()
    two.take(60)
    two.give_back()
    assert budget.used == 0


def read(*sizes: float, most: int = 1000, seconds: float = 0.1, length: str = "") -> bytes:
    """A body that comes in parts: of so many bytes, or after so many seconds."""
    parts = iter(sizes)

    async def receive() -> Json:
        size = next(parts, None)
        while isinstance(size, float):
            await anyio.sleep(size)
            size = next(parts, None)
        return {"type": "http.request", "body": b"x" * int(size or 0), "more_body": size is not None}

    headers = {"content-length": length} if length else {}
    return anyio.run(lambda: body_of(receive, headers, most, seconds, lambda size: None))


@pytest.mark.parametrize("sizes", [(1000,), (500, 500), (999, 1), (0,), ()])
def test_a_body_within_its_limit(sizes: tuple[int, ...]) -> None:
    assert len(read(*sizes)) == sum(sizes)


@pytest.mark.parametrize("sizes", [(1001,), (1000, 1), (500, 501, 10**9)])
def test_a_body_beyond_it(sizes: tuple[int, ...]) -> None:
    with pytest.raises(Forbidden, match="longer than 1000 bytes") as raised:
        read(*sizes)
    assert raised.value.status == 413
    with pytest.raises(Forbidden, match="longer than 1000 bytes"):
        read(length="1001")
    assert read(length="1000") == b""


def test_a_body_that_is_too_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """One byte after the other is no progress; what comes as fast as it has to may take as long as it needs."""
    with pytest.raises(Forbidden, match=r"^The body did not come in time: \d+ bytes in 0 s\.$") as raised:
        read(*[1, 0.03] * 20)
    assert raised.value.status == 400
    with pytest.raises(Forbidden, match="0 bytes in 0 s"):
        read(0.3)
    monkeypatch.setattr(asgi, "SLOWEST", 1000)
    assert len(read(*[50, 0.03] * 8)) == 400, "0.1 s, and 50 ms more for each 50 bytes"


@pytest.fixture(scope="module")
def gateway() -> Iterator[tuple[str, Kept]]:
    storage = Kept()
    with pytest.MonkeyPatch.context() as monkeypatch:
        tables = {"timeouts": {"head": 0.3, "body": 0.3}, "limits": {"memory": 100_000, "body": 90_000}}
        with sockets(monkeypatch, Upstream(CHAT), storage=storage, **tables) as url:
            yield url, storage


def connected(url: str) -> socket.socket:
    return socket.create_connection(("127.0.0.1", httpx.URL(url).port or 0), timeout=10)


def rest_of(client: socket.socket) -> bytes:
    return b"".join(iter(lambda: client.recv(4096), b""))


@pytest.mark.parametrize("sent", [b"", b"GET", b"POST /v1/messages HTTP/1.1\r\nhost: x\r\n"])
def test_a_head_that_does_not_come(sent: bytes, gateway: tuple[str, Kept]) -> None:
    """Nor does one that comes byte by byte have more time, nor the second of a connection."""
    url, _ = gateway
    with connected(url) as client:
        client.sendall(sent)
        begun = time.monotonic()
        assert rest_of(client) == b""
        assert 0.2 < time.monotonic() - begun < 3


def test_a_second_head_that_comes_byte_by_byte(gateway: tuple[str, Kept]) -> None:
    url, _ = gateway
    with connected(url) as client:
        client.sendall(b"GET /health HTTP/1.1\r\nhost: x\r\n\r\n")
        assert client.recv(4096).endswith(b"ok\n")
        begun = time.monotonic()
        with pytest.raises((ConnectionResetError, BrokenPipeError)):
            for byte in b"GET /health HTTP/1.1\r\nx: " + b"a" * 200:
                client.sendall(bytes([byte]))
                time.sleep(0.02)
        assert time.monotonic() - begun < 3


def test_a_body_that_does_not_come(gateway: tuple[str, Kept]) -> None:
    url, _ = gateway
    host = url.partition("//")[2]
    with connected(url) as client:
        head = f"POST {path_of(CHAT)} HTTP/1.1\r\nhost: {host}\r\ncontent-length: 100\r\n\r\n"
        client.sendall(head.encode() + b"{")
        found = client.recv(4096)
        while b"in time" not in found and (more := client.recv(4096)):
            found += more
    assert found.startswith(b"HTTP/1.1 400 ")
    assert b"The body did not come in time: 1 bytes in 0 s." in found


def test_bodies_have_a_budget_together(gateway: tuple[str, Kept]) -> None:
    """What half-sent ones hold is bounded; it is free again when they are gone."""
    url, _ = gateway
    host = url.partition("//")[2]
    head = f"POST {path_of(CHAT)} HTTP/1.1\r\nhost: {host}\r\ncontent-length: 80000\r\n\r\n".encode()
    found = [b""] * 4

    def send(at: int) -> None:
        with connected(url) as client:
            client.sendall(head + b" " * 40_000)
            found[at] = client.recv(4096)

    threads = [threading.Thread(target=send, args=(at,)) for at in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    statuses = sorted(one[9:12] for one in found)
    assert statuses == [b"400", b"400", b"503", b"503"], "two have 80,000 of 100,000 bytes"
    large = asked(CHAT, messages=[{"role": "user", "content": "x" * 80_000}])
    for _ in range(2):
        assert TEXT in httpx.post(url + path_of(CHAT), json=large).text, "what was taken is free again"


def test_a_body_that_nobody_wants_ends_the_connection(
    gateway: tuple[str, Kept], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("proxai_ir.serve.server.LATE_BODY", 0.2)
    url, _ = gateway
    with connected(url) as client:
        client.sendall(b"POST /v1/messages HTTP/1.1\r\nhost: strange\r\ncontent-length: 100000\r\n\r\n")
        begun = time.monotonic()
        assert rest_of(client).startswith(b"HTTP/1.1 403 ")
        assert time.monotonic() - begun < 3


# --- streams ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("client", [CHAT, RESPONSES])
def test_a_stream_without_an_end_has_one(client: str, monkeypatch: pytest.MonkeyPatch) -> None:
    storage, upstream = Kept(), Upstream(ANTHROPIC, "endless")
    with sockets(monkeypatch, upstream, storage=storage, limits={"stream": 200_000}) as url:
        found = httpx.post(url + path_of(client), json=asked(client, True), timeout=20)
    assert "cut off" in str(events(found.content)[-2:])
    (kept,) = storage.records
    assert "STR-15" in (kept.error or "")
    assert "a stream of more than 200000 bytes" in (kept.error or "")
    assert len(found.content) < 2_000_000


@pytest.mark.parametrize("most", [-1, 0, 1])
def test_the_limit_of_a_stream_is_exact(most: int) -> None:
    exchange = Exchange(CHAT, CHAT)
    exchange.request(asked(CHAT, True))
    data = b'data: {"id":"a","object":"chat.completion.chunk","choices":[],"created":1,"model":"m"}\n\n'
    stream = exchange.stream(200, {"content-type": "text/event-stream"}, most=2 * len(data) + most)
    for piece in (data, data):
        stream.feed(piece)
    assert (stream.error is None) == (most >= 0)


@pytest.mark.parametrize("streamed", [True, False])
def test_a_response_that_takes_too_long(streamed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    storage = Kept()
    upstream = Upstream(ANTHROPIC, "endless" if streamed else "stall")
    with listening(monkeypatch, upstream, storage=storage, timeouts={"total": 0.3}) as (url, _):
        found = httpx.post(url + path_of(CHAT), json=asked(CHAT, streamed), timeout=20)
    (kept,) = storage.records
    if streamed:
        assert "error" in str(events(found.content)[-2:])
        assert kept.error == "The response took too long."
    else:
        assert (found.status_code, found.json()["error"]["message"]) == (504, "There is no response after 0.3 s.")
        assert kept.status == 504


def test_usage_of_a_stream_that_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    storage = Kept()

    async def work() -> None:
        async with over_asgi(monkeypatch, Upstream(ANTHROPIC), storage=storage) as http:
            await http.post(path_of(CHAT), json=asked(CHAT, True))

    anyio.run(work)
    (kept,) = storage.records
    assert kept.usage is not None
    assert kept.usage["output"] > 0


# --- records ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "kept"), [(MOST_TEXT - 1, MOST_TEXT - 1), (MOST_TEXT, MOST_TEXT), (MOST_TEXT + 1, MOST_TEXT)]
)
def test_texts_are_cut(size: int, kept: int) -> None:
    found = brief("x" * size)
    assert found is not None
    assert (len(found), found.endswith("…")) == (kept, size > MOST_TEXT)
    assert brief(None) is None


def test_every_text_of_a_record_is_cut() -> None:
    long = "x" * 10**6
    made = record("a", model=long, sent_model=long, error=long, path=long)
    assert {len(getattr(made, name)) for name in ("model", "sent_model", "error", "path")} == {MOST_TEXT}
    assert made.size < 10_000


def found(count: int) -> list[Diagnostic]:
    return [Diagnostic("SHP-2" if at % 2 else "TUL-4", Severity.LOSS, f"/{at}", "lost") for at in range(count)]


@pytest.mark.parametrize("count", [0, MOST_FOUND - 1, MOST_FOUND, MOST_FOUND + 1, 3 * MOST_FOUND])
def test_of_diagnostics_the_first_are_kept_and_all_are_counted(count: int, tmp_path: Any) -> None:
    made = entries("request", found(count))
    assert len(made) <= MOST_FOUND + 2
    assert sum(one.get("times", 1) for one in made) == count
    storage = Storage(str(tmp_path / "kept.db"))
    kept(storage, record("a", diagnostics=made))
    (summary,) = storage.exchanges()
    assert sum(times for _, _, times in summary.rules) == count
    assert json.dumps(made) == json.dumps((storage.exchange("a") or record("b")).diagnostics)
    storage.close()


def test_what_a_request_has_too_many_of(monkeypatch: pytest.MonkeyPatch) -> None:
    """100,000 unknown members, and a model's name of a megabyte: a record of half a megabyte at most."""
    storage = Kept()

    async def work() -> None:
        async with over_asgi(monkeypatch, Upstream(ANTHROPIC), storage=storage) as http:
            more = {f"unknown_{at}": at for at in range(5_000)}
            response = await http.post(path_of(CHAT), json=asked(CHAT, model="m" * 10**6) | more)
            assert response.status_code == 200
            counts = await http.get("/metrics", headers={"authorization": "Bearer the-operators-token"})
            assert counts.status_code in (200, 401)

    anyio.run(work)
    (one,) = storage.records
    assert one.size < 1 << 19
    assert sum(entry.get("times", 1) for entry in one.diagnostics if entry["side"] == "request") >= 5_000
    assert len(one.model or "") == MOST_TEXT


@pytest.mark.parametrize("payloads", [True, False])
def test_the_log_has_a_quota_in_bytes(url: str, payloads: bool) -> None:
    """The oldest go first; what is measured is what the database has."""
    storage = Storage(url, most_bytes=40_000, clock=lambda: NOW)
    what = {"request": os.urandom(10_000)} if payloads else {"diagnostics": [{"message": "x" * 10_000, **WHERE}]}
    kept(storage, *(record(f"r{at}", NOW - at, **what) for at in range(6)))
    storage.sweep()
    assert names(storage.exchanges()) == ["r0", "r1", "r2"]
    kept(storage, record("small", NOW - 9))
    storage.sweep()
    assert len(storage.exchanges()) == 4, "it is measured again when a part of the quota has been written"
    storage.close()


WHERE = {"side": "request", "rule": "TUL-4", "severity": "loss", "path": ""}


def test_long_work_is_done_in_the_threads_that_there_are_for_it() -> None:
    async def work() -> list[int]:
        limiter = anyio.CapacityLimiter(1)
        return [
            await run(lambda: int(limiter.borrowed_tokens), in_thread=limiter),
            await run(lambda: int(limiter.borrowed_tokens), in_thread=True),
            await run(threading.get_ident, in_thread=False) == threading.get_ident(),
            await run(threading.get_ident, in_thread=True) == threading.get_ident(),
        ]

    assert anyio.run(work) == [1, 0, True, False]
