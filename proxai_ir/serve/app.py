"""The ASGI application of a gateway: which path is which endpoint, and what happens at its start and end."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from ..exchange.provider import Usual, clients, seeming
from ..protocol.http import Http
from .access import Access, bearer
from .asgi import Forbidden, Mounted, Receive, Scope, Send, headers_of, send_reply
from .config import Config
from .endpoints import Begin, Cancel, Converted, Count, Delete, Endpoint, Models, Passed, Retrieve, kept_under
from .gateway import CONTENT_TYPE, ESTIMATED, EXCHANGE, LOSSES, Gateway, Read, Storage, on_signal
from .upgrades import Upgrades
from .upstreams import NewTransport, network

ROOT = "proxai-ir\n{url}: the base URL for clients, with a version behind it or without\n"
PAGE = "{url}/ui: the log, with the token that the start printed\n"


def app(
    config: Config,
    storage: Storage | None = None,
    *,
    access: Access | None = None,
    transport: NewTransport = network,
    routes: Sequence[BaseRoute] = (),
    read: Read | None = None,
) -> Starlette:
    """Yield the application; `access`: where it is not the configuration's alone; `routes` are more pages, `transport`
    what reaches the upstreams, `read` reads the configuration again."""
    gateway = Gateway(config, storage, access=access, transport=transport)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        with on_signal(gateway, read):
            yield
        await gateway.close()

    async def metrics(request: Request) -> Response:
        return _metrics(gateway, request)

    async def ready(request: Request) -> Response:
        return _admitted(gateway, request) or PlainTextResponse("ready\n")

    async def root(request: Request) -> Response:
        shown = (ROOT + PAGE if routes else ROOT).format(url=str(request.base_url).rstrip("/"))
        return _admitted(gateway, request) or PlainTextResponse(shown)

    of = clients()
    by_path = ByPath(gateway, of)
    origins = config.access.origins
    cross_site = Middleware(CORSMiddleware, origins, ("*",), ("*",), expose_headers=(EXCHANGE, LOSSES, ESTIMATED))
    served = Starlette(
        routes=[
            *endpoints(gateway, of),
            Route("/metrics", metrics),
            Route("/health", health),
            Route("/ready", ready),
            Route("/", root),
            *routes,
        ],
        middleware=[
            *([cross_site] if origins else ()),
            Middleware(Versioned, of.values()),
            Middleware(Upgrades, gateway, by_path.serves),
        ],
        lifespan=lifespan,
    )
    served.router.default = by_path
    served.router.redirect_slashes = False
    served.state.gateway = gateway
    served.add_middleware(Mounted)
    return served


def endpoints(gateway: Gateway, of: Mapping[str, Http]) -> Iterator[BaseRoute]:
    """Yield the paths of all protocols that are the same for every model."""
    for client, http in of.items():
        if http.path:
            for path in fixed(http):
                yield Route(path, Converted(gateway, client))
            if http.counting:
                yield Route(http.counting.path(http.path), Count(gateway, client, http.counting))
        if kept := http.kept:
            read, forget = Retrieve(gateway, client, kept, "GET"), Delete(gateway, client, kept, "DELETE")
            for path in kept_under(http, kept):
                one = f"{path}/{{name}}"
                yield Route(one, ByMethod(read, forget))
                yield Route(f"{one}/cancel", Cancel(gateway, client, kept, "POST"))
            if kept.conversations:
                yield Route(kept.conversations, Begin(gateway, client, kept, "POST"))


def fixed(http: Http) -> tuple[str, ...]:
    """Return the paths of requests that are the same for every model."""
    return (http.path, *http.aliases) if http.path else ()


def _admitted(gateway: Gateway, request: Request) -> Response | None:
    """None for who may use the gateway, and for the operator; else the refusal."""
    key = bearer(request.scope)
    try:
        gateway.access.owner(key, request.scope)
    except Forbidden as error:
        try:
            gateway.access.check_operator(request.scope, key)
        except Forbidden:
            return PlainTextResponse(f"{error}\n", error.status)
    return None


async def health(_: Request) -> Response:
    return PlainTextResponse("ok\n")


def _metrics(gateway: Gateway, request: Request) -> Response:
    """For the operator alone: a client's key opens the API, and nothing else."""
    try:
        gateway.access.check_operator(request.scope, bearer(request.scope))
    except Forbidden as error:
        return PlainTextResponse(f"{error}\n", error.status)
    return Response(gateway.metrics.text(), media_type=CONTENT_TYPE)


class Versioned:
    """The same paths with the version of the API and without it, and with one too many, as base URLs have it or not."""

    def __init__(self, app: Any, of: Iterable[Http]) -> None:
        self._app = app
        self._usual = Usual(of)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        if (found := self._usual(path)) != path:
            scope = {**scope, "path": found}
        await self._app(scope, receive, send)


class ByMethod:
    """Endpoints of one path; for a method that none has, the first refuses."""

    def __init__(self, *endpoints: Endpoint) -> None:
        self._first = endpoints[0]
        self._endpoints = {endpoint.method: endpoint for endpoint in endpoints}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._endpoints.get(scope["method"], self._first)(scope, receive, send)


class ByPath:
    """Paths that no route has: those with a model and what is done with it, lists of models, those that are passed on,
    and paths that are none, each in the protocol that the client seems to use."""

    def __init__(self, gateway: Gateway, of: Mapping[str, Http]) -> None:
        self._gateway, self._of = gateway, of
        lists = {client: http.listing for client, http in of.items() if http.listing}
        paths = {path for listing in lists.values() for path in listing.paths}
        self._lists = {client: Models(gateway, client, listing, paths) for client, listing in lists.items()}
        self._calls = {client: Converted(gateway, client) for client, http in of.items() if http.asked}
        self._passed = {client: Passed(gateway, client, "") for client in of}
        self._counts = {one: Count(gateway, one, found) for one in self._calls if (found := of[one].counting)}
        self._fixed = {path: client for client, http in of.items() for path in fixed(http)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1000})
            return
        path, headers = scope["path"], headers_of(scope)
        client = seeming(self._of, path, headers)
        endpoint = self._endpoint(client, path, scope["method"])
        if endpoint is None and self._passed[client].upstream() is not None:
            endpoint = self._passed[client]
        if endpoint is not None:
            await endpoint(scope, receive, send)
            return
        reply = self._gateway.own(client, headers).refusal(f"There is no {path:.200} here.", status=404)
        await send_reply(send, reply.status, reply.headers, reply.body)

    def serves(self, path: str, headers: Mapping[str, str]) -> str | None:
        """Return the protocol of the clients that ask at a path; None where nobody does."""
        client = self._fixed.get(path)
        if client is None:
            endpoint = self._endpoint(seeming(self._of, path, headers), path, "POST")
            client = None if endpoint is None else endpoint.client
        return client

    def _endpoint(self, client: str, path: str, method: str) -> Endpoint | None:
        listed = any(one.name_in(path) is not None for one in self._lists.values())
        if method == "POST":
            for name in sorted(self._calls, key=client.__ne__):  # the client's own protocol first
                if self._calls[name].asks(path):
                    return self._calls[name]
                if name in self._counts and self._counts[name].asks(path):
                    return self._counts[name]
            if listed and client in self._calls:
                return self._calls[client]  # which says that there is no such method
        return self._lists.get(client) if listed else None
