"""A connection of the gateway's own server after its upgrade to a WebSocket; the protocol is the package websockets'.

Rule 1: what holds of a connection before its upgrade holds after it: whose it is, and how many there are. Rule 2: when
the server is to end, what runs on a socket has the time that other responses have.
"""

from __future__ import annotations

import asyncio
from asyncio.transports import BaseTransport
from typing import Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.http11 import Request

from .access import OTHERS, is_of_others
from .sockets import CLOSING

TOO_MANY = "There are as many connections as the gateway takes; try again later.\n"


class SocketProtocol(WebSocketsSansIOProtocol):
    """A WebSocket of the gateway's own server."""

    asks_whose = False  # whether the owner of the connection is looked up

    def connection_made(self, transport: BaseTransport) -> None:
        super().connection_made(transport)
        self._closing = asyncio.Event()
        self._others = self.asks_whose and is_of_others(self.client, self.server)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if not self.handshake_initiated:  # the package refused the head, which comes as a whole
            self.transport.close()

    def handle_connect(self, event: Request) -> None:
        most = self.config.limit_concurrency
        if most is not None and len(self.connections) > most:
            self.handshake_initiated = self.handshake_complete = self.close_sent = True
            self.conn.send_response(self.conn.reject(503, TOO_MANY))
            self.transport.write(b"".join(self.conn.data_to_send()))
            self.transport.close()
            return
        super().handle_connect(event)
        if not self.handshake_complete:
            extensions: dict[str, Any] = {CLOSING: self._closing, **({OTHERS: {}} if self._others else {})}
            self.scope["extensions"] = {**(self.scope.get("extensions") or {}), **extensions}

    def shutdown(self) -> None:
        if self.handshake_complete and not self.close_sent:
            self._closing.set()
        else:
            super().shutdown()
