"""Pain 19: a tool that takes nothing is called with an empty string, and the target chokes on it."""

from __future__ import annotations

import pytest

from .support import (
    CHAT,
    Json,
    anthropic_answer,
    anthropic_request,
    anthropic_tool,
    assistant,
    chat_answer,
    chat_request,
    chat_result,
    chat_tool,
    function,
    losses,
    message,
    refusals,
    to_anthropic,
    to_chat,
    tool_result,
    tool_use,
    user,
)

ABSENT: Json = {"id": "call_1", "type": "function", "function": {"name": "now"}}


def replayed(call: Json) -> Json:
    return chat_request(user("Time?"), assistant(tool_calls=[call]), chat_result("noon"), tools=[chat_tool("now")])


@pytest.mark.parametrize("call", [function("now", ""), function("now", " \n"), function("now", "{}"), ABSENT])
def test_no_arguments_are_an_empty_object_to_anthropic(call: Json) -> None:
    made = to_anthropic(replayed(call))
    assert made.output["messages"][1] == assistant([tool_use("now", {})])
    assert losses(made) == []
    answer = to_anthropic(chat_answer("tool_calls", tool_calls=[call]), "response")
    assert answer.output["content"] == [tool_use("now", {})]


def test_an_empty_object_is_its_text_to_chat() -> None:
    made = to_chat(
        anthropic_request(
            user("Time?"), assistant([tool_use("now")]), user([tool_result("noon")]), tools=[anthropic_tool("now")]
        )
    )
    assert made.output["messages"][1]["tool_calls"] == [function("now", "{}")]
    assert message(to_chat(anthropic_answer(tool_use("now"), stop="tool_use"), "response"))["tool_calls"] == [
        function("now", "{}")
    ]


INVALID = pytest.mark.parametrize("arguments", ['{"at":', "[]", "null", '"now"', "now"])


@INVALID
def test_what_is_no_object_is_not_made_an_empty_one(arguments: str) -> None:
    (found,) = refusals(replayed(function("now", arguments)), CHAT)
    assert found[0] == "TUL-1"
    assert found[1].startswith("/messages/1/tool_calls/0")
    (found,) = refusals(chat_answer("tool_calls", tool_calls=[function("now", arguments)]), CHAT, "response")
    assert found[0] == "TUL-1"
    assert found[1].startswith("/choices/0/message/tool_calls/0")


@INVALID
def test_what_is_no_object_is_refused_where_it_stands(arguments: str) -> None:
    place = "/messages/1/tool_calls/0/function/arguments"
    assert refusals(replayed(function("now", arguments)), CHAT) == [("TUL-1", place)]
