"""Responses that lack what clients expect: content, a model, an id. A client that gets an error in place of a response
sends its whole prompt again, and keys on ids."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxai_ir import Exchange

from ..clients.provider import ANTHROPIC, CHAT, GEMINI, RESPONSES
from ..samples.openai_chat_completions import building as chat
from .support import ASKED, asked, events, request_of

EMPTY: dict[str, Any] = {
    CHAT: chat.response("stop", content=None),
    GEMINI: {"candidates": [{"index": 0, "finishReason": "STOP"}], "modelVersion": "g", "responseId": "r"},
    RESPONSES: {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "status": "completed",
        "model": "m",
        "output": [],
    },
}
NAMELESS = {
    "object": "chat.completion",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}],
}


@pytest.mark.parametrize("provider", EMPTY)
def test_an_empty_natural_ending_arrives_and_is_reported(provider: str) -> None:
    reply = asked(ANTHROPIC, provider).response(200, {}, json.dumps(EMPTY[provider]).encode())
    made = json.loads(reply.body)
    assert (reply.status, made["content"], made["stop_reason"]) == (200, [], "end_turn")
    assert "CHO-5" in [one.code for one in reply.diagnostics]


def test_a_stream_without_content_arrives_and_is_reported() -> None:
    stream = asked(ANTHROPIC, CHAT, streamed=True).stream(200, {})
    sent = b"".join(f"data: {json.dumps(one) if one != '[DONE]' else one}\n\n".encode() for one in chat.stream())
    got = events(stream.feed(sent) + stream.end())
    assert [one["type"] for one in got] == ["message_start", "message_delta", "message_stop"]
    assert got[1]["delta"]["stop_reason"] == "end_turn"
    assert "CHO-5" in [one.code for one in stream.diagnostics]


@pytest.mark.parametrize("options", [{"strict": True}, {"allow_empty": False}])
def test_strict_mode_and_the_option_refuse_it(options: dict[str, Any]) -> None:
    reply = asked(ANTHROPIC, CHAT, **options).response(200, {}, json.dumps(EMPTY[CHAT]).encode())
    assert reply.status == 502
    assert "CHO-3" in [one.code for one in reply.diagnostics]


def test_the_option_is_of_clients_that_cannot_have_empty_responses() -> None:
    Exchange(ANTHROPIC, CHAT, allow_empty=True)
    with pytest.raises(TypeError, match="allow_empty"):
        Exchange(CHAT, ANTHROPIC, allow_empty=True)


@pytest.mark.parametrize("client", [ANTHROPIC, RESPONSES])
def test_a_response_without_a_model_has_the_one_that_was_asked_for(client: str) -> None:
    reply = asked(client, CHAT).response(200, {}, json.dumps(NAMELESS).encode())
    assert (reply.status, json.loads(reply.body)["model"]) == (200, ASKED)


@pytest.mark.parametrize("streamed", [False, True])
def test_a_response_without_an_id_has_that_of_its_request_at_the_provider(streamed: bool) -> None:
    exchange = Exchange(ANTHROPIC, CHAT, model="m")
    exchange.request(request_of(ANTHROPIC, streamed))
    headers = {"x-request-id": "req_7f"}
    if streamed:
        chunk = {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": "Hi"}}]}
        first = events(exchange.stream(200, headers).feed(f"data: {json.dumps(chunk)}\n\n".encode()))[0]
        assert first["message"]["id"] == "req_7f"
    else:
        assert json.loads(exchange.response(200, headers, json.dumps(NAMELESS).encode()).body)["id"] == "req_7f"
