"""Pain 04: calls and results come apart, and the target refuses the conversation."""

from __future__ import annotations

import pytest

from .support import (
    ANTHROPIC,
    CHAT,
    Json,
    anthropic,
    assistant,
    chat,
    refusals,
    text,
    to_anthropic,
    to_chat,
    user,
)

CALLS = [chat.call("look", '{"at":1}', "a"), chat.call("look", '{"at":2}', "b")]
USES = [anthropic.tool_use("look", {"at": 1}, "a"), anthropic.tool_use("look", {"at": 2}, "b")]


def of_chat(*behind: Json) -> Json:
    return chat.request(user("Look."), assistant(tool_calls=CALLS), *behind, tools=[chat.tool("look")])


def of_anthropic(*behind: Json) -> Json:
    return anthropic.request(user("Look."), assistant(USES), *behind, tools=[anthropic.tool("look")])


def test_results_split_over_user_turns_stand_together_again() -> None:
    made = to_chat(
        of_anthropic(user([anthropic.tool_result("one", "a")]), user([anthropic.tool_result("two", "b"), text("And?")]))
    )
    assert made.output["messages"][2:] == [chat.result("one", "a"), chat.result("two", "b"), user("And?")]


def test_the_results_come_in_the_order_of_the_source() -> None:
    made = to_anthropic(of_chat(chat.result("two", "b"), chat.result("one", "a")))
    assert made.output["messages"][2] == user([anthropic.tool_result("two", "b"), anthropic.tool_result("one", "a")])


def test_results_come_first_even_if_the_user_spoke_before_them() -> None:
    made = to_anthropic(of_chat(user("Wait."), chat.result("one", "a"), chat.result("two", "b")))
    results = [anthropic.tool_result("one", "a"), anthropic.tool_result("two", "b")]
    assert made.output["messages"][2] == user([*results, text("Wait.")])


@pytest.mark.parametrize("behind", [(chat.result("one", "a"),), (chat.result("one", "a"), user("Go on."))])
def test_a_call_without_a_result_is_refused_by_anthropic(behind: tuple[Json, ...]) -> None:
    assert refusals(of_chat(*behind), CHAT) == [("TUL-10", "/messages/1/tool_calls/1/id")]


def test_a_call_without_a_result_is_refused_by_chat() -> None:
    assert refusals(of_anthropic(user([anthropic.tool_result("one", "a"), text("And?")])), ANTHROPIC) == [
        ("TUL-10", "/messages/1/content/1/id")
    ]


def test_calls_of_neighbouring_assistant_turns_are_one_turn_to_chat() -> None:
    """Anthropic joins neighbours itself; chat requires every result right after its calls."""
    split = anthropic.request(
        user("Look."),
        assistant([USES[0]]),
        assistant([USES[1]]),
        user([anthropic.tool_result("one", "a"), anthropic.tool_result("two", "b")]),
        tools=[anthropic.tool("look")],
    )
    assert to_chat(split).output["messages"][1] == assistant(None, tool_calls=CALLS)
