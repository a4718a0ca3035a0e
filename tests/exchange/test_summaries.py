"""A summary in place of a response (PLC-64): every provider is asked for it, its client gets it as its own protocol has
it, and the next request brings it back to every provider (CTX-2)."""

from __future__ import annotations

import json
from typing import Any

import pytest

import proxai_ir
from proxai_ir import Exchange
from proxai_ir.protocol.registry import framing_of, protocols

from ..cases import each
from ..clients.provider import ANTHROPIC, CHAT, RESPONSES
from .support import bytes_of, events, whole

Json = Any
TOLD = "It is 42."  # what the mock providers respond
HISTORY = [{"role": "user", "content": "What is it?"}]
TOOL = {"type": "object", "properties": {}}
ASKING: dict[str, Json] = {
    ANTHROPIC: {
        "model": "m",
        "max_tokens": 99,
        "messages": HISTORY,
        "tools": [{"name": "f", "input_schema": TOOL}],
        "compaction": {"type": "summarize"},
    },
    RESPONSES: {
        "model": "m",
        "store": False,
        "input": [*HISTORY, {"type": "compaction_trigger"}],
        "tools": [{"type": "function", "name": "f", "parameters": TOOL, "strict": False}],
        "parallel_tool_calls": True,
    },
}
KEYS = {"k1": b"0123456789abcdef"}
PAIRS = [(client, provider) for client in ASKING for provider in protocols() if client != provider]


def asked(client: str, provider: str, streamed: bool = False, **options: Any) -> Exchange:
    exchange = Exchange(client, provider, model="m", now=1_700_000_000.0, **options)
    exchange.request({**ASKING[client], **({"stream": True} if streamed else {})})
    return exchange


def from_chat(provider: str, kind: str, streamed: bool) -> bytes:
    """What a provider responds, as one piece."""
    data = bytes_of(CHAT, kind, streamed)
    if provider == CHAT:
        return data
    return bytes(proxai_ir.convert(data, CHAT, provider, kind="stream" if streamed else "response", model="m"))


def summary_of(client: str, response: Json) -> Json:
    """The one part of a response that is a summary, and how that ended."""
    if client == ANTHROPIC:
        assert response["stop_reason"] == "compaction"
        (block,) = response["content"]
        assert block == {"type": "compaction", "content": TOLD}
        return block
    assert response["status"] == "completed"
    (item,) = response["output"]
    assert item["type"] == "compaction"
    assert set(item) == {"id", "type", "encrypted_content"}
    return item


@each("kind", ["text", "thought"])
@each(("client", "provider"), PAIRS)
def test_a_whole_response_is_the_summary(client: str, provider: str, kind: str) -> None:
    reply = asked(client, provider).response(200, {}, from_chat(provider, kind, streamed=False))
    assert reply.status == 200
    summary_of(client, json.loads(reply.body))
    assert reply.usage is not None
    assert reply.usage["output"] > 0
    assert "STS-10" not in [one.rule for one in reply.diagnostics if one.severity == "loss"]


@each("kind", ["text", "thought"])
@each(("client", "provider"), PAIRS)
def test_a_stream_is_the_summary_too(client: str, provider: str, kind: str) -> None:
    data = from_chat(provider, kind, streamed=True)
    for size in (7, len(data)):
        stream = asked(client, provider, streamed=True).stream(200, {"content-type": framing_of(provider).content_type})
        out = b"".join(stream.feed(data[at : at + size]) for at in range(0, len(data), size)) + stream.end()
        assert stream.error is None
        made = summary_of(client, whole(client, out))
        assert summary_of(client, stream.response) == made
        done = [one["item"] for one in events(out) if one.get("type") == "response.output_item.done"]
        assert done == ([] if client == ANTHROPIC else [made])
        assert stream.usage is not None


WRONG = {
    "a call": ("call", b"", b""),
    "a refusal": ("refusal", b"", b""),
    "cut off": ("text", b'"finish_reason":"stop"', b'"finish_reason":"length"'),
    "filtered": ("text", b'"finish_reason":"stop"', b'"finish_reason":"content_filter"'),
    "empty": ("text", b'"content":"', b'"other":"'),
}
"""What a provider of Chat Completions responds that is no summary: the kind, and what is replaced in its bytes."""


@each("streamed", [False, True])
@each("client", [*ASKING])
@each("wrong", [*WRONG])
def test_what_is_no_summary_is_an_error(client: str, wrong: str, streamed: bool) -> None:
    kind, old, new = WRONG[wrong]
    data = bytes_of(CHAT, kind, streamed).replace(b'": ', b'":')
    assert old in data
    data = data.replace(old, new)
    exchange = asked(client, CHAT, streamed)
    if not streamed:
        reply = exchange.response(200, {}, data)
        assert (reply.status, "PLC-65" in reply.body.decode()) == (502, True)
        return
    stream = exchange.stream(200, {})
    out = stream.feed(data) + stream.end()
    assert stream.error is not None
    assert (stream.error.rule, stream.response) == ("PLC-65", None)
    assert b"compaction" not in out
    assert events(out)[-1]["type"] == ("error" if client == ANTHROPIC else "response.failed")


@each("provider", [*protocols()])
@each("options", [{}, {"seals": proxai_ir.Seals(KEYS)}])
def test_the_next_request_brings_it_to_every_provider(provider: str, options: Json) -> None:
    """Of Responses as well, which never gets the envelope (RSN-27)."""
    reply = asked(RESPONSES, CHAT, **options).response(200, {}, bytes_of(CHAT, "text", streamed=False))
    item = summary_of(RESPONSES, json.loads(reply.body))
    item.pop("id")  # as agents send items back that are not stored
    following = {"model": "m", "store": False, "input": [*HISTORY, item, {"role": "user", "content": "Why?"}]}
    sent = Exchange(RESPONSES, provider, model="m", **options).request(following)
    chat = proxai_ir.convert(sent.body, provider, CHAT, kind="request", model="m")
    turns = [(one["role"], one["content"]) for one in json.loads(chat)["messages"]]
    told = f"Summary of the conversation so far:\n\n{TOLD}"
    assert "".join(str(content) for _, content in turns).count(TOLD) == 1
    assert {role for role, _ in turns} == {"user"}
    assert b"proxai_ir.seal" not in sent.body
    assert json.dumps(told)[1:-1].encode() in sent.body
    assert "CTX-2" in [one.rule for one in sent.diagnostics]


@each("provider", [one for one in protocols() if one != ANTHROPIC])
def test_the_block_alone_is_a_conversation_elsewhere(provider: str) -> None:
    """As the SDK's tool runner sends it, which has replaced its messages by the response."""
    following = {"model": "m", "max_tokens": 99, "messages": [{"role": "assistant", "content": [SUMMARY]}]}
    sent = Exchange(ANTHROPIC, provider, model="m").request(following)
    chat = json.loads(proxai_ir.convert(sent.body, provider, CHAT, kind="request", model="m"))
    (message,) = chat["messages"]
    assert message == {"role": "user", "content": f"Summary of the conversation so far:\n\n{TOLD}"}
    assert [one.rule for one in sent.diagnostics if one.severity == "loss"] == []


SUMMARY = {"type": "compaction", "content": TOLD}


@pytest.mark.parametrize("provider", [RESPONSES, CHAT])
def test_an_envelope_that_is_not_opened_refuses_the_request(provider: str) -> None:
    """It is all that is left of the conversation."""
    made = asked(RESPONSES, CHAT, seals=proxai_ir.Seals(KEYS)).response(200, {}, bytes_of(CHAT, "text", streamed=False))
    (item,) = json.loads(made.body)["output"]
    others: list[Json] = [
        {"seals": proxai_ir.Seals({"k2": b"fedcba9876543210"})},
        {"seals": proxai_ir.Seals()},
        {"seals": False},
    ]
    for options in others:
        exchange = Exchange(RESPONSES, provider, model="m", **options)
        with pytest.raises(proxai_ir.Unrepresentable, match="R2A-3"):
            exchange.request({"model": "m", "store": False, "input": [item]})


def test_a_summary_of_nothing_and_one_without_envelopes_are_refused() -> None:
    empty = {"model": "m", "instructions": "Be brief.", "input": [{"type": "compaction_trigger"}]}
    given: list[tuple[Json, Json]] = [(empty, {})]
    given += [(ASKING[RESPONSES], options) for options in ({"seals": False}, {"emulate": ()})]
    for body, options in given:
        with pytest.raises(proxai_ir.Unrepresentable, match="PLC-62"):
            Exchange(RESPONSES, CHAT, model="m", **options).request(body)


def test_a_summary_in_a_remembered_conversation_replaces_what_came_before() -> None:
    memory = proxai_ir.InMemory()
    first = Exchange(RESPONSES, CHAT, model="m", memory=memory)
    first.request({**ASKING[RESPONSES], "store": True})
    reply = first.response(200, {}, bytes_of(CHAT, "text", streamed=False))
    name = json.loads(reply.body)["id"]
    following = Exchange(RESPONSES, CHAT, model="m", memory=memory)
    sent = following.request({"model": "m", "previous_response_id": name, "input": "Why?"})
    said = [one["content"] for one in json.loads(sent.body)["messages"]]
    assert said == [f"Summary of the conversation so far:\n\n{TOLD}", "Why?"]
