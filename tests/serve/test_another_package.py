"""A protocol of another package is a client and an upstream of the gateway, which knows no protocol by name."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytest.importorskip("pydantic", reason='the gateway needs the extra "serve"')
pytest.importorskip("httpx", reason='the gateway needs the extra "serve"')

import anyio
import httpx
from attrs import evolve

import proxai_ir
from proxai_ir.batch import compile_line, convert_line
from proxai_ir.conversion.directions import direction
from proxai_ir.protocol import registry
from proxai_ir.protocol.http import Http
from proxai_ir.serve.app import app
from proxai_ir.serve.config import one_upstream

from ..clients.provider import ANTHROPIC, CHAT, TEXT, reply
from . import fifth
from .support import HEADERS, asked, events, over_asgi, path_of
from .upstreams import KEY, Upstream

Json = Any
OWN = {"acme-key": "any"}
HI = {"messages": [{"role": "user", "content": "hi"}]}
VERSION = HEADERS[ANTHROPIC]


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    fifth.install(monkeypatch)


def ask(monkeypatch: Any, upstreams: list[Any], *requests: Json, **tables: Any) -> list[httpx.Response]:
    """Requests as (method, path, body, headers), one after the other."""

    async def work() -> list[httpx.Response]:
        async with over_asgi(monkeypatch, *upstreams, **tables) as http:
            return [await http.request(method, path, json=body, headers=more) for method, path, body, more in requests]

    return anyio.run(work)


def text_of(streamed: httpx.Response) -> str:
    choices = [choice for chunk in events(streamed.content)[:-1] for choice in chunk["choices"]]
    return "".join(choice["delta"].get("content") or "" for choice in choices)


# --- as a client ------------------------------------------------------------------------------------------------------


def test_its_endpoints_are_those_that_it_declares(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, streamed, counted, *missing = ask(
        monkeypatch,
        [Upstream(ANTHROPIC)],
        ("POST", "/acme/any-model/chat", HI, OWN),
        ("POST", "/acme/any-model/flow", HI, OWN),
        ("POST", "/acme/any-model/size", HI, OWN),
        ("GET", "/acme/models/none", None, OWN),
        ("POST", "/acme/any-model/else", HI, OWN),
        ("GET", "/acme/any-model/chat", None, OWN),
    )
    assert whole.status_code == 200
    assert whole.json()["choices"][0]["message"]["content"] == TEXT
    assert whole.headers["acme-model"] == "any-model"
    assert text_of(streamed) == TEXT
    assert counted.json() == {"size": 11}
    assert [one.status_code for one in missing] == [404] * 3


def test_it_states_errors_in_a_header(monkeypatch: pytest.MonkeyPatch) -> None:
    limited, own = ask(
        monkeypatch,
        [Upstream(ANTHROPIC, "429")],
        ("POST", "/acme/m/chat", HI, OWN),
        ("POST", "/acme/m/chat", {"messages": 3}, OWN),
    )
    assert (limited.status_code, limited.headers["acme-error"], limited.headers["retry-after"]) == (
        429,
        "Throttled",
        "7",
    )
    assert (own.status_code, own.headers["acme-error"]) == (400, "Other")


# --- as an upstream ---------------------------------------------------------------------------------------------------


def test_it_is_an_upstream(monkeypatch: pytest.MonkeyPatch) -> None:
    provider = fifth.Provider(KEY)
    whole, streamed, counted = ask(
        monkeypatch,
        [provider],
        ("POST", path_of(ANTHROPIC), asked(ANTHROPIC), VERSION),
        ("POST", path_of(CHAT), asked(CHAT, streamed=True), {}),
        ("POST", f"{path_of(ANTHROPIC)}/count_tokens", asked(ANTHROPIC), VERSION),
    )
    assert whole.json()["content"] == [{"type": "text", "text": "Hello"}]
    assert text_of(streamed) == "Hello"
    assert counted.json() == {"input_tokens": 7}
    assert [path for path, _, _ in provider.seen] == ["/acme/big/chat", "/acme/big/flow", "/acme/big/size"]


def test_its_models_are_listed_for_every_client(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also the request for the list is signed."""
    chat, google, own, one = ask(
        monkeypatch,
        [fifth.Provider(KEY)],
        ("GET", "/v1/models", None, {}),
        ("GET", "/v1beta/models/a1", None, {}),
        ("GET", "/acme/models", None, OWN),
        ("GET", "/acme/models/a1", None, OWN),
        routes=[{"models": ["*"], "upstream": "u0"}],
    )
    assert chat.json()["data"][0]["id"] == "a1"
    assert google.json()["name"] == "models/a1"
    assert (own.json(), one.json()) == ({"have": ["a1"]}, {"called": "a1"})


def test_every_attempt_is_signed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last step of a request: over the path and the body that are sent, without the key, once for each upstream."""
    first, second = fifth.Provider(KEY), fifth.Provider(KEY)
    monkeypatch.setattr("proxai_ir.serve.forward.RETRYABLE", {424})
    first.script.append("Late")
    (found,) = ask(monkeypatch, [first, second], ("POST", path_of(CHAT), asked(CHAT), {}))
    assert found.status_code == 200
    (_, one, body), (_, other, _) = (*first.seen, *second.seen)
    assert KEY not in str(one)
    assert one["acme-signature"] != other["acme-signature"]
    assert one["acme-moment"] != other["acme-moment"]
    assert one["acme-signature"] == fifth.signature(KEY, "POST", "/acme/big/chat", one["acme-moment"], body)


def test_a_signature_that_cannot_be_made_is_an_error_of_the_client(monkeypatch: pytest.MonkeyPatch) -> None:
    config = one_upstream({"protocol": fifth.NAME, "base_url": "http://a"}, "big")  # without a key
    served = app(config, transport=lambda _: httpx.ASGITransport(fifth.Provider(KEY)))

    async def work() -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(served), base_url="http://127.0.0.1:80") as http:
            return await http.post(path_of(CHAT), json=asked(CHAT))

    found = anyio.run(work)
    assert (found.status_code, found.json()["error"]["type"]) == (500, "server_error")


@pytest.mark.parametrize("change", ["unsigned", "body", "path", "nothing"])
def test_what_was_altered_after_it_was_signed_is_refused(change: str) -> None:
    path, body = "/acme/big/chat", json.dumps(HI).encode()
    headers = fifth.sign("POST", f"http://u{path}", {"acme-key": KEY}, body)
    if change == "unsigned":
        headers = {"acme-key": KEY}

    async def send() -> int:
        transport = httpx.ASGITransport(fifth.Provider(KEY))
        async with httpx.AsyncClient(transport=transport, base_url="http://u") as http:
            content = body + b" " if change == "body" else body
            where = "/acme/other/chat" if change == "path" else path
            return (await http.post(where, content=content, headers=headers)).status_code

    assert anyio.run(send) == (200 if change == "nothing" else 424)


@pytest.mark.parametrize(("word", "status"), [("Throttled", 429), ("Late", 504), ("Denied", 403), ("Odd", 424)])
def test_its_errors_are_known_by_a_header(monkeypatch: pytest.MonkeyPatch, word: str, status: int) -> None:
    """The status of all of them is 424, and the bodies are the same."""
    own, whole, streamed = ask(
        monkeypatch,
        [fifth.Provider(KEY, word, word, word)],
        ("POST", "/acme/m/chat", HI, OWN),
        ("POST", path_of(ANTHROPIC), asked(ANTHROPIC), VERSION),
        ("POST", path_of(CHAT), asked(CHAT, streamed=True), {}),
    )
    assert (whole.status_code, streamed.status_code) == (status, status)
    assert (own.status_code, own.headers["acme-error"]) == (424, word if word in fifth.ERRORS else "Other")


# --- without a gateway ------------------------------------------------------------------------------------------------


def test_headers_are_an_option_of_every_conversion() -> None:
    body, headers = {"error": {"message": "no"}}, {"acme-error": "Late"}
    assert proxai_ir.lower(body, fifth.NAME, kind="error", status=424, headers=headers).category.value == "timeout"
    assert proxai_ir.lower(body, fifth.NAME, kind="error", status=424).category.value == "invalid_request"
    made = proxai_ir.compile(body, fifth.NAME, ANTHROPIC, kind="error", headers=headers)
    assert made.output["error"]["type"] == "timeout_error"
    assert made.headers == {}
    back = proxai_ir.compile(made.output, ANTHROPIC, fifth.NAME, kind="error")
    assert back.headers == headers


def test_streams_have_headers() -> None:
    converter = proxai_ir.StreamConverter(fifth.NAME, ANTHROPIC, headers={"acme-model": "a1"})
    assert converter.feed(fifth.CHUNKS[0])[0]["message"]["model"] == "a1"
    node = proxai_ir.lower(fifth.CHUNKS, fifth.NAME, kind="stream", headers={"acme-model": "a1"})
    assert node.steps[0][0].response.model == "a1"  # type: ignore[union-attr]
    proxai_ir.lower(fifth.CHUNKS, fifth.NAME, kind="stream")


def test_where_a_request_has_its_model_and_asks_for_a_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    """A protocol may have other members for both, and may stream unless it is told not to."""
    http = Http(path="/acme", named="uses", streams=lambda body: body.get("whole") is not True)
    front = evolve(
        fifth.FRONTEND,
        request=lambda body: fifth.CHAT_FRONTEND.request({"model": body["uses"], "messages": body["messages"]}),
    )
    monkeypatch.setattr(fifth, "BACKEND", evolve(fifth.BACKEND, http=http))
    monkeypatch.setattr(fifth, "FRONTEND", front)
    for cached in (registry._frontend, registry._backend, direction):
        cached.cache_clear()
    try:
        exchange = proxai_ir.Exchange(fifth.NAME, ANTHROPIC, model="big")
        sent = exchange.request({"uses": "small", "messages": HI["messages"]})
        assert (json.loads(sent.body)["model"], exchange.state["model"], sent.stream) == ("big", "small", True)
        assert not exchange.request({"uses": "small", "messages": HI["messages"], "whole": True}).stream
    finally:
        for cached in (registry._frontend, registry._backend, direction):
            cached.cache_clear()


def test_whoever_sends_signs() -> None:
    exchange = proxai_ir.Exchange(CHAT, fifth.NAME, model="a1", key=KEY)
    sent = exchange.request(asked(CHAT))
    made = exchange.signed(sent, f"https://acme.invalid{sent.path}")
    assert made["acme-signature"] == fifth.signature(KEY, "POST", sent.path, made["acme-moment"], sent.body)
    assert "acme-key" not in made
    plain = proxai_ir.Exchange(CHAT, CHAT, key=KEY)
    sent = plain.request(asked(CHAT))
    assert plain.signed(sent, "https://a.invalid") == sent.headers


def test_an_sdk_of_its_own_and_an_sdk_on_it() -> None:
    """In process: its paths are those that it declares, and its server is where the caller says."""
    of_httpx = pytest.importorskip("httpx2")
    seen: list[Any] = []

    def handle(request: Any) -> Any:
        seen.append(request)
        came = reply(CHAT if "acme" in request.url.host else ANTHROPIC, "text", False)
        return of_httpx.Response(200, headers={"content-type": came.type}, content=b"".join(came.chunks))

    transport = of_httpx.MockTransport(handle)
    with pytest.raises(TypeError, match=f"{fifth.NAME} states no server; expected base_url="):
        proxai_ir.httpx.client(fifth.NAME, api_key=KEY)
    given: Any = {"model": "a1", "api_key": KEY, "transport": transport}
    http = proxai_ir.httpx.client(fifth.NAME, base_url="https://acme.invalid", **given)
    assert TEXT in http.post("https://api.invalid/v1/chat/completions", json=asked(CHAT)).text
    sent = seen[0]
    signed = fifth.signature(KEY, "POST", sent.url.path, sent.headers["acme-moment"], sent.content)
    assert (sent.url.path, sent.headers["acme-signature"]) == ("/acme/a1/chat", signed)
    assert "acme-key" not in sent.headers
    own = proxai_ir.httpx.client(ANTHROPIC, **given)
    assert TEXT in own.post("https://acme.invalid/acme/any-model/chat", json=HI, headers=OWN).text
    missing = own.post("https://acme.invalid/acme/any-model/else", json=HI, headers=OWN)
    assert (missing.status_code, "There is no POST /acme/any-model/else here" in missing.text) == (404, True)


def test_what_was_read_with_headers_goes_back_as_it_came() -> None:
    body = {"error": {"message": "no"}}
    node = proxai_ir.lower(body, fifth.NAME, kind="error", status=424, headers={"acme-error": "Late"})
    assert proxai_ir.raise_to(node, fifth.NAME) == body


@pytest.mark.parametrize("headers", [3, ["a"], {"a": 1}, {1: "a"}])
def test_headers_are_texts(headers: Any) -> None:
    with pytest.raises(TypeError, match="'headers'"):
        proxai_ir.compile({"error": {"message": "no"}}, CHAT, ANTHROPIC, kind="error", headers=headers)
    with pytest.raises(TypeError, match="'headers'"):
        proxai_ir.lower({"error": {"message": "no"}}, CHAT, kind="error", headers=headers)


def test_a_text_that_no_header_can_hold_is_not_sent() -> None:
    exchange = proxai_ir.Exchange(fifth.NAME, ANTHROPIC, model="m")
    exchange.request(HI, path="/acme/m/chat")
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": "r1", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn"}
    data = json.dumps({**message, "content": [], "usage": usage}).encode()
    names = {"m": "m", "a\r\nset-cookie: b": None}
    for name, sent in names.items():
        exchange.state["model"] = name
        reply = exchange.response(200, {}, data)
        assert (reply.status, reply.headers.get("acme-model")) == (200, sent)


# --- batch files ------------------------------------------------------------------------------------------------------


def test_its_batch_lines_convert_both_ways() -> None:
    line = {"n": "q-1", "ask": {"messages": [{"role": "user", "content": "Hi"}], "max_completion_tokens": 64}}
    theirs = {
        "custom_id": "q-1",
        "params": {"model": "m", "max_tokens": 64, "messages": [{"role": "user", "content": "Hi"}]},
    }
    assert convert_line(line, fifth.NAME, ANTHROPIC, model="m") == theirs
    assert convert_line(line, None, ANTHROPIC, model="m") == theirs
    made = compile_line(theirs, None, fifth.NAME)
    assert (made.output, made.route["model"]) == (line, "m")
    late = compile_line({"custom_id": "q-1", "result": {"type": "expired"}}, None, fifth.NAME)
    assert [one.code for one in late.diagnostics] == ["BAT-2"]


def test_a_protocol_without_batch_lines_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proxai_ir.batch.convert.backend", lambda _: evolve(fifth.BACKEND, batch=None))
    with pytest.raises(proxai_ir.InvalidPayload) as caught:
        convert_line({"n": "q-1", "ask": HI}, fifth.NAME, fifth.NAME)
    assert caught.value.rule == "SHP-9"
