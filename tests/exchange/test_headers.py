"""Headers: of requests the key, the version and betas; of responses ids, hints when to retry and rate limits."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir
from proxai_ir import Exchange, Profile
from proxai_ir.backends.anthropic_messages import HTTP as MESSAGES
from proxai_ir.backends.gemini_generate_content import HTTP as GENERATE
from proxai_ir.backends.openai_chat_completions import HTTP as COMPLETIONS
from proxai_ir.exchange.messages import reset_as

from ..clients.provider import ANTHROPIC, CHAT, GEMINI, RESPONSES
from .errors import body
from .support import ALL, NOW, PAIRS, asked, bytes_of, path_of, request_of

OLD, NEW = "2023-06-01", "2026-10-21"

# --- of requests ------------------------------------------------------------------------------------------------------

KEYS = {
    CHAT: ("authorization", "Bearer sk-1"),
    RESPONSES: ("authorization", "Bearer sk-1"),
    ANTHROPIC: ("x-api-key", "sk-1"),
    GEMINI: ("x-goog-api-key", "sk-1"),
}


@pytest.mark.parametrize(("client", "provider"), PAIRS)
def test_the_provider_gets_its_key_where_it_reads_it(client: str, provider: str) -> None:
    exchange = Exchange(client, provider, key="sk-1")
    sent = exchange.request(request_of(client), {"authorization": "Bearer the-client's"}, path=path_of(client))
    name, value = KEYS[provider]
    assert sent.headers[name] == value
    assert sent.headers["content-type"] == "application/json"
    assert "the-client's" not in str(sent)
    assert "sk-1" not in str(exchange.state)


def test_no_key_is_no_header() -> None:
    sent = Exchange(CHAT, ANTHROPIC).request(request_of(CHAT))
    assert sent.headers == {"content-type": "application/json", "anthropic-version": OLD}


@pytest.mark.parametrize(
    ("http", "headers", "key"),
    [
        (COMPLETIONS, {"authorization": "Bearer sk-1"}, "sk-1"),
        (COMPLETIONS, {"authorization": "bearer  sk-1 "}, "sk-1"),
        (COMPLETIONS, {"authorization": "Basic sk-1"}, None),
        (COMPLETIONS, {"authorization": "Bearer "}, None),
        (COMPLETIONS, {"x-api-key": "sk-1"}, None),
        (COMPLETIONS, {}, None),
        (MESSAGES, {"x-api-key": "sk-1"}, "sk-1"),
        (MESSAGES, {"authorization": "Bearer sk-1"}, "sk-1"),  # Claude Code with ANTHROPIC_AUTH_TOKEN
        (GENERATE, {"x-goog-api-key": "sk-1"}, "sk-1"),
        (GENERATE, {"authorization": "Bearer ya29.1"}, "ya29.1"),  # Vertex AI
    ],
)
def test_the_key_that_a_client_sent(http: Any, headers: dict[str, str], key: str | None) -> None:
    assert http.key_in(headers) == key


def test_the_version_that_the_client_speaks_decides_what_it_gets() -> None:
    exchange = Exchange(ANTHROPIC, CHAT)
    exchange.request(request_of(ANTHROPIC), {"anthropic-version": NEW})
    assert exchange.sides[1] == Profile(ANTHROPIC, NEW)
    assert exchange.state["version"] == NEW
    later = Exchange(ANTHROPIC, CHAT, state=exchange.state)
    assert later.sides[1] == Profile(ANTHROPIC, NEW)


@pytest.mark.parametrize("version", ["", "2019-01-01", "x" * 10_000])
def test_a_version_that_is_not_known_changes_nothing(version: str) -> None:
    exchange = Exchange(Profile(ANTHROPIC, OLD), CHAT)
    exchange.request(request_of(ANTHROPIC), {"anthropic-version": version})
    assert exchange.sides[1] == Profile(ANTHROPIC, OLD)


def test_the_provider_s_version_is_that_of_its_profile() -> None:
    sent = Exchange(ANTHROPIC, Profile(ANTHROPIC, NEW)).request(request_of(ANTHROPIC), {"anthropic-version": OLD})
    assert sent.headers["anthropic-version"] == NEW


def test_without_a_stated_version_the_client_s_own_goes_on_to_its_own_protocol() -> None:
    """As the body does."""
    body = request_of(ANTHROPIC, thread={"type": "create"})
    assert Exchange(ANTHROPIC, ANTHROPIC).request(body, {"anthropic-version": NEW}).headers["anthropic-version"] == NEW
    assert Exchange(ANTHROPIC, ANTHROPIC).request(body).headers["anthropic-version"] == OLD
    assert "anthropic-version" not in Exchange(ANTHROPIC, CHAT).request(body, {"anthropic-version": NEW}).headers


def test_betas_go_to_a_provider_of_the_same_protocol_alone() -> None:
    headers = {"anthropic-beta": "context-1m-2025-08-07,other"}
    assert Exchange(ANTHROPIC, ANTHROPIC).request(request_of(ANTHROPIC), headers).headers["anthropic-beta"] == (
        "context-1m-2025-08-07,other"
    )
    assert "anthropic-beta" not in Exchange(ANTHROPIC, CHAT).request(request_of(ANTHROPIC), headers).headers
    assert "anthropic-beta" not in Exchange(CHAT, ANTHROPIC).request(request_of(CHAT), headers).headers


# --- of responses -----------------------------------------------------------------------------------------------------

OF_OPENAI = {
    "x-request-id": "req_1",
    "x-ratelimit-limit-requests": "500",
    "x-ratelimit-remaining-requests": "499",
    "x-ratelimit-reset-requests": "120ms",
    "x-ratelimit-remaining-tokens": "30000",
    "x-ratelimit-reset-tokens": "6m0s",
    "retry-after": "7",
    "retry-after-ms": "7000",
    "x-should-retry": "true",
    "openai-organization": "org-secret",
    "set-cookie": "a=b",
    "server": "cloudflare",
    "content-length": "12",
    "content-encoding": "gzip",
}
OF_ANTHROPIC = {
    "request-id": "req_2",
    "anthropic-ratelimit-requests-limit": "50",
    "anthropic-ratelimit-requests-remaining": "49",
    "anthropic-ratelimit-requests-reset": "2023-11-14T22:14:20Z",  # a minute after NOW
    "anthropic-ratelimit-input-tokens-remaining": "10",
    "anthropic-organization-id": "org-secret",
    "retry-after": "7",
}


def headers_of(client: str, provider: str, headers: dict[str, str], now: float | None = NOW) -> dict[str, str]:
    exchange = Exchange(client, provider, now=now)
    exchange.request(request_of(client), path=path_of(client))
    return exchange.response(200, headers, bytes_of(provider, "text", streamed=False)).headers


SHARED = {"content-type": "application/json", "retry-after": "7"}
ALL_SHARED = {**SHARED, "retry-after-ms": "7000", "x-should-retry": "true"}


def test_openai_s_headers_as_anthropic_s() -> None:
    assert headers_of(ANTHROPIC, CHAT, OF_OPENAI) == {
        **ALL_SHARED,
        "request-id": "req_1",
        "anthropic-ratelimit-requests-limit": "500",
        "anthropic-ratelimit-requests-remaining": "499",
        "anthropic-ratelimit-requests-reset": "2023-11-14T22:13:20Z",
        "anthropic-ratelimit-tokens-remaining": "30000",
        "anthropic-ratelimit-tokens-reset": "2023-11-14T22:19:20Z",
    }


def test_anthropic_s_headers_as_openai_s() -> None:
    assert headers_of(RESPONSES, ANTHROPIC, OF_ANTHROPIC) == {
        **SHARED,
        "x-request-id": "req_2",
        "x-ratelimit-limit-requests": "50",
        "x-ratelimit-remaining-requests": "49",
        "x-ratelimit-reset-requests": "1m0s",
        "x-ratelimit-remaining-input-tokens": "10",
    }


def test_headers_of_the_same_protocol_stay_and_all_others_stay_behind() -> None:
    made = headers_of(CHAT, RESPONSES, OF_OPENAI)
    assert made == {**ALL_SHARED, **{name: value for name, value in OF_OPENAI.items() if name.startswith("x-r")}}
    assert headers_of(ANTHROPIC, ANTHROPIC, OF_ANTHROPIC)["anthropic-ratelimit-requests-reset"].endswith("14:20Z")


def test_gemini_has_neither_ids_nor_limits() -> None:
    assert headers_of(GEMINI, CHAT, OF_OPENAI) == ALL_SHARED
    assert headers_of(CHAT, GEMINI, {"retry-after": "7", "x-goog-request-id": "1"}) == SHARED


def test_without_the_time_a_reset_stays_behind() -> None:
    made = headers_of(ANTHROPIC, CHAT, OF_OPENAI, now=None)
    assert "anthropic-ratelimit-tokens-reset" not in made
    assert made["anthropic-ratelimit-tokens-remaining"] == "30000"


@pytest.mark.parametrize(
    ("duration", "moment"),
    [
        ("0s", "1970-01-01T00:00:00Z"),
        ("1.5s", "1970-01-01T00:00:01Z"),
        ("20ms", "1970-01-01T00:00:00Z"),
        ("6m0s", "1970-01-01T00:06:00Z"),
        ("1h2m3s", "1970-01-01T01:02:03Z"),
        ("1d", "1970-01-02T00:00:00Z"),
        ("", None),
        ("soon", None),
        ("-5s", None),
        ("9" * 400 + "d", None),
        ("12", None),
    ],
)
def test_a_duration_as_a_moment(duration: str, moment: str | None) -> None:
    assert reset_as(duration, "duration", "time", 0.0) == moment


@pytest.mark.parametrize(
    ("moment", "duration"),
    [
        ("1970-01-01T00:00:00Z", "0s"),
        ("1970-01-01T00:00:59Z", "59s"),
        ("1970-01-01T01:01:01Z", "61m1s"),
        ("1970-01-01T02:00:00+02:00", "0s"),
        ("1969-12-31T00:00:00Z", "0s"),  # has passed
        ("tomorrow", None),
        ("", None),
    ],
)
def test_a_moment_as_a_duration(moment: str, duration: str | None) -> None:
    assert reset_as(moment, "time", "duration", 0.0) == duration


@pytest.mark.parametrize("client", [CHAT, RESPONSES, ANTHROPIC])
def test_when_gemini_says_in_the_body_when_to_retry_it_is_a_header(client: str) -> None:
    assert Exchange(client, GEMINI).response(429, {}, body(GEMINI, 429)).headers["retry-after"] == "34"
    said = Exchange(client, GEMINI).response(429, {"retry-after": "5"}, body(GEMINI, 429)).headers
    assert said["retry-after"] == "5"


@pytest.mark.parametrize("client", ALL)
def test_errors_and_streams_have_them_too(client: str) -> None:
    exchange = asked(client, CHAT, streamed=True)
    failed = exchange.response(429, OF_OPENAI, body(CHAT, 429)).headers
    stream = exchange.stream(200, OF_OPENAI).headers
    for made in (failed, stream):
        assert made["retry-after"] == "7"
        assert "org-secret" not in str(made)
        assert not {"content-length", "content-encoding", "set-cookie", "server"} & made.keys()
    assert (stream["content-type"], stream["cache-control"]) == ("text/event-stream", "no-cache")


def test_headers_may_be_changed_by_the_proxy() -> None:
    """None is shared between replies."""
    first = Exchange(CHAT, CHAT).refusal("No.")
    first.headers["x-proxy"] = "1"
    assert Exchange(CHAT, CHAT).refusal("No.").headers == {"content-type": "application/json"}
    assert proxai_ir.Exchange(CHAT, CHAT).stream(200, {}).headers.keys() == {"content-type", "cache-control"}
