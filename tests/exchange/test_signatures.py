"""Sessions whose provider changes: each gets its own signatures back, and never an envelope or what another issued
(RSN-27). Every response has reasoning and a call of a tool, so that all of them are of one turn."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from proxai_ir import Exchange, Seals
from proxai_ir.ir.envelope import TAG
from proxai_ir.passes.seals import MARK

from ..cases import each
from ..clients.provider import ANTHROPIC, CHAT, GEMINI, RESPONSES, reply, signature
from ..servers.official import official_refusals
from .support import NOW, SENT, path_of, whole

Json = Any
ADD: Json = {
    "type": "object",
    "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
    "required": ["a", "b"],
    "additionalProperties": False,
}
FUNCTION: Json = {"name": "add", "parameters": ADD}
REQUESTS: dict[str, Json] = {
    ANTHROPIC: {
        "model": "m",
        "max_tokens": 4096,
        "thinking": {"type": "enabled", "budget_tokens": 2048},
        "tools": [{"name": "add", "input_schema": ADD}],
        "messages": [{"role": "user", "content": "40 and 2?"}],
    },
    RESPONSES: {
        "model": "m",
        "store": False,
        "tools": [{"type": "function", **FUNCTION, "strict": True}],
        "input": [{"role": "user", "content": "40 and 2?"}],
    },
    GEMINI: {
        "tools": [{"functionDeclarations": [{"name": "add", "parametersJsonSchema": ADD}]}],
        "contents": [{"role": "user", "parts": [{"text": "40 and 2?"}]}],
    },
    CHAT: {
        "model": "m",
        "tools": [{"type": "function", "function": FUNCTION}],
        "messages": [{"role": "user", "content": "40 and 2?"}],
    },
}


def with_results(client: str, asked: Json, response: Json) -> Json:
    """The next request: the client sends the response back as it came, and the result of its call."""
    if client == ANTHROPIC:
        results = [
            {"type": "tool_result", "tool_use_id": block["id"], "content": "42"}
            for block in response["content"]
            if block["type"] == "tool_use"
        ]
        answered = [{"role": "assistant", "content": response["content"]}, {"role": "user", "content": results}]
        return {**asked, "messages": [*asked["messages"], *answered]}
    if client == RESPONSES:
        results = [
            {"type": "function_call_output", "call_id": item["call_id"], "output": "42"}
            for item in response["output"]
            if item["type"] == "function_call"
        ]
        return {**asked, "input": [*asked["input"], *response["output"], *results]}
    if client == CHAT:
        message = response["choices"][0]["message"]
        results = [{"role": "tool", "tool_call_id": one["id"], "content": "42"} for one in message["tool_calls"]]
        return {**asked, "messages": [*asked["messages"], message, *results]}
    content = response["candidates"][0]["content"]
    calls = [part["functionCall"] for part in content["parts"] if "functionCall" in part]
    answer = {"response": {"output": "42"}}
    results = [{"functionResponse": {**call, **answer}} for call in calls]
    for result in results:
        del result["functionResponse"]["args"]
    return {**asked, "contents": [*asked["contents"], content, {"role": "user", "parts": results}]}


SHAPES = ["".join(pair) for pair in ("ra", "ar", "ga", "ag", "rg", "gr")]
PROVIDERS = {"a": ANTHROPIC, "r": RESPONSES, "g": GEMINI}


@each("streamed", [False, True], ids=["whole", "streamed"])
@each("keys", [{}, {"seals": Seals({"k": b"a key of 16 bytes"})}], ids=["plain", "keys"])
@each("pair", SHAPES)
@each("client", [ANTHROPIC, RESPONSES, GEMINI])
def test_a_provider_gets_its_own_signatures_alone(client: str, pair: str, keys: dict[str, Any], streamed: bool) -> None:
    asked = REQUESTS[client]
    issued: dict[str, list[str]] = {}
    for number, provider in enumerate([PROVIDERS[letter] for letter in pair * 2], 1):
        exchange = Exchange(client, provider, model=SENT, now=NOW, **keys)
        body = json.dumps({**asked, **({"stream": True} if streamed and client != GEMINI else {})}).encode()
        sent = exchange.request(body, path=path_of(client, streamed))
        text = sent.body.decode()
        assert TAG not in text
        assert base64.b64encode(TAG.encode()).decode() not in text
        assert official_refusals(provider, json.loads(text), sent.headers) == []
        own = issued.setdefault(provider, [])
        assert all(one in text for one in own)
        assert not any(one in text for by, others in issued.items() if by != provider for one in others)
        made = reply(provider, "planned", streamed, number)
        if streamed:
            stream = exchange.stream(made.status, {"content-type": "text/event-stream"})
            out = b"".join([*map(stream.feed, made.chunks), stream.end()])
            assert stream.error is None
            response = whole(client, out)
        else:
            answer = exchange.response(made.status, {"content-type": "application/json"}, b"".join(made.chunks))
            assert answer.status == 200
            response = json.loads(answer.body)
        own.append(signature(number))
        asked = with_results(client, asked, response)


def test_a_relay_without_envelopes_sends_the_bytes_that_came() -> None:
    body = json.dumps(REQUESTS[ANTHROPIC] | {"model": "m"}, indent=2).encode()
    assert Exchange(ANTHROPIC, ANTHROPIC).request(body).body == body


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("kind", ["planned", "calls"])
def test_a_client_of_chat_sends_geminis_signatures_back(kind: str, streamed: bool) -> None:
    """Three rounds by default, without a profile: the signatures, and no placeholder."""
    asked = REQUESTS[CHAT]
    for number in (1, 2, 3):
        exchange = Exchange(CHAT, GEMINI, model=SENT, now=NOW)
        sent = exchange.request(json.dumps({**asked, "stream": streamed}).encode())
        payload = json.loads(sent.body)
        assert official_refusals(GEMINI, payload, sent.headers) == []
        found = [part.get("thoughtSignature") for turn in payload["contents"] for part in turn["parts"]]
        assert [one for one in found if one] == [signature(earlier) for earlier in range(1, number)]
        made = reply(GEMINI, kind, streamed, number)
        if streamed:
            stream = exchange.stream(made.status, {"content-type": "text/event-stream"})
            response = whole(CHAT, b"".join([*map(stream.feed, made.chunks), stream.end()]))
        else:
            data = b"".join(made.chunks)
            response = json.loads(exchange.response(made.status, {"content-type": "application/json"}, data).body)
        asked = with_results(CHAT, asked, response)


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@each("keys", [None, {"k": b"a key of 16 bytes"}], ids=["plain", "keys"])
@pytest.mark.parametrize("kind", ["planned", "calls"])
@pytest.mark.parametrize(
    "providers", [[GEMINI] * 3, [GEMINI, CHAT, GEMINI, ANTHROPIC, RESPONSES, GEMINI]], ids=["", "all"]
)
def test_a_client_that_returns_nothing_but_ids_sends_geminis_signatures_back(
    providers: list[str], kind: str, keys: dict[str, bytes] | None, streamed: bool
) -> None:
    """RSN-29: on the calls that they are of, to Gemini alone; a relay gets the ids without them."""
    asked = REQUESTS[CHAT]
    issued: list[str] = []
    for number, provider in enumerate(providers, 1):
        exchange = Exchange(CHAT, provider, model=SENT, now=NOW, seals=Seals(keys, ids=True))
        sent = exchange.request(json.dumps({**asked, "stream": streamed}).encode())
        text = sent.body.decode()
        assert MARK not in text and TAG not in text
        assert official_refusals(provider, json.loads(text), sent.headers) == []
        if provider == GEMINI:
            parts = [part for turn in json.loads(text)["contents"] for part in turn["parts"] if "functionCall" in part]
            own = [part["thoughtSignature"] for part in parts if "thoughtSignature" in part]
            assert [one for one in own if one != PLACEHOLDER] == issued
        else:
            assert not any(one in text for one in issued)
        made = reply(provider, kind, streamed, number)
        if streamed:
            stream = exchange.stream(made.status, {"content-type": "text/event-stream"})
            response = whole(CHAT, b"".join([*map(stream.feed, made.chunks), stream.end()]))
        else:
            data = b"".join(made.chunks)
            response = json.loads(exchange.response(made.status, {"content-type": "application/json"}, data).body)
        if provider == GEMINI:
            issued.append(signature(number))
        message = response["choices"][0]["message"]
        calls = [{key: one[key] for key in ("id", "type", "function")} for one in message["tool_calls"]]
        kept = {"role": "assistant", "content": message.get("content"), "tool_calls": calls}
        asked = with_results(CHAT, asked, {"choices": [{"message": kept}]})


PLACEHOLDER = "skip_thought_signature_validator"


# --- models of several makers -----------------------------------------------------------------------------------------

CLAUDE, DEEPSEEK = "claude-opus-5-5", "deepseek-v4-pro"
GPT, GROK = "gpt-5.6-sol", "grok-4.7"


def answered(client: str, provider: str, model: str, streamed: bool, asked: Json) -> Json:
    """The client's next request, after a response of a model that thinks and calls."""
    exchange = Exchange(client, provider, model=model, now=NOW)
    exchange.request(json.dumps({**asked, **streams(client, streamed)}).encode(), path=path_of(client, streamed))
    came = reply(provider, "planned", streamed)
    data = b"".join(came.chunks)
    if not streamed:
        return with_results(client, asked, json.loads(exchange.response(200, {"content-type": came.type}, data).body))
    stream = exchange.stream(200, {"content-type": came.type})
    return with_results(client, asked, whole(client, stream.feed(data) + stream.end()))


def streams(client: str, streamed: bool) -> Json:
    return {} if client == GEMINI else {"stream": streamed}


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("client", [GEMINI, RESPONSES])
@pytest.mark.parametrize(("signed_by", "other"), [(DEEPSEEK, CLAUDE), (CLAUDE, DEEPSEEK)])
def test_a_model_of_another_maker_gets_no_signature_of_its_protocol(
    client: str, signed_by: str, other: str, streamed: bool
) -> None:
    asked = answered(client, ANTHROPIC, signed_by, streamed, REQUESTS[client])
    sent = {
        model: Exchange(client, ANTHROPIC, model=model, now=NOW).request(
            json.dumps(asked).encode(), path=path_of(client)
        )
        for model in (signed_by, other)
    }
    assert signature(1) in sent[signed_by].body.decode()
    assert signature(1) not in sent[other].body.decode()
    assert TAG not in sent[other].body.decode()
    named = "RSN-5" if other == CLAUDE else "RSN-26"  # Claude takes no thoughts without one
    assert named in {one.rule for one in sent[other].diagnostics}


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize(("signed_by", "other"), [(GROK, GPT), (GPT, GROK)])
def test_encrypted_reasoning_is_its_maker_s(signed_by: str, other: str, streamed: bool) -> None:
    asked = answered(ANTHROPIC, RESPONSES, signed_by, streamed, REQUESTS[ANTHROPIC])
    own, others = (
        Exchange(ANTHROPIC, RESPONSES, model=model, now=NOW).request(json.dumps(asked).encode())
        for model in (signed_by, other)
    )
    assert signature(1) in own.body.decode()
    assert signature(1) not in others.body.decode()
    assert TAG not in others.body.decode()


@pytest.mark.parametrize("streamed", [False, True])
def test_what_the_client_would_take_for_its_own_vendor_s_is_in_an_envelope(streamed: bool) -> None:
    """Converse has a slot for signatures of Claude's, and DeepSeek's have the same protocol."""
    converse = "bedrock_converse"
    exchange = Exchange(converse, ANTHROPIC, model=DEEPSEEK, now=NOW)
    asked: Json = {"messages": [{"role": "user", "content": [{"text": "40 and 2?"}]}]}
    exchange.request(asked, path=f"/model/m/converse{'-stream' if streamed else ''}")
    came = reply(ANTHROPIC, "planned", streamed)
    if streamed:
        stream = exchange.stream(200, {"content-type": came.type})
        data = stream.feed(b"".join(came.chunks)) + stream.end()
    else:
        data = exchange.response(200, {"content-type": came.type}, b"".join(came.chunks)).body
    assert TAG.encode() in data
    assert signature(1).encode() not in data


def test_an_envelope_of_before_makers_were_stated_is_the_vendor_s() -> None:
    asked = answered(GEMINI, ANTHROPIC, "unknown", False, REQUESTS[GEMINI])
    bodies = [
        Exchange(GEMINI, ANTHROPIC, model=model, now=NOW).request(asked, path=path_of(GEMINI)).body.decode()
        for model in (CLAUDE, "unknown", DEEPSEEK)
    ]
    assert [signature(1) in one for one in bodies] == [True, True, False]


def test_a_caller_states_the_maker_itself() -> None:
    ours = Seals(maker="ours")
    exchange = Exchange(GEMINI, ANTHROPIC, model=DEEPSEEK, now=NOW, seals=ours)
    exchange.request(REQUESTS[GEMINI], path=path_of(GEMINI))
    came = reply(ANTHROPIC, "planned", False)
    response = json.loads(exchange.response(200, {"content-type": came.type}, came.chunks[0]).body)
    asked = with_results(GEMINI, REQUESTS[GEMINI], response)
    made = [Exchange(GEMINI, ANTHROPIC, model=CLAUDE, now=NOW, seals=one) for one in (ours, Seals())]
    assert [signature(1) in one.request(asked, path=path_of(GEMINI)).body.decode() for one in made] == [True, False]
