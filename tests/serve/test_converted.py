"""Every protocol of clients against every protocol of providers: whole, streamed, and errors, over real sockets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

pytest.importorskip("uvicorn", reason='the gateway needs the extra "serve"')
pytest.importorskip("pydantic", reason='the gateway needs the extra "serve"')

import httpx

import proxai_ir

from ..clients.provider import ANTHROPIC, CHAT, GEMINI, INTERACTIONS, RESPONSES, TEXT
from .support import HEADERS, asked, events, path_of, sockets
from .upstreams import KEY, Upstream

PROTOCOLS = (CHAT, RESPONSES, ANTHROPIC, GEMINI, INTERACTIONS)
both_sides = pytest.mark.parametrize(
    ("client", "provider"), [(client, provider) for client in PROTOCOLS for provider in PROTOCOLS]
)
MODEL_AT = {CHAT: "model", RESPONSES: "model", ANTHROPIC: "model", GEMINI: "modelVersion", INTERACTIONS: "model"}


def post(url: str, client: str, streamed: bool = False, headers: Any = None, **more: Any) -> httpx.Response:
    sent = {**HEADERS.get(client, {}), **(headers or {})}
    return httpx.post(url + path_of(client, streamed), json=asked(client, streamed, **more), headers=sent)


Gateways = Callable[..., tuple[str, Upstream]]


@pytest.fixture(scope="module")
def gateways() -> Iterator[Gateways]:
    """The URL of a gateway in front of a provider, and the provider, which begins a script: started once for each."""
    started: dict[str, tuple[str, Upstream]] = {}

    def given(provider: str, *script: str) -> tuple[str, Upstream]:
        if provider not in started:
            upstream = Upstream(provider)
            started[provider] = stack.enter_context(sockets(monkeypatch, upstream)), upstream
        started[provider][1].begin(*script)
        return started[provider]

    with pytest.MonkeyPatch.context() as monkeypatch, ExitStack() as stack:
        yield given


@both_sides
def test_whole_and_streamed(client: str, provider: str, gateways: Gateways) -> None:
    url, upstream = gateways(provider)
    whole = post(url, client)
    streamed = post(url, client, streamed=True)
    assert whole.status_code == streamed.status_code == 200
    assert not upstream.refused
    assert TEXT in whole.text
    assert whole.json()[MODEL_AT[client]] == "m"
    assert whole.headers["content-type"] == "application/json"
    assert streamed.headers["content-type"].startswith("text/event-stream")
    made = events(streamed.content)
    assert proxai_ir.lower(made, client, kind="stream")
    assert "".join(map(str, made)).count("42") >= 1
    assert KEY not in str(whole.headers) + whole.text + str(streamed.headers) + streamed.text
    asked_for = [one.body.get("model") or one.path for one in upstream.seen]
    assert all("big" in name for name in asked_for)


@pytest.mark.parametrize("provider", PROTOCOLS)
def test_a_body_of_responses_at_the_path_of_chat_is_answered_in_its_form(provider: str, gateways: Gateways) -> None:
    url, upstream = gateways(provider)
    for streamed in (False, True):
        got = httpx.post(url + path_of(CHAT), json=asked(RESPONSES, streamed))
        assert (got.status_code, upstream.refused) == (200, [])
        payload = events(got.content) if streamed else got.json()
        assert proxai_ir.lower(payload, CHAT, kind="stream" if streamed else "response")


@pytest.mark.parametrize("provider", PROTOCOLS)
def test_a_client_of_gemini_gets_an_array_unless_it_asks_for_events(provider: str, gateways: Gateways) -> None:
    url, _ = gateways(provider)
    path = path_of(GEMINI, streamed=True).partition("?")[0]
    got = httpx.post(url + path, json=asked(GEMINI, streamed=True), params={"key": "k"})
    assert (got.status_code, got.headers["content-type"]) == (200, "application/json")
    assert proxai_ir.lower(got.json(), GEMINI, kind="stream")


@pytest.mark.parametrize("streamed", [False, True])
def test_stop_sequences_that_a_provider_does_not_have(streamed: bool, gateways: Gateways) -> None:
    """SMP-13: OpenAI Responses has none; the client's response ends at them (SMP-15)."""
    url, upstream = gateways(RESPONSES)
    got = post(url, ANTHROPIC, streamed, stop_sequences=[" is"])
    assert not upstream.refused
    assert TEXT.partition(" is")[0] == "It"
    assert '"text":"It"' in got.text.replace(": ", ":")
    assert "42" not in got.text
    assert '"stop_reason":"stop_sequence","stop_sequence":" is"' in got.text.replace(": ", ":").replace(", ", ",")


@both_sides
def test_errors(client: str, provider: str, gateways: Gateways) -> None:
    url, _ = gateways(provider, "401", "429", "404", "page")
    found = [post(url, client, streamed=streamed) for streamed in (False, True, False, True)]
    assert [one.status_code for one in found] == [401, 429, 404, found[3].status_code]
    assert found[3].status_code in (500, 502, 503)
    assert found[1].headers["retry-after"] == "7"
    for one in found:
        assert proxai_ir.lower(one.json(), client, kind="error")


@both_sides
def test_a_stream_that_is_cut_ends_with_an_error_event(client: str, provider: str, gateways: Gateways) -> None:
    url, _ = gateways(provider, "cut")
    found = post(url, client, streamed=True)
    assert found.status_code == 200
    assert "error" in str(events(found.content)[-1]) or "error" in str(events(found.content)[-2])
