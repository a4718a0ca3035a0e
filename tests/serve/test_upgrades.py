"""Requests for a WebSocket that are refused: 426 in the words of the path's protocol, and none in log or metrics."""

from __future__ import annotations

import json
import socket
from typing import Any
from urllib.parse import urlsplit

import pytest

pytest.importorskip("uvicorn", reason='the gateway needs the extra "serve"')
pytest.importorskip("pydantic", reason='the gateway needs the extra "serve"')

import httpx

import proxai_ir

from ..clients.provider import ANTHROPIC, CHAT, RESPONSES
from .support import listening
from .test_endpoints import Kept
from .upstreams import Upstream
from .visiting import TOKEN

PATHS = {
    "/v1/responses": RESPONSES,
    "/responses": RESPONSES,
    "/v1/chat/completions": CHAT,
    "/v1/messages": ANTHROPIC,
    "/v1beta/models/m:generateContent": "gemini_generate_content",
    "/model/m/converse": "bedrock_converse",
    "/api/chat": "ollama_chat",
    "/v2/chat": "cohere_v2_chat",
}
KEY = "sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
ASKS = f"upgrade: websocket\r\nconnection: Upgrade\r\n{KEY}"


def raw(url: str, path: str, headers: str, method: str = "GET") -> tuple[int, dict[str, str], bytes]:
    """The response to bytes that no HTTP client would send; the connection is closed after it."""
    at = urlsplit(url)
    with socket.create_connection((at.hostname or "", at.port or 0), timeout=10) as made:
        made.sendall(f"{method} {path} HTTP/1.1\r\nhost: {at.netloc}\r\n{headers}\r\n".encode())
        found = b""
        while piece := made.recv(65536):
            found += piece
    head, _, body = found.partition(b"\r\n\r\n")
    status, *lines = head.decode().split("\r\n")
    return int(status.split()[1]), dict(line.lower().split(": ", 1) for line in lines), body


@pytest.mark.parametrize("ws", ["none", "auto", "websockets-sansio"])
def test_every_served_path_asks_for_http(monkeypatch: pytest.MonkeyPatch, ws: str) -> None:
    """`none` is how `serve` runs without the package; the others, with the sockets of Responses, how a server does in
    which the gateway is mounted."""
    if ws != "none":
        pytest.importorskip("websockets")
    storage = Kept()
    with listening(monkeypatch, Upstream(CHAT), storage=storage, settings={"ws": ws}) as (url, _):
        for path, protocol in PATHS.items():
            if ws != "none" and protocol == RESPONSES:
                continue
            status, headers, body = raw(url, path, ASKS)
            assert (status, headers.get("connection", "close")) == (426, "close"), path
            node = proxai_ir.lower(json.loads(body), protocol, kind="error", status=status)
            assert "WebSocket" in node.message
            if ws == "none":
                assert headers["upgrade"] == "http/1.1"
        metrics = httpx.get(f"{url}/metrics", headers={"authorization": f"Bearer {TOKEN}"})
    assert metrics.status_code == 200
    assert [one for one in metrics.text.splitlines() if one.startswith("proxai_requests_total{")] == []
    assert storage.records == []


def test_other_paths_and_other_upgrades(monkeypatch: pytest.MonkeyPatch) -> None:
    """A path that nobody asks at is none, and a client that offers HTTP/2 is served as any other."""
    with listening(monkeypatch, Upstream(CHAT)) as (url, _):
        assert raw(url, "/v1/nothing", ASKS + "connection: close\r\n")[0] == 404
        h2c = "upgrade: h2c\r\nhttp2-settings: AAMAAABk\r\nconnection: Upgrade, HTTP2-Settings, close\r\n"
        assert raw(url, "/health", h2c)[0] == 200


def test_a_mounted_gateway_without_the_extension(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that cannot deny a WebSocket by a response closes it."""
    import anyio

    from proxai_ir.serve.app import app

    from .support import configured

    sent: list[Any] = []

    async def run() -> None:
        async def receive() -> Any:
            return {"type": "websocket.connect"}

        async def send(message: Any) -> None:
            sent.append(message)

        made = app(configured(monkeypatch, (CHAT, "http://127.0.0.1:1")))
        await made({"type": "websocket", "path": "/v1/chat/completions", "headers": [], "root_path": ""}, receive, send)

    anyio.run(run)
    assert sent == [{"type": "websocket.close", "code": 1000}]
