"""Strangers behind a real nginx on this machine: whatever it passes on or leaves out, they get nothing.

Needs an nginx of the system; without it these tests are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("uvicorn", reason='the gateway needs the extra "serve"')
pytest.importorskip("sqlalchemy", reason='the gateway needs the extra "serve"')

import httpx

from proxai_ir.serve.access import can_tell

from ..clients.provider import CHAT, TEXT
from .nginx import has_a_user_of_its_own, nginx
from .strangers import KEYS, PAGES, REFUSED, Stranger, behind, statuses
from .support import OPERATOR, asked, path_of
from .visiting import CLIENT_KEY, TOKEN, cookie_of

BARE = "proxy_pass http://127.0.0.1:{behind};"
KEPT = "proxy_pass http://kept; proxy_http_version 1.1; proxy_set_header Connection '';"
SHOWN: dict[str, str] = {
    "bare": BARE,
    "bare, to localhost": "proxy_pass http://localhost:{behind};",
    "an upstream block": "proxy_pass http://behind;",
    "as manuals have it": f"{BARE} proxy_set_header Host $host; proxy_set_header X-Real-IP $remote_addr;"
    " proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; proxy_set_header X-Forwarded-Proto $scheme;",
    "the scheme alone": f"{BARE} proxy_http_version 1.1; proxy_set_header X-Forwarded-Proto $scheme;",
    "the client's host": f"{BARE} proxy_set_header Host $http_host;",
    "an upstream block, connections kept": KEPT,
    "the client's host without its port, connections kept": f"{KEPT} proxy_set_header Host $host;",
}
HIDDEN: dict[str, str] = {
    "HTTP/1.1": f"{BARE} proxy_http_version 1.1;",
    "as from nginx 1.29.7 on": f"{BARE} proxy_http_version 1.1; proxy_set_header Connection '';",
    "connections kept, the gateway's name": f"{KEPT} proxy_set_header Host 127.0.0.1:{{behind}};",
    "connections kept, the client's host": f"{KEPT} proxy_set_header Host $http_host;",
}
"""Where the bytes may be those of a client of this machine: only whose the connection is tells them apart."""
WAYS = {**SHOWN, **HIDDEN}
every_way = pytest.mark.parametrize("way", WAYS)


def proxy(folder: Path, port: int) -> AbstractContextManager[dict[str, str]]:
    return nginx(folder, port, WAYS)


@pytest.fixture(scope="module")
def keyless(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stranger]:
    with behind(proxy, tmp_path_factory.mktemp("keyless")) as found:
        yield found


@pytest.fixture(scope="module")
def keyed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stranger]:
    with behind(proxy, tmp_path_factory.mktemp("keyed"), access=KEYS) as found:
        yield found


def told_apart(way: str) -> None:
    if way in HIDDEN and not (can_tell() and has_a_user_of_its_own()):
        pytest.skip("nothing tells this nginx from a client: its connections are this user's own, or nobody can tell")


@every_way
def test_without_keys(keyless: Stranger, way: str) -> None:
    keyless.upstream.begin()
    everything = statuses(keyless, way)
    pages = {path: found for path, found in everything.items() if path in PAGES}
    assert all(found <= REFUSED for found in pages.values()), pages
    told_apart(way)
    assert all(found <= REFUSED for found in everything.values()), everything
    assert keyless.upstream.seen == []


@every_way
def test_with_keys(keyed: Stranger, way: str) -> None:
    keyed.upstream.begin()
    everything = statuses(keyed, way)
    assert all(found == {401} for found in everything.values()), everything
    assert keyed.upstream.seen == []
    with httpx.Client(base_url=keyed.urls[way], headers={"host": "gateway.example"}) as http:
        key = {"authorization": f"Bearer {CLIENT_KEY}"}
        found = http.post(path_of(CHAT), json=asked(CHAT), headers=key)
        assert TEXT in found.text
        assert http.get("/metrics", headers=key).status_code == 401
        assert http.get("/ui", headers=key).status_code == 401
        first = http.get("/ui", params={"token": TOKEN})
        assert http.get("/ui", headers={"cookie": cookie_of(first.headers["set-cookie"])}).status_code == 200


@pytest.mark.parametrize("tables", [{}, {"access": KEYS}], ids=["without keys", "with keys"])
def test_strangers_leave_no_trace_in_the_log(tables: dict[str, Any], tmp_path: Path) -> None:
    """Their requests would take the places of the operator's own."""
    with behind(proxy, tmp_path, **tables) as stranger:
        statuses(stranger, "bare")
        stranger.storage._writer.close(20)
        assert [one.id for one in stranger.storage.exchanges()] == ["a1"]


def test_the_machine_itself_needs_no_key(keyless: Stranger) -> None:
    for name in ("127.0.0.1", "localhost"):
        with httpx.Client(base_url=f"http://{name}:{keyless.port}") as http:
            assert TEXT in http.post(path_of(CHAT), json=asked(CHAT)).text
            assert http.get("/metrics").status_code == 401
            assert http.get("/metrics", headers=OPERATOR).status_code == 200
            assert http.get("/ui", headers=OPERATOR).status_code == 200
