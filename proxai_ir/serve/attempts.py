"""The upstreams of one request, one after the other, and why those before the last were not good enough.

Rule 1: another one is asked only before the first byte of a response is sent. Rule 2: what cannot be converted for one
upstream is for the next; where none is left, what the last one that was asked gave is the client's.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import NamedTuple, TypeVar

import anyio
import httpx

from ..exchange import Exchange, Upstream
from ..exchange.provider import SPENT, pause_of
from ..reporting.diagnostics import TranslationError
from .asgi import Forbidden
from .call import Call
from .config import Candidate
from .upstreams import UpstreamServer

RETRYABLE = frozenset({408, 429, 500, 502, 503, 504, 529})
"""Statuses after which another upstream is asked."""
T = TypeVar("T")


class Asked(NamedTuple):
    """An upstream that is asked, with the request converted for it; `own`: the headers of a client with its own key."""

    upstream: UpstreamServer
    exchange: Exchange
    sent: Upstream
    model: str | None
    own: Mapping[str, str]


class Turns:
    """The candidates of a request. `prepare` converts it for one; `failed` is told of each that another attempt
    follows, with the reason: "status", "network", "time", "stream", "conversion", "key" or "pause"."""

    def __init__(
        self,
        call: Call,
        candidates: Iterable[Candidate],
        prepare: Callable[[Candidate], Awaitable[Asked]],
        failed: Callable[[str, str], None],
    ) -> None:
        self._call, self._prepare, self._failed = call, prepare, failed
        self._left = [*candidates]
        self._now: Asked | None = None
        self._ahead: Asked | None = None
        self._refusal: TranslationError | Forbidden | None = None
        self._lock = anyio.Lock(fast_acquire=True)

    @property
    def last(self) -> bool:
        """Whether no candidate is left; those that are need not be able to take the request."""
        return not self._left and self._ahead is None

    async def next(self) -> Asked:
        """Raises TranslationError or Forbidden where no candidate can take the request: why the first one cannot."""
        if not await self.more():
            assert self._refusal is not None
            raise self._refusal
        assert self._ahead is not None
        self._now, self._ahead = self._ahead, None
        self._call.goes_to(self._now.upstream, self._now.model, self._now.exchange)
        return self._now

    async def more(self) -> bool:
        """Whether there is another upstream that can take the request."""
        async with self._lock:
            while self._ahead is None and self._left:
                candidate = self._left.pop(0)
                try:
                    self._ahead = await self._prepare(candidate)
                except (TranslationError, Forbidden) as error:
                    self._refusal = self._refusal or error
                    if self._now or self._left:
                        self.note(candidate.upstream, "conversion", getattr(error, "rule", "model"))
            return self._ahead is not None

    async def passes(self, reason: str, detail: str = "") -> bool:
        """Whether another upstream is asked in place of this one, which failed for this reason."""
        if not await self.more():
            return False
        assert self._now is not None
        self.note(self._now.upstream.name, reason, detail)
        return True

    def note(self, upstream: str, reason: str, detail: str) -> None:
        self._call.attempts.append({"upstream": upstream, "reason": reason, "detail": detail})
        self._failed(upstream, reason)


async def first_response(asked: Asked, turns: Turns) -> httpx.Response | None:
    """The response of an upstream; None where the next one is to be asked. With another of its keys, or after the pause
    that it asks for, it is asked once more. Raises httpx.HTTPError if it is the last."""
    upstream, sent = asked.upstream, asked.sent
    key = None if asked.own else upstream.keys.next()
    tries, paused = len([*upstream.keys]), False
    while True:
        own = asked.own or upstream.authenticated(key)
        try:
            response = await upstream.send(sent.path, sent.headers, sent.body, own, stream=sent.stream)
        except httpx.TransportError as error:
            if await turns.passes("time" if isinstance(error, httpx.TimeoutException) else "network"):
                return None
            raise
        status, pause = response.status_code, pause_of(response.headers)
        tries -= 1
        if status in SPENT and tries > 0 and (other := upstream.keys.another(key, pause)):
            await close(response)
            turns.note(upstream.name, "key", str(status))
            key = other
        elif status in RETRYABLE and not paused and pause is not None and pause <= upstream.longest_pause:
            await close(response)
            turns.note(upstream.name, "pause", str(status))
            paused = True
            await anyio.sleep(pause)
        elif status in RETRYABLE and await turns.passes("status", str(status)):
            await close(response)
            return None
        else:
            return response


async def unless_late(
    seconds: float, work: Callable[[], Awaitable[T]], late: Callable[[], Awaitable[bool]]
) -> T | None:
    """What the work gives; None where it takes longer, and `late` says that it is not waited for."""
    made: T | None = None
    failure: Exception | None = None

    async def watch() -> None:
        await anyio.sleep(seconds)
        if await late():
            group.cancel_scope.cancel()

    async with anyio.create_task_group() as group:
        group.start_soon(watch)
        try:
            made = await work()
        except Exception as error:
            failure = error
        group.cancel_scope.cancel()
    if failure is not None:
        raise failure
    return made


async def close(response: httpx.Response) -> None:
    """Also where the client went away."""
    with anyio.CancelScope(shield=True):
        await response.aclose()
