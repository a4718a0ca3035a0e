"""Pain 06: free-form tools become function tools that cannot work, or vanish. Anthropic has none: refused (TUL-2)."""

from __future__ import annotations

import pytest

from .support import (
    ANTHROPIC,
    CHAT,
    RESPONSES,
    Found,
    Json,
    again,
    assistant,
    chat_answer,
    chat_request,
    chat_result,
    chat_tool,
    from_responses,
    losses,
    message,
    refusals,
    responses_answer,
    responses_request,
    to_responses,
    user,
)

GRAMMAR = {"type": "grammar", "grammar": {"syntax": "lark", "definition": 'start: "*** Begin"'}}
PATCH = {"type": "custom", "custom": {"name": "patch", "description": "Edits files.", "format": GRAMMAR}}
CALL = {"id": "call_1", "type": "custom", "custom": {"name": "patch", "input": "*** Begin"}}
FORCED = {"type": "custom", "custom": {"name": "patch"}}

DEFINED = chat_request(user("Edit."), tools=[chat_tool("look"), PATCH])
FORCING = chat_request(user("Edit."), tools=[PATCH], tool_choice=FORCED)
REPLAYED = chat_request(user("Edit."), assistant(tool_calls=[CALL]), chat_result("done"))
ANSWERED = chat_answer("tool_calls", tool_calls=[CALL])


@pytest.mark.parametrize(
    ("payload", "kind", "found"),
    [
        (DEFINED, "request", [("TUL-2", "/tools/1")]),
        (FORCING, "request", [("TUL-2", "/tools/0"), ("TUL-2", "/tool_choice")]),
        pytest.param(REPLAYED, "request", [("TUL-2", "/messages/1/tool_calls/0")]),
        pytest.param(ANSWERED, "response", [("TUL-2", "/choices/0/message/tool_calls/0")]),
    ],
    ids=["defined", "forced", "replayed", "answered"],
)
def test_they_are_refused_where_they_stand_and_nothing_else(payload: Json, kind: str, found: Found) -> None:
    assert refusals(payload, CHAT, kind) == found


@pytest.mark.parametrize(
    ("payload", "kind", "place"),
    [(REPLAYED, "request", "/messages/1/tool_calls/0"), (ANSWERED, "response", "/choices/0/message/tool_calls/0")],
    ids=["replayed", "answered"],
)
def test_their_calls_are_the_first_thing_that_is_refused(payload: Json, kind: str, place: str) -> None:
    assert refusals(payload, CHAT, kind)[0] == ("TUL-2", place)


@pytest.mark.parametrize("payload", [DEFINED, FORCING, REPLAYED], ids=["defined", "forced", "replayed"])
def test_at_home_grammar_and_input_are_kept(payload: Json) -> None:
    assert again(payload, CHAT) == payload


def test_an_answer_with_a_custom_call_is_kept_at_home() -> None:
    assert again(ANSWERED, CHAT, "response") == ANSWERED


# The same in Responses, which says the grammar beside the format's type.
FLAT = {
    "type": "custom",
    "name": "patch",
    "description": "Edits files.",
    "format": {"type": "grammar", "syntax": "lark", "definition": 'start: "*** Begin"'},
}
CALL_ITEM = {"type": "custom_tool_call", "call_id": "call_1", "name": "patch", "input": "*** Begin"}
FORCED_FLAT = {"type": "custom", "name": "patch"}
OUTPUT_ITEM = {"type": "custom_tool_call_output", "call_id": "call_1", "output": "done"}


def test_chat_and_responses_exchange_definition_choice_call_and_result() -> None:
    items = responses_request(user("Edit."), CALL_ITEM, OUTPUT_ITEM, tools=[FLAT], tool_choice=FORCED_FLAT)
    there = from_responses(items, CHAT)
    assert there.output["tools"] == [PATCH]
    assert there.output["tool_choice"] == FORCED
    assert there.output["messages"] == [user("Edit."), assistant(tool_calls=[CALL]), chat_result("done")]
    assert losses(there) == []
    back = to_responses(there.output, CHAT)
    assert back.output["tools"] == [FLAT]
    assert back.output["tool_choice"] == FORCED_FLAT
    assert back.output["input"][1:] == [CALL_ITEM, OUTPUT_ITEM]
    assert losses(back) == []


def test_an_answer_with_a_custom_call_is_one_for_chat() -> None:
    made = from_responses(responses_answer({**CALL_ITEM, "id": "ctc_1"}), CHAT, "response")
    assert message(made)["tool_calls"] == [CALL]
    assert made.output["choices"][0]["finish_reason"] == "tool_calls"


@pytest.mark.parametrize(
    ("payload", "kind", "found"),
    [
        (responses_request(user("Edit."), tools=[FLAT]), "request", [("TUL-2", "/tools/0")]),
        (responses_request(user("Edit."), CALL_ITEM, OUTPUT_ITEM), "request", [("TUL-2", "/input/1")]),
        (responses_answer(CALL_ITEM), "response", [("TUL-2", "/output/0")]),
    ],
    ids=["defined", "replayed", "answered"],
)
def test_those_of_responses_are_refused_by_anthropic_where_they_stand(payload: Json, kind: str, found: Found) -> None:
    assert refusals(payload, RESPONSES, kind, ANTHROPIC) == found


def test_those_of_responses_come_back_as_they_were() -> None:
    payload = responses_request(user("Edit."), CALL_ITEM, OUTPUT_ITEM, tools=[FLAT], tool_choice=FORCED_FLAT)
    assert again(payload, RESPONSES) == payload
