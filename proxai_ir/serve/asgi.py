"""Requests and responses of ASGI: bounded bodies within one memory budget, and replies."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import anyio

# --- requests and responses -------------------------------------------------------------------------------------------
# Responses are sent without Starlette's response classes, which cost more than a conversion does.

SLOWEST = 64 * 1024
"""The fewest bytes of a body a second, once its time is over."""
SOON = 10
"""How often between two pings a ping that is due, and could not be sent, is tried again."""
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
    """Return the body of a request: it has so many seconds, and one more for every SLOWEST bytes.

    `take` is called with the length of each piece, and may raise. Raises Forbidden for a body that is too long, too
    slow or compressed, and Disconnected for one that breaks off.
    """
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
    return b"".join(pieces)


def too_long(most: int) -> Forbidden:
    return Forbidden(413, f"The body is longer than {most} bytes.")


async def send_reply(
    send: Send, status: int, headers: Mapping[str, str], body: bytes, kind: str = "http.response"
) -> None:
    start = encoded({**headers, "content-length": str(len(body))})
    await send({"type": f"{kind}.start", "status": status, "headers": start})
    await send({"type": f"{kind}.body", "body": body})


class Attended:
    """A client's connection while its response is made.

    started  whether its response has started
    gone     whether the client went away before its response was sent
    ping     returns bytes that keep the connection open while the provider is silent; None while nothing may be sent
    """

    def __init__(self, receive: Receive, send: Send, keep_alive: float, longest: float) -> None:
        self.started = self.gone = self._ended = False
        self._longest, self._until = longest, 0.0
        self.ping: Callable[[], bytes] | None = None
        self._receive, self._send, self._keep_alive = receive, send, keep_alive
        self._sending = False
        self._pinging = anyio.Lock(fast_acquire=True)
        self._last = time.monotonic()  # when the last part of a body was sent; anyio's clock takes longer

    async def send(self, message: Message) -> None:
        """Send a message once the client takes it, so that the provider is read no faster than the client reads."""
        self.started = self._sending = True
        self._ended = message["type"] == "http.response.body" and not message.get("more_body")
        try:
            if self._pinging.locked():
                async with self._pinging:  # wait until the ping is sent
                    pass
            await self._send(message)
        finally:
            self._sending = False
        if message["type"] == "http.response.body":
            self._last = time.monotonic()

    async def during(self, work: Callable[[], Awaitable[None]]) -> None:
        """Run the work, which must not raise, until it ends, the client goes away, or the time is over."""
        async with anyio.create_task_group() as group:
            group.start_soon(self._watch, group.cancel_scope)
            group.cancel_scope.deadline = self._until = anyio.current_time() + self._longest
            await work()
            group.cancel_scope.cancel()

    @property
    def late(self) -> bool:
        """Whether the time is over, which may be why the work was cancelled."""
        return anyio.current_time() >= self._until

    async def _watch(self, scope: anyio.CancelScope) -> None:
        due = self._next_ping()
        while True:
            with anyio.CancelScope(deadline=due):
                while (await self._receive())["type"] != "http.disconnect":
                    pass
                if not self._ended:
                    self.gone = True
                    scope.cancel()
                return
            now, due = anyio.current_time(), self._next_ping()
            if due > now:
                continue
            if self.ping is None or self._sending:  # nothing may be sent yet: look again soon
                due = now + self._keep_alive / SOON
                continue
            async with self._pinging:
                if ping := self.ping():
                    await self._send({"type": "http.response.body", "body": ping, "more_body": True})
            self._last = time.monotonic()
            due = self._next_ping()

    def _next_ping(self) -> float:
        """Return when the next ping is due, if nothing is sent before it."""
        return anyio.current_time() + self._last + self._keep_alive - time.monotonic()


class Forbidden(Exception):
    """The gateway refuses a request, with a status and the reason as text; `after`: for how many seconds."""

    def __init__(self, status: int, reason: str, after: float | None = None) -> None:
        super().__init__(reason)
        self.status, self.after = status, after


class Disconnected(Exception):
    """The client went away before it had sent its whole request."""


class TooLong(Exception):
    """A whole response that is longer than the configuration allows."""


# --- memory -----------------------------------------------------------------------------------------------------------


class Budget:
    """The bytes that all bodies of requests and responses may take together; a request that needs more is refused."""

    def __init__(self, most: int) -> None:
        self.most, self.used = most, 0

    def share(self) -> Share:
        return Share(self)


class Share:
    """The bytes that one request has taken of the budget, until it gives them back."""

    def __init__(self, budget: Budget) -> None:
        self._budget, self._size = budget, 0

    def take(self, size: int) -> None:
        """Take so many bytes more. Raises Forbidden if fewer are left."""
        most = self._budget.most
        if self._budget.used + size > most:
            raise Forbidden(503, f"The gateway holds {most} bytes of other requests, its limit; try again later.")
        self._budget.used += size
        self._size += size

    def give_back(self) -> None:
        self._budget.used -= self._size
        self._size = 0
