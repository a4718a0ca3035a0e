"""The ASGI application of a gateway: its routes, and its start and end."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from prometheus_client.exposition import CONTENT_TYPE_LATEST
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from ..exchange.cloud_clients import Forms
from ..exchange.provider import Usual, clients, seeming
from ..protocol.http import Http
from . import endpoints
from .access import Access, bearer
from .asgi import Forbidden, Receive, Scope, Send, headers_of, send_reply
from .config import Config
from .gateway import ESTIMATED, EXCHANGE, LOSSES, Gateway, Read, Storage, on_signal
from .shared import sharing
from .sockets import Sockets, Upgrades
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
    """Return the application of a gateway.

    access     of clients and of the operator, if it is more than what the configuration grants
    transport  makes the connections to an upstream
    routes     further pages
    read       reads the configuration again
    """
    gateway = Gateway(config, storage, access=access, transport=transport)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with sharing(gateway):
            with on_signal(gateway, read):
                yield
        await gateway.close()

    protocols = clients()
    by_path = ByPath(gateway, protocols)
    own = (Route("/metrics", metrics), Route("/health", health), Route("/ready", ready), Route("/", root))
    served = {
        path: Sockets(gateway, name, one.socket) for name, one in protocols.items() if one.socket for path in one.fixed
    }
    middleware = [Middleware(Versioned, protocols), Middleware(Upgrades, gateway, by_path.serves, served)]
    if origins := config.access.origins:
        shown = (EXCHANGE, LOSSES, ESTIMATED)
        middleware.insert(0, Middleware(CORSMiddleware, origins, ("*",), ("*",), expose_headers=shown))
    made = Starlette(routes=[*routes_of(gateway, protocols), *own, *routes], middleware=middleware, lifespan=lifespan)
    made.router.default = by_path
    made.router.redirect_slashes = False
    made.state.gateway = gateway
    made.state.root = ROOT + PAGE if routes else ROOT
    return made


def routes_of(gateway: Gateway, protocols: Mapping[str, Http]) -> Iterator[BaseRoute]:
    """Yield the routes of all protocols whose paths are the same for every model."""
    for client, http in protocols.items():
        if http.path:
            for path in http.fixed:
                yield Route(path, endpoints.Converted(gateway, client))
            if http.counting:
                yield Route(http.counting.path(http.path), endpoints.Count(gateway, client, http.counting))
            if http.compacting:
                yield Route(http.compacting.path, endpoints.Compact(gateway, client, http.compacting))
        if kept := http.kept:
            for path in endpoints.kept_under(http, kept):
                yield Route(f"{path}/{{name}}", endpoints.Stored(gateway, client, kept, "GET", "DELETE"))
                yield Route(f"{path}/{{name}}/cancel", endpoints.Cancel(gateway, client, kept, "POST"))
            if kept.conversations:
                yield Route(kept.conversations, endpoints.Begin(gateway, client, kept, "POST"))


def _answered(request: Request, text: str) -> Response:
    """Return a text for clients and the operator, or the refusal of others."""
    access: Access = request.app.state.gateway.access
    key = bearer(request.scope)
    try:
        access.owner(key, request.scope)
    except Forbidden as error:
        try:
            access.check_operator(request.scope, key)
        except Forbidden:
            return PlainTextResponse(f"{error}\n", error.status)
    return PlainTextResponse(text)


async def health(_: Request) -> Response:
    return PlainTextResponse("ok\n")


async def ready(request: Request) -> Response:
    return _answered(request, "ready\n")


async def root(request: Request) -> Response:
    return _answered(request, request.app.state.root.format(url=str(request.base_url).rstrip("/")))


async def metrics(request: Request) -> Response:
    """Return the metrics to the operator alone: a client's key opens the API, and nothing else."""
    gateway: Gateway = request.app.state.gateway
    try:
        gateway.access.check_operator(request.scope, bearer(request.scope))
    except Forbidden as error:
        return PlainTextResponse(f"{error}\n", error.status)
    return Response(gateway.metrics.text(gateway.upstreams.values()), media_type=CONTENT_TYPE_LATEST)


class Versioned:
    """A middleware for paths that have the API's version, lack it, or repeat it, as base URLs make them, for those of
    clouds, and for those of a gateway inside another application, where endpoints see what is below ASGI's `root_path`.
    """

    def __init__(self, app: Any, protocols: Mapping[str, Http]) -> None:
        self._app = app
        self._usual, self._forms = Usual(protocols.values()), Forms(protocols)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        root, given = scope.get("root_path", ""), scope.get("path", "")
        path = given[len(root) :] if root and given.startswith(f"{root}/") else given
        if (form := self._forms(path)) is not None:
            path = form.path
            scope = {**scope, "extensions": {**(scope.get("extensions") or {}), endpoints.FORM: form}}
        if (usual := self._usual(path)) != given:
            scope = {**scope, "path": usual}
        await self._app(scope, receive, send)


class ByPath:
    """Answers at paths that no route has, in the protocol that the client seems to use.

    These are paths that name a model, lists of models, paths that are passed on, and unknown ones.
    """

    def __init__(self, gateway: Gateway, protocols: Mapping[str, Http]) -> None:
        self._gateway, self._protocols = gateway, protocols
        lists = {client: http.listing for client, http in protocols.items() if http.listing}
        paths = {path for listing in lists.values() for path in listing.paths}
        self._lists = {client: endpoints.Models(gateway, client, listing, paths) for client, listing in lists.items()}
        self._calls = {one: endpoints.Converted(gateway, one) for one, http in protocols.items() if http.asked}
        self._passed = {client: endpoints.Passed(gateway, client, ()) for client in protocols}
        counting = {one: http.counting for one, http in protocols.items() if http.asked and http.counting}
        self._counts = {client: endpoints.Count(gateway, client, how) for client, how in counting.items()}
        told = ((client, *one) for client, http in protocols.items() for one in http.told.items())
        self._told = {path: endpoints.About(gateway, client, how) for client, path, how in told}
        self._fixed = {path: client for client, http in protocols.items() for path in http.fixed}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1000})
            return
        path, headers = scope["path"], headers_of(scope)
        client = seeming(self._protocols, path, headers)
        endpoint = self._endpoint(client, path, scope["method"])
        if endpoint is None and self._passed[client].upstream(path) is not None:
            endpoint = self._passed[client]
        endpoint = endpoint or self._told.get(path)  # an upstream that is asked knows more
        if endpoint is not None:
            await endpoint(scope, receive, send)
            return
        reply = self._gateway.own(client, headers).refusal(f"There is no {path:.200} here.", status=404)
        await send_reply(send, reply.status, reply.headers, reply.body)

    def serves(self, path: str, headers: Mapping[str, str]) -> str | None:
        """Return the protocol whose clients send requests to a path, or None if no protocol has it."""
        if path in self._fixed:
            return self._fixed[path]
        endpoint = self._endpoint(seeming(self._protocols, path, headers), path, "POST")
        return None if endpoint is None else endpoint.client

    def _endpoint(self, client: str, path: str, method: str) -> endpoints.Endpoint | None:
        listed = any(one.name_in(path) is not None for one in self._lists.values())
        if method == "POST":
            for name in sorted(self._calls, key=client.__ne__):  # the client's own protocol first
                if self._calls[name].asks(path):
                    return self._calls[name]
                if name in self._counts and self._counts[name].asks(path):
                    return self._counts[name]
            if listed and client in self._calls:
                return self._calls[client]  # which refuses the method
        return self._lists.get(client) if listed else None
