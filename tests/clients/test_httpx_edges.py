"""`proxai_ir.httpx` around the responses: keys, addresses, memory, counts, findings, what goes wrong on the way; and
that it has neither a thread nor a socket.
"""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import sys
import threading
import time
from typing import Any

import pytest

import proxai_ir
from proxai_ir.exchange import Unavailable
from proxai_ir.httpx import transports

from ..test_packaging import loaded_after
from .gateway import KEY
from .in_process import Upstream, sdk_of
from .provider import ANTHROPIC, CHAT, GEMINI, JSON_TYPE, MODEL, RESPONSES, TEXT, Reply
from .test_httpx import asked, text_of
from .test_official import HELLO

httpx = pytest.importorskip("httpx2")
LATE = {"model": "m", "messages": HELLO}


def openai(http: Any, **more: Any) -> Any:
    return sdk_of(CHAT, http, **more)


def errors() -> Any:
    return pytest.importorskip("openai")


# --- where requests go, and with which key ----------------------------------------------------------------------------


def test_the_key_is_that_of_the_vendor_s_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", " sk-of-the-vendor\n")
    upstream = Upstream(ANTHROPIC, "text")
    http = proxai_ir.httpx.client(ANTHROPIC, model=MODEL, transport=upstream.transport())
    assert text_of(CHAT, asked(CHAT, openai(http))) == TEXT
    assert upstream.asked[0].headers["x-api-key"] == "sk-of-the-vendor"


@pytest.mark.parametrize(
    ("provider", "names"),
    [
        (ANTHROPIC, "ANTHROPIC_API_KEY"),
        (CHAT, "OPENAI_API_KEY"),
        (RESPONSES, "OPENAI_API_KEY"),
        (GEMINI, "GEMINI_API_KEY or GOOGLE_API_KEY"),
    ],
)
def test_without_a_key_the_variable_is_named(monkeypatch: pytest.MonkeyPatch, provider: str, names: str) -> None:
    for name in names.split(" or "):
        monkeypatch.setenv(name, " ")
    with pytest.raises(ValueError, match=f"no key for {provider}: set the environment variable {names}, or pass api_k"):
        proxai_ir.httpx.client(provider)
    monkeypatch.setenv(names.split()[-1], "sk-1")
    proxai_ir.httpx.client(provider).close()


def test_the_vendor_s_key_goes_to_the_vendor_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-vendor")
    upstream = Upstream(CHAT, "text", "text")
    at = {"base_url": "http://localhost:8000/v1", "model": MODEL, "transport": upstream.transport()}
    asked(ANTHROPIC, sdk_of(ANTHROPIC, proxai_ir.httpx.client(CHAT, **at)))
    asked(ANTHROPIC, sdk_of(ANTHROPIC, proxai_ir.httpx.client(CHAT, api_key=KEY, **at)))
    assert [str(one.url) for one in upstream.asked] == ["http://localhost:8000/v1/chat/completions"] * 2
    assert [one.headers.get("authorization") for one in upstream.asked] == [None, f"Bearer {KEY}"]


def test_more_headers_and_no_headers_of_the_sdk() -> None:
    upstream = Upstream(ANTHROPIC, "text")
    asked(CHAT, openai(upstream.http(default_headers={"x-team": "blue", "User-Agent": "mine"})))
    sent = upstream.asked[0].headers
    assert (sent["x-team"], sent["user-agent"]) == ("blue", "mine")
    assert not [name for name in sent if name.startswith("x-stainless") or name == "authorization"]


def test_members_of_every_request() -> None:
    upstream = Upstream(CHAT, "text")
    http = upstream.http(body={"logit_bias": {"7": 1}, "max_completion_tokens": 7})
    asked(ANTHROPIC, sdk_of(ANTHROPIC, http))
    sent = json.loads(upstream.asked[0].content)
    assert sent["logit_bias"] == {"7": 1}
    assert sent["max_completion_tokens"] != 7
    with pytest.raises(TypeError, match="body/model: each request names its model"):
        upstream.http(body={"model": "m"})


@pytest.mark.parametrize(
    "base_url", ["https://openrouter.invalid/api/v1", "http://none.invalid", "https://x.invalid/v1/"]
)
def test_the_sdk_s_own_base_url_does_not_matter(base_url: str) -> None:
    upstream = Upstream(ANTHROPIC, "text", "text")
    by = openai(upstream.http(), base_url=base_url)
    assert text_of(CHAT, asked(CHAT, by)) == TEXT
    assert text_of(RESPONSES, asked(RESPONSES, by)) == TEXT


def test_a_profile_and_the_model_s_own() -> None:
    """The model's profile by its name: Claude of this version takes no `temperature`; a Profile has the last word."""
    upstream = Upstream(ANTHROPIC, "text", "text")
    for side in (ANTHROPIC, proxai_ir.Profile(ANTHROPIC, sampling=True)):
        http = proxai_ir.httpx.client(side, model="claude-opus-4-7", api_key=KEY, transport=upstream.transport())
        openai(http).chat.completions.create(**LATE, temperature=0.5)
    assert [one.get("temperature") for one in upstream.sent] == [None, 0.5]


def test_a_provider_of_the_sdk_s_own_protocol() -> None:
    upstream = Upstream(CHAT, "text")
    made = asked(CHAT, openai(upstream.http()))
    assert (text_of(CHAT, made), made.model) == (TEXT, "m")
    assert upstream.sent == [{"model": MODEL, "messages": HELLO, "stream": False}]


# --- memory, counts, what a model refuses -----------------------------------------------------------------------------


@pytest.mark.parametrize("streamed", [False, True])
def test_responses_are_remembered(streamed: bool) -> None:
    upstream = Upstream(ANTHROPIC, "text", "text")
    by = sdk_of(RESPONSES, upstream.http()).responses
    first = by.create(model="m", input="One", stream=streamed)
    name = list(first)[-1].response.id if streamed else first.id
    assert by.create(model="m", input="Two", previous_response_id=name).output_text == TEXT
    assert [one["role"] for one in upstream.sent[1]["messages"]] == ["user", "assistant", "user"]
    with pytest.raises(errors().BadRequestError, match="resp_9") as raised:
        by.create(model="m", input="Two", previous_response_id="resp_9")
    assert raised.value.code == "previous_response_not_found"


def test_a_memory_of_one_s_own_outlasts_the_client() -> None:
    memory = proxai_ir.InMemory()
    first, second = Upstream(ANTHROPIC, "text"), Upstream(GEMINI, "text")
    name = sdk_of(RESPONSES, first.http(memory=memory)).responses.create(model="m", input="One").id
    sdk_of(RESPONSES, second.http(memory=memory)).responses.create(model="m", input="2", previous_response_id=name)
    assert len(second.sent[0]["contents"]) == 3


def test_a_memory_that_cannot_be_used() -> None:
    class Away(proxai_ir.InMemory):
        def get(self, key: str) -> Any:
            raise Unavailable

    upstream = Upstream(ANTHROPIC, "text")
    by = sdk_of(RESPONSES, upstream.http(memory=Away())).responses
    assert by.create(model="m", input="One").output_text == TEXT
    with pytest.raises(errors().InternalServerError, match="The memory of responses cannot be used now") as raised:
        by.create(model="m", input="Two", previous_response_id="resp_1")
    assert raised.value.status_code == 503


@pytest.mark.parametrize(("provider", "member"), [(RESPONSES, "input_tokens"), (GEMINI, "totalTokens")])
def test_tokens_are_counted_by_the_provider(monkeypatch: pytest.MonkeyPatch, provider: str, member: str) -> None:
    upstream = Upstream(provider, Reply(200, JSON_TYPE, [json.dumps({member: 7}).encode()]))
    counting = Counting(upstream)
    monkeypatch.setattr(upstream, "respond", counting)
    by = sdk_of(ANTHROPIC, upstream.http())
    assert by.messages.count_tokens(model="m", messages=HELLO).input_tokens == 7
    assert counting.paths == [
        "/v1/responses/input_tokens" if provider == RESPONSES else f"/v1beta/models/{MODEL}:countTokens"
    ]
    counting.data = b"{}"
    with pytest.raises(pytest.importorskip("anthropic").APIStatusError, match="no count of tokens"):
        by.messages.count_tokens(model="m", messages=HELLO)


class Counting:
    """A provider's response to a request that counts, which is no request for a response."""

    def __init__(self, upstream: Upstream) -> None:
        self.data = b"".join(upstream.script[0].chunks)
        self.paths: list[str] = []

    def __call__(self, request: Any) -> Any:
        self.paths.append(request.url.path)
        return httpx.Response(200, content=self.data)


def test_no_tokens_are_counted_where_the_provider_cannot() -> None:
    upstream = Upstream(CHAT)
    with pytest.raises(pytest.importorskip("anthropic").NotFoundError, match=f"{CHAT} cannot count tokens"):
        sdk_of(ANTHROPIC, upstream.http()).messages.count_tokens(model="m", messages=HELLO)
    assert upstream.sent == []


def test_what_a_model_refuses_is_left_out_from_then_on() -> None:
    refusal = {"error": {"message": "Unsupported parameter: 'temperature'", "type": "invalid_request_error"}}
    upstream = Upstream(RESPONSES, Reply(400, JSON_TYPE, [json.dumps(refusal).encode()]), "text", "text")
    by = openai(upstream.http(on_diagnostics=lambda *_: None))
    for _ in range(2):
        assert by.chat.completions.create(**LATE, temperature=0.5).choices[0].message.content == TEXT
    assert [one.get("temperature") for one in upstream.sent] == [0.5, None, None]


# --- what was found ---------------------------------------------------------------------------------------------------


def test_findings_go_to_the_callback(caplog: pytest.LogCaptureFixture) -> None:
    found: list[tuple[str, Any]] = []
    upstream = Upstream(ANTHROPIC, "thought", "thought")
    by = openai(upstream.http(on_diagnostics=lambda *one: found.append(one)))
    by.chat.completions.create(**LATE, seed=7)
    list(by.chat.completions.create(**LATE, seed=7, stream=True))
    assert [what for what, _ in found] == ["request", "response"] * 2
    assert [("SMP-10", "/seed") in [(one.rule, one.path) for one in ones] for _, ones in found] == [True, False] * 2
    assert caplog.records == []


def test_losses_are_logged_as_warnings(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "proxai_ir.httpx")
    openai(Upstream(ANTHROPIC, "text").http()).chat.completions.create(**LATE, seed=7)
    logged = [(one.levelname, one.getMessage()) for one in caplog.records if one.name == "proxai_ir.httpx"]
    assert [level for level, text in logged if "SMP-10 /seed" in text] == ["WARNING"]
    assert [level for level, text in logged if "SMP-1 (" in text] == ["DEBUG"]
    assert all(text.split(": ")[0].endswith(f" of {CHAT} on {ANTHROPIC}") for _, text in logged)


def test_what_cannot_be_converted_is_a_bad_request() -> None:
    upstream = Upstream(ANTHROPIC)
    with pytest.raises(errors().BadRequestError, match="SMP-10 at /seed"):
        openai(upstream.http(strict=True)).chat.completions.create(**LATE, seed=7)
    assert upstream.sent == []


# --- what goes wrong --------------------------------------------------------------------------------------------------


def test_paths_that_are_none_of_a_model_s_responses() -> None:
    by = openai(Upstream(ANTHROPIC).http())
    expected = r"There is no {} here; expected a request for a response of a model \(.*/v1/chat/completions, "
    for what, ask in (
        ("POST /v1/embeddings", lambda: by.embeddings.create(model="m", input="x")),
        ("GET /v1/models", by.models.list),
        ("GET /v1/responses/resp_1", lambda: by.responses.retrieve("resp_1")),
        ("POST /v1/threads/t/messages", lambda: by.post("/threads/t/messages", cast_to=object)),
    ):
        with pytest.raises(errors().NotFoundError, match=expected.format(what)):
            ask()
    with pytest.raises(pytest.importorskip("anthropic").NotFoundError, match="There is no GET /v1/models here"):
        sdk_of(ANTHROPIC, Upstream(CHAT).http()).models.list()
    with pytest.raises(pytest.importorskip("google.genai").errors.ClientError, match=r"no GET /v1.*/models here"):
        list(sdk_of(GEMINI, Upstream(CHAT).http()).models.list())


def test_wrong_arguments() -> None:
    client = proxai_ir.httpx.client
    with pytest.raises(proxai_ir.UnknownProtocol, match="did you mean 'anthropic_messages'"):
        client("anthropc_messages", api_key=KEY)
    with pytest.raises(TypeError, match=r"'stirct'.*did you mean 'strict'"):
        client(ANTHROPIC, api_key=KEY, stirct=True)  # type: ignore[call-arg]
    with pytest.raises(ValueError, match=r"base_url is 'localhost:8000'; expected one that begins with https://"):
        client(ANTHROPIC, base_url="localhost:8000")
    with pytest.raises(ValueError, match="the key has a character that no header can have"):
        client(ANTHROPIC, api_key="sk-\u2026")
    with pytest.raises(TypeError, match="Invalid `http_client`"):
        pytest.importorskip("openai").AsyncOpenAI(api_key="any", http_client=client(ANTHROPIC, api_key=KEY))


def test_a_provider_that_cannot_be_reached() -> None:
    """The SDK's own exceptions, with its own timeout."""
    upstream = Upstream(ANTHROPIC, httpx.ConnectError("no route"), httpx.ReadTimeout("late"))
    by = openai(upstream.http(), timeout=3)
    with pytest.raises(errors().APIConnectionError):
        asked(CHAT, by)
    with pytest.raises(errors().APITimeoutError):
        asked(CHAT, by)
    assert [one.extensions["timeout"]["read"] for one in upstream.asked] == [3, 3]


def test_the_sdk_tries_again_as_the_provider_says(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr(time, "sleep", slept.append)
    upstream = Upstream(ANTHROPIC, "limited", "text")
    assert text_of(CHAT, asked(CHAT, openai(upstream.http(), max_retries=1))) == TEXT
    assert slept == [7.0]


def test_a_stream_whose_connection_breaks(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(httpx.SyncByteStream):  # type: ignore[misc, name-defined, unused-ignore]
        def __iter__(self) -> Any:
            raise httpx.ReadError("reset")
            yield b""

    upstream = Upstream(ANTHROPIC)
    broken = httpx.Response(200, headers={"content-type": "text/event-stream"}, stream=Broken())
    monkeypatch.setattr(upstream, "respond", lambda _: broken)
    with pytest.raises(errors().APIConnectionError) as raised:
        list(asked(CHAT, openai(upstream.http()), streamed=True))
    assert str(raised.value.__cause__) == "reset"


@pytest.mark.parametrize("status", [301, 999])
def test_what_no_provider_responds_names_the_base_url(status: int) -> None:
    upstream = Upstream(ANTHROPIC, Reply(status, "text/html", [b"<html>"], {"location": "https://elsewhere.invalid"}))
    with pytest.raises(errors().InternalServerError, match=f"The provider answered {status}; check its base_url"):
        asked(CHAT, openai(upstream.http()))
    assert len(upstream.sent) == 1


# --- what it is made of -----------------------------------------------------------------------------------------------


def test_no_thread_and_no_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: Any, **__: Any) -> None:
        raise AssertionError("a thread or a socket")

    sync, other = Upstream(ANTHROPIC, "text", "text"), Upstream(ANTHROPIC, "text", "text")
    url, body = "https://api.openai.com/v1/chat/completions", {"model": "m", "messages": HELLO}

    async def run() -> list[str]:
        with monkeypatch.context() as patched:  # the loop has sockets of its own
            patched.setattr(threading.Thread, "start", refused)
            patched.setattr(socket, "socket", refused)
            async with other.async_http() as http:
                return [(await http.post(url, json={**body, "stream": streamed})).text for streamed in (False, True)]

    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refused)
        patched.setattr(socket, "socket", refused)
        with sync.http() as http:
            made = [http.post(url, json={**body, "stream": streamed}).text for streamed in (False, True)]
    assert TEXT in made[0]
    assert "[DONE]" in made[1]
    assert [len(text) for text in asyncio.run(run())] == [len(text) for text in made]


def test_closing_closes_what_reaches_the_provider() -> None:
    closed: list[str] = []

    class Transport(httpx.BaseTransport, httpx.AsyncBaseTransport):  # type: ignore[misc, name-defined, unused-ignore]
        def close(self) -> None:
            closed.append("close")

        async def aclose(self) -> None:
            closed.append("aclose")

    openai(proxai_ir.httpx.client(ANTHROPIC, api_key=KEY, transport=Transport())).close()
    asyncio.run(openai(proxai_ir.httpx.async_client(ANTHROPIC, api_key=KEY, transport=Transport())).close())
    assert closed == ["close", "aclose"]


def test_the_library_is_that_of_the_transport_or_of_the_sdk(monkeypatch: pytest.MonkeyPatch) -> None:
    earlier = pytest.importorskip("httpx")
    assert transports.chosen(earlier.MockTransport(lambda _: None)) is earlier
    assert transports.chosen(None) is httpx
    monkeypatch.delitem(sys.modules, "httpx2")
    assert transports.chosen(None) is earlier
    monkeypatch.setattr(transports, "NAMES", ("no_such_library",))
    with pytest.raises(ImportError, match=r'needs httpx2.*pip install "\.\[httpx\]"'):
        transports.chosen(None)


def test_nothing_is_imported_before_a_client_is_made() -> None:
    assert {"httpx", "httpx2"}.isdisjoint(loaded_after("import proxai_ir\nproxai_ir.httpx.client"))
    made = loaded_after("import proxai_ir\nproxai_ir.httpx.client('anthropic_messages', api_key='k')")
    assert {"httpx", "openai", "anthropic", "google.genai", "pydantic", "starlette"}.isdisjoint(made)
    assert "httpx2" in made


def test_the_name_is_no_one_else_s() -> None:
    """`from proxai_ir import *` leaves the package's name alone, and the module is no stand-in for it."""
    assert "httpx" not in proxai_ir.__all__
    assert proxai_ir.httpx.__name__ == "proxai_ir.httpx"
    assert not hasattr(proxai_ir.httpx, "Client")
