"""A request on its way to the provider and its response back to the client, whole or as a stream.

Rule 1: another upstream is tried only before the first byte of a response. Rule 2: of a stream nothing is held back,
and nothing is read ahead of the client. Rule 3: what fails reaches the client as an error of its own protocol.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any, TypeVar

import anyio
import anyio.to_thread
import httpx

from ..exchange import Reply, ReplyStream, Upstream
from .asgi import Attended, Forbidden, TooLong, encoded, send_reply
from .call import Call
from .upstreams import UpstreamServer

LOG = logging.getLogger(__name__)
RETRYABLE = frozenset({408, 429, 500, 502, 503, 504, 529})
"""Statuses after which another upstream is tried."""
LAST_WORDS = 1.0
"""Seconds that a client has to take the end of its stream, where the gateway is shut down."""
T = TypeVar("T")
NOTHING: Callable[[int], None] = lambda _: None  # noqa: E731


async def run(work: Callable[..., T], *arguments: Any, in_thread: anyio.CapacityLimiter | bool) -> T:
    """Conversions take less time than a change of threads does, but for long ones and those that wait for storage."""
    if in_thread:
        limiter = None if in_thread is True else in_thread
        return await anyio.to_thread.run_sync(work, *arguments, limiter=limiter)
    return work(*arguments)


async def first_response(upstream: UpstreamServer, sent: Upstream, *, last: bool) -> httpx.Response | None:
    """The response of an upstream; None where another one is to be tried. Raises httpx.HTTPError if it is the last."""
    try:
        response = await upstream.send(sent.path, sent.headers, sent.body, stream=sent.stream)
    except httpx.ReadTimeout:
        raise  # it may still be at work
    except httpx.TransportError:
        if last:
            raise
        return None
    if response.status_code in RETRYABLE and not last:
        await response.aclose()
        return None
    return response


async def check_status(upstream: UpstreamServer, response: httpx.Response) -> None:
    """Raises Forbidden for a response that no API gives: a redirect, or a status that HTTP does not have."""
    status = response.status_code
    if not (200 <= status < 300 or 400 <= status < 600):
        await close(response)
        raise Forbidden(502, f"The upstream '{upstream.name}' answered {status}; check its base_url.")


def chunks(response: httpx.Response) -> AsyncIterator[bytes]:
    """The body as it comes; a server may compress it, though it was asked not to."""
    return response.aiter_bytes() if "content-encoding" in response.headers else response.aiter_raw()


async def close(response: httpx.Response) -> None:
    """Also where the client went away."""
    with anyio.CancelScope(shield=True):
        await response.aclose()


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


def named(headers: Mapping[str, str], exchange_id: str, name: str) -> dict[str, str]:
    """Headers with an id of the request, where the provider gave none."""
    return {name: f"req_{exchange_id}", **headers}


async def send_stream(
    call: Call, stream: ReplyStream, response: httpx.Response, client: Attended, request_id: str
) -> None:
    """The provider's stream to the client, to its end."""
    call.status = stream.status
    headers = encoded(named(stream.headers, call.id, request_id))
    await client.send({"type": "http.response.start", "status": stream.status, "headers": headers})
    client.ping = stream.ping
    try:
        async for chunk in chunks(response):
            out = stream.feed(chunk)
            call.keep("upstream_response", chunk)
            if out:
                if call.first_byte is None:
                    call.first_byte = call.seconds()
                call.keep("response", out)
                await client.send({"type": "http.response.body", "body": out, "more_body": True})
            if stream.error is not None:
                break
    except httpx.ReadTimeout:
        call.error = "The provider's stream has stalled."
    except (httpx.HTTPError, httpx.StreamError) as error:
        call.error = f"The provider's stream broke off ({type(error).__name__})."
    except anyio.get_cancelled_exc_class():
        call.error = "The response took too long." if client.late else "The gateway was shut down."
        if not client.gone:
            with anyio.move_on_after(LAST_WORDS, shield=True):
                await finish(call, stream, client)
        raise
    finally:
        if not response.is_closed:  # one that was read to its end has been closed
            await close(response)
    await finish(call, stream, client)


async def finish(call: Call, stream: ReplyStream, client: Attended) -> None:
    """The end of a stream; a provider that closes late does no harm to one that is complete."""
    out = stream.end()
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
    await send_reply(client.send, reply.status, named(reply.headers, call.id, request_id), reply.body)
