"""Requests and responses as ASGI has them: bounded bodies within one memory budget, replies, and mounting."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

import anyio

# --- asgi -------------------------------------------------------------------------------------------------------------
# Requests and responses as ASGI has them: bounded bodies, replies in one piece, and what ends a request early.
#
# Responses are sent without the response classes of Starlette, which cost more than a conversion does.


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
    """Return a body that comes in time: within so many seconds, and a second more for every SLOWEST bytes of it. `take`
    is told how many bytes come, and may raise. Raises Forbidden for a body that is too long, too slow or compressed,
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


# --- mounted ----------------------------------------------------------------------------------------------------------
# The gateway's application inside another one, under a path: endpoints see the rest of the path, as at a root.
#
# Pages go on to see the whole one, for their links.


class Mounted:
    """A middleware. What stands before a path is `root_path`, as ASGI has it."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        root, path = scope.get("root_path", ""), scope.get("path", "")
        if root and path.startswith(f"{root}/"):
            scope = {**scope, "path": path[len(root) :]}
        await self._app(scope, receive, send)


# --- budget -----------------------------------------------------------------------------------------------------------
# Memory for the bodies of requests and responses: one budget of the gateway, of which each request has a share.
#
# Rule: what is held of all bodies together is bounded; a request for which there is no more is refused, and what it
# had
# is free for others.


class Budget:
    def __init__(self, most: int) -> None:
        self._most = most
        self.used = 0

    def share(self) -> Share:
        return Share(self)

    def take(self, size: int) -> None:
        """Raise Forbidden where there is not so much."""
        if self.used + size > self._most:
            raise Forbidden(503, f"The gateway holds {self._most} bytes of other requests, its limit; try again later.")
        self.used += size


class Share:
    """What one request takes of the budget, until it is given back."""

    def __init__(self, budget: Budget) -> None:
        self._budget, self._size = budget, 0

    def take(self, size: int) -> None:
        """Raise Forbidden."""
        self._budget.take(size)
        self._size += size

    def give_back(self) -> None:
        self._budget.used -= self._size
        self._size = 0


# --- redaction --------------------------------------------------------------------------------------------------------
# What stands in place of the keys that an upstream repeats, whatever its status is and however its bytes are cut.
#
# Rule: what comes from an upstream is redacted before anything else sees it, so that no client, log, span or metric
# does.


NOTHING = b""


class Redaction:
    """Bytes without secrets. Bytes that may be the beginning of one are held back until more has come, or the end."""

    __slots__ = ("_held", "_shown")

    def __init__(self, secrets: Iterable[tuple[str, bytes]]) -> None:
        """`secrets`, each with what is shown for it."""
        found: dict[bytes, bytes] = {}
        for secret, shown in secrets:
            plain = secret.encode("latin-1")
            for one in (plain, plain.replace(b"/", b"\\/")):  # as some servers write JSON
                found.setdefault(one, shown)
        self._shown = [*found.items()]
        self._held = NOTHING

    def whole(self, data: bytes) -> bytes:
        for secret, shown in self._shown:
            if secret in data:
                data = data.replace(secret, shown)
        return data

    def feed(self, chunk: bytes) -> bytes:
        data = self.whole(self._held + chunk if self._held else chunk)
        size = max((_begun(data, secret) for secret, _ in self._shown), default=0)
        if not size:
            self._held = NOTHING
            return data
        self._held = data[-size:]
        return data[:-size]

    def end(self) -> bytes:
        held, self._held = self._held, NOTHING
        return held


def _begun(data: bytes, secret: bytes) -> int:
    """How many of the last bytes are the beginning of a secret."""
    at = data.find(secret[:1], max(0, len(data) - len(secret) + 1))
    while at >= 0:
        if secret.startswith(data[at:]):
            return len(data) - at
        at = data.find(secret[:1], at + 1)
    return 0
