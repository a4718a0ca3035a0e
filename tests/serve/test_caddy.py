"""Strangers behind a real Caddy on this machine, with its defaults and as a CDN's headers reach it: they get nothing.

Needs a Caddy of the system; without it these tests are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

pytest.importorskip("uvicorn", reason='the gateway needs the extra "serve"')
pytest.importorskip("sqlalchemy", reason='the gateway needs the extra "serve"')

import httpx

from ..clients.provider import CHAT, TEXT
from .caddy import caddy
from .strangers import KEYS, PAGES, REFUSED, Stranger, behind, statuses
from .support import asked, path_of
from .visiting import CLIENT_KEY

BEHIND = "127.0.0.1:{behind}"
WAYS = {
    "bare": f"reverse_proxy {BEHIND}",
    "to localhost": "reverse_proxy localhost:{behind}",
    "the gateway's name": f"reverse_proxy {BEHIND} {{\n header_up Host {{upstream_hostport}}\n}}",
    "whoever the client says it is": f"reverse_proxy {BEHIND} {{\n trusted_proxies private_ranges\n}}",
    "the name of the host alone": f"reverse_proxy {BEHIND} {{\n header_up -X-Forwarded-For\n"
    " header_up -X-Forwarded-Proto\n}",
    "a CDN before it": f"reverse_proxy {BEHIND} {{\n header_up CF-Connecting-IP 203.0.113.7\n"
    ' header_up CDN-Loop cloudflare\n header_up CF-Visitor "{\\"scheme\\":\\"https\\"}"\n'
    " header_up -X-Forwarded-For\n header_up -X-Forwarded-Proto\n header_up -X-Forwarded-Host\n}",
    "a CDN's and the gateway's name": f"reverse_proxy {BEHIND} {{\n header_up Via 1.1 edge.example\n"
    " header_up X-Forwarded-For 127.0.0.1\n header_up Host {upstream_hostport}\n}",
}
every_way = pytest.mark.parametrize("way", WAYS)


def proxy(folder: Path, port: int) -> AbstractContextManager[dict[str, str]]:
    return caddy(folder, {name: one.replace("{behind}", str(port)) for name, one in WAYS.items()})


@pytest.fixture(scope="module")
def keyless(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stranger]:
    with behind(proxy, tmp_path_factory.mktemp("keyless")) as found:
        yield found


@pytest.fixture(scope="module")
def keyed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stranger]:
    with behind(proxy, tmp_path_factory.mktemp("keyed"), access=KEYS) as found:
        yield found


@every_way
def test_without_keys(keyless: Stranger, way: str) -> None:
    keyless.upstream.begin()
    everything = statuses(keyless, way)
    assert all(found <= REFUSED for found in everything.values()), everything
    assert keyless.upstream.seen == []


@every_way
def test_with_keys(keyed: Stranger, way: str) -> None:
    keyed.upstream.begin()
    everything = statuses(keyed, way)
    assert all(found == {401} for found in everything.values()), everything
    assert keyed.upstream.seen == []
    with httpx.Client(base_url=keyed.urls[way], headers={"authorization": f"Bearer {CLIENT_KEY}"}) as http:
        assert TEXT in http.post(path_of(CHAT), json=asked(CHAT)).text
        assert {http.get(path).status_code for path in PAGES} == {401}
        assert http.get("/health").status_code == 200
