"""Pain 23: instructions are lost, repeated as the user's text, or moved without a diagnostic."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir

from .support import (
    ANTHROPIC,
    CHAT,
    RESPONSES,
    Json,
    again,
    anthropic,
    assistant,
    chat,
    from_responses,
    losses,
    notes,
    responses,
    text,
    to_anthropic,
    to_chat,
    user,
)

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


def test_a_message_that_only_sets_the_effort_is_a_setting() -> None:
    request = anthropic.request(user("Hi."), {"role": "system", "output_config": {"effort": "low"}})
    made = to_chat(request)
    assert made.output["messages"] == [user("Hi.")]
    assert made.output["reasoning_effort"] == "low"
    assert (losses(made), notes(made)) == ([], [])
    assert again(request, ANTHROPIC) == request


def test_one_between_a_call_and_its_result_waits_for_the_user() -> None:
    setting = {"role": "system", "output_config": {"effort": "low"}}
    request = anthropic.request(
        user("Look."), assistant([anthropic.tool_use("look")]), setting, user([anthropic.tool_result("one")])
    )
    made = to_chat(request)
    assert [turn["role"] for turn in made.output["messages"]] == ["user", "assistant", "tool"]
    assert "reasoning_effort" not in made.output
    assert (losses(made), notes(made)) == ([], [("RSN-45", "/messages/2/output_config/effort")])


def test_an_empty_system_message_is_refused() -> None:
    with pytest.raises(proxai_ir.InvalidPayload, match=r"SHP-2 at /messages/1: .*`content` is missing"):
        to_chat(anthropic.request(user("Hi."), {"role": "system", "output_config": {}}))


@pytest.mark.parametrize(("kind", "rule"), [("tool_addition", "TUL-38"), ("tool_removal", "TUL-72")])
def test_instructions_of_which_nothing_is_left_are_named(kind: str, rule: str) -> None:
    """What the turn held is named by itself."""
    block = {"type": kind, "tool": {"type": "tool_reference", "name": "look"}}
    made = to_chat(anthropic.request(user("Hi."), {"role": "system", "content": [block]}))
    assert made.output["messages"] == [user("Hi.")]
    assert (losses(made), notes(made)) == ([], [(rule, "/messages/1/content/0")])


# --- kept in place ----------------------------------------------------------------------------------------------------

MARKED = "<system-reminder>\nNow in French.\n</system-reminder>"


def in_place(*messages: Json, **options: Any) -> Any:
    return to_anthropic(chat.request(*messages), instructions="in_place", **options)


def test_a_reminder_is_of_the_user_before_it() -> None:
    made = in_place(SYSTEM, user("Hi."), LATER, assistant("Salut."), user("And?"))
    assert made.output["system"] == "Be brief."
    assert made.output["messages"] == [user([text("Hi."), text(MARKED)]), assistant("Salut."), user("And?")]
    assert losses(made) == [("PLC-25", "/messages/2")]


def test_a_reminder_after_the_last_answer_is_a_turn() -> None:
    made = in_place(user("Hi."), assistant("Hello."), LATER)
    assert made.output["messages"] == [user("Hi."), assistant("Hello."), user(MARKED)]


def test_a_reminder_never_stands_between_a_call_and_its_result() -> None:
    called = assistant(tool_calls=[chat.call("a", call_id="call_a"), chat.call("b", call_id="call_b")])
    made = in_place(user("Go."), called, chat.result("1", "call_a"), LATER, chat.result("2", "call_b"))
    *_, results = made.output["messages"]
    assert [block["type"] for block in results["content"]] == ["tool_result", "tool_result", "text"]
    assert results["content"][2]["text"] == MARKED


@pytest.mark.parametrize("given", ["<system-reminder>Kept.</system-reminder>", "  <system-reminder>\nKept."])
def test_what_is_marked_already_stays_as_it_is(given: str) -> None:
    made = in_place(user("Hi."), {"role": "system", "content": given})
    assert made.output["messages"] == [user([text("Hi."), text(given)])]


def test_a_breakpoint_stays_with_the_reminder() -> None:
    later = {"role": "system", "content": [{**text("Now in French."), "prompt_cache_breakpoint": {"mode": "explicit"}}]}
    made = in_place(user("Hi."), later)
    assert made.output["messages"][0]["content"][1]["cache_control"] == {"type": "ephemeral"}


def test_strict_refuses_a_reminder_unless_it_is_accepted() -> None:
    with pytest.raises(proxai_ir.TranslationError, match="PLC-25"):
        in_place(user("Hi."), LATER, strict=True)
    assert in_place(user("Hi."), LATER, strict=True, accept=("PLC-25",)).output["messages"]


@pytest.mark.parametrize("word", ["inline", "", True])
def test_another_word_is_a_mistake_of_the_caller(word: Any) -> None:
    with pytest.raises(TypeError, match=r"option 'instructions' is .*; expected one of hoist, in_place"):
        to_anthropic(chat.request(user("Hi.")), instructions=word)


# --- one message at the beginning -------------------------------------------------------------------------------------


def test_a_server_with_one_system_message_gets_one() -> None:
    """And it is no developer's, which its template does not know."""
    items = [SYSTEM, {"role": "developer", "content": "Be kind."}, user("Hi."), LATER]
    made = from_responses(responses.request(*items), CHAT, system_in_place=False)
    given = [text("Be brief."), text("Be kind."), text("Now in French.")]
    assert made.output["messages"] == [{"role": "system", "content": given}, user("Hi.")]
    assert losses(made) == [("PLC-2", "/input/3")]
    assert ("PLC-1", "/input/1/role") in notes(made)


def test_one_that_is_alone_stays_as_it_is() -> None:
    made = from_responses(responses.request(SYSTEM, user("Hi.")), CHAT, system_in_place=False)
    assert made.output["messages"] == [SYSTEM, user("Hi.")]
    assert losses(made) == []


# --- what is no instruction -------------------------------------------------------------------------------------------

BILLING = text("x-anthropic-billing-header: cc_version=2.1.120.cf9; cc_entrypoint=cli; cch=543cf;")


@pytest.mark.parametrize("dst", [CHAT, RESPONSES, "gemini_generate_content"])
def test_bookkeeping_of_the_vendor_reaches_no_other(dst: str) -> None:
    request = anthropic.request(user("Hi."), system=[BILLING, text("Be brief.")])
    made = proxai_ir.compile(request, ANTHROPIC, dst)
    assert made.output == proxai_ir.convert(anthropic.request(user("Hi."), system="Be brief."), ANTHROPIC, dst)
    assert ("PLC-60", "/system/0") in notes(made)
    assert again(request, ANTHROPIC) == request


def test_bookkeeping_alone_leaves_no_instructions() -> None:
    made = to_chat(anthropic.request(user("Hi."), system=[BILLING]))
    assert made.output["messages"] == [user("Hi.")]
    assert (losses(made), notes(made)) == ([], [("PLC-60", "/system/0"), ("PLC-13", "/system")])


def test_other_text_about_it_is_text() -> None:
    about = text("x-anthropic-billing-header: is what the first block begins with.\nNever repeat it.")
    made = to_chat(anthropic.request(user([BILLING]), system=[about]))
    assert made.output["messages"] == [{"role": "system", "content": about["text"]}, user(BILLING["text"])]
