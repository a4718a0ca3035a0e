"""Pain 23: instructions are lost, repeated as the user's text, or moved without a diagnostic."""

from __future__ import annotations

import pytest

import proxai_ir

from .support import ANTHROPIC, again, anthropic, assistant, chat, losses, notes, to_anthropic, to_chat, user

SYSTEM = {"role": "system", "content": "Be brief."}
DEVELOPER = {"role": "developer", "content": "Be kind."}
LATER = {"role": "system", "content": "Now in French."}


def test_the_option_leaves_the_top_alone() -> None:
    plain = chat.request(SYSTEM, user("Hi."))
    assert to_anthropic(plain, system_in_place=True).output == to_anthropic(plain).output


def test_chat_takes_them_anywhere() -> None:
    made = to_chat(anthropic.request(user("Hi."), assistant("Hi."), user("And?"), LATER, system="Be brief."))
    assert made.output["messages"] == [SYSTEM, user("Hi."), assistant("Hi."), user("And?"), LATER]
    assert (losses(made), notes(made)) == ([], [])


def test_in_place_there_and_back_is_the_same_talk() -> None:
    talk = chat.request(SYSTEM, user("Hi."), assistant("Hi."), user("And?"), LATER)
    there = to_anthropic(talk, system_in_place=True)
    assert to_chat(there.output).output["messages"] == talk["messages"]


def test_a_later_developer_turn_in_place_is_a_system_turn() -> None:
    made = to_anthropic(chat.request(user("Hi."), DEVELOPER, assistant("Hi."), user("And?")), system_in_place=True)
    assert made.output["messages"][1] == {"role": "system", "content": "Be kind."}
    assert (losses(made), notes(made)) == ([], [("PLC-1", "/messages/1/role")])


def test_a_message_that_only_sets_the_effort_has_no_equivalent() -> None:
    request = anthropic.request(user("Hi."), {"role": "system", "output_config": {"effort": "low"}})
    made = to_chat(request)
    assert made.output["messages"] == [user("Hi.")]
    assert losses(made) == [("RSN-6", "/messages/1/output_config/effort")]
    assert again(request, ANTHROPIC) == request


def test_one_between_a_call_and_its_result_is_reported_once() -> None:
    setting = {"role": "system", "output_config": {"effort": "low"}}
    request = anthropic.request(
        user("Look."), assistant([anthropic.tool_use("look")]), setting, user([anthropic.tool_result("one")])
    )
    made = to_chat(request)
    assert [turn["role"] for turn in made.output["messages"]] == ["user", "assistant", "tool"]
    assert losses(made) == [("RSN-6", "/messages/2/output_config/effort")]
    assert notes(made) == [("PLC-13", "/messages/2")]


def test_an_empty_system_message_is_refused() -> None:
    with pytest.raises(proxai_ir.InvalidPayload, match=r"SHP-2 at /messages/1: .*`content` is missing"):
        to_chat(anthropic.request(user("Hi."), {"role": "system", "output_config": {}}))


def test_instructions_of_which_nothing_is_left_are_named() -> None:
    """What the turn held is named by itself; so must be the turn, as it is for assistants."""
    block = {"type": "tool_addition", "tool": {"type": "tool_reference", "name": "look"}}
    made = to_chat(anthropic.request(user("Hi."), {"role": "system", "content": [block]}))
    assert made.output["messages"] == [user("Hi.")]
    assert losses(made)[0] == ("TUL-6", "/messages/1/content/0")
    assert ("PLC-13", "/messages/1") in notes(made)
