"""Pain 32: tools that the client runs in its vendor's form are taken for the provider's, and the agent loses them."""

from __future__ import annotations

import json
from typing import Any

import pytest

import proxai_ir
from proxai_ir import StreamConverter, Unrepresentable

from .support import (
    ANTHROPIC,
    CHAT,
    READINGS,
    RESPONSES,
    Json,
    again,
    anthropic,
    assistant,
    chat,
    from_responses,
    losses,
    message,
    notes,
    refusals,
    responses,
    text,
    to_chat,
    to_responses,
    user,
)

EMULATE: Any = ("client_tools",)
RAN = [{"stdout": "a.txt", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}]
SHELL: list[Json] = [
    {"type": "shell_call", "call_id": "c1", "action": {"commands": ["ls"], "timeout_ms": None}, "status": "completed"},
    {"type": "shell_call_output", "call_id": "c1", "output": RAN},
]
LOCAL: list[Json] = [
    {
        "type": "local_shell_call",
        "id": "lsh_1",
        "call_id": "c2",
        "action": {"type": "exec", "command": ["ls", "-l"], "env": {}},
        "status": "completed",
    },
    {"type": "local_shell_call_output", "id": "c2", "output": "a.txt"},
]
PATCH: list[Json] = [
    {
        "type": "apply_patch_call",
        "call_id": "c3",
        "operation": {"type": "delete_file", "path": "a.txt"},
        "status": "completed",
    },
    {"type": "apply_patch_call_output", "call_id": "c3", "status": "failed", "output": "No such file."},
]
SEARCH: list[Json] = [
    {
        "type": "tool_search_call",
        "call_id": "c4",
        "execution": "client",
        "arguments": {"q": "git"},
        "status": "completed",
    },
    {
        "type": "tool_search_output",
        "call_id": "c4",
        "execution": "client",
        "tools": [responses.tool("log")],
        "status": "completed",
    },
]
SEARCHING: Json = {
    "type": "tool_search",
    "execution": "client",
    "description": "Finds.",
    "parameters": {"type": "object", "properties": {"q": {"type": "string"}}},
}
TOOLS: list[Json] = [{"type": "shell"}, {"type": "local_shell"}, {"type": "apply_patch"}, SEARCHING]
KINDS = ["shell", "local_shell", "apply_patch", "tool_search"]
HISTORY = [*SHELL, *LOCAL, *PATCH, *SEARCH]

# --- Responses --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dst", [CHAT, ANTHROPIC])
def test_without_the_option_they_are_lost_by_name(dst: str) -> None:
    made = from_responses(responses.request(user("Go."), *SHELL, tools=[*TOOLS[:3], responses.tool("look")]), dst)
    assert len(made.output["tools"]) == 1
    found = [one for one in losses(made) if one[0] == "TUL-34"]
    assert found == [("TUL-34", place) for place in ("/input/1", "/input/2", "/tools/0", "/tools/1", "/tools/2")]


def test_definitions_calls_and_results_are_those_of_functions() -> None:
    made = from_responses(responses.request(user("Go."), *HISTORY, tools=TOOLS), ANTHROPIC, emulate=EMULATE)
    assert [tool["name"] for tool in made.output["tools"]] == [*KINDS, "log"]
    assert made.output["tools"][0]["input_schema"]["required"] == ["commands"]
    assert made.output["tools"][3] == anthropic.tool(
        "tool_search", description="Finds.", input_schema=SEARCHING["parameters"]
    )
    failed = {**anthropic.tool_result("No such file.", "c3"), "is_error": True}
    assert made.output["messages"][1:] == [
        assistant([anthropic.tool_use("shell", {"commands": ["ls"]}, "c1")]),
        user([anthropic.tool_result(json.dumps(RAN), "c1")]),
        assistant([anthropic.tool_use("local_shell", {"command": ["ls", "-l"], "env": {}}, "c2")]),
        user([anthropic.tool_result("a.txt", "c2")]),
        assistant([anthropic.tool_use("apply_patch", {"type": "delete_file", "path": "a.txt"}, "c3")]),
        user([failed]),
        assistant([anthropic.tool_use("tool_search", {"q": "git"}, "c4")]),
        user([anthropic.tool_result('{"tools": ["log"]}', "c4")]),
    ]
    assert made.state == {"client_tools": {kind: kind for kind in KINDS}, "call_ids": ["c1", "c2", "c3", "c4"]}
    assert losses(made) == []
    assert [path for rule, path in notes(made) if rule == "TUL-37"][:4] == [f"/tools/{index}" for index in range(4)]


def test_calls_of_one_response_stay_together() -> None:
    items = [user("Go."), SHELL[0], LOCAL[0], SHELL[1], LOCAL[1], responses.message(responses.output_text("Done."))]
    made = from_responses(responses.request(*items), CHAT, emulate="auto")
    assert [turn["role"] for turn in made.output["messages"]] == ["user", "assistant", "tool", "tool", "assistant"]
    assert len(made.output["messages"][1]["tool_calls"]) == 2


@pytest.mark.parametrize("kind", ["shell", "apply_patch"])
def test_a_forced_one_is_a_forced_function(kind: str) -> None:
    given = responses.request(user("Go."), tools=TOOLS, tool_choice={"type": kind})
    assert refusals(given, RESPONSES, dst=CHAT) == [("TUL-11", "/tool_choice")]
    made = from_responses(given, CHAT, emulate=EMULATE)
    assert made.output["tool_choice"] == {"type": "function", "function": {"name": kind}}


def test_a_function_of_the_same_name_keeps_it() -> None:
    given = responses.request(user("Go."), *SHELL, tools=[responses.tool("shell"), {"type": "shell"}])
    made = from_responses(given, CHAT, emulate=EMULATE)
    assert [tool["function"]["name"] for tool in made.output["tools"]] == ["shell", "shell_"]
    assert made.output["messages"][1]["tool_calls"][0]["function"]["name"] == "shell_"
    assert made.state == {"client_tools": {"shell_": "shell"}, "call_ids": ["c1"]}


@pytest.mark.parametrize(
    ("tool", "rule"),
    [({"type": "shell", "environment": {"type": "container_auto"}}, "TUL-6"), ({"type": "tool_search"}, "TUL-38")],
    ids=["container", "server"],
)
def test_what_the_provider_runs_is_no_function(tool: Json, rule: str) -> None:
    made = from_responses(responses.request(user("Go."), tools=[tool]), CHAT, emulate="auto")
    assert "tools" not in made.output
    assert rule in {one.code for one in made.diagnostics if one.path == "/tools/0"}


def test_they_come_back_in_their_own_protocol() -> None:
    payload = responses.request(user("Go."), *HISTORY, tools=[*TOOLS, {"type": "computer"}])
    assert again(payload, RESPONSES) == payload


# --- a call in a response ---------------------------------------------------------------------------------------------

STATE: Any = {"client_tools": {kind: kind for kind in KINDS}}
CALLED: list[tuple[str, Json, Json]] = [
    (
        "shell",
        {"commands": ["ls"], "timeout_ms": 5},
        {"type": "shell_call", "action": {"commands": ["ls"], "timeout_ms": 5, "max_output_length": None}},
    ),
    (
        "local_shell",
        {"command": ["ls"]},
        {"type": "local_shell_call", "action": {"type": "exec", "env": {}, "command": ["ls"]}},
    ),
    (
        "apply_patch",
        {"type": "update_file", "path": "a", "diff": "@@\n+b", "more": 1},
        {"type": "apply_patch_call", "operation": {"type": "update_file", "path": "a", "diff": "@@\n+b"}},
    ),
    ("tool_search", {"q": "git"}, {"type": "tool_search_call", "execution": "client", "arguments": {"q": "git"}}),
]


@pytest.mark.parametrize(("name", "given", "item"), CALLED, ids=[name for name, _, _ in CALLED])
def test_the_client_gets_a_call_of_its_own_tool(name: str, given: Json, item: Json) -> None:
    answered = anthropic.response(text("I look."), anthropic.tool_use(name, given), stop="tool_use")
    made = to_responses(answered, ANTHROPIC, "response", state=STATE)
    _, call = made.output["output"]
    assert call.pop("id")
    assert call == {**item, "call_id": "call_1", "status": "completed"}


@pytest.mark.parametrize(("name", "given", "item"), CALLED, ids=[name for name, _, _ in CALLED])
def test_in_a_stream_too(name: str, given: Json, item: Json) -> None:
    pieces = [json.dumps(given)[:7], json.dumps(given)[7:]]
    calls = [chat.calls(chat.fragment(0, pieces[0], "call_1", name)), chat.calls(chat.fragment(0, pieces[1]))]
    events = proxai_ir.convert(
        chat.stream({"content": "I look."}, *calls, finish="tool_calls"), CHAT, RESPONSES, state=STATE
    )
    _, call = READINGS[RESPONSES].whole(events)["output"]
    assert call.pop("id")
    assert call == {**item, "call_id": "call_1", "status": "completed"}
    done = [event["item"]["type"] for event in events if event["type"] == "response.output_item.done"]
    assert done == ["message", item["type"]]
    assert events[-1]["response"]["output"][1]["type"] == item["type"]


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("shell", {}),
        ("shell", {"commands": "ls"}),
        ("local_shell", {"command": []}),
        ("apply_patch", {"type": "x", "path": "a"}),
    ],
)
def test_arguments_that_do_not_fit_are_refused(name: str, given: Json) -> None:
    answered = anthropic.response(anthropic.tool_use(name, given), stop="tool_use")
    with pytest.raises(Unrepresentable) as caught:
        proxai_ir.convert(answered, ANTHROPIC, RESPONSES, kind="response", state=STATE)
    assert (caught.value.rule, caught.value.path) == ("TUL-36", "/content/0/input")


@pytest.mark.parametrize("dst", [CHAT, ANTHROPIC])
@pytest.mark.parametrize("call", [SHELL[0], LOCAL[0], PATCH[0], SEARCH[0]], ids=KINDS)
def test_a_pending_call_is_never_dropped(call: Json, dst: str) -> None:
    """It would leave an ending that says that the model is done."""
    answered = responses.response(responses.message(responses.output_text("I look."), id="m"), call)
    assert refusals(answered, RESPONSES, "response", dst) == [("TUL-35", "/output/1")]
    with pytest.raises(Unrepresentable):
        proxai_ir.convert(responses.stream(answered), RESPONSES, dst)


def test_it_is_a_function_call_if_the_caller_asks() -> None:
    answered = responses.response({**SHELL[0], "id": "sh_1"})
    made = from_responses(answered, CHAT, "response", emulate=EMULATE)
    assert message(made)["tool_calls"] == [chat.call("shell", '{"commands": ["ls"]}', "c1")]
    assert made.output["choices"][0]["finish_reason"] == "tool_calls"
    converter = StreamConverter(RESPONSES, CHAT, emulate=EMULATE)
    events = [out for event in responses.stream(answered) for out in converter.feed(event)] + converter.close()
    assert READINGS[CHAT].summary(READINGS[CHAT].whole(events))["calls"] == [("c1", "shell", {"commands": ["ls"]})]


# --- Anthropic --------------------------------------------------------------------------------------------------------

BASH: Json = {"type": "bash_20250124", "name": "bash"}
EDITOR: Json = {"type": "text_editor_20250728", "name": "str_replace_based_edit_tool"}
OLD_EDITOR: Json = {"type": "text_editor_20250124", "name": "str_replace_editor"}
MEMORY: Json = {"type": "memory_20250818", "name": "memory"}
COMPUTER: Json = {"type": "computer_20251124", "name": "computer", "display_width_px": 800, "display_height_px": 600}


@pytest.mark.parametrize("dst", [CHAT, RESPONSES])
@pytest.mark.parametrize("tool", [BASH, EDITOR, OLD_EDITOR, MEMORY, COMPUTER], ids=lambda tool: tool["type"])
def test_those_of_anthropic_are_functions_of_their_name(tool: Json, dst: str) -> None:
    given = anthropic.request(user("Go."), tools=[tool])
    assert losses(proxai_ir.compile(given, ANTHROPIC, dst)) == [("TUL-34", "/tools/0")]
    made = proxai_ir.compile(given, ANTHROPIC, dst, emulate=EMULATE)
    (function,) = made.output["tools"]
    assert (function.get("function") or function)["name"] == tool["name"]
    assert losses(made) == []
    assert made.state == {}
    assert again(given, ANTHROPIC) == given


def test_their_calls_are_calls_of_functions_anyway() -> None:
    call, result = anthropic.tool_use("bash", {"command": "ls"}), anthropic.tool_result("a.txt")
    choice = {"type": "tool", "name": "bash"}
    given = anthropic.request(user("Go."), assistant([call]), user([result]), tools=[BASH], tool_choice=choice)
    made = to_chat(given, emulate=EMULATE)
    assert made.output["messages"][1:] == [
        assistant(tool_calls=[chat.call("bash", '{"command":"ls"}')]),
        chat.result("a.txt"),
    ]
    assert made.output["tool_choice"] == {"type": "function", "function": {"name": "bash"}}


def test_the_model_is_told_the_size_of_the_screen() -> None:
    made = to_chat(anthropic.request(user("Go."), tools=[COMPUTER]), emulate=EMULATE)
    assert made.output["tools"][0]["function"]["description"].endswith(" The screen has 800 x 600 pixels.")


def test_settings_that_a_function_has_not_are_named() -> None:
    limited = {**EDITOR, "max_characters": 5, "cache_control": {"type": "ephemeral"}}
    made = to_chat(anthropic.request(user("Go."), tools=[limited]), emulate=EMULATE)
    assert losses(made) == [("TUL-9", "/tools/0/max_characters")]


# --- what has no form as a function -----------------------------------------------------------------------------------

CLICK: list[Json] = [
    {
        "type": "computer_call",
        "id": "cu_1",
        "call_id": "c5",
        "action": {"type": "click", "x": 1, "y": 2, "button": "left"},
        "pending_safety_checks": [],
        "status": "completed",
    },
    {"type": "computer_call_output", "call_id": "c5", "output": {"type": "computer_screenshot", "file_id": "file_1"}},
]


def test_a_computer_of_responses_is_lost_by_name_and_refused_while_it_waits() -> None:
    given = responses.request(user("Go."), *CLICK, *SHELL, tools=[{"type": "computer"}])
    made = from_responses(given, CHAT, emulate="auto")
    assert made.output["messages"][1]["tool_calls"] == [chat.call("shell", '{"commands": ["ls"]}', "c1")]
    assert losses(made)[:3] == [("TUL-71", "/input/1"), ("TUL-71", "/input/2"), ("TUL-71", "/tools/0")]
    assert again(given, RESPONSES) == given
    for options in ({}, {"emulate": "auto"}):
        with pytest.raises(Unrepresentable, match="TUL-35 at /output/0"):
            from_responses(responses.response(CLICK[0]), CHAT, "response", **options)


def test_a_call_without_a_result_is_repaired_like_one_of_a_function() -> None:
    given = responses.request(user("Go."), SHELL[0], user("Well?"))
    made = from_responses(given, CHAT, emulate="auto", repair=("calls",))
    assert [turn["role"] for turn in made.output["messages"]] == ["user", "assistant", "tool", "user"]
    assert losses(made) == [("TUL-31", "/input/1/call_id")]


def test_a_tool_that_is_defined_twice_is_sent_once() -> None:
    made = from_responses(responses.request(user("Go."), tools=[{"type": "shell"}] * 2), CHAT, emulate="auto")
    assert [tool["function"]["name"] for tool in made.output["tools"]] == ["shell"]


def test_a_result_that_is_no_json_is_named_at_its_place() -> None:
    call = {"type": "shell_call", "call_id": "c", "action": {"commands": ["ls"]}}
    result = {"type": "shell_call_output", "call_id": "c", "output": [object()]}
    with pytest.raises(proxai_ir.TranslationError) as error:
        proxai_ir.convert({"model": "m", "input": [call, result]}, "openai_responses", "anthropic_messages")
    assert (error.value.rule, error.value.path) == ("SHP-7", "/input/1/output")
