"""Requests and responses as ASGI has them: bounded bodies, replies in one piece, and what ends a request early.

Responses are sent without the response classes of Starlette, which cost more than a conversion does.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import anyio

SLOWEST = 64 * 1024
"""Bytes of a body that have to come in a second, once it has had its time."""
SOON = 10
"""Into how many parts the time between two pings is divided where one is due and cannot be sent."""
Scope = Mapping[str, Any]
Message = Mapping[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]


def headers_of(scope: Scope) -> dict[str, str]:
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}


def encoded(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.encode("latin-1"), value.encode("latin-1", "replace")) for name, value in headers.items()]


async def body_of(
    receive: Receive, headers: Mapping[str, str], most: int, seconds: float, take: Callable[[int], None]
) -> bytes:
    """A body that comes in time: within so many seconds, and a second more for every SLOWEST bytes of it. `take` is
    told how many bytes come, and may raise. Raises Forbidden for a body that is too long, too slow or compressed,
    Disconnected where its end does not come."""
    length = headers.get("content-length", "0")
    if headers.get("content-encoding", "identity") != "identity":
        raise Forbidden(415, "The body is compressed; expected one that is not (no `content-encoding`).")
    if length.isdecimal() and int(length) > most:
        raise too_long(most)
    pieces: list[bytes] = []
    size, more = 0, True
    with anyio.move_on_after(seconds) as scope:
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise Disconnected
            piece, more = message.get("body", b""), message.get("more_body", False)
            size += len(piece)
            if size > most:
                raise too_long(most)
            take(len(piece))
            pieces.append(piece)
            if more:
                scope.deadline += len(piece) / SLOWEST
    if scope.cancelled_caught:
        raise Forbidden(400, f"The body did not come in time: {size} bytes in {seconds + size / SLOWEST:.0f} s.")
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def too_long(most: int) -> Forbidden:
    return Forbidden(413, f"The body is longer than {most} bytes.")


async def send_reply(send: Send, status: int, headers: Mapping[str, str], body: bytes) -> None:
    start = encoded({**headers, "content-length": str(len(body))})
    await send({"type": "http.response.start", "status": status, "headers": start})
    await send({"type": "http.response.body", "body": body})


class Attended:
    """A client's connection while its response is made: what it is sent, and whether it is still there.

    begun  whether its response has begun
    gone   whether it went away before its response was sent
    ping   makes what keeps the connection open while the provider is silent; None while nothing may be sent
    """

    def __init__(self, receive: Receive, send: Send, keep_alive: float, longest: float) -> None:
        self.gone = False
        self._longest, self._until = longest, 0.0
        self.begun = False
        self._ended = False
        self.ping: Callable[[], bytes] | None = None
        self._receive, self._send, self._keep_alive = receive, send, keep_alive
        self._lock = anyio.Lock(fast_acquire=True)
        self._last = anyio.current_time()  # when the last part of a body was sent

    async def send(self, message: Message) -> None:
        """Waits until the client takes more, so that no more is read of the provider than the client reads."""
        self.begun = True
        self._ended = message["type"] == "http.response.body" and not message.get("more_body")
        async with self._lock:
            await self._send(message)
        if message["type"] == "http.response.body":
            self._last = anyio.current_time()

    async def during(self, work: Callable[[], Awaitable[None]]) -> None:
        """Run the work to its end, or until the client goes away or the time is over, which cancels it; the work must
        not raise."""
        async with anyio.create_task_group() as group:
            group.start_soon(self._watch, group.cancel_scope)
            group.cancel_scope.deadline = self._until = anyio.current_time() + self._longest
            await work()
            group.cancel_scope.cancel()

    @property
    def late(self) -> bool:
        """Whether its time is over: of a work that is cancelled, whether that is why."""
        return anyio.current_time() >= self._until

    async def _watch(self, scope: anyio.CancelScope) -> None:
        due = self._last + self._keep_alive
        while True:
            with anyio.CancelScope(deadline=due):
                while (await self._receive())["type"] != "http.disconnect":
                    pass
                if not self._ended:
                    self.gone = True
                    scope.cancel()
                return
            now, due = anyio.current_time(), self._last + self._keep_alive
            if due > now:
                continue
            if self.ping is None or self._lock.locked():  # nothing may be sent yet: look again soon
                due = now + self._keep_alive / SOON
                continue
            async with self._lock:
                if ping := self.ping():
                    await self._send({"type": "http.response.body", "body": ping, "more_body": True})
            self._last = anyio.current_time()
            due = self._last + self._keep_alive


class Forbidden(Exception):
    """The gateway refuses a request: `status`, and the reason as text."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class Disconnected(Exception):
    """The client went away before it had sent its request."""


class TooLong(Exception):
    """A whole response that is longer than the configuration allows."""
