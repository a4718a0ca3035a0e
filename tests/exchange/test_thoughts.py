"""Sessions with Gemini's Interactions: a thought is one step with its signature, and comes back to the server as it
was through each client's protocol (RSN-90); what has lost its signature is not sent as a thought (RSN-5)."""

from __future__ import annotations

import json
from typing import Any

import pytest

import proxai_ir
from proxai_ir import Exchange
from proxai_ir.exchange.provider import http_of

from ..cases import each
from ..clients.provider import CHAT, RESPONSES
from ..servers.official import official_refusals
from .support import NOW
from .test_unsigned_reasoning import COHERE, INTERACTIONS, MODELS, OLLAMA, PROTOCOLS, client_request, following

Json = Any
SUMMARY, SIGNATURE = "They want a sum.", "c2lnbmVk"
THOUGHT: Json = {"type": "thought", "summary": [{"type": "text", "text": SUMMARY}], "signature": SIGNATURE}
SPOKEN: Json = {"type": "model_output", "content": [{"type": "text", "text": "I add."}]}
CALL: Json = {"type": "function_call", "id": "call_1", "name": "add", "arguments": {"a": 40, "b": 2}}
ARGUMENTS = json.dumps(CALL["arguments"])
USAGE = {"total_input_tokens": 3, "total_output_tokens": 2, "total_tokens": 5}
RESPONSE: Json = {"id": "v1_1", "status": "requires_action", "object": "interaction", "model": "m", "usage": USAGE}
DELTAS: dict[str, list[Json]] = {
    "thought": [
        {"type": "thought_summary", "content": {"type": "text", "text": SUMMARY}},
        {"type": "thought_signature", "signature": SIGNATURE},
    ],
    "model_output": [{"type": "text", "text": "I add."}],
    "function_call": [{"type": "arguments_delta", "arguments": ARGUMENTS}],
}
FORGETFUL = frozenset((COHERE, OLLAMA))
"""The clients' protocols that have nowhere to put a signature."""


def as_events(steps: list[Json]) -> list[Json]:
    begun = {"type": "function_call", "id": CALL["id"], "name": "add", "arguments": {}}
    events: list[Json] = [
        {"event_type": "interaction.created", "interaction": {**RESPONSE, "status": "in_progress", "usage": None}}
    ]
    for at, step in enumerate(steps):
        start = begun if step is CALL else {"type": step["type"]}
        events.append({"event_type": "step.start", "index": at, "step": start})
        events += [{"event_type": "step.delta", "index": at, "delta": one} for one in DELTAS[step["type"]]]
        events.append({"event_type": "step.stop", "index": at})
    return [*events, {"event_type": "interaction.completed", "interaction": RESPONSE}, "[DONE]"]


def got(client: str, steps: list[Json], streamed: bool) -> tuple[Json, Json, str]:
    """The client's request and path, and what it gets of the server's response."""
    asked, path = client_request(client, streamed)
    exchange = Exchange(client, INTERACTIONS, model=MODELS[INTERACTIONS], now=NOW)
    exchange.request(json.dumps(asked).encode(), path=path)
    if not streamed:
        data = json.dumps({**RESPONSE, "steps": steps}).encode()
        reply = exchange.response(200, {"content-type": "application/json"}, data)
        assert reply.status == 200
        return asked, json.loads(reply.body), path
    framing = http_of(INTERACTIONS).framing
    stream = exchange.stream(200, {"content-type": framing.content_type})
    out = stream.feed(b"".join(framing.encode(one, INTERACTIONS) for one in as_events(steps))) + stream.end()
    assert stream.error is None
    converter = proxai_ir.StreamConverter(client, client, keep_response=True)
    for event in http_of(client).framing.decode([out]):
        converter.feed(event)
    converter.close()
    return asked, converter.response, path


@each("steps", [[THOUGHT, CALL], [THOUGHT, SPOKEN, CALL]], ids=["call", "text and call"])
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("client", PROTOCOLS)
def test_a_thought_comes_back_as_one_step(client: str, streamed: bool, steps: list[Json]) -> None:
    asked, response, path = got(client, steps, streamed)
    exchange = Exchange(client, INTERACTIONS, model=MODELS[INTERACTIONS], now=NOW)
    sent = exchange.request(json.dumps(following(client, asked, response)).encode(), path=path)
    payload = json.loads(sent.body)
    assert official_refusals(INTERACTIONS, payload, sent.headers) == []
    made = [step for step in payload["input"] if step["type"] in ("thought", "model_output", "function_call")]
    kept = [one for one in steps if client not in FORGETFUL or one is not THOUGHT]
    assert [one["type"] for one in made] == [one["type"] for one in kept]
    assert [one for one in made if one["type"] == "thought"] == [one for one in kept if one is THOUGHT]
    named = {one.rule for one in sent.diagnostics}
    assert named & {"RSN-5", "RSN-40"} == ({"RSN-5", "RSN-40"} if client in FORGETFUL else set())


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_a_client_of_interactions_gets_one_step_of_generate_content(streamed: bool) -> None:
    parts = [
        {"text": SUMMARY, "thought": True},
        {"functionCall": {"name": "add", "args": CALL["arguments"], "id": "call_1"}, "thoughtSignature": SIGNATURE},
    ]
    content = {"role": "model", "parts": parts}
    whole: Json = {
        "responseId": "r1",
        "modelVersion": "m",
        "candidates": [{"index": 0, "finishReason": "STOP", "content": content}],
        "usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 2, "totalTokenCount": 5},
    }
    if not streamed:
        made = proxai_ir.convert(
            whole, "gemini_generate_content", INTERACTIONS, kind="response", seals=proxai_ir.Seals()
        )
    else:
        first = {**whole, "candidates": [{"index": 0, "content": {"role": "model", "parts": parts[:1]}}]}
        last = {**whole, "candidates": [{**whole["candidates"][0], "content": {"role": "model", "parts": parts[1:]}}]}
        converter = proxai_ir.StreamConverter(INTERACTIONS, INTERACTIONS, keep_response=True)
        options: Any = {"seals": proxai_ir.Seals()}
        for event in proxai_ir.convert_stream([first, last], "gemini_generate_content", INTERACTIONS, **options):
            converter.feed(event)
        converter.close()
        made = converter.response or {}
    assert made["steps"][0] == THOUGHT
    assert made["steps"][1] == CALL


@pytest.mark.parametrize("client", [CHAT, RESPONSES])
def test_reasoning_of_others_is_no_thought(client: str) -> None:
    """googleapis/js-genai#1735: an unsigned thought made the server refuse the continuation of a call."""
    asked: Json = {
        CHAT: {
            "model": "m",
            "messages": [
                {"role": "user", "content": "Hi"},
                {"role": "assistant", "content": "Hello.", "reasoning_content": SUMMARY},
                {"role": "user", "content": "And?"},
            ],
        },
        RESPONSES: {
            "model": "m",
            "input": [
                {"role": "user", "content": "Hi"},
                {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": SUMMARY}]},
                {"role": "assistant", "content": "Hello."},
                {"role": "user", "content": "And?"},
            ],
        },
    }[client]
    made = proxai_ir.compile(asked, client, INTERACTIONS, kind="request")
    assert [step["type"] for step in made.output["input"]] == ["user_input", "model_output", "user_input"]
    assert [one.rule for one in made.diagnostics if one.severity.value == "loss"] == ["RSN-5"]


def test_a_placeholder_is_no_thought() -> None:
    """Gemini CLI and others put generateContent's placeholder on calls, which is no signature for this server."""
    call = {"functionCall": {"name": "add", "args": {}}, "thoughtSignature": "skip_thought_signature_validator"}
    result = {"functionResponse": {"name": "add", "response": {"output": "42"}}}
    turns = [("user", {"text": "Hi"}), ("model", call), ("user", result)]
    asked = {"contents": [{"role": role, "parts": [part]} for role, part in turns]}
    made = proxai_ir.compile(asked, "gemini_generate_content", INTERACTIONS, kind="request", model="m")
    assert [step["type"] for step in made.output["input"]] == ["user_input", "function_call", "function_result"]
    assert ("RSN-40", "/contents/1/parts/0/thoughtSignature") in [(one.rule, one.path) for one in made.diagnostics]
