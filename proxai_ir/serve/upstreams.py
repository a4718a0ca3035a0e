"""The upstreams of a gateway: addresses, pooled connections, and the routes of models.

Rule: a client decides which model it asks for, never which server is asked.
"""

from __future__ import annotations

import logging
import math
import os
import re
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from fnmatch import fnmatchcase, translate
from functools import lru_cache
from typing import Any, Literal

import anyio
import anyio.to_thread
import httpx

from ..exchange.messages import BEYOND
from ..exchange.provider import http_of, joined
from ..profiles.named import server_at
from ..protocol.registry import backend
from ..protocol.signing import Unsigned
from ..reporting.diagnostics import Diagnostic
from . import config as configuration
from .asgi import encoded
from .config import CAPTURED, SHORTEST_SECRET, Candidate, Config, RouteTable, Timeouts, UpstreamTable, cloud_of
from .keys import Redaction, Rest, Ring

# --- connections ------------------------------------------------------------------------------------------------------
# Rule: taking a connection costs the same however many there are. The pool of `httpx` asks each of its connections
# whether it is still open, for every request: with 1,000 open streams that takes longer than all else.

LOG = logging.getLogger(__name__)
LONGEST_IDLE = 30.0
"""Seconds that a connection is kept for the next request."""
MOST_IDLE = 256
ONE = httpx.Limits(max_connections=1, max_keepalive_connections=1, keepalive_expiry=LONGEST_IDLE)

Connection = httpx.AsyncBaseTransport


class Connections(httpx.AsyncBaseTransport):
    """A transport of httpx with any number of connections, each a transport of its own; the last one used is the next.

    Their number is bounded by the number of clients that are served.
    """

    def __init__(self, new: Callable[[], Connection], clock: Callable[[], float] = time.monotonic) -> None:
        self._new = new
        self._clock = clock
        self._idle: deque[tuple[float, Connection]] = deque()
        self._closed = False

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Return the response. The time to connect counts until headers are sent, with a second try, proxies and
        TLS."""
        connection = self._idle.pop()[1] if self._idle else self._new()
        seconds = request.extensions.get("timeout", {}).get("connect")
        try:
            with anyio.move_on_after(seconds) as time_to_connect:

                async def trace(event: str, info: Any) -> None:
                    if event.endswith("send_request_headers.started") and info["request"].method != b"CONNECT":
                        time_to_connect.deadline = math.inf

                request.extensions["trace"] = trace
                response = await connection.handle_async_request(request)
                assert isinstance(response.stream, httpx.AsyncByteStream)
                response.stream = Lent(response.stream, self, connection)
                return response
            raise httpx.ConnectTimeout(f"no connection within {seconds:g} s")
        except BaseException:
            await close(connection)
            raise

    async def give_back(self, connection: Connection) -> None:
        """Take the connection of a closed response back; if that was not read to its end, the socket is closed."""
        now = self._clock()
        self._idle.append((now, connection))
        if self._closed or len(self._idle) > MOST_IDLE or self._idle[0][0] < now - LONGEST_IDLE:
            await close(self._idle.popleft()[1])

    async def aclose(self) -> None:
        """Close all connections; those in use are closed when they are given back."""
        self._closed = True
        while self._idle:
            await close(self._idle.pop()[1])


class Lent(httpx.AsyncByteStream):
    """The body of a response; its end gives the connection back."""

    def __init__(self, body: httpx.AsyncByteStream, owner: Connections, connection: Connection) -> None:
        self._body, self._owner = body, owner
        self._connection: Connection | None = connection

    def __aiter__(self) -> AsyncIterator[bytes]:
        return aiter(self._body)

    async def aclose(self) -> None:
        connection, self._connection = self._connection, None
        if connection is None:
            return
        try:
            await self._body.aclose()
        except BaseException:
            await close(connection)
            raise
        await self._owner.give_back(connection)


async def close(opened: Connection | httpx.Response) -> None:
    """Close a connection or a response, even if the request was cancelled as its client went away."""
    with anyio.CancelScope(shield=True):
        await opened.aclose()


# --- upstreams --------------------------------------------------------------------------------------------------------

GATEWAYS, CLIENTS = b"[the gateway's key]", b"[the client's key]"
"""The text that replaces a key."""
REDACTION = "proxai_ir.redaction"
"""The extension of a response that holds its Redaction."""

NewTransport = Callable[[UpstreamTable], httpx.AsyncBaseTransport]


def network(upstream: UpstreamTable) -> httpx.AsyncBaseTransport:
    """Return connections over the network, for which certificates are loaded once."""
    context, proxy = httpx.create_ssl_context(), upstream.proxy
    return Connections(lambda: httpx.AsyncHTTPTransport(verify=context, limits=ONE, retries=1, proxy=proxy))


class UpstreamServer:
    """One provider, with the connections to it.

    The transport is called directly: cookies, redirects and the log of `httpx.AsyncClient` are of no use here.
    """

    def __init__(
        self, name: str, table: UpstreamTable, keys: Iterable[str], timeouts: Timeouts, new: NewTransport
    ) -> None:
        self.name = name
        self.table, self.timeouts = table, timeouts
        self.side = configuration.profile_of(table)
        self.cloud = cloud_of(table)
        self.http = self.cloud.http if self.cloud else http_of(self.side)
        self.keys = Ring([*keys])
        self.rest = Rest(timeouts.rest)
        self.running = 0  # requests that it has
        self.turn = 0  # the number of the last request for which it was the first choice, of those of its gateway
        self._noted = False
        self.server = table.server or server_at(httpx.URL(table.base_url).host)
        self.by: Literal["model", "protocol"] = "protocol" if table.profile == configuration.BY_PROTOCOL else "model"
        self._usual = {"accept-encoding": "identity", "user-agent": "proxai-ir"}
        self._headers = configuration.headers_of(table)
        self._transport = new(table)
        self._waits = {"connect": timeouts.connect, "write": timeouts.stall, "pool": timeouts.connect}
        self._whole = {**self._waits, "read": timeouts.response}
        self._streamed = {**self._waits, "read": timeouts.stall}
        self._url = lru_cache(256)(lambda path: httpx.URL(joined(table.base_url, path)))

    def passes(self, path: str) -> bool:
        """Return whether a path that the gateway lacks is passed on to it."""
        return any(fnmatchcase(path, one) for one in self.table.passthrough)

    def authenticated(self, key: str | None) -> dict[str, str]:
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
        """Return the response with its body unread; `own` has the headers with the key. Raises httpx.TransportError.

        No header repeats a key; the response's REDACTION removes them from the body.
        """
        url, waits = self._url(path), self._streamed if stream else self._whole
        headers = {**self._usual, **headers, **own, **self._headers}
        if self.http.sign is not None:
            try:  # in a thread, as credentials may have to be fetched
                headers = await anyio.to_thread.run_sync(self.http.sign, method, str(url), headers, body)
            except Unsigned as error:
                raise httpx.ConnectError(f"requests cannot be signed: {error}") from None
        sent = encoded(headers)  # as bytes, since a client's headers need not be ASCII
        request = httpx.Request(method, url, headers=sent, content=body or None, extensions={"timeout": waits})
        response = await self._transport.handle_async_request(request)
        redaction = response.extensions[REDACTION] = self._redaction(own)
        response.headers = httpx.Headers([(name, redaction.redact(value)) for name, value in response.headers.raw])
        return response

    async def get(self, path: str, own: Mapping[str, str]) -> httpx.Response:
        """Return the response to a GET; `own` has the headers of a client with its own key."""
        version = self.http.version
        stated = {version: self.side.version or next(iter(backend(self.side).versions))} if version else {}
        own = own or self.authenticated(self.keys.next())
        return await self.send(path, stated, b"", own, stream=False, method="GET")

    def _redaction(self, own: Mapping[str, str]) -> Redaction:
        """Return what removes keys from a response, as a server may repeat them; `own` has the headers with the
        client's."""
        clients = [own.get(name, "").removeprefix("Bearer ") for name in (self.http.key, "authorization")]
        keys = [*((key, GATEWAYS) for key in self.keys), *((key, CLIENTS) for key in clients)]
        return Redaction((key, shown) for key, shown in keys if len(key) >= SHORTEST_SECRET)

    def note_length(self, found: Iterable[Diagnostic]) -> None:
        """Log, once, that a request is longer than the context of the upstream's models (CAP-12)."""
        said = next((one.message for one in found if one.rule == BEYOND), None)
        if said is not None and not self._noted:
            self._noted = True
            LOG.warning("the upstream '%s': %s", self.name, said)

    def failure(self, error: httpx.HTTPError, own: Mapping[str, str]) -> str:
        """Return the sentence for the operator that says why a request got no response, with the upstream's address.

        The error of a response that is no HTTP quotes it, so that keys are removed.
        """
        where = httpx.URL(self.table.base_url).copy_with(query=None)
        cause = self._redaction(own).redact(cause_of(error).encode()).decode()
        return f"The upstream '{self.name}' at {where} {trouble(error)}: {cause}."

    async def close(self) -> None:
        await self._transport.aclose()


def trouble(error: httpx.HTTPError) -> str:
    """Return the predicate of a sentence about an upstream from which a request got no response."""
    if isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError)):
        return "cannot be reached"
    return "did not respond in time" if isinstance(error, httpx.TimeoutException) else "gave no whole HTTP response"


def cause_of(error: BaseException) -> str:
    """Return the operating system's words and number for an error that it caused, else the error's text."""
    found: BaseException | None = error
    while found is not None:
        if isinstance(found, BaseExceptionGroup):
            found = found.exceptions[0]
        if isinstance(found, OSError) and found.errno is not None:
            return f"{os.strerror(found.errno) if found.errno > 0 else found.strerror} (errno {found.errno})"
        found = found.__cause__ or found.__context__
    return str(error) or type(error).__name__


class Routes:
    """Finds the upstreams that a model's requests are sent to, in order."""

    def __init__(self, config: Config) -> None:
        self._exact: dict[str, RouteTable] = {}
        self._patterns: list[tuple[re.Pattern[str], RouteTable]] = []
        for route in config.routes:
            for model in route.models:
                if any(sign in model for sign in "*?["):
                    self._patterns.append((re.compile(translate(model)), route))
                else:
                    self._exact.setdefault(model, route)

    @property
    def names(self) -> list[str]:
        """The models that routes name, and the `model` of each pattern that also matches that model itself."""
        plain = ((one.model, one) for _, one in self._patterns if one.model and CAPTURED not in one.model)
        asked = (model for model, route in plain if self.route(model) is route)
        return [*dict.fromkeys((*self._exact, *asked))]

    @property
    def listing(self) -> tuple[Candidate, ...]:
        """The upstreams whose models are listed, as patterns send models there under their own names."""
        routes = (route for _, route in self._patterns if route.model is None)
        return tuple(
            {one.upstream: one for route in routes for one in route.candidates[: len(route.upstream)]}.values()
        )

    def route(self, model: str) -> RouteTable | None:
        """Return the route of a model, or None."""
        exact = self._exact.get(model)
        return exact or next((route for pattern, route in self._patterns if pattern.match(model)), None)

    def candidates(self, model: str) -> tuple[Candidate, ...]:
        """Return the upstreams of a model, with the part of its name that a pattern captured in theirs."""
        route = self.route(model)
        found = () if route is None else route.candidates
        if route is None or all(CAPTURED not in (one.model or "") for one in found):
            return found
        before, _, after = next(one for one in route.models if fnmatchcase(model, one)).partition("*")
        part = model[len(before) : len(model) - len(after)]
        return tuple(one.model_copy(update={"model": one.model and one.model.replace(CAPTURED, part)}) for one in found)
