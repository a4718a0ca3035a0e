"""Requests in the form of another protocol that clients send to the path of their own, as Cursor does."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxai_ir import Exchange, InvalidPayload, Profile, Unrepresentable

from ..clients.provider import ANTHROPIC, CHAT, GEMINI, RESPONSES, reply
from .support import NOW, SENT, events

ASKED: dict[str, Any] = {
    "model": "gpt-5",
    "instructions": "Be brief.",
    "input": [{"role": "user", "content": [{"type": "input_text", "text": "Mend it."}]}],
    "tools": [{"type": "custom", "name": "patch"}],
}
STREAMED = {**ASKED, "stream": True, "stream_options": {"include_usage": True}}
CALLED = {"type": "tool_use", "id": "c1", "name": "patch", "input": {"input": "*** Begin"}}
MESSAGE = {
    "id": "m1", "type": "message", "role": "assistant", "model": SENT, "content": [CALLED],
    "stop_reason": "tool_use", "stop_sequence": None, "usage": {"input_tokens": 3, "output_tokens": 2},
}  # fmt: skip
FUNCTION = {"name": "patch", "arguments": '{"input": "*** Begin"}'}
COMPLETION = {
    "id": "m1", "object": "chat.completion", "created": 1, "model": SENT,
    "choices": [{
        "index": 0, "finish_reason": "tool_calls",
        "message": {
            "role": "assistant", "content": None, "tool_calls": [{"id": "c1", "type": "function", "function": FUNCTION}]
        },
    }],
}  # fmt: skip
CALL = {"id": "c1", "type": "custom", "custom": {"name": "patch", "input": "*** Begin"}}
JSON = {"content-type": "application/json"}


def asked(provider: Any, body: Any = ASKED, **options: Any) -> tuple[Exchange, Any]:
    """An exchange of a chat client that sent this body, and what the provider got."""
    exchange = Exchange(CHAT, provider, model=SENT, now=NOW, **options)
    return exchange, json.loads(exchange.request(json.dumps(body).encode(), path="/v1/chat/completions").body)


def test_the_request_is_converted_as_what_it_is() -> None:
    _, sent = asked(ANTHROPIC)
    assert (sent["system"], sent["messages"]) == ("Be brief.", [{"role": "user", "content": "Mend it."}])
    assert [tool["name"] for tool in sent["tools"]] == ["patch"]


def test_a_provider_of_its_form_gets_it_as_it_came_but_for_what_the_response_follows() -> None:
    assert asked(RESPONSES, STREAMED)[1] == {**ASKED, "model": SENT, "stream": True}


@pytest.mark.parametrize(("provider", "answer"), [(ANTHROPIC, MESSAGE), (CHAT, COMPLETION)])
def test_the_response_has_the_form_of_the_path(provider: str, answer: Any) -> None:
    exchange, _ = asked(provider)
    again = Exchange(CHAT, provider, state=json.loads(json.dumps(exchange.state)))
    for one in (exchange, again):
        made = json.loads(one.response(200, JSON, json.dumps(answer).encode()).body)
        assert (made["object"], made["model"]) == ("chat.completion", "gpt-5")
        assert made["choices"][0]["message"]["tool_calls"] == [CALL]


def test_a_server_that_has_custom_tools_gets_them_from_chat_bodies_and_from_others() -> None:
    _, sent = asked(Profile(CHAT, custom_tools=True))
    assert sent["tools"] == [{"type": "custom", "custom": {"name": "patch"}}]


@pytest.mark.parametrize("provider", [ANTHROPIC, RESPONSES, CHAT, GEMINI])
def test_a_stream_has_the_form_of_the_path_and_the_usage_that_was_asked_for(provider: str) -> None:
    exchange, _ = asked(provider, STREAMED)
    given = reply(provider, "text", True)
    stream = exchange.stream(200, given.headers)
    read = events(b"".join([*map(stream.feed, given.chunks), stream.end()]))
    assert {one["object"] for one in read[:-1]} == {"chat.completion.chunk"}
    assert read[-2]["usage"]["total_tokens"] > 0
    assert read[-1] == "[DONE]"


def test_a_stream_undoes_what_was_done_to_its_request() -> None:
    exchange, _ = asked(CHAT, STREAMED)
    stream = exchange.stream(200, {"content-type": "text/event-stream"})
    head = {"id": "m1", "object": "chat.completion.chunk", "created": 1, "model": SENT}
    deltas: tuple[Any, ...] = ({"tool_calls": [{"index": 0, "id": "c1", "type": "function", "function": FUNCTION}]}, {})
    ends = (None, "tool_calls")
    made = b""
    for delta, end in zip(deltas, ends, strict=True):
        chunk = {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": end}]}
        made += stream.feed(b"data: " + json.dumps(chunk).encode() + b"\n\n")
    read = events(made + stream.feed(b"data: [DONE]\n\n") + stream.end())
    calls = [call for one in read[:-1] for choice in one["choices"] for call in choice["delta"].get("tool_calls", ())]
    assert {call.get("type", "custom") for call in calls} == {"custom"}
    assert "".join(call["custom"].get("input", "") for call in calls) == "*** Begin"


def test_errors_have_the_form_of_the_path() -> None:
    exchange, _ = asked(ANTHROPIC)
    failed = {"type": "error", "error": {"type": "rate_limit_error", "message": "slow"}}
    made = exchange.response(429, JSON, json.dumps(failed).encode())
    assert json.loads(made.body)["error"]["message"] == "slow"
    with pytest.raises(InvalidPayload) as caught:
        asked(ANTHROPIC, {"model": "gpt-5", "input": 5})
    assert caught.value.path == "/input"
    with pytest.raises(InvalidPayload) as caught:
        asked(ANTHROPIC, {"model": "gpt-5"})  # of neither form
    assert "messages" in str(caught.value)


def test_what_a_provider_keeps_for_others_stays_out_of_reach() -> None:
    body = {**ASKED, "previous_response_id": "resp_1"}
    for provider, options in ((RESPONSES, {"own_state": True}), (ANTHROPIC, {})):
        with pytest.raises((InvalidPayload, Unrepresentable)) as caught:
            asked(provider, body, **options)
        assert caught.value.rule == "R2A-3"


def test_a_body_of_the_own_form_stays_one() -> None:
    both = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "input": "no"}
    assert asked(ANTHROPIC, both)[1]["messages"] == [{"role": "user", "content": "Hi"}]
