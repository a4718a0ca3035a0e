"""Send a request to its upstreams, one after the other, and its response back to the client."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

import anyio
import anyio.to_thread
import httpx

from ..exchange import Exchange, Reply, ReplyStream, Upstream
from ..exchange.provider import SPENT, pause_of
from ..ir.error import usual_status
from ..reporting.diagnostics import TranslationError
from .asgi import Attended, Forbidden, Redaction, TooLong, encoded, send_reply
from .config import Candidate
from .gateway import Call
from .upstreams import UpstreamServer

# --- attempts ---------------------------------------------------------------------------------------------------------
# The upstreams of one request, one after the other, and why those before the last were not good enough.
#
# Rule 1: another one is asked only before the first byte of a response is sent. Rule 2: what cannot be converted for
# one
# upstream is for the next; where none is left, what the last one that was asked gave is the client's.


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
        """Raise TranslationError or Forbidden where no candidate can take the request: why the first one cannot."""
        if not await self.more():
            assert self._refusal is not None
            raise self._refusal
        assert self._ahead is not None
        self._now, self._ahead = self._ahead, None
        self._call.goes_to(self._now.upstream, self._now.model, self._now.exchange)
        return self._now

    async def more(self) -> bool:
        """Return whether there is another upstream that can take the request."""
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
        """Return whether another upstream is asked in place of this one, which failed for this reason."""
        if not await self.more():
            return False
        assert self._now is not None
        self.note(self._now.upstream.name, reason, detail)
        return True

    def note(self, upstream: str, reason: str, detail: str) -> None:
        self._call.attempts.append({"upstream": upstream, "reason": reason, "detail": detail})
        self._failed(upstream, reason)


async def first_response(asked: Asked, turns: Turns) -> httpx.Response | None:
    """Return the response of an upstream; None where the next one is to be asked. With another of its keys, or after
    the pause that it asks for, it is asked once more. Raises httpx.HTTPError if it is the last."""
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


# --- forward ----------------------------------------------------------------------------------------------------------
# A request on its way to the provider and its response back to the client, whole or as a stream.
#
# Rule 1: of a stream nothing is held back but its envelope, where another upstream could be asked, and nothing is read
# ahead of the client. Rule 2: what fails reaches the client as an error of its own protocol.


LOG = logging.getLogger(__name__)
LAST_WORDS = 1.0
"""Seconds that a client has to take the end of its stream, where the gateway is shut down."""

Limited = anyio.CapacityLimiter | bool
NOTHING: Callable[[int], None] = lambda _: None  # noqa: E731


async def run(work: Callable[..., T], *arguments: Any, in_thread: Limited) -> T:
    """Conversions take less time than a change of threads does, but for long ones and those that wait for storage."""
    if in_thread:
        limiter = None if in_thread is True else in_thread
        return await anyio.to_thread.run_sync(work, *arguments, limiter=limiter)
    return work(*arguments)


async def check_status(upstream: UpstreamServer, response: httpx.Response) -> None:
    """Raise Forbidden for a response that no API gives: a redirect, or a status that HTTP does not have."""
    status = response.status_code
    if not (200 <= status < 300 or 400 <= status < 600):
        await close(response)
        raise Forbidden(502, f"The upstream '{upstream.name}' answered {status}; check its base_url.")


def chunks(response: httpx.Response) -> AsyncIterator[bytes]:
    """Return the body as it comes; a server may compress it, though it was asked not to."""
    return response.aiter_bytes() if "content-encoding" in response.headers else response.aiter_raw()


async def whole(response: httpx.Response, most: int, take: Callable[[int], None] = NOTHING) -> bytes:
    """`take` is told how many bytes come, and may raise. Raises TooLong, httpx.HTTPError."""
    pieces: list[bytes] = []
    size = 0
    try:
        async for chunk in chunks(response):
            pieces.append(chunk)
            size += len(chunk)
            if size > most:
                raise TooLong
            take(len(chunk))
    except BaseException:
        await close(response)
        raise
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def named(headers: Mapping[str, str], call: Call, name: str) -> dict[str, str]:
    """Return headers with an id of the request, where the provider gave none, and with those of the gateway."""
    return {name: f"req_{call.id}", **headers, **call.own_headers}


class Streamed:
    """A stream of a provider on its way to the client."""

    def __init__(self, call: Call, stream: ReplyStream, response: httpx.Response, redaction: Redaction) -> None:
        self._call, self._stream, self._response = call, stream, response
        self._redaction = redaction
        self._pieces = chunks(response)
        self._held = b""

    async def hold(self) -> str:
        """Wait until more than the envelope has come; why another upstream is to be asked, empty where none is."""
        stream = self._stream
        with self._breaking():
            async for chunk in self._pieces:
                self._held += self._fed(chunk)
                if stream.begun:
                    break
        if not stream.begun:
            self._held += self._rest() + stream.end()
        if stream.failure is not None:
            category = stream.failure.category
            return category.value if usual_status(category) in (0, *RETRYABLE) else ""
        return "" if stream.error is None else stream.error.rule

    async def send(self, client: Attended, request_id: str) -> None:
        """To its end."""
        call, stream = self._call, self._stream
        call.status = stream.status
        headers = encoded(named(stream.headers, call, request_id))
        await client.send({"type": "http.response.start", "status": stream.status, "headers": headers})
        client.ping = stream.ping
        try:
            if self._held:
                await self._send(self._held, client)
            with self._breaking():
                while stream.error is None and (chunk := await anext(self._pieces, None)) is not None:
                    if out := self._fed(chunk):
                        await self._send(out, client)
        except anyio.get_cancelled_exc_class():
            call.error = "The response took too long." if client.late else "The gateway was shut down."
            if not client.gone:
                with anyio.move_on_after(LAST_WORDS, shield=True):
                    await finish(call, stream, client, self._rest())
            raise
        finally:
            if not self._response.is_closed:  # one that was read to its end has been closed
                await close(self._response)
        await finish(call, stream, client, self._rest())

    def _fed(self, chunk: bytes) -> bytes:
        chunk = self._redaction.feed(chunk)
        self._call.keep("upstream_response", chunk)
        return self._stream.feed(chunk)

    def _rest(self) -> bytes:
        """What was held back, as no more comes."""
        held = self._redaction.end()
        self._call.keep("upstream_response", held)
        return self._stream.feed(held) if held else held

    async def _send(self, out: bytes, client: Attended) -> None:
        if self._call.first_byte is None:
            self._call.first_byte = self._call.seconds()
        self._call.keep("response", out)
        await client.send({"type": "http.response.body", "body": out, "more_body": True})

    @contextmanager
    def _breaking(self) -> Iterator[None]:
        """A stream that the provider does not bring to its end has an end all the same, which says so."""
        try:
            yield
        except httpx.ReadTimeout:
            self._call.error = "The provider's stream has stalled."
        except (httpx.HTTPError, httpx.StreamError) as error:
            self._call.error = f"The provider's stream broke off ({type(error).__name__})."


async def finish(call: Call, stream: ReplyStream, client: Attended, rest: bytes) -> None:
    """The end of a stream, after the `rest` of it; a provider that closes late does no harm to one that is complete."""
    out = rest + stream.end()
    call.keep("response", out)
    await client.send({"type": "http.response.body", "body": out})
    call.found("response", stream.diagnostics)
    call.usage, call.finishes = stream.usage, stream.finishes
    if stream.error is None:
        call.error = None if stream.failure is None else stream.failure.message
    else:
        call.error = call.error or str(stream.error)


async def send_whole(call: Call, reply: Reply, client: Attended, request_id: str) -> None:
    call.status, call.usage, call.finishes = reply.status, reply.usage, reply.finishes
    call.first_byte = call.seconds()
    call.keep("response", reply.body)
    await send_reply(client.send, reply.status, named(reply.headers, call, request_id), reply.body)
