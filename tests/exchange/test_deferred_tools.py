"""Tools that a client defers until its own search finds them travel when they are found, to every provider (TUL-80)."""

from __future__ import annotations

import json
from typing import Any

import pytest

import proxai_ir
from proxai_ir import Exchange

Json = Any

ANTHROPIC = "anthropic_messages"
OTHERS = sorted(set(proxai_ir.protocols()) - {ANTHROPIC})
MANY = 200
SCHEMA = {
    "type": "object",
    "properties": {"path": {"type": "string", "description": "A path from the project's root."}},
}
FIND = {"name": "find", "description": "Finds tools.", "input_schema": SCHEMA}


def deferred(number: int) -> Json:
    return {"name": f"tool_{number}", "description": "Does a thing.", "input_schema": SCHEMA, "defer_loading": True}


def session(*numbers: int, tools: list[Json] | None = None) -> Json:
    """A request after the search has found some tools, one in each round."""
    messages: list[Json] = [{"role": "user", "content": "Go."}]
    for number in numbers:
        call = {"type": "tool_use", "id": f"toolu_{number}", "name": "find", "input": {"path": str(number)}}
        found = [{"type": "tool_reference", "tool_name": f"tool_{number}"}]
        messages.append({"role": "assistant", "content": [call]})
        result = {"type": "tool_result", "tool_use_id": call["id"], "content": found}
        messages.append({"role": "user", "content": [result]})
    if tools is None:
        tools = [*map(deferred, range(MANY)), FIND]
    return {"model": "m", "max_tokens": 99, "messages": messages, "tools": tools}


def sent(provider: str, request: Json, **options: Any) -> bytes:
    return Exchange(ANTHROPIC, provider, model="m", **options).request(json.dumps(request).encode()).body


def names(body: bytes) -> list[str]:
    """The names of the tools of a request of any protocol, in their order."""
    found: list[str] = []

    def walk(value: Json) -> None:
        if isinstance(value, list):
            for one in value:
                walk(one)
        elif isinstance(value, dict):
            if isinstance(value.get("name"), str):
                found.append(value["name"])
            else:
                walk([value[key] for key in ("function", "toolSpec", "tools", "functionDeclarations") if key in value])

    request = json.loads(body)
    walk(request.get("tools") or request["toolConfig"]["tools"])
    return found


@pytest.mark.parametrize("provider", OTHERS)
def test_a_session_sends_the_tools_that_it_found(provider: str) -> None:
    assert names(sent(provider, session())) == ["find"]
    assert names(sent(provider, session(7))) == ["find", "tool_7"]
    assert names(sent(provider, session(7, 3))) == ["find", "tool_7", "tool_3"]  # only ever more at the end
    whole, some = sent(provider, session(7), deferred_tools="all"), sent(provider, session(7))
    assert len(names(whole)) == MANY + 1
    assert len(some) <= 0.15 * len(whole)


def test_the_vendor_gets_all_of_them() -> None:
    assert json.loads(sent(ANTHROPIC, session(7))) == session(7)


@pytest.mark.parametrize(
    "choice",
    [{"type": "tool", "name": "tool_1"}, {"type": "tool", "name": "tool_1", "disable_parallel_tool_use": True}],
)
def test_a_tool_that_the_choice_names_is_visible(choice: Json) -> None:
    request = {**session(), "tool_choice": choice}
    assert names(sent("openai_chat_completions", request)) == ["find", "tool_1"]


def test_a_tool_that_was_called_is_visible() -> None:
    request = session()
    call = {"type": "tool_use", "id": "toolu_c", "name": "tool_5", "input": {}}
    request["messages"] += [
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_c", "content": "1"}]},
    ]
    assert names(sent("openai_responses", request)) == ["find", "tool_5"]


def test_a_tool_that_a_turn_makes_available_is_visible() -> None:
    request = session()
    added = {"type": "tool_addition", "tool": {"type": "tool_reference", "name": "tool_9"}}
    request["messages"].append({"role": "system", "content": [added]})
    assert names(sent("openai_chat_completions", request)) == ["find", "tool_9"]


@pytest.mark.parametrize(
    "tools",
    [
        [deferred(0), deferred(1)],  # nothing is there to search with
        [{"type": "tool_search_tool_regex_20251119", "name": "tool_search_tool_regex"}, FIND, deferred(0), deferred(1)],
    ],
)
def test_tools_that_no_client_can_find_are_sent_at_once(tools: list[Json]) -> None:
    found = names(sent("openai_chat_completions", session(tools=tools)))
    assert [name for name in found if name != "find"] == ["tool_0", "tool_1"]


def test_a_tool_that_only_says_that_it_is_not_deferred_is_sent() -> None:
    tools = [FIND, {**deferred(0), "defer_loading": False}]
    assert names(sent("openai_chat_completions", session(tools=tools))) == ["find", "tool_0"]


def test_convert_sends_all_by_default() -> None:
    made = proxai_ir.compile(session(), ANTHROPIC, "openai_chat_completions")
    assert len(made.output["tools"]) == MANY + 1
    wrong: Any = {"deferred_tools": "some"}
    with pytest.raises(TypeError, match=r"'deferred_tools' is .*expected one of all, visible"):
        proxai_ir.compile(session(), ANTHROPIC, "openai_chat_completions", **wrong)


def test_what_a_search_of_the_clients_returns_is_not_deferred_any_more() -> None:
    found = {"type": "function", "name": "sky", "parameters": SCHEMA, "strict": False, "defer_loading": True}
    late = {**found, "name": "sea"}
    search = {"type": "tool_search", "execution": "client", "description": "Finds tools.", "parameters": SCHEMA}
    request = {
        "model": "m",
        "store": False,
        "input": [
            {"role": "user", "content": "Weather?"},
            {"type": "tool_search_call", "call_id": "s", "execution": "client", "arguments": {}, "status": "completed"},
            {
                "type": "tool_search_output",
                "call_id": "s",
                "execution": "client",
                "tools": [found],
                "status": "completed",
            },
        ],
        "tools": [search, late],
    }
    exchange = Exchange("openai_responses", "openai_chat_completions", model="m")
    assert names(exchange.request(json.dumps(request).encode()).body) == ["tool_search", "sky"]
    assert proxai_ir.convert(request, "openai_responses", "openai_responses") == request
