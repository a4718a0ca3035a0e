"""An agent's search, on OpenAI: its pages come back, as they are asked for (TUL-81).

Claude Code's WebSearch shows what `web_search_tool_result` has: "0 results" without it (farion1231/cc-switch#5363,
raine/claude-code-proxy#10, router-for-me/CLIProxyAPI#5546).
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxai_ir import Exchange

from ..clients.provider import ANTHROPIC, CHAT, GEMINI, RESPONSES
from .support import NOW, path_of

Json = Any

FOUND, SEALS = "web_search_call.action.sources", "reasoning.encrypted_content"
SEARCH = {"type": "web_search_20250305", "name": "web_search", "max_uses": 8}
ASKED: dict[str, Json] = {
    ANTHROPIC: {"model": "m", "max_tokens": 64, "messages": [{"role": "user", "content": "Rain?"}], "tools": [SEARCH]},
    GEMINI: {"contents": [{"role": "user", "parts": [{"text": "Rain?"}]}], "tools": [{"googleSearch": {}}]},
    CHAT: {"model": "m", "messages": [{"role": "user", "content": "Rain?"}], "web_search_options": {}},
}
PAGES = ["https://a.example/1", "https://b.example/2"]
CALL = {
    "type": "web_search_call",
    "id": "ws_1",
    "status": "completed",
    "action": {"type": "search", "query": "rain", "sources": [{"type": "url", "url": page} for page in PAGES]},
}
TEXT = {"type": "output_text", "text": "It rains.", "annotations": []}
RESPONSE = {
    "id": "resp_1",
    "object": "response",
    "created_at": 1,
    "model": "gpt-5.6-luna",
    "status": "completed",
    "output": [CALL, {"type": "message", "id": "m_1", "role": "assistant", "status": "completed", "content": [TEXT]}],
    "parallel_tool_calls": True,
    "tool_choice": "auto",
    "tools": [],
}


def sent(client: str, model: str = "gpt-5.6-luna", **more: Json) -> tuple[Exchange, Json]:
    exchange = Exchange(client, RESPONSES, model=model, now=NOW)
    body = {**ASKED[client], **more}
    return exchange, json.loads(exchange.request(json.dumps(body).encode(), path=path_of(client)).body)


@pytest.mark.parametrize("client", ASKED)
def test_pages_are_asked_for(client: str) -> None:
    assert FOUND in sent(client)[1]["include"]


def test_they_are_asked_for_beside_encrypted_reasoning() -> None:
    _, made = sent(ANTHROPIC, thinking={"type": "adaptive"}, output_config={"effort": "low"})
    assert made["include"] == [SEALS, FOUND]


def test_they_are_not_asked_for_without_a_search() -> None:
    assert "include" not in sent(ANTHROPIC, tools=[])[1]


def test_a_server_that_tells_them_unasked_is_not_asked() -> None:
    assert FOUND not in sent(ANTHROPIC, "grok-4.5")[1].get("include", [])


def test_the_agent_gets_them() -> None:
    exchange, _ = sent(ANTHROPIC)
    reply = exchange.response(200, {"content-type": "application/json"}, json.dumps(RESPONSE).encode())
    _, result, _ = json.loads(reply.body)["content"]
    assert (result["type"], [hit["url"] for hit in result["content"]]) == ("web_search_tool_result", PAGES)


def test_a_client_of_responses_asks_for_them_itself() -> None:
    body = {"model": "m", "input": "Rain?", "store": False, "tools": [{"type": "web_search"}]}
    exchange = Exchange(RESPONSES, RESPONSES, model="gpt-5.6-luna", now=NOW)
    made = json.loads(exchange.request(json.dumps(body).encode(), path="/v1/responses").body)
    assert made == {**body, "model": "gpt-5.6-luna"}
