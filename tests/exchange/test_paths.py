"""Which protocol a request is in, by its path: with a base URL's own path, without the version, and none."""

from __future__ import annotations

import pytest

from proxai_ir.exchange.provider import asked, clients, seeming

from ..cases import each

ANTHROPIC, CHAT, RESPONSES, GEMINI = (
    "anthropic_messages",
    "openai_chat_completions",
    "openai_responses",
    "gemini_generate_content",
)
GENERATE, STREAM = "/v1beta/models/m:generateContent", "/v1beta/models/m:streamGenerateContent?alt=sse"


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("/v1/chat/completions", (CHAT, "/v1/chat/completions", False)),
        ("/chat/completions", (CHAT, "/v1/chat/completions", False)),
        ("/openai/v1/chat/completions?a=b", (CHAT, "/v1/chat/completions?a=b", False)),
        ("/v1/responses", (RESPONSES, "/v1/responses", False)),
        ("/responses/input_tokens", (RESPONSES, "/v1/responses", True)),
        ("/v1/messages?beta=true", (ANTHROPIC, "/v1/messages?beta=true", False)),
        ("/api/v1/messages/count_tokens?beta=true", (ANTHROPIC, "/v1/messages?beta=true", True)),
        (GENERATE, (GEMINI, GENERATE, False)),
        (STREAM, (GEMINI, STREAM, False)),
        ("/v1beta/models/m:countTokens", (GEMINI, GENERATE, True)),
    ],
)
def test_what_a_path_asks_for(path: str, found: tuple[str, str, bool]) -> None:
    assert asked(clients(), path) == found


NONE = (
    *("", "/", "/v1/models", "/v1/embeddings", "/v1/responses/resp_1", "/v1/responses/resp_1/cancel", "/v1/messages/"),
    *("/threads/t/messages", "/v1/threads/t/messages", "/v1/messages/batches", "/v1beta/models/m", "/x/responses"),
    *("/v1beta/models/m:embedContent", "/v1beta/models/m:batchGenerateContent", "/v1/completions"),
)


@each("path", NONE)
def test_other_paths_ask_for_none(path: str) -> None:
    assert asked(clients(), path) is None


def test_whose_client_asks_for_what_there_is_not() -> None:
    of = clients()
    assert seeming(of, "/v1/models", {"anthropic-version": "2023-06-01"}) == ANTHROPIC
    assert seeming(of, "/v1/models", {"x-goog-api-key": "any"}) == GEMINI
    assert seeming(of, "/v1beta/files", {}) == GEMINI
    assert seeming(of, "/v1/responses/resp_1", {}) == RESPONSES
    assert seeming(of, "/v1/files", {}) == CHAT
