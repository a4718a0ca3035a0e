"""A proxy of `proxai_ir.Exchange` between a client and a scripted provider, as the transport of an HTTP client."""

from __future__ import annotations

import json
from typing import Any

import proxai_ir
from proxai_ir.exchange import Memory

from ..samples.sample import Json
from ..servers.official import official_refusals
from .provider import ANTHROPIC, CHAT, GEMINI, MODEL, RESPONSES, SSE_TYPE, reply

BASE = "http://none.invalid"
KEY = "sk-of-the-proxy"
NOW = 1_750_000_000.0

SETTINGS: dict[str, dict[str, Any]] = {
    RESPONSES: {"refusal_status": "completed"},  # clients raise where a refusal "failed"
}
"""What a gateway states of clients and providers, by protocol."""
CLIENTS = (CHAT, RESPONSES, ANTHROPIC, GEMINI)
PAIRS = tuple((client, provider) for client in CLIENTS for provider in CLIENTS)


class Gateway:
    """Responds to a client by a script: one word of `provider` for each request.

    `sent` is what the provider got, and `asked` what the client asked, both as parsed JSON; `headers` are those that
    the client sent last. Every response is made by another Exchange than its request's, and every stream has a
    keep-alive after every piece.
    """

    def __init__(self, client: str, provider: str, *script: str, memory: Memory | None = None) -> None:
        self._sides = [proxai_ir.Profile(one, **SETTINGS.get(one, {})) for one in (client, provider)]
        self._memory = memory
        self._provider = provider
        self._script = [*script]
        self.sent: list[Json] = []
        self.asked: list[Json] = []
        self.headers: dict[str, str] = {}

    def _exchange(self, **more: Any) -> proxai_ir.Exchange:
        client, provider = self._sides
        return proxai_ir.Exchange(client, provider, model=MODEL, key=KEY, memory=self._memory, now=NOW, **more)

    def respond(
        self, body: bytes, path: str = "", headers: dict[str, str] | None = None
    ) -> tuple[int, dict[str, str], list[bytes]]:
        """Status, headers and body, in pieces, of the response to a client's request."""
        self.asked.append(json.loads(body))
        self.headers = headers or {}
        exchange = self._exchange()
        try:
            sent = exchange.request(body, self.headers, path=path)
        except proxai_ir.TranslationError as error:
            made = exchange.refusal(error)
            return made.status, made.headers, [made.body]
        self.sent.append(json.loads(sent.body))
        assert any(KEY in value for value in sent.headers.values())
        if self.sent[-1] != self.asked[-1] | {"model": MODEL}:  # what is the client's own is not the proxy's to mend
            refused = official_refusals(self._provider, self.sent[-1], sent.headers)
            assert not refused, refused
        came = reply(self._provider, self._script.pop(0), sent.stream, len(self.sent))
        exchange = self._exchange(state=json.loads(json.dumps(exchange.state)))
        if sent.stream and came.status < 300:
            assert came.type == SSE_TYPE
            stream = exchange.stream(came.status, came.headers)
            pieces = [stream.ping(), *(stream.feed(chunk) + stream.ping() for chunk in came.chunks), stream.end()]
            return stream.status, stream.headers, pieces
        made = exchange.response(came.status, came.headers, b"".join(came.chunks))
        return made.status, made.headers, [made.body]

    def handler(self, httpx: Any) -> Any:
        """The handler of an HTTP client's mock transport; `httpx` is the module of that client."""

        def handle(request: Any) -> Any:
            path = request.url.raw_path.decode()
            headers = {name.lower(): value for name, value in request.headers.items()}
            status, made, pieces = self.respond(request.content, path, headers)
            return httpx.Response(status, headers=made, content=b"".join(pieces), request=request)

        return handle

    def http(self, httpx: Any) -> Any:
        return httpx.Client(transport=httpx.MockTransport(self.handler(httpx)))

    def async_http(self, httpx: Any) -> Any:
        return httpx.AsyncClient(transport=httpx.MockTransport(self.handler(httpx)))
