"""A browser of the page at /ui: the operator's, on this machine, unless something else is asked for."""

from __future__ import annotations

import re
from collections.abc import Mapping

from starlette.applications import Starlette
from starlette.testclient import TestClient

from proxai_ir.serve.access import Access
from proxai_ir.serve.config import UpstreamTable
from proxai_ir.serve.ui.routes import routes
from proxai_ir.storage import Storage

HERE = "http://127.0.0.1:4000"
TOKEN = "the-token-of-the-operator"
CLIENT_KEY = "a-key-of-some-client"


def browser_of(
    storage: Storage,
    address: str = "127.0.0.1",
    base_url: str = HERE,
    *,
    token: str | None = TOKEN,
    keys: bool = False,
    upstreams: Mapping[str, UpstreamTable] | None = None,
) -> TestClient:
    """`token`: None for a browser that has never had it; `keys`: whether the gateway has keys of clients; `upstreams`:
    what it has configured."""
    access = Access([CLIENT_KEY] if keys else [], TOKEN)
    made = TestClient(
        Starlette(routes=routes(storage, access, upstreams or {})), base_url=base_url, client=(address, 50_000)
    )
    if token is not None:
        made.headers["authorization"] = f"Bearer {token}"
    return made


def cookie_of(set_cookie: str) -> str:
    """The part of a `Set-Cookie` header that a browser sends back."""
    found = re.match(r"[^;]+", set_cookie)
    assert found is not None
    return found[0]
