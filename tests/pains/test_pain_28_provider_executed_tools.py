"""Pain 28: a tool that the provider ran itself looks like a call that the client must run, and the agent runs it."""

from __future__ import annotations

import json
from typing import Any

import pytest

import proxai_ir
from proxai_ir import ir
from proxai_ir.ir.response import Response

from ..samples.gemini_interactions import building as interactions
from .support import (
    ANTHROPIC,
    CHAT,
    RESPONSES,
    Json,
    again,
    anthropic,
    assistant,
    from_responses,
    losses,
    message,
    refusals,
    responses,
    text,
    to_chat,
    user,
)

CALL: Json = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "tides"}}
FOUND: Json = {
    "type": "web_search_tool_result",
    "tool_use_id": "srvtoolu_1",
    "content": [
        {"type": "web_search_result", "url": "https://a.example", "title": "Tides", "encrypted_content": "Zm9v"}
    ],
}
REMOTE: Json = {"type": "mcp_tool_use", "id": "mcptoolu_1", "name": "ask", "server_name": "wiki", "input": {}}
REMOTE_ANSWER: Json = {
    "type": "mcp_tool_result",
    "tool_use_id": "mcptoolu_1",
    "is_error": False,
    "content": [text("42")],
}


def test_it_is_of_another_class_than_a_call_for_the_client() -> None:
    node = proxai_ir.lower(anthropic.response(CALL, FOUND, text("High at six.")), ANTHROPIC, kind="response")
    assert isinstance(node, Response)
    classes = [type(part) for part in node.candidates[0].turns[0].parts]
    assert classes == [ir.WebSearchCall, ir.WebSearchResult, ir.Text]


def test_a_paused_turn_is_not_one_that_waits_for_the_client() -> None:
    made = to_chat(anthropic.response(text("I search. "), CALL, stop="pause_turn"), "response")
    assert made.output["choices"][0]["finish_reason"] == "stop"
    assert "tool_calls" not in message(made)
    assert losses(made) == [("TUL-6", "/content/1"), ("STS-5", "/stop_reason")]


def test_in_the_history_they_are_left_out_by_name() -> None:
    made = to_chat(anthropic.request(user("Ask."), assistant([REMOTE, REMOTE_ANSWER, text("42.")]), user("Sure?")))
    assert made.output["messages"] == [user("Ask."), assistant("42."), user("Sure?")]
    assert losses(made) == [("TUL-6", "/messages/1/content/0"), ("TUL-6", "/messages/1/content/1")]


def test_they_come_back_in_their_own_protocol() -> None:
    response = anthropic.response(CALL, FOUND, REMOTE, REMOTE_ANSWER, text("Done."))
    assert again(response, ANTHROPIC, "response")["content"] == response["content"]


SEARCHED: Json = {
    "type": "web_search_call",
    "id": "ws_1",
    "status": "completed",
    "action": {"type": "search", "query": "tides"},
}
ASKED: Json = {
    "type": "mcp_call",
    "id": "mcp_1",
    "server_label": "wiki",
    "name": "ask",
    "arguments": "{}",
    "output": "42",
}


def test_those_of_responses_are_no_calls_for_the_client_either() -> None:
    response = responses.response(SEARCHED, ASKED, responses.message(responses.output_text("High at six.")))
    node = proxai_ir.lower(response, RESPONSES, kind="response")
    assert isinstance(node, Response)
    (candidate,) = node.candidates
    assert [type(turn.parts[0]) for turn in candidate.turns] == [ir.WebSearchCall, ir.McpCall, ir.Text]
    assert not candidate.calls
    in_chat = from_responses(response, CHAT, "response")
    assert message(in_chat) == {"role": "assistant", "content": "High at six.", "refusal": None}
    assert in_chat.output["choices"][0]["finish_reason"] == "stop"
    in_anthropic = from_responses(response, ANTHROPIC, "response")
    searching = {"type": "server_tool_use", "id": "srvtoolu_ws_1", "name": "web_search", "input": {"query": "tides"}}
    asking = {**REMOTE, "id": "mcptoolu_mcp_1"}
    result = {"type": "mcp_tool_result", "tool_use_id": "mcptoolu_mcp_1", "content": "42", "is_error": False}
    found = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_ws_1", "content": []}
    assert in_anthropic.output["content"] == [searching, found, asking, result, text("High at six.")]
    assert in_anthropic.output["stop_reason"] == "end_turn"
    assert losses(in_chat) == [("TUL-6", "/output/0"), ("TUL-6", "/output/1")]
    assert losses(in_anthropic) == []
    assert "mcp_1" not in json.dumps(in_chat.output)


def test_in_a_history_of_responses_they_are_left_out_by_name() -> None:
    made = from_responses(
        responses.request(user("Ask."), ASKED, responses.message(responses.output_text("42.")), user("Sure?")), CHAT
    )
    assert made.output["messages"] == [user("Ask."), assistant("42."), user("Sure?")]
    assert losses(made) == [("TUL-6", "/input/1")]


AGENTS: list[Json] = [
    {"type": "multi_agent_call", "id": "mac_1", "call_id": "call_1", "action": "spawn_agent", "arguments": "{}"},
    {
        "type": "multi_agent_call_output",
        "id": "maco_1",
        "call_id": "call_1",
        "action": "spawn_agent",
        "output": [responses.output_text("ready")],
    },
    {
        "type": "agent_message",
        "id": "am_1",
        "author": "/root/a",
        "recipient": "/root",
        "content": [responses.output_text("42")],
    },
]


def test_what_agents_of_the_provider_do_among_themselves_is_left_out_by_name() -> None:
    response = responses.response(
        *AGENTS, responses.message(responses.output_text("Done."), agent={"agent_name": "/root"})
    )
    for target in (CHAT, ANTHROPIC):
        made = from_responses(response, target, "response")
        left_out = [("TUL-6", "/output/0"), ("TUL-6", "/output/1"), ("TUL-6", "/output/2")]
        assert losses(made) == [*left_out, ("USR-4", "/output/3/agent/agent_name")]
    assert again(response, RESPONSES, "response") == response


TASK = {"type": "agent_message", "author": "/root", "recipient": "/root/a"}
CIPHERTEXT = {"type": "encrypted_content", "encrypted_content": "gAAAAABotM3x2Jc_v-9Q=="}


@pytest.mark.parametrize("dst", [CHAT, ANTHROPIC])
def test_a_task_from_another_agent_arrives(dst: str) -> None:
    """In a request it is no call and no result of the provider's, whatever it stands after."""
    plain = {"type": "encrypted_content", "encrypted_content": "gAAAA is what ciphertext begins with."}
    request = responses.request(user("Hi."), assistant("Hello."), {**TASK, "content": [plain]})
    made = from_responses(request, dst)
    said = [text("Message from /root to /root/a:"), text(plain["encrypted_content"])]
    assert made.output["messages"] == [user("Hi."), assistant("Hello."), user(said)]
    assert losses(made) == []
    assert again(request, RESPONSES) == request


def test_a_picture_from_another_agent_arrives() -> None:
    image = {"type": "input_image", "image_url": "https://example.com/a.png", "detail": "auto"}
    request = responses.request({**TASK, "content": [image, CIPHERTEXT]})
    made = from_responses(request, CHAT)
    assert [part["type"] for part in made.output["messages"][0]["content"]] == ["text", "image_url"]
    assert losses(made) == [("PLC-61", "/input/0/content/1")]
    assert again(request, RESPONSES) == request


@pytest.mark.parametrize("dst", [CHAT, ANTHROPIC])
def test_a_task_that_nobody_can_read_is_refused(dst: str) -> None:
    request = responses.request(user("Hi."), {**TASK, "content": [CIPHERTEXT]})
    assert refusals(request, RESPONSES, dst=dst) == [("PLC-3", "/input/1/content/0")]
    assert again(request, RESPONSES) == request


@pytest.mark.parametrize(
    "wrong", [{}, {"content": 7}, {"content": [7]}, {"content": [{}]}, {"content": "", "author": 7}]
)
def test_a_broken_message_between_agents_is_malformed(wrong: Json) -> None:
    with pytest.raises(proxai_ir.InvalidPayload):
        from_responses(responses.request({**TASK, **wrong}), CHAT)


def test_those_of_responses_come_back() -> None:
    response = responses.response(SEARCHED, ASKED, responses.message(responses.output_text("Done.")))
    assert again(response, RESPONSES, "response") == response


STEPS: list[Json] = [
    {"type": "google_search_call", "id": "ws_1", "arguments": {"queries": ["tides"]}},
    {"type": "mcp_server_tool_call", "id": "mcp_1", "name": "ask", "server_name": "wiki", "arguments": {}},
    {"type": "google_search_result", "call_id": "ws_1", "result": [{"url": "https://a.example", "title": "A"}]},
    {"type": "mcp_server_tool_result", "call_id": "mcp_1", "result": "At six."},
    {"type": "google_search_result", "call_id": "ws_2", "result": []},
    interactions.model("At six."),
]


@pytest.mark.parametrize(("kind", "key"), [("request", "input"), ("response", "output")])
def test_a_result_in_an_item_of_its_own_joins_its_call(kind: Any, key: str) -> None:
    asking = interactions.request(interactions.user("Hi"), *STEPS, interactions.user("So?"))
    whole = interactions.response(*STEPS) if kind == "response" else asking
    made = proxai_ir.compile(whole, "gemini_interactions", RESPONSES, kind=kind)
    search, asked, _ = [item for item in made.output[key] if item.get("role") != "user"]
    assert search["action"]["sources"] == [{"type": "url", "url": "https://a.example"}]
    assert (asked["status"], asked["output"]) == ("completed", "At six.")
    at = "/steps/4" if kind == "response" else "/input/5"
    assert ("TUL-22", at) in losses(made)
