"""What an error's status and category are to each client: the one table, and every status of every provider."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from proxai_ir import Exchange
from proxai_ir.ir.error import ErrorCategory as Category

from ..cases import each
from ..clients.provider import ANTHROPIC, CHAT, GEMINI, RESPONSES
from .errors import PAGE, STATUSES, anthropic, body, gemini, message, openai
from .support import ALL, PAIRS, message_of, word_of

TABLE: dict[Category, dict[str, tuple[int, str]]] = {
    Category.INVALID_REQUEST: {
        "openai": (400, "invalid_request_error"),
        ANTHROPIC: (400, "invalid_request_error"),
        GEMINI: (400, "INVALID_ARGUMENT"),
    },
    Category.CONTEXT_LENGTH: {
        "openai": (400, "invalid_request_error"),
        ANTHROPIC: (400, "invalid_request_error"),
        GEMINI: (400, "INVALID_ARGUMENT"),
    },
    Category.AUTHENTICATION: {
        "openai": (401, "authentication_error"),
        ANTHROPIC: (401, "authentication_error"),
        GEMINI: (401, "UNAUTHENTICATED"),
    },
    Category.BILLING: {
        "openai": (429, "insufficient_quota"),
        ANTHROPIC: (402, "billing_error"),
        GEMINI: (429, "FAILED_PRECONDITION"),
    },
    Category.PERMISSION: {
        "openai": (403, "permission_error"),
        ANTHROPIC: (403, "permission_error"),
        GEMINI: (403, "PERMISSION_DENIED"),
    },
    Category.NOT_FOUND: {
        "openai": (404, "not_found_error"),
        ANTHROPIC: (404, "not_found_error"),
        GEMINI: (404, "NOT_FOUND"),
    },
    Category.TOO_LARGE: {
        "openai": (413, "request_too_large"),
        ANTHROPIC: (413, "request_too_large"),
        GEMINI: (413, "INVALID_ARGUMENT"),
    },
    Category.RATE_LIMIT: {
        "openai": (429, "rate_limit_error"),
        ANTHROPIC: (429, "rate_limit_error"),
        GEMINI: (429, "RESOURCE_EXHAUSTED"),
    },
    Category.SERVER: {"openai": (500, "server_error"), ANTHROPIC: (500, "api_error"), GEMINI: (500, "INTERNAL")},
    Category.TIMEOUT: {
        "openai": (504, "timeout"),
        ANTHROPIC: (504, "timeout_error"),
        GEMINI: (504, "DEADLINE_EXCEEDED"),
    },
    Category.OVERLOADED: {
        "openai": (503, "overloaded_error"),
        ANTHROPIC: (529, "overloaded_error"),
        GEMINI: (503, "UNAVAILABLE"),
    },
    Category.UNKNOWN: {"openai": (500, "server_error"), ANTHROPIC: (500, "api_error"), GEMINI: (500, "UNKNOWN")},
}


def test_the_table_names_every_category() -> None:
    assert TABLE.keys() == set(Category)


@each("category", TABLE, ids=lambda one: one.name)
@each("client", ALL)
def test_a_category_has_the_status_and_the_word_of_the_client(client: str, category: Category) -> None:
    row = TABLE[category]
    made = Exchange(client, CHAT).refusal("No.", category=category)
    assert (made.status, word_of(client, made.body)) == row.get(client, row.get("openai"))
    if client == GEMINI:  # whose bodies have the status, too
        assert json.loads(made.body)["error"]["code"] == made.status


SPEC = (Path(__file__).parents[2] / "spec" / "exchange.md").read_text(encoding="utf-8")
WORDS = {
    "invalid request": Category.INVALID_REQUEST,
    "prompt too long": Category.CONTEXT_LENGTH,
    "request too large": Category.TOO_LARGE,
}


def test_the_spec_has_the_same_table() -> None:
    """Categories that share a row have one name each in its first cell."""
    rows = [line.strip("| ").split(" | ") for line in SPEC.splitlines() if line.startswith("| ")]
    seen = set()
    for names, *statuses in (row for row in rows if len(row) == 4 and row[-1].isdigit()):
        for name in names.split(", "):
            category = WORDS.get(name) or Category[name.upper().replace(" ", "_")]
            row = TABLE[category]
            assert [int(one) for one in statuses] == [row[side][0] for side in ("openai", ANTHROPIC, GEMINI)]
            seen.add(category)
    assert seen == TABLE.keys()


OTHERWISE = {  # statuses that are not the provider's own
    408: dict.fromkeys(ALL, 504),
    503: {ANTHROPIC: 529},
    529: {CHAT: 503, RESPONSES: 503, GEMINI: 503},
}


@each(("client", "provider"), PAIRS)
@each("status", STATUSES)
def test_a_status_of_a_provider_is_one_that_the_client_knows(client: str, provider: str, status: int) -> None:
    made = Exchange(client, provider).response(status, {}, body(provider, status))
    assert made.status == OTHERWISE.get(status, {}).get(client, status)
    if client == provider and body(provider, status) != PAGE.encode():
        assert made.body == body(provider, status)
        return
    assert message_of(made.body) == message(provider, status)
    if client == GEMINI:
        assert json.loads(made.body)["error"]["code"] == made.status
    assert made.headers["content-type"] == "application/json"


@each(("client", "provider"), PAIRS)
@each(
    ("status", "data"),
    [(301, b""), (199, b""), (404, b""), (500, b"\xff\xfe"), (502, b"[1]"), (503, b'"x"'), (418, b"{")],
)
def test_a_body_that_is_no_error_of_the_protocol(client: str, provider: str, status: int, data: bytes) -> None:
    made = Exchange(client, provider).response(status, {"retry-after": "3"}, data)
    assert 400 <= made.status < 600
    assert made.headers["retry-after"] == "3"
    if client != provider:
        assert message_of(made.body) or not data


WORDED: dict[str, tuple[str, int, Any, Category, int]] = {
    "DeepSeek without credit": (
        CHAT,
        402,
        openai("Insufficient Balance", "unknown_error", "invalid_request_error"),
        Category.BILLING,
        402,
    ),
    "a generic word at a limit": (CHAT, 429, openai("Slow.", "invalid_request_error"), Category.RATE_LIMIT, 429),
    "a generic word of Anthropic's": (ANTHROPIC, 429, anthropic("Slow.", "api_error"), Category.RATE_LIMIT, 429),
    "a generic word of Google's": (GEMINI, 429, gemini(429, "Slow.", "UNKNOWN"), Category.RATE_LIMIT, 429),
    "a specific word": (
        CHAT,
        400,
        openai("No m.", "invalid_request_error", "model_not_found"),
        Category.NOT_FOUND,
        404,
    ),
    "xAI": (
        CHAT,
        403,
        {"code": "unauthenticated:bad-credentials", "error": "The OAuth2 access token could not be validated."},
        Category.AUTHENTICATION,
        401,
    ),
    "Google's bad key": (
        GEMINI,
        400,
        gemini(
            400,
            "API key not valid. Please pass a valid API key.",
            "INVALID_ARGUMENT",
            {
                "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                "reason": "API_KEY_INVALID",
                "domain": "googleapis.com",
            },
        ),
        Category.AUTHENTICATION,
        401,
    ),
    "Moonshot": (CHAT, 403, openai("No quota.", "exceeded_current_quota_error"), Category.BILLING, 429),
}


@pytest.mark.parametrize("case", WORDED)
@pytest.mark.parametrize("client", [RESPONSES, ANTHROPIC])
def test_a_status_outranks_a_generic_word_and_a_specific_word_the_status(client: str, case: str) -> None:
    provider, status, sent, category, served = WORDED[case]
    if client == provider:
        return
    made = Exchange(client, provider).response(status, {}, json.dumps(sent).encode())
    row = TABLE[category]
    expected, word = row.get(client, row["openai"])
    assert made.status == (expected if client == ANTHROPIC else served)
    assert word_of(client, made.body) in (word, sent["error"]["type"] if case == "a specific word" else word)


def test_a_relayed_error_keeps_its_status() -> None:
    _, status, sent, _, _ = WORDED["Google's bad key"]
    data = json.dumps(sent).encode()
    made = Exchange(GEMINI, GEMINI).response(status, {}, data)
    assert (made.status, made.body) == (400, data)


@each("status", [401, 403, 404, 418, 429, 500, 503])
@each(("client", "provider"), PAIRS)
def test_an_empty_body_says_what_its_status_means(client: str, provider: str, status: int) -> None:
    made = Exchange(client, provider).response(status, {}, b"")
    assert len(message_of(made.body)) > 20
    if client != provider:
        assert "ERR-9" in {one.code for one in made.diagnostics}


@each("data", [b"null", b"{}", b"[]", b'""'])
@each(("client", "provider"), [pair for pair in PAIRS if pair[0] != pair[1]])
def test_so_does_one_that_says_nothing(client: str, provider: str, data: bytes) -> None:
    made = Exchange(client, provider).response(500, {}, data)
    assert message_of(made.body) == "The provider had an internal error."


def test_the_time_until_a_limit_resets_is_the_time_to_wait() -> None:
    limit = {"type": "usage_limit_reached", "message": "The usage limit has been reached", "resets_in_seconds": 529498}
    made = Exchange(ANTHROPIC, RESPONSES).response(429, {}, json.dumps({"error": limit}).encode())
    assert (made.status, made.headers["retry-after"]) == (429, "529498")


@each(
    "data",
    [
        b"<html>Under maintenance.</html>",
        b'{"message": "Under maintenance.", "code": 7}',
        b'{"detail": "Under maintenance."}',
    ],
)
@each(("client", "provider"), PAIRS)
def test_a_status_of_success_with_an_error_of_any_shape(client: str, provider: str, data: bytes) -> None:
    made = Exchange(client, provider).response(200, {}, data)
    assert made.status >= 400
    assert b"Under maintenance." in made.body


@pytest.mark.parametrize("client", ALL)
def test_a_prompt_that_is_too_long(client: str) -> None:
    words = "prompt is too long: 250000 tokens > 200000 maximum"
    sent = {"type": "error", "error": {"type": "invalid_request_error", "message": words}}
    made = Exchange(client, ANTHROPIC).response(400, {}, json.dumps(sent).encode())
    named = (
        f"The input token count exceeds the maximum number of tokens allowed: {words}" if client == GEMINI else words
    )
    assert (made.status, message_of(made.body)) == (400, named)
    if client in (CHAT, RESPONSES):
        assert json.loads(made.body)["error"]["code"] == "context_length_exceeded"


@pytest.mark.parametrize("client", ALL)
def test_an_error_with_the_status_of_success(client: str) -> None:
    """As OpenRouter sends it, where its own upstream failed."""
    sent = {"error": {"message": "Provider returned error", "code": 429}}
    made = Exchange(client, CHAT).response(200, {}, json.dumps(sent).encode())
    assert 400 <= made.status < 600
    assert message_of(made.body) == "Provider returned error"


def test_a_response_that_failed_is_an_error_to_others() -> None:
    sent = {
        "id": "resp_1",
        "object": "response",
        "model": "m",
        "status": "failed",
        "output": [],
        "error": {"code": "rate_limit_exceeded", "message": "Slow down."},
    }
    data = json.dumps(sent).encode()
    made = Exchange(ANTHROPIC, RESPONSES).response(200, {}, data)
    assert (made.status, word_of(ANTHROPIC, made.body), made.usage) == (429, "rate_limit_error", None)
    own = Exchange(RESPONSES, RESPONSES).response(200, {}, data)
    assert (own.status, own.body) == (200, data)
