"""A gateway in front of scripted upstreams, without sockets or with them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import httpx
import uvicorn

import proxai_ir
from proxai_ir.serve.app import app
from proxai_ir.serve.config import Config, from_mapping

from ..clients.provider import ANTHROPIC, CHAT, GEMINI, RESPONSES
from .upstreams import KEY, Upstream, running, server

Json = Any
TOOL = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": False}
REQUESTS: dict[str, Json] = {
    CHAT: {"model": "m", "messages": [{"role": "user", "content": "hi"}]},
    RESPONSES: {"model": "m", "input": "hi"},
    ANTHROPIC: {"model": "m", "max_tokens": 999, "messages": [{"role": "user", "content": "hi"}]},
    GEMINI: {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]},
}
PATHS = {CHAT: "/v1/chat/completions", RESPONSES: "/v1/responses", ANTHROPIC: "/v1/messages"}
HEADERS = {ANTHROPIC: {"anthropic-version": "2023-06-01"}}


def path_of(client: str, streamed: bool = False, model: str = "m") -> str:
    method = "streamGenerateContent?alt=sse" if streamed else "generateContent"
    return PATHS.get(client) or f"/v1beta/models/{model}:{method}"


def asked(client: str, streamed: bool = False, **more: Json) -> Json:
    return {**REQUESTS[client], **({"stream": True} if streamed and client != GEMINI else {}), **more}


def configured(monkeypatch: Any, *upstreams: tuple[str, str], **tables: Any) -> Config:
    """Upstreams by protocol and URL, in the order in which they are tried; they are called u0, u1, …"""
    monkeypatch.setenv("UPSTREAM_KEY", KEY)
    found = {
        f"u{number}": {"protocol": protocol, "base_url": url, "key_env": "UPSTREAM_KEY"}
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
        made = app(configured(monkeypatch, *urls, **tables), storage)
        yield stack.enter_context(server(made, **{"timeout_graceful_shutdown": 5, **(settings or {})}))


def over_asgi(monkeypatch: Any, *upstreams: Upstream, storage: Any = None, **tables: Any) -> httpx.AsyncClient:
    """A client of a gateway without sockets, where whole responses are enough."""
    named = {f"http://u{number}.invalid": upstream for number, upstream in enumerate(upstreams)}
    config = configured(monkeypatch, *((one.protocol, url) for url, one in named.items()), **tables)
    made = app(config, storage, transport=lambda table: httpx.ASGITransport(named[table.base_url]))
    return httpx.AsyncClient(transport=httpx.ASGITransport(made), base_url="http://127.0.0.1")


def events(data: bytes) -> list[Json]:
    return list(proxai_ir.sse.decode([data]))
