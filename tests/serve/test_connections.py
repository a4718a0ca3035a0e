"""Connections to an upstream: used again, for one request at a time each, and closed where they failed; and those of
clients, to which what comes in one turn of the event loop is written at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

pytest.importorskip("uvicorn", reason='the gateway needs the extra "serve"')
pytest.importorskip("httpx", reason='the gateway needs the extra "serve"')

import anyio
import httpx

from proxai_ir.serve.server import MOST_GATHERED, Gathering
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


# --- of clients -------------------------------------------------------------------------------------------------------


class Wire(asyncio.Transport):
    """A client's connection, which notes what is done with it."""

    def __init__(self) -> None:
        super().__init__()
        self.done: list[Any] = []

    def write(self, data: Any) -> None:
        self.done.append(bytes(data))

    def write_eof(self) -> None:
        self.done.append("end")

    def close(self) -> None:
        self.done.append("closed")

    def is_closing(self) -> bool:
        return "closed" in self.done

    def get_write_buffer_size(self) -> int:
        return 7


def test_what_one_turn_has_for_a_client_is_written_at_once() -> None:
    async def work() -> None:
        wire = Wire()
        gathering = Gathering(wire, asyncio.get_running_loop())
        gathering.write(b"a")
        gathering.write(b"b")
        assert wire.done == []
        await asyncio.sleep(0)
        assert wire.done == [b"ab"]
        gathering.write(b"c")
        gathering.write_eof()
        gathering.write(b"d")
        gathering.close()
        assert wire.done == [b"ab", b"c", "end", b"d", "closed"]
        gathering.write(b"e")
        await asyncio.sleep(0)
        assert wire.done[-1] == "closed"
        assert gathering.get_write_buffer_size() == 7

    asyncio.run(work())


def test_no_more_is_gathered_than_a_bound() -> None:
    """As what a client does not take has to stop those that write."""

    async def work() -> None:
        wire = Wire()
        gathering = Gathering(wire, asyncio.get_running_loop())
        for _ in range(3):
            gathering.write(b"a" * (MOST_GATHERED // 2))
        assert [len(one) for one in wire.done] == [MOST_GATHERED // 2 * 3]
        await asyncio.sleep(0)
        assert len(wire.done) == 1

    asyncio.run(work())
