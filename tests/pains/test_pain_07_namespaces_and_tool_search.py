"""Pain 07: namespaces, remote servers and tool search of Responses vanish in silence on the way to another protocol."""

from __future__ import annotations

import pytest

from .support import (
    ANTHROPIC,
    CHAT,
    RESPONSES,
    Json,
    again,
    assistant,
    chat,
    from_responses,
    losses,
    notes,
    refusals,
    responses,
    user,
)

LOOK: Json = {"type": "function", "name": "look", "parameters": {"type": "object", "properties": {}}, "strict": False}
NAMESPACE: Json = {"type": "namespace", "name": "files", "description": "Files.", "tools": [LOOK]}
SERVER: Json = {"type": "mcp", "server_label": "wiki", "server_url": "https://mcp.example"}  # which asks before a call
SEARCH: Json = {"type": "tool_search"}
FOUND: list[Json] = [
    {"type": "tool_search_call", "call_id": "s1", "execution": "server", "arguments": {}, "status": "completed"},
    {"type": "tool_search_output", "call_id": "s1", "execution": "server", "tools": [LOOK], "status": "completed"},
]


@pytest.mark.parametrize("dst", [CHAT, ANTHROPIC])
@pytest.mark.parametrize("tool", [NAMESPACE, SERVER, SEARCH], ids=["namespace", "server", "search"])
def test_a_definition_that_has_no_place_is_named_and_the_others_stay(tool: Json, dst: str) -> None:
    made = from_responses(responses.request(user("Look."), tools=[tool, LOOK]), dst)
    assert len(made.output["tools"]) == 1
    assert losses(made) == [("TUL-6", "/tools/0")]


@pytest.mark.parametrize("dst", [CHAT, ANTHROPIC])
def test_a_choice_that_forces_one_is_refused(dst: str) -> None:
    forced = responses.request(user("Look."), tools=[SERVER], tool_choice={"type": "mcp", "server_label": "wiki"})
    assert refusals(forced, RESPONSES, dst=dst) == [("TUL-11", "/tool_choice")]


def test_what_a_search_found_is_left_out_by_name_and_the_call_stays() -> None:
    items = [user("Look."), *FOUND, responses.call("look", namespace="files"), responses.result("one")]
    made = from_responses(responses.request(*items, tools=[SEARCH, LOOK]), CHAT)
    assert made.output["messages"] == [user("Look."), assistant(tool_calls=[chat.call("look")]), chat.result("one")]
    assert made.output["tools"] == [chat.tool("look", strict=False)]
    assert losses(made) == [
        ("TUL-6", "/input/1"),
        ("TUL-6", "/input/2"),
        ("TUL-9", "/input/3/namespace"),
        ("TUL-6", "/tools/0"),
    ]
    assert notes(made) == []


def test_tools_that_are_defined_in_the_conversation_are_named_too() -> None:
    late = {"type": "additional_tools", "role": "developer", "tools": [LOOK]}
    made = from_responses(responses.request(user("Look."), late, user("Now?")), ANTHROPIC)
    assert made.output["messages"] == [user("Look."), user("Now?")]
    assert ("TUL-6", "/input/1") in losses(made)


def test_all_of_it_comes_back_in_its_own_protocol() -> None:
    items = [user("Look."), *FOUND, responses.call("look", namespace="files"), responses.result("one")]
    payload = responses.request(*items, tools=[NAMESPACE, SERVER, SEARCH, LOOK])
    assert again(payload, RESPONSES) == payload
