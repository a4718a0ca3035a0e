"""Providers as servers: each checks what it gets as the vendor's own does, and responds by a script.

A script is a list of words, one for each request: those of `tests.clients.provider`, and besides

401, 429, …  an error with this status; 429 has `retry-after: 7`
soon         429, with `retry-after-ms: 10`
short        the first event of the text, and no more
silent       the head of a stream, then silence
echo         the error 401, with the key in its message
stall        the first event of the text, then silence
slow         the text, with a pause between its pieces
cut          the first events of the text, then the connection is closed
page         a page of text with status 502, as of a proxy in front
endless      text without an end, as fast as it is read; for streams only

Without a script, every response is the text.
"""

from __future__ import annotations

import json
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import anyio
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

import proxai_ir

from ..clients.provider import ANTHROPIC, CHAT, CUTS, GEMINI, INTERACTIONS, RESPONSES, reply
from ..servers.official import official_refusals
from ..waiting import until

Json = Any
KEY = "sk-upstream-secret"
"""The API key that every upstream wants."""
KEY_HEADERS = {
    ANTHROPIC: ("x-api-key", KEY),
    CHAT: ("authorization", f"Bearer {KEY}"),
    RESPONSES: ("authorization", f"Bearer {KEY}"),
    GEMINI: ("x-goog-api-key", KEY),
    INTERACTIONS: ("x-goog-api-key", KEY),
}
PATHS = {
    ANTHROPIC: "/v1/messages",
    CHAT: "/v1/chat/completions",
    RESPONSES: "/v1/responses",
    GEMINI: "/v1beta/models/{rest:path}",
    INTERACTIONS: "/v1beta/interactions",
}
ENVELOPES: dict[str, Json] = {
    ANTHROPIC: {"type": "error", "error": {"type": "{kind}", "message": "{message}"}},
    CHAT: {"error": {"message": "{message}", "type": "{kind}", "param": None, "code": None}},
    RESPONSES: {"error": {"message": "{message}", "type": "{kind}", "param": None, "code": None}},
    GEMINI: {"error": {"code": 0, "message": "{message}", "status": "{kind}"}},
    INTERACTIONS: {"error": {"code": "{kind}", "message": "{message}"}},
}
KINDS = {401: "authentication_error", 404: "not_found_error", 429: "rate_limit_error", 529: "overloaded_error"}
GEMINI_KINDS = {401: "UNAUTHENTICATED", 404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE"}


REFUSES = "refuses "
"""In a script, before the name of a parameter."""


class Seen(NamedTuple):
    """A request that an upstream got."""

    path: str
    headers: dict[str, str]
    body: Json


class Upstream:
    """An ASGI application. `seen`: what it got; `refused`: what was wrong with it, by the server's own rules;
    `cancelled`: how many responses their reader did not wait for."""

    def __init__(self, protocol: str, *script: str) -> None:
        self.protocol = protocol
        self.script = [*script]
        self.seen: list[Seen] = []
        self.refused: list[str] = []
        self.cancelled = 0
        self.running = 0
        self.sent = 0
        self._app = Starlette(
            routes=[
                Route(PATHS[protocol], self._respond, methods=["POST"]),
                Route("/v1/models", self._models),
                Route("/v1/messages/count_tokens", self._count, methods=["POST"]),
                Route("/v1/responses/input_tokens", self._count, methods=["POST"]),
                Route("/v1/embeddings", self._other, methods=["POST"]),
                Route("/v1/files/{name}", self._other, methods=["GET", "DELETE"]),
            ]
        )

    def begin(self, *script: str) -> None:
        """As new, with another script: one that several tests share."""
        self.script[:] = script
        self.seen.clear()
        self.refused.clear()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self._app(scope, receive, send)

    async def _respond(self, request: Request) -> Response:
        body = await request.json()
        headers = dict(request.headers)
        self.seen.append(Seen(request.url.path, headers, body))
        if request.url.path.endswith(":countTokens"):
            return JSONResponse({"totalTokens": 11})
        name, value = KEY_HEADERS[self.protocol]
        if headers.get(name) != value:
            return self._error(401, "no such key")
        found = official_refusals(self.protocol, body, headers)
        if found:
            self.refused += found
            return self._error(400, "; ".join(found))
        streamed = bool(body.get("stream")) or ":streamGenerateContent" in request.url.path
        word = self.script.pop(0) if self.script else "text"
        if word.isdigit():
            return self._error(int(word), "as the script wants it")
        if word.startswith(REFUSES):
            return self._error(400, f"Unsupported parameter: '{word.removeprefix(REFUSES)}' is not supported here.")
        if word == "soon":
            return Response(b"{}", 429, {"retry-after-ms": "10"}, "application/json")
        if word == "echo":
            return self._error(401, f"Incorrect API key provided: {headers[name].removeprefix('Bearer ')}.")
        if word == "page":
            return PlainTextResponse("<html>Bad Gateway</html>", 502)
        made = reply(self.protocol, "text" if word in ODD else word, streamed, len(self.seen))
        headers = {"x-request-id": "up_1", "request-id": "up_1"}
        if made.type != "text/event-stream":
            if word == "stall":
                await anyio.sleep(60)
            return Response(b"".join(made.chunks), made.status, headers, made.type)
        return StreamingResponse(self._paced(word, made.chunks), made.status, headers, made.type)

    async def _paced(self, word: str, chunks: list[bytes]) -> AsyncIterator[bytes]:
        self.running += 1
        try:
            async for chunk in pieces(word, chunks, CUTS[self.protocol]):
                self.sent += len(chunk)
                yield chunk
        except BaseException:
            self.cancelled += 1
            raise
        finally:
            self.running -= 1

    def _error(self, status: int, message: str) -> Response:
        kinds = GEMINI_KINDS if self.protocol == GEMINI else KINDS
        text = json.dumps(ENVELOPES[self.protocol]).replace("{message}", message.replace('"', "'"))
        text = text.replace("{kind}", kinds.get(status, "invalid_request_error")).replace(
            '"code": 0', f'"code": {status}'
        )
        return Response(text, status, {"retry-after": "7"} if status == 429 else {}, "application/json")

    async def _models(self, _: Request) -> Response:
        one = {"id": "up-model", "object": "model", "created": 1_700_000_000, "owned_by": "vendor"}
        if self.protocol == ANTHROPIC:
            one = {"type": "model", "id": "up-model", "display_name": "Up", "created_at": "2026-01-02T03:04:05Z"}
            return JSONResponse({"data": [one], "has_more": False, "first_id": "up-model", "last_id": "up-model"})
        return JSONResponse({"object": "list", "data": [one]})

    async def _other(self, request: Request) -> Response:
        body = await request.body()
        self.seen.append(Seen(str(request.url), dict(request.headers), body.decode()))
        if request.url.path.endswith("echo"):
            return PlainTextResponse(f"no such key: {request.headers['authorization']}", 401)
        return Response(b"as it is", headers={"content-type": "text/x", "set-cookie": "a=b", "x-request-id": "up_1"})

    async def _count(self, request: Request) -> Response:
        self.seen.append(Seen(request.url.path, dict(request.headers), await request.json()))
        return JSONResponse({"input_tokens": 11})


PAUSE = 0.1
ODD = ("stall", "slow", "cut", "endless", "silent", "short")


async def pieces(word: str, chunks: list[bytes], whole: int) -> AsyncIterator[bytes]:
    """`whole`: how many events come where the rest does not."""
    if word not in ODD:
        for chunk in chunks:
            yield chunk
        return
    events = [event + b"\n\n" for event in b"".join(chunks).split(b"\n\n") if event]
    if word == "short":
        yield events[0]
        return
    if word == "slow":
        for event in events:
            yield event
            await anyio.sleep(PAUSE)
        return
    if word == "endless":
        middle = next(at for at, event in enumerate(events) if b'"It' in event)
        for event in events[: middle + 1]:
            yield event
        while True:
            yield events[middle] * 100
            await anyio.sleep(0)
    for event in () if word == "silent" else events[:whole]:
        yield event
    if word in ("stall", "silent"):
        await anyio.sleep(60)
    raise ConnectionResetError  # the server closes the connection without an end of the body


class Server(uvicorn.Server):
    """It sees that it shall end at once, and not only ten times a second."""

    async def main_loop(self) -> None:
        while not await self.on_tick(0):
            await anyio.sleep(0.005)


@contextmanager
def running(app: Any, **settings: Any) -> Iterator[str]:
    """The base URL of an application that a real server runs in a thread, on a free port."""
    with server(app, **settings) as (url, _):
        yield url


@contextmanager
def server(app: Any, **settings: Any) -> Iterator[tuple[str, uvicorn.Server]]:
    made = Server(uvicorn.Config(app, port=0, log_level="critical", **{"timeout_graceful_shutdown": 0.1, **settings}))
    thread = threading.Thread(target=made.run, daemon=True)
    thread.start()
    until(lambda: made.started, over=lambda: not thread.is_alive(), pause=0.002)
    port = made.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}", made
    finally:
        made.should_exit = True
        thread.join(10)


PROTOCOLS = proxai_ir.protocols()
