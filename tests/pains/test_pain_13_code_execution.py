"""Pain 13: code that the provider runs, with what it wrote, is dropped although both vendors run code (TUL-39)."""

from __future__ import annotations

import pytest

import proxai_ir

from .support import (
    ANTHROPIC,
    RESPONSES,
    Json,
    again,
    anthropic,
    assistant,
    from_responses,
    losses,
    responses,
    text,
    to_chat,
    to_responses,
    user,
)

CALL: Json = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "code_execution", "input": {"code": "print(1)"}}
BASH: Json = {"type": "server_tool_use", "id": "srvtoolu_2", "name": "bash_code_execution", "input": {"command": "ls"}}
TOOL: Json = {"type": "code_execution_20250825", "name": "code_execution"}
INTERPRETER: Json = {"type": "code_interpreter", "container": {"type": "auto"}}
SAYING: Json = responses.message(responses.output_text("Done."), id="msg_1")


def ran(stdout: str = "1\n", stderr: str = "", code: int = 0, *, name: str = "code_execution", of: str = "1") -> Json:
    content = {"type": f"{name}_result", "stdout": stdout, "stderr": stderr, "return_code": code, "content": []}
    return {"type": f"{name}_tool_result", "tool_use_id": f"srvtoolu_{of}", "content": content}


def item(identity: str, code: str, *logs: str, status: str = "completed", container: str = "") -> Json:
    return {
        "type": "code_interpreter_call",
        "id": identity,
        "code": code,
        "container_id": container,
        "outputs": [{"type": "logs", "logs": one} for one in logs],
        "status": status,
    }


def test_runs_of_anthropic_are_items_of_responses() -> None:
    written = ran("a.txt\n", "warning", 1, name="bash_code_execution", of="2")
    made = to_responses(anthropic.response(CALL, ran(), BASH, written, text("Done.")), ANTHROPIC, "response")
    assert made.output["output"][:2] == [
        item("ci_srvtoolu_1", "print(1)", "1\n"),
        item("ci_srvtoolu_2", "ls", "a.txt\n", "warning"),
    ]
    assert losses(made) == [("TUL-39", "/content/3/content/return_code")]
    assert ("TUL-64", "/content/2/name") in [(one.code, one.path) for one in made.diagnostics]


def test_a_run_that_failed_and_one_without_a_result() -> None:
    failed = {"type": "code_execution_tool_result_error", "error_code": "unavailable"}
    result = {"type": "code_execution_tool_result", "tool_use_id": "srvtoolu_1", "content": failed}
    made = to_responses(anthropic.response(CALL, result, BASH, text("Done.")), ANTHROPIC, "response")
    assert made.output["output"][0] == item("ci_srvtoolu_1", "print(1)", status="failed")
    assert made.output["output"][1] == {**item("ci_srvtoolu_2", "ls", status="incomplete"), "outputs": None}
    assert ("TUL-39", "/content/1/content/error_code") in losses(made)


def test_files_and_encrypted_output_are_named() -> None:
    made_files = ran()
    made_files["content"]["content"] = [{"type": "code_execution_output", "file_id": "file_1"}]
    made = to_responses(anthropic.response(CALL, made_files, text("Done.")), ANTHROPIC, "response")
    assert losses(made) == [("TUL-39", "/content/1/content/content")]
    sealed = {"type": "encrypted_code_execution_result", "encrypted_stdout": "eA==", "stderr": "", "return_code": 0}
    result = {"type": "code_execution_tool_result", "tool_use_id": "srvtoolu_1", "content": {**sealed, "content": []}}
    made = to_responses(anthropic.response(CALL, result, text("Done.")), ANTHROPIC, "response")
    assert losses(made) == [("TUL-6", "/content/1")]


def test_a_second_result_of_one_run_is_named() -> None:
    made = to_responses(anthropic.response(CALL, ran(), ran("2\n"), text("Done.")), ANTHROPIC, "response")
    assert made.output["output"][0] == item("ci_srvtoolu_1", "print(1)", "1\n")
    assert losses(made) == [("TUL-39", "/content/2")]
    (found,) = [one for one in made.diagnostics if one.path == "/content/2"]
    assert "no earlier call of this id without a result" in found.message


def test_runs_of_responses_are_blocks_of_anthropic() -> None:
    run = item("ci_1", "print(1)", "1\n", container="cntr_1")
    made = from_responses(responses.response(run, SAYING), ANTHROPIC, "response")
    assert made.output["content"][:2] == [
        {**CALL, "id": "srvtoolu_ci_1"},
        {**ran(), "tool_use_id": "srvtoolu_ci_1"},
    ]
    assert losses(made) == []
    assert ("ENV-1", "/output/0/container_id") in [(one.code, one.path) for one in made.diagnostics]
    assert ("TUL-40", "/output/0") in [(one.code, one.path) for one in made.diagnostics]
    image = {**run, "outputs": [{"type": "logs", "logs": "1\n"}, {"type": "image", "url": "https://e.com/a.png"}]}
    made = from_responses(responses.response(image, SAYING), ANTHROPIC, "response")
    assert ("TUL-39", "/output/0/outputs") in losses(made)


def test_the_history_of_responses_reaches_anthropic_where_it_has_the_output() -> None:
    run = item("ci_1", "print(1)", "1\n", container="cntr_1")
    unknown = {**item("ci_2", "print(2)", container="cntr_1"), "outputs": None}
    made = from_responses(responses.request(user("Run."), run, unknown, SAYING, user("Why?")), ANTHROPIC)
    blocks = [{**CALL, "id": "srvtoolu_ci_1"}, {**ran(), "tool_use_id": "srvtoolu_ci_1"}, text("Done.")]
    assert made.output["messages"][1] == assistant(blocks)
    assert losses(made) == [("TUL-6", "/input/2")]


def test_a_history_of_responses_must_name_a_container_of_its_provider() -> None:
    made = to_responses(
        anthropic.request(user("Run."), assistant([CALL, ran(), text("Done.")]), user("Why?")), ANTHROPIC
    )
    assert [one["type"] for one in made.output["input"]] == ["message"] * 3
    assert losses(made) == [("TUL-6", "/messages/1/content/0"), ("TUL-6", "/messages/1/content/1")]


def test_chat_has_no_such_runs() -> None:
    made = to_chat(anthropic.response(CALL, ran(), text("Done.")), kind="response")
    assert losses(made) == [("TUL-6", "/content/0"), ("TUL-6", "/content/1")]


@pytest.mark.parametrize("version", ["20250522", "20250825", "20260120", "20260521"])
def test_the_tool_itself(version: str) -> None:
    tool = {**TOOL, "type": f"code_execution_{version}"}
    given = anthropic.request(user("Run."), tools=[tool], tool_choice={"type": "any"})
    made = to_responses(given, ANTHROPIC)
    assert made.output["tools"] == [INTERPRETER]
    assert losses(made) == []
    assert again(given, ANTHROPIC) == given


def test_the_tool_of_responses() -> None:
    made = from_responses(responses.request(user("Run."), tools=[INTERPRETER]), ANTHROPIC)
    assert made.output["tools"] == [TOOL]
    assert losses(made) == []
    kept = {"type": "code_interpreter", "container": "cntr_1"}
    made = from_responses(responses.request(user("Run."), tools=[kept]), ANTHROPIC)
    assert made.output["tools"] == [TOOL]
    assert losses(made) == [("HST-1", "/tools/0/container")]


@pytest.mark.parametrize(
    "run",
    [
        item("ci_1", "print(1)", "1\n", container="cntr_1"),
        item("ci_1", "print(1)", "1\n", "2\n", container="cntr_1"),
        item("ci_1", "print(1)", "", container="cntr_1", status="incomplete"),
        {**item("ci_1", "", container="cntr_1", status="failed"), "code": None, "outputs": None},
        {**item("ci_1", "print(1)", container="cntr_1"), "outputs": [{"type": "image", "url": "u"}]},
        {key: value for key, value in item("ci_1", "1", container="cntr_1").items() if key != "outputs"},
    ],
)
def test_an_item_comes_back_as_it_was(run: Json) -> None:
    given = responses.response(run, SAYING)
    assert proxai_ir.convert(given, RESPONSES, RESPONSES, kind="response") == given


@pytest.mark.parametrize(
    ("call", "result"),
    [
        (CALL, ran()),
        (BASH, ran(name="bash_code_execution", of="2")),
        ({**BASH, "input": {"restart": True}}, ran("", "x", 127, name="bash_code_execution", of="2")),
        ({**CALL, "caller": {"type": "direct"}}, {**ran(), "cache_control": {"type": "ephemeral"}}),
    ],
)
def test_blocks_come_back_as_they_were(call: Json, result: Json) -> None:
    given = anthropic.response(call, result, text("Done."))
    assert proxai_ir.convert(given, ANTHROPIC, ANTHROPIC, kind="response") == given


def test_a_stream_of_anthropic() -> None:
    events = anthropic.stream(
        anthropic.call_block("srvtoolu_1", "code_execution", '{"code":"pri', 'nt(1)"}', kind="server_tool_use"),
        anthropic.block(ran()),
        anthropic.text_block("Done."),
    )
    made = proxai_ir.convert(events, ANTHROPIC, RESPONSES)
    kinds = [event["type"].removeprefix("response.") for event in made][2:9]
    assert kinds == [
        "output_item.added",
        "code_interpreter_call.in_progress",
        "code_interpreter_call_code.delta",
        "code_interpreter_call_code.done",
        "code_interpreter_call.interpreting",
        "code_interpreter_call.completed",
        "output_item.done",
    ]
    assert made[2]["item"]["code"] == ""
    assert made[4]["delta"] == made[5]["code"] == "print(1)"
    assert made[8]["item"] == made[-1]["response"]["output"][0] == item("ci_srvtoolu_1", "print(1)", "1\n")
    assert proxai_ir.convert(events, ANTHROPIC, ANTHROPIC) == events


def test_a_stream_of_responses() -> None:
    run = item("ci_1", "print(1)", "1\n", container="cntr_1")
    begun = {**run, "code": "", "outputs": None, "status": "in_progress"}
    where = {"output_index": 0, "item_id": "ci_1"}
    source = [
        {"type": "response.created", "response": responses.response(status="in_progress")},
        {"type": "response.output_item.added", "output_index": 0, "item": begun},
        {"type": "response.code_interpreter_call_code.delta", **where, "delta": "print(1)"},
        {"type": "response.code_interpreter_call_code.done", **where, "code": "print(1)"},
        {"type": "response.code_interpreter_call.interpreting", **where},
        {"type": "response.code_interpreter_call.completed", **where},
        {"type": "response.output_item.done", "output_index": 0, "item": run},
        {"type": "response.completed", "response": responses.response(run, SAYING)},
    ]
    events = proxai_ir.convert(source, RESPONSES, ANTHROPIC)
    blocks = [event["content_block"] for event in events if event["type"] == "content_block_start"]
    assert blocks == [
        {**CALL, "id": "srvtoolu_ci_1", "input": {}},
        {**ran(), "tool_use_id": "srvtoolu_ci_1"},
        text(""),
    ]
    deltas = [event["delta"] for event in events if event["type"] == "content_block_delta"]
    assert deltas[0] == {"type": "input_json_delta", "partial_json": '{"code":"print(1)"}'}
    assert proxai_ir.convert(source, RESPONSES, RESPONSES) == source


def test_it_is_a_tool_that_may_be_required() -> None:
    given = responses.request(user("Run."), tools=[INTERPRETER], tool_choice="required")
    assert from_responses(given, ANTHROPIC).output["tool_choice"] == {"type": "any"}
