"""A request on its way to the provider and its response back to the client, whole or as a stream.

Rule 1: of a stream nothing is held back but its envelope, where another upstream could be asked, and nothing is read
ahead of the client. Rule 2: what fails reaches the client as an error of its own protocol.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

import anyio
import anyio.to_thread
import httpx

from ..exchange import Reply, ReplyStream
from ..ir.error import usual_status
from .asgi import Attended, Forbidden, TooLong, encoded, send_reply
from .attempts import RETRYABLE, close
from .call import Call
from .redaction import Redaction
from .upstreams import UpstreamServer

LOG = logging.getLogger(__name__)
LAST_WORDS = 1.0
"""Seconds that a client has to take the end of its stream, where the gateway is shut down."""
T = TypeVar("T")
Limited = anyio.CapacityLimiter | bool
NOTHING: Callable[[int], None] = lambda _: None  # noqa: E731


async def run(work: Callable[..., T], *arguments: Any, in_thread: Limited) -> T:
    """Conversions take less time than a change of threads does, but for long ones and those that wait for storage."""
    if in_thread:
        limiter = None if in_thread is True else in_thread
        return await anyio.to_thread.run_sync(work, *arguments, limiter=limiter)
    return work(*arguments)


async def check_status(upstream: UpstreamServer, response: httpx.Response) -> None:
    """Raises Forbidden for a response that no API gives: a redirect, or a status that HTTP does not have."""
    status = response.status_code
    if not (200 <= status < 300 or 400 <= status < 600):
        await close(response)
        raise Forbidden(502, f"The upstream '{upstream.name}' answered {status}; check its base_url.")


def chunks(response: httpx.Response) -> AsyncIterator[bytes]:
    """The body as it comes; a server may compress it, though it was asked not to."""
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
    """Headers with an id of the request, where the provider gave none, and with those of the gateway."""
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
