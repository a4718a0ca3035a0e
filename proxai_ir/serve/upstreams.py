"""The upstreams of a gateway: where they are, how they are called, and which ones a model is sent to.

Rule: a client decides which model it asks for, and never where that is.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from fnmatch import translate
from functools import lru_cache
from typing import Literal

import httpx

from ..binding.registry import backend
from ..exchange.paths import joined
from ..exchange.provider import http_of
from ..profiles.servers import server_at
from . import config as configuration
from .asgi import encoded
from .config import Candidate, Config, RouteTable, Timeouts, UpstreamTable
from .connections import to_network
from .keys import SHORTEST_SECRET

REDACTED = b"[the gateway's key]"

NewTransport = Callable[[UpstreamTable], httpx.AsyncBaseTransport]


def network(upstream: UpstreamTable) -> httpx.AsyncBaseTransport:
    return to_network(upstream.proxy)


class UpstreamServer:
    """One provider, with the connections to it.

    The client's transport is called directly: cookies, redirects and the log of `httpx.AsyncClient` are of no use here.
    """

    def __init__(self, name: str, table: UpstreamTable, key: str | None, timeouts: Timeouts, new: NewTransport) -> None:
        self.name = name
        self.side = configuration.profile_of(table)
        self.http = http_of(self.side)
        self.key = key
        self.options = dict(table.options)
        self.host = httpx.URL(table.base_url).host
        self.learns = table.learn
        self.server = table.server or server_at(self.host)
        self.by: Literal["model", "protocol"] = "protocol" if table.profile == configuration.BY_PROTOCOL else "model"
        self._base_url = table.base_url
        self._headers = {"accept-encoding": "identity", "user-agent": "proxai-ir", **configuration.headers_of(table)}
        self._transport = new(table)
        self._waits = {"connect": timeouts.connect, "write": timeouts.stall, "pool": timeouts.connect}
        self._whole = {**self._waits, "read": timeouts.response}
        self._streamed = {**self._waits, "read": timeouts.stall}
        self._url = lru_cache(256)(self._joined)

    async def send(self, path: str, headers: Mapping[str, str], body: bytes, *, stream: bool) -> httpx.Response:
        """The response, whose body has not been read. Raises httpx.TransportError."""
        return await self._send(
            "POST", path, {**headers, **self._headers}, body, self._streamed if stream else self._whole
        )

    async def get(self, path: str) -> httpx.Response:
        """The response to a request without a body."""
        headers = {**self._headers, **(self.http.headers_with(self.key) if self.key else {})}
        if self.http.version:
            headers[self.http.version] = self.side.version or next(iter(backend(self.side).versions))
        return await self._send("GET", path, headers, b"", self._whole)

    async def _send(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes, waits: Mapping[str, float]
    ) -> httpx.Response:
        url = self._url(path)
        if self.http.sign is not None:
            headers = self.http.sign(method, str(url), headers, body)
        given = encoded(headers)  # as bytes: what a client sends need not be ASCII
        request = httpx.Request(method, url, headers=given, content=body or None, extensions={"timeout": waits})
        return await self._transport.handle_async_request(request)

    def without_key(self, error: bytes) -> bytes:
        """The body of an error, in which a server may repeat the key that it refuses."""
        key = self.key or ""
        return error if len(key) < SHORTEST_SECRET else error.replace(key.encode(), REDACTED)

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
    """The system's own words for an error, where it is of the system, with its number."""
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
        """The models that are named exactly."""
        return list(self._exact)

    @property
    def only(self) -> str | None:
        """The upstream of all models, where one route has all of them and asks for each by its own name."""
        if len(self._patterns) != 1 or self._exact:
            return None
        _, route = self._patterns[0]
        return route.upstream if route.model is None else None

    def candidates(self, model: str) -> tuple[Candidate, ...]:
        """None for a model that no route has."""
        route = self._exact.get(model)
        if route is None:
            route = next((route for pattern, route in self._patterns if pattern.match(model)), None)
        return () if route is None else route.candidates


def is_pattern(model: str) -> bool:
    return any(sign in model for sign in "*?[")
