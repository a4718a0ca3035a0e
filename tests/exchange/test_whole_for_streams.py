"""Models without tools in streams: the provider is asked for the whole response, and the client gets a stream of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

import proxai_ir
from proxai_ir import Exchange
from proxai_ir.framing import AWS_EVENT_STREAM

from ..clients.provider import ANTHROPIC, CHAT, GEMINI, RESPONSES
from .support import ALL, path_of, request_of, whole

BEDROCK = "bedrock_converse"
LLAMA, CLAUDE = "us.meta.llama4-maverick-17b-instruct-v1:0", "us.anthropic.claude-sonnet-4-6"
PATH = "/model/us.meta.llama4-maverick-17b-instruct-v1%3A0/converse"
SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}}
TOOLS: dict[str, Any] = {
    CHAT: [{"type": "function", "function": {"name": "add", "parameters": SCHEMA}}],
    RESPONSES: [{"type": "function", "name": "add", "parameters": SCHEMA, "strict": False}],
    ANTHROPIC: [{"name": "add", "input_schema": SCHEMA}],
    GEMINI: [{"functionDeclarations": [{"name": "add", "parametersJsonSchema": SCHEMA}]}],
}
CALLED = {
    "output": {
        "message": {
            "role": "assistant",
            "content": [
                {"text": "I add."},
                {"toolUse": {"toolUseId": "call_1", "name": "add", "input": {"a": 40}}},
            ],
        }
    },
    "stopReason": "tool_use",
    "usage": {"inputTokens": 3, "outputTokens": 2, "totalTokens": 5},
    "metrics": {"latencyMs": 9},
}


def began(client: str, model: str = LLAMA, streamed: bool = True, **more: Any) -> tuple[Exchange, Any]:
    exchange = Exchange(client, BEDROCK, model=model, now=1_700_000_000.0)
    return exchange, exchange.request(request_of(client, streamed, **more), path=path_of(client, streamed))


@pytest.mark.parametrize("client", ALL)
def test_the_whole_response_is_asked_for(client: str) -> None:
    exchange, sent = began(client, tools=TOOLS[client])
    assert sent.path == PATH
    assert sent.stream  # to the client
    assert "STR-30" in {one.rule for one in sent.diagnostics}
    stream = exchange.stream(200, {"content-type": "application/json"})
    data = json.dumps(CALLED).encode()
    out = stream.feed(data[:20]) + stream.feed(data[20:]) + stream.end()
    assert (stream.error, stream.failure) == (None, None)
    if client == GEMINI:
        assert b'"functionCall"' in out
    else:
        assert b"I add." in out
        assert "call_1" in json.dumps(whole(client, out))


@pytest.mark.parametrize("client", ALL)
def test_so_it_is_for_no_other_request(client: str) -> None:
    assert began(client)[1].path == f"{PATH}-stream"
    assert began(client, CLAUDE, tools=TOOLS[client])[1].path.endswith("/converse-stream")
    found = began(client, streamed=False, tools=TOOLS[client])[1]
    assert (found.path, found.stream) == (PATH, False)
    assert "STR-30" not in {one.rule for one in found.diagnostics}


def test_a_client_of_bedrock_gets_its_stream() -> None:
    tools = {"tools": [{"toolSpec": {"name": "add", "inputSchema": {"json": SCHEMA}}}]}
    body = {"messages": [{"role": "user", "content": [{"text": "Hi"}]}], "toolConfig": tools}
    exchange = Exchange(BEDROCK, BEDROCK, model=LLAMA)
    sent = exchange.request(json.dumps(body).encode(), path="/model/m/converse-stream")
    assert (sent.path, sent.stream) == (PATH, True)
    assert json.loads(sent.body) == body
    stream = exchange.stream(200, {"content-type": "application/json"})
    out = stream.feed(json.dumps(CALLED).encode()) + stream.end()
    decoder = AWS_EVENT_STREAM.decoder()
    kinds = [next(iter(one)) for one in [*decoder.feed(out), *decoder.close()]]
    assert kinds[0] == "messageStart"
    assert kinds[-2:] == ["messageStop", "metadata"]


def test_a_conversion_says_so() -> None:
    asked = {"model": LLAMA, "messages": [{"role": "user", "content": "Hi"}], "stream": True, "tools": TOOLS[CHAT]}
    made = proxai_ir.compile(asked, CHAT, proxai_ir.Profile(BEDROCK, stream_tools=False), kind="request")
    assert made.route == {"model": LLAMA, "stream": False, "path": PATH}
    assert [(one.rule, one.path) for one in made.diagnostics if one.rule == "STR-30"] == [("STR-30", "/stream")]
