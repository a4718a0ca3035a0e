"""Pain 20: an empty text, or one of white space, is passed on to a target that refuses it."""

from __future__ import annotations

from .support import (
    CHAT,
    anthropic,
    assistant,
    chat,
    losses,
    message,
    notes,
    refusals,
    text,
    to_anthropic,
    to_chat,
    user,
)


def test_empty_texts_beside_others_are_left_out() -> None:
    made = to_anthropic(chat.request(user([text(""), text("Hi."), text(" \n")])))
    assert made.output["messages"] == [user("Hi.")]
    assert notes(made) == [("PLC-10", "/messages/0/content/0")]
    assert losses(made) == [("PLC-9", "/messages/0/content/2")]


def test_a_call_needs_no_empty_text_beside_it() -> None:
    turn = assistant("", tool_calls=[chat.call("look")])
    made = to_anthropic(chat.request(user("Look."), turn, chat.result("one"), tools=[chat.tool("look")]))
    assert made.output["messages"][1] == assistant([anthropic.tool_use("look")])
    assert (losses(made), notes(made)) == ([], [("PLC-10", "/messages/1/content")])
    answer = to_anthropic(chat.response("tool_calls", content="", tool_calls=[chat.call("look")]), "response")
    assert answer.output["content"] == [anthropic.tool_use("look")]


def test_calls_alone_have_null_content_in_chat() -> None:
    made = to_chat(
        anthropic.request(
            user("Look."),
            assistant([anthropic.tool_use("look")]),
            user([anthropic.tool_result("one")]),
            tools=[anthropic.tool("look")],
        )
    )
    assert made.output["messages"][1] == {"role": "assistant", "content": None, "tool_calls": [chat.call("look")]}
    answer = to_chat(anthropic.response(anthropic.tool_use("look"), stop="tool_use"), "response")
    assert message(answer)["content"] is None


def test_an_empty_result_is_a_result() -> None:
    turn = assistant(None, tool_calls=[chat.call("look")])
    made = to_anthropic(chat.request(user("Look."), turn, chat.result(""), tools=[chat.tool("look")]))
    assert made.output["messages"][2] == user([{"type": "tool_result", "tool_use_id": "call_1"}])
    back = to_chat(made.output)
    assert back.output["messages"][2] == chat.result("")


def test_a_user_turn_of_nothing_is_refused() -> None:
    assert refusals(chat.request(user("Hi."), assistant("Hi."), user("  ")), CHAT) == [("PLC-11", "/messages/2")]


def test_an_assistant_turn_of_nothing_is_left_out_and_told() -> None:
    made = to_anthropic(chat.request(user("Hi."), assistant(""), user("Hello?")))
    assert made.output["messages"] == [user("Hi."), user("Hello?")]
    assert losses(made) == [("PLC-12", "/messages/1")]


def test_instructions_of_nothing_are_no_instructions() -> None:
    made = to_anthropic(chat.request({"role": "system", "content": ""}, user("Hi.")))
    assert "system" not in made.output
    assert (losses(made), notes(made)) == ([], [("PLC-10", "/messages/0/content"), ("PLC-13", "/messages/0")])


def test_an_answer_of_nothing_is_refused_unless_it_is_asked_for() -> None:
    answer = chat.response(content="")
    assert refusals(answer, CHAT, "response") == [("CHO-3", "/choices/0")]
    assert to_anthropic(answer, "response", allow_empty=True).output["content"] == []


def test_white_space_around_words_is_not_touched() -> None:
    made = to_anthropic(chat.request(user("  indented\n")))
    assert made.output["messages"] == [user("  indented\n")]


def test_a_refusal_without_words_is_no_text() -> None:
    refused = assistant([text("I cannot."), {"type": "refusal", "refusal": ""}])
    made = to_anthropic(chat.request(user("Do."), refused, user("Why?")))
    assert made.output["messages"][1] == assistant("I cannot.")
    assert ("PLC-10", "/messages/1/content/1") in notes(made)
    blank = assistant([text("I cannot."), {"type": "refusal", "refusal": " \n"}])
    made = to_anthropic(chat.request(user("Do."), blank, user("Why?")))
    assert made.output["messages"][1] == assistant("I cannot.")
    assert ("PLC-9", "/messages/1/content/1") in losses(made)
