"""Pain 11: one broken call in the history refuses a conversation for ever. The option `repair` lets it go on."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

import proxai_ir

from .support import (
    ANTHROPIC,
    CHAT,
    RESPONSES,
    Found,
    Json,
    anthropic,
    assistant,
    chat,
    from_responses,
    losses,
    refusals,
    responses,
    text,
    to_anthropic,
    user,
)

REPAIR: Any = ("calls",)
MISSING = "No result was recorded for this call."


def repaired(*messages: Json) -> tuple[list[Json], Found]:
    made = to_anthropic(chat.request(user("Look."), *messages), repair=REPAIR)
    return made.output["messages"][1:], losses(made)


# --- arguments that cannot be parsed ----------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", ['{"path": "/et', "[1]", "no JSON", "NaN"])
def test_a_call_that_cannot_be_parsed_is_left_out_with_its_result(arguments: str) -> None:
    calls = [chat.call("look", arguments), chat.call("now", "{}", "call_2")]
    history = (assistant(tool_calls=calls), chat.result("error"), chat.result("noon", "call_2"))
    assert refusals(chat.request(user("Look."), *history), CHAT) == [
        ("TUL-1", "/messages/1/tool_calls/0/function/arguments")
    ]
    messages, lost = repaired(*history)
    assert messages == [
        assistant([anthropic.tool_use("now", {}, "call_2")]),
        user([anthropic.tool_result("noon", "call_2")]),
    ]
    assert lost == [("TUL-30", "/messages/1/tool_calls/0/function/arguments"), ("TUL-30", "/messages/2")]


def test_a_turn_of_which_nothing_is_left_goes_with_it() -> None:
    history = (
        assistant(tool_calls=[chat.call("look", "{")]),
        chat.result("error"),
        assistant("Sorry."),
        user("Go on."),
    )
    messages, lost = repaired(*history)
    assert messages == [assistant("Sorry."), user("Go on.")]
    assert [rule for rule, _ in lost] == ["TUL-30", "TUL-30"]


def test_no_arguments_at_all_are_no_broken_ones() -> None:
    messages, lost = repaired(assistant(tool_calls=[chat.call("look", "")]), chat.result("one"))
    assert messages[0] == assistant([anthropic.tool_use("look")])
    assert lost == []


def test_an_item_of_responses_that_cannot_be_parsed_is_left_out_too() -> None:
    items = [user("Look."), responses.call("look"), responses.call("now", "{", "call_2"), responses.result("one")]
    made = from_responses(responses.request(*items, responses.result("bad", "call_2")), CHAT, repair=REPAIR)
    assert made.output["messages"][1:] == [assistant(tool_calls=[chat.call("look")]), chat.result("one")]
    assert losses(made) == [("TUL-30", "/input/2/arguments"), ("TUL-30", "/input/4")]


# --- results that are missing, and those that belong to no call -------------------------------------------------------


def test_a_call_without_a_result_is_answered_by_a_placeholder() -> None:
    calls = [chat.call("look"), chat.call("now", "{}", "call_2")]
    history = (
        assistant(tool_calls=calls),
        chat.result("noon", "call_2"),
        user("Well?"),
        assistant("One."),
        user("Go on."),
    )
    assert refusals(chat.request(user("Look."), *history), CHAT) == [("TUL-10", "/messages/1/tool_calls/0/id")]
    messages, lost = repaired(*history)
    results = [anthropic.tool_result(MISSING), anthropic.tool_result("noon", "call_2")]
    assert messages[1] == user([*results, text("Well?")])
    assert lost == [("TUL-31", "/messages/1/tool_calls/0/id")]


@pytest.mark.parametrize("dst", [CHAT, RESPONSES])
def test_so_are_calls_at_the_end_where_no_request_may_end_with_them(dst: str) -> None:
    open_call = anthropic.request(user("Look."), assistant([anthropic.tool_use("look")]))
    made = proxai_ir.convert(open_call, ANTHROPIC, dst, repair=REPAIR)
    last = (made.get("messages") or made.get("input"))[-1]  # type: ignore[index]
    assert last in (chat.result(MISSING), responses.result(MISSING))


def test_calls_at_the_end_stay_open_where_they_may() -> None:
    messages, lost = repaired(assistant(tool_calls=[chat.call("look")]))
    assert messages == [assistant([anthropic.tool_use("look")])]
    assert lost == []


def test_an_id_that_is_used_again_belongs_to_the_later_call() -> None:
    """Weak models count their calls anew in every turn."""
    call = assistant(tool_calls=[chat.call("look")])
    messages, lost = repaired(call, user("Again."), deepcopy(call), chat.result("two"))
    assert messages[1] == user([anthropic.tool_result(MISSING), text("Again.")])
    assert messages[3] == user([anthropic.tool_result("two", messages[2]["content"][0]["id"])])
    assert lost == [("TUL-31", "/messages/1/tool_calls/0/id")]


def test_calls_of_one_turn_with_one_id_have_their_results_in_order() -> None:
    calls = assistant(tool_calls=[chat.call("look", '{"at": 1}'), chat.call("look", '{"at": 2}')])
    messages, lost = repaired(calls, chat.result("one"), chat.result("two"))
    assert by_call(messages) == {1: "one", 2: "two"}
    assert lost == []
    messages, lost = repaired(calls, chat.result("one"))
    assert by_call(messages) == {1: "one", 2: MISSING}
    assert lost == [("TUL-31", "/messages/1/tool_calls/1/id")]


def test_an_interrupted_call_that_is_tried_again_has_the_result() -> None:
    first, second = (assistant(tool_calls=[chat.call("look", f'{{"at": {at}}}')]) for at in (1, 2))
    assert refusals(chat.request(user("Look."), first, second, chat.result("two")), CHAT)[0][0] == "TUL-16"
    messages, lost = repaired(first, second, chat.result("two"))
    assert by_call(messages) == {1: MISSING, 2: "two"}
    assert lost == [("TUL-31", "/messages/1/tool_calls/0/id")]


def test_of_two_results_of_a_call_the_last_counts() -> None:
    messages, lost = repaired(assistant(tool_calls=[chat.call("look")]), chat.result("old"), chat.result("new"))
    assert messages[1] == user([anthropic.tool_result("new")])
    assert lost == [("TUL-32", "/messages/2")]


def by_call(messages: list[Json]) -> dict[Any, str]:
    """What each call got, by its argument."""
    blocks = [block for one in messages for block in one["content"]]
    results = {one["tool_use_id"]: one["content"] for one in blocks if one["type"] == "tool_result"}
    return {one["input"]["at"]: results[one["id"]] for one in blocks if one["type"] == "tool_use"}


def test_a_result_without_a_call_is_left_out() -> None:
    history = (chat.result("lost", "call_9"), assistant("Hm."), user("Go on."))
    assert refusals(chat.request(user("Look."), *history), CHAT) == [("TUL-3", "/messages/1/tool_call_id")]
    messages, lost = repaired(*history)
    assert messages == [assistant("Hm."), user("Go on.")]
    assert lost == [("TUL-32", "/messages/1")]


def test_a_sound_conversation_is_not_changed() -> None:
    history = (
        assistant("I look.", tool_calls=[chat.call("look")]),
        chat.result("one"),
        assistant("One."),
        user("Thanks."),
    )
    given = chat.request(user("Look."), *history)
    assert to_anthropic(given, repair=REPAIR).output == to_anthropic(given).output


@pytest.mark.parametrize("repair", ["calls", ("names",), 1, {"calls": True}])
def test_a_repair_that_does_not_exist_is_a_mistake_of_the_caller(repair: Any) -> None:
    with pytest.raises(TypeError, match=r"option 'repair' (is|names 'names';)"):
        proxai_ir.convert(chat.request(user("Hi")), CHAT, ANTHROPIC, repair=repair)


# --- results that come late -------------------------------------------------------------------------------------------

LATE = [
    user("Look."),
    responses.call("look"),
    responses.call("now", "{}", "call_2"),
    responses.result("noon", "call_2"),
    responses.message(responses.output_text("Noon.")),
    user("And?"),
    responses.result("one"),
    responses.message(responses.output_text("One.")),
    user("Thanks."),
]


def test_a_late_result_is_moved_to_its_call() -> None:
    made = from_responses(responses.request(*LATE), ANTHROPIC)
    assert made.output["messages"] == [
        user("Look."),
        assistant([anthropic.tool_use("look"), anthropic.tool_use("now", {}, "call_2")]),
        user([anthropic.tool_result("one"), anthropic.tool_result("noon", "call_2")]),
        assistant("Noon."),
        user("And?"),
        assistant("One."),
        user("Thanks."),
    ]
    assert losses(made) == [("TUL-33", "/input/6")]


def test_in_chat_too() -> None:
    made = from_responses(responses.request(*LATE), CHAT)
    assert [message["role"] for message in made.output["messages"][1:4]] == ["assistant", "tool", "tool"]
    assert losses(made) == [("TUL-33", "/input/6")]


def test_a_result_that_never_comes_is_still_refused() -> None:
    missing = responses.request(*LATE[:6], *LATE[7:])
    assert refusals(missing, RESPONSES, dst=ANTHROPIC) == [("TUL-10", "/input/1/call_id")]
