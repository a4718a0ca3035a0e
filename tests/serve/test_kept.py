"""The gateway with a real storage: what it keeps, what it never keeps, and what becomes of requests without it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pydantic", reason="the extra `serve` is not installed")
pytest.importorskip("httpx", reason="the extra `serve` is not installed")

import anyio
import httpx

from proxai_ir.serve.access import access_of
from proxai_ir.serve.app import app
from proxai_ir.serve.ui.routes import routes
from proxai_ir.storage import Storage

from ..clients.provider import ANTHROPIC, CHAT, RESPONSES
from .conftest import CLIENT_KEYS
from .pages import Page
from .postgres import Server
from .support import HEADERS, OPERATOR, asked, configured, path_of
from .upstreams import KEY, Upstream
from .visiting import TOKEN

FIRST, SECOND = ({"authorization": f"Bearer {key}"} for key in CLIENT_KEYS.values())
NO_HEADERS: dict[str, str] = {}


class Gateway:
    """Asks one gateway, without sockets."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, storage: Storage, *upstreams: Upstream, **tables: Any) -> None:
        self.storage = storage
        named = {f"http://u{number}.invalid": upstream for number, upstream in enumerate(upstreams)}
        config = configured(monkeypatch, *((one.protocol, url) for url, one in named.items()), **tables)
        access = access_of(config, TOKEN)
        self._app = app(
            config,
            storage,
            access=access,
            transport=lambda table: httpx.ASGITransport(named[table.base_url]),
            routes=routes(storage, access),
        )

    def ask(self, method: str, path: str, body: Any = None, headers: dict[str, str] = NO_HEADERS) -> httpx.Response:
        async def work() -> httpx.Response:
            transport = httpx.ASGITransport(self._app)
            async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
                content = body if isinstance(body, bytes) else None
                given = None if body is None or content is not None else body
                return await http.request(method, path, json=given, content=content, headers=headers)

        return anyio.run(work)

    def post(self, client: str, headers: dict[str, str] = NO_HEADERS, **more: Any) -> httpx.Response:
        return self.ask("POST", path_of(client), asked(client, **more), {**HEADERS.get(client, {}), **headers})


@pytest.fixture
def file(tmp_path: Path) -> str:
    return str(tmp_path / "kept.db")


@pytest.fixture
def storage(file: str) -> Iterator[Storage]:
    made = Storage(file)
    yield made
    made.close()


def test_what_passed_is_on_the_page(monkeypatch: pytest.MonkeyPatch, storage: Storage) -> None:
    gateway = Gateway(monkeypatch, storage, Upstream(ANTHROPIC), log={"payloads": True})
    assert gateway.post(CHAT, seed=1).status_code == 200
    storage._writer.close(20)
    (one,) = storage.exchanges()
    assert (one.client, one.provider, one.upstream, one.status) == (CHAT, ANTHROPIC, "u0", 200)
    listed = Page(gateway.ask("GET", "/ui", headers=OPERATOR).text)
    assert [row.attributes["href"] for row in listed.all("a") if "/exchanges/" in row.attributes["href"]] == [
        f"/ui/exchanges/{one.id}"
    ]
    page = Page(gateway.ask("GET", f"/ui/exchanges/{one.id}", headers=OPERATOR).text)
    assert [mark.text for mark in page.all("mark", class_="loss")] == ['1 "seed": 1'] * 2  # the client's, and the IR's
    assert {pre.attributes["class"] for pre in page.all("pre")} == {"source", "ir", "sent"}


def test_payloads_are_kept_only_where_the_configuration_says_so(
    monkeypatch: pytest.MonkeyPatch, storage: Storage
) -> None:
    gateway = Gateway(monkeypatch, storage, Upstream(ANTHROPIC))
    gateway.post(CHAT, seed=1)
    storage._writer.close(20)
    (one,) = storage.exchanges()
    record = storage.exchange(one.id)
    assert record is not None
    assert (record.request, record.upstream_request, record.upstream_response, record.response) == (None,) * 4
    assert [found["rule"] for found in record.diagnostics if found["severity"] == "loss"] == ["SMP-10"]


def test_no_key_is_ever_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, storage: Storage, client_keys: dict[str, Any]
) -> None:
    upstream = Upstream(ANTHROPIC, "text", "401", "500", "page", "failure", "text")
    gateway = Gateway(monkeypatch, storage, upstream, log={"payloads": True}, access=client_keys)
    statuses = [gateway.post(CHAT, FIRST).status_code for _ in range(5)]
    statuses.append(gateway.post(RESPONSES, {"x-api-key": CLIENT_KEYS["SECOND_KEY"]}, store=True).status_code)
    statuses.append(gateway.post(CHAT, {"authorization": f"Bearer {KEY}-not-a-client's"}).status_code)
    statuses.append(gateway.ask("POST", path_of(CHAT), b"{", FIRST).status_code)
    assert statuses[0] == 200
    assert 401 in statuses
    storage.close()
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert len(kept) > 10_000
    for key in (KEY, *CLIENT_KEYS.values()):
        assert key.encode() not in kept


def test_a_conversation_outlives_the_gateway(
    monkeypatch: pytest.MonkeyPatch, file: str, client_keys: dict[str, Any]
) -> None:
    first = Storage(file)
    begun = Gateway(monkeypatch, first, Upstream(ANTHROPIC), access=client_keys).post(RESPONSES, FIRST, store=True)
    assert begun.status_code == 200
    first.close()
    again = Storage(file)
    upstream = Upstream(ANTHROPIC)
    gateway = Gateway(monkeypatch, again, upstream, access=client_keys)
    name = begun.json()["id"]
    assert gateway.post(RESPONSES, FIRST, previous_response_id=name).status_code == 200
    assert [message["role"] for message in upstream.seen[0].body["messages"]] == ["user", "assistant", "user"]
    other = gateway.post(RESPONSES, SECOND, previous_response_id=name)
    assert (other.status_code, other.json()["error"]["code"]) == (400, "previous_response_not_found")
    again.close()


@pytest.mark.parametrize("stated", [False, None])
def test_no_prompt_is_on_disk_where_the_operator_says_so(
    stated: bool | None, monkeypatch: pytest.MonkeyPatch, file: str, storage: Storage
) -> None:
    """Responses can be referred to all the same, as long as the gateway runs."""
    tables: dict[str, Any] = {} if stated is None else {"log": {"payloads": stated}}
    gateway = Gateway(monkeypatch, storage, Upstream(ANTHROPIC), **tables)
    begun = gateway.post(RESPONSES, store=True, input="a prompt of ours").json()
    assert gateway.post(RESPONSES, previous_response_id=begun["id"]).status_code == 200
    assert gateway.ask("GET", f"/v1/responses/{begun['id']}").json()["id"] == begun["id"]
    assert gateway.ask("DELETE", f"/v1/responses/{begun['id']}").status_code == 200
    assert gateway.ask("GET", f"/v1/responses/{begun['id']}").status_code == 404
    gateway.post(RESPONSES, store=True, input="a prompt of ours")
    storage.close()
    with sqlite3.connect(file) as connection:
        assert connection.execute("SELECT count(*) > 0 FROM memory").fetchone() == (stated is None,)


def test_requests_without_the_database(monkeypatch: pytest.MonkeyPatch, postgres: Server) -> None:
    storage = Storage(postgres.new_database())
    upstream = Upstream(ANTHROPIC)
    gateway = Gateway(monkeypatch, storage, upstream)
    name = gateway.post(RESPONSES, store=True).json()["id"]
    postgres.kill()
    try:
        assert gateway.post(CHAT).status_code == 200, "what needs no memory goes on"
        late = gateway.post(RESPONSES, store=True)
        assert late.status_code == 200
        streamed = gateway.post(RESPONSES, store=True, stream=True)
        assert "event: response.completed\n" in streamed.text
        away = gateway.post(RESPONSES, previous_response_id=name)
        assert away.status_code == 503
        assert away.json()["error"]["message"] == "The storage of the gateway cannot be used now."
        assert gateway.ask("DELETE", f"/v1/responses/{name}").status_code == 503
        page = gateway.ask("GET", "/ui", headers=OPERATOR)
        assert (page.status_code, Page(page.text).all("h1")[0].text) == (503, "The log cannot be read")
    finally:
        postgres.start()
    assert gateway.post(RESPONSES, previous_response_id=name).status_code == 200
    again = gateway.post(RESPONSES, previous_response_id=late.json()["id"])
    assert again.status_code == 200, "what was to be kept meanwhile is kept now"
    storage._writer.close(20)
    assert len(storage.exchanges()) == 8, "every exchange is in the log, those from when it was away too"
    assert storage.dropped == 0
    assert json.dumps(KEY) not in str(storage.exchanges())
    storage.close()
