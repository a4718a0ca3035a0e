"""Connections to an upstream: used again, for one request at a time each, and closed where they failed."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

pytest.importorskip("httpx", reason='the gateway needs the extra "serve"')

import anyio
import httpx

from proxai_ir.serve.upstreams import LONGEST_IDLE, MOST_IDLE, Connections


class Body(httpx.AsyncByteStream):
    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield b"a"
        yield b"b"


class Socket(httpx.AsyncBaseTransport):
    """A connection that counts; `busy` while its response is read."""

    def __init__(self) -> None:
        self.requests = 0
        self.closed = False
        self.fails = False

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.requests += 1
        if self.fails:
            raise httpx.ConnectError("away", request=request)
        return httpx.Response(200, stream=Body())

    async def aclose(self) -> None:
        self.closed = True


class Made:
    def __init__(self) -> None:
        self.sockets: list[Socket] = []
        self.now = 0.0
        self.pool = Connections(self._new, lambda: self.now)

    def _new(self) -> Socket:
        self.sockets.append(Socket())
        return self.sockets[-1]

    async def send(self) -> httpx.Response:
        return await self.pool.handle_async_request(httpx.Request("GET", "http://a.invalid"))


async def read(response: httpx.Response) -> bytes:
    return b"".join([chunk async for chunk in response.aiter_raw()])


def test_a_connection_is_used_again() -> None:
    async def work() -> None:
        made = Made()
        for _ in range(3):
            assert await read(await made.send()) == b"ab"
        assert [one.requests for one in made.sockets] == [3]

    anyio.run(work)


def test_each_has_one_request_at_a_time() -> None:
    async def work() -> None:
        made = Made()
        responses = [await made.send() for _ in range(5)]
        assert len(made.sockets) == 5
        for response in responses:
            await response.aclose()
            await response.aclose()
        await read(await made.send())
        assert [one.requests for one in made.sockets] == [1, 1, 1, 1, 2]

    anyio.run(work)


def test_one_that_failed_is_closed() -> None:
    async def work() -> None:
        made = Made()
        await read(await made.send())
        made.sockets[0].fails = True
        with pytest.raises(httpx.ConnectError):
            await made.send()
        assert made.sockets[0].closed
        await read(await made.send())
        assert len(made.sockets) == 2

    anyio.run(work)


def test_idle_ones_are_bounded_in_number_and_time() -> None:
    async def work() -> None:
        made = Made()
        for response in [await made.send() for _ in range(MOST_IDLE + 10)]:
            await response.aclose()
        assert sum(not one.closed for one in made.sockets) == MOST_IDLE
        made.now = LONGEST_IDLE + 1
        await read(await made.send())
        assert sum(not one.closed for one in made.sockets) == MOST_IDLE - 1
        await made.pool.aclose()
        assert all(one.closed for one in made.sockets)

    anyio.run(work)
