"""The proxy of the README between a client and a scripted provider, as the transport of the client's HTTP client."""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any

import proxai_ir

from ..samples.sample import Json
from ..servers.test_servers import OFFICIAL
from ..test_readme import block
from .provider import MODEL, RESPONSES, reply

BASE = "http://none.invalid"


NO_THREAD = {
    "type": "error",
    "error": {"type": "not_found_error", "message": "No thread.", "details": {"error_code": "thread_not_found"}},
}


class Gateway:
    """Responds to a client by a script: one word of `provider` for each request.

    `sent` is what the provider got, and `asked` what the client asked, both as parsed JSON.
    """

    def __init__(self, client: str, provider: str, *script: str) -> None:
        self._proxy: dict[str, Any] = {}
        exec(block("def stream("), self._proxy)
        profile = proxai_ir.Profile(client, **({"refusal_status": "completed"} if client == RESPONSES else {}))
        self._proxy.update(CLIENT=profile, PROVIDER=provider, MODELS={"m": MODEL})
        self._provider = provider
        self._script = [*script]
        self.sent: list[Json] = []
        self.asked: list[Json] = []

    def respond(self, body: bytes) -> tuple[int, str, list[bytes]]:
        """Status, content type and body, in pieces, of the response to a client's request."""
        asked = json.loads(body)
        self.asked.append(asked)
        try:
            sent, headers, kept = self._proxy["request"](body)
        except proxai_ir.TranslationError as error:
            if error.path == "/thread":  # Anthropic's client sends the whole conversation, where it learns this
                return 404, "application/json", [json.dumps(NO_THREAD).encode()]
            status, body = self._proxy["refusal"](error)
            return status, "application/json", [body]
        self.sent.append(json.loads(sent))
        refused = import_module(f"tests.servers.{OFFICIAL[self._provider][0]}").refusals(self.sent[-1], headers)
        assert not refused, refused
        made = reply(self._provider, self._script.pop(0), bool(self.sent[-1].get("stream")))
        if made.type == "text/event-stream":
            return made.status, made.type, [*self._proxy["stream"](made.chunks, kept)]
        status, body = self._proxy["response"](made.status, b"".join(made.chunks), kept)
        return status, made.type, [body]

    def handler(self, httpx: Any) -> Any:
        """The handler of an HTTP client's mock transport; `httpx` is the module of that client."""

        def handle(request: Any) -> Any:
            status, kind, pieces = self.respond(request.content)
            return httpx.Response(status, headers={"content-type": kind}, content=b"".join(pieces), request=request)

        return handle

    def http(self, httpx: Any) -> Any:
        return httpx.Client(transport=httpx.MockTransport(self.handler(httpx)))

    def async_http(self, httpx: Any) -> Any:
        return httpx.AsyncClient(transport=httpx.MockTransport(self.handler(httpx)))
