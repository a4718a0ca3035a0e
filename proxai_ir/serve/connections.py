"""Connections to one upstream, kept for later requests.

Rule: taking one costs the same however many there are. The pool of `httpx` asks each of its connections whether it is
still open, for every request: with 1,000 open streams that takes longer than all else.
"""

from __future__ import annotations

import ssl
import time
from collections import deque
from collections.abc import AsyncIterator, Callable

import anyio
import httpx

LONGEST_IDLE = 30.0
"""Seconds that a connection is kept for the next request."""
MOST_IDLE = 256
ONE = httpx.Limits(max_connections=1, max_keepalive_connections=1, keepalive_expiry=LONGEST_IDLE)

Connection = httpx.AsyncBaseTransport


class Connections(httpx.AsyncBaseTransport):
    """A transport of httpx with any number of connections, each a transport of its own; the last one used is the next.

    How many there are follows from how many clients are served.
    """

    def __init__(self, new: Callable[[], Connection], clock: Callable[[], float] = time.monotonic) -> None:
        self._new = new
        self._clock = clock
        self._idle: deque[tuple[float, Connection]] = deque()
        self._closed = False

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        connection = self._idle.pop()[1] if self._idle else self._new()
        try:
            response = await connection.handle_async_request(request)
        except BaseException:
            await closed(connection)
            raise
        assert isinstance(response.stream, httpx.AsyncByteStream)
        response.stream = Lent(response.stream, self, connection)
        return response

    async def give_back(self, connection: Connection) -> None:
        """Of a response that is closed; one that was not read to its end has closed its socket."""
        now = self._clock()
        self._idle.append((now, connection))
        if self._closed or len(self._idle) > MOST_IDLE or self._idle[0][0] < now - LONGEST_IDLE:
            await closed(self._idle.popleft()[1])

    async def aclose(self) -> None:
        """Those that are lent are closed when they come back."""
        self._closed = True
        while self._idle:
            await closed(self._idle.pop()[1])


class Lent(httpx.AsyncByteStream):
    """The body of a response; its end gives the connection back."""

    def __init__(self, body: httpx.AsyncByteStream, owner: Connections, connection: Connection) -> None:
        self._body, self._owner = body, owner
        self._connection: Connection | None = connection

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._body:
            yield chunk

    async def aclose(self) -> None:
        connection, self._connection = self._connection, None
        if connection is None:
            return
        try:
            await self._body.aclose()
        except BaseException:
            await closed(connection)
            raise
        await self._owner.give_back(connection)


async def closed(connection: Connection) -> None:
    """Also where the request was cancelled."""
    with anyio.CancelScope(shield=True):
        await connection.aclose()


def to_network(proxy: str | None) -> Connections:
    """Connections over the network; certificates are loaded once."""
    context: ssl.SSLContext = httpx.create_ssl_context()
    return Connections(lambda: httpx.AsyncHTTPTransport(verify=context, limits=ONE, retries=1, proxy=proxy))
