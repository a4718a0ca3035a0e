"""Requests for a WebSocket, which no path of the gateway is: they are told so before anything is counted or logged.

Some clients try a WebSocket first; on the status 426 they go on with HTTP at once, where on others they try again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .asgi import Receive, Scope, Send, encoded, headers_of, send_reply
from .gateway import Gateway

REQUIRED = 426
SAID = "There are no WebSockets here; expected a POST over HTTP."
DENIAL = "websocket.http.response"
"""The extension of ASGI by which a response of HTTP refuses a WebSocket."""


class Upgrades:
    """A middleware. `serves`: the protocol whose clients ask at a path, by the request's headers; None: nobody does."""

    def __init__(self, app: Any, gateway: Gateway, serves: Callable[[str, Mapping[str, str]], str | None]) -> None:
        self._app, self._gateway, self._serves = app, gateway, serves

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not _asks(scope):
            await self._app(scope, receive, send)
            return
        headers = headers_of(scope)
        client = self._serves(scope["path"], headers)
        if client is None:
            await self._app(scope, receive, send)
            return
        reply = self._gateway.own(client, headers).refusal(SAID, status=REQUIRED)
        more = {**reply.headers, "upgrade": "HTTP/1.1", "connection": "close"}  # whose next bytes are of no request
        if scope["type"] == "http":
            await send_reply(send, reply.status, more, reply.body)
            return
        await receive()  # that it connects
        if DENIAL not in (scope.get("extensions") or {}):
            await send({"type": "websocket.close", "code": 1000})
            return
        start = encoded({**reply.headers, "content-length": str(len(reply.body))})
        await send({"type": f"{DENIAL}.start", "status": reply.status, "headers": start})
        await send({"type": f"{DENIAL}.body", "body": reply.body})


def _asks(scope: Scope) -> bool:
    """Return whether a request is for a WebSocket: a server that knows them says so, one that does not passes on a
    GET."""
    if scope["type"] != "http":
        return bool(scope["type"] == "websocket")
    return scope["method"] == "GET" and any(
        name == b"upgrade" and value.lower() == b"websocket" for name, value in scope["headers"]
    )
