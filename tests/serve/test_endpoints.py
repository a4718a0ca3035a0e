"""What a gateway serves besides requests for responses, and how it refuses: without sockets."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytest.importorskip("pydantic", reason='the gateway needs the extra "serve"')
pytest.importorskip("httpx", reason='the gateway needs the extra "serve"')

import anyio
import httpx

import proxai_ir
from proxai_ir.exchange import InMemory
from proxai_ir.protocol.http import models_in_data
from proxai_ir.protocol.registry import backend
from proxai_ir.serve.app import app
from proxai_ir.serve.config import one_upstream
from proxai_ir.serve.gateway import OTHER, Words
from proxai_ir.storage.records import Record

from ..clients.provider import ANTHROPIC, CHAT, GEMINI, RESPONSES, TEXT, signature
from ..exchange.test_signatures import REQUESTS as SIGNED_REQUESTS
from ..exchange.test_signatures import with_results
from .support import HEADERS, OPERATOR, asked, over_asgi, path_of
from .upstreams import KEY, Upstream

Json = Any
CLIENTS = (CHAT, RESPONSES, ANTHROPIC, GEMINI)
VERSION = HEADERS[ANTHROPIC]
every_client = pytest.mark.parametrize("client", CLIENTS)


class Kept:
    """A storage that is a list."""

    def __init__(self) -> None:
        self.memory = InMemory()
        self.records: list[Record] = []

    def record(self, record: Record) -> None:
        self.records.append(record)

    def close(self) -> None:
        pass


def ask(monkeypatch: Any, upstreams: list[Upstream], *requests: Json, **more: Any) -> list[httpx.Response]:
    """Requests as (method, path, body, headers), one after the other."""

    async def work() -> list[httpx.Response]:
        async with over_asgi(monkeypatch, *upstreams, **more) as http:
            found = []
            for method, path, body, *headers in requests:
                content = body if isinstance(body, bytes) else None
                given = None if body is None or content is not None else body
                found.append(
                    await http.request(method, path, json=given, content=content, headers=dict(*headers) or None)
                )
            return found

    return anyio.run(work)


def post(client: str, **more: Json) -> Json:
    return "POST", path_of(client), asked(client, **more), HEADERS.get(client, {})


# --- refusals -------------------------------------------------------------------------------------------------------


@every_client
def test_bad_input_gets_the_clients_own_error(client: str, monkeypatch: pytest.MonkeyPatch) -> None:
    headers = HEADERS.get(client, {"x-goog-api-key": "any"} if client == GEMINI else {})
    path = path_of(client)
    found = ask(
        monkeypatch,
        [Upstream(CHAT)],
        ("POST", path, b"{not json", headers),
        ("POST", path, b'{"a": "' + b"x" * 5000 + b'"}', headers),
        ("POST", path, b"[1]", headers),
        ("PUT", path.replace("v1/chat", "v1/none").replace(":generateContent", ":none"), b"", headers),
        ("POST", "/v1/nothing", b"{}", headers),
        ("POST", path, b"x", {**headers, "content-encoding": "gzip"}),
        limits={"body": 4000},
    )
    assert [one.status_code for one in found[:3]] == [400, 413, 400]
    assert found[4].status_code == 404
    assert found[5].status_code == 415
    for one in found:
        assert one.status_code >= 400
        assert proxai_ir.lower(one.json(), client, kind="error")


@every_client
def test_models_that_no_route_has(client: str, monkeypatch: pytest.MonkeyPatch) -> None:
    upstream = Upstream(CHAT)
    routes = [{"models": ["other", "gpt-*"], "upstream": "u0"}]
    (found,) = ask(monkeypatch, [upstream], post(client), routes=routes)
    assert found.status_code == 404
    assert "'m' is not known" in found.text
    assert upstream.seen == []


@pytest.mark.parametrize("model", ["../../v1/files", "m?key=1", "m#x", "/m", "m/../n"])
def test_a_model_cannot_lead_out_of_the_path(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    upstream = Upstream(GEMINI)
    (found,) = ask(monkeypatch, [upstream], post(CHAT, model=model), routes=[{"models": ["*"], "upstream": "u0"}])
    assert found.status_code == 404
    assert upstream.seen == []


@every_client
def test_client_keys(client: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEAM", "team-key-of-clients")
    name = {ANTHROPIC: "x-api-key", GEMINI: "x-goog-api-key"}.get(client, "authorization")
    method, path, body, headers = post(client)
    bearer = "Bearer " if name == "authorization" else ""
    storage = Kept()
    found = ask(
        monkeypatch,
        [Upstream(CHAT)],
        (method, path, body, headers),
        (method, path, body, {**headers, name: bearer + "wrong-key-of-clients"}),
        (method, path, body, {**headers, name: bearer + "team-key-of-clients"}),
        access={"keys_env": ["TEAM"]},
        storage=storage,
    )
    assert [one.status_code for one in found] == [401, 401, 200]
    assert proxai_ir.lower(found[0].json(), client, kind="error")
    assert [bool(one.owner) for one in storage.records] == [True]
    assert "team-key" not in repr(storage.records)


@pytest.mark.parametrize("headers", [{"host": "evil.example"}, {"origin": "https://evil.example"}])
def test_pages_of_other_sites_cannot_use_it(headers: Json, monkeypatch: pytest.MonkeyPatch) -> None:
    method, path, body, _ = post(CHAT)
    (found,) = ask(monkeypatch, [Upstream(CHAT)], (method, path, body, headers))
    assert found.status_code == 403


# --- fallbacks ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", ["429", "500", "503", "529"])
def test_the_next_upstream_is_tried(status: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = Upstream(ANTHROPIC, status), Upstream(CHAT)
    storage = Kept()
    (found,) = ask(monkeypatch, [first, second], post(RESPONSES), storage=storage)
    assert found.status_code == 200
    assert len(first.seen) == len(second.seen) == 1
    assert storage.records[0].upstream == "u1"


def test_the_last_failure_is_the_clients(monkeypatch: pytest.MonkeyPatch) -> None:
    (found,) = ask(monkeypatch, [Upstream(ANTHROPIC, "500"), Upstream(CHAT, "429")], post(RESPONSES))
    assert found.status_code == 429
    assert found.headers["retry-after"] == "7"


def test_what_another_upstream_would_refuse_too_is_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    second = Upstream(CHAT)
    (found,) = ask(monkeypatch, [Upstream(ANTHROPIC, "404"), second], post(RESPONSES))
    assert found.status_code == 404
    assert second.seen == []


# --- odd upstreams --------------------------------------------------------------------------------------------------


@every_client
@pytest.mark.parametrize("status", ["301", "302", "304", "307", "600", "999"])
def test_responses_that_no_api_gives(client: str, status: str, monkeypatch: pytest.MonkeyPatch) -> None:
    storage = Kept()
    (found,) = ask(monkeypatch, [Upstream(CHAT, status)], post(client), storage=storage)
    assert found.status_code == 502
    assert f"'u0' answered {status}; check its base_url" in found.text
    assert proxai_ir.lower(found.json(), client, kind="error")
    assert (storage.records[0].status, storage.records[0].upstream_status) == (502, int(status))


@every_client
@pytest.mark.parametrize("provider", CLIENTS)
def test_an_upstream_that_repeats_its_key(client: str, provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    storage = Kept()
    (found,) = ask(monkeypatch, [Upstream(provider, "echo")], post(client), storage=storage, log={"payloads": True})
    assert found.status_code == 401
    assert "Incorrect API key provided: [the gateway's key]." in found.text
    assert KEY not in found.text
    assert KEY.encode() not in (storage.records[0].upstream_response or b"") + (storage.records[0].response or b"")


def test_headers_that_are_not_ascii(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are the provider's to judge."""
    upstream = Upstream(ANTHROPIC)
    headers = {**VERSION, "anthropic-beta": "é".encode()}
    method, path, body, _ = post(ANTHROPIC)
    (found,) = ask(monkeypatch, [upstream], (method, path, body, headers))
    assert found.status_code != 500
    assert upstream.seen[0].headers["anthropic-beta"].encode("latin-1") == "é".encode()


@pytest.mark.parametrize("secrets", [{}, {"seals": {"secrets_env": ["SECRET"]}}], ids=["", "with secrets"])
@pytest.mark.parametrize("client", [ANTHROPIC, RESPONSES, GEMINI])
def test_a_session_survives_a_change_of_provider_and_back(
    client: str, secrets: Json, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second request falls back to another provider, the third one goes to the first again (RSN-27)."""
    monkeypatch.setenv("SECRET", "a secret of sixteen bytes or more")
    provider, other = (RESPONSES, ANTHROPIC) if client == ANTHROPIC else (ANTHROPIC, client)
    first, second = Upstream(provider, "planned", "500", "text"), Upstream(other, "planned")

    async def work() -> list[httpx.Response]:
        body, found = SIGNED_REQUESTS[client], []
        async with over_asgi(monkeypatch, first, second, **secrets) as http:
            for _ in range(3):
                found.append(await http.post(path_of(client), json=body, headers=HEADERS.get(client)))
                if len(found) < 3:
                    body = with_results(client, body, found[-1].json())
        return found

    assert [one.status_code for one in anyio.run(work)] == [200, 200, 200]
    assert first.refused == second.refused == []
    sent = json.dumps([one.body for one in (*first.seen, *second.seen)])
    assert "proxai_ir" not in sent
    assert "cHJveGFpX2ly" not in sent  # in base64
    assert signature(1) in json.dumps(first.seen[-1].body)


def test_a_client_of_chat_loops_on_gemini_by_the_options_of_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """`proxai-ir serve --to gemini_generate_content --base-url … --key-env … --model …`, and nothing else."""
    upstream = Upstream(GEMINI, "calls", "planned", "call", "text")
    monkeypatch.setenv("UPSTREAM_KEY", KEY)
    table = {"protocol": GEMINI, "base_url": "http://u.invalid", "key_env": "UPSTREAM_KEY"}
    served = app(one_upstream(table, "gemini-3-pro"), transport=lambda _: httpx.ASGITransport(upstream))

    async def work() -> Json:
        body = SIGNED_REQUESTS[CHAT]
        async with httpx.AsyncClient(transport=httpx.ASGITransport(served), base_url="http://127.0.0.1") as http:
            for _ in range(3):
                found = (await http.post(path_of(CHAT), json=body)).json()
                body = with_results(CHAT, body, found)
            return (await http.post(path_of(CHAT), json=body)).json()

    assert anyio.run(work)["choices"][0]["message"]["content"] == TEXT
    assert upstream.refused == []
    sent = [part.get("thoughtSignature") for turn in upstream.seen[-1].body["contents"] for part in turn["parts"]]
    assert [one for one in sent if one] == [signature(number) for number in (1, 2, 3)]


# --- counting -------------------------------------------------------------------------------------------------------


def count(client: str) -> Json:
    body = asked(client)
    body.pop("max_tokens", None)
    paths = {ANTHROPIC: "/v1/messages/count_tokens", RESPONSES: "/v1/responses/input_tokens"}
    return "POST", paths.get(client, "/v1beta/models/m:countTokens"), body, HEADERS.get(client, {})


@pytest.mark.parametrize("client", [ANTHROPIC, RESPONSES, GEMINI])
@pytest.mark.parametrize("provider", [ANTHROPIC, RESPONSES, GEMINI])
def test_counting(client: str, provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    upstream = Upstream(provider)
    (found,) = ask(monkeypatch, [upstream], count(client))
    assert found.status_code == 200, found.text
    assert 11 in found.json().values()
    (seen,) = upstream.seen
    assert not {"max_tokens", "max_output_tokens", "stream", "store"} & seen.body.keys()


@pytest.mark.parametrize("status", [400, 500])
def test_the_log_has_why_a_request_failed(status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    storage = Kept()
    (found,) = ask(monkeypatch, [Upstream(CHAT, str(status))], post(ANTHROPIC), storage=storage)
    assert found.status_code == status
    assert "as the script wants it" in (storage.records[0].error or "")


# --- models ---------------------------------------------------------------------------------------------------------


def test_models_of_routes(monkeypatch: pytest.MonkeyPatch) -> None:
    routes = [{"models": ["gpt-5", "claude-*", "small"], "upstream": "u0"}]
    openai, anthropic, google, one, none = ask(
        monkeypatch,
        [Upstream(CHAT)],
        ("GET", "/v1/models", None),
        ("GET", "/v1/models", None, VERSION),
        ("GET", "/v1beta/models", None),
        ("GET", "/v1/models/small", None),
        ("GET", "/v1/models/claude-x", None),
        routes=routes,
    )
    entry = {"object": "model", "created": 0, "owned_by": "proxai-ir"}
    assert openai.json() == {"object": "list", "data": [{"id": "gpt-5", **entry}, {"id": "small", **entry}]}
    assert one.json() == {"id": "small", **entry}
    assert none.status_code == 404
    listed = anthropic.json()
    assert (listed["first_id"], listed["last_id"], listed["has_more"]) == ("gpt-5", "small", False)
    assert listed["data"][0] == {
        "type": "model", "id": "gpt-5", "display_name": "gpt-5", "created_at": "1970-01-01T00:00:00Z"
    }  # fmt: skip
    assert [model["name"] for model in google.json()["models"]] == ["models/gpt-5", "models/small"]


@pytest.mark.parametrize("provider", [CHAT, ANTHROPIC])
def test_models_of_the_one_upstream(provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    openai, anthropic = ask(
        monkeypatch,
        [Upstream(provider)],
        ("GET", "/v1/models", None),
        ("GET", "/v1/models", None, VERSION),
        routes=[{"models": ["*"], "upstream": "u0"}],
    )
    assert openai.json()["data"][0]["id"] == "up-model"
    assert anthropic.json()["data"][0]["id"] == anthropic.json()["first_id"] == "up-model"
    assert openai.json()["data"][0]["created"] > 1_600_000_000


def test_a_model_that_was_made_at_no_date() -> None:
    listed = [{"id": "one", "created": 10**12}, {"id": "two", "created": -(10**30)}, {"id": "three", "created": 60}]
    http = backend(ANTHROPIC).http
    assert http
    assert http.listing
    made = http.listing.all(models_in_data({"data": listed}))
    moments = ["1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "1970-01-01T00:01:00Z"]
    assert [one["created_at"] for one in made["data"]] == moments


# --- what is kept ---------------------------------------------------------------------------------------------------


def test_responses_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    upstream = Upstream(CHAT)

    async def work() -> None:
        async with over_asgi(monkeypatch, upstream) as http:
            first = (await http.post("/v1/responses", json=asked(RESPONSES))).json()
            second = await http.post("/v1/responses", json=asked(RESPONSES, previous_response_id=first["id"]))
            assert second.status_code == 200
            assert len(upstream.seen[1].body["messages"]) == 3
            assert (await http.get(f"/v1/responses/{first['id']}")).json() == first
            assert (await http.post(f"/v1/responses/{first['id']}/cancel")).status_code == 400
            deleted = await http.delete(f"/v1/responses/{first['id']}")
            assert deleted.json() == {"id": first["id"], "object": "response", "deleted": True}
            assert (await http.get(f"/v1/responses/{first['id']}")).status_code == 404
            lost = await http.post("/v1/responses", json=asked(RESPONSES, previous_response_id=first["id"]))
            assert lost.status_code == 400
            assert lost.json()["error"]["code"] == "previous_response_not_found"

    anyio.run(work)


def test_conversations(monkeypatch: pytest.MonkeyPatch) -> None:
    upstream = Upstream(ANTHROPIC)

    async def work() -> None:
        async with over_asgi(monkeypatch, upstream) as http:
            made = (await http.post("/v1/conversations", json={"metadata": {"a": "b"}})).json()
            assert made["object"] == "conversation"
            assert made["metadata"] == {"a": "b"}
            for _ in range(2):
                found = await http.post("/v1/responses", json=asked(RESPONSES, conversation=made["id"]))
                assert found.status_code == 200, found.text
            assert len(upstream.seen[1].body["messages"]) == 3
            assert (await http.post("/v1/conversations", json={"items": [{}]})).status_code == 400

    anyio.run(work)


# --- metrics, records -----------------------------------------------------------------------------------------------


def test_metrics_and_health(monkeypatch: pytest.MonkeyPatch) -> None:
    _, health, found = ask(
        monkeypatch,
        [Upstream(CHAT)],
        post(ANTHROPIC, top_k=3),
        ("GET", "/health", None),
        ("GET", "/metrics", None, OPERATOR),
    )
    assert health.text == "ok\n"
    assert 'proxai_requests_total{client="anthropic_messages",provider="openai_chat_completions"' in found.text
    assert 'proxai_diagnostics_total{rule="SMP-3",severity="loss",side="request"} 1.0' in found.text
    ended = 'proxai_finishes_total{client="anthropic_messages",provider="openai_chat_completions",'
    assert f'{ended}raw="stop",reason="stop",upstream="u0"}} 1.0' in found.text
    assert KEY not in found.text


@pytest.mark.parametrize("streamed", [True, False])
def test_endings_are_counted_with_the_words_of_providers(monkeypatch: pytest.MonkeyPatch, streamed: bool) -> None:
    found = ask(
        monkeypatch, [Upstream(CHAT)], *[post(ANTHROPIC, stream=streamed)] * 2, ("GET", "/metrics", None, OPERATOR)
    )
    assert 'raw="stop",reason="stop",upstream="u0"} 2.0' in found[-1].text


def test_words_of_labels_are_bounded() -> None:
    word = Words()
    assert (word(None), word("stop"), word("x" * 51), word("a\nb")) == ("", "stop", OTHER, OTHER)
    assert {word(f"word {number}") for number in range(1000)} == {*(f"word {number}" for number in range(99)), OTHER}
    assert (word("stop"), word("word 0"), word("new")) == ("stop", "word 0", OTHER)


def test_records(monkeypatch: pytest.MonkeyPatch) -> None:
    storage = Kept()
    ask(monkeypatch, [Upstream(CHAT)], post(ANTHROPIC, top_k=3), post(ANTHROPIC), storage=storage)
    first, second = storage.records
    assert (first.client, first.provider, first.upstream, first.status) == (ANTHROPIC, CHAT, "u0", 200)
    assert (first.model, first.sent_model, first.upstream_status, first.streamed) == ("m", "big", 200, False)
    assert [one["rule"] for one in first.diagnostics if one["severity"] == "loss"] == ["SMP-3"]
    assert first.usage
    assert first.duration is not None
    assert first.request is first.response is None
    assert first.id != second.id


def test_payloads_are_recorded_where_the_configuration_asks_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    storage = Kept()
    (found,) = ask(monkeypatch, [Upstream(CHAT)], post(ANTHROPIC), storage=storage, log={"payloads": True})
    (record,) = storage.records
    assert record.response == found.content
    assert b"max_tokens" in (record.request or b"")
    assert b'"model":"big"' in (record.upstream_request or b"")
    assert record.upstream_response
    assert KEY.encode() not in b"".join((record.request or b"", record.upstream_request or b""))


def test_members_of_an_upstream(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are in each request, and a client's own value is in the log as the one that was sent."""
    upstream, kept = Upstream(CHAT, "text", "text"), Kept()
    settings = {"body": {"seed": 4, "max_completion_tokens": 7}}
    ask(monkeypatch, [upstream], post(ANTHROPIC), post(CHAT, seed=9), settings=settings, storage=kept)
    sent = [one.body for one in upstream.seen]
    assert [one["seed"] for one in sent] == [4, 9]
    found = [[one["path"], one["message"]] for one in kept.records[1].diagnostics if one["rule"] == "CAP-11"]
    assert found == [["", found[0][1]]]
    assert "`/seed`" in found[0][1]


def test_what_does_not_fit_into_the_context_is_logged_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    kept = Kept()
    long = post(ANTHROPIC, messages=[{"role": "user", "content": "word " * 4000}])
    requests = post(ANTHROPIC), long, long
    ask(monkeypatch, [Upstream(CHAT, *["text"] * 3)], *requests, settings={"context": 4096}, storage=kept)
    (said,) = [one.getMessage() for one in caplog.records if one.levelname == "WARNING"]
    assert said.startswith("the upstream 'u0': By an estimate, longer than the context that is stated")
    assert "the context has 4096" in said
    found = ["CAP-12" in [one["rule"] for one in record.diagnostics] for record in kept.records]
    assert found == [False, True, True]
