"""The ASGI application of a gateway: which path is which endpoint, and what happens at its start and end."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from ..binding.http import Http
from ..binding.registry import backend, is_built_in, protocols
from .access import Access, bearer
from .asgi import Forbidden, Receive, Scope, Send, headers_of, send_reply
from .config import Config
from .counting import Count
from .endpoints import Converted, Endpoint
from .gateway import Gateway, Storage
from .kept import Begin, Cancel, Delete, Retrieve
from .metrics import CONTENT_TYPE
from .models import Models
from .upstreams import NewTransport, network

USUAL = "openai_chat_completions"
"""The protocol of clients that show none."""


def app(
    config: Config,
    storage: Storage | None = None,
    *,
    access: Access | None = None,
    transport: NewTransport = network,
    routes: Sequence[BaseRoute] = (),
) -> Starlette:
    """The application; `access`: where it is not the configuration's alone; `routes` are more pages, `transport` what
    reaches the upstreams."""
    gateway = Gateway(config, storage, access=access, transport=transport)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        await gateway.close()

    async def metrics(request: Request) -> Response:
        return _metrics(gateway, request)

    served = Starlette(
        routes=[
            *endpoints(gateway),
            Route("/metrics", metrics),
            Route("/health", health),
            *routes,
        ],
        lifespan=lifespan,
    )
    served.router.default = NotFound(gateway)
    served.router.redirect_slashes = False
    served.state.gateway = gateway
    return served


def served() -> dict[str, Http]:
    """The protocols that clients may speak; those of other packages come last, and take no path of ours."""
    found = {name: backend(name).http for name in sorted(protocols(), key=is_built_in, reverse=True)}
    return {name: http for name, http in found.items() if http is not None}


def endpoints(gateway: Gateway) -> Iterator[BaseRoute]:
    """The paths of all protocols."""
    of = served()
    for client, http in of.items():
        if http.path:
            yield Route(http.path, Converted(gateway, client))
            if http.counting:
                yield Route(http.counting.path(http.path), Count(gateway, client, http.counting))
        if kept := http.kept:
            one = f"{kept.responses}/{{name}}"
            yield Route(one, ByMethod(Retrieve(gateway, client, kept, "GET"), Delete(gateway, client, kept, "DELETE")))
            yield Route(f"{one}/cancel", Cancel(gateway, client, kept, "POST"))
            yield Route(kept.conversations, Begin(gateway, client, kept, "POST"))
    listings = [http.listing for http in of.values() if http.listing]
    for path in dict.fromkeys(path for listing in listings for path in listing.paths):
        for rest in ("", "/{rest:path}"):
            yield Route(path + rest, OfModels(gateway, of))


async def health(_: Request) -> Response:
    return PlainTextResponse("ok\n")


def _metrics(gateway: Gateway, request: Request) -> Response:
    """For the operator, and for those who have a client's key."""
    try:
        gateway.access.check_reader(request.scope, bearer(request.scope))
    except Forbidden as error:
        return PlainTextResponse(f"{error}\n", error.status)
    return Response(gateway.metrics.text(), media_type=CONTENT_TYPE)


class ByMethod:
    """Endpoints of one path; for a method that none has, the first refuses."""

    def __init__(self, *endpoints: Endpoint) -> None:
        self._first = endpoints[0]
        self._endpoints = {endpoint.method: endpoint for endpoint in endpoints}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._endpoints.get(scope["method"], self._first)(scope, receive, send)


class OfModels:
    """Lists of models, in every protocol; and requests whose path has the model and what is done with it."""

    def __init__(self, gateway: Gateway, of: Mapping[str, Http]) -> None:
        self._lists = {client: Models(gateway, client, http.listing) for client, http in of.items() if http.listing}
        self._calls = [(http, Converted(gateway, client)) for client, http in of.items() if http.method]
        self._counts = [Count(gateway, client, http.counting) for client, http in of.items() if http.counting]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"]
        endpoint: Endpoint = self._lists[protocol_of(path, headers_of(scope))]
        called = self._calls if scope["method"] == "POST" else ()
        for converted in (one for http, one in called if http.method and http.method in path):
            counts = (one for one in self._counts if one.client == converted.client and one.counts(path))
            endpoint = next(counts, converted)
        await endpoint(scope, receive, send)


class NotFound:
    """Paths that are none, in the protocol that the client seems to use."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway

    async def __call__(self, scope: Scope, _: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1000})
            return
        headers = headers_of(scope)
        reply = self._gateway.own(protocol_of(scope["path"], headers), headers).refusal(
            f"There is no {scope['path']:.200} here.", status=404
        )
        await send_reply(send, reply.status, reply.headers, reply.body)


def protocol_of(path: str, headers: Mapping[str, str]) -> str:
    """The protocol of a client, by what all its requests have."""
    return next((one for one, http in served().items() if http.marked in headers or path.startswith(http.under)), USUAL)
