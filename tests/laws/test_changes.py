"""Law: a conversation that changes tools and settings on its way is converted as one that had them so from the start,
with infos and no losses besides, towards every target (TUL-72, RSN-45, PLC-29).
"""

from __future__ import annotations

from typing import Any, Literal

import pytest

import proxai_ir

Json = Any

MESSAGES, RESPONSES = "anthropic_messages", "openai_responses"
SCHEMA = {"type": "object", "properties": {"at": {"type": "string"}}, "required": ["at"]}


def user(*content: Json) -> Json:
    return {
        "role": "user",
        "content": [{"type": "text", "text": one} if isinstance(one, str) else one for one in content],
    }


def system(*content: Json, **settings: Json) -> Json:
    return {**user(*content), "role": "system", **settings}


def tool(name: str, description: str) -> Json:
    return {"name": name, "description": description, "input_schema": SCHEMA}


def added(definition: Json) -> Json:
    return {"type": "tool_addition", "tool": {"type": "tool_definition", "definition": definition}}


def named(kind: str, name: str) -> Json:
    return {"type": kind, "tool": {"type": "tool_reference", "name": name}}


PASSING: Json = {"clear_at": "next_user_message"}
ASSISTANT = {"role": "assistant", "content": [{"type": "text", "text": "Hello."}]}
CALLS = [
    {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "sky", "input": {"at": "noon"}}]},
    user({"type": "tool_result", "tool_use_id": "t1", "content": "blue"}),
]
BASE = {"model": "m", "max_tokens": 64}


def effort(word: str) -> Json:
    return {"output_config": {"effort": word}}


CASES: dict[str, tuple[Json, Json]] = {
    "a tool is added": (
        {"messages": [user("Hi"), system(added(tool("sky", "Looks up.")))]},
        {"messages": [user("Hi")], "tools": [tool("sky", "Looks up.")]},
    ),
    "a tool is added by the user, and called": (
        {"messages": [user("Hi", added(tool("sky", "Looks up."))), *CALLS]},
        {"messages": [user("Hi"), *CALLS], "tools": [tool("sky", "Looks up.")]},
    ),
    "a tool is defined anew": (
        {"messages": [user("Hi", added(tool("sky", "Looks.")), added(tool("sky", "Looks up.")))]},
        {"messages": [user("Hi")], "tools": [tool("sky", "Looks up.")]},
    ),
    "a tool of the request is withdrawn": (
        {
            "messages": [user("Hi"), system(named("tool_removal", "sea"))],
            "tools": [tool("sea", "Looks down."), tool("sky", "Looks up.")],
        },
        {"messages": [user("Hi")], "tools": [tool("sky", "Looks up.")]},
    ),
    "a tool that was added is withdrawn, and another one given back": (
        {
            "messages": [
                user("Hi", added(tool("sea", "Looks down.")), named("tool_removal", "sky")),
                ASSISTANT,
                user("Go on", named("tool_removal", "sea"), named("tool_addition", "sky")),
            ],
            "tools": [tool("sky", "Looks up.")],
        },
        {"messages": [user("Hi"), ASSISTANT, user("Go on")], "tools": [tool("sky", "Looks up.")]},
    ),
    "the last tool is withdrawn": (
        {"messages": [user("Hi", named("tool_removal", "sky"))], "tools": [tool("sky", "Looks up.")]},
        {"messages": [user("Hi")]},
    ),
    "the last effort counts": (
        {
            "messages": [user("Hi"), system(**effort("low")), ASSISTANT, user("Go on"), system(**effort("high"))],
            **effort("max"),
        },
        {"messages": [user("Hi"), ASSISTANT, user("Go on")], **effort("high")},
    ),
    "an effort beside a text": (
        {"messages": [user("Hi"), system("Be brief.", **effort("high"))]},
        {"messages": [user("Hi"), system("Be brief.")], **effort("high")},
    ),
    "an effort that is not in force yet": (
        {"messages": [user("Hi"), CALLS[0], system(**effort("low")), CALLS[1]], "tools": [tool("sky", "Looks up.")]},
        {"messages": [user("Hi"), *CALLS], "tools": [tool("sky", "Looks up.")]},
    ),
    "a reminder that is forgotten": (
        {"messages": [user("Hi"), system("a.py is open.", **PASSING), ASSISTANT, user("Go on")]},
        {"messages": [user("Hi"), ASSISTANT, user("Go on")]},
    ),
    "a reminder that lasts": (
        {"messages": [user("Hi"), ASSISTANT, user("Go on"), system("b.py is open.", **PASSING)]},
        {"messages": [user("Hi"), ASSISTANT, user("Go on"), system("b.py is open.")]},
    ),
    "what a forgotten reminder sets stays": (
        {"messages": [user("Hi"), system("a.py is open.", **PASSING, **effort("high")), ASSISTANT, user("Go on")]},
        {"messages": [user("Hi"), ASSISTANT, user("Go on")], **effort("high")},
    ),
}
Later = Literal["hoist", "in_place"]
LATER: list[Later] = ["hoist", "in_place"]
TARGETS = [name for name in proxai_ir.protocols() if name != MESSAGES]


@pytest.mark.parametrize("instructions", LATER)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("target", TARGETS)
def test_the_target_gets_what_there_is_at_the_end(target: str, case: str, instructions: Later) -> None:
    changing, settled = ({**BASE, **one} for one in CASES[case])
    made = proxai_ir.compile(changing, MESSAGES, target, instructions=instructions, kind="request")
    wanted = proxai_ir.compile(settled, MESSAGES, target, instructions=instructions, kind="request")
    assert made.output == wanted.output
    losses = [one.rule for one in made.diagnostics if one.severity != "info"]
    assert losses == [one.rule for one in wanted.diagnostics if one.severity != "info"]


@pytest.mark.parametrize("case", CASES)
def test_at_home_nothing_changes(case: str) -> None:
    request = {**BASE, **CASES[case][0]}
    assert proxai_ir.raise_to(proxai_ir.lower(request, MESSAGES, kind="request"), MESSAGES) == request


FORMAT = {"type": "json_schema", "name": "point", "schema": SCHEMA, "strict": False}
UPDATES: dict[str, tuple[Json, Json]] = {
    "an effort": ({"reasoning": {"effort": "low"}}, {"reasoning": {"effort": "low"}}),
    "no effort": ({"reasoning": {"effort": "none"}}, {"reasoning": {"effort": "none"}}),
    "a format": ({"text": {"format": FORMAT}}, {"reasoning": {"effort": "high"}, "text": {"format": FORMAT}}),
}


@pytest.mark.parametrize("case", UPDATES)
@pytest.mark.parametrize("target", [name for name in proxai_ir.protocols() if name != RESPONSES])
def test_so_with_items_that_change_settings(target: str, case: str) -> None:
    update, settled = UPDATES[case]
    base = {"model": "m", "max_output_tokens": 64, "store": False}
    items = [{"role": "user", "content": "Hi"}]
    changing = {**base, "reasoning": {"effort": "high"}, "input": [*items, {"type": "configuration_update", **update}]}
    made = proxai_ir.compile(changing, RESPONSES, target, kind="request")
    wanted = proxai_ir.compile({**base, "input": items, **settled}, RESPONSES, target, kind="request")
    assert made.output == wanted.output
    losses = [one.rule for one in made.diagnostics if one.severity != "info"]
    assert losses == [one.rule for one in wanted.diagnostics if one.severity != "info"]
    assert proxai_ir.raise_to(proxai_ir.lower(changing, RESPONSES, kind="request"), RESPONSES) == changing


def test_between_those_that_have_them_settings_travel_there_and_back() -> None:
    request = {**BASE, **effort("max"), "messages": [user("Hi"), system(**effort("low")), ASSISTANT, user("Go on")]}
    there = proxai_ir.compile(request, MESSAGES, proxai_ir.Profile(RESPONSES, turn_settings=True))
    assert there.output["input"][1] == {"type": "configuration_update", "reasoning": {"effort": "low"}}
    back = proxai_ir.Profile(MESSAGES, turn_settings=True, system_in_place=True)
    made = proxai_ir.compile(there.output, RESPONSES, back)
    assert made.output["messages"][1] == {"role": "system", "content": [], "output_config": {"effort": "low"}}
    assert made.output["output_config"] == {"effort": "max"}
    assert made.headers["anthropic-beta"] == "mid-conversation-output-config-2026-07-01"
