"""Refusals of requests for a WebSocket, which are neither counted nor logged.

Some clients try a WebSocket first; the status 426 makes them use HTTP at once, where others make them try again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .asgi import Receive, Scope, Send, encoded, headers_of, send_reply
from .gateway import Gateway

REQUIRED = 426
REFUSAL = "There are no WebSockets here; expected a POST over HTTP."
DENIAL = "websocket.http.response"
"""The ASGI extension with which an HTTP response refuses a WebSocket."""


class Upgrades:
    """A middleware. `serves` returns the protocol that has a path, by the path and the request's headers, or None."""

    def __init__(self, app: Any, gateway: Gateway, serves: Callable[[str, Mapping[str, str]], str | None]) -> None:
        self._app, self._gateway, self._serves = app, gateway, serves

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        client = self._serves(scope["path"], headers_of(scope)) if _asks(scope) else None
        if client is None:
            await self._app(scope, receive, send)
            return
        reply = self._gateway.own(client, headers_of(scope)).refusal(REFUSAL, status=REQUIRED)
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
