"""A browser of the page at /ui, on this machine unless another address is given."""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.testclient import TestClient

from proxai_ir.serve.storage import Storage
from proxai_ir.serve.ui.routes import routes

HERE = "http://127.0.0.1:4000"


def browser_of(storage: Storage, address: str = "127.0.0.1", base_url: str = HERE) -> TestClient:
    return TestClient(Starlette(routes=routes(storage)), base_url=base_url, client=(address, 50_000))
