"""A scripted provider behind `proxai_ir.httpx`, and each official client on it, as one line of the user's.

A provider is a transport of the HTTP library, for both kinds of clients; it is as strict as its server is.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from importlib import import_module
from typing import Any

import pytest

import proxai_ir

from ..samples.sample import Json
from ..servers.official import official_refusals
from .gateway import KEY
from .provider import ANTHROPIC, CHAT, GEMINI, MODEL, RESPONSES, Reply, reply

SDKS = (CHAT, RESPONSES, ANTHROPIC, GEMINI)
"""The protocols of the three official clients."""
OTHERS = tuple((sdk, provider) for sdk in SDKS for provider in SDKS if sdk != provider)


class Upstream:
    """Responds by a script: a word of `provider`, a Reply, or an exception to raise; one for each request.

    `sent` are the bodies that it got, `asked` the requests, `read` the pieces of the last response that were taken, of
    `pieces` in all, and `closed` how many responses were closed. With `waits` a stream stays open after two pieces.
    """

    def __init__(self, protocol: str, *script: Any, library: str = "httpx2", waits: bool = False) -> None:
        self.protocol = protocol
        self.script = [*script]
        self.library = pytest.importorskip(library)
        self.waits = waits
        self.sent: list[Json] = []
        self.asked: list[Any] = []
        self.read = 0
        self.pieces = 0
        self.closed = 0

    def transport(self) -> Any:
        upstream, library = self, self.library

        class Transport(library.BaseTransport, library.AsyncBaseTransport):  # type: ignore[misc, name-defined, unused-ignore]
            def handle_request(self, request: Any) -> Any:
                request.read()
                return upstream.respond(request)

            async def handle_async_request(self, request: Any) -> Any:
                await request.aread()
                return upstream.respond(request)

        return Transport()

    def respond(self, request: Any) -> Any:
        self.asked.append(request)
        self.sent.append(json.loads(request.content))
        refused = official_refusals(self.protocol, self.sent[-1], {**request.headers})
        assert not refused, refused
        word = self.script.pop(0)
        if isinstance(word, Exception):
            raise word
        streamed = self.sent[-1].get("stream") is True or ":stream" in request.url.path
        came = word if isinstance(word, Reply) else reply(self.protocol, word, streamed, len(self.sent))
        return self.library.Response(
            came.status, headers={"content-type": came.type, **came.headers}, stream=self._body(came.chunks)
        )

    def _body(self, chunks: list[bytes]) -> Any:
        upstream, library = self, self.library
        upstream.read, upstream.pieces = 0, len(chunks)

        class Body(library.SyncByteStream, library.AsyncByteStream):  # type: ignore[misc, name-defined, unused-ignore]
            def __iter__(self) -> Iterator[bytes]:
                for chunk in chunks:
                    upstream.read += 1
                    yield chunk

            async def __aiter__(self) -> AsyncIterator[bytes]:
                for chunk in chunks:
                    if upstream.waits and upstream.read == 2:
                        await import_module("asyncio").Event().wait()
                    upstream.read += 1
                    yield chunk

            def close(self) -> None:
                upstream.closed += 1

            async def aclose(self) -> None:
                upstream.closed += 1

        return Body()

    def http(self, _: Any = None, **more: Any) -> Any:
        """As a Gateway has it, which is given the library."""
        return proxai_ir.httpx.client(self.protocol, model=MODEL, api_key=KEY, transport=self.transport(), **more)

    def async_http(self, _: Any = None, **more: Any) -> Any:
        return proxai_ir.httpx.async_client(self.protocol, model=MODEL, api_key=KEY, transport=self.transport(), **more)


def sdk_of(protocol: str, http: Any, **more: Any) -> Any:
    """The official client of a protocol with an HTTP client, synchronous or not by that."""
    if protocol == GEMINI:
        kinds = {"Client": "httpx_client", "AsyncClient": "httpx_async_client"}
        by = pytest.importorskip("google.genai").Client(api_key="any", http_options={kinds[type(http).__name__]: http})
        return by.aio if type(http).__name__ == "AsyncClient" else by
    vendor, name = ("anthropic", "Anthropic") if protocol == ANTHROPIC else ("openai", "OpenAI")
    kind = ("Async" if type(http).__name__ == "AsyncClient" else "") + name
    return getattr(pytest.importorskip(vendor), kind)(api_key="any", http_client=http, **{"max_retries": 0, **more})
