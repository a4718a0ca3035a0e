"""Send a request to its upstreams, one after the other, and the response back to the client.

Rule 1: another upstream is asked only before the first byte of a response is sent. Rule 2: a request that cannot be
converted for one upstream goes to the next; after the last one, the client gets what the last one gave. Rule 3: of a
stream nothing but its beginning is held back, and only while another upstream can be asked; nothing is read ahead of
the client. Rule 4: a failure reaches the client as an error of its own protocol.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

import anyio
import anyio.to_thread
import httpx
from attrs import define, field

from ..exchange import Denied, Exchange, Reply, ReplyStream, Upstream
from ..ir.error import usual_status
from ..reporting.diagnostics import TranslationError
from .asgi import Attended, Forbidden, TooLong, encoded, send_reply
from .config import Candidate
from .gateway import Call
from .keys import SPENT, Redaction, pause_of
from .upstreams import REDACTION, UpstreamServer, close

# --- attempts ---------------------------------------------------------------------------------------------------------

RETRYABLE = frozenset({408, 429, 500, 502, 503, 504, 529})
"""Statuses after which another upstream is asked."""
LAST_WORDS = 1.0
"""Seconds that a client has to take the end of its stream when the gateway is shut down."""

T = TypeVar("T")
Limited = anyio.CapacityLimiter | bool


class Attempt(NamedTuple):
    """An upstream with the request that was converted for it; `own` has the headers of a client with its own key."""

    upstream: UpstreamServer
    exchange: Exchange
    sent: Upstream
    model: str | None
    own: Mapping[str, str]


@define(eq=False)
class Attempts:
    """The candidates of a request in their order; those that rest come after the others.

    `prepare` converts the request for one. `failed` is called with an upstream and a reason for each attempt that
    another one follows: "status", "network", "time", "stream", "conversion", "key" or "pause".
    """

    call: Call
    _left: list[Candidate]
    _upstreams: Mapping[str, UpstreamServer]
    _prepare: Callable[[Candidate, UpstreamServer], Awaitable[Attempt]]
    _failed: Callable[[str, str], None]
    _now: Attempt | None = None
    _ahead: Attempt | None = None
    _refusal: TranslationError | Forbidden | None = None
    _lock: anyio.Lock = field(init=False, factory=lambda: anyio.Lock(fast_acquire=True))

    @property
    def last(self) -> bool:
        """Whether no candidate is left, though those left may be unable to take the request."""
        return not self._left and self._ahead is None

    async def next(self) -> Attempt:
        """Return the next upstream. Raises the TranslationError or Forbidden of the first if none takes the request."""
        if not await self.more():
            assert self._refusal is not None
            raise self._refusal
        assert self._ahead is not None
        self.leave()
        self._now, self._ahead = self._ahead, None
        self._now.upstream.running += 1
        self.call.goes_to(self._now.upstream, self._now.model, self._now.exchange)
        return self._now

    async def more(self) -> bool:
        """Return whether there is another upstream that can take the request."""
        async with self._lock:
            while self._ahead is None and self._left:
                awake = (at for at, one in enumerate(self._left) if self._upstreams[one.upstream].rest.admits())
                candidate = self._left.pop(next(awake, 0))
                try:
                    self._ahead = await self._prepare(candidate, self._upstreams[candidate.upstream])
                except (TranslationError, Forbidden) as error:
                    if isinstance(error, Denied):  # which is the operator's last word
                        self._refusal = error
                        self._left.clear()
                    self._refusal = self._refusal or error
                    if self._now or self._left:
                        self.note(candidate.upstream, "conversion", getattr(error, "rule", "model"))
            return self._ahead is not None

    async def fall_back(self, reason: str, detail: str = "") -> bool:
        """Return whether another upstream is asked after this one failed, and note the reason."""
        assert self._now is not None
        if (hook := self._now.exchange.hook) is not None and hook.denied:
            return False
        self._now.upstream.rest.failed()
        if not await self.more():
            return False
        self.note(self._now.upstream.name, reason, detail)
        return True

    def leave(self) -> None:
        """Note that the upstream that was asked last no longer has the request."""
        if self._now is not None:
            self._now.upstream.running -= 1
        self._now = None

    def note(self, upstream: str, reason: str, detail: str) -> None:
        self.call.attempts.append({"upstream": upstream, "reason": reason, "detail": detail})
        self._failed(upstream, reason)


async def first_response(attempt: Attempt, attempts: Attempts) -> httpx.Response | None:
    """Return the response of an upstream, or None if the next one is to be asked.

    The upstream is asked again with each other key it has, and once after the pause that it asks for. Raises
    httpx.HTTPError if it is the last, and Forbidden as `check_status` does.
    """
    upstream, sent = attempt.upstream, attempt.sent
    key = None if attempt.own else upstream.keys.next()
    tries, paused = len([*upstream.keys]), False
    while True:
        own = attempt.own or upstream.authenticated(key)
        try:
            response = await upstream.send(sent.path, sent.headers, sent.body, own, stream=sent.stream)
        except httpx.TransportError as error:
            if await attempts.fall_back("time" if isinstance(error, httpx.TimeoutException) else "network"):
                return None
            raise
        status, pause = response.status_code, pause_of(response.headers)
        tries -= 1
        if status in SPENT and tries > 0 and (other := upstream.keys.another(key, pause)):
            await close(response)
            attempts.note(upstream.name, "key", str(status))
            key = other
        elif status in RETRYABLE and not paused and pause is not None and pause <= upstream.timeouts.retry:
            await close(response)
            attempts.note(upstream.name, "pause", str(status))
            paused = True
            await anyio.sleep(pause)
        elif status in RETRYABLE and await attempts.fall_back("status", str(status)):
            await close(response)
            return None
        else:
            attempts.call.upstream_status = status
            await check_status(upstream, response)
            return response


async def unless_late(
    seconds: float, work: Callable[[], Awaitable[T]], late: Callable[[], Awaitable[bool]]
) -> T | None:
    """Return the result of the work; None if it takes longer than `seconds` and `late`, called then, returns True."""
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


# --- responses --------------------------------------------------------------------------------------------------------


async def run(work: Callable[..., T], *arguments: Any, in_thread: Limited) -> T:
    """Run the work, in a thread if it is long or waits for storage: for most conversions a thread costs too much."""
    if in_thread:
        limiter = None if in_thread is True else in_thread
        return await anyio.to_thread.run_sync(work, *arguments, limiter=limiter)
    return work(*arguments)


async def check_status(upstream: UpstreamServer, response: httpx.Response) -> None:
    """Refuse a response that no API gives: a redirect, or a status that HTTP lacks. Raises Forbidden."""
    status = response.status_code
    if not (200 <= status < 300 or 400 <= status < 600):
        await close(response)
        raise Forbidden(502, f"The upstream '{upstream.name}' answered {status}; check its base_url.")


async def chunks(response: httpx.Response) -> AsyncIterator[bytes]:
    """Yield the body as it comes, without keys; a server may compress it, though it was asked not to."""
    redaction: Redaction = response.extensions[REDACTION]
    failure: Exception | None = None
    assert isinstance(response.stream, httpx.AsyncByteStream)
    try:
        async for chunk in response.aiter_bytes() if "content-encoding" in response.headers else response.stream:
            if out := redaction.feed(chunk):
                yield out
        await response.aclose()
    except (httpx.HTTPError, httpx.StreamError) as error:
        failure = error
    if held := redaction.end():
        yield held
    if failure is not None:
        raise failure


async def read_body(response: httpx.Response, most: int, take: Callable[[int], None] = lambda _: None) -> bytes:
    """Return the whole body; `take` is called with the length of each piece, and may raise.

    Raises TooLong and httpx.HTTPError.
    """
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
    return b"".join(pieces)


def named(headers: Mapping[str, str], call: Call, name: str) -> dict[str, str]:
    """Return headers with the gateway's own, and with an id of the request if the provider gave none."""
    return {name: f"req_{call.id}", **headers, **call.own_headers}


class Streamed:
    """A stream of a provider on its way to the client."""

    def __init__(self, call: Call, stream: ReplyStream, response: httpx.Response) -> None:
        self._call, self._stream, self._response = call, stream, response
        self._pieces = chunks(response)
        self._held = b""

    async def hold(self) -> str:
        """Wait until content has come, and return why another upstream is to be asked; empty if none is."""
        stream = self._stream
        with self._breaking():
            async for chunk in self._pieces:
                self._held += await self._fed(chunk)
                if stream.begun:
                    break
        if not stream.begun:
            self._held += await run(stream.end, in_thread=self._call.hooked)
        if stream.failure is not None:
            category = stream.failure.category
            return category.value if usual_status(category) in (0, *RETRYABLE) else ""
        return "" if stream.error is None else stream.error.rule

    async def send(self, client: Attended, request_id: str) -> None:
        """Send the stream to its end."""
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
                    if out := await self._fed(chunk):
                        await self._send(out, client)
        except anyio.get_cancelled_exc_class():
            call.error = "The response took too long." if client.late else "The gateway was shut down."
            if not client.gone:
                with anyio.move_on_after(LAST_WORDS, shield=True):
                    await finish(call, stream, client)
            raise
        finally:
            if not self._response.is_closed:  # as it is if it was read to its end
                await close(self._response)
        await finish(call, stream, client)

    async def _fed(self, chunk: bytes) -> bytes:
        self._call.keep("upstream_response", chunk)
        return await run(self._stream.feed, chunk, in_thread=self._call.hooked)

    async def _send(self, out: bytes, client: Attended) -> None:
        call = self._call
        if call.first_byte is None:
            call.first_byte = call.seconds()
        call.keep("response", out)
        await client.send({"type": "http.response.body", "body": out, "more_body": True})

    @contextmanager
    def _breaking(self) -> Iterator[None]:
        """Note that the provider's stream broke off; the client's stream then ends with an error."""
        try:
            yield
        except httpx.ReadTimeout:
            self._call.error = "The provider's stream has stalled."
        except (httpx.HTTPError, httpx.StreamError) as error:
            self._call.error = f"The provider's stream broke off ({type(error).__name__})."


async def finish(call: Call, stream: ReplyStream, client: Attended) -> None:
    """Send the end of a stream; if it is complete, an error of its connection does not count."""
    out = await run(stream.end, in_thread=call.hooked)
    call.keep("response", out)
    await client.send({"type": "http.response.body", "body": out})
    call.report("response", stream.diagnostics)
    call.usage, call.finishes = stream.usage, stream.finishes
    if stream.error is None:
        call.error = None if stream.failure is None else stream.failure.message
    else:
        call.error = call.error or str(stream.error)


async def send_whole(call: Call, reply: Reply, client: Attended, request_id: str) -> None:
    """Send a reply that is no stream."""
    call.status, call.usage, call.finishes = reply.status, reply.usage, reply.finishes
    call.first_byte = call.seconds()
    call.keep("response", reply.body)
    await send_reply(client.send, reply.status, named(reply.headers, call, request_id), reply.body)
