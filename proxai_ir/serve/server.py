"""The gateway as a process: storage, the application, and uvicorn around it."""

from __future__ import annotations

import logging

import uvicorn

from .app import app
from .config import Config
from .config_errors import ConfigError
from .storage import Storage, StorageError
from .ui.routes import routes as pages

LOG = logging.getLogger("proxai_ir.serve")


def run(config: Config) -> None:
    """Serve until a signal ends it; streams that run then have `timeouts.shutdown` seconds to end."""
    storage = storage_of(config)
    allow_many_files()
    listen, timeouts = config.listen, config.timeouts
    LOG.info("http://%s:%d -> %s", listen.host, listen.port, ", ".join(config.upstreams))
    uvicorn.run(
        app(config, storage, routes=pages(storage) if storage else ()),
        host=listen.host,
        port=listen.port,
        limit_concurrency=listen.connections,
        timeout_graceful_shutdown=int(timeouts.shutdown) or 1,
        backlog=2048,
        access_log=False,  # Prometheus and the log of exchanges have more
        server_header=False,
        log_level="warning",
        ws="none",
    )


def allow_many_files() -> None:
    """Each stream needs two, and the usual limit of a shell is 1,024."""
    try:
        import resource
    except ModuleNotFoundError:  # Windows has no such limit
        return
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def storage_of(config: Config) -> Storage | None:
    """Where the configuration has it; None: memory alone. Raises ConfigError where it cannot be used."""
    wanted = config.storage
    if not wanted.keep:
        return None
    try:
        storage = Storage(wanted.url, days=wanted.days, most=wanted.exchanges)
        storage.open()
    except StorageError as error:
        raise ConfigError(f"storage: {error}") from None
    return storage
