"""What a provider gets of a request, what `state` holds, and the client's own errors."""

from __future__ import annotations

import json
from typing import Any

import pytest

import proxai_ir
from proxai_ir import Exchange, Profile, TranslationError

from ..cases import each
from ..clients.provider import ANTHROPIC, CHAT, GEMINI, RESPONSES
from ..servers.official import official_refusals
from .support import ALL, ASKED, PAIRS, asked, bytes_of, message_of, path_of, request_of, text_of, word_of

# --- requests ---------------------------------------------------------------------------------------------------------


@each("streamed", [False, True])
@each(("client", "provider"), PAIRS)
def test_the_provider_s_server_takes_it(client: str, provider: str, streamed: bool) -> None:
    sent = Exchange(client, provider).request(request_of(client, streamed), path=path_of(client, streamed))
    assert official_refusals(provider, json.loads(sent.body), sent.headers) == []
    assert sent.stream is streamed
    if provider != GEMINI:
        assert (json.loads(sent.body).get("stream") is True) is streamed


@pytest.mark.parametrize("given", [bytes, bytearray, memoryview, json.loads])
def test_a_body_in_any_form(given: Any) -> None:
    sent = Exchange(CHAT, ANTHROPIC).request(given(request_of(CHAT)))
    assert json.loads(sent.body)["messages"] == [{"role": "user", "content": "Hi"}]


def test_the_same_protocol_s_request_is_left_as_it_is() -> None:
    body = b'  {"model": "m", "max_tokens": 100, "messages": [{"role":"user","content":"Hi"}]}\n'
    assert Exchange(ANTHROPIC, ANTHROPIC).request(body).body == body


def test_tools_that_the_provider_lacks_are_emulated_and_broken_calls_repaired() -> None:
    history = [
        {"role": "user", "content": "Hi"},
        {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{broken"},
        {"type": "function_call_output", "call_id": "c1", "output": "no"},
    ]
    body = {"model": "m", "input": history, "tools": [{"type": "custom", "name": "patch"}]}
    sent = json.loads(Exchange(RESPONSES, ANTHROPIC).request(body).body)
    assert [tool["name"] for tool in sent["tools"]] == ["patch"]
    assert "c1" not in str(sent)
    with pytest.raises(TranslationError):
        Exchange(RESPONSES, ANTHROPIC, emulate=(), repair=()).request(body)


def test_encrypted_reasoning_is_asked_for() -> None:
    """So that there is something to carry (RSN-25)."""
    sent = Exchange(CHAT, RESPONSES).request(request_of(CHAT, reasoning_effort="low"))
    assert json.loads(sent.body)["include"] == ["reasoning.encrypted_content"]
    assert json.loads(sent.body)["store"] is False
    sent = Exchange(CHAT, RESPONSES, seals=False).request(request_of(CHAT, reasoning_effort="low"))
    assert "include" not in json.loads(sent.body)


def test_diagnostics_name_what_was_lost() -> None:
    exchange = Exchange(CHAT, ANTHROPIC)
    sent = exchange.request(request_of(CHAT, seed=7))
    assert [(one.code, one.path) for one in sent.diagnostics if one.severity == "loss"] == [("SMP-10", "/seed")]
    with pytest.raises(TranslationError):
        Exchange(CHAT, ANTHROPIC, strict=True).request(request_of(CHAT, seed=7))
    Exchange(CHAT, ANTHROPIC, strict=True, accept=("SMP-10",)).request(request_of(CHAT, seed=7))


def test_arguments_are_left_alone() -> None:
    body = json.loads(request_of(RESPONSES, store=True))
    before = json.dumps(body)
    headers = {"anthropic-version": "2023-06-01"}
    state: dict[str, Any] = {}
    Exchange(RESPONSES, ANTHROPIC, model="other", memory=proxai_ir.InMemory(), state=state).request(body, headers)
    assert (json.dumps(body), headers, state) == (before, {"anthropic-version": "2023-06-01"}, {})


# --- state ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("client", "provider"), PAIRS)
def test_state_is_json_and_enough(client: str, provider: str) -> None:
    exchange = asked(client, provider)
    data = bytes_of(provider, "call", streamed=False)
    other = Exchange(client, provider, now=1_700_000_000.0, state=json.loads(json.dumps(exchange.state)))
    assert other.response(200, {}, data).body == exchange.response(200, {}, data).body


def test_state_has_the_tools_that_were_emulated() -> None:
    exchange = Exchange(RESPONSES, ANTHROPIC)
    exchange.request(request_of(RESPONSES, tools=[{"type": "custom", "name": "patch"}]))
    called = {"type": "tool_use", "id": "toolu_1", "name": "patch", "input": {"input": "*** Begin"}}
    whole = json.loads(bytes_of(ANTHROPIC, "call", streamed=False)) | {"content": [called]}
    other = Exchange(RESPONSES, ANTHROPIC, state=json.loads(json.dumps(exchange.state)))
    (item,) = json.loads(other.response(200, {}, json.dumps(whole).encode()).body)["output"]
    assert (item["type"], item["input"]) == ("custom_tool_call", "*** Begin")


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("client", [ANTHROPIC, RESPONSES])
def test_a_provider_that_counts_the_calls_of_each_response_is_understood(client: str, streamed: bool) -> None:
    """The same id in three rounds: the client runs three calls, and the provider gets three back."""
    history: list[Any] = [{"role": "user", "content": "Hi"}]
    seen: list[str] = []
    for _ in range(3):
        exchange = Exchange(client, CHAT)
        body: Any = {"input": history} if client == RESPONSES else {"messages": history}
        sent = exchange.request(request_of(client, **body))
        answered = [one["tool_call_id"] for one in json.loads(sent.body)["messages"] if one["role"] == "tool"]
        assert answered == seen
        data = bytes_of(CHAT, "call", streamed)
        if streamed:
            stream = exchange.stream(200, {"content-type": "text/event-stream"})
            stream.feed(data)
            stream.end()
            response = stream.response
        else:
            response = json.loads(exchange.response(200, {}, data).body)
        if client == RESPONSES:
            (call,) = (item for item in response["output"] if item["type"] == "function_call")
            identity = call["call_id"]
            history += [call, {"type": "function_call_output", "call_id": identity, "output": "one"}]
        else:
            (call,) = (block for block in response["content"] if block["type"] == "tool_use")
            identity = call["id"]
            result = {"type": "tool_result", "tool_use_id": identity, "content": "one"}
            history += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
        seen.append(identity)
    assert len(set(seen)) == 3
    assert all(one.startswith(seen[0]) for one in seen)


@pytest.mark.parametrize("arguments", ['{"input": "*** Begin"}', '{"cmd": "ls"}'])
def test_a_custom_tool_through_a_server_of_chat(arguments: str) -> None:
    """The client defined a custom tool, and gets calls of one, whatever the model's arguments are."""
    exchange = Exchange(RESPONSES, CHAT)
    sent = json.loads(exchange.request(request_of(RESPONSES, tools=[{"type": "custom", "name": "patch"}])).body)
    assert [tool["type"] for tool in sent["tools"]] == ["function"]
    whole = json.loads(bytes_of(CHAT, "call", streamed=False))
    function = {"name": "patch", "arguments": arguments}
    whole["choices"][0]["message"]["tool_calls"] = [{"id": "call_1", "type": "function", "function": function}]
    reply = exchange.response(200, {}, json.dumps(whole).encode())
    (item,) = json.loads(reply.body)["output"]
    assert reply.status == 200
    assert item["type"] == "custom_tool_call"
    assert item["input"] == json.loads(arguments).get("input", arguments)


def test_state_holds_nothing_of_the_proxy() -> None:
    exchange = Exchange(ANTHROPIC, CHAT, model="secret-model", key="sk-secret", owner="secret-owner",
                        seals=proxai_ir.Seals({"k1": b"secret-key-of-seals"}))  # fmt: skip
    exchange.request(request_of(ANTHROPIC, system="Be brief."), {"x-api-key": "secret-client"})
    assert "secret" not in json.dumps(exchange.state)
    assert "brief" not in json.dumps(exchange.state)


@pytest.mark.parametrize(("client", "provider"), PAIRS)
def test_a_response_without_a_request(client: str, provider: str) -> None:
    """A proxy that lost the state still gives the client something that it reads."""
    made = Exchange(client, provider).response(200, {}, bytes_of(provider, "text", streamed=False))
    assert made.status == 200
    assert text_of(json.loads(made.body)) == "It is 42."


# --- the client's errors ----------------------------------------------------------------------------------------------


@each("body", [b"", b"{", b"[]", b"5", b'"x"', b"null", b"\xff", b"{}", b'{"model": "m"}', b'{"a": NaN}'])
@each(("client", "provider"), PAIRS)
def test_a_malformed_request_is_the_client_protocol_s_error(client: str, provider: str, body: bytes) -> None:
    exchange = Exchange(client, provider, memory=proxai_ir.InMemory())
    with pytest.raises(TranslationError) as refused:
        exchange.request(body, path=path_of(client))
    made = exchange.refusal(refused.value)
    assert made.status == 400
    assert word_of(client, made.body) == ("INVALID_ARGUMENT" if client == GEMINI else "invalid_request_error")
    assert refused.value.diagnostics[0].code in message_of(made.body)
    assert made.diagnostics == refused.value.diagnostics


def test_the_error_names_the_parameter() -> None:
    exchange = Exchange(CHAT, ANTHROPIC)
    with pytest.raises(TranslationError) as refused:
        exchange.request(request_of(CHAT, n=3))
    assert json.loads(exchange.refusal(refused.value).body)["error"]["param"] == "/n"


@each("client", ALL)
@each(
    ("status", "openai", "anthropic", "gemini"),
    [
        (401, "authentication_error", "authentication_error", "UNAUTHENTICATED"),
        (404, "not_found_error", "not_found_error", "NOT_FOUND"),
        (413, "request_too_large", "request_too_large", "INVALID_ARGUMENT"),
        (429, "rate_limit_error", "rate_limit_error", "RESOURCE_EXHAUSTED"),
        (502, "server_error", "api_error", "INTERNAL"),
        (504, "timeout", "timeout_error", "DEADLINE_EXCEEDED"),
    ],
)
def test_errors_of_the_proxy_itself(client: str, status: int, openai: str, anthropic: str, gemini: str) -> None:
    made = Exchange(client, CHAT).refusal("No such route.", status=status)
    assert (made.status, message_of(made.body)) == (status, "No such route.")
    assert word_of(client, made.body) == {ANTHROPIC: anthropic, GEMINI: gemini}.get(client, openai)
    assert json.loads(made.body)["error"].get("code", status) in (status, None)


@each("depth", [200, 400, 900, 1_100, 100_000])
@each(("client", "provider"), PAIRS)
def test_a_request_that_is_too_deep(client: str, provider: str, depth: int) -> None:
    nested = '{"a":' * depth + "1" + "}" * depth
    body = request_of(client)[:-1] + b', "tools": [' + nested.encode() + b"]}"
    exchange = Exchange(client, provider, memory=proxai_ir.InMemory())
    try:
        exchange.request(body, path=path_of(client))
    except TranslationError as error:
        assert exchange.refusal(error).status == 400


# --- the caller's mistakes --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{"unknown": 1}, {"strict": "yes"}, {"seals": True}, {"repair": ("x",)}])
def test_unknown_options_show_at_once(options: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        Exchange(CHAT, ANTHROPIC, **options)


def test_options_are_checked_at_the_start_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    exchange, checked = Exchange(CHAT, ANTHROPIC, emulate="auto"), list[Any]()
    for module in ("profile", "directions"):
        monkeypatch.setattr(f"proxai_ir.conversion.{module}.check_options", lambda *given, **_: checked.append(given))
    exchange.request(request_of(CHAT))
    exchange.response(200, {}, bytes_of(ANTHROPIC, "text", streamed=False))
    assert checked == []


def test_protocols_that_are_not_known() -> None:
    for sides in (("nothing", CHAT), (CHAT, "nothing")):
        with pytest.raises(proxai_ir.UnknownProtocol, match="nothing"):
            Exchange(*sides)


def test_options_of_one_protocol_stand_in_its_profile() -> None:
    client = Profile(RESPONSES, refusal_status="completed")
    whole = json.loads(bytes_of(ANTHROPIC, "refusal", streamed=False))
    exchange = Exchange(client, ANTHROPIC)
    exchange.request(request_of(RESPONSES))
    made = exchange.response(200, {}, json.dumps(whole).encode())
    assert (made.status, json.loads(made.body)["status"]) == (200, "completed")


def test_seals_are_carried_in_authenticated_envelopes_with_keys() -> None:
    exchange = Exchange(
        ANTHROPIC, GEMINI, seals=proxai_ir.Seals({"k1": b"sixteen-bytes-or-more"}, audience="a"), now=10.0
    )
    exchange.request(request_of(ANTHROPIC))
    made = exchange.response(200, {}, bytes_of(GEMINI, "call", streamed=False))
    assert b"proxai_ir.seal.2" in made.body
    assert ASKED.encode() in made.body


@pytest.mark.parametrize("options", [{}, {"seals": proxai_ir.Seals({"k1": b"sixteen-bytes-or-more"})}])
def test_a_response_without_a_time_has_that_of_the_exchange(options: dict[str, Any]) -> None:
    exchange = Exchange(CHAT, ANTHROPIC, now=1_700_000_000.0, **options)
    exchange.request({"model": "m", "messages": [{"role": "user", "content": "hi"}]})
    whole = bytes_of(ANTHROPIC, "text", streamed=False)
    assert json.loads(exchange.response(200, {}, whole).body)["created"] == 1_700_000_000
