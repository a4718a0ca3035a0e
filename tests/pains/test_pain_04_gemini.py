"""Pain 04, of Gemini: it counts the responses of a turn against the calls of the turn before, and compares names."""

from __future__ import annotations

import pytest

from ..servers import gemini_2_5
from .generate_content import Json, call, from_gemini, function, functions, model, request, result, text, to_gemini
from .generate_content import user as asked
from .support import ANTHROPIC, CHAT, RESPONSES, anthropic, assistant, chat, refusals, responses, user

CALLS = [chat.call("look", '{"at":1}', "a"), chat.call("find", '{"at":2}', "b")]
DUMMY = "skip_thought_signature_validator"
SENT = [call("look", {"at": 1}, id="a"), call("find", {"at": 2}, id="b")]
BOTH = [chat.tool("look"), chat.tool("find")]


def of_chat(*behind: Json) -> Json:
    return chat.request(user("Look."), assistant(None, tool_calls=CALLS), *behind, tools=BOTH)


def test_all_results_are_one_turn_behind_their_calls() -> None:
    made = to_gemini(of_chat(chat.result("one", "a"), chat.result("two", "b"), user("And?")), CHAT)
    assert made.output["contents"] == [
        asked(text("Look.")),
        model({**SENT[0], "thoughtSignature": DUMMY}, *SENT[1:]),
        asked(result("look", {"output": "one"}, id="a"), result("find", {"output": "two"}, id="b"), text("And?")),
    ]
    assert gemini_2_5.refusals(made.output, {}) == []


def test_results_come_first_even_if_the_user_spoke_before_them() -> None:
    made = to_gemini(of_chat(user("Wait."), chat.result("one", "a"), chat.result("two", "b")), CHAT)
    parts = made.output["contents"][2]["parts"]
    assert [next(iter(part)) for part in parts] == ["functionResponse", "functionResponse", "text"]
    assert gemini_2_5.refusals(made.output, {}) == []


def test_results_in_another_order_keep_their_own_names() -> None:
    made = to_gemini(of_chat(chat.result("two", "b"), chat.result("one", "a")), CHAT)
    assert made.output["contents"][2] == asked(
        result("find", {"output": "two"}, id="b"), result("look", {"output": "one"}, id="a")
    )


@pytest.mark.parametrize("behind", [(chat.result("one", "a"),), (chat.result("one", "a"), user("Go on."))])
def test_a_call_without_a_result_is_refused(behind: tuple[Json, ...]) -> None:
    found = refusals(of_chat(*behind), CHAT, dst="gemini_generate_content")
    assert found == [("TUL-10", "/messages/1/tool_calls/1/id")]


def test_results_that_were_split_over_turns_stand_together() -> None:
    split = anthropic.request(
        user("Look."),
        assistant([anthropic.tool_use("look", {"at": 1}, "a"), anthropic.tool_use("find", {"at": 2}, "b")]),
        user([anthropic.tool_result("one", "a")]),
        user([anthropic.tool_result("two", "b")]),
        tools=[anthropic.tool("look"), anthropic.tool("find")],
    )
    made = to_gemini(split, ANTHROPIC)
    assert made.output["contents"][2:] == [
        asked(result("look", {"output": "one"}, id="a"), result("find", {"output": "two"}, id="b"))
    ]


def test_interleaved_items_are_one_step() -> None:
    items = [
        {"type": "function_call", "call_id": "a", "name": "look", "arguments": "{}"},
        {"type": "function_call", "call_id": "b", "name": "find", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "b", "output": "two"},
        {"type": "function_call_output", "call_id": "a", "output": "one"},
    ]
    made = to_gemini(
        responses.request(user("Look."), *items, tools=[responses.tool("look"), responses.tool("find")]), RESPONSES
    )
    assert [turn["role"] for turn in made.output["contents"]] == ["user", "model", "user"]
    assert gemini_2_5.refusals(made.output, {}) == []


@pytest.mark.parametrize("role", ["user", "function", None])
def test_results_of_gemini_are_tool_messages_whatever_their_role(role: str | None) -> None:
    """Older clients send them as `function`, and some leave the role out."""
    turn = asked(result("look", {"output": "one"}), result("find", {"output": "two"}))
    turn = {**turn, "role": role} if role else {"parts": turn["parts"]}
    given = request(
        asked(text("Look.")),
        model(call("look", {"at": 1}), call("find", {"at": 2})),
        turn,
        tools=functions(function("look"), function("find")),
    )
    messages = from_gemini(given, CHAT).output["messages"]
    ids = [one["id"] for one in messages[1]["tool_calls"]]
    assert [(one["role"], one["tool_call_id"], one["content"]) for one in messages[2:]] == [
        ("tool", ids[0], "one"),
        ("tool", ids[1], "two"),
    ]
