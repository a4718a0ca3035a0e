"""`POST /v1/responses/compact`: a summary of a conversation from every upstream, for OpenAI's clients."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytest.importorskip("pydantic", reason='the gateway needs the extra "serve"')
pytest.importorskip("httpx", reason='the gateway needs the extra "serve"')

import anyio
import httpx
from starlette.requests import Request
from starlette.responses import Response

from proxai_ir.serve.app import app

from ..clients.provider import ANTHROPIC, CHAT, GEMINI, RESPONSES, TEXT, reply
from .support import configured
from .upstreams import KEY

Json = Any
SAID = {"role": "user", "content": "What is 40 and 2?"}
HISTORY = [
    SAID,
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "42."}]},
    {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "c1", "output": "done"},
    {"role": "user", "content": [{"type": "input_text", "text": "And 43?"}]},
]
USER = [
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "What is 40 and 2?"}]},
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "And 43?"}]},
]


class Answers:
    """An upstream, as an ASGI application, that answers each request with the next of these. `seen`: what it got."""

    def __init__(self, *answers: tuple[int, bytes]) -> None:
        self.answers, self.seen = [*answers], list[tuple[str, Json, Any]]()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        request = Request(scope, receive)
        self.seen.append((scope["path"], await request.json(), request.headers))
        status, body = self.answers.pop(0)
        await Response(body, status, media_type="application/json")(scope, receive, send)


def text_of(provider: str) -> tuple[int, bytes]:
    return 200, b"".join(reply(provider, "text", False).chunks)


def asked(monkeypatch: Any, upstream: Answers, provider: str, *requests: tuple[str, Json]) -> list[httpx.Response]:
    """The responses to requests as (path, body)."""

    async def work() -> list[httpx.Response]:
        async with gateway(monkeypatch, upstream, provider) as http:
            return [await http.post(path, json=body) for path, body in requests]

    return anyio.run(work)


def gateway(monkeypatch: Any, upstream: Answers, provider: str) -> httpx.AsyncClient:
    config = configured(monkeypatch, (provider, "http://up.invalid"))
    made = app(config, transport=lambda _: httpx.ASGITransport(upstream))
    return httpx.AsyncClient(transport=httpx.ASGITransport(made), base_url="http://127.0.0.1")


@pytest.mark.parametrize("path", ["/v1/responses/compact", "/responses/compact"])
@pytest.mark.parametrize("provider", [CHAT, ANTHROPIC, GEMINI])
def test_every_upstream_is_asked_for_a_summary(path: str, provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its response holds all messages of the user and one item with the summary, which the next request brings back."""
    upstream = Answers(text_of(provider), text_of(provider))
    body = {"model": "m", "instructions": "Be brief.", "input": HISTORY}
    (found,) = asked(monkeypatch, upstream, provider, (path, body))
    assert found.status_code == 200, found.text
    made = found.json()
    assert made["object"] == "response.compaction"
    assert made["output"][:-1] == USER
    assert (made["output"][-1]["type"], set(made["output"][-1])) == ("compaction", {"id", "type", "encrypted_content"})
    assert made["usage"]["total_tokens"] == made["usage"]["input_tokens"] + made["usage"]["output_tokens"] > 0
    assert {"id", "created_at"} < made.keys()
    sent = json.dumps(upstream.seen[0][1])
    assert "Be brief." in sent
    assert "compaction_trigger" not in sent


def test_a_session_goes_on_with_the_summary(monkeypatch: pytest.MonkeyPatch) -> None:
    upstream = Answers(text_of(CHAT), text_of(CHAT))

    async def work() -> httpx.Response:
        async with gateway(monkeypatch, upstream, CHAT) as http:
            compacted = (await http.post("/v1/responses/compact", json={"model": "m", "input": HISTORY})).json()
            history = [*compacted["output"], {"role": "user", "content": "Go on."}]
            return await http.post("/v1/responses", json={"model": "m", "input": history, "store": False})

    assert anyio.run(work).status_code == 200
    sent = json.dumps(upstream.seen[-1][1]["messages"])
    assert TEXT in sent
    assert "encrypted_content" not in sent


def test_a_conversation_that_is_only_referred_to(monkeypatch: pytest.MonkeyPatch) -> None:
    upstream = Answers(text_of(CHAT), text_of(CHAT))

    async def work() -> tuple[Json, httpx.Response]:
        async with gateway(monkeypatch, upstream, CHAT) as http:
            first = (await http.post("/v1/responses", json={"model": "m", "input": [SAID]})).json()
            found = await http.post("/v1/responses/compact", json={"model": "m", "previous_response_id": first["id"]})
            lost = await http.post("/v1/responses/compact", json={"model": "m", "previous_response_id": "resp_x"})
            return found.json(), lost

    found, lost = anyio.run(work)
    assert found["output"][:-1] == USER[:1]
    assert TEXT in json.dumps(upstream.seen[-1][1]["messages"])
    assert (lost.status_code, lost.json()["error"]["code"]) == (400, "previous_response_not_found")


def test_an_upstream_of_the_protocol_has_the_path_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = {"id": "resp_1", "object": "response.compaction", "created_at": 1, "output": [], "usage": {}}
    refused = {"error": {"message": "no", "type": "invalid_request_error", "param": None, "code": None}}
    upstream = Answers((200, json.dumps(theirs).encode()), (400, json.dumps(refused).encode()))
    body = {"model": "m", "input": HISTORY}
    ok, wrong = asked(monkeypatch, upstream, RESPONSES, *[("/v1/responses/compact", body)] * 2)
    assert [path for path, _, _ in upstream.seen] == ["/v1/responses/compact"] * 2
    assert upstream.seen[-1][1] == {**body, "model": "big"}
    assert upstream.seen[0][2]["authorization"] == f"Bearer {KEY}"
    assert (ok.status_code, ok.json()) == (200, theirs)
    assert (wrong.status_code, wrong.json()) == (400, refused)


def test_the_official_client(monkeypatch: pytest.MonkeyPatch) -> None:
    openai = pytest.importorskip("openai")
    upstream = Answers(text_of(ANTHROPIC))
    (found,) = asked(monkeypatch, upstream, ANTHROPIC, ("/v1/responses/compact", {"model": "m", "input": HISTORY}))
    made = openai.types.responses.CompactedResponse.construct(**found.json())
    assert [one.type for one in made.output] == ["message", "message", "compaction"]
    assert made.usage.total_tokens > 0


@pytest.mark.parametrize(
    ("body", "status"), [({"input": HISTORY}, 400), ([1], 400), ({"model": "m", "input": [{"type": 7}]}, 400)]
)
def test_what_is_no_such_request_is_refused(body: Json, status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    (found,) = asked(monkeypatch, Answers(), CHAT, ("/v1/responses/compact", body))
    assert found.status_code == status
    assert found.json()["error"]["message"]


def test_an_upstream_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    failed = json.dumps({"error": {"message": "too many", "type": "rate_limit_error"}}).encode()
    (found,) = asked(
        monkeypatch, Answers((429, failed)), CHAT, ("/v1/responses/compact", {"model": "m", "input": "Hi"})
    )
    assert (found.status_code, found.json()["error"]["message"]) == (429, "too many")
