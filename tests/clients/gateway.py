"""The proxy of the README between a client and a scripted provider, as the transport of the client's HTTP client."""

from __future__ import annotations

import json
import re
from importlib import import_module
from typing import Any

import proxai_ir

from ..samples.sample import Json
from ..servers.test_servers import OFFICIAL
from ..test_readme import block
from .provider import GEMINI, MODEL, RESPONSES, reply

BASE = "http://none.invalid"


NO_THREAD = {
    "type": "error",
    "error": {"type": "not_found_error", "message": "No thread.", "details": {"error_code": "thread_not_found"}},
}


SETTINGS: dict[str, dict[str, Any]] = {
    RESPONSES: {"refusal_status": "completed"},
    GEMINI: {"dummy_signatures": True},  # the history is that of another model, to Gemini
}
"""What a gateway states of clients and providers, by protocol."""
ASKED = re.compile(r"/models/(.+):(generateContent|streamGenerateContent)$")
"""The path of a request to Gemini."""


class Gateway:
    """Responds to a client by a script: one word of `provider` for each request.

    `sent` is what the provider got, and `asked` what the client asked, both as parsed JSON.
    """

    def __init__(self, client: str, provider: str, *script: str) -> None:
        self._proxy: dict[str, Any] = {}
        exec(block("def stream("), self._proxy)
        self._client, self._target = (proxai_ir.Profile(one, **SETTINGS.get(one, {})) for one in (client, provider))
        self._proxy.update(CLIENT=self._client, PROVIDER=self._target, MODELS={"m": MODEL})
        self._provider = provider
        self._script = [*script]
        self.sent: list[Json] = []
        self.asked: list[Json] = []

    def _request(self, body: bytes, path: str) -> tuple[bytes, dict[str, str], Json, bool]:
        """What the proxy sends, its headers, what the response needs, and whether it is to be streamed."""
        named = ASKED.search(path)
        if named is None:
            return *self._proxy["request"](body), bool(json.loads(body).get("stream"))
        model, streamed = named[1], named[2] == "streamGenerateContent"
        made = proxai_ir.compile(
            json.loads(body),
            self._client,
            self._target,
            kind="request",
            model=MODEL,
            stream=streamed,
            emulate="auto",
            repair=("calls",),
            carry_seals=True,
        )
        return json.dumps(made.output).encode(), made.headers, {"model": model, "state": made.state}, streamed

    def respond(self, body: bytes, path: str = "") -> tuple[int, str, list[bytes]]:
        """Status, content type and body, in pieces, of the response to a client's request."""
        asked = json.loads(body)
        self.asked.append(asked)
        try:
            sent, headers, kept, streamed = self._request(body, path)
        except proxai_ir.TranslationError as error:
            if error.path == "/thread":  # Anthropic's client sends the whole conversation, where it learns this
                return 404, "application/json", [json.dumps(NO_THREAD).encode()]
            status, body = self._proxy["refusal"](error)
            return status, "application/json", [body]
        self.sent.append(json.loads(sent))
        refused = import_module(f"tests.servers.{OFFICIAL[self._provider][0]}").refusals(self.sent[-1], headers)
        assert not refused, refused
        made = reply(self._provider, self._script.pop(0), streamed)
        if made.type == "text/event-stream":
            return made.status, made.type, [*self._proxy["stream"](made.chunks, kept)]
        status, body = self._proxy["response"](made.status, b"".join(made.chunks), kept)
        return status, made.type, [body]

    def handler(self, httpx: Any) -> Any:
        """The handler of an HTTP client's mock transport; `httpx` is the module of that client."""

        def handle(request: Any) -> Any:
            status, kind, pieces = self.respond(request.content, request.url.path)
            return httpx.Response(status, headers={"content-type": kind}, content=b"".join(pieces), request=request)

        return handle

    def http(self, httpx: Any) -> Any:
        return httpx.Client(transport=httpx.MockTransport(self.handler(httpx)))

    def async_http(self, httpx: Any) -> Any:
        return httpx.AsyncClient(transport=httpx.MockTransport(self.handler(httpx)))
