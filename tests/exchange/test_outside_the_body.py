"""What of an error reaches the client outside its body, in a header or by the status, is not named as dropped."""

from __future__ import annotations

import json
from typing import Any

import pytest

import proxai_ir

GENERATE, CHAT, RESPONSES, MESSAGES = (
    "gemini_generate_content",
    "openai_chat_completions",
    "openai_responses",
    "anthropic_messages",
)
RETRY = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "13s"}
_SLOW = {"message": "Slow.", "type": "rate_limit_error", "param": None, "code": None}
LIMITED = {"error": {**_SLOW, "resets_in_seconds": 13}}
ERRORS: dict[str, tuple[Any, dict[str, str], str]] = {
    GENERATE: (
        {"error": {"code": 429, "message": "Slow.", "status": "RESOURCE_EXHAUSTED", "details": [RETRY]}},
        {},
        "/error/details/0/retryDelay",
    ),
    CHAT: (LIMITED, {}, "/error/resets_in_seconds"),
    RESPONSES: (LIMITED, {}, "/error/resets_in_seconds"),
}


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("status", [429, 200])
@pytest.mark.parametrize("client", proxai_ir.protocols())
@pytest.mark.parametrize("provider", ERRORS)
def test_when_to_try_again(provider: str, client: str, status: int, strict: bool) -> None:
    body, headers, place = ERRORS[provider]
    exchange = proxai_ir.Exchange(client, provider, model="m", strict=strict)
    sent = {"content-type": "application/json", **headers}
    reply = exchange.response(status, sent, json.dumps(body).encode())
    if client != provider:
        assert reply.status in (429, 400)  # Interactions' clients get what their own server says
    if reply.status != 200:
        assert reply.headers["retry-after"] == "13"
    assert [one for one in reply.diagnostics if one.path == place] == []
    assert [str(one) for one in reply.diagnostics if one.severity != "info"] == []
    if client == GENERATE:
        assert '"retryDelay":"13s"' in reply.body.decode().replace(" ", "")


@pytest.mark.parametrize("client", proxai_ir.protocols())
def test_the_id_of_a_request(client: str) -> None:
    """It is in a header of every protocol that has one; else it is named."""
    body = {"type": "error", "error": {"type": "rate_limit_error", "message": "x"}, "request_id": "req_1"}
    reply = proxai_ir.Exchange(client, MESSAGES, model="m").response(
        429, {"content-type": "application/json", "request-id": "req_1"}, json.dumps(body).encode()
    )
    arrives = "req_1" in reply.headers.values() or "req_1" in reply.body.decode()
    named = [one.rule for one in reply.diagnostics if one.path == "/request_id"]
    assert named == ([] if arrives and client != CHAT else ["ENV-1"])  # whose table notes it in any case


def test_where_there_is_no_header() -> None:
    """A conversion of the body alone loses it."""
    body = ERRORS[GENERATE][0]
    done = proxai_ir.compile(body, GENERATE, CHAT, kind="error", status=429)
    assert ("ERR-2", "/error/details/0/retryDelay") in {(one.rule, one.path) for one in done.diagnostics}
