"""Pain 26: a choice and the parallel switch make a pair that the target refuses."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir

from .support import (
    ANTHROPIC,
    CHAT,
    Found,
    anthropic,
    chat,
    from_responses,
    losses,
    notes,
    refusals,
    to_anthropic,
    to_chat,
    user,
)

NAMED_CHAT = {"type": "function", "function": {"name": "look"}}
NAMED_ANTHROPIC = {"type": "tool", "name": "look"}


@pytest.mark.parametrize(
    ("settings", "choice"),
    [
        ({"tool_choice": "auto"}, {"type": "auto"}),
        ({"tool_choice": "none"}, {"type": "none"}),
        ({"tool_choice": "required"}, {"type": "any"}),
        ({"tool_choice": NAMED_CHAT}, NAMED_ANTHROPIC),
        ({"parallel_tool_calls": False}, {"type": "auto", "disable_parallel_tool_use": True}),
        ({"parallel_tool_calls": True}, {"type": "auto", "disable_parallel_tool_use": False}),
        ({"tool_choice": "required", "parallel_tool_calls": False}, {"type": "any", "disable_parallel_tool_use": True}),
        (
            {"tool_choice": NAMED_CHAT, "parallel_tool_calls": False},
            {**NAMED_ANTHROPIC, "disable_parallel_tool_use": True},
        ),
    ],
)
def test_from_chat(settings: dict[str, Any], choice: dict[str, Any]) -> None:
    made = to_anthropic(chat.request(user("Look."), tools=[chat.tool("look")], **settings))
    assert made.output["tool_choice"] == choice
    assert losses(made) == []


@pytest.mark.parametrize(
    ("choice", "settings"),
    [
        ({"type": "auto"}, {"tool_choice": "auto"}),
        ({"type": "none"}, {"tool_choice": "none"}),
        ({"type": "any"}, {"tool_choice": "required"}),
        (NAMED_ANTHROPIC, {"tool_choice": NAMED_CHAT}),
        ({"type": "auto", "disable_parallel_tool_use": True}, {"tool_choice": "auto", "parallel_tool_calls": False}),
        ({"type": "any", "disable_parallel_tool_use": False}, {"tool_choice": "required", "parallel_tool_calls": True}),
        (
            {**NAMED_ANTHROPIC, "disable_parallel_tool_use": True},
            {"tool_choice": NAMED_CHAT, "parallel_tool_calls": False},
        ),
    ],
)
def test_from_anthropic(choice: dict[str, Any], settings: dict[str, Any]) -> None:
    made = to_chat(anthropic.request(user("Look."), tools=[anthropic.tool("look")], tool_choice=choice))
    found = {key: made.output[key] for key in ("tool_choice", "parallel_tool_calls") if key in made.output}
    assert found == settings
    assert losses(made) == []


@pytest.mark.parametrize("parallel", [True, False])
def test_the_parallel_switch_is_dropped_with_the_choice_none_and_reported(parallel: bool) -> None:
    made = to_anthropic(
        chat.request(user("Look."), tools=[chat.tool("look")], tool_choice="none", parallel_tool_calls=parallel)
    )
    assert made.output["tool_choice"] == {"type": "none"}
    assert (losses(made), notes(made)) == ([], [("TUL-15", "/parallel_tool_calls")])


@pytest.mark.parametrize(
    ("choice", "written", "reported"),
    [
        ("auto", {"type": "auto", "disable_parallel_tool_use": True}, []),
        ("none", {"type": "none"}, [("TUL-15", "/parallel_tool_calls")]),
    ],
)
def test_the_parallel_switch_on_converse(choice: str, written: dict[str, Any], reported: Found) -> None:
    asked = chat.request(user("Look."), tools=[chat.tool("look")], tool_choice=choice, parallel_tool_calls=False)
    made = proxai_ir.compile(asked, CHAT, "bedrock_converse", model="m")
    assert made.output["additionalModelRequestFields"]["tool_choice"] == written
    assert [one for one in notes(made) if one[0] == "TUL-15"] == reported


@pytest.mark.parametrize(
    ("settings", "reported"),
    [
        ({"parallel_tool_calls": False}, [("TUL-15", "/parallel_tool_calls")]),
        ({"tool_choice": "none"}, [("TUL-15", "/tool_choice")]),
        ({"tool_choice": "auto"}, [("TUL-15", "/tool_choice")]),
    ],
)
def test_without_tools_there_is_nothing_to_choose(settings: dict[str, Any], reported: Found) -> None:
    made = to_anthropic(chat.request(user("Look."), **settings))
    assert "tool_choice" not in made.output
    assert (losses(made), notes(made)) == ([], reported)


def test_without_tools_a_forced_one_is_refused() -> None:
    assert refusals(chat.request(user("Look."), tool_choice="required"), CHAT) == [("TUL-11", "/tool_choice")]
    assert refusals(anthropic.request(user("Look."), tool_choice={"type": "any"}), ANTHROPIC) == [
        ("TUL-11", "/tool_choice/type")
    ]


def test_a_choice_that_allows_none_of_the_tools_is_none() -> None:
    choice = {"type": "allowed_tools", "mode": "auto", "tools": [{"type": "web_search"}]}
    defined = [{"type": "function", "name": "look", "parameters": None, "strict": False}, {"type": "web_search"}]
    payload = {"model": "m", "input": "Look.", "tools": defined, "tool_choice": choice, "parallel_tool_calls": True}
    made = from_responses(payload, CHAT, web_search=True)
    assert made.output["tool_choice"] == "none"
    assert "parallel_tool_calls" not in made.output
    assert losses(made) == [("TUL-6", "/tool_choice/tools")]
    assert notes(made) == [("TUL-15", "/tool_choice"), ("TUL-15", "/parallel_tool_calls")]


def test_some_of_the_tools_are_allowed_by_leaving_the_others_out() -> None:
    allowed = {"mode": "required", "tools": [{"type": "function", "function": {"name": "look"}}]}
    made = to_anthropic(
        chat.request(
            user("Look."),
            tools=[chat.tool("look"), chat.tool("touch")],
            tool_choice={"type": "allowed_tools", "allowed_tools": allowed},
        )
    )
    assert made.output["tools"] == [anthropic.tool("look")]
    assert made.output["tool_choice"] == {"type": "any"}
    assert losses(made) == [("TUL-12", "/tools/1")]
