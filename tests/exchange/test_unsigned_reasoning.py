"""Sessions whose provider changes to one of the client's own protocol, after reasoning that nobody signed (RSN-16,
RSN-27): each client gets a first response of each other provider, sends it back as it came, and no provider gets what
it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

import proxai_ir
from proxai_ir import Exchange
from proxai_ir.exchange.provider import http_of
from proxai_ir.ir.envelope import TAG

from ..cases import each
from ..clients.provider import ANTHROPIC, CHAT, GEMINI, RESPONSES
from ..servers.official import official_refusals
from .support import NOW
from .test_signatures import ADD, PLACEHOLDER, with_results

Json = Any
BEDROCK, INTERACTIONS, COHERE, OLLAMA = "bedrock_converse", "gemini_interactions", "cohere_v2_chat", "ollama_chat"
MODELS = {
    CHAT: "gpt-5.1",
    RESPONSES: "gpt-5.1",
    ANTHROPIC: "claude-sonnet-4-5",
    BEDROCK: "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    GEMINI: "gemini-3-flash-preview",
    INTERACTIONS: "gemini-3-flash-preview",
    COHERE: "command-a-reasoning-08-2025",
    OLLAMA: "qwen3",
}
SIGNED = frozenset((ANTHROPIC, BEDROCK, RESPONSES, INTERACTIONS))
"""The protocols whose providers refuse reasoning that they did not make; the others take it."""
THOUGHT = "They want a sum."
ASKED: Json = {
    "model": "m",
    "store": False,
    "max_completion_tokens": 4096,
    "messages": [{"role": "user", "content": "40 and 2?"}],
    "tools": [{"type": "function", "function": {"name": "add", "parameters": ADD}}],
}
CALL: Json = {"id": "call_1", "type": "function", "function": {"name": "add", "arguments": '{"a":40,"b":2}'}}
ANSWERED: Json = {
    "id": "c1",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [
        {
            "index": 0,
            "finish_reason": "tool_calls",
            "message": {"role": "assistant", "content": "I add.", "reasoning_content": THOUGHT, "tool_calls": [CALL]},
        }
    ],
    "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5},
}
PROTOCOLS = proxai_ir.protocols()


def _bedrock(asked: Json, response: Json) -> Json:
    message = response["output"]["message"]
    ids = [block["toolUse"]["toolUseId"] for block in message["content"] if "toolUse" in block]
    results = [{"toolResult": {"toolUseId": one, "content": [{"text": "42"}]}} for one in ids]
    return {**asked, "messages": [*asked["messages"], message, {"role": "user", "content": results}]}


def _interactions(asked: Json, response: Json) -> Json:
    calls = [step for step in response["steps"] if step["type"] == "function_call"]
    results = [{"type": "function_result", "call_id": one["id"], "name": "add", "result": "42"} for one in calls]
    first = [{"type": "user_input", "content": [{"type": "text", "text": "40 and 2?"}]}]
    return {**asked, "input": [*first, *response["steps"], *results]}


def _messages(asked: Json, response: Json) -> Json:
    message = response["message"]
    named = [{"tool_name": "add"} if "id" not in one else {"tool_call_id": one["id"]} for one in message["tool_calls"]]
    results = [{"role": "tool", "content": "42", **one} for one in named]
    return {**asked, "messages": [*asked["messages"], message, *results]}


NEXT: dict[str, Callable[[Json, Json], Json]] = {
    BEDROCK: _bedrock,
    INTERACTIONS: _interactions,
    COHERE: _messages,
    OLLAMA: _messages,
}


def following(client: str, asked: Json, response: Json) -> Json:
    return NEXT[client](asked, response) if client in NEXT else with_results(client, asked, response)


def as_events(protocol: str, answered: Json) -> list[Json]:
    """The stream of a response of Chat Completions, in another protocol."""
    message = answered["choices"][0]["message"]
    head = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    calls = [{"index": at, **one} for at, one in enumerate(message["tool_calls"])]
    deltas = [
        {"role": "assistant", "reasoning_content": message["reasoning_content"]},
        {"content": message["content"]},
        {"tool_calls": calls},
    ]
    chunks = [{**head, "choices": [{"index": 0, "delta": one, "finish_reason": None}]} for one in deltas]
    ending = {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}
    events: list[Json] = [*chunks, ending, {**head, "choices": [], "usage": answered["usage"]}, "[DONE]"]
    return list(proxai_ir.convert_stream(events, CHAT, protocol))


def client_request(client: str, streamed: bool) -> tuple[Json, str]:
    """What a client of this protocol asks, and the path."""
    made = proxai_ir.compile({**ASKED, "stream": streamed}, CHAT, client, kind="request")
    return made.output, str(made.route.get("path") or "")


def response_of(client: str, provider: str, streamed: bool, options: dict[str, Any]) -> tuple[Json, Json, str]:
    """The client's request and path, and what it gets of a provider's response."""
    asked, path = client_request(client, streamed)
    exchange = Exchange(client, provider, model=MODELS[provider], now=NOW, **options)
    exchange.request(json.dumps(asked).encode(), path=path)
    if not streamed:
        data = json.dumps(proxai_ir.convert(ANSWERED, CHAT, provider, kind="response")).encode()
        reply = exchange.response(200, {"content-type": "application/json"}, data)
        assert reply.status == 200, reply.body
        return asked, json.loads(reply.body), path
    framing = http_of(provider).framing
    stream = exchange.stream(200, {"content-type": framing.content_type})
    data = b"".join(framing.encode(one, provider) for one in as_events(provider, ANSWERED))
    out = stream.feed(data) + stream.end()
    assert stream.error is None
    converter = proxai_ir.StreamConverter(client, client, keep_response=True)
    for event in http_of(client).framing.decode([out]):
        converter.feed(event)
    converter.close()
    return asked, converter.response, path


@each(
    "options",
    [{}, {"seals": proxai_ir.Seals({"k": b"a key of 16 bytes"})}, {"seals": False}],
    ids=["", "keys", "uncarried"],
)
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("provider", PROTOCOLS)
@pytest.mark.parametrize("client", PROTOCOLS)
def test_no_provider_gets_reasoning_that_it_refuses(
    client: str, provider: str, streamed: bool, options: dict[str, Any]
) -> None:
    if client == provider:
        pytest.skip("its own reasoning")
    asked, response, path = response_of(client, provider, streamed, options)
    assert THOUGHT in json.dumps(response)
    exchange = Exchange(client, client, model=MODELS[client], now=NOW, **options)
    sent = exchange.request(json.dumps(following(client, asked, response)).encode(), path=path)
    text = sent.body.decode()
    assert TAG not in text and "I add." in text
    assert official_refusals(client, json.loads(text), sent.headers) == []
    assert (THOUGHT in text) is (client not in SIGNED)
    assert ("RSN-5" in [one.rule for one in sent.diagnostics]) is (client in SIGNED)
    if client == GEMINI:
        assert PLACEHOLDER in text
        assert "RSN-22" in [one.rule for one in sent.diagnostics]


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_thinking_that_the_calls_of_others_forbid_is_not_enabled(streamed: bool) -> None:
    """RSN-18: Anthropic refuses a budget where results come last of calls that no thinking led to."""
    bare: Json = {**ANSWERED["choices"][0]["message"], "reasoning_content": None}
    answered = {**ANSWERED, "choices": [{**ANSWERED["choices"][0], "message": bare}]}
    asked, path = client_request(ANTHROPIC, streamed)
    response = proxai_ir.convert(answered, CHAT, ANTHROPIC, kind="response", seals=proxai_ir.Seals())
    thinking = {"thinking": {"type": "enabled", "budget_tokens": 2048}}
    body = {**following(ANTHROPIC, asked, response), **thinking}
    sent = Exchange(ANTHROPIC, ANTHROPIC, model=MODELS[ANTHROPIC], now=NOW).request(
        json.dumps(body).encode(), path=path
    )
    assert official_refusals(ANTHROPIC, json.loads(sent.body), sent.headers) == []
    assert "thinking" not in json.loads(sent.body)
    assert [one.rule for one in sent.diagnostics if one.severity.value == "loss"] == ["RSN-18"]
