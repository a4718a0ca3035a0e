"""Reading generateContent costs little more than reading the same in another protocol, whatever its other spellings."""

from __future__ import annotations

from typing import Any

import proxai_ir

from .work import operations

Json = dict[str, Any]
GEMINI, CHAT = "gemini_generate_content", "openai_chat_completions"
TURNS = 100


def gemini_request(**identity: str) -> Json:
    call = {"functionCall": {"name": "sky", "args": {"place": "Graz"}, **identity}}
    result = {"functionResponse": {"name": "sky", "response": {"output": "Blue"}, **identity}}
    turn = [{"role": "model", "parts": [{"text": "I look."}, call]}, {"role": "user", "parts": [result]}]
    return {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}, *turn * TURNS]}


def chat_request() -> Json:
    call = {"id": "call_1", "type": "function", "function": {"name": "sky", "arguments": '{"place":"Graz"}'}}
    turn = [
        {"role": "assistant", "content": "I look.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": "Blue"},
    ]
    return {"model": "gpt-5", "messages": [{"role": "user", "content": "Hi"}, *turn * TURNS]}


def gemini_response() -> Json:
    content = {"role": "model", "parts": [{"text": "Blue"}]}
    counted = [{"modality": "TEXT", "tokenCount": 4}]
    usage = {"promptTokenCount": 4, "candidatesTokenCount": 1, "totalTokenCount": 5, "promptTokensDetails": counted}
    candidate = {"content": content, "finishReason": "STOP", "index": 0}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "gemini-3", "responseId": "r1"}


def chat_response() -> Json:
    choice = {"index": 0, "message": {"role": "assistant", "content": "Blue"}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 4, "completion_tokens": 1, "total_tokens": 5}
    envelope = {"id": "r1", "object": "chat.completion", "created": 1, "model": "gpt-5"}
    return {**envelope, "choices": [choice], "usage": usage}


def cost(payload: Json, protocol: str) -> int:
    proxai_ir.lower(payload, protocol)  # what is made once, when a protocol is first read
    return operations(lambda: proxai_ir.lower(payload, protocol))


def test_a_request_takes_about_three_times_the_calls_of_chat() -> None:
    """More than a quarter of its own look for other spellings; without ids of calls it makes some, which takes more."""
    chat = cost(chat_request(), CHAT)
    assert cost(gemini_request(id="call_1"), GEMINI) < 3.4 * chat
    assert cost(gemini_request(), GEMINI) < 3.7 * chat


def test_a_response_takes_about_twice_the_calls_of_chat() -> None:
    assert cost(gemini_response(), GEMINI) < 2.3 * cost(chat_response(), CHAT)


def test_another_spelling_costs_little_where_it_does_not_stand() -> None:
    """One tool in snake_case: the conversation is looked at twice, and not rebuilt."""
    canonical, other = gemini_request(), gemini_request()
    canonical["tools"] = [{"functionDeclarations": [{"name": "sky"}]}]
    other["tools"] = [{"function_declarations": [{"name": "sky"}]}]
    assert cost(other, GEMINI) < 1.4 * cost(canonical, GEMINI)
