"""A gateway in front of scripted upstreams, without sockets or with them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Protocol

import httpx
import uvicorn

import proxai_ir
from proxai_ir.serve.access import Access, access_of
from proxai_ir.serve.app import app
from proxai_ir.serve.config import Config, from_mapping
from proxai_ir.serve.server import settings as settings_of

from ..clients.provider import ANTHROPIC, CHAT, GEMINI, INTERACTIONS, RESPONSES
from .upstreams import KEY, Upstream, running, server
from .visiting import TOKEN

Json = Any
TOOL = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": False}
REQUESTS: dict[str, Json] = {
    CHAT: {"model": "m", "messages": [{"role": "user", "content": "hi"}]},
    RESPONSES: {"model": "m", "input": "hi"},
    ANTHROPIC: {"model": "m", "max_tokens": 999, "messages": [{"role": "user", "content": "hi"}]},
    GEMINI: {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]},
    INTERACTIONS: {"model": "m", "input": "hi"},
}
PATHS = {
    CHAT: "/v1/chat/completions",
    RESPONSES: "/v1/responses",
    ANTHROPIC: "/v1/messages",
    INTERACTIONS: "/v1beta/interactions",
}
OPERATOR = {"authorization": f"Bearer {TOKEN}"}
HEADERS = {ANTHROPIC: {"anthropic-version": "2023-06-01"}}


def path_of(client: str, streamed: bool = False, model: str = "m") -> str:
    method = "streamGenerateContent?alt=sse" if streamed else "generateContent"
    return PATHS.get(client) or f"/v1beta/models/{model}:{method}"


def asked(client: str, streamed: bool = False, **more: Json) -> Json:
    return {**REQUESTS[client], **({"stream": True} if streamed and client != GEMINI else {}), **more}


def configured(
    monkeypatch: Any, *upstreams: tuple[str, str], settings: dict[str, Any] | None = None, **tables: Any
) -> Config:
    """Upstreams by protocol and URL, in the order in which they are tried; they are called u0, u1, … `settings`: more
    of each of them."""
    monkeypatch.setenv("UPSTREAM_KEY", KEY)
    found = {
        f"u{number}": {"protocol": protocol, "base_url": url, "key_env": "UPSTREAM_KEY", **(settings or {})}
        for number, (protocol, url) in enumerate(upstreams)
    }
    first, *rest = found
    route = {"models": ["*"], "upstream": first, "model": "big", "fallbacks": rest}
    return from_mapping({"upstreams": found, "routes": [route], **tables})


@contextmanager
def sockets(monkeypatch: Any, *upstreams: Upstream, **tables: Any) -> Iterator[str]:
    """The base URL of a gateway in front of upstreams, each behind a real server."""
    with listening(monkeypatch, *upstreams, **tables) as (url, _):
        yield url


@contextmanager
def listening(
    monkeypatch: Any, *upstreams: Upstream, storage: Any = None, settings: Any = None, **tables: Any
) -> Iterator[tuple[str, uvicorn.Server]]:
    """The same with the gateway's server; `settings` are uvicorn's, `tables` the configuration's."""
    with ExitStack() as stack:
        urls = [(one.protocol, stack.enter_context(running(one))) for one in upstreams]
        yield stack.enter_context(serving(configured(monkeypatch, *urls, **tables), storage, settings))


@contextmanager
def serving(
    config: Config, storage: Any = None, settings: Any = None, pages: Callable[[Any, Access], Any] | None = None
) -> Iterator[tuple[str, uvicorn.Server]]:
    """A gateway as `proxai-ir serve` runs it; `pages` makes those of its storage."""
    access = access_of(config, TOKEN)
    made = app(config, storage, access=access, routes=pages(storage, access) if pages else ())
    usual = {**settings_of(config, access), "timeout_graceful_shutdown": 5}
    with server(made, **{**usual, **(settings or {})}) as found:
        yield found


class Responding(Protocol):
    """An ASGI application in place of the server of a protocol."""

    protocol: str

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None: ...


def over_asgi(monkeypatch: Any, *upstreams: Responding, storage: Any = None, **tables: Any) -> httpx.AsyncClient:
    """A client of a gateway without sockets, where whole responses are enough."""
    named = {f"http://u{number}.invalid": upstream for number, upstream in enumerate(upstreams)}
    config = configured(monkeypatch, *((one.protocol, url) for url, one in named.items()), **tables)
    made = app(
        config,
        storage,
        access=access_of(config, TOKEN),
        transport=lambda table: httpx.ASGITransport(named[table.base_url]),
    )
    return httpx.AsyncClient(transport=httpx.ASGITransport(made), base_url="http://127.0.0.1")


def events(data: bytes) -> list[Json]:
    return list(proxai_ir.sse.decode([data]))
