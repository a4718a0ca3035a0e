"""Pain 04: calls and results come apart, and the target refuses the conversation."""

from __future__ import annotations

import pytest

from ..servers import gemini_2_5
from . import generate_content as google
from .support import (
    ANTHROPIC,
    CHAT,
    RESPONSES,
    Json,
    anthropic,
    assistant,
    chat,
    refusals,
    responses,
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


# --- Gemini -----------------------------------------------------------------------------------------------------------
# It counts the responses of a turn against the calls of the turn before, and compares names.

CALLS_TO_GEMINI = [chat.call("look", '{"at":1}', "a"), chat.call("find", '{"at":2}', "b")]
DUMMY = "skip_thought_signature_validator"
SENT = [google.call("look", {"at": 1}, id="a"), google.call("find", {"at": 2}, id="b")]
BOTH = [chat.tool("look"), chat.tool("find")]


def of_chat_for_gemini(*behind: Json) -> Json:
    return chat.request(user("Look."), assistant(None, tool_calls=CALLS_TO_GEMINI), *behind, tools=BOTH)


def test_all_results_are_one_turn_behind_their_calls() -> None:
    made = google.to_gemini(of_chat_for_gemini(chat.result("one", "a"), chat.result("two", "b"), user("And?")), CHAT)
    assert made.output["contents"] == [
        google.user(google.text("Look.")),
        google.model({**SENT[0], "thoughtSignature": DUMMY}, *SENT[1:]),
        google.user(
            google.result("look", {"output": "one"}, id="a"),
            google.result("find", {"output": "two"}, id="b"),
            google.text("And?"),
        ),
    ]
    assert gemini_2_5.refusals(made.output, {}) == []


def test_results_come_first_even_if_the_user_spoke_before_them_of_gemini() -> None:
    made = google.to_gemini(of_chat_for_gemini(user("Wait."), chat.result("one", "a"), chat.result("two", "b")), CHAT)
    parts = made.output["contents"][2]["parts"]
    assert [next(iter(part)) for part in parts] == ["functionResponse", "functionResponse", "text"]
    assert gemini_2_5.refusals(made.output, {}) == []


def test_results_in_another_order_keep_their_own_names() -> None:
    made = google.to_gemini(of_chat_for_gemini(chat.result("two", "b"), chat.result("one", "a")), CHAT)
    assert made.output["contents"][2] == google.user(
        google.result("find", {"output": "two"}, id="b"), google.result("look", {"output": "one"}, id="a")
    )


@pytest.mark.parametrize("behind", [(chat.result("one", "a"),), (chat.result("one", "a"), user("Go on."))])
def test_a_call_without_a_result_is_refused(behind: tuple[Json, ...]) -> None:
    found = refusals(of_chat_for_gemini(*behind), CHAT, dst="gemini_generate_content")
    assert found == [("TUL-10", "/messages/1/tool_calls/1/id")]


def test_results_that_were_split_over_turns_stand_together() -> None:
    split = anthropic.request(
        user("Look."),
        assistant([anthropic.tool_use("look", {"at": 1}, "a"), anthropic.tool_use("find", {"at": 2}, "b")]),
        user([anthropic.tool_result("one", "a")]),
        user([anthropic.tool_result("two", "b")]),
        tools=[anthropic.tool("look"), anthropic.tool("find")],
    )
    made = google.to_gemini(split, ANTHROPIC)
    assert made.output["contents"][2:] == [
        google.user(google.result("look", {"output": "one"}, id="a"), google.result("find", {"output": "two"}, id="b"))
    ]


def test_interleaved_items_are_one_step() -> None:
    items = [
        {"type": "function_call", "call_id": "a", "name": "look", "arguments": "{}"},
        {"type": "function_call", "call_id": "b", "name": "find", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "b", "output": "two"},
        {"type": "function_call_output", "call_id": "a", "output": "one"},
    ]
    made = google.to_gemini(
        responses.request(user("Look."), *items, tools=[responses.tool("look"), responses.tool("find")]), RESPONSES
    )
    assert [turn["role"] for turn in made.output["contents"]] == ["user", "model", "user"]
    assert gemini_2_5.refusals(made.output, {}) == []


@pytest.mark.parametrize("role", ["user", "function", None])
def test_results_of_gemini_are_tool_messages_whatever_their_role(role: str | None) -> None:
    """Older clients send them as `function`, and some leave the role out."""
    turn = google.user(google.result("look", {"output": "one"}), google.result("find", {"output": "two"}))
    turn = {**turn, "role": role} if role else {"parts": turn["parts"]}
    given = google.request(
        google.user(google.text("Look.")),
        google.model(google.call("look", {"at": 1}), google.call("find", {"at": 2})),
        turn,
        tools=google.functions(google.function("look"), google.function("find")),
    )
    messages = google.from_gemini(given, CHAT).output["messages"]
    ids = [one["id"] for one in messages[1]["tool_calls"]]
    assert [(one["role"], one["tool_call_id"], one["content"]) for one in messages[2:]] == [
        ("tool", ids[0], "one"),
        ("tool", ids[1], "two"),
    ]
