"""What all requests to a gateway share: configuration, upstreams, memory, the log; and the Exchange of one request."""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Protocol

import anyio
import anyio.to_thread

from ..binding.profile import Profile
from ..binding.registry import backend
from ..exchange import Exchange, InMemory, Memory
from ..exchange.provider import Learned, http_of
from .access import Access, access_of
from .budget import Budget
from .call import Call
from .config import Config
from .keys import in_environment
from .metrics import Metrics
from .records import Record
from .tracing import Tracing
from .upstreams import NewTransport, Routes, UpstreamServer, network

LARGE = 2
"""Payloads that are converted in threads at once; more would take the same time together, and more memory."""


class Storage(Protocol):
    """Where responses and records are kept; `record` neither waits nor raises."""

    @property
    def memory(self) -> Memory: ...

    def record(self, record: Record) -> None: ...

    def close(self) -> None: ...


class Unstored:
    """Responses in this process alone, and no log."""

    def __init__(self) -> None:
        self.memory: Memory = InMemory()

    def record(self, record: Record) -> None:
        pass

    def close(self) -> None:
        pass


class Gateway:
    def __init__(
        self,
        config: Config,
        storage: Storage | None = None,
        *,
        access: Access | None = None,
        transport: NewTransport = network,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        self.config = config
        self.storage: Storage = storage or Unstored()
        self.waits_for_storage = not isinstance(self.storage.memory, InMemory)
        self.access = access or access_of(config)
        self.budget = Budget(config.limits.memory)
        self._large = anyio.CapacityLimiter(LARGE)
        self.routes = Routes(config)
        self.upstreams = {
            name: UpstreamServer(name, table, in_environment(table.key_env, environment), config.timeouts, transport)
            for name, table in config.upstreams.items()
        }
        self.learned = Learned()
        self.metrics = Metrics(self.storage)
        self.tracing = Tracing()
        self._seal_keys = seal_keys([environment[name] for name in config.seals.secrets_env])
        self.client_side: Callable[[str, str | None], Profile] = lru_cache(64)(client_side)

    def exchange(
        self, call: Call, upstream: UpstreamServer, model: str | None, *, client_state: bool = True, **options: Any
    ) -> Exchange:
        """`client_state`: whether it may name what the upstream keeps; `options`: besides those of the upstream."""
        http = http_of(call.client)
        return Exchange(
            self.client_side(call.client, call.headers.get(http.version or "")),
            upstream.side,
            model=model,
            profile=upstream.by,
            server=upstream.server,
            learned=self.learned if upstream.learns else None,
            key=upstream.key,
            memory=self.storage.memory,
            owner=call.owner,
            own_state=not (client_state or self.access.keyless),
            now=call.started,
            response_id=call.id,
            seal_keys=self._seal_keys,
            seal_audience=call.owner,
            **upstream.options,
            **options,
        )

    def in_thread(self, size: int) -> anyio.CapacityLimiter | bool:
        """Whether a payload of so many bytes is converted in a thread, and which."""
        return self._large if size > self.config.limits.in_thread else False

    def own(self, client: str, headers: Mapping[str, str]) -> Exchange:
        """An Exchange for the gateway's own replies."""
        side = self.client_side(client, headers.get(http_of(client).version or ""))
        return Exchange(side, side)

    async def close(self) -> None:
        for upstream in self.upstreams.values():
            await upstream.close()
        await anyio.to_thread.run_sync(self.storage.close)


def client_side(protocol: str, version: str | None) -> Profile:
    """How a client reads responses; a version that is not known is that of the protocol's defaults."""
    known = version if version in backend(protocol).versions else None
    return Profile(protocol, known, **http_of(protocol).clients)


def seal_keys(given: list[str]) -> dict[str, bytes]:
    """Keys of envelopes by id, each derived from a secret; without one, a key that lasts as long as the process."""
    found = [text.encode() for text in given] or [secrets.token_bytes(32)]
    derived = [hashlib.sha256(b"proxai-ir envelopes\0" + one).digest() for one in found]
    return {hashlib.sha256(key).hexdigest()[:8]: key for key in derived}
