"""The ASGI application of a gateway: its routes, and its start and end."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
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
from .asgi import Forbidden, Receive, Scope, Send, encoded, headers_of, send_reply
from .config import Config
from .endpoints import Begin, Cancel, Converted, Count, Delete, Endpoint, Models, Passed, Retrieve, kept_under
from .gateway import CONTENT_TYPE, ESTIMATED, EXCHANGE, LOSSES, Gateway, Read, Storage, on_signal
from .upstreams import NewTransport, network

ROOT = "proxai-ir\n{url}: the base URL for clients, with a version behind it or without\n"
PAGE = "{url}/ui: the log, with the token that the start printed\n"
UPGRADE_REQUIRED = 426
NO_WEBSOCKETS = "There are no WebSockets here; expected a POST over HTTP."
DENIAL = "websocket.http.response"
"""The ASGI extension with which an HTTP response refuses a WebSocket."""


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
        with on_signal(gateway, read):
            yield
        await gateway.close()

    protocols = clients()
    by_path = ByPath(gateway, protocols)
    own = (Route("/metrics", metrics), Route("/health", health), Route("/ready", ready), Route("/", root))
    middleware = [Middleware(Versioned, protocols.values()), Middleware(Upgrades, gateway, by_path.serves)]
    if origins := config.access.origins:
        shown = (EXCHANGE, LOSSES, ESTIMATED)
        middleware.insert(0, Middleware(CORSMiddleware, origins, ("*",), ("*",), expose_headers=shown))
    made = Starlette(routes=[*endpoints(gateway, protocols), *own, *routes], middleware=middleware, lifespan=lifespan)
    made.router.default = by_path
    made.router.redirect_slashes = False
    made.state.gateway = gateway
    made.state.root = ROOT + PAGE if routes else ROOT
    made.add_middleware(Mounted)
    return made


def endpoints(gateway: Gateway, protocols: Mapping[str, Http]) -> Iterator[BaseRoute]:
    """Yield the routes of all protocols whose paths are the same for every model."""
    for client, http in protocols.items():
        if http.path:
            for path in fixed(http):
                yield Route(path, Converted(gateway, client))
            if http.counting:
                yield Route(http.counting.path(http.path), Count(gateway, client, http.counting))
        if kept := http.kept:
            read, forget = Retrieve(gateway, client, kept, "GET"), Delete(gateway, client, kept, "DELETE")
            for path in kept_under(http, kept):
                yield Route(f"{path}/{{name}}", ByMethod(read, forget))
                yield Route(f"{path}/{{name}}/cancel", Cancel(gateway, client, kept, "POST"))
            if kept.conversations:
                yield Route(kept.conversations, Begin(gateway, client, kept, "POST"))


def fixed(http: Http) -> tuple[str, ...]:
    """Return the paths of requests that are the same for every model."""
    return (http.path, *http.aliases) if http.path else ()


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
    return Response(gateway.metrics.text(), media_type=CONTENT_TYPE)


class Mounted:
    """A middleware for a gateway inside another application: endpoints see the path below ASGI's `root_path`.

    Pages still find the whole path, for their links.
    """

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        root, path = scope.get("root_path", ""), scope.get("path", "")
        if root and path.startswith(f"{root}/"):
            scope = {**scope, "path": path[len(root) :]}
        await self._app(scope, receive, send)


class Versioned:
    """A middleware for paths that have the API's version, lack it, or repeat it, as base URLs make them."""

    def __init__(self, app: Any, protocols: Iterable[Http]) -> None:
        self._app = app
        self._usual = Usual(protocols)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        if (usual := self._usual(path)) != path:
            scope = {**scope, "path": usual}
        await self._app(scope, receive, send)


class Upgrades:
    """A middleware that refuses requests for a WebSocket, which are neither counted nor logged.

    Some clients try a WebSocket first; the status 426 makes them use HTTP at once, where others make them try again.
    `serves` returns the protocol that has a path, by the path and the request's headers, or None.
    """

    def __init__(self, app: Any, gateway: Gateway, serves: Callable[[str, Mapping[str, str]], str | None]) -> None:
        self._app, self._gateway, self._serves = app, gateway, serves

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        client = self._serves(scope["path"], headers_of(scope)) if _asks(scope) else None
        if client is None:
            await self._app(scope, receive, send)
            return
        reply = self._gateway.own(client, headers_of(scope)).refusal(NO_WEBSOCKETS, status=UPGRADE_REQUIRED)
        if scope["type"] == "http":
            more = {**reply.headers, "upgrade": "HTTP/1.1", "connection": "close"}  # the next bytes are no request
            await send_reply(send, reply.status, more, reply.body)
            return
        await receive()  # the client's `websocket.connect`
        if DENIAL not in (scope.get("extensions") or {}):
            await send({"type": "websocket.close", "code": 1000})
            return
        start = encoded({**reply.headers, "content-length": str(len(reply.body))})
        await send({"type": f"{DENIAL}.start", "status": reply.status, "headers": start})
        await send({"type": f"{DENIAL}.body", "body": reply.body})


def _asks(scope: Scope) -> bool:
    """Return whether a request is for a WebSocket; a server that does not know them passes a GET on."""
    if scope["type"] != "http":
        return bool(scope["type"] == "websocket")
    return scope["method"] == "GET" and any(
        name == b"upgrade" and value.lower() == b"websocket" for name, value in scope["headers"]
    )


class ByMethod:
    """The endpoints of one path; the first refuses methods that none has."""

    def __init__(self, *endpoints: Endpoint) -> None:
        self._first = endpoints[0]
        self._endpoints = {endpoint.method: endpoint for endpoint in endpoints}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._endpoints.get(scope["method"], self._first)(scope, receive, send)


class ByPath:
    """Answers at paths that no route has, in the protocol that the client seems to use.

    These are paths that name a model, lists of models, paths that are passed on, and unknown ones.
    """

    def __init__(self, gateway: Gateway, protocols: Mapping[str, Http]) -> None:
        self._gateway, self._protocols = gateway, protocols
        lists = {client: http.listing for client, http in protocols.items() if http.listing}
        paths = {path for listing in lists.values() for path in listing.paths}
        self._lists = {client: Models(gateway, client, listing, paths) for client, listing in lists.items()}
        self._calls = {client: Converted(gateway, client) for client, http in protocols.items() if http.asked}
        self._passed = {client: Passed(gateway, client, "") for client in protocols}
        self._counts = {one: Count(gateway, one, how) for one in self._calls if (how := protocols[one].counting)}
        self._fixed = {path: client for client, http in protocols.items() for path in fixed(http)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1000})
            return
        path, headers = scope["path"], headers_of(scope)
        client = seeming(self._protocols, path, headers)
        endpoint = self._endpoint(client, path, scope["method"])
        if endpoint is None and self._passed[client].upstream() is not None:
            endpoint = self._passed[client]
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

    def _endpoint(self, client: str, path: str, method: str) -> Endpoint | None:
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
