"""The upstreams of a gateway: addresses, pooled connections, and which ones a model is sent to."""

from __future__ import annotations

import os
import re
import ssl
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from fnmatch import translate
from functools import lru_cache
from typing import Any, Literal

import anyio
import anyio.to_thread
import httpx

from ..exchange.provider import Ring, http_of, joined
from ..profiles.named import server_at
from ..protocol.registry import backend
from ..protocol.signing import Unsigned
from . import config as configuration
from .asgi import Redaction, encoded
from .config import SHORTEST_SECRET, Candidate, Config, RouteTable, Timeouts, UpstreamTable, cloud_of

# --- connections ------------------------------------------------------------------------------------------------------
# Connections to one upstream, kept for later requests.
#
# Rule: taking one costs the same however many there are. The pool of `httpx` asks each of its connections whether it
# is
# still open, for every request: with 1,000 open streams that takes longer than all else.


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


# --- upstreams --------------------------------------------------------------------------------------------------------
# The upstreams of a gateway: where they are, how they are called, and which ones a model is sent to.
#
# Rule: a client decides which model it asks for, and never where that is.


GATEWAYS, CLIENTS = b"[the gateway's key]", b"[the client's key]"
"""What is shown in place of a key."""
NONE: Mapping[str, str] = {}

NewTransport = Callable[[UpstreamTable], httpx.AsyncBaseTransport]


def network(upstream: UpstreamTable) -> httpx.AsyncBaseTransport:
    return to_network(upstream.proxy)


class UpstreamServer:
    """One provider, with the connections to it.

    The client's transport is called directly: cookies, redirects and the log of `httpx.AsyncClient` are of no use here.
    """

    def __init__(
        self, name: str, table: UpstreamTable, given: Iterable[str], timeouts: Timeouts, new: NewTransport
    ) -> None:
        """`given`: its keys."""
        self.name = name
        self.made_of = table, timeouts
        self.side = configuration.profile_of(table)
        self.cloud = cloud_of(self.side, table)
        self.http = self.cloud.http if self.cloud else http_of(self.side)
        self.keys = Ring([*given])
        self.passes = table.passthrough
        self.longest_pause = timeouts.retry
        self.options = dict(table.options)
        self.host = httpx.URL(table.base_url).host
        self.learns = table.learn
        self.server = table.server or server_at(self.host)
        self.by: Literal["model", "protocol"] = "protocol" if table.profile == configuration.BY_PROTOCOL else "model"
        self._base_url = table.base_url
        self._usual = {"accept-encoding": "identity", "user-agent": "proxai-ir"}
        self._headers = configuration.headers_of(table)
        self._transport = new(table)
        self._waits = {"connect": timeouts.connect, "write": timeouts.stall, "pool": timeouts.connect}
        self._whole = {**self._waits, "read": timeouts.response}
        self._streamed = {**self._waits, "read": timeouts.stall}
        self._url = lru_cache(256)(self._joined)

    def authenticated(self, key: str | None) -> dict[str, str]:
        """Return the headers with one of its keys."""
        return self.http.headers_with(key) if key else {}

    async def send(
        self,
        path: str,
        headers: Mapping[str, str],
        body: bytes,
        own: Mapping[str, str],
        *,
        stream: bool,
        method: str = "POST",
    ) -> httpx.Response:
        """Return the response, whose body has not been read; `own`: the headers with the key. Raises
        httpx.TransportError."""
        url, waits = self._url(path), self._streamed if stream else self._whole
        headers = {**self._usual, **headers, **own, **self._headers}
        if self.http.sign is not None:
            headers = await self._signed(method, str(url), headers, body)
        given = encoded(headers)  # as bytes: what a client sends need not be ASCII
        request = httpx.Request(method, url, headers=given, content=body or None, extensions={"timeout": waits})
        return await self._transport.handle_async_request(request)

    async def _signed(self, *sent: Any) -> Mapping[str, str]:
        """Credentials may have to be asked for. Raises httpx.TransportError for what cannot be signed."""
        assert self.http.sign is not None
        try:
            return await anyio.to_thread.run_sync(self.http.sign, *sent)
        except Unsigned as error:
            raise httpx.ConnectError(f"requests cannot be signed: {error}") from None

    async def get(self, path: str, own: Mapping[str, str] = NONE) -> httpx.Response:
        """Return the response to a request without a body; `own`: the headers of a client with its own key."""
        version = self.http.version
        stated = {version: self.side.version or next(iter(backend(self.side).versions))} if version else {}
        own = own or self.authenticated(self.keys.next())
        return await self.send(path, stated, b"", own, stream=False, method="GET")

    def redaction(self, own: Mapping[str, str]) -> Redaction:
        """What takes keys out of a response, as a server may repeat the one that it got; `own`: of the client."""
        clients = [own.get(name, "").removeprefix("Bearer ") for name in (self.http.key, "authorization")]
        keys = [*((key, GATEWAYS) for key in self.keys), *((key, CLIENTS) for key in clients)]
        return Redaction((key, shown) for key, shown in keys if len(key) >= SHORTEST_SECRET)

    def failure(self, error: httpx.HTTPError) -> str:
        """What became of a request that got no response, where, and why; for the operator's eyes."""
        what = "did not respond in time" if isinstance(error, httpx.TimeoutException) else "cannot be reached"
        where = httpx.URL(self._base_url).copy_with(query=None)
        return f"The upstream '{self.name}' at {where} {what}: {cause_of(error)}."

    async def close(self) -> None:
        await self._transport.aclose()

    def _joined(self, path: str) -> httpx.URL:
        return httpx.URL(joined(self._base_url, path))


def cause_of(error: BaseException) -> str:
    """Return the system's own words for an error, where it is of the system, with its number."""
    found: BaseException | None = error
    while found is not None:
        if isinstance(found, BaseExceptionGroup):
            found = found.exceptions[0]
        if isinstance(found, OSError) and found.errno is not None:
            return f"{os.strerror(found.errno) if found.errno > 0 else found.strerror} (errno {found.errno})"
        found = found.__cause__ or found.__context__
    return str(error) or type(error).__name__


class Routes:
    """Which upstreams a model is sent to, in order."""

    def __init__(self, config: Config) -> None:
        self._exact: dict[str, RouteTable] = {}
        self._patterns: list[tuple[re.Pattern[str], RouteTable]] = []
        for route in config.routes:
            for model in route.models:
                if is_pattern(model):
                    self._patterns.append((re.compile(translate(model)), route))
                else:
                    self._exact.setdefault(model, route)

    @property
    def names(self) -> list[str]:
        """The models that are named exactly, and those that patterns lead to under their own name."""
        asked = (route.model for _, route in self._patterns if route.model and self.route(route.model) is route)
        return [*dict.fromkeys((*self._exact, *asked))]

    @property
    def listing(self) -> tuple[Candidate, ...]:
        """Whose lists of models are lists of ours: patterns send models there under their own names."""
        found = {route.upstream: route.candidates[0] for _, route in self._patterns if route.model is None}
        return tuple(found.values())

    def route(self, model: str) -> RouteTable | None:
        """None for a model that no route has."""
        found = self._exact.get(model)
        return found or next((route for pattern, route in self._patterns if pattern.match(model)), None)

    def candidates(self, model: str) -> tuple[Candidate, ...]:
        route = self.route(model)
        return () if route is None else route.candidates


def is_pattern(model: str) -> bool:
    return any(sign in model for sign in "*?[")
