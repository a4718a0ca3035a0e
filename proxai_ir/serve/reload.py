"""The configuration of a gateway that runs, read again on SIGHUP.

Rule: one that cannot be used changes nothing; the log names what is wrong with it.
"""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import anyio.to_thread

from .config import Config
from .config_errors import ConfigError
from .gateway import Gateway

LOG = logging.getLogger("proxai_ir.serve")
Read = Callable[[], Config]


@contextmanager
def on_signal(gateway: Gateway, read: Read | None) -> Iterator[None]:
    """`read` may raise ConfigError; None where there is no file. Not every system has the signal."""
    number = getattr(signal, "SIGHUP", None)
    if read is None or number is None:
        yield
        return

    async def again() -> None:
        try:
            await gateway.change(await anyio.to_thread.run_sync(read))
            LOG.info("the configuration was read again: %s", ", ".join(gateway.upstreams))
        except ConfigError as error:
            LOG.error("%s; the configuration stays as it was", error)

    loop, running = asyncio.get_running_loop(), set[asyncio.Task[None]]()
    loop.add_signal_handler(number, lambda: running.add(loop.create_task(again())))
    try:
        yield
    finally:
        loop.remove_signal_handler(number)
