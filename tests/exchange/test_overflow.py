"""A prompt that is too long: every wording of the table, to every client, whole and streamed (ERR-7, ERR-8)."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

import proxai_ir
from proxai_ir import Exchange
from proxai_ir.ir.error import CODES, WORDINGS, ErrorCategory, overflows, patterns

from ..cases import each
from ..clients.provider import ANTHROPIC, CHAT, GEMINI, RESPONSES
from .errors import anthropic, gemini, openai
from .overflow_wordings import BY_WORDING, Recorded
from .support import ALL, asked, events

RECORDED = tuple(one for recorded in BY_WORDING for one in recorded)
EVERY = each("recorded", RECORDED, ids=lambda one: f"{one.server}: {one.message[:24]}")

FORMS: dict[str, Any] = {
    "Mistral": lambda text: {"object": "error", "message": text, "type": "invalid_request_prompt", "code": "3051"},
    "xAI": lambda text: {"code": "invalid-argument", "error": text},
    "llama.cpp": lambda text: {"error": {"code": 500, "message": text, "type": "server_error"}},
    "LM Studio": lambda text: {"error": text},
    "Ollama": lambda text: {"error": text},
    "SGLang": lambda text: {"object": "error", "message": text, "type": "BadRequestError", "param": None, "code": 400},
    "OpenRouter": lambda text: {"error": {"message": text, "code": 400, "metadata": {"provider_name": "Chutes"}}},
    "DeepSeek": lambda text: openai(text, "invalid_request_error", "invalid_request_error"),
    "GitHub Copilot": lambda text: {"error": {"message": text, "code": "model_max_prompt_tokens_exceeded"}},
    "Z.ai": lambda text: {"error": {"code": "1261", "message": text}},
    "Text Generation Inference": lambda text: {"error": text, "error_type": "validation"},
    "Bedrock": lambda text: {"message": text},
}
"""How servers write the body, where that is not OpenAI's form."""
ELSEWHERE = {
    "Anthropic": (ANTHROPIC, lambda text: anthropic(text, "invalid_request_error")),
    "Bedrock": (ANTHROPIC, FORMS["Bedrock"]),
    "Gemini": (GEMINI, lambda text: gemini(400, text, "INVALID_ARGUMENT")),
    "Vertex AI": (GEMINI, lambda text: gemini(400, text, "INVALID_ARGUMENT")),
    "OpenAI Responses": (RESPONSES, lambda text: openai(text, "invalid_request_error", None, "input")),
}
"""Servers of other protocols than Chat Completions."""


def sent(recorded: Recorded) -> tuple[str, bytes]:
    """The protocol of a server, and the body that it sends."""
    plain = FORMS.get(recorded.server, lambda text: openai(text, "invalid_request_error"))
    protocol, form = ELSEWHERE.get(recorded.server, (CHAT, plain))
    return protocol, json.dumps(form(recorded.message)).encode()


def is_known(client: str, error: Any, words: str) -> bool:
    """Whether a client takes an error for a prompt that is too long; it shows the provider's words in any case."""
    assert error["message"].endswith(words)
    if client == ANTHROPIC:
        begins = str(error["message"]).lower().startswith("prompt is too long")
        return begins and bool(error["type"] == "invalid_request_error")
    if client == GEMINI:
        wording = r"The input token count( \(\d+\))? exceeds the maximum number of tokens allowed"
        return (error["code"], error["status"]) == (400, "INVALID_ARGUMENT") and bool(
            re.match(wording, error["message"])
        )
    return bool(error["code"] == "context_length_exceeded")


@EVERY
@each("client", ALL)
def test_a_body_is_known_to_every_client(client: str, recorded: Recorded) -> None:
    provider, body = sent(recorded)
    made = Exchange(client, provider).response(400, {}, body)
    assert made.status == 400
    if client == provider:
        assert made.body == body
    else:
        assert is_known(client, json.loads(made.body)["error"], recorded.message)


BEGINNINGS = {
    "bedrock_converse": "Input is too long for requested model",
    "cohere_v2_chat": "too many tokens: ",
    "ollama_chat": "prompt too long; exceeded max context length",
    "gemini_interactions": "The input token count ",
}


@EVERY
@each("client", BEGINNINGS)
def test_clients_without_a_code_know_it_by_its_beginning(client: str, recorded: Recorded) -> None:
    """Strands looks for Bedrock's words, others for what Cohere and Ollama write."""
    provider, body = sent(recorded)
    made = Exchange(client, provider).response(400, {}, body)
    assert made.status == 400
    found = json.loads(made.body)
    text = found["message"] if "message" in found else found["error"]
    text = text["message"] if isinstance(text, dict) else text
    assert text.lower().startswith(BEGINNINGS[client].lower())
    assert text.endswith(recorded.message)
    assert overflows(text)


@EVERY
@each("client", ALL)
def test_a_stream_is_known_to_every_client(client: str, recorded: Recorded) -> None:
    """As the first event, which some servers name."""
    provider, body = sent(recorded)
    if client == provider:
        return
    for name in (b"", b"event: error\n"):
        stream = asked(client, provider, streamed=True).stream(200, {"content-type": "text/event-stream"})
        out = events(stream.feed(name + b"data: " + body + b"\n\n") + stream.end())
        if client == RESPONSES:
            *_, error, failed = out
            assert [event["type"] for event in out] == [
                "response.created",
                "response.in_progress",
                "error",
                "response.failed",
            ]
            assert failed["response"]["error"]["code"] == "context_length_exceeded"
        else:
            error = next(event["error"] for event in out if event != "[DONE]")
        assert is_known(client, error, recorded.message)
        assert stream.failure is not None
        assert stream.failure.category is ErrorCategory.CONTEXT_LENGTH


def test_a_stream_that_has_begun_fails_with_the_code_in_both_events() -> None:
    """Codex reads the second one only."""
    chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    begun = {**chunk, "choices": [{"index": 0, "delta": {"role": "assistant", "content": "Hi"}}]}
    failed = {"error": {"message": "Prompt exceeds max length", "code": "1261"}}
    converter = proxai_ir.StreamConverter(CHAT, RESPONSES)
    converter.feed(begun)
    error, last = converter.feed(failed)
    assert error["code"] == last["response"]["error"]["code"] == "context_length_exceeded"
    assert last["type"] == "response.failed"


def test_every_row_has_its_source() -> None:
    for one in RECORDED:
        assert one.source.startswith("https://"), one
    assert all(source.startswith("https://") for source in CODES.values())
    assert len(set(WORDINGS)) == len(WORDINGS)
    for pattern, recorded in zip(patterns(), BY_WORDING, strict=True):
        assert recorded
        assert all(pattern.search(one.message.lower()) for one in recorded)


@pytest.mark.parametrize("code", CODES)
def test_a_code_is_enough(code: str) -> None:
    body = {"error": {"message": "No.", "type": code if code.endswith("_error") else None, "code": code}}
    node = proxai_ir.lower(body, CHAT, kind="error")
    assert node.category is ErrorCategory.CONTEXT_LENGTH


OTHERS = {
    "OpenAI, tokens per minute": (
        "Request too large for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Requested 40000. The "
        "input or output tokens must be reduced in order to run successfully."
    ),
    "Bedrock, throttled": "Too many tokens, please wait before trying again.",
    "Anthropic, tokens per minute": (
        "This request would exceed your organization's rate limit of 40,000 input tokens per minute. Please reduce the "
        "length of the prompt or the number of messages."
    ),
    "OpenAI, output": (
        "max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided "
        "100000."
    ),
    "Anthropic, output": "max_tokens: 100000 > 8192, which is the maximum allowed number of output tokens for claude",
    "vLLM, output": (
        "'max_tokens' or 'max_completion_tokens' is too large: 1000000. This model's maximum context length is 32768 "
        "tokens and your request has 7838 input tokens (1000000 > 32768 - 7838)."
    ),
    "OpenRouter, output": (
        "This endpoint's maximum context length is 131072 tokens. However, you requested about 141607 tokens (10535 of "
        "text input, 131072 in the output). Please reduce the length of either one."
    ),
    "Anthropic, output and input": (
        "input length and `max_tokens` exceed context limit: 10 + 300000 > 204648, decrease input length or "
        "`max_tokens` and try again"
    ),
    "TGI, output": (
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 9 `inputs` tokens and 4096 "
        "`max_new_tokens`"
    ),
    "OpenAI, a parameter": "Invalid 'metadata.name': string too long. Expected a string with maximum length 512.",
}


@pytest.mark.parametrize("message", OTHERS.values(), ids=OTHERS)
def test_other_limits_are_none(message: str) -> None:
    assert not overflows(message)
    node = proxai_ir.lower(openai(message, "invalid_request_error"), CHAT, kind="error")
    assert node.category is ErrorCategory.INVALID_REQUEST


def test_a_limit_of_rates_keeps_its_category() -> None:
    words = "Rate limit reached: reduce the length of the messages. Limit 30000 tokens per minute"
    made = Exchange(RESPONSES, CHAT).response(429, {}, json.dumps(openai(words, "tokens")).encode())
    assert (made.status, json.loads(made.body)["error"]["code"]) == (429, None)


def test_the_code_goes_back_from_gemini() -> None:
    """No status of Google's says what went wrong, so the code stays in its details."""
    there = proxai_ir.convert(
        openai("Too many tokens.", "invalid_request_error", "context_length_exceeded"), RESPONSES, GEMINI, kind="error"
    )
    assert there["error"]["details"] == [
        {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "context_length_exceeded"}
    ]
    back = proxai_ir.convert(there, GEMINI, RESPONSES, kind="error")
    assert back["error"]["code"] == "context_length_exceeded"


def test_a_long_message_takes_no_time() -> None:
    """Linear in what is read, which is bounded."""
    for word in ("maximum context length is 1 tokens 1 ", "input token count ", "prompt too long; ", "1,"):
        assert overflows(word * 100_000) in (True, False)
