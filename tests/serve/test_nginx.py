"""Strangers behind a real nginx on this machine: whatever it passes on or leaves out, they get nothing.

Needs an nginx of the system; without it these tests are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

pytest.importorskip("uvicorn", reason='the gateway needs the extra "serve"')
pytest.importorskip("sqlalchemy", reason='the gateway needs the extra "serve"')

import httpx

from proxai_ir.serve.peers import can_tell
from proxai_ir.serve.ui.routes import routes
from proxai_ir.storage import Storage

from ..clients.provider import ANTHROPIC, CHAT, GEMINI, RESPONSES, TEXT
from .nginx import has_a_user_of_its_own, nginx
from .recorded import recorded
from .support import HEADERS, OPERATOR, asked, configured, path_of, serving
from .upstreams import Upstream, running
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
REFUSED = {401, 403, 421}
PAGES = ("/ui", "/ui/", "/ui/exchanges/a1", "/ui/convert", "/ui/style.css", "/metrics")
CLIENTS = (CHAT, RESPONSES, ANTHROPIC, GEMINI)


class Stranger(NamedTuple):
    """`urls`: where each way of nginx is; `port`: of the gateway."""

    urls: dict[str, str]
    port: int
    upstream: Upstream
    storage: Storage

    def hosts(self) -> list[dict[str, str]]:
        """The names under which strangers may ask: the public one, and those that the gateway takes for its own."""
        names = ("gateway.example", f"127.0.0.1:{self.port}", f"localhost:{self.port}", "127.0.0.1")
        return [{"host": name} for name in names]


@contextmanager
def behind(folder: Path, **tables: Any) -> Iterator[Stranger]:
    upstream, storage = Upstream(CHAT), Storage(str(folder / "kept.db"))
    storage.record(recorded("a1", ANTHROPIC, CHAT))
    with pytest.MonkeyPatch.context() as monkeypatch, running(upstream) as url:
        monkeypatch.setenv("CLIENT_KEY", CLIENT_KEY)
        config = configured(monkeypatch, (CHAT, url), **tables)
        with serving(config, storage, pages=routes) as (gateway, _):
            port = httpx.URL(gateway).port or 0
            with nginx(folder, port, WAYS) as urls:
                yield Stranger(urls, port, upstream, storage)


KEYS = {"keys_env": ["CLIENT_KEY"]}


@pytest.fixture(scope="module")
def keyless(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stranger]:
    with behind(tmp_path_factory.mktemp("keyless")) as found:
        yield found


@pytest.fixture(scope="module")
def keyed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stranger]:
    with behind(tmp_path_factory.mktemp("keyed"), access=KEYS) as found:
        yield found


def statuses(stranger: Stranger, way: str, key: str | None = None) -> dict[str, set[int]]:
    """What a stranger gets who tries pages, metrics and the API, under every name."""
    found: dict[str, set[int]] = {}
    with httpx.Client(base_url=stranger.urls[way]) as http:
        for host in stranger.hosts():
            for path in PAGES:
                tries = [http.get(path, headers=host), http.get(path, headers=host, params={"token": "guessed"})]
                found.setdefault(path, set()).update(one.status_code for one in tries)
            for client in CLIENTS:
                for streamed in (False, True):
                    headers = {**HEADERS.get(client, {}), **host, "authorization": "Bearer any"}
                    path = path_of(client, streamed)
                    one = http.post(path, json=asked(client, streamed), headers=headers)
                    found.setdefault(path, set()).add(one.status_code)
            for method, path in (("GET", "/v1/models"), ("GET", "/v1/responses/a1"), ("DELETE", "/v1/responses/a1")):
                found.setdefault(path, set()).add(http.request(method, path, headers=host).status_code)
    return found


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
    with behind(tmp_path, **tables) as stranger:
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
