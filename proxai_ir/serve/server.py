"""The gateway as a process: storage, the application, and uvicorn around it."""

from __future__ import annotations

import errno
import logging
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import uvicorn
from attrs import frozen
from starlette.applications import Starlette
from starlette.routing import BaseRoute

from ..storage import Storage, StorageError
from .access import Access, access_of, new_token
from .app import app
from .config import Config, Listen
from .config_errors import ConfigError
from .protocol import protocol_of
from .reload import Read
from .ui.guard import TOKEN
from .ui.routes import PREFIX, routes
from .upstreams import NewTransport, network

LOG = logging.getLogger("proxai_ir.serve")
BACKLOG = 2048
ANYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104
"""Addresses to listen at, and where one of this machine calls them."""
AWAY = "started without it: what is to be kept waits until it is back, and requests that need what is kept get 503"


class AddressError(Exception):
    """The address cannot be listened at; its text says why."""


@frozen
class Started:
    """A gateway whose port is bound. `token`: of its page and metrics; None: the configuration's own. `page`: its URL,
    where there is a log."""

    url: str
    token: str | None
    page: str | None
    keyless: bool


def run(config: Config, tell: Callable[[Started], None], read: Read | None = None) -> None:
    """Serve until a signal ends it; streams that run then have `timeouts.shutdown` seconds to end. `tell` is called
    when the port is bound, `read` reads the configuration again. Raises ConfigError, AddressError."""
    storage = storage_of(config)
    token = None if config.access.admin_env else new_token()
    access = access_of(config, token)
    sockets = bound(config.listen)
    allow_many_files()
    tell(started(sockets, config.listen, access, token, page=storage is not None))
    with suppress(KeyboardInterrupt):  # which uvicorn sends again at its end
        server_of(config, storage, access, pages_of(config, storage, access), read).run(sockets)


def pages_of(config: Config, storage: Storage | None, access: Access) -> Sequence[BaseRoute]:
    """The page of the log, where there is one."""
    return routes(storage, access, config.upstreams) if storage else ()


def server_of(
    config: Config, storage: Any, access: Access, pages: Sequence[BaseRoute], read: Read | None = None
) -> uvicorn.Server:
    """The gateway behind uvicorn, whose messages go where all others do."""
    made = app(config, storage, access=access, routes=pages, read=read)
    given = settings(config, access)
    return uvicorn.Server(uvicorn.Config(made, backlog=BACKLOG, log_config=None, log_level="warning", **given))


def bound(listen: Listen) -> list[socket.socket]:
    """Listening sockets of all addresses that the host has, with one port. Raises AddressError."""
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


def started(
    sockets: Sequence[socket.socket], listen: Listen, access: Access, token: str | None, *, page: bool
) -> Started:
    url = url_of(listen.host, sockets[0].getsockname()[1])
    opened = f"{url}{PREFIX}?{TOKEN}={token}" if token else f"{url}{PREFIX}"
    return Started(url, token, opened if page else None, access.keyless)


def settings(config: Config, access: Access) -> dict[str, Any]:
    """Those of uvicorn that follow from the configuration, and those that the gateway relies on."""
    return {
        "http": protocol_of(config, asks_whose=access.keyless),
        "ws": "none",
        "proxy_headers": False,  # a client's address is that of its connection, whatever a header says
        "server_header": False,
        "access_log": False,  # Prometheus and the log of exchanges have more
        "limit_concurrency": config.listen.connections,
        "timeout_graceful_shutdown": int(config.timeouts.shutdown) or 1,
    }


def url_of(host: str, port: int) -> str:
    host = ANYWHERE.get(host, host)
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def allow_many_files() -> None:
    """Each stream needs two, and the usual limit of a shell is 1,024."""
    try:
        import resource
    except ModuleNotFoundError:  # Windows has no such limit
        return
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def mountable(config: Config, transport: NewTransport = network) -> Starlette:
    """The application with its storage and its page, for another one to mount and to run its lifespan. Raises
    ConfigError."""
    storage, access = storage_of(config), access_of(config)
    return app(config, storage, access=access, transport=transport, routes=pages_of(config, storage, access))


def storage_of(config: Config) -> Storage | None:
    """Where the configuration has it; None: memory alone. One that is away is used once it is back. Raises ConfigError
    where it cannot be used."""
    wanted = config.storage
    if not wanted.keep:
        return None
    try:
        storage = Storage(wanted.url, days=wanted.days, most=wanted.exchanges, most_bytes=wanted.bytes)
    except StorageError as error:
        raise ConfigError(f"storage: {error}") from None
    try:
        storage.open()
    except StorageError as error:
        if not error.away:
            raise ConfigError(f"storage: {error}") from None
        LOG.warning("%s; %s", error, AWAY)
    return storage
