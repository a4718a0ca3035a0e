"""Requests for a WebSocket: served where the protocol has one (`Http.socket`), else refused.

Rule 1: each request on a socket is a call of the endpoint that serves the same over HTTP, with its access, limits, log
and metrics; its stream is sent event by event. Rule 2: requests of one lane run one after the other. Rule 3: an event
that is not served, or a message that is no event, gets an error, and the socket stays open; when the client goes away,
its calls end. Rule 4: nothing is sent faster than the client reads, and what a socket keeps is dropped at its end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import anyio
import anyio.abc
import orjson
from attrs import frozen

from ..api import lower
from ..conversion.bytes import dumped, parsed
from ..exchange import Memory, Reply
from ..exchange.memory import Passing, first_reference
from ..exchange.messages import JSON_TYPE
from ..framing import Decoder
from ..protocol.http import Asked, Socket
from ..reporting.diagnostics import InvalidPayload
from . import forward
from .asgi import Attended, Forbidden, Message, Receive, Scope, Send, Share, headers_of, send_reply
from .endpoints import PASSING, Converted, unknown_model
from .gateway import Call, Gateway

# --- requests for one -------------------------------------------------------------------------------------------------

UPGRADE_REQUIRED = 426
NO_WEBSOCKETS = "There are no WebSockets here; expected a POST over HTTP."
DENIAL = "websocket.http.response"
"""The ASGI extension with which an HTTP response refuses a WebSocket."""
CLOSING = "proxai_ir.closing"
"""The ASGI extension with an event that is set when the server is to end."""


@frozen
class Upgrades:
    """A middleware for requests for a WebSocket; those that are refused are neither counted nor logged.

    Some clients try a WebSocket first; the status 426 makes them use HTTP at once, where others make them try again.
    """

    _app: Any
    _gateway: Gateway
    _serves: Callable[[str, Mapping[str, str]], str | None]  # by path and headers, the protocol that has a path
    _sockets: Mapping[str, Sockets]  # those that are served, by path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket" and (socket := self._sockets.get(scope["path"])):
            await socket(scope, receive, send)
            return
        client = self._serves(scope["path"], headers_of(scope)) if _asks(scope) else None
        if client is None:
            await self._app(scope, receive, send)
            return
        reply = self._gateway.own(client, headers_of(scope)).refusal(NO_WEBSOCKETS, status=UPGRADE_REQUIRED)
        if scope["type"] == "http":
            more = {**reply.headers, "upgrade": "HTTP/1.1", "connection": "close"}  # the next bytes are no request
            await send_reply(send, reply.status, more, reply.body)
            return
        await receive()  # the client's `websocket.connect`
        await deny(scope, send, reply)


def _asks(scope: Scope) -> bool:
    """Return whether a request is for a WebSocket; a server that does not know them passes a GET on."""
    if scope["type"] != "http":
        return bool(scope["type"] == "websocket")
    return scope["method"] == "GET" and any(
        name == b"upgrade" and value.lower() == b"websocket" for name, value in scope["headers"]
    )


async def deny(scope: Scope, send: Send, reply: Reply) -> None:
    """Refuse a WebSocket by a response, if the server can send one."""
    if DENIAL in (scope.get("extensions") or {}):
        await send_reply(send, reply.status, reply.headers, reply.body, DENIAL)
    else:
        await send({"type": "websocket.close", "code": 1000})


# --- sockets ----------------------------------------------------------------------------------------------------------

MOST_WAITING = 64
"""Requests of one socket that run or wait for others; more are refused."""
OF_HANDSHAKE = (b"connection", b"upgrade", b"content-length", b"transfer-encoding", b"sec-websocket-")
"""The beginnings of the names of headers that belong to the handshake alone."""
ENDED, RESTARTS = 1000, 1012


class Sockets:
    """Accepts the WebSockets of a protocol."""

    def __init__(self, gateway: Gateway, client: str, socket: Socket) -> None:
        self.gateway, self.client, self.socket = gateway, client, socket
        self.calls = {True: Converted(gateway, client), False: Prepared(gateway, client, socket)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await receive()  # the client's `websocket.connect`
        headers = headers_of(scope)
        call = Call(self.client, scope["path"], headers, None, query=scope.get("query_string", b"").decode("latin-1"))
        try:
            self.calls[True].admit(call, scope)
        except Forbidden as error:
            call.status = error.status
            self.gateway.metrics.ended(call)
            await deny(scope, send, self.refusal(headers, str(error), error.status))
            return
        await send({"type": "websocket.accept"})
        passing = Passing(self.gateway.passing, call.id)
        try:
            await Session(self, scope, receive, send, passing).run()
        finally:
            passing.forget()

    def refusal(self, headers: Mapping[str, str], text: str, status: int) -> Reply:
        return self.gateway.own(self.client, headers).refusal(text, status=status)


class Prepared(Converted):
    """Requests that generate nothing: no upstream is asked, and later requests continue what they keep."""

    def __init__(self, gateway: Gateway, client: str, socket: Socket) -> None:
        super().__init__(gateway, client)
        self._socket = socket

    async def respond(self, call: Call, client: Attended) -> None:
        source = self.source_of(call)
        call.model = self.model_of(call, source)
        if not self.gateway.routes.candidates(call.model):
            raise unknown_model(call.model)
        check, large = partial(lower, kind="request"), self.gateway.in_thread(len(call.body))
        await forward.run(check, source, self.client, in_thread=large)
        memory = self.recollection(call)
        slow = self.gateway.waits_for_storage and first_reference(memory.references, source) is not None
        whole, kept = await forward.run(memory.recall, source, in_thread=slow)
        if missing := first_reference(memory.references, whole):
            status, refusal = memory.references.missing(*missing)
            call.error = "It refers to what is not kept."
            reply = Reply(status=status, headers=JSON_TYPE, body=dumped(refusal))
        else:
            events = self._socket.prepared(source, call.id, int(call.started))
            if kept is not None:
                await forward.run(memory.keep, events[-1]["response"], kept, in_thread=False)
            framing = self.http.framing
            body = b"".join(framing.encode(event, self.client) for event in events)
            reply = Reply(status=200, headers={"content-type": framing.content_type}, body=body)
        await forward.send_whole(call, reply, client, self.request_id)


class Session:
    """One socket, from its acceptance to its end. `gone`: set when the client went away."""

    def __init__(self, of: Sockets, scope: Scope, receive: Receive, send: Send, passing: Memory) -> None:
        self._of, self._socket = of, of.socket
        self._receive, self._send = receive, send
        extensions = scope.get("extensions") or {}
        self._closing: Any = extensions.get(CLOSING) or anyio.Event()
        self._scope = {
            **scope,
            "type": "http",
            "method": "POST",
            "headers": [one for one in scope["headers"] if not self._is_of_handshake(*one)],
            "extensions": {**extensions, PASSING: passing},
        }
        self._lanes: dict[str | None, anyio.Lock] = {}
        self._at_once = anyio.Semaphore(self._socket.at_once, fast_acquire=True)
        self._running = 0
        self._idle = anyio.Event()
        self.gone = anyio.Event()
        self._late: Callable[[str | None], Any] | None = None  # returns the event for requests that come at the end

    def _is_of_handshake(self, name: bytes, value: bytes) -> bool:
        begins = self._socket.headers.get(name.decode("latin-1"))
        return name.startswith(OF_HANDSHAKE) or (begins is not None and value.startswith(begins.encode()))

    async def run(self) -> None:
        """Serve the socket until the client goes away, or it is closed in time."""
        async with anyio.create_task_group() as timing:
            timing.start_soon(self._close_in_time)
            async with anyio.create_task_group() as calls:
                while (message := await self._receive())["type"] != "websocket.disconnect":
                    if (answer := self._begun(message, calls)) is not None:
                        await self.send(answer)
                self.gone.set()
            timing.cancel_scope.cancel()

    async def _close_in_time(self) -> None:
        """Close the socket when it has lasted long enough, or the server is to end, and what runs has ended."""
        seconds = self._of.gateway.config.timeouts.socket
        with anyio.move_on_after(seconds) as scope:
            await self._closing.wait()
        expired = scope.cancelled_caught
        if expired:
            self._late = lambda lane: self._socket.expired(seconds, lane)
        else:
            self._late = lambda lane: self.error("The gateway is shut down.", 503, lane)
        if self._running:
            await self._idle.wait()
        if expired:
            await self.send(self._late(None))
        await self._sent({"type": "websocket.close", "code": ENDED if expired else RESTARTS})

    def _begun(self, message: Message, calls: anyio.abc.TaskGroup) -> Any:
        """Begin the request of a message, and return None; return the event that answers any other message."""
        text = message.get("text")
        if text is None:
            return self.error("A message is binary; expected the JSON of an event as text.", 400)
        data = text.encode()
        try:
            asked = self._socket.read(parsed(data))
        except InvalidPayload as error:
            return self.error(str(error), 400)
        if not isinstance(asked, Asked):
            return asked
        if (refusal := self._refusal(asked)) is not None:
            return refusal
        share = self._of.gateway.budget.share()
        try:
            share.take(len(data))
        except Forbidden as error:
            return self.error(str(error), error.status, asked.lane)
        self._running += 1
        calls.start_soon(self._run, asked, self._lanes.setdefault(asked.lane, anyio.Lock(fast_acquire=True)), share)
        return None

    def _refusal(self, asked: Asked) -> Any:
        """Return the event that refuses a request, or None if it may begin."""
        lane = asked.lane
        if self._late is not None:
            return self._late(lane)
        if self._running == MOST_WAITING:
            return self.error(f"{MOST_WAITING} requests run or wait on this connection, the most.", 429, lane)
        named = self._lanes.keys() - {None}
        if lane is not None and lane not in named and len(named) == self._socket.lanes:
            return self._socket.crowded(lane)
        return None

    async def _run(self, asked: Asked, lane: anyio.Lock, share: Share) -> None:
        try:
            async with lane, self._at_once:
                share.give_back()
                if not self.gone.is_set():
                    await SocketCall(self, self._socket, asked, self._of.calls[asked.generates]).run(self._scope)
        finally:
            share.give_back()
            self._running -= 1
            if self._late is not None and not self._running:
                self._idle.set()

    def error(self, text: str, status: int, lane: str | None = None) -> Any:
        reply = self._of.refusal(headers_of(self._scope), text, status)
        return self._socket.error(reply.status, orjson.loads(reply.body), {}, lane)

    async def send(self, event: Any) -> None:
        await self._sent({"type": "websocket.send", "text": dumped(event).decode()})

    async def _sent(self, message: Message) -> None:
        if self.gone.is_set():
            return
        try:
            await self._send(message)
        except OSError:  # the client went away, by ASGI's specification
            self.gone.set()


class SocketCall:
    """A request on a socket, as its endpoint sees it over HTTP."""

    def __init__(self, session: Session, socket: Socket, asked: Asked, endpoint: Converted) -> None:
        self._session, self._socket, self._lane, self._endpoint = session, socket, asked.lane, endpoint
        self._frames = socket.frames(asked.lane)
        self._body: bytes | None = dumped(asked.request)
        self._status, self._headers = 0, dict[str, str]()
        self._decoder: Decoder | None = None  # of the stream; None: the response is an error
        self._pieces: list[bytes] = []
        self._ended = False

    async def run(self, scope: Scope) -> None:
        await self._endpoint(scope, self._receive, self._send)
        if not self._ended:  # over HTTP the connection would end
            await self._session.send(self._session.error("The response broke off.", 500, self._lane))

    async def _receive(self) -> Message:
        if self._body is not None:
            body, self._body = self._body, None
            return {"type": "http.request", "body": body}
        await self._session.gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
            self._headers = headers_of(message)
            if self._status < 400:
                self._decoder = self._endpoint.http.framing.decoder()
            return
        body, self._ended = message.get("body", b""), not message.get("more_body", False)
        for event in self._events(body):
            await self._session.send(event)

    def _events(self, body: bytes) -> Iterator[Any]:
        """Yield the events for a part of the response's body."""
        if self._decoder is None:
            self._pieces.append(body)
            if self._ended:
                shown = {name: value for name, value in self._headers.items() if not name.startswith("content-")}
                failure = parsed(b"".join(self._pieces), "error")
                yield self._socket.error(self._status, failure, shown, self._lane)
            return
        for event in [*self._decoder.feed(body), *(self._decoder.close() if self._ended else ())]:
            yield from self._frames.feed(event)
        if self._ended:
            yield from self._frames.close()
