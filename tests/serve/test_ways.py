"""The gateway as a way to a conversion: of unsound payloads it sends and replies what an Exchange does, in HTTP."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import anyio
import orjson
import pytest

pytest.importorskip("pydantic", reason='the gateway needs the extra "serve"')

import httpx
from starlette.requests import Request
from starlette.responses import Response

import proxai_ir
from proxai_ir import Seals, TranslationError
from proxai_ir.exchange import Exchange, InMemory
from proxai_ir.exchange.provider import http_of

from ..clients.provider import CHAT
from ..fuzz.mutating import Mutator, sources
from ..fuzz.ways import PATHS
from ..samples import PROTOCOLS
from .support import over_asgi

HELLO = {"model": "m", "max_tokens": 99, "messages": [{"role": "user", "content": "Hi"}]}
TIMES = {"created", "created_at", "completed_at"}
JSON = {"content-type": "application/json"}
MANY = 60
"""How many requests, and how many responses, of each protocol."""


class Scripted:
    """An upstream that replies with given bytes, and keeps the body of the last request."""

    def __init__(self, protocol: str) -> None:
        self.protocol = protocol
        self.replies: tuple[int, bytes] = (200, b"{}")
        self.got: bytes | None = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.got = await Request(scope, receive).body()
        status, body = self.replies
        await Response(body, status, media_type="application/json")(scope, receive, send)


def unsound(protocol: str, kind: str) -> list[tuple[Random, bytes]]:
    """Return payloads that bytes can hold, each with the generator of random numbers that goes on from it."""
    found: list[tuple[Random, bytes]] = []
    mutator = Mutator(sources(None))
    number = 0
    while len(found) < MANY:
        rng = Random(f"{protocol} {kind} {number}")
        number += 1
        source = mutator.payload(rng)
        if (source.protocol, source.kind) == (protocol, kind):
            try:
                data = orjson.dumps(source.payload)
            except (TypeError, ValueError):
                continue
            found.append((rng, data))
    return found


def posted(gateway: httpx.AsyncClient, client: str, data: bytes) -> httpx.Response:
    path = PATHS.get(client) or http_of(client).path or ""

    async def post() -> httpx.Response:
        headers = {"content-type": "application/json", "anthropic-version": "2023-06-01"}
        return await gateway.post(path, content=data, headers=headers)

    return anyio.run(post)


@pytest.mark.parametrize("client", PROTOCOLS)
def test_requests(client: str, monkeypatch: pytest.MonkeyPatch) -> None:
    providers = [one for one in PROTOCOLS if one != client]
    upstreams = {provider: Scripted(provider) for provider in providers}
    gateways = {provider: over_asgi(monkeypatch, upstream) for provider, upstream in upstreams.items()}
    path = PATHS.get(client, "")
    for rng, data in unsound(client, "request"):
        provider = rng.choice(providers)
        upstream = upstreams[provider]
        upstream.got = None
        reply = posted(gateways[provider], client, data)
        try:
            sent = Exchange(client, provider, model="big", seals=Seals(), memory=InMemory()).request(data, path=path)
        except TranslationError as error:
            assert upstream.got is None, f"{error}: {data[:500]!r}"
            assert 400 <= reply.status_code < 500, f"{error}: {data[:500]!r}"
        else:
            assert upstream.got == (sent.body if path or names_model(data) else None), data[:500]
            assert upstream.got is not None or 400 <= reply.status_code < 500


def names_model(data: bytes) -> bool:
    """Return whether a request says for which model it is: the gateway finds the upstream by that."""
    name = orjson.loads(data).get("model")
    return isinstance(name, str) and name != ""


@pytest.mark.parametrize("provider", PROTOCOLS)
def test_responses(provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    clients = [one for one in PROTOCOLS if one != provider]
    upstream = Scripted(provider)
    gateway = over_asgi(monkeypatch, upstream)
    for rng, data in unsound(provider, "response") + unsound(provider, "error"):
        client, upstream.replies = rng.choice(clients), (rng.choice((200, 200, 400, 500)), data)
        request = orjson.dumps(HELLO if client == CHAT else proxai_ir.convert(HELLO, CHAT, client))
        exchange = Exchange(client, provider, model="big", seals=Seals(), now=0, response_id="r")
        exchange.request(request, path=PATHS.get(client, ""))
        expected = exchange.response(upstream.replies[0], JSON, data)
        reply = posted(gateway, client, request)
        assert reply.status_code == expected.status, data[:500]
        assert shape(reply.json()) == shape(json.loads(expected.body)), data[:500]


def shape(body: Any) -> Any:
    """Return a body without its texts, of which some are ids and seals of a call, and without the times of a call."""
    if isinstance(body, dict):
        return {name: shape(one) for name, one in body.items() if name not in TIMES}
    return [shape(one) for one in body] if isinstance(body, list) else "" if isinstance(body, str) else body
