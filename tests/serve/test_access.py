"""What is taken for local where a gateway has no client keys, and whose connections are."""

from __future__ import annotations

import ctypes
import json
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

pytest.importorskip("uvicorn", reason='the gateway needs the extra "serve"')
pytest.importorskip("pydantic", reason='the gateway needs the extra "serve"')

import httpx

from proxai_ir.serve import access
from proxai_ir.serve.access import Access, foreign
from proxai_ir.serve.asgi import Forbidden

from ..cases import each
from ..clients.provider import CHAT, TEXT
from .support import asked, path_of, sockets
from .upstreams import Upstream

OF_PROXIES = """
    Forwarded Via Max-Forwards X-Forwarded-For X-Forwarded-Host X-Forwarded-Proto X-Forwarded-Port X-Forwarded-Server
    X-Forwarded-Prefix X-Forwarded-Client-Cert X-Original-Forwarded-For X-Vercel-Forwarded-For X-Real-IP X-Client-IP
    X-ClientIP Client-IP X-Cluster-Client-IP X-Remote-IP X-Remote-Addr X-Original-Host X-Original-URI X-Original-URL
    True-Client-IP CF-Connecting-IP CF-Connecting-IPv6 CF-Ray CF-Visitor CF-IPCountry CDN-Loop Fastly-Client-IP
    Fastly-FF Fly-Client-IP Fly-Request-Id DO-Connecting-IP X-Envoy-External-Address X-Envoy-Attempt-Count X-Amz-Cf-Id
    X-Amzn-Trace-Id X-AppEngine-User-IP X-Azure-ClientIP X-Azure-FDID X-ARR-Log-ID X-Akamai-Config-Log-Detail
    Akamai-Origin-Hop X-NF-Client-Connection-IP Ngrok-Trace-Id Tailscale-User-Login X-Scheme X-URL-Scheme
    Front-End-Https X-Request-Start X-Varnish Surrogate-Capability WL-Proxy-Client-IP X-ProxyUser-IP X-Traefik-Id
""".split()
OF_CLIENTS = """
    Accept Accept-Encoding Accept-Language Accept-Charset Anthropic-Beta Anthropic-Dangerous-Direct-Browser-Access
    Anthropic-Version Api-Key Authorization Cache-Control Chatgpt-Account-Id Connection Content-Length Content-Type
    Cookie Conversation_id Helicone-Auth HTTP-Referer Idempotency-Key OpenAI-Beta OpenAI-Organization OpenAI-Project
    Originator Pragma Priority Referer Sec-Fetch-Dest Sec-Fetch-Mode Sec-Fetch-Site Session_id TE Traceparent Tracestate
    Transfer-Encoding User-Agent Version X-Api-Key X-App X-Client-Request-Id X-Codex-Turn-State X-Goog-Api-Client
    X-Goog-Api-Key X-Goog-User-Project X-Proxai-Strict X-Request-Id X-Stainless-Arch X-Stainless-Async
    X-Stainless-Helper-Method X-Stainless-Lang X-Stainless-Os X-Stainless-Package-Version X-Stainless-Read-Timeout
    X-Stainless-Retry-Count X-Stainless-Runtime X-Stainless-Runtime-Version X-Stainless-Timeout X-Title
""".split()
HERE = ("host", "127.0.0.1:4000")
OF_CLIENT = {"authorization": "Bearer a-key-of-some-client"}


def scope(*headers: tuple[str, str], **more: Any) -> dict[str, Any]:
    return {
        "type": "http",
        "http_version": "1.1",
        "client": ("127.0.0.1", 50_000),
        "server": ("127.0.0.1", 4000),
        "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in headers or (HERE,)],
        **more,
    }


@each("name", OF_PROXIES)
def test_headers_of_proxies(name: str) -> None:
    for value in ("", "127.0.0.1", "localhost"):
        assert foreign(scope(HERE, (name, value))) == f"`{name.lower()}` is a header that proxies add"


@each("name", OF_CLIENTS)
def test_headers_of_clients(name: str) -> None:
    assert foreign(scope(HERE, (name, "any"))) == ""


@pytest.mark.parametrize(
    "headers",
    [
        [],
        [("accept", "*/*")],
        [("host", "")],
        [("host", "evil.example:4000")],
        [("host", "127.0.0.1:4001")],
        [("host", "127.0.0.1")],
        [("host", "localhost:")],
        [("host", "localhost:99999")],
        [("host", "http://127.0.0.1:4000")],
        [("host", "evil.example@127.0.0.1:4000")],
        [("host", "127.0.0.1:4000, evil.example")],
        [HERE, HERE],
        [HERE, ("host", "evil.example")],
        [HERE, ("origin", "https://evil.example")],
        [HERE, ("origin", "null")],
        [HERE, ("origin", "127.0.0.1:4000")],
        [HERE, ("origin", "http://localhost@evil.example")],
    ],
)
def test_names_that_are_not_of_this_machine(headers: list[tuple[str, str]]) -> None:
    made = scope(HERE)
    made["headers"] = scope(*headers)["headers"] if headers else []
    with pytest.raises(Forbidden) as raised:
        Access().owner("any", made)
    assert raised.value.status == 403
    assert "evil" not in str(raised.value)


@pytest.mark.parametrize(
    "headers",
    [[("host", "LocalHost:4000")], [("host", "[::1]:4000")], [HERE, ("origin", "http://localhost:3000")]],
)
def test_names_of_this_machine(headers: list[tuple[str, str]]) -> None:
    assert Access().owner(None, scope(*headers)) == ""


@pytest.mark.parametrize(
    "more",
    [
        {"client": ("10.0.0.1", 1)},
        {"client": None},
        {"http_version": "1.0"},
        {"extensions": {access.OTHERS: {}}},
        {"server": ("127.0.0.1", 80)},
        {"server": None},
    ],
)
def test_connections_that_are_not_local(more: Any) -> None:
    assert foreign(scope(**more))
    keys = Access(["a-key-of-some-client"])
    assert keys.owner("a-key-of-some-client", scope(**more)), "whoever has a key may come from anywhere"


def test_port_80() -> None:
    assert foreign(scope(("host", "localhost"), server=("127.0.0.1", 80))) == ""
    assert foreign(scope(("host", "localhost:80"), server=("127.0.0.1", 80))) == ""


# --- whose a connection is --------------------------------------------------------------------------------------------

needs_linux = pytest.mark.skipif(not access.can_tell(), reason="this system does not tell whose connections are")
needs_root = pytest.mark.skipif(sys.platform == "win32" or os.getuid() != 0, reason="only root can be somebody else")
NOBODY = 65534


@contextmanager
def somebody_else() -> Iterator[None]:
    """What this thread opens meanwhile is another user's."""
    system = ctypes.CDLL(None)
    system.setfsuid(NOBODY)
    try:
        yield
    finally:
        system.setfsuid(os.getuid())


@pytest.fixture(params=["127.0.0.1", "::1"])
def ends(request: pytest.FixtureRequest) -> Iterator[tuple[socket.socket, socket.socket]]:
    """Both ends of a connection: the client's, and the one that was accepted."""
    family = socket.AF_INET6 if ":" in request.param else socket.AF_INET
    try:
        listening = socket.create_server((request.param, 0), family=family)
    except OSError:
        pytest.skip(f"this machine has no {request.param}")
    with listening, socket.create_connection(listening.getsockname()[:2]) as client:
        accepted, _ = listening.accept()
        with accepted:
            yield client, accepted


@needs_linux
def test_connections_of_this_user(ends: tuple[socket.socket, socket.socket]) -> None:
    client, accepted = ends
    addresses = accepted.getpeername()[:2], accepted.getsockname()[:2]
    found = access.user_and_inode(*addresses)
    assert found is not None
    assert found == (os.getuid(), os.fstat(client.fileno()).st_ino)
    assert not access.is_of_others(*addresses)
    client.close()
    assert access.is_of_others(*addresses), "who has gone cannot be asked for"


@needs_linux
@needs_root
def test_root_counts_as_this_user(ends: tuple[socket.socket, socket.socket], monkeypatch: pytest.MonkeyPatch) -> None:
    _, accepted = ends
    addresses = accepted.getpeername()[:2], accepted.getsockname()[:2]
    monkeypatch.setattr(os, "getuid", lambda: 1000)
    assert not access.is_of_others(*addresses), "root can do what this user can"
    monkeypatch.setattr(access, "ROOT", -1)
    assert access.is_of_others(*addresses)


def test_where_it_cannot_be_told(ends: tuple[socket.socket, socket.socket], monkeypatch: pytest.MonkeyPatch) -> None:
    _, accepted = ends
    assert not access.is_of_others(("no address", 1), ("127.0.0.1", 2))
    monkeypatch.setattr(access, "SOCK_DIAG", 31)  # no such family
    assert not access.is_of_others(accepted.getpeername()[:2], accepted.getsockname()[:2])
    assert not access.can_tell()


@needs_linux
@needs_root
@pytest.mark.parametrize("keys", [True, False])
def test_another_user_of_this_machine(keys: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """What another user sends is not the operator's, though all of its bytes might be."""
    monkeypatch.setenv("CLIENT_KEY", "a-key-of-some-client")
    upstream = Upstream(CHAT)
    with sockets(monkeypatch, upstream, access={"keys_env": ["CLIENT_KEY"] if keys else []}) as url:
        body = json.dumps(asked(CHAT)).encode()
        head = f"POST {path_of(CHAT)} HTTP/1.1\r\nhost: {url.partition('//')[2]}\r\ncontent-length: {len(body)}\r\n\r\n"
        with somebody_else():
            client = socket.create_connection(("127.0.0.1", httpx.URL(url).port or 0), timeout=20)
        with client:
            client.sendall(head.encode() + body)
            found = client.recv(65536)
            while not found.endswith(b"}") and (more := client.recv(65536)):
                found += more
        assert TEXT in httpx.post(url + path_of(CHAT), json=asked(CHAT), headers=OF_CLIENT).text
    assert found.startswith(b"HTTP/1.1 401 " if keys else b"HTTP/1.1 403 "), found
    assert keys or b"another user's" in found
    assert len(upstream.seen) == 1
