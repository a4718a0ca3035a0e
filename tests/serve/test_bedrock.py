"""Clients of Bedrock Converse at the gateway, whose bodies name no model: it stands in the path."""

from __future__ import annotations

from typing import Any

import anyio
import httpx
import pytest

from proxai_ir.framing import AWS_EVENT_STREAM

from .support import over_asgi
from .upstreams import Upstream

ASKED = {"messages": [{"role": "user", "content": [{"text": "hi"}]}]}


def answered(monkeypatch: pytest.MonkeyPatch, path: str) -> httpx.Response:
    async def work() -> httpx.Response:
        async with over_asgi(monkeypatch, Upstream("anthropic_messages")) as http:
            return await http.post(path, json=ASKED, headers={"authorization": "Bearer any"})

    return anyio.run(work)


def test_a_response(monkeypatch: pytest.MonkeyPatch) -> None:
    found = answered(monkeypatch, "/model/any/converse")
    assert found.status_code == 200
    said: Any = found.json()
    assert said["output"]["message"]["content"][0]["text"]
    assert said["stopReason"] == "end_turn"


def test_a_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    found = answered(monkeypatch, "/model/any/converse-stream")
    assert found.headers["content-type"] == "application/vnd.amazon.eventstream"
    events = [*AWS_EVENT_STREAM.decode([found.content])]
    assert [*events[0]] == ["messageStart"]
    assert [*events[-1]] == ["metadata"]
    assert any("contentBlockDelta" in one for one in events)
