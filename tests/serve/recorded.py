"""Records of exchanges, made as the gateway makes them: by an Exchange and a provider that responds by a script."""

from __future__ import annotations

import json
from typing import Any

import proxai_ir
from proxai_ir import TranslationError
from proxai_ir.storage.records import Record, entries

from ..clients.provider import ANTHROPIC, CHAT, GEMINI, RESPONSES, reply

__all__ = ["ANTHROPIC", "CHAT", "GEMINI", "NOW", "REQUESTS", "RESPONSES", "recorded"]

NOW = 1_800_000_000.0
REQUESTS: dict[str, dict[str, Any]] = {
    ANTHROPIC: {
        "model": "claude",
        "max_tokens": 4096,
        "top_k": 40,
        "system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
        "messages": [{"role": "user", "content": "<script>alert(1)</script> & \u202e\x1b[31m"}],
    },
    CHAT: {"model": "gpt", "seed": 1, "messages": [{"role": "user", "content": "hi"}]},
    RESPONSES: {"model": "gpt", "input": "hi", "metadata": {"a/b": "c"}},
}
PATHS = {ANTHROPIC: "/v1/messages", CHAT: "/v1/chat/completions", RESPONSES: "/v1/responses"}


def recorded(
    name: str, client: str, provider: str, kind: str = "text", *, streamed: bool = False, **others: Any
) -> Record:
    """`kind`: as `clients.provider` has it; `others`: members of the request."""
    usual = {member: value for member, value in REQUESTS[client].items() if member not in others}
    request = json.dumps({**usual, **({"stream": True} if streamed else {}), **others}).encode()
    exchange = proxai_ir.Exchange(client, provider, model="upstream-model", now=NOW)
    known: dict[str, Any] = {
        "id": name,
        "started": NOW,
        "client": client,
        "provider": provider,
        "path": PATHS[client],
        "upstream": "main",
        "model": REQUESTS[client]["model"],
        "streamed": streamed,
        "request": request,
    }
    try:
        sent = exchange.request(request, {}, path=PATHS[client])
    except TranslationError as error:
        refused = exchange.refusal(error)
        found = entries("request", error.diagnostics)
        return Record(**known, status=refused.status, error=str(error), diagnostics=found, response=refused.body)
    came = reply(provider, kind, streamed)
    known |= {"sent_model": "upstream-model", "upstream_status": came.status, "upstream_request": sent.body}
    known |= {"upstream_response": b"".join(came.chunks), "duration": 1.5, "first_byte": 0.25}
    asked = entries("request", sent.diagnostics)
    if came.type == "text/event-stream":
        stream = exchange.stream(came.status, {})
        out = b"".join([stream.feed(chunk) for chunk in came.chunks]) + stream.end()
        why = str(stream.error) if stream.error else None
        got = entries("response", stream.diagnostics)
        return Record(**known, status=200, error=why, usage=stream.usage, response=out, diagnostics=asked + got)
    made = exchange.response(came.status, {}, b"".join(came.chunks))
    got = entries("response", made.diagnostics)
    return Record(**known, status=made.status, usage=made.usage, response=made.body, diagnostics=asked + got)
