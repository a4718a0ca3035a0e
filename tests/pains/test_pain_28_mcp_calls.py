"""Pain 28, where both providers run the tool: calls of MCP servers travel, and stay the provider's (TUL-23)."""

from __future__ import annotations

import pytest

import proxai_ir

from .generate_content import GEMINI
from .support import (
    ANTHROPIC,
    CHAT,
    INTERACTIONS,
    RESPONSES,
    Json,
    again,
    anthropic,
    assistant,
    from_responses,
    losses,
    notes,
    refusals,
    responses,
    text,
    to_responses,
    user,
)


def asking(identity: str, **given: object) -> Json:
    return {"type": "mcp_tool_use", "id": identity, "server_name": "wiki", "name": "ask", "input": given}


def result(identity: str, content: object, **members: object) -> Json:
    return {"type": "mcp_tool_result", "tool_use_id": identity, "content": content, **members}


def called(identity: str, **members: object) -> Json:
    return {
        "type": "mcp_call",
        "id": identity,
        "server_label": "wiki",
        "name": "ask",
        "arguments": "{}",
        "status": "completed",
        **members,
    }


# --- calls ------------------------------------------------------------------------------------------------------------


def test_results_join_their_calls() -> None:
    response = anthropic.response(
        asking("mcptoolu_1", a=1),
        asking("mcptoolu_2"),
        result("mcptoolu_2", [text("No"), text(".")], is_error=True),
        result("mcptoolu_1", "Yes."),
        asking("mcptoolu_3"),
        text("Done."),
    )
    there = to_responses(response, ANTHROPIC, "response")
    failed = {"type": "mcp_tool_execution_error", "content": [{"type": "text", "text": "No."}]}
    assert there.output["output"][:3] == [
        called("mcp_mcptoolu_1", arguments='{"a":1}', output="Yes."),
        called("mcp_mcptoolu_2", error=failed, status="failed"),
        called("mcp_mcptoolu_3", status="incomplete"),
    ]
    assert losses(there) == []
    assert ("PLC-8", "/content/2/content") in notes(there)
    back = from_responses(there.output, ANTHROPIC, "response").output
    assert back["content"] == [
        asking("mcptoolu_1", a=1),
        result("mcptoolu_1", "Yes.", is_error=False),
        asking("mcptoolu_2"),
        result("mcptoolu_2", "No.", is_error=True),
        asking("mcptoolu_3"),
        text("Done."),
    ]
    assert again(response, ANTHROPIC, "response") == response


def test_a_result_that_is_no_text_has_no_equivalent() -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "eA=="}}
    response = anthropic.response(asking("mcptoolu_1"), result("mcptoolu_1", [text("Look: "), image]))
    there = to_responses(response, ANTHROPIC, "response")
    assert there.output["output"] == [called("mcp_mcptoolu_1", output="")]
    assert losses(there) == [("TUL-23", "/content/1/content")]
    assert again(response, ANTHROPIC, "response") == response


def test_a_result_without_its_call_is_named() -> None:
    """As in a response that continues the turn with the call."""
    there = to_responses(anthropic.response(result("mcptoolu_1", "Yes."), text("Yes.")), ANTHROPIC, "response")
    assert [one["type"] for one in there.output["output"]] == ["message"]
    assert losses(there) == [("TUL-23", "/content/0")]


@pytest.mark.parametrize(
    ("error", "words", "lost"),
    [
        ("Broken.", "Broken.", []),
        (
            {"type": "mcp_protocol_error", "code": -32000, "message": "Broken."},
            "Broken.",
            [("TUL-23", "/output/0/error")],
        ),
        ({"type": "mcp_tool_execution_error", "content": [{"type": "text", "text": "Broken."}]}, "Broken.", []),
        ({"type": "mcp_tool_execution_error", "content": {"a": 1}}, "", [("TUL-23", "/output/0/error")]),
        (
            {"type": "mcp_tool_execution_error", "content": [{"type": "text", "text": "Broken."}], "beam": 3},
            "Broken.",
            [("TUL-23", "/output/0/error")],
        ),
    ],
    ids=["string", "protocol", "execution", "no wording", "more"],
)
def test_a_call_that_failed_carries_its_error(error: object, words: str, lost: list[tuple[str, str]]) -> None:
    response = responses.response(
        called("mcp_1", error=error, status="failed"), responses.message(responses.output_text("No."))
    )
    there = from_responses(response, ANTHROPIC, "response")
    assert there.output["content"][1] == result("mcptoolu_mcp_1", words, is_error=True)
    assert losses(there) == lost
    assert again(response, RESPONSES, "response") == response


@pytest.mark.parametrize(("members", "words"), [({"output": "boom"}, "boom"), ({}, ""), ({"output": None}, "")])
def test_a_call_may_fail_without_an_error(members: Json, words: str) -> None:
    response = responses.response(called("mcp_1", **{"status": "failed", **members}))
    there = from_responses(response, ANTHROPIC, "response")
    assert there.output["content"][1] == result("mcptoolu_mcp_1", words, is_error=True)
    assert losses(there) == []
    assert again(response, RESPONSES, "response") == response


def test_a_text_with_more_than_text_is_a_loss() -> None:
    marked = {**text("a"), "cache_control": {"type": "ephemeral"}}
    there = to_responses(
        anthropic.response(asking("mcptoolu_1"), result("mcptoolu_1", [marked])), ANTHROPIC, "response"
    )
    assert there.output["output"] == [called("mcp_mcptoolu_1", output="a")]
    assert losses(there) == [("TUL-23", "/content/1/content")]


def test_every_call_of_a_turn_has_an_id_of_its_own() -> None:
    """Also where two ids of the source become one in the target."""
    twice = responses.response(called("mcp_1", output="x"), called("mcp_1", output="y"))
    assert refusals(twice, RESPONSES, "response", ANTHROPIC) == [("TUL-16", "/output/1/id")]
    alike = anthropic.response(asking("a_mcp_1"), result("a_mcp_1", ""), asking("mcptoolu_mcp_1"))
    assert refusals(alike, ANTHROPIC, "response", RESPONSES) == [("TUL-16", "/content/2/id")]
    apart = anthropic.request(
        user("Ask."), assistant([asking("mcptoolu_1")]), user("And?"), assistant([asking("mcptoolu_1")]), user("So?")
    )
    assert losses(to_responses(apart, ANTHROPIC)) == []


def test_approvals_have_no_equivalent() -> None:
    asked = {"type": "mcp_approval_request", "id": "mcpr_1", "server_label": "wiki", "name": "ask", "arguments": "{}"}
    for target in (ANTHROPIC, CHAT, GEMINI, INTERACTIONS):
        pending = responses.response(responses.message(responses.output_text("One moment.")), asked)
        assert refusals(pending, RESPONSES, "response", target) == [("TUL-43", "/output/1")]
    approved = responses.response(called("mcp_1", output="Yes.", approval_request_id="mcpr_1"))
    there = from_responses(approved, ANTHROPIC, "response")
    assert [one["type"] for one in there.output["content"]] == ["mcp_tool_use", "mcp_tool_result"]
    assert losses(there) == [("TUL-23", "/output/0/approval_request_id")]


@pytest.mark.parametrize("target", [ANTHROPIC, CHAT, GEMINI, INTERACTIONS])
def test_a_stream_that_waits_for_an_approval_is_refused(target: str) -> None:
    asked = {"type": "mcp_approval_request", "id": "mcpr_1", "server_label": "wiki", "name": "ask", "arguments": "{}"}
    events = responses.stream(responses.response(asked))
    with pytest.raises(proxai_ir.TranslationError) as caught:
        proxai_ir.convert(events, RESPONSES, target)
    assert caught.value.rule == "TUL-43"


def test_approvals_in_the_history_are_named() -> None:
    asked = {"type": "mcp_approval_request", "id": "mcpr_1", "server_label": "wiki", "name": "ask", "arguments": "{}"}
    given = {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": True}
    request = responses.request(user("Ask."), asked, given, user("And?"))
    there = from_responses(request, ANTHROPIC)
    assert losses(there) == [("TUL-6", "/input/1"), ("TUL-6", "/input/2")]


def test_a_call_must_name_its_server() -> None:
    call = {"type": "mcp_call", "id": "mcp_1", "name": "ask", "arguments": "{}"}
    with pytest.raises(proxai_ir.InvalidPayload, match=r"SHP-2 at /output/0: .*`server_label` is missing"):
        from_responses(responses.response(call), ANTHROPIC, "response")
    del (block := asking("mcptoolu_1"))["server_name"]
    with pytest.raises(proxai_ir.InvalidPayload, match=r"SHP-2 at /content/0: .*`server_name` is missing"):
        to_responses(anthropic.response(block), ANTHROPIC, "response")


# --- streams ----------------------------------------------------------------------------------------------------------


def test_in_a_stream_each_call_is_done_when_its_result_is_there() -> None:
    events = anthropic.stream(
        anthropic.call_block("mcptoolu_1", "ask", '{"a"', ":1}", kind="mcp_tool_use", server_name="wiki"),
        anthropic.call_block("mcptoolu_2", "ask", kind="mcp_tool_use", server_name="wiki"),
        anthropic.block(result("mcptoolu_2", "No.", is_error=True)),
        anthropic.text_block("Wait."),
        anthropic.block(result("mcptoolu_1", "Yes.")),
    )
    made = proxai_ir.compile(events, ANTHROPIC, RESPONSES)
    done = [event["item"] for event in made.output if event["type"] == "response.output_item.done"]
    yes = called("mcp_mcptoolu_1", arguments='{"a":1}', output="Yes.")
    failed = {"type": "mcp_tool_execution_error", "content": [{"type": "text", "text": "No."}]}
    no = called("mcp_mcptoolu_2", error=failed, status="failed")
    assert [one["type"] for one in done] == ["mcp_call", "mcp_call", "message"]
    assert done[:2] == [no, yes]
    assert made.output[-1]["response"]["output"][:2] == [yes, no]
    kinds = [event["type"].removeprefix("response.") for event in made.output]
    assert kinds.index("mcp_call.failed") < kinds.index("mcp_call.completed")
    assert kinds.count("mcp_call_arguments.delta") == 3  # the second call's "{}" among them
    assert losses(made) == []


def test_calls_in_a_stream_of_responses_reach_anthropic() -> None:
    call, written = (
        called("mcp_1", arguments='{"a":1}', output="Yes."),
        responses.message(responses.output_text("Yes."), id="msg_1"),
    )
    begun = {**call, "arguments": "", "output": None, "status": "in_progress"}
    where = {"output_index": 0, "item_id": "mcp_1"}
    source = [
        {"type": "response.created", "response": responses.response(status="in_progress")},
        {"type": "response.output_item.added", "output_index": 0, "item": begun},
        {"type": "response.mcp_call.in_progress", **where},
        {"type": "response.mcp_call_arguments.delta", **where, "delta": '{"a":'},
        {"type": "response.mcp_call_arguments.delta", **where, "delta": "1}"},
        {"type": "response.mcp_call_arguments.done", **where, "arguments": '{"a":1}'},
        {"type": "response.mcp_call.completed", **where},
        {"type": "response.output_item.done", "output_index": 0, "item": call},
        {"type": "response.completed", "response": responses.response(call, written)},
    ]
    events = proxai_ir.convert(source, RESPONSES, ANTHROPIC)
    blocks = [event["content_block"] for event in events if event["type"] == "content_block_start"]
    assert blocks == [asking("mcptoolu_mcp_1"), result("mcptoolu_mcp_1", "Yes.", is_error=False), text("")]
    deltas = [event["delta"] for event in events if event["type"] == "content_block_delta"]
    assert [one.get("partial_json") for one in deltas] == ['{"a":', "1}", None]
    assert proxai_ir.convert(source, RESPONSES, RESPONSES) == source


def begun(*items: Json) -> list[Json]:
    """A stream of Responses up to its end, with the events of each item, added and done."""
    events: list[Json] = [{"type": "response.created", "response": responses.response(status="in_progress")}]
    for index, one in enumerate(items):
        events.append({"type": "response.output_item.added", "output_index": index, "item": one})
        events.append({"type": "response.output_item.done", "output_index": index, "item": one})
    return events


@pytest.mark.parametrize("output", ["A", None])
def test_a_result_that_the_terminal_event_contradicts_is_reported(output: str | None) -> None:
    source = [
        *begun(called("mcp_1", output=output)),
        {"type": "response.completed", "response": responses.response(called("mcp_1", output="B"))},
    ]
    made = proxai_ir.compile(source, RESPONSES, ANTHROPIC)
    assert ("STR-16", "/3/response/output") in losses(made)


def test_what_only_the_terminal_event_has_of_a_call_is_reported() -> None:
    call = called("mcp_1", output="Y", approval_request_id="mcpr_1", beam=3)
    source = [*begun(), {"type": "response.completed", "response": responses.response(call)}]
    made = proxai_ir.compile(source, RESPONSES, ANTHROPIC)
    where = "/1/response/output/0"
    assert losses(made) == [("TUL-23", f"{where}/approval_request_id"), ("UNK-1", f"{where}/beam")]


def test_a_call_that_changes_its_name_is_named() -> None:
    call = called("mcp_1", output="Y")
    source = begun(call)
    source[1] = {**source[1], "item": {**call, "name": "", "output": None, "status": "in_progress"}}
    source.append({"type": "response.completed", "response": responses.response(call)})
    made = proxai_ir.compile(source, RESPONSES, ANTHROPIC)
    assert losses(made) == [("STR-16", "/2/item/name")]


def test_a_call_that_changes_its_id_is_named() -> None:
    call = {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "sky", "arguments": "{}"}
    source = begun({**call, "call_id": "c2"})
    source[1] = {**source[1], "item": {**call, "arguments": "", "status": "in_progress"}}
    ends = {"type": "response.completed", "response": responses.response({**call, "call_id": "c2"})}
    assert losses(proxai_ir.compile([*source, ends], RESPONSES, ANTHROPIC)) == [("STR-16", "/2/item/call_id")]
    source = begun(call)
    source[1] = {**source[1], "item": {**call, "arguments": "", "status": "in_progress"}}
    assert losses(proxai_ir.compile([*source, ends], RESPONSES, ANTHROPIC)) == [("STR-16", "/3/response/output")]


def test_no_more_arguments_may_follow_those_at_the_start() -> None:
    block = asking("mcptoolu_1", a=1)
    events = anthropic.stream(anthropic.block(block, {"type": "input_json_delta", "partial_json": ""}))
    assert proxai_ir.convert(events, ANTHROPIC, ANTHROPIC) == events
    made = proxai_ir.convert(events, ANTHROPIC, RESPONSES)
    assert made[-1]["response"]["output"][0]["arguments"] == '{"a":1}'


def test_a_result_of_another_kind_belongs_to_no_call() -> None:
    search = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "q"}}
    there = to_responses(anthropic.response(search, result("s", "Yes."), text("Yes.")), ANTHROPIC, "response")
    assert [one["type"] for one in there.output["output"]] == ["web_search_call", "message"]
    assert losses(there) == [("TUL-23", "/content/1")]
