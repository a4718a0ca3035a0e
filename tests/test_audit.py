"""The audit of CI, against a registry of the test's own."""

from __future__ import annotations

import json
import runpy
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

AUDIT: dict[str, Any] = runpy.run_path(str(Path(__file__).parents[1] / ".ci" / "audit.py"), run_name="audit")
ADVISORY = {"id": "PYSEC-1", "aliases": ["CVE-1"], "summary": "It leaks.", "fixed_in": ["1.1"], "withdrawn": None}
PAGES = {
    "/pypi/sound/2.0/json": {"info": {"yanked": False}, "vulnerabilities": []},
    "/pypi/leaky/1.0/json": {
        "info": {"yanked": True, "yanked_reason": "broken"},
        "vulnerabilities": [ADVISORY, {**ADVISORY, "withdrawn": "2026-01-01"}],
    },
}


class Registry(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        page = PAGES.get(self.path)
        self.send_response(200 if page else 404)
        self.end_headers()
        self.wfile.write(json.dumps(page).encode())

    def log_message(self, format: str, *_: Any) -> None:  # noqa: A002
        """Nothing on the terminal."""


@pytest.fixture
def registry() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Registry)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_what_the_registry_says_of_releases(registry: str) -> None:
    found = AUDIT["audit"]([("sound", "2.0"), ("leaky", "1.0")], f"{registry}/pypi")
    assert found == [
        "leaky 1.0: PYSEC-1 CVE-1: It leaks. (fixed in 1.1)",
        "leaky 1.0: withdrawn: broken",
    ]


def test_a_release_that_the_registry_does_not_know(registry: str) -> None:
    with pytest.raises(OSError, match="404"):
        AUDIT["audit"]([("other", "1.0")], f"{registry}/pypi")


def test_the_registry_is_the_one_that_pip_uses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "http://mirror.example/root/simple/")
    assert AUDIT["registry"]() == "http://mirror.example/root/pypi"
