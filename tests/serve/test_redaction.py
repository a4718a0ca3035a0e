"""The law of keys: whatever an upstream sends, the key that it got is in no byte to the client, no log and no metric.

Over protocols of providers, of clients, statuses, whole and streamed, and however a stream is cut.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

pytest.importorskip("uvicorn", reason='the gateway needs the extra "serve"')
pytest.importorskip("pydantic", reason='the gateway needs the extra "serve"')

import anyio
import httpx

import proxai_ir
from proxai_ir.ir.error import Error, ErrorCategory
from proxai_ir.protocol.registry import framing_of
from proxai_ir.serve.access import access_of
from proxai_ir.serve.app import app
from proxai_ir.serve.keys import Redaction

from ..clients.provider import ANTHROPIC, CHAT
from .support import OPERATOR, asked, configured, path_of
from .test_endpoints import Kept
from .upstreams import KEY
from .visiting import TOKEN

Json = Any
PROVIDERS = proxai_ir.protocols()
SAID = f"The key Bearer {KEY} was revoked, {KEY}."


class Bytes(httpx.AsyncByteStream):
    def __init__(self, data: bytes, size: int) -> None:
        self._data, self._size = data, size

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for at in range(0, len(self._data), self._size):
            yield self._data[at : at + self._size]


def error_of(provider: str) -> Json:
    return proxai_ir.raise_to(Error(None, ErrorCategory.AUTHENTICATION, SAID), provider)


def stream_of(provider: str) -> bytes:
    """A text, and the error that the stream fails with."""
    made = proxai_ir.StreamConverter(CHAT, provider)
    delta = {"role": "assistant", "content": "Hi"}
    events = made.feed({"id": "c", "model": "m", "choices": [{"index": 0, "delta": delta}]})
    events += made.feed({"error": {"message": SAID, "type": "server_error", "param": None, "code": None}})
    framing = framing_of(provider)
    return b"".join(framing.encode(event, provider) for event in events)


def answered(
    monkeypatch: pytest.MonkeyPatch,
    provider: str,
    client: str,
    status: int,
    data: bytes,
    kind: str,
    size: int,
    streamed: bool,
) -> tuple[bytes, Kept, str]:
    """What the client got of a provider that sends these bytes in pieces of a size, what was kept, and the metrics."""
    storage = Kept()
    config = configured(monkeypatch, (provider, "http://up"), log={"payloads": True})

    def send(_: httpx.Request) -> httpx.Response:
        return httpx.Response(status, headers={"content-type": kind}, stream=Bytes(data, size))

    made = app(config, storage, access=access_of(config, TOKEN), transport=lambda _: httpx.MockTransport(send))
    found: list[Any] = []

    async def work() -> None:
        transport = httpx.ASGITransport(made, client=("127.0.0.1", 1))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
            headers = {"anthropic-version": "2023-06-01"} if client == ANTHROPIC else {}
            response = await http.post(path_of(client, streamed), json=asked(client, streamed), headers=headers)
            metrics = await http.get("/metrics", headers=OPERATOR)
            found.extend((response.content + str(response.headers).encode(), metrics.text))

    anyio.run(work)
    return found[0], storage, found[1]


def check(found: tuple[bytes, Kept, str]) -> None:
    body, storage, metrics = found
    assert KEY.encode() not in body
    assert KEY not in metrics
    assert len(storage.records) == 1
    record = storage.records[0]
    assert KEY not in repr(record)
    assert KEY.encode() not in (record.upstream_response or b"") + (record.response or b"")


@pytest.mark.parametrize("status", [200, 401, 500])
@pytest.mark.parametrize("client", [CHAT, ANTHROPIC])
@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_body_of_an_error(provider: str, client: str, status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    data = json.dumps(error_of(provider)).encode()
    found = answered(monkeypatch, provider, client, status, data, "application/json", 10, False)
    check(found)
    assert b"the gateway's key" in found[0]


@pytest.mark.parametrize("status", [200, 401, 500])
@pytest.mark.parametrize("size", [1, 7, 100_000])
@pytest.mark.parametrize("client", [CHAT, ANTHROPIC])
@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_stream(provider: str, client: str, size: int, status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    if status == 200:
        data, kind = stream_of(provider), framing_of(provider).content_type
    else:
        data, kind = json.dumps(error_of(provider)).encode(), "application/json"
    check(answered(monkeypatch, provider, client, status, data, kind, size, True))


@pytest.mark.parametrize("client", [CHAT, ANTHROPIC])
def test_a_body_that_is_no_json_or_is_cut_off(client: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for status in (200, 502):
        for streamed in (False, True):
            for data in (f"<html>{SAID}</html>", f'{{"error": {{"message": "{SAID}', f"data: {{{SAID}"):
                check(answered(monkeypatch, CHAT, client, status, data.encode(), "text/html", 9, streamed))


def test_pieces() -> None:
    """All that is no key arrives, and each piece as soon as it can be none."""
    made = Redaction([("secret/key-of-ours", b"[key]")])
    assert made.feed(b"a secret") == b"a "
    assert made.feed(b"/key-of-theirs,") == b"secret/key-of-theirs,"
    assert made.feed(b"and secret/key-of-") == b"and "
    assert made.feed(b"ours, s") == b"[key], "
    assert made.end() == b"s"
    assert made.end() == b""
    assert made.redact(b'{"a": "secret\\/key-of-ours"}') == b'{"a": "[key]"}'


def test_headers_lists_and_other_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    """All else that comes from an upstream: a law over what a client can ask for."""
    config = configured(
        monkeypatch,
        (CHAT, "http://up"),
        settings={"passthrough": True},
        routes=[{"models": ["*"], "upstream": "u0"}],
        log={"payloads": True},
    )
    models = json.dumps({"data": [{"id": f"model-{KEY}"}]}).encode()
    headers = {"content-type": f"text/{KEY}", "retry-after": KEY, "x-request-id": f"of {KEY}", "openai-version": KEY}
    asks = [
        ("GET", "/v1/models"),
        ("GET", f"/v1/files/{'f' * 8}"),
        ("POST", path_of(CHAT)),
        ("POST", "/v1/responses/input_tokens"),
    ]
    for status in (200, 404, 429, 500):
        storage = Kept()

        def send(_: httpx.Request, status: int = status) -> httpx.Response:
            return httpx.Response(status, headers=headers, stream=Bytes(models, 3))

        made = app(config, storage, access=access_of(config, TOKEN), transport=lambda _: httpx.MockTransport(send))

        async def work(made: Any = made) -> list[httpx.Response]:
            async with httpx.AsyncClient(transport=httpx.ASGITransport(made), base_url="http://127.0.0.1") as http:
                return [await http.request(method, path, json=asked(CHAT)) for method, path in asks]

        found = anyio.run(work)
        assert [KEY in one.text + str(one.headers) for one in found] == [False] * 4
        assert KEY not in repr(storage.records)
        assert all(KEY.encode() not in (one.response or b"") for one in storage.records)


def test_the_first_byte_of_a_secret_may_stand_before_it_too() -> None:
    redaction = Redaction([("sk-1", b"***")])
    assert redaction.feed(b"ss") + redaction.feed(b"k-1") + redaction.end() == b"s***"
