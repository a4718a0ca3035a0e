"""The ASGI application of a gateway: which path is which endpoint, and what happens at its start and end."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from .access import Access, bearer
from .asgi import Forbidden, Receive, Scope, Send, headers_of, send_reply
from .config import Config
from .counting import METHOD as COUNTS
from .counting import Count
from .endpoints import Converted, Endpoint
from .gateway import Gateway, Storage
from .kept import Begin, Cancel, Delete, Retrieve
from .metrics import CONTENT_TYPE
from .models import Models
from .upstreams import NewTransport, network

ANTHROPIC, CHAT, GEMINI, RESPONSES = (
    "anthropic_messages",
    "openai_chat_completions",
    "gemini_generate_content",
    "openai_responses",
)
GEMINI_VERSIONS = ("v1beta", "v1", "v1alpha", "v1beta1")


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
            Route("/v1/chat/completions", Converted(gateway, CHAT)),
            Route("/v1/responses", Converted(gateway, RESPONSES)),
            Route("/v1/messages", Converted(gateway, ANTHROPIC)),
            Route("/v1/messages/count_tokens", Count(gateway, ANTHROPIC)),
            Route("/v1/responses/input_tokens", Count(gateway, RESPONSES)),
            Route("/v1/responses/{name}", ByMethod(Retrieve(gateway, "GET"), Delete(gateway, "DELETE"))),
            Route("/v1/responses/{name}/cancel", Cancel(gateway, "POST")),
            Route("/v1/conversations", Begin(gateway, "POST")),
            *(
                Route(f"/{version}/models{rest}", OfModels(gateway))
                for version in GEMINI_VERSIONS
                for rest in ("", "/{rest:path}")
            ),
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
    """Lists of models, in every protocol; and Gemini's requests, whose path has the model and what is done with it."""

    def __init__(self, gateway: Gateway) -> None:
        self._converted = Converted(gateway, GEMINI)
        self._count = Count(gateway, GEMINI)
        self._lists = {client: Models(gateway, client) for client in (ANTHROPIC, CHAT, GEMINI)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"]
        endpoint: Endpoint = self._lists[protocol_of(path, headers_of(scope))]
        if ":" in path and scope["method"] == "POST":
            endpoint = self._count if path.endswith(COUNTS) else self._converted
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


def protocol_of(path: str, headers: dict[str, str]) -> str:
    """The protocol of a client, by what all its requests have."""
    if "anthropic-version" in headers:
        return ANTHROPIC
    if path.startswith("/v1beta") or "x-goog-api-key" in headers:
        return GEMINI
    return RESPONSES if path.startswith("/v1/responses") else CHAT
