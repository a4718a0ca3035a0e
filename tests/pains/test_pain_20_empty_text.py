"""Pain 20: an empty text, or one of white space, is passed on to a target that refuses it."""

from __future__ import annotations

from .support import (
    CHAT,
    anthropic,
    assistant,
    chat,
    losses,
    notes,
    refusals,
    text,
    to_anthropic,
    to_chat,
    user,
)


def test_a_call_needs_no_empty_text_with_it() -> None:
    turn = assistant("", tool_calls=[chat.call("look")])
    made = to_anthropic(chat.request(user("Look."), turn, chat.result("one"), tools=[chat.tool("look")]))
    assert made.output["messages"][1] == assistant([anthropic.tool_use("look")])
    assert (losses(made), notes(made)) == ([], [("PLC-10", "/messages/1/content")])
    response = to_anthropic(chat.response("tool_calls", content="", tool_calls=[chat.call("look")]), "response")
    assert response.output["content"] == [anthropic.tool_use("look")]


def test_an_empty_result_is_a_result() -> None:
    turn = assistant(None, tool_calls=[chat.call("look")])
    made = to_anthropic(chat.request(user("Look."), turn, chat.result(""), tools=[chat.tool("look")]))
    assert made.output["messages"][2] == user([{"type": "tool_result", "tool_use_id": "call_1"}])
    back = to_chat(made.output)
    assert back.output["messages"][2] == chat.result("")


def test_an_empty_response_is_refused_unless_an_option_allows_it() -> None:
    response = chat.response(content="")
    assert refusals(response, CHAT, "response") == [("CHO-3", "/choices/0")]
    assert to_anthropic(response, "response", allow_empty=True).output["content"] == []


def test_white_space_around_text_is_kept() -> None:
    made = to_anthropic(chat.request(user("  indented\n")))
    assert made.output["messages"] == [user("  indented\n")]


def test_an_empty_refusal_is_no_text() -> None:
    refused = assistant([text("I cannot."), {"type": "refusal", "refusal": ""}])
    made = to_anthropic(chat.request(user("Do."), refused, user("Why?")))
    assert made.output["messages"][1] == assistant("I cannot.")
    assert ("PLC-10", "/messages/1/content/1") in notes(made)
    blank = assistant([text("I cannot."), {"type": "refusal", "refusal": " \n"}])
    made = to_anthropic(chat.request(user("Do."), blank, user("Why?")))
    assert made.output["messages"][1] == assistant("I cannot.")
    assert ("PLC-9", "/messages/1/content/1") in losses(made)
