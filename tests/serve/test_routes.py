"""Which upstream gets a request, with which key, and what of that the client and the log get to know."""

from __future__ import annotations

import json
import logging
import os
import signal
from functools import partial
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pydantic", reason='the gateway needs the extra "serve"')
pytest.importorskip("httpx", reason='the gateway needs the extra "serve"')

import anyio
import httpx
from starlette.responses import PlainTextResponse

import proxai_ir
from proxai_ir.serve.config import ConfigError, from_mapping
from proxai_ir.serve.gateway import Call, Gateway, on_signal
from proxai_ir.serve.keys import Ring

from ..clients.provider import ANTHROPIC, CHAT, GEMINI, RESPONSES
from ..waiting import soon
from .support import HEADERS, OPERATOR, asked, events, path_of, sockets
from .test_endpoints import Kept, ask, count, post
from .upstreams import KEY, Upstream

Json = Any
CLIENTS = (CHAT, RESPONSES, ANTHROPIC, GEMINI)
VERSION = HEADERS[ANTHROPIC]
every_client = pytest.mark.parametrize("client", CLIENTS)


def streamed(client: str, **more: Json) -> Json:
    return "POST", path_of(client, True), asked(client, True, **more), HEADERS.get(client, {})


# --- what another upstream is asked after ---------------------------------------------------------------------------


@every_client
@pytest.mark.parametrize("word", ["instead", "named", "short"])
def test_a_stream_that_fails_before_its_content(client: str, word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, storage = Upstream(CHAT, word), Upstream(ANTHROPIC), Kept()
    (found,) = ask(monkeypatch, [first, second], streamed(client), storage=storage, log={"payloads": True})
    assert proxai_ir.lower(events(found.content), client, kind="stream")
    assert "42" in found.text
    assert "event: error" not in found.text
    (record,) = storage.records
    assert (record.upstream, record.error, record.status) == ("u1", None, 200)
    assert [(one["upstream"], one["reason"]) for one in record.attempts] == [("u0", "stream")]
    assert b"message_start" in (record.upstream_response or b"")
    assert b"chat" not in (record.upstream_response or b"")


def test_a_stream_that_fails_after_its_content_is_the_clients(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = Upstream(ANTHROPIC, "cut"), Upstream(CHAT)
    with sockets(monkeypatch, first, second) as url:
        found = httpx.post(url + path_of(CHAT), json=asked(CHAT, True))
    assert "It" in found.text
    assert "error" in found.text
    assert second.seen == []


def test_of_all_upstreams_that_fail_in_their_stream_the_last_is_the_clients(monkeypatch: pytest.MonkeyPatch) -> None:
    upstreams = [Upstream(CHAT, "instead"), Upstream(CHAT, "instead")]
    (found,) = ask(monkeypatch, upstreams, streamed(ANTHROPIC))
    assert found.text.count("event: error") == 1
    assert [len(one.seen) for one in upstreams] == [1, 1]


def test_what_cannot_be_converted_is_for_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, storage = Upstream(ANTHROPIC), Upstream(CHAT), Kept()
    (found,) = ask(monkeypatch, [first, second], post(CHAT, n=2), storage=storage)
    assert found.status_code == 200
    assert first.seen == []
    assert storage.records[0].attempts == [{"upstream": "u0", "reason": "conversion", "detail": "CHO-2"}]


def test_what_no_upstream_can_take_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    (found,) = ask(monkeypatch, [Upstream(ANTHROPIC), Upstream(ANTHROPIC)], post(CHAT, n=2))
    assert found.status_code == 400
    assert "CHO-2 at /n" in found.text


def test_where_the_next_cannot_take_it_the_failure_is_the_clients(monkeypatch: pytest.MonkeyPatch) -> None:
    storage = Kept()
    (found,) = ask(monkeypatch, [Upstream(CHAT, "503"), Upstream(ANTHROPIC)], post(CHAT, n=2), storage=storage)
    assert found.status_code == 503
    assert "as the script wants it" in found.text
    assert storage.records[0].upstream == "u0"
    assert [one["reason"] for one in storage.records[0].attempts] == ["conversion"]


def test_a_stream_that_does_not_begin(monkeypatch: pytest.MonkeyPatch) -> None:
    storage = Kept()
    upstreams = [Upstream(CHAT, "silent"), Upstream(ANTHROPIC)]
    (found,) = ask(monkeypatch, upstreams, streamed(CHAT), storage=storage, timeouts={"first_event": 0.05})
    assert "42" in str(events(found.content))
    assert storage.records[0].attempts == [{"upstream": "u0", "reason": "time", "detail": ""}]
    assert upstreams[0].cancelled == 1


def test_a_stream_that_does_not_begin_is_waited_for_where_no_other_can_take_it(monkeypatch: pytest.MonkeyPatch) -> None:
    upstreams = [Upstream(CHAT, "slow"), Upstream(ANTHROPIC)]
    monkeypatch.setattr("tests.serve.upstreams.PAUSE", 0.02)
    (found,) = ask(monkeypatch, upstreams, streamed(CHAT, n=2), timeouts={"first_event": 0.01})
    assert "42" in str(events(found.content))
    assert upstreams[1].seen == []


def test_an_error_under_a_status_of_success(monkeypatch: pytest.MonkeyPatch) -> None:
    async def odd(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/json")]})
        await send({"type": "http.response.body", "body": b'{"error": {"message": "later", "code": 503}}'})

    first, second = Upstream(CHAT), Upstream(CHAT)
    monkeypatch.setattr(first, "_app", odd)
    (found,) = ask(monkeypatch, [first, second], post(ANTHROPIC))
    assert found.status_code == 200
    assert len(second.seen) == 1


def test_an_upstream_is_asked_once_more_after_the_pause_that_it_asks_for(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, storage = Upstream(CHAT, "soon"), Upstream(CHAT), Kept()
    found = ask(monkeypatch, [first, second], post(ANTHROPIC), ("GET", "/metrics", None, OPERATOR), storage=storage)
    assert found[0].status_code == 200
    assert (len(first.seen), len(second.seen)) == (2, 0)
    assert storage.records[0].attempts == [{"upstream": "u0", "reason": "pause", "detail": "429"}]
    assert 'proxai_fallbacks_total{reason="pause",upstream="u0"} 1.0' in found[1].text
    first.begin("soon", "soon")
    ask(monkeypatch, [first, second], post(ANTHROPIC))
    assert (len(first.seen), len(second.seen)) == (2, 1)
    first.begin("soon")
    ask(monkeypatch, [first, second], post(ANTHROPIC), timeouts={"retry": 0})
    assert (len(first.seen), len(second.seen)) == (1, 2)


@pytest.mark.parametrize(
    ("script", "closed"), [(("soon",), [429]), (("soon", "soon"), [429, 429]), (("500",), [500])], ids=str
)
def test_responses_that_are_tried_again_are_closed(
    script: tuple[str, ...], closed: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is left open holds a connection of the pool."""
    found: list[int] = []

    async def close(response: httpx.Response) -> None:
        found.append(response.status_code)
        await response.aclose()

    monkeypatch.setattr("proxai_ir.serve.forward.close", close)
    ask(monkeypatch, [Upstream(CHAT, *script), Upstream(CHAT)], post(ANTHROPIC))
    assert found == closed


# --- keys -----------------------------------------------------------------------------------------------------------


def test_several_keys_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTHER", "sk-another-of-the-upstream")
    upstream, storage = Upstream(CHAT), Kept()
    settings = {"key_env": ["OTHER", "UPSTREAM_KEY"]}
    found = ask(monkeypatch, [upstream], *[post(ANTHROPIC)] * 3, settings=settings, storage=storage)
    assert [one.status_code for one in found] == [200] * 3
    used = [one.headers["authorization"].removeprefix("Bearer ") for one in upstream.seen]
    assert used == ["sk-another-of-the-upstream", KEY, KEY, KEY], "one that was refused rests"
    assert [len(one.attempts) for one in storage.records] == [1, 0, 0]
    assert storage.records[0].attempts[0]["reason"] == "key"


def test_a_ring_of_keys() -> None:
    now = 0.0
    ring = Ring(["a", "b", "c"], lambda: now)
    assert [ring.next() for _ in range(4)] == ["a", "b", "c", "a"]
    assert ring.another("a", 5) == "b"
    assert [ring.next() for _ in range(4)] == ["c", "b", "c", "b"]
    assert ring.another("b", 7) == "c"
    assert ring.another("c", None) is None, "all rest"
    assert ring.next() == "a", "the one whose rest is over first"
    now = 6.0
    assert [ring.next() for _ in range(2)] == ["a", "a"]
    assert Ring(["a"]).another("a", 1) is None
    assert Ring([]).next() is None


OWN = {**VERSION, "x-api-key": "sk-of-the-client-itself", "anthropic-beta": "oauth-2025-04-20", "user-agent": "agent/1"}


def own_route(first: str = "u0", **more: Json) -> Json:
    return {"models": ["*"], "upstream": first, "client_key": True, **more}


def test_the_clients_own_key_goes_to_its_vendor(monkeypatch: pytest.MonkeyPatch) -> None:
    """And to no fallback that does not say so."""
    first, second = Upstream(ANTHROPIC), Upstream(ANTHROPIC)
    method, path, body, _ = post(ANTHROPIC)
    ask(monkeypatch, [first, second], (method, path, body, OWN), routes=[own_route(fallbacks=["u1"])])
    sent = first.seen[0].headers
    assert {name: sent[name] for name in OWN} == OWN
    assert KEY not in str(sent)
    monkeypatch.setattr("proxai_ir.serve.forward.RETRYABLE", {401})
    ask(monkeypatch, [first, second], (method, path, body, OWN), routes=[own_route(fallbacks=["u1"])])
    assert second.seen[0].headers["x-api-key"] == KEY
    assert second.seen[0].headers["user-agent"] == "proxai-ir"


def test_the_clients_own_key_goes_to_no_other_vendor(monkeypatch: pytest.MonkeyPatch) -> None:
    upstream = Upstream(ANTHROPIC)
    method, path, body, _ = post(CHAT)
    headers = {"authorization": "Bearer sk-of-the-client-itself"}
    (found,) = ask(monkeypatch, [upstream], (method, path, body, headers), routes=[own_route()])
    assert found.status_code == 200
    assert "itself" not in str(upstream.seen)


def test_the_clients_own_key_goes_to_both_protocols_of_its_vendor(monkeypatch: pytest.MonkeyPatch) -> None:
    upstream = Upstream(RESPONSES)
    method, path, body, _ = post(CHAT)
    headers = {"authorization": f"Bearer {KEY}", "openai-organization": "org"}
    ask(monkeypatch, [upstream], (method, path, body, headers), routes=[own_route()], settings={"key_env": []})
    assert upstream.seen[0].headers["authorization"] == f"Bearer {KEY}"
    assert upstream.seen[0].headers["openai-organization"] == "org"


def test_a_key_of_the_gateway_is_nobody_elses(monkeypatch: pytest.MonkeyPatch) -> None:
    """With client keys, the gateway's own comes in a header of its own, where the vendor's has another."""
    monkeypatch.setenv("TEAM", "team-key-of-clients")
    upstream, storage = Upstream(ANTHROPIC), Kept()
    method, path, body, _ = post(ANTHROPIC)
    found = ask(
        monkeypatch,
        [upstream],
        (method, path, body, {**VERSION, "x-api-key": "team-key-of-clients"}),
        (method, path, body, {**OWN, "x-proxai-key": "team-key-of-clients"}),
        (method, path, body, {**OWN, "x-proxai-key": "wrong-key-of-clients"}),
        routes=[own_route()],
        access={"keys_env": ["TEAM"]},
        storage=storage,
        log={"payloads": True},
    )
    assert [one.status_code for one in found] == [200, 401, 401]
    assert [one.headers["x-api-key"] for one in upstream.seen] == [KEY, OWN["x-api-key"]]
    assert "team-key" not in str(upstream.seen)
    assert "sk-of-the-client" not in repr(storage.records)


def test_an_upstream_that_repeats_the_clients_key(monkeypatch: pytest.MonkeyPatch) -> None:
    async def echo(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "http.response.start", "status": 401, "headers": []})
        await send({"type": "http.response.body", "body": dict(scope["headers"])[b"x-api-key"]})

    upstream, storage = Upstream(ANTHROPIC), Kept()
    monkeypatch.setattr(upstream, "_app", echo)
    method, path, body, _ = post(ANTHROPIC)
    request = (method, path, body, OWN)
    (found,) = ask(monkeypatch, [upstream], request, routes=[own_route()], storage=storage, log={"payloads": True})
    assert "[the client's key]" in found.text
    assert b"itself" not in (storage.records[0].upstream_response or b"")


def test_a_key_in_the_query(monkeypatch: pytest.MonkeyPatch) -> None:
    """As Google's own clients may send it; it goes on in a header, where it goes on at all."""
    monkeypatch.setenv("TEAM", "team-key-of-clients")
    upstream, storage = Upstream(GEMINI), Kept()
    method, path, body, _ = post(GEMINI)
    found = ask(
        monkeypatch,
        [upstream],
        (method, f"{path}?key=team-key-of-clients", body, {}),
        (method, f"{path}?key=wrong-key-of-clients", body, {}),
        access={"keys_env": ["TEAM"]},
        storage=storage,
    )
    assert [one.status_code for one in found] == [200, 401]
    assert "team-key" not in str(upstream.seen) + repr(storage.records)
    ask(
        monkeypatch, [upstream], (method, f"{path}?key={KEY}", body, {}), routes=[own_route()], settings={"key_env": []}
    )
    assert upstream.seen[-1].headers["x-goog-api-key"] == KEY


def test_keys_have_names(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setenv("TEAM", "team-key-of-clients")
    keys = tmp_path / "keys"
    keys.write_text("alice  alices-key-of-clients\nnameless-key-of-clients\n")
    storage = Kept()
    method, path, body, _ = post(CHAT)
    given = ("alices", "team", "nameless")
    requests = [(method, path, body, {"authorization": f"Bearer {one}-key-of-clients"}) for one in given]
    with caplog.at_level(logging.INFO, "proxai_ir.serve.requests"):
        found = ask(
            monkeypatch,
            [Upstream(ANTHROPIC)],
            *requests,
            ("GET", "/metrics", None, OPERATOR),
            access={"keys_env": ["TEAM"], "keys_file": str(keys)},
            storage=storage,
            log={"requests": True},
        )
    who = [one.who for one in storage.records]
    assert who == ["alice", "TEAM", storage.records[2].owner[:8]]
    assert 'upstream="u0",who="alice"} 1.0' in found[-1].text
    assert json.loads(caplog.messages[0])["who"] == "alice"
    assert "key-of-clients" not in caplog.text + found[-1].text


# --- lists of models ------------------------------------------------------------------------------------------------


def listed(monkeypatch: Any, routes: Json, *upstreams: Upstream) -> list[str]:
    (found,) = ask(monkeypatch, [*upstreams] or [Upstream(CHAT)], ("GET", "/v1/models", None), routes=routes)
    assert found.status_code == 200
    return [one["id"] for one in found.json()["data"]]


def test_the_model_of_all_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command's own route: every model is asked for as one."""
    assert listed(monkeypatch, [{"models": ["*"], "upstream": "u0", "model": "big"}]) == ["big"]
    routes = [
        {"models": ["a", "gpt-*"], "upstream": "u0", "model": "b"},
        {"models": ["*"], "upstream": "u0", "model": "c"},
    ]
    assert listed(monkeypatch, routes) == ["a", "c"], "b would go by another route"


def test_models_of_several_upstreams(monkeypatch: pytest.MonkeyPatch) -> None:
    routes = [{"models": ["up-*"], "upstream": "u1"}, {"models": ["x", "*"], "upstream": "u0"}]
    assert listed(monkeypatch, routes, Upstream(CHAT), Upstream(ANTHROPIC)) == ["x", "up-model"]
    assert listed(monkeypatch, routes, Upstream(CHAT), Upstream(GEMINI)) == ["x"], "one that has no list adds none"
    assert listed(monkeypatch, routes, Upstream(GEMINI), Upstream(CHAT)) == ["x", "up-model"], "nor does the last one"


class Listless(Upstream):
    async def _models(self, _: Any) -> Any:
        return PlainTextResponse("no", 501)


def test_upstreams_that_fail_to_list_their_models(monkeypatch: pytest.MonkeyPatch) -> None:
    routes = [{"models": ["*"], "upstream": "u0"}]
    (found,) = ask(monkeypatch, [Listless(CHAT)], ("GET", "/v1/models", None), routes=routes)
    assert found.status_code == 502
    assert "The upstream 'u0' gave no list of its models." in found.text
    routes = [{"models": ["x", "*"], "upstream": "u0"}]
    assert listed(monkeypatch, routes, Listless(CHAT)) == ["x"], "what the configuration names is known all the same"


# --- paths ----------------------------------------------------------------------------------------------------------


@every_client
@pytest.mark.parametrize("version", ["", "/v1"])
def test_paths_without_their_version_and_with_one_too_many(
    client: str, version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    method, path, body, headers = post(client)
    path = version + (path if version else path.removeprefix("/v1beta").removeprefix("/v1"))
    headers = {**headers, **({"x-goog-api-key": "any"} if client == GEMINI else {})}
    models = f"{version}/models" if version else "/models"
    found, listing = ask(monkeypatch, [Upstream(CHAT)], (method, path, body, headers), ("GET", models, None, headers))
    assert found.status_code == 200
    assert proxai_ir.lower(found.json(), client, kind="response")
    assert "big" in listing.text


def test_other_paths_of_the_vendor(monkeypatch: pytest.MonkeyPatch) -> None:
    other, upstream, storage = Upstream(ANTHROPIC), Upstream(CHAT), Kept()
    found = ask(
        monkeypatch,
        [other, upstream],
        ("POST", "/v1/embeddings", {"input": "hi"}, {"authorization": "Bearer any", "cookie": "c", "x-odd": "1"}),
        ("GET", "/v1/files/f_1?limit=2", None, {"range": "bytes=0-9", "if-none-match": "e"}),
        ("DELETE", "/v1/files/f_1", None),
        ("GET", "/v1/files/%2e%2e/x", None),
        ("GET", "/v1/files/f_1", None, VERSION),
        settings={"passthrough": True},
        storage=storage,
        log={"payloads": True},
    )
    assert [one.status_code for one in found] == [200, 200, 200, 404, 200]
    assert found[0].text == "as it is"
    assert found[0].headers["content-type"] == "text/x"
    assert "set-cookie" not in found[0].headers
    assert found[0].headers["x-proxai-exchange"] == storage.records[0].id
    first, second, _ = upstream.seen
    assert other.seen[0].headers["anthropic-version"] == VERSION["anthropic-version"]
    assert json.loads(first.body) == {"input": "hi"}
    assert first.headers["authorization"] == f"Bearer {KEY}"
    assert not {"cookie", "x-odd"} & first.headers.keys()
    assert second.path.endswith("/v1/files/f_1?limit=2")
    assert (second.headers["range"], second.headers["if-none-match"]) == ("bytes=0-9", "e")
    assert (storage.records[0].upstream, storage.records[0].path) == ("u1", "/v1/embeddings")
    assert storage.records[0].request is None


def test_an_error_of_another_path_repeats_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    (found,) = ask(monkeypatch, [Upstream(CHAT)], ("GET", "/v1/files/echo", None), settings={"passthrough": True})
    assert (found.status_code, found.text) == (401, "no such key: Bearer [the gateway's key]")


def test_other_paths_of_a_list(monkeypatch: pytest.MonkeyPatch) -> None:
    upstream = Upstream(CHAT)
    found = ask(
        monkeypatch,
        [upstream],
        ("POST", "/v1/embeddings", {"input": "hi"}),
        ("GET", "/v1/files/f_1", None),
        ("GET", "/v1/organization/admin_api_keys", None),
        settings={"passthrough": ["/v1/embeddings", "/v1/audio/*"]},
    )
    assert [one.status_code for one in found] == [200, 404, 404]
    assert [httpx.URL(one.path).path for one in upstream.seen] == ["/v1/embeddings"]


@pytest.mark.parametrize("status", [204, 205])
@pytest.mark.parametrize("stream", [False, True])
@every_client
def test_a_success_without_a_body_is_an_error(
    client: str, stream: bool, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def empty(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    upstream, storage = Upstream(CHAT), Kept()
    monkeypatch.setattr(upstream, "_app", empty)
    given = streamed(client) if stream else post(client)
    (found,) = ask(monkeypatch, [upstream], given, storage=storage)
    assert found.status_code == 502
    assert proxai_ir.lower(found.json(), client, kind="error")
    assert storage.records[0].failed
    (found,) = ask(monkeypatch, [upstream, Upstream(ANTHROPIC)], given)
    assert (found.status_code, "42" in found.text) == (200, True)


def test_other_paths_need_the_option(monkeypatch: pytest.MonkeyPatch) -> None:
    upstream = Upstream(CHAT)
    (found,) = ask(monkeypatch, [upstream], ("POST", "/v1/embeddings", {"input": "hi"}))
    assert (found.status_code, upstream.seen) == (404, [])


def test_where_it_is_and_whether_it_is_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEAM", "team-key-of-clients")
    root, ready, far = ask(
        monkeypatch, [Upstream(CHAT)], ("GET", "/", None), ("GET", "/ready", None), ("GET", "/", None, {"via": "x"})
    )
    assert "http://127.0.0.1: the base URL" in root.text
    assert (ready.status_code, ready.text) == (200, "ready\n")
    assert far.status_code == 403
    key = {"authorization": "Bearer team-key-of-clients"}
    requests = [("GET", path, None, headers) for path in ("/", "/ready") for headers in ({}, key, OPERATOR)]
    found = ask(monkeypatch, [Upstream(CHAT)], *requests, access={"keys_env": ["TEAM"]})
    assert [one.status_code for one in found] == [401, 200, 200] * 2


def test_pages_of_sites_that_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEAM", "team-key-of-clients")
    site, other = {"origin": "https://app.example"}, {"origin": "https://evil.example"}
    preflight = {"access-control-request-method": "POST", "access-control-request-headers": "authorization"}
    method, path, body, _ = post(CHAT)
    allowed, refused, found = ask(
        monkeypatch,
        [Upstream(CHAT)],
        ("OPTIONS", path, None, {**site, **preflight}),
        ("OPTIONS", path, None, {**other, **preflight}),
        (method, path, body, {**site, "authorization": "Bearer team-key-of-clients"}),
        access={"keys_env": ["TEAM"], "origins": ["https://app.example"]},
    )
    assert allowed.status_code == found.status_code == 200
    assert found.headers["access-control-allow-origin"] == "https://app.example"
    assert "x-proxai-exchange" in found.headers["access-control-expose-headers"]
    assert refused.status_code == 400
    assert "access-control-allow-origin" not in refused.headers


# --- what the client gets to know -----------------------------------------------------------------------------------


@every_client
@pytest.mark.parametrize("make", [post, streamed])
def test_the_client_finds_its_exchange(client: str, make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    storage = Kept()
    provider = RESPONSES if client == ANTHROPIC else ANTHROPIC
    more: Json = {"generationConfig": {"seed": 7}} if client == GEMINI else {"metadata": {"a": "b"}}
    if client == CHAT:
        more = {"seed": 7}
    found, plain = ask(monkeypatch, [Upstream(provider)], make(client, **more), make(client), storage=storage)
    assert found.headers["x-proxai-exchange"] == storage.records[0].id
    losses = {one["rule"] for one in storage.records[0].diagnostics if one["severity"] == "loss"}
    assert found.headers.get("x-proxai-losses", "") == ", ".join(sorted(losses))
    assert plain.headers["x-proxai-exchange"] == storage.records[1].id


def test_losses_in_a_header_are_short(monkeypatch: pytest.MonkeyPatch) -> None:
    (found,) = ask(monkeypatch, [Upstream(ANTHROPIC)], post(CHAT, seed=7, logit_bias={"1": 2}))
    assert "SMP-10" in found.headers["x-proxai-losses"].split(", ")


@pytest.mark.parametrize(("last", "shown"), [("R" * 8, ""), ("R" * 9, " ...")], ids=["200 characters", "201"])
def test_losses_of_a_header_are_cut_after_200_characters(last: str, shown: str) -> None:
    rules = [*(f"AAA-{number}" for number in range(10, 34)), last]
    call = Call(CHAT, "/", {}, None, diagnostics=[{"rule": rule, "severity": "loss"} for rule in rules])
    assert call.own_headers["x-proxai-losses"] == ", ".join(rules)[:200] + shown


@every_client
def test_a_client_that_wants_no_losses(client: str, monkeypatch: pytest.MonkeyPatch) -> None:
    upstream = Upstream(RESPONSES if client == CHAT else CHAT)
    more: Json = {"generationConfig": {"topK": 3}} if client == GEMINI else {"top_k": 3}
    if client in (CHAT, RESPONSES):
        more = {"seed": 7} if client == CHAT else {"truncation": "auto"}
    method, path, body, headers = post(client, **more)
    strict, mild = ask(
        monkeypatch,
        [upstream],
        (method, path, body, {**headers, "x-proxai-strict": "true"}),
        (method, path, body, {**headers, "x-proxai-strict": "false"}),
    )
    assert (strict.status_code, mild.status_code) == (400, 200)
    assert proxai_ir.lower(strict.json(), client, kind="error")
    assert strict.headers["x-proxai-exchange"]


@pytest.mark.parametrize("client", [ANTHROPIC, RESPONSES, GEMINI])
def test_an_estimate_says_so(client: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (found,) = ask(monkeypatch, [Upstream(CHAT)], count(client))
    assert found.status_code == 200
    assert found.headers["x-proxai-estimated"] == "true"
    (number,) = [one for one in found.json().values() if isinstance(one, int)]
    assert 0 < number < 100
    (counted,) = ask(monkeypatch, [Upstream(ANTHROPIC)], count(client))
    assert "x-proxai-estimated" not in counted.headers


def test_payloads_are_cut_where_they_are_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    storage = Kept()
    for make in (post, streamed):
        ask(
            monkeypatch, [Upstream(CHAT)], make(ANTHROPIC), storage=storage, log={"payloads": True, "payload_bytes": 40}
        )
    for record in storage.records:
        for payload in (record.request, record.upstream_request, record.upstream_response, record.response):
            assert payload is not None
            assert payload[40:] == b"\n[cut by the gateway: this is longer than 40 bytes]"


# --- a configuration that changes -----------------------------------------------------------------------------------


def test_another_configuration_while_requests_run(monkeypatch: pytest.MonkeyPatch) -> None:
    upstreams = {"http://a.invalid": Upstream(CHAT, "slow"), "http://b.invalid": Upstream(ANTHROPIC)}
    monkeypatch.setenv("UPSTREAM_KEY", KEY)
    monkeypatch.setattr("tests.serve.upstreams.PAUSE", 0.01)

    def made(url: str, protocol: str, **more: Json) -> Any:
        table = {"protocol": protocol, "base_url": url, "key_env": "UPSTREAM_KEY"}
        return from_mapping(
            {
                "upstreams": {"u": table, "same": {**table, "base_url": "http://c.invalid"}},
                "routes": [{"models": ["*"], "upstream": "u"}],
                **more,
            }
        )

    async def work() -> None:
        from proxai_ir.serve.app import app

        first = made("http://a.invalid", CHAT)
        served = app(first, transport=lambda table: httpx.ASGITransport(upstreams.get(table.base_url, Upstream(CHAT))))
        gateway = served.state.gateway
        old = dict(gateway.upstreams)
        found: list[httpx.Response] = []

        async with httpx.AsyncClient(transport=httpx.ASGITransport(served), base_url="http://127.0.0.1") as http:

            async def stream() -> None:
                found.append(await http.post(path_of(CHAT), json=asked(CHAT, True)))

            async with anyio.create_task_group() as group:
                group.start_soon(stream)
                await soon(lambda: upstreams["http://a.invalid"].running)
                await gateway.change(made("http://b.invalid", ANTHROPIC, limits={"body": 10_000}))
                assert (await http.post(path_of(CHAT), json=asked(CHAT))).status_code == 200
            assert "42" in str(events(found[0].content))
            assert found[0].text.endswith("data: [DONE]\n\n")
            assert len(upstreams["http://b.invalid"].seen) == 1
            assert gateway.upstreams["same"] is not old["u"]
            with pytest.raises(ConfigError, match="listen: changing this setting requires a restart"):
                await gateway.change(made("http://a.invalid", CHAT, listen={"port": 1}))
            assert gateway.config.limits.body == 10_000

    anyio.run(work)


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="the system has no SIGHUP")
def test_a_signal_reads_the_configuration_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("UPSTREAM_KEY", KEY)
    made = {"upstreams": {"u": {"protocol": CHAT, "base_url": "http://a.invalid", "key_env": "UPSTREAM_KEY"}}}

    def said_more_than(many: int) -> bool:
        return len(caplog.messages) > many

    wanted: list[Json] = [{**made, "limits": {"body": 7}}, {**made, "listen": {"port": 1}}, {**made, "limit": {}}]

    async def work() -> None:
        gateway = Gateway(from_mapping(made))
        with on_signal(gateway, lambda: from_mapping(wanted.pop(0))):
            while wanted:
                left = len(caplog.messages)
                os.kill(os.getpid(), signal.SIGHUP)
                await soon(partial(said_more_than, left))
        assert gateway.config.limits.body == 7

    with caplog.at_level(logging.INFO, "proxai_ir.serve"):
        anyio.run(work)
    assert caplog.messages == [
        "the configuration was read again: u",
        "listen: changing this setting requires a restart; the configuration stays as it was",
        "limit: there is no such setting; expected limits; the configuration stays as it was",
    ]
