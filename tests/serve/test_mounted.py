"""The gateway's application under a path of somebody's own, in Starlette and in FastAPI: endpoints, streams, errors,
the page, and its end with theirs.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pydantic", reason='the gateway needs the extra "serve"')
pytest.importorskip("httpx", reason='the gateway needs the extra "serve"')

import anyio
import httpx
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route

import proxai_ir
from proxai_ir.serve.server import mountable

from ..clients.provider import ANTHROPIC, CHAT, GEMINI, RESPONSES, TEXT
from .support import HEADERS, OPERATOR, asked, configured, path_of
from .upstreams import Upstream
from .visiting import TOKEN

CLIENTS = (CHAT, RESPONSES, ANTHROPIC, GEMINI)
KEY = "a-client-of-the-site"


def starlette(gateway: Any, lifespan: Any) -> Any:
    own = Route("/", lambda _: PlainTextResponse("the site"))
    return Starlette(routes=[own, Mount("/llm", gateway)], lifespan=lifespan)


def fastapi(gateway: Any, lifespan: Any) -> Any:
    site = pytest.importorskip("fastapi").FastAPI(lifespan=lifespan)
    site.add_api_route("/", lambda: "the site")
    site.mount("/llm", gateway)
    return site


@pytest.mark.parametrize("made", [starlette, fastapi])
def test_the_gateway_under_a_path(made: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SITE_KEY", KEY * 2)
    monkeypatch.setenv("TOKEN", TOKEN)
    upstream = Upstream(ANTHROPIC)
    config = configured(
        monkeypatch,
        (ANTHROPIC, "http://u0.invalid"),
        access={"keys_env": ["SITE_KEY"], "admin_env": "TOKEN"},
        storage={"url": str(tmp_path / "log.db")},
    )
    gateway = mountable(config, lambda _: httpx.ASGITransport(upstream))
    storage = gateway.state.gateway.storage
    closed: list[str] = []

    def close(really: Any = storage.close) -> None:
        closed.append("the storage")
        really()

    monkeypatch.setattr(storage, "close", close)

    @asynccontextmanager
    async def lifespan(_: Any) -> AsyncIterator[None]:
        async with gateway.router.lifespan_context(gateway):
            yield

    site = made(gateway, lifespan)

    async def work() -> None:
        transport = httpx.ASGITransport(site)
        key = {"authorization": f"Bearer {KEY * 2}"}
        async with site.router.lifespan_context(site), httpx.AsyncClient(transport=transport) as http:
            at = "http://site.example"
            assert "the site" in (await http.get(f"{at}/")).text
            for client in CLIENTS:
                for streamed in (False, True):
                    path, body = f"/llm{path_of(client, streamed)}", asked(client, streamed)
                    headers = key | HEADERS.get(client, {})
                    response = await http.post(at + path, json=body, headers=headers)
                    assert response.status_code == 200, response.text
                    if streamed:
                        whole = [*proxai_ir.convert_stream([response.content], client, client)]
                        assert TEXT[:3] in str(whole)
                    else:
                        assert TEXT in response.text
            named = (await http.post(f"{at}/llm/v1/responses", json=asked(RESPONSES), headers=key)).json()["id"]
            assert (await http.get(f"{at}/llm/v1/responses/{named}", headers=key)).json()["id"] == named
            assert (await http.get(f"{at}/llm/health")).text == "ok\n"
            assert (await http.get(f"{at}/llm/v1/models", headers=key)).status_code == 200
            assert (await http.post(f"{at}/llm/v1/chat/completions", json=asked(CHAT))).status_code == 401
            missing = await http.post(f"{at}/llm/v1/nothing", json={}, headers=key)
            assert (missing.status_code, "There is no /v1/nothing here" in missing.text) == (404, True)
            assert (await http.post(f"{at}/v1/chat/completions", json=asked(CHAT), headers=key)).status_code == 404
            page = await http.get(f"{at}/llm/ui", headers=OPERATOR)
            assert (page.status_code, 'href="/llm/ui/' in page.text) == (200, True)
            entered = await http.get(f"{at}/llm/ui?token={TOKEN}")
            assert "; Path=/llm/ui;" in entered.headers["set-cookie"]
            assert not closed
        assert closed

    anyio.run(work)
    assert upstream.refused == []
