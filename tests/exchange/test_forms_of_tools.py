"""Codex on another vendor's Responses: its tools and calls in a form that such servers take, and back (TUL-19, TUL-25).

xAI refuses namespaces (router-for-me/CLIProxyAPI#5257), and its tools are functions and those that it runs itself.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

import proxai_ir
from proxai_ir import Exchange, Profile
from proxai_ir.exchange.provider import Learned

from ..clients.provider import CHAT, RESPONSES
from .support import NOW, events

Json = Any

OPENAI, GROK = "gpt-5.6-sol", "grok-4.5"
NOTHING = {"type": "object", "properties": {}}
INPUT = {
    "type": "object",
    "properties": {"input": {"type": "string"}},
    "required": ["input"],
    "additionalProperties": False,
}
EXEC = {"type": "custom", "name": "exec", "description": "Runs code."}
LIST = {"type": "function", "name": "list", "description": "Lists.", "parameters": NOTHING, "strict": False}
CALENDAR = {"type": "namespace", "name": "cal", "tools": [LIST]}
GIVEN = {"type": "additional_tools", "role": "developer", "tools": [EXEC, CALENDAR]}
HI = {"role": "user", "content": "Hi"}
BEFORE = [
    {"type": "custom_tool_call", "call_id": "c1", "name": "exec", "input": "ls"},
    {"type": "custom_tool_call_output", "call_id": "c1", "output": "a"},
    {"type": "function_call", "call_id": "c2", "namespace": "cal", "name": "list", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "c2", "output": "none"},
]
SENT = [
    {
        "type": "function",
        "name": "exec",
        "description": "Runs code.\n\n`input` is free text.",
        "parameters": INPUT,
        "strict": False,
    },
    {**LIST, "name": "cal__list"},
]
CALLED = [
    {"type": "function_call", "id": "fc_1", "call_id": "k1", "name": "exec", "arguments": '{"input":"ls -l"}'},
    {"type": "function_call", "id": "fc_2", "call_id": "k2", "name": "cal__list", "arguments": "{}"},
]
RESPONSE = {
    "id": "resp_1",
    "object": "response",
    "created_at": 1,
    "model": GROK,
    "status": "completed",
    "output": CALLED,
    "parallel_tool_calls": True,
    "tool_choice": "auto",
    "tools": [],
}


def asked(*items: Json, **more: Json) -> Json:
    return {"model": "m", "store": False, "input": [*items], **more}


def sent(body: Json, model: str = GROK, provider: str | Profile = RESPONSES) -> tuple[Exchange, Json]:
    """Return the exchange, and what the provider gets."""
    exchange = Exchange(RESPONSES, provider, model=model, now=NOW)
    return exchange, json.loads(exchange.request(json.dumps(body).encode(), path="/v1/responses").body)


def calls(output: list[Json]) -> list[Json]:
    """Return what a client needs of its calls."""
    names = ("type", "call_id", "namespace", "name", "input", "arguments")
    return [{name: item[name] for name in names if name in item} for item in output]


RESTORED = [
    {"type": "custom_tool_call", "call_id": "k1", "name": "exec", "input": "ls -l"},
    {"type": "function_call", "call_id": "k2", "namespace": "cal", "name": "list", "arguments": "{}"},
]


@pytest.mark.parametrize(
    "body", [asked(GIVEN, HI), asked(HI, tools=[EXEC, CALENDAR])], ids=["in the conversation", "of the request"]
)
def test_tools_are_functions_one_by_one(body: Json) -> None:
    _, made = sent(body)
    assert made["tools"] == SENT
    assert made["input"] == [{"type": "message", **HI}]


def test_calls_of_the_history_have_the_names_of_their_tools() -> None:
    _, made = sent(asked(GIVEN, HI, *BEFORE))
    assert made["input"][1:] == [
        {"type": "function_call", "call_id": "c1", "name": "exec", "arguments": '{"input":"ls"}'},
        {"type": "function_call_output", "call_id": "c1", "output": "a"},
        {"type": "function_call", "call_id": "c2", "name": "cal__list", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c2", "output": "none"},
    ]


def test_the_client_gets_calls_of_its_own_tools() -> None:
    exchange, _ = sent(asked(GIVEN, HI))
    reply = exchange.response(200, {"content-type": "application/json"}, json.dumps(RESPONSE).encode())
    assert calls(json.loads(reply.body)["output"]) == RESTORED


def test_the_client_gets_them_in_a_stream() -> None:
    exchange, _ = sent(asked(GIVEN, HI, stream=True))
    stream = exchange.stream(200, {"content-type": "text/event-stream"})
    begun = {**RESPONSE, "status": "in_progress", "output": []}
    came: list[Json] = [{"type": "response.created", "response": begun}]
    for at, item in enumerate(CALLED):
        place = {"output_index": at, "item_id": item["id"]}
        came += [
            {"type": "response.output_item.added", "output_index": at, "item": {**item, "arguments": ""}},
            {"type": "response.function_call_arguments.delta", **place, "delta": item["arguments"]},
            {"type": "response.function_call_arguments.done", **place, "arguments": item["arguments"]},
            {"type": "response.output_item.done", "output_index": at, "item": item},
        ]
    came.append({"type": "response.completed", "response": RESPONSE})
    numbered = [{**event, "sequence_number": number} for number, event in enumerate(came)]
    data = b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in numbered)
    found = events(stream.feed(data) + stream.end())
    done = [event["item"] for event in found if event["type"] == "response.output_item.done"]
    assert calls(done) == calls(found[-1]["response"]["output"]) == RESTORED
    typed = [event["delta"] for event in found if event["type"] == "response.custom_tool_call_input.delta"]
    assert "".join(typed) == "ls -l"


def test_openai_gets_what_its_client_sent() -> None:
    body = asked(GIVEN, HI, *BEFORE)
    assert sent(body, OPENAI)[1] == {**body, "model": OPENAI}


def test_requests_with_functions_alone_stay_as_they_are() -> None:
    body = asked(HI, tools=[LIST], metadata={"a": "b"}, new=1)
    assert sent(body)[1] == {**body, "model": GROK}


def test_what_would_be_refused_is_left_to_the_server() -> None:
    """Its own response, which it remembers; the server says itself what it thinks of the tool (CAP-1)."""
    body = asked(BEFORE[1], tools=[EXEC], store=True, previous_response_id="resp_1")
    assert sent(body)[1] == {**body, "model": GROK}


def test_custom_tools_stay_where_nobody_asks_for_functions() -> None:
    profile = Profile(RESPONSES, openai_tools=False)
    body = asked(HI, tools=[EXEC])
    assert proxai_ir.convert(body, RESPONSES, profile) == body
    assert proxai_ir.convert(body, RESPONSES, profile, emulate=("custom_tools",))["tools"] == SENT[:1]


def test_custom_tools_of_chat_completions_are_functions_for_its_other_servers() -> None:
    body = {
        "model": "m",
        "messages": [HI],
        "tools": [{"type": "custom", "custom": {"name": "exec", "description": "Runs code."}}],
    }
    made = proxai_ir.convert(body, CHAT, Profile(CHAT, custom_tools=False), emulate=("custom_tools",))
    function = {name: value for name, value in SENT[0].items() if name not in ("type", "strict")}
    assert made["tools"] == [{"type": "function", "function": function}]


REFUSED = {"error": {"message": "tool type namespace not supported", "type": "BadRequestError", "code": 400}}


def test_a_server_that_nobody_described_teaches_it() -> None:
    """vllm-project/vllm#49493; its own client's other settings stay, as the error about them is for that client."""
    learned, local = Learned(), "local-model"
    body = {**asked(GIVEN, HI), "temperature": 0.5}
    exchange = Exchange(RESPONSES, RESPONSES, model=local, now=NOW, learned=learned)
    before = json.loads(exchange.request(json.dumps(body).encode(), path="/v1/responses").body)
    assert before == {**body, "model": local}
    again = exchange.retry(400, {"content-type": "application/json"}, json.dumps(REFUSED).encode())
    assert again is not None
    made = json.loads(again.body)
    assert (made["tools"], made["temperature"]) == (SENT, 0.5)
    reply = exchange.response(200, {"content-type": "application/json"}, json.dumps(RESPONSE).encode())
    assert calls(json.loads(reply.body)["output"]) == RESTORED
    later = Exchange(RESPONSES, RESPONSES, model=local, now=NOW, learned=learned)
    assert json.loads(later.request(json.dumps(body).encode(), path="/v1/responses").body)["tools"] == SENT


def test_what_clients_of_other_protocols_taught_is_theirs() -> None:
    learned, local = Learned(), "local-model"
    other = Exchange(CHAT, RESPONSES, model=local, learned=learned)
    other.request({"model": "m", "temperature": 0.5, "messages": [HI]})
    error = {"error": {"message": "Unsupported parameter: 'temperature' is not supported with this model."}}
    assert other.retry(400, {}, json.dumps(error).encode()) is not None
    body = {**asked(HI), "temperature": 0.5}
    exchange = Exchange(RESPONSES, RESPONSES, model=local, learned=learned)
    assert json.loads(exchange.request(body).body) == {**body, "model": local}
