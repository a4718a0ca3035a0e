"""Pain 06: free-form tools become function tools that cannot work, or vanish. Anthropic has none: refused (TUL-2)."""

from __future__ import annotations

import pytest

from .support import (
    CHAT,
    Found,
    Json,
    again,
    assistant,
    chat_answer,
    chat_request,
    chat_result,
    chat_tool,
    refusals,
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
