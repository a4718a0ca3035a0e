"""A request that fills the prompt cache alone (CAC-8): the one wish that two protocols have two names for."""

from __future__ import annotations

import json
from typing import Any

import pytest

import proxai_ir
from proxai_ir import Exchange

from ..cases import each
from ..clients.provider import ANTHROPIC, CHAT, RESPONSES
from .support import whole

Json = Any
HI = [{"role": "user", "content": "Hi"}]
WARMING: dict[str, Json] = {
    ANTHROPIC: {"model": "m", "max_tokens": 0, "messages": HI},
    RESPONSES: {"model": "m", "store": False, "input": "Hi", "prompt_cache_options": {"prewarm": True}},
}
MODELS = {ANTHROPIC: "claude-opus-5", RESPONSES: "gpt-5.6-sol"}
FILLED: dict[str, Json] = {
    ANTHROPIC: {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "p", "content": [],
        "stop_reason": "max_tokens", "stop_sequence": None,
        "usage": {"input_tokens": 3, "cache_creation_input_tokens": 2000, "output_tokens": 0},
    },
    RESPONSES: {
        "id": "resp_1", "object": "response", "created_at": 1, "model": "p", "status": "completed", "output": [],
        "usage": {
            "input_tokens": 2003, "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 2000},
            "output_tokens": 0, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 2003,
        },
    },
}  # fmt: skip
"""What a provider responds that has filled its cache, as each of the two has it."""
SIDES = [(ANTHROPIC, RESPONSES), (RESPONSES, ANTHROPIC)]


def ending_of(response: Json) -> Json:
    return response["stop_reason"] if "stop_reason" in response else response["status"]


@each("streamed", [False, True])
@each(("client", "provider"), SIDES)
def test_it_is_mapped_there_and_back(client: str, provider: str, streamed: bool) -> None:
    exchange = Exchange(client, provider, model=MODELS[provider])
    sent = exchange.request({**WARMING[client], **({"stream": True} if streamed else {})})
    body = json.loads(sent.body)
    assert body.get("max_tokens", body.get("prompt_cache_options")) == (
        0 if provider == ANTHROPIC else {"prewarm": True}
    )
    if streamed:
        stream = exchange.stream(200, {})
        data = bytes(proxai_ir.convert(json.dumps(FILLED[provider]).encode(), provider, provider, kind="response"))
        made = whole(client, stream.feed(data) + stream.end())  # a response in place of a stream
        assert stream.error is None
    else:
        reply = exchange.response(200, {}, json.dumps(FILLED[provider]).encode())
        made = json.loads(reply.body)
        assert [one.rule for one in reply.diagnostics if one.severity == "loss"] == []
    assert made.get("content", made.get("output")) == []
    assert ending_of(made) == ending_of(FILLED[client])
    assert made["usage"]["output_tokens"] == 0


@pytest.mark.parametrize("model", ["gpt-5.4", "gpt-4.1"])
def test_models_without_such_options_are_not_asked(model: str) -> None:
    with pytest.raises(proxai_ir.Unrepresentable, match="CAC-8"):
        Exchange(ANTHROPIC, RESPONSES, model=model).request(WARMING[ANTHROPIC])


@each("client", [*WARMING])
def test_within_one_protocol_it_is_sent_as_it_is(client: str) -> None:
    sent = Exchange(client, client, model=MODELS[client]).request(WARMING[client])
    assert json.loads(sent.body) == {**WARMING[client], "model": MODELS[client]}


@each("client", [*WARMING])
def test_others_are_not_asked(client: str) -> None:
    exchange = Exchange(client, CHAT, model="m")
    with pytest.raises(proxai_ir.Unrepresentable, match="CAC-8") as refused:
        exchange.request(WARMING[client])
    assert exchange.refusal(refused.value).status == 400
