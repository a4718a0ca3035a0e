"""What the tests of pages share: the built site, a browser to look at it with, and providers for pages on proxies.

Tests of the site and of the browser skip where the extra `docs` or `browser` is missing.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from ..clients import provider

DOCS = Path(__file__).parents[2] / ".docs"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built strictly: MkDocs fails where there was any warning."""
    pytest.importorskip("material", reason="the extra `docs` is not installed")
    pytest.importorskip("mkdocstrings", reason="the extra `docs` is not installed")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", "mkdocs.yml"]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}  # a notice of the theme's, on standard error
    done = subprocess.run(
        [*command, "--site-dir", str(folder)],
        cwd=DOCS,
        env=environment,
        check=False,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr, done.stderr
    return folder


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    """The site as a server of files has it: what a program of a page fetches needs one."""
    handler = partial(SimpleHTTPRequestHandler, directory=str(site))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Of one module alone: while it runs, no other test of the thread can run an event loop."""
    playwright = pytest.importorskip("playwright.sync_api", reason="the extra `browser` is not installed")
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed")
    with playwright.sync_playwright() as running:
        launched = running.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield launched
        launched.close()


# --- the providers of the pages on proxies ---------------------------------------------------------------------------

PROVIDERS = {
    "/v1/messages": (provider.ANTHROPIC, "x-api-key", "your-key"),
    "/v1/chat/completions": (provider.CHAT, "authorization", "Bearer your-key"),
    "/v1beta/models/gemini-3-pro:generateContent": (provider.GEMINI, "x-goog-api-key", "your-key"),
}


class Provider(BaseHTTPRequestHandler):
    """A provider that answers every request with the same text, whole or as a stream."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        protocol, header, key = PROVIDERS.get(self.path, ("", "", ""))
        if not protocol or self.headers[header] != key:
            return self.send_error(404)
        reply = provider.reply(protocol, "text", asked.get("stream") is True)
        self.send_response(reply.status)
        self.send_header("content-type", reply.type)
        self.end_headers()
        return self.wfile.writelines(reply.chunks)

    def log_request(self, code: object = "-", size: object = "-") -> None:
        pass


@pytest.fixture(scope="module")
def upstream() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Provider) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
