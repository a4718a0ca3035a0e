"""The scripted provider as an HTTP server of one protocol, and the gateway before it as a process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from proxai_ir.protocol.registry import framing_of

from ..clients.provider import GEMINI
from ..samples.sample import Json
from ..servers.official import official_refusals
from ..waiting import free_port, listens, until
from . import provider

KEY = "provider-key"
MODEL = "provider-model"
PROFILES = {GEMINI: "gemini_api"}  # which accepts the calls of clients that keep no signatures
STARTS = 30  # seconds within which a gateway accepts connections


class Request(NamedTuple):
    path: str
    headers: dict[str, str]
    """With names in lower case."""
    body: Json


class Provider(ThreadingHTTPServer):
    """`requests` has the requests, `asked` their bodies, `found` what the official server would have refused."""

    def __init__(self, protocol: str, handler: type[Handler]) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self.protocol = protocol
        self.requests: list[Request] = []
        self.asked: list[Json] = []
        self.found: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    @property
    def provider(self) -> Provider:
        assert isinstance(self.server, Provider)
        return self.server

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.provider.requests.append(Request(self.path, headers, asked))
        self.provider.asked.append(asked)
        self.answer(asked)

    def answer(self, asked: Json) -> None:
        headers = self.provider.requests[-1].headers
        self.provider.found += official_refusals(self.provider.protocol, asked, headers)
        if not any(KEY in value for value in headers.values()):
            self.provider.found.append("the key is missing")
        self.send_made(self.made(asked), asked)

    def made(self, asked: Json) -> Any:
        return provider.respond(self.provider.protocol, asked, self.streamed(asked))

    def streamed(self, asked: Json) -> bool:
        return bool(asked.get("stream")) or "stream" in self.path

    def send_made(self, made: Any, asked: Json) -> None:
        streamed = self.streamed(asked)
        data = provider.encoded(self.provider.protocol, made, streamed, len(self.provider.asked))
        framing = framing_of(self.provider.protocol)
        self.send(200, framing.content_type if streamed else "application/json", data)

    def send(self, status: int, media_type: str, data: bytes) -> None:
        self.send_response(status)
        self.send_header("content-type", media_type)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *_: Any) -> None:  # noqa: A002
        """Nothing on the terminal."""


@contextmanager
def serving(protocol: str, handler: type[Handler] = Handler) -> Iterator[Provider]:
    server = Provider(protocol, handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def gateway(protocol: str, base_url: str) -> Iterator[str]:
    """The URL of `proxai-ir serve` with one upstream."""
    port = free_port()
    command = [sys.executable, "-m", "proxai_ir.cli", "serve", "--to", protocol, "--base-url", base_url]
    command += ["--key-env", "PROVIDER_KEY", "--model", MODEL, "--port", str(port), "--no-storage"]
    command += ["--profile", PROFILES[protocol]] if protocol in PROFILES else []
    process = subprocess.Popen(command, env={**os.environ, "PROVIDER_KEY": KEY})
    try:
        until(lambda: listens(port), STARTS, over=lambda: process.poll() is not None)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(timeout=STARTS)
