"""Names of models: the provider is asked for its own, and the client reads the one that it asked for."""

from __future__ import annotations

import json

import pytest

from proxai_ir import Exchange, TranslationError

from ..cases import each
from ..clients.provider import CHAT, GEMINI, MODEL, RESPONSES
from .support import ASKED, PAIRS, SENT, asked, bytes_of, events, model_of, path_of, request_of


@each("streamed", [False, True])
@each(("client", "provider"), PAIRS)
def test_the_provider_is_asked_for_its_own_model(client: str, provider: str, streamed: bool) -> None:
    sent = Exchange(client, provider, model=SENT).request(request_of(client, streamed), path=path_of(client, streamed))
    assert sent.stream is streamed
    if provider == GEMINI:
        assert sent.path.startswith(f"/v1beta/models/{SENT}:")
        assert ("stream" in sent.path) is streamed
        assert b"model" not in sent.body.replace(b'"role":"model"', b"")
    else:
        assert json.loads(sent.body)["model"] == SENT
        assert sent.path == path_of(provider)
    assert ASKED.encode() not in sent.body


@pytest.mark.parametrize(("client", "provider"), PAIRS)
def test_without_another_name_the_client_s_own_goes_on(client: str, provider: str) -> None:
    sent = Exchange(client, provider).request(request_of(client), path=path_of(client))
    assert ASKED in (sent.path if provider == GEMINI else sent.body.decode())


@each("kind", ["text", "call", "thought"])
@each(("client", "provider"), PAIRS)
def test_a_response_names_the_model_that_was_asked_for(client: str, provider: str, kind: str) -> None:
    whole = asked(client, provider).response(200, {}, bytes_of(provider, kind, streamed=False))
    assert model_of(json.loads(whole.body)) == {ASKED}
    stream = asked(client, provider, streamed=True).stream(200, {})
    made = events(stream.feed(bytes_of(provider, kind, streamed=True)) + stream.end())
    assert model_of(made) == {ASKED}
    assert model_of(stream.response) == {ASKED}


@pytest.mark.parametrize(("client", "provider"), [pair for pair in PAIRS if pair[0] == pair[1]])
def test_the_same_name_leaves_a_response_as_it_is(client: str, provider: str) -> None:
    exchange = Exchange(client, provider)
    exchange.request(request_of(client).replace(ASKED.encode(), MODEL.encode()), path=path_of(client, model=MODEL))
    data = b" " + bytes_of(provider, "text", streamed=False) + b"\n"
    assert exchange.response(200, {}, data).body == data


@pytest.mark.parametrize("model", [5, None, ["m"], {"m": 1}, True])
def test_a_model_that_is_no_name_is_the_client_s_error(model: object) -> None:
    exchange = Exchange(CHAT, RESPONSES, model=SENT)
    if model is None:  # the proxy has chosen
        assert (
            json.loads(exchange.request({"messages": [{"role": "user", "content": "Hi"}], "model": None}).body)["model"]
            == SENT
        )
        return
    with pytest.raises(TranslationError) as refused:
        exchange.request({"messages": [{"role": "user", "content": "Hi"}], "model": model})
    assert refused.value.path == "/model"
    assert exchange.refusal(refused.value).status == 400


@pytest.mark.parametrize("path", ["", "/", "/v1beta/models/:generateContent", "/v1beta/models/m:embedContent", "/v1/x"])
def test_a_path_that_names_no_model(path: str) -> None:
    exchange = Exchange(GEMINI, CHAT)
    with pytest.raises(TranslationError):
        exchange.request(request_of(GEMINI), path=path)


@pytest.mark.parametrize(
    "path",
    [
        "/v1beta/models/asked-model:generateContent",
        "/v1/models/asked-model:generateContent?key=none",
        "/v1beta1/projects/p/locations/l/publishers/google/models/asked-model:generateContent",
        "/v1beta/tunedModels/asked-model:generateContent",
    ],
)
def test_paths_of_gemini_s_clients(path: str) -> None:
    sent = Exchange(GEMINI, CHAT).request(request_of(GEMINI), path=path)
    assert (json.loads(sent.body)["model"], sent.stream) == (ASKED, False)


def test_a_model_within_a_client_s_text_is_not_replaced() -> None:
    exchange = Exchange(CHAT, RESPONSES, model=SENT)
    sent = exchange.request({"model": ASKED, "messages": [{"role": "user", "content": f"What is {ASKED}?"}]})
    assert f"What is {ASKED}?" in sent.body.decode()


@pytest.mark.parametrize(
    ("model", "path"),
    [
        ("gemini-3", "models/gemini-3"),
        ("tunedModels/a-1", "tunedModels/a-1"),
        ("publishers/google/models/g@1", "publishers/google/models/g@1"),
        ("../../v1/files?x=1#y", "models/..%2F..%2Fv1%2Ffiles%3Fx%3D1%23y"),
        ("models/../x", "models/models%2F..%2Fx"),
        ("/etc", "models/%2Fetc"),
        ("a//b", "models/a%2F%2Fb"),
        ("a b\r\nx: y", "models/a%20b%0D%0Ax%3A%20y"),
        ("m:countTokens", "models/m%3AcountTokens"),
        ("..", "models/.."),
    ],
)
def test_a_client_s_model_reaches_no_other_path(model: str, path: str) -> None:
    sent = Exchange(CHAT, GEMINI).request({"model": model, "messages": [{"role": "user", "content": "Hi"}]})
    assert sent.path == f"/v1beta/{path}:generateContent"
