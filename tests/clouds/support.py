"""A gateway with one upstream on a cloud, and what its clients ask and read."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

import proxai_ir
from proxai_ir.serve.access import access_of
from proxai_ir.serve.app import app
from proxai_ir.serve.config import from_mapping
from tests.serve.visiting import TOKEN as OPERATOR

from ..clients.provider import ANTHROPIC, CHAT, RESPONSES
from .mock import OverHttpx

Json = Any
HELLO = [{"role": "user", "content": "hi"}]
ASKED: dict[str, tuple[str, Json]] = {
    CHAT: ("/v1/chat/completions", {"model": "M", "messages": HELLO}),
    RESPONSES: ("/v1/responses", {"model": "M", "input": "hi"}),
    ANTHROPIC: ("/v1/messages", {"model": "M", "max_tokens": 9, "messages": HELLO}),
}
ON_BEDROCK = {"name": "bedrock", "region": "us-east-1"}
BEDROCK = {"protocol": ANTHROPIC, "cloud": ON_BEDROCK}
MODELS = (
    "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "arn:aws:bedrock:us-east-1:12:inference-profile/us.anthropic.x",
)
each_client = pytest.mark.parametrize("client", [CHAT, RESPONSES, ANTHROPIC])


@contextmanager
def gateway(upstream: Json, respond: Any, **more: Json) -> Iterator[Callable[..., httpx.Response]]:
    """Asks a gateway whose only upstream is this one."""
    config = from_mapping({"upstreams": {"u": upstream}, **more})
    made = app(config, None, access=access_of(config, OPERATOR), transport=lambda _: OverHttpx(respond))

    def ask(path: str, body: Json, headers: dict[str, str] | None = None) -> httpx.Response:
        async def asked() -> httpx.Response:
            over = httpx.ASGITransport(made)
            async with httpx.AsyncClient(transport=over, base_url="http://127.0.0.1:4000") as client:
                return await client.post(path, json=body, headers={"host": "127.0.0.1:4000", **(headers or {})})

        return asyncio.run(asked())

    yield ask


def text_of(client: str, came: httpx.Response, streamed: bool) -> str:
    if not streamed:
        made = came.json()
        if client == CHAT:
            return str(made["choices"][0]["message"]["content"])
        return str(made["content"][0]["text"] if client == ANTHROPIC else made["output"][-1]["content"][0]["text"])
    texts = ""
    for event in proxai_ir.sse.decode([came.content]):
        if client == CHAT and isinstance(event, dict):
            texts += "".join(choice["delta"].get("content") or "" for choice in event["choices"])
        elif client == ANTHROPIC and event["type"] == "content_block_delta":
            texts += event["delta"].get("text", "")
        elif client == RESPONSES and event["type"] == "response.output_text.delta":
            texts += event["delta"]
    return texts
