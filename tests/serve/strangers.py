"""A stranger in front of a proxy on the gateway's machine, who asks for pages, metrics and the API under every name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest

from proxai_ir.serve.ui.routes import routes
from proxai_ir.storage import Storage

from ..clients.provider import ANTHROPIC, CHAT, GEMINI, RESPONSES
from .recorded import recorded
from .support import HEADERS, asked, configured, path_of, serving
from .upstreams import Upstream, running
from .visiting import CLIENT_KEY

REFUSED = {401, 403, 421}
PAGES = ("/ui", "/ui/", "/ui/exchanges/a1", "/ui/convert", "/ui/style.css", "/metrics")
CLIENTS = (CHAT, RESPONSES, ANTHROPIC, GEMINI)
KEYS = {"keys_env": ["CLIENT_KEY"]}

Proxy = Callable[[Path, int], AbstractContextManager[dict[str, str]]]
"""Of a folder and the gateway's port: the base URL of each way in which the proxy is in front of it."""


class Stranger(NamedTuple):
    """`urls`: where each way of the proxy is; `port`: of the gateway."""

    urls: dict[str, str]
    port: int
    upstream: Upstream
    storage: Storage

    def hosts(self) -> list[dict[str, str]]:
        """The names under which strangers may ask: the public one, and those that the gateway takes for its own."""
        names = ("gateway.example", f"127.0.0.1:{self.port}", f"localhost:{self.port}", "127.0.0.1")
        return [{"host": name} for name in names]


@contextmanager
def behind(proxy: Proxy, folder: Path, **tables: Any) -> Iterator[Stranger]:
    upstream, storage = Upstream(CHAT), Storage(str(folder / "kept.db"))
    storage.record(recorded("a1", ANTHROPIC, CHAT))
    with pytest.MonkeyPatch.context() as monkeypatch, running(upstream) as url:
        monkeypatch.setenv("CLIENT_KEY", CLIENT_KEY)
        config = configured(monkeypatch, (CHAT, url), **tables)
        with serving(config, storage, pages=routes) as (gateway, _):
            port = httpx.URL(gateway).port or 0
            with proxy(folder, port) as urls:
                yield Stranger(urls, port, upstream, storage)


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
