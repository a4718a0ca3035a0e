"""What comes before a body, over raw sockets: it is counted while it comes, so that little of it is ever kept."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain, islice, repeat
from typing import Any

import pytest

pytest.importorskip("uvicorn", reason='the gateway needs the extra "serve"')
pytest.importorskip("pydantic", reason='the gateway needs the extra "serve"')

import httpx
import uvicorn

from proxai_ir.serve.access import Access
from proxai_ir.serve.config import one_upstream
from proxai_ir.serve.server import OVERHEAD, Protocol, protocol_of

from ..clients.provider import CHAT, TEXT
from .support import asked, path_of, sockets
from .upstreams import Upstream

MOST = 64 * 1024
CHUNK = 256 * 1024  # what one read of a socket brings at most
MANY = 400  # chunks: 100 MiB
START = b"POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\n"
CHUNKED = START + b"transfer-encoding: chunked\r\n\r\n"
ENDLESS: dict[str, tuple[bytes, bytes, bytes]] = {
    "a target": (b"GET /", b"a", b"414"),
    "the value of a header": (START + b"x: ", b"a", b"431"),
    "the name of a header": (START, b"a", b"431"),
    "tiny headers": (START, b"a:\r\n", b"431"),
    "the value of a trailer": (CHUNKED + b"0\r\nx: ", b"a", b""),
    "tiny trailers": (CHUNKED + b"0\r\n", b"a:\r\n", b""),
    "the extension of a chunk": (CHUNKED + b"1;", b"a", b""),
}
"""What begins a request, what comes then without an end, and the status that refuses it; none where the request has
begun to be served, whose connection is closed."""
endless = pytest.mark.parametrize("name", ENDLESS)


class Wire(asyncio.Transport):
    """The gateway's end of a connection, which counts what it is given."""

    def __init__(self) -> None:
        super().__init__()
        self.written = b""
        self.closed = self.ended = False

    def write(self, data: Any) -> None:
        if not self.ended:
            self.written += bytes(data)

    def can_write_eof(self) -> bool:
        return True

    def close(self) -> None:
        self.closed = True

    def is_closing(self) -> bool:
        return self.closed

    def write_eof(self) -> None: ...
    def pause_reading(self) -> None: ...
    def resume_reading(self) -> None: ...


def pieces(name: str, size: int = CHUNK, total: int = MANY * CHUNK) -> Iterator[bytes]:
    first, rest, _ = ENDLESS[name]
    return chain([first], repeat(rest * (size // len(rest)), total // size))


async def unread(scope: Any, receive: Any, send: Any) -> None:
    """An application that waits for all of a body, as the gateway does."""
    while (await receive()).get("more_body"):
        pass


def parsed(*given: bytes, most: int = MOST) -> tuple[Protocol, Wire, list[int]]:
    """A connection that is given pieces until it refuses; and how many bytes it has kept at most after each."""
    kept: list[int] = []
    wire = Wire()

    async def work() -> Protocol:
        from uvicorn.server import ServerState

        config = uvicorn.Config(unread, ws="none", log_level="critical")
        settings = one_upstream({"protocol": CHAT, "base_url": "http://u.invalid"}, limits={"headers": most})
        made = protocol_of(settings, asks_whose=False)
        protocol = made(config=config, server_state=ServerState(), app_state={})  # type: ignore[call-arg]
        assert isinstance(protocol, Protocol)
        protocol.connection_made(wire)
        for piece in given:
            protocol.data_received(piece)
            kept.append(len(protocol.url) + sum(len(name) + len(value) + OVERHEAD for name, value in protocol.headers))
            if wire.written or wire.closed:
                break
        wire.ended = True
        protocol.connection_lost(None)
        return protocol

    return asyncio.run(work()), wire, kept


@pytest.mark.parametrize("size", [100, 4096, CHUNK])
@endless
def test_what_is_kept_is_bounded(name: str, size: int) -> None:
    """Of 100 MiB little more than the limit is read, and at most twice the limit is ever kept between two reads, as the
    bytes of headers and their number are bounded each."""
    _, wire, kept = parsed(*islice(pieces(name, size), 10_000))
    assert len(kept) * size <= MOST + 4 * size
    assert max(kept[:-1]) <= 2 * MOST
    status = ENDLESS[name][2]
    assert wire.written.startswith(b"HTTP/1.1 " + status if status else b"")
    assert kept[-1] == 0 if status else wire.closed


def head(*lines: bytes) -> bytes:
    return b"\r\n".join([b"GET /x HTTP/1.1", *lines, b"", b""])


def test_the_limit_is_exact() -> None:
    """The target, and each header with its name, its value and 32 bytes."""
    size = len(b"/x") + len(b"ab") + len(b"cdef") + OVERHEAD
    request = head(b"ab: cdef")
    for cut in (*range(1, len(request)), len(request)):
        assert parsed(request[:cut], request[cut:], most=size)[1].written == b"", "however it comes"
        _, wire, _ = parsed(request[:cut], request[cut:], most=size - 1)
        assert wire.written.startswith(b"HTTP/1.1 431 "), "however it comes"


def test_each_request_of_a_connection_has_the_whole_limit() -> None:
    one = head(b"x: " + b"a" * (MOST // 2))
    protocol, wire, _ = parsed(one, one, one)
    assert wire.written == b""
    assert protocol.headers == [(b"x", b"a" * (MOST // 2))]


def test_bodies_do_not_count() -> None:
    body = b"a" * CHUNK
    start = START + b"content-length: %d\r\n\r\n" % (len(body) * 8)
    _, wire, kept = parsed(start, *[body] * 8, head(b"x: y"))
    assert (len(kept), wire.written) == (10, b"")
    pieces = [b"%x\r\n" % len(body) + body + b"\r\n"] * 8
    _, wire, kept = parsed(CHUNKED, *pieces, b"0\r\n\r\n", head(b"x: y"))
    assert (len(kept), wire.written) == (11, b"")


@pytest.mark.parametrize(
    "request_", [b"\x00\xff", b"GET http://a:999999/ HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\nx y\r\n\r\n"]
)
def test_what_is_no_http(request_: bytes) -> None:
    assert parsed(request_)[1].written.startswith(b"HTTP/1.1 400 ")


def test_the_configuration_has_the_limit() -> None:
    made = protocol_of(
        one_upstream({"protocol": CHAT, "base_url": "http://u.invalid"}, limits={"headers": 5000}),
        asks_whose=Access().keyless,
    )
    assert issubclass(made, Protocol)
    assert (made.most, made.asks_whose) == (5000, True)


# --- over sockets -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def gateway() -> Iterator[tuple[str, Upstream]]:
    upstream = Upstream(CHAT)
    with pytest.MonkeyPatch.context() as monkeypatch, sockets(monkeypatch, upstream) as url:
        yield url, upstream


@endless
def test_endless_heads_over_a_socket(name: str, gateway: tuple[str, Upstream]) -> None:
    """The gateway closes the connection long before the client stops sending, and serves others."""
    url, upstream = gateway
    upstream.begin()
    status = ENDLESS[name][2]
    with socket.create_connection(("127.0.0.1", httpx.URL(url).port or 0), timeout=20) as client:
        found = b""
        with pytest.raises((ConnectionResetError, BrokenPipeError)):
            for piece in pieces(name):
                client.sendall(piece)
        with suppress(OSError):  # the response may be lost to a client that goes on sending
            found = client.recv(1000)
    assert found.count(b"HTTP/1.1") <= 1
    assert not status or found[9:12] in (status, b"")
    one = httpx.post(url + path_of(CHAT), json=asked(CHAT))
    assert TEXT in one.text
    assert len(upstream.seen) == 1


@pytest.mark.parametrize("size", [MOST, 3 * MOST, 20 * MOST])
def test_clients_learn_why(size: int, gateway: tuple[str, Upstream]) -> None:
    url, _ = gateway
    with socket.create_connection(("127.0.0.1", httpx.URL(url).port or 0), timeout=20) as client:
        client.sendall(START + b"x: " + b"a" * size + b"\r\n\r\n")
        data = b"".join(iter(lambda: client.recv(4096), b""))
    assert data.startswith(b"HTTP/1.1 431 Request Header Fields Too Large\r\n")
    assert data.endswith(b"longer than 65536 bytes.\n")
    for target, value, status in ((MOST - 100, 100, 414), (100, MOST, 431)):
        found = httpx.get(url + "/" + "a" * target, headers={"x": "a" * value})
        assert (found.status_code, found.headers["connection"]) == (status, "close")


def test_requests_that_come_at_once_are_all_served(gateway: tuple[str, Upstream]) -> None:
    """As clients of HTTP/1.1 may send them, before they have read the response to the first."""
    url, _ = gateway
    ask = b"GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\n"
    with socket.create_connection(("127.0.0.1", httpx.URL(url).port or 0), timeout=20) as client:
        client.sendall(2 * (ask + b"\r\n") + ask + b"connection: close\r\n\r\n")
        data = b"".join(iter(lambda: client.recv(4096), b""))
    assert data.count(b"HTTP/1.1 200 OK\r\n") == 3
