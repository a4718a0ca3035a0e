"""Exchange between gateways with one PostgreSQL: the use of keys that have limits, and upstreams' keys that rest.

Rule 1: no request waits for it, and without the database each process goes on with what it knows. Rule 2: what a
process has told still counts after it has ended, except for requests that ran there then (`limits.SILENCE`). Rule 3: a
key of an upstream is told as a hash.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from typing import Any
from uuid import uuid4

import anyio
import anyio.to_thread

from ..storage import Storage, StorageError
from ..storage.told import LIFETIME, Row
from .access import digest
from .gateway import Gateway
from .keys import Ring
from .limits import Use

EVERY = 0.5
"""Seconds between two exchanges; others know within twice this time what a process did."""
USE, REST = "use/", "rest/"
"""The beginnings of the names of values. One of another form needs another name, as versions may run side by side."""
NEVER = Row("", "", 0.0, None)


class Shared:
    """The exchange of one gateway with the others."""

    def __init__(self, gateway: Gateway, storage: Storage) -> None:
        self._gateway, self._storage = gateway, storage
        self._process = uuid4().hex
        self._told: dict[str, Any] = {}  # by name, what tells whether there is news
        self._heard: dict[str, dict[str, Row]] = {}  # by name and process
        self._until = 0.0  # by the server's clock

    async def run(self, over: asyncio.Event) -> None:
        """Tell and hear every EVERY seconds until it is over."""
        while not over.is_set():
            with anyio.move_on_after(EVERY):
                await over.wait()
            await self.exchange()

    async def exchange(self) -> None:
        """Tell what is new, and take what others told. If the storage fails, nothing changes."""
        keys = dict(self._keys())
        if not (keys or self._gateway.accounts.count):
            return
        clock = time.perf_counter()
        news = {name: (version, value) for name, version, value in self._news(keys, clock)}
        values = {name: value for name, (_, value) in news.items()}
        with suppress(StorageError):  # which the writers complain about
            heard = await anyio.to_thread.run_sync(self._storage.tell, self._process, values, self._until)
            self._until = heard.until
            self._told |= {name: version for name, (version, _) in news.items()}
            self._take(heard.rows, clock, keys)

    def _keys(self) -> Iterator[tuple[str, tuple[Ring, str]]]:
        """Yield the keys of upstreams that have several, by the names under which their rests are told."""
        for upstream in self._gateway.upstreams.values():
            if len(keys := [*upstream.keys]) > 1:
                for key in keys:
                    yield f"{REST}{upstream.name}/{digest(key).hex()[:32]}", (upstream.keys, key)

    def _news(self, keys: dict[str, tuple[Ring, str]], clock: float) -> Iterator[tuple[str, Any, Any]]:
        known = {name.removeprefix(USE): told for name, told in self._told.items() if name.startswith(USE)}
        for who, changes, use in self._gateway.accounts.news(known, clock):
            yield f"{USE}{who}", changes, [*use]
        for name, (ring, key) in keys.items():
            left = ring.left(key)
            if left and self._told.get(name) != (until := round(clock + left)):
                yield name, until, left

    def _take(self, rows: list[Row], clock: float, keys: dict[str, tuple[Ring, str]]) -> None:
        """Take what is new among rows; `clock`: the clock of calls, when that of the server showed `_until`."""
        new = [row for row in rows if self._heard.get(row.name, {}).get(row.process, NEVER).at < row.at]
        for row in new:
            self._heard.setdefault(row.name, {})[row.process] = row
        ahead = self._until - clock
        for name in {row.name for row in new}:
            told = [
                (row.at - ahead, row.value) for row in self._heard[name].values() if row.at > self._until - LIFETIME
            ]
            if name in keys:
                ring, key = keys[name]
                ring.rest(key, max(at + left for at, left in told) - clock)
            elif name.startswith(USE):
                uses = [(at, Use(*value)) for at, value in told]
                self._gateway.accounts.hear(name.removeprefix(USE), uses, clock)


@asynccontextmanager
async def sharing(gateway: Gateway) -> AsyncIterator[None]:
    """Let a gateway exchange with others while this lasts, if its storage is for several processes."""
    storage = gateway.storage
    if not (isinstance(storage, Storage) and storage.shared):
        yield
        return
    shared, over = Shared(gateway, storage), asyncio.Event()
    await shared.exchange()  # before the first request, so that what others let in counts for that
    running = asyncio.create_task(shared.run(over))
    try:
        yield
    finally:
        over.set()
        await running
        await shared.exchange()  # what the last requests used
