"""The gateway as a process: storage, the application in uvicorn, and the limits of HTTP/1.1 before a body.

Rule 1: the head of a request is bounded in bytes and in time, whatever is sent. Rule 2: if the gateway has no client
keys, each request says whether its connection is another user's (`access`).
"""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from http import HTTPStatus
from itertools import chain
from typing import Any, cast

import uvicorn
from attrs import frozen
from starlette.applications import Starlette
from starlette.routing import BaseRoute
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from ..storage import Storage, StorageError
from .access import OTHERS, Access, access_of, is_of_others, new_token
from .app import app
from .asgi import Receive, Send
from .config import Config, ConfigError, Listen
from .gateway import Read
from .ui.guard import TOKEN
from .ui.routes import PREFIX, routes
from .upstreams import NewTransport, network

# --- protocol ---------------------------------------------------------------------------------------------------------

OVERHEAD = 32
"""Bytes that each header counts in addition to its own, as in HTTP/2 (RFC 9113, 6.5.2): empty ones need memory too."""
FIXED = 64
"""More bytes than a method, a version and the last line breaks have, which the size of a head leaves out."""
LINGER = 1.0
MOST_DROPPED = 2 << 20
"""Seconds in which a refused client can read why, and bytes that it may send meanwhile, which are dropped: if a
connection is closed with bytes unread, its last response may be lost."""
LATE_BODY = 5.0
"""Seconds in which the body of a request may still come after its response."""
MOST_GATHERED = 64 * 1024
"""Bytes that are gathered before they are written."""


class Gathering:
    """A transport that writes in one piece all that it gets in one turn of the event loop.

    The events of a stream that an upstream sent together are written together: a system call for each costs more than
    to convert it.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport, self._loop = transport, loop
        self._pieces: list[bytes] = []
        self._size = 0

    def write(self, data: bytes) -> None:
        if not self._pieces:
            self._loop.call_soon(self._flush)
        self._pieces.append(data)
        self._size += len(data)
        if self._size > MOST_GATHERED:
            self._flush()

    def write_eof(self) -> None:
        self._flush()
        self._transport.write_eof()

    def close(self) -> None:
        self._flush()
        self._transport.close()

    def _flush(self) -> None:
        pieces, self._pieces, self._size = self._pieces, [], 0
        if pieces and not self._transport.is_closing():
            self._transport.write(b"".join(pieces))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


class TooLongHead(Exception):
    """The target and headers of a request are longer than the configuration allows."""


class Protocol(HttpToolsProtocol):
    """One connection of HTTP/1.1, with limits of what comes before a body.

    The parser reports a header only once it is complete. So the bytes are counted that are neither a whole head nor
    part of a body: an unfinished head, trailers, and what stands between chunks.
    """

    most = 64 * 1024  # bytes of a request's target and headers
    seconds = 10.0  # in which they have to come
    asks_whose = False  # whether the owner of the connection is looked up

    _unfinished = 0  # bytes since the last whole head, or the last part of a body
    _finished = False  # whether the bytes that are being parsed complete a head or have a part of a body
    _too_long = False
    _refused: HTTPStatus | None = None
    _dropped = 0
    _due: asyncio.TimerHandle | None = None  # ends the time of a head that has not come yet

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(cast("asyncio.Transport", Gathering(transport, self.loop)))
        self._due = self.loop.call_later(self.seconds, self._too_late)
        self._others = self.asks_whose and is_of_others(self.client, self.server)

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
        """Log nothing, as the application answers (`app.Upgrades`)."""

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if self._others:
            self.scope["extensions"] = {OTHERS: {}}

    def on_headers_complete(self) -> None:
        self._finished = True
        size = len(self.url) + OVERHEAD * len(self.headers) + sum(map(len, chain.from_iterable(self.headers)))
        if size > self.most:
            self._too_long = True
            raise TooLongHead  # it ends the parsing, as bytes do that are not HTTP
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
            self.transport.close()  # this request, or one before it, is being served and has its own response
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
        if self.cycle is None or self.cycle.response_complete:  # else a body is read, which has a limit of its own
            self.transport.close()

    def _close_unless_whole(self, cycle: Any) -> None:
        if self.cycle is cycle and cycle.more_body:
            self.transport.close()

    def _drop(self, data: bytes) -> None:
        self._dropped += len(data)
        if self._dropped > MOST_DROPPED:
            self.transport.close()


def sockets_of(*, asks_whose: bool) -> type[asyncio.Protocol] | str:
    """Return the class of connections that became WebSockets; "none" without the package that has their protocol."""
    try:
        from .upgraded import SocketProtocol
    except ModuleNotFoundError:
        return "none"
    return type("GatewaySocketProtocol", (SocketProtocol,), {"asks_whose": asks_whose})


def protocol_of(config: Config, *, asks_whose: bool) -> type[asyncio.Protocol]:
    """Return the class of a gateway's connections."""
    limits = {"most": config.limits.headers, "seconds": config.timeouts.head, "asks_whose": asks_whose}
    return type("GatewayProtocol", (Protocol,), limits)


# --- server -----------------------------------------------------------------------------------------------------------

LOG = logging.getLogger("proxai_ir.serve")
BACKLOG = 2048
ANYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104
"""Addresses to listen at, and the addresses by which clients on this machine reach them."""
AWAY = "started without it: what is to be kept waits until it is back, and requests that need what is kept get 503"


class AddressError(Exception):
    """The gateway cannot listen at the address; the text says why."""


@frozen
class Started:
    """A gateway whose port is bound."""

    url: str
    token: str | None  # of its page and metrics; None: the one of the configuration
    page: str | None  # the URL of the page, if there is a log
    keyless: bool


def run(config: Config, tell: Callable[[Started], None], read: Read | None = None) -> None:
    """Serve until a signal comes; running streams then have `timeouts.shutdown` seconds to end.

    `tell` is called when the port is bound, `read` reads the configuration again. Raises ConfigError, AddressError.
    """
    storage = storage_of(config)
    token = None if config.access.admin_env else new_token()
    access = access_of(config, token)
    sockets = bound(config.listen)
    allow_many_files()
    tell(started(config, sockets, access, token))
    with suppress(KeyboardInterrupt):  # uvicorn sends it again at its end
        server_of(config, storage, access, pages_of(config, storage, access), read).run(sockets)


def pages_of(config: Config, storage: Storage | None, access: Access) -> Sequence[BaseRoute]:
    """Return the routes of the page; none without a log."""
    return routes(storage, access, config.upstreams) if storage else ()


def server_of(
    config: Config, storage: Any, access: Access, pages: Sequence[BaseRoute], read: Read | None = None
) -> uvicorn.Server:
    """Return the gateway in uvicorn, whose messages go to the log of this process."""
    made = app(config, storage, access=access, routes=pages, read=read)
    given = settings(config, access)

    async def served(scope: Any, receive: Receive, send: Send) -> None:
        with suppress(asyncio.CancelledError):  # what is cut off at the end is no failure, which uvicorn would report
            await made(scope, receive, send)

    return uvicorn.Server(uvicorn.Config(served, backlog=BACKLOG, log_config=None, log_level="warning", **given))


def bound(listen: Listen) -> list[socket.socket]:
    """Return listening sockets for all addresses of the host, at one port. Raises AddressError."""
    found: list[socket.socket] = []
    try:
        port = listen.port
        for family, _, _, _, address in socket.getaddrinfo(
            listen.host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        ):
            made = socket.create_server((address[0], port), family=family, backlog=BACKLOG)
            found.append(made)
            port = made.getsockname()[1]
    except OSError as error:
        for one in found:
            one.close()
        where = f"{listen.host}:{listen.port}"
        if error.errno == errno.EADDRINUSE:
            raise AddressError(f"the port is in use: {where}; expected a free one (--port, or listen.port)") from None
        raise AddressError(f"cannot listen at {where}: {error.strerror or error}") from None
    return found


def started(config: Config, sockets: Sequence[socket.socket], access: Access, token: str | None) -> Started:
    host = ANYWHERE.get(config.listen.host, config.listen.host)
    url = f"http://{f'[{host}]' if ':' in host else host}:{sockets[0].getsockname()[1]}"
    page = f"{url}{PREFIX}?{TOKEN}={token}" if token else f"{url}{PREFIX}"
    return Started(url, token, page if config.storage.keep else None, access.keyless)


def settings(config: Config, access: Access) -> dict[str, Any]:
    """Return the settings of uvicorn that follow from the configuration, and those that the gateway relies on."""
    return {
        "http": protocol_of(config, asks_whose=access.keyless),
        "ws": sockets_of(asks_whose=access.keyless),
        "ws_max_size": config.limits.body,
        "ws_per_message_deflate": False,  # as other responses are sent: what compresses them is in front
        "proxy_headers": False,  # a client's address is that of its connection, whatever a header says
        "server_header": False,
        "access_log": False,  # Prometheus and the log of exchanges have more
        "limit_concurrency": config.listen.connections,
        "timeout_graceful_shutdown": int(config.timeouts.shutdown) or 1,
    }


def allow_many_files() -> None:
    """Raise this process's limit of open files: a stream needs two, and shells usually allow 1,024."""
    try:
        import resource
    except ModuleNotFoundError:  # Windows has no such limit
        return
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def mountable(config: Config, transport: NewTransport = network) -> Starlette:
    """Return the application, with storage and page, for another application to mount, which runs its lifespan.

    Raises ConfigError.
    """
    storage, access = storage_of(config), access_of(config)
    return app(config, storage, access=access, transport=transport, routes=pages_of(config, storage, access))


def storage_of(config: Config) -> Storage | None:
    """Return the configured storage, or None if responses are kept in memory alone.

    A database that is away is used once it is back. Raises ConfigError for one that cannot be used.
    """
    wanted = config.storage
    if not wanted.keep:
        return None
    try:
        memory: Any = {"memory_days": wanted.memory_days, "memory_bytes": wanted.memory_bytes}
        storage = Storage(wanted.url, days=wanted.days, most=wanted.exchanges, most_bytes=wanted.bytes, **memory)
    except StorageError as error:
        raise ConfigError(f"storage: {error}") from None
    try:
        storage.open()
    except StorageError as error:
        if not error.away:
            raise ConfigError(f"storage: {error}") from None
        LOG.warning("%s; %s", error, AWAY)
    storage.keep_swept()
    return storage
