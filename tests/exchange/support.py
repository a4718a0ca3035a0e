"""Short ways to make exchanges and to read what comes out of them."""

from __future__ import annotations

import json
from typing import Any

import proxai_ir
from proxai_ir import Exchange

from ..clients.provider import ANTHROPIC, CHAT, GEMINI, RESPONSES, reply

ALL = (CHAT, RESPONSES, ANTHROPIC, GEMINI)
PAIRS = tuple((client, provider) for client in ALL for provider in ALL)
"""Of a protocol with itself, too: a proxy has clients and providers of the same one."""
ASKED, SENT = "asked-model", "sent-model"
NOW = 1_700_000_000.0

REQUESTS: dict[str, dict[str, Any]] = {
    CHAT: {"model": ASKED, "messages": [{"role": "user", "content": "Hi"}]},
    RESPONSES: {"model": ASKED, "input": "Hi", "store": False},
    ANTHROPIC: {"model": ASKED, "max_tokens": 99, "messages": [{"role": "user", "content": "Hi"}]},
    GEMINI: {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]},
}


def path_of(client: str, streamed: bool = False, model: str = ASKED) -> str:
    """The path of a client's request."""
    paths = {CHAT: "/v1/chat/completions", RESPONSES: "/v1/responses", ANTHROPIC: "/v1/messages"}
    method = "streamGenerateContent?alt=sse" if streamed else "generateContent"
    return paths.get(client, f"/v1beta/models/{model}:{method}")


def request_of(client: str, streamed: bool = False, **more: Any) -> bytes:
    asked = {"stream": True} if streamed and client != GEMINI else {}
    return json.dumps({**REQUESTS[client], **asked, **more}).encode()


def asked(client: str, provider: str, streamed: bool = False, **options: Any) -> Exchange:
    """An exchange whose request has been converted."""
    exchange = Exchange(client, provider, model=SENT, now=NOW, **options)
    exchange.request(request_of(client, streamed), path=path_of(client, streamed))
    return exchange


def bytes_of(provider: str, kind: str, streamed: bool) -> bytes:
    """What a provider responds, as one piece."""
    return b"".join(reply(provider, kind, streamed).chunks)


def events(data: bytes) -> list[Any]:
    """What a client reads of a stream; comments and Anthropic's pings are skipped."""
    found = list(proxai_ir.sse.decode([data]))
    return [one for one in found if not (isinstance(one, dict) and one.get("type") == "ping")]


def whole(client: str, data: bytes) -> Any:
    """The response that a client's stream adds up to."""
    converter = proxai_ir.StreamConverter(client, client, keep_response=True)
    for event in events(data):
        converter.feed(event)
    converter.close()
    return converter.response


def text_of(payload: Any) -> str:
    """All text of a response, in whatever protocol."""
    if isinstance(payload, dict):
        own = payload.get("text") if isinstance(payload.get("text"), str) and not payload.get("thought") else ""
        content = payload.get("content")
        if payload.get("type") == "reasoning":
            return ""
        return (own or (content if isinstance(content, str) else "")) + "".join(
            text_of(value) for name, value in payload.items() if isinstance(value, (dict, list)) and name != "usage"
        )
    return "".join(map(text_of, payload)) if isinstance(payload, list) else ""


def message_of(body: bytes) -> str:
    """The message of an error's body."""
    return str(json.loads(body)["error"]["message"])


def word_of(client: str, body: bytes) -> str:
    """The word for its category."""
    error = json.loads(body)["error"]
    return str(error["status" if client == GEMINI else "type"])


def model_of(payload: Any) -> set[str]:
    """All names of models in a response or in events."""
    if isinstance(payload, dict):
        own = {str(payload[name]) for name in ("model", "modelVersion") if isinstance(payload.get(name), str)}
        return own.union(*map(model_of, payload.values()))
    return set().union(*map(model_of, payload)) if isinstance(payload, list) else set()
