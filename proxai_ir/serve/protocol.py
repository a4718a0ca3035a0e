"""HTTP/1.1 of one connection, as the gateway reads it: what comes before a body is counted while it comes.

Rule 1: what is kept of a request before its body is bounded, whatever is sent, and so is the time that it takes.
Rule 2: where the gateway has no client keys, each request says whether its connection is another user's (`peers`).
"""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from itertools import chain
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from .config import Config
from .peers import OTHERS, is_of_others

OVERHEAD = 32
"""Bytes that a header counts in addition to its own, as in HTTP/2 (RFC 9113, 6.5.2): empty ones need memory too."""
FIXED = 64
"""More bytes than a method, a version and the last line breaks have, which are not counted of a whole head."""
LINGER = 1.0
MOST_DROPPED = 2 << 20
"""Seconds in which a client that is refused can read why, and bytes of what it still sends that are dropped meanwhile:
where a connection is closed with bytes unread, what was said before may never arrive."""
LATE_BODY = 5.0
"""Seconds in which a body may still come that nobody wants, as its request has had its response."""


class TooLongHead(Exception):
    """More was sent before the body than the configuration allows."""


class Protocol(HttpToolsProtocol):
    """`most`: bytes of a request's target and headers; `seconds`: until they have come; `asks_whose`: whether it is
    looked up whose the connection is.

    The parser holds a header until it has all of it, and says nothing meanwhile. So what is counted are bytes that are
    neither a whole head nor part of a body: an unfinished head, and trailers, and whatever stands between chunks.
    """

    most = 64 * 1024
    seconds = 10.0
    asks_whose = False

    _unfinished = 0  # bytes since the last whole head, or the last part of a body
    _finished = False  # whether the bytes that are parsed have one
    _too_long = False
    _refused: HTTPStatus | None = None
    _dropped = 0
    _others = False
    _due: asyncio.TimerHandle | None = None  # when the head has to be whole that is waited for

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._due = self.loop.call_later(self.seconds, self._too_late)
        if self.asks_whose and self.client and self.server and self.server[1]:
            self._others = is_of_others(self.client, (self.server[0], self.server[1]))

    def data_received(self, data: bytes) -> None:
        if self._refused is not None:
            self._drop(data)
            return
        self._finished = False
        super().data_received(data)
        if self._finished:
            self._unfinished = 0
            if self._due is not None:
                self._due.cancel()
                self._due = None
            return
        if self._due is None:
            self._due = self.loop.call_later(self.seconds, self._too_late)
        self._unfinished += len(data)
        if self._unfinished > self.most + FIXED or len(self.headers or ()) * OVERHEAD > self.most:
            self._refuse()

    def _unsupported_upgrade_warning(self) -> None:
        """Say nothing in the log: the application answers (upgrades.py)."""

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if self._others:
            self.scope["extensions"] = {OTHERS: {}}

    def on_headers_complete(self) -> None:
        self._finished = True
        size = len(self.url) + OVERHEAD * len(self.headers) + sum(map(len, chain.from_iterable(self.headers)))
        if size > self.most:
            self._too_long = True
            raise TooLongHead  # which ends the parsing, as bytes that are no HTTP do
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._finished = True
        super().on_body(body)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.cycle is not None and self.cycle.more_body:
            self.loop.call_later(LATE_BODY, self._close_unless_whole, self.cycle)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self._due is not None:
            self._due.cancel()

    def send_400_response(self, msg: str) -> None:
        if self._too_long:
            self._refuse()
        else:
            super().send_400_response(msg)

    def _refuse(self) -> None:
        of_target = len(self.url) * 2 > self.most
        self._refused = HTTPStatus.REQUEST_URI_TOO_LONG if of_target else HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
        if self.cycle is not None and (self.cycle.scope is self.scope or not self.cycle.response_complete):
            self.transport.close()  # this request is being served, or one before it, and has a response of its own
            return
        self.url = b""
        self.headers.clear()
        text = f"The request's target and headers are longer than {self.most} bytes.\n".encode()
        status = f"HTTP/1.1 {self._refused.value} {self._refused.phrase}"
        head = f"{status}\r\ncontent-type: text/plain\r\ncontent-length: {len(text)}\r\nconnection: close\r\n\r\n"
        self.transport.write(head.encode() + text)
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self.loop.call_later(LINGER, self.transport.close)

    def _too_late(self) -> None:
        self._due = None
        if self.cycle is None or self.cycle.response_complete:  # the time of a body is another's to count
            self.transport.close()

    def _close_unless_whole(self, cycle: Any) -> None:
        if self.cycle is cycle and cycle.more_body:
            self.transport.close()

    def _drop(self, data: bytes) -> None:
        self._dropped += len(data)
        if self._dropped > MOST_DROPPED:
            self.transport.close()


def protocol_of(config: Config, *, asks_whose: bool) -> type[asyncio.Protocol]:
    """The class of connections of a gateway."""
    settings: dict[str, Any] = {
        "most": config.limits.headers,
        "seconds": config.timeouts.head,
        "asks_whose": asks_whose,
    }
    return type("GatewayProtocol", (Protocol,), settings)
