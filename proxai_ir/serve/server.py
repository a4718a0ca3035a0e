"""The gateway as a process: storage, the application, and uvicorn around it."""

from __future__ import annotations

import logging
from typing import Any

import uvicorn

from .access import Access, access_of, new_token
from .app import app
from .config import Config, Listen
from .config_errors import ConfigError
from .peers import can_tell
from .protocol import protocol_of
from .reload import Read
from .storage import Storage, StorageError
from .ui.guard import TOKEN
from .ui.routes import PREFIX
from .ui.routes import routes as pages

LOG = logging.getLogger("proxai_ir.serve")
ANYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104
"""Addresses to listen at, and where one of this machine calls them."""
WITHOUT_KEYS = (
    "no client keys: all that this user runs on this machine may use the upstreams' keys; put no proxy and no tunnel in"
    " front without [access] in a configuration file"
)
AWAY = "started without it: what is to be kept waits until it is back, and requests that need what is kept get 503"
CANNOT_TELL = "; this system does not tell whose connections are, so that some would not be noticed"


def run(config: Config, read: Read | None = None) -> None:
    """Serve until a signal ends it; streams that run then have `timeouts.shutdown` seconds to end. `read` reads the
    configuration again."""
    storage = storage_of(config)
    allow_many_files()
    token = new_token()
    access = access_of(config, token)
    for line in said(config, access, token, page=storage is not None):
        LOG.info("%s", line)
    shown = pages(storage, access, config.upstreams) if storage else ()
    made = app(config, storage, access=access, routes=shown, read=read)
    listen = config.listen
    uvicorn.run(made, host=listen.host, port=listen.port, backlog=2048, log_level="warning", **settings(config, access))


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


def said(config: Config, access: Access, token: str, *, page: bool) -> list[str]:
    """What the start says: where the gateway is, the URL of its page, and what there is to know without client keys."""
    url = url_of(config.listen)
    lines = [f"{url} -> {', '.join(config.upstreams)}"]
    variable = config.access.admin_env
    shown = f"${variable}" if variable else token
    lines.append(f"the page: {url}{PREFIX}?{TOKEN}={shown}" if page else f"the token of /metrics: {shown}")
    if access.keyless:
        lines.append(WITHOUT_KEYS + ("" if can_tell() else CANNOT_TELL))
    return lines


def url_of(listen: Listen) -> str:
    host = ANYWHERE.get(listen.host, listen.host)
    return f"http://{f'[{host}]' if ':' in host else host}:{listen.port}"


def allow_many_files() -> None:
    """Each stream needs two, and the usual limit of a shell is 1,024."""
    try:
        import resource
    except ModuleNotFoundError:  # Windows has no such limit
        return
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


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
