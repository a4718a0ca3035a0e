"""Pain 28, where both providers run the tool: calls of MCP servers travel, and stay the provider's (TUL-23)."""

from __future__ import annotations

import pytest

import proxai_ir

from ..streams import wire
from .support import (
    ANTHROPIC,
    CHAT,
    RESPONSES,
    Json,
    again,
    anthropic_answer,
    anthropic_request,
    anthropic_tool,
    assistant,
    from_responses,
    item,
    losses,
    notes,
    output_text,
    refusals,
    responses_answer,
    responses_request,
    text,
    to_chat,
    to_responses,
    user,
)

WIKI: Json = {"type": "url", "name": "wiki", "url": "https://wiki.example/mcp"}
SERVED: Json = {
    "type": "mcp",
    "server_label": "wiki",
    "server_url": "https://wiki.example/mcp",
    "require_approval": "never",
}
TOOLSET: Json = {"type": "mcp_toolset", "mcp_server_name": "wiki"}
ONLY: Json = {"default_config": {"enabled": False}, "configs": {"ask": {"enabled": True}}}


def asking(identity: str, **given: object) -> Json:
    return {"type": "mcp_tool_use", "id": identity, "server_name": "wiki", "name": "ask", "input": given}


def told(identity: str, content: object, **members: object) -> Json:
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


# --- servers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("servers", "tools", "made"),
    [
        ([WIKI], [], [SERVED]),
        ([{**WIKI, "authorization_token": "t"}], [], [{**SERVED, "authorization": "t"}]),
        (
            [{**WIKI, "tool_configuration": {"enabled": True, "allowed_tools": ["ask"]}}],
            [],
            [{**SERVED, "allowed_tools": ["ask"]}],
        ),
        ([WIKI], [TOOLSET], [SERVED]),
        ([WIKI], [{**TOOLSET, "default_config": {"enabled": True}}], [SERVED]),
        ([WIKI], [{**TOOLSET, **ONLY}], [{**SERVED, "allowed_tools": ["ask"]}]),
    ],
    ids=["plain", "token", "configured", "toolset", "all of a toolset", "one of a toolset"],
)
def test_a_server_of_anthropic_is_one_that_asks_nobody(
    servers: list[Json], tools: list[Json], made: list[Json]
) -> None:
    request = anthropic_request(user("Ask."), mcp_servers=servers, tools=[anthropic_tool("look"), *tools])
    there = to_responses(request, ANTHROPIC)
    assert [one["type"] for one in there.output["tools"]] == ["function", "mcp"]
    assert there.output["tools"][1:] == made
    assert losses(there) == []
    assert again(request, ANTHROPIC) == request


@pytest.mark.parametrize(
    ("servers", "tools"),
    [
        ([{**WIKI, "tool_configuration": {"enabled": False}}], []),
        ([WIKI], [{**TOOLSET, "default_config": {"defer_loading": True}}]),
        ([WIKI], [{**TOOLSET, "configs": {"ask": {"enabled": False}}}]),
        ([WIKI], [{**TOOLSET, "tools": []}]),
        ([WIKI], [{**TOOLSET, "mcp_server_name": "mail"}]),
        ([WIKI], [{**TOOLSET, "mcp_server_name": {}}]),
        ([WIKI], [TOOLSET, {**TOOLSET, **ONLY}]),
        ([WIKI, {**WIKI, "name": "mail", "type": "stdio"}], [TOOLSET]),
        ([{**WIKI, "type": "stdio"}], []),
    ],
    ids=["off", "deferred", "one is off", "pinned", "another", "no name", "twice", "one of two", "no address"],
)
def test_what_says_more_than_which_tools_there_are_stays_at_home(servers: list[Json], tools: list[Json]) -> None:
    """Else a tool that was switched off could be called after all."""
    request = anthropic_request(user("Ask."), mcp_servers=servers, tools=[*tools, anthropic_tool("look")])
    there = to_responses(request, ANTHROPIC)
    assert [one["type"] for one in there.output["tools"]] == ["function"]
    assert set(losses(there)) == {("TUL-6", "/mcp_servers"), *(("TUL-6", f"/tools/{at}") for at in range(len(tools)))}
    assert again(request, ANTHROPIC) == request


@pytest.mark.parametrize(
    "server",
    [
        {**SERVED, "require_approval": "always"},
        {**SERVED, "require_approval": None},
        {**SERVED, "require_approval": {"never": {"tool_names": ["ask"]}}},
        {**SERVED, "server_url": None, "connector_id": "connector_gmail"},
        {**SERVED, "allowed_tools": {"read_only": True, "tool_names": ["ask"]}},
    ],
    ids=["always", "unsaid", "some", "connector", "filtered"],
)
def test_calls_that_wait_for_approval_are_not_made_without(server: Json) -> None:
    there = from_responses(responses_request(user("Ask."), tools=[server]), ANTHROPIC)
    assert "mcp_servers" not in there.output
    assert losses(there) == [("TUL-6", "/tools/0")]


def test_a_filter_of_names_is_a_list_of_them() -> None:
    server = {**SERVED, "allowed_tools": {"tool_names": ["ask"]}, "headers": {"X-Team": "1"}}
    request = responses_request(user("Ask."), tools=[server], tool_choice="required")
    there = from_responses(request, ANTHROPIC)
    assert there.output["mcp_servers"] == [WIKI]
    assert there.output["tools"] == [{**TOOLSET, **ONLY}]
    assert there.output["tool_choice"] == {"type": "any"}
    assert losses(there) == [("TUL-23", "/tools/0/headers")]
    assert again(request, RESPONSES) == request


def test_a_server_is_no_function_that_a_choice_could_name() -> None:
    forced = responses_request(user("Ask."), tools=[SERVED], tool_choice={"type": "function", "name": "wiki"})
    assert refusals(forced, RESPONSES, dst=ANTHROPIC) == [("TUL-11", "/tool_choice/name")]


def test_chat_has_no_servers() -> None:
    there = to_chat(anthropic_request(user("Ask."), mcp_servers=[WIKI], tools=[anthropic_tool("look")]))
    assert [one["function"]["name"] for one in there.output["tools"]] == ["look"]
    assert losses(there) == [("TUL-6", "/mcp_servers/0")]
    there = to_chat(anthropic_request(user("Ask."), mcp_servers=[WIKI], tools=[{**TOOLSET, **ONLY}]))
    assert losses(there) == [("TUL-6", "/tools/0"), ("TUL-6", "/mcp_servers/0")]


def test_the_order_of_toolsets_means_nothing() -> None:
    mail, look = {**WIKI, "name": "mail"}, anthropic_tool("look")
    tools = [{**TOOLSET, "mcp_server_name": "mail"}, look, {**TOOLSET, **ONLY}]
    request = anthropic_request(user("Ask."), mcp_servers=[WIKI, mail, {**WIKI, "name": "plain"}], tools=tools)
    there = to_responses(request, ANTHROPIC)
    assert [one.get("server_label") for one in there.output["tools"]] == [None, "wiki", "mail", "plain"]
    assert [one.get("allowed_tools") for one in there.output["tools"]] == [None, ["ask"], None, None]
    assert losses(there) == []
    assert again(request, ANTHROPIC) == request


@pytest.mark.parametrize("configuration", [{}, {"enabled": True}, {"allowed_tools": []}])
def test_a_configuration_comes_back_as_it_was(configuration: Json) -> None:
    request = anthropic_request(user("Ask."), mcp_servers=[{**WIKI, "tool_configuration": configuration}])
    assert again(request, ANTHROPIC) == request


def test_no_servers_ask_for_nothing() -> None:
    request = anthropic_request(user("Ask."), mcp_servers=[])
    assert losses(to_chat(request)) == []
    assert again(request, ANTHROPIC) == request


# --- a choice of some tools -------------------------------------------------------------------------------------------

LOOK: Json = {"type": "function", "name": "look", "parameters": {"type": "object", "properties": {}}, "strict": False}
MAIL: Json = {**SERVED, "server_label": "mail"}


def choosing(*tools: Json, mode: str = "auto") -> Json:
    return {"type": "allowed_tools", "mode": mode, "tools": list(tools)}


@pytest.mark.parametrize(
    ("allowed", "names"),
    [
        ([{"type": "function", "name": "look"}], ["look"]),
        ([{"type": "mcp", "server_label": "mail"}], ["mail"]),
        ([{"type": "web_search"}, {"type": "function", "name": "look"}], ["look", "web_search"]),
        ([], []),
    ],
    ids=["function", "server", "search", "none"],
)
def test_a_server_that_a_choice_does_not_allow_is_left_out(allowed: list[Json], names: list[str]) -> None:
    """Else what the caller switched off could be called, and nobody would be asked."""
    tools = [LOOK, SERVED, MAIL, {"type": "web_search"}]
    request = responses_request(user("Ask."), tools=tools, tool_choice=choosing(*allowed))
    there = from_responses(request, ANTHROPIC)
    told = [one.get("name", one.get("mcp_server_name")) for one in there.output.get("tools", ())]
    assert told == names
    assert [one["name"] for one in there.output.get("mcp_servers", ())] == [one for one in names if one == "mail"]
    assert [code for code, _ in losses(there)] == ["TUL-12"] * (4 - len(names))
    assert again(request, RESPONSES) == request


def test_a_choice_may_force_a_server() -> None:
    forced = choosing({"type": "mcp", "server_label": "wiki"}, mode="required")
    there = from_responses(responses_request(user("Ask."), tools=[SERVED], tool_choice=forced), ANTHROPIC)
    assert there.output["tool_choice"] == {"type": "any"}
    assert losses(there) == []


def test_chat_searches_only_where_the_choice_allows_it() -> None:
    request = responses_request(
        user("Ask."), tools=[LOOK, {"type": "web_search"}], tool_choice=choosing({"type": "function", "name": "look"})
    )
    there = from_responses(request, CHAT)
    assert "web_search_options" not in there.output
    assert losses(there) == [("TUL-12", "/tools/1")]
    request = responses_request(
        user("Ask."), tools=[LOOK, SERVED], tool_choice=choosing({"type": "mcp", "server_label": "wiki"})
    )
    there = from_responses(request, CHAT)
    assert there.output["tool_choice"] == "none"
    assert losses(there) == [("TUL-6", "/tools/1"), ("TUL-6", "/tool_choice/tools")]


# --- calls ------------------------------------------------------------------------------------------------------------


def test_results_join_their_calls() -> None:
    answer = anthropic_answer(
        asking("mcptoolu_1", a=1),
        asking("mcptoolu_2"),
        told("mcptoolu_2", [text("No"), text(".")], is_error=True),
        told("mcptoolu_1", "Yes."),
        asking("mcptoolu_3"),
        text("Done."),
    )
    there = to_responses(answer, ANTHROPIC, "response")
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
        told("mcptoolu_1", "Yes.", is_error=False),
        asking("mcptoolu_2"),
        told("mcptoolu_2", "No.", is_error=True),
        asking("mcptoolu_3"),
        text("Done."),
    ]
    assert again(answer, ANTHROPIC, "response") == answer


def test_a_result_that_is_no_text_stays_at_home() -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "eA=="}}
    answer = anthropic_answer(asking("mcptoolu_1"), told("mcptoolu_1", [text("Look: "), image]))
    there = to_responses(answer, ANTHROPIC, "response")
    assert there.output["output"] == [called("mcp_mcptoolu_1", output="")]
    assert losses(there) == [("TUL-23", "/content/1/content")]
    assert again(answer, ANTHROPIC, "response") == answer


def test_a_result_without_its_call_is_named() -> None:
    """As in the answer that goes on with a turn in which the call was made."""
    there = to_responses(anthropic_answer(told("mcptoolu_1", "Yes."), text("Yes.")), ANTHROPIC, "response")
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
def test_a_call_that_failed_says_why(error: object, words: str, lost: list[tuple[str, str]]) -> None:
    answer = responses_answer(called("mcp_1", error=error, status="failed"), item(output_text("No.")))
    there = from_responses(answer, ANTHROPIC, "response")
    assert there.output["content"][1] == told("mcptoolu_mcp_1", words, is_error=True)
    assert losses(there) == lost
    assert again(answer, RESPONSES, "response") == answer


@pytest.mark.parametrize(("members", "words"), [({"output": "boom"}, "boom"), ({}, ""), ({"output": None}, "")])
def test_a_call_may_fail_without_an_error(members: Json, words: str) -> None:
    answer = responses_answer(called("mcp_1", **{"status": "failed", **members}))
    there = from_responses(answer, ANTHROPIC, "response")
    assert there.output["content"][1] == told("mcptoolu_mcp_1", words, is_error=True)
    assert losses(there) == []
    item_again = {key: value for key, value in answer["output"][0].items() if value is not None}
    assert again(answer, RESPONSES, "response")["output"] == [item_again]


def test_a_text_that_bears_more_than_words_is_a_loss() -> None:
    marked = {**text("a"), "cache_control": {"type": "ephemeral"}}
    there = to_responses(anthropic_answer(asking("mcptoolu_1"), told("mcptoolu_1", [marked])), ANTHROPIC, "response")
    assert there.output["output"] == [called("mcp_mcptoolu_1", output="a")]
    assert losses(there) == [("TUL-23", "/content/1/content")]


def test_every_call_of_a_turn_has_an_id_of_its_own() -> None:
    """As the target tells it: two ids may become one."""
    twice = responses_answer(called("mcp_1", output="x"), called("mcp_1", output="y"))
    assert refusals(twice, RESPONSES, "response", ANTHROPIC) == [("TUL-16", "/output/1/id")]
    alike = anthropic_answer(asking("a_mcp_1"), told("a_mcp_1", ""), asking("mcptoolu_mcp_1"))
    assert refusals(alike, ANTHROPIC, "response", RESPONSES) == [("TUL-16", "/content/2/id")]
    apart = anthropic_request(
        user("Ask."), assistant([asking("mcptoolu_1")]), user("And?"), assistant([asking("mcptoolu_1")]), user("So?")
    )
    assert losses(to_responses(apart, ANTHROPIC)) == []


def test_approvals_stay_at_home() -> None:
    asked = {"type": "mcp_approval_request", "id": "mcpr_1", "server_label": "wiki", "name": "ask", "arguments": "{}"}
    answer = responses_answer(asked, called("mcp_1", output="Yes.", approval_request_id="mcpr_1"))
    there = from_responses(answer, ANTHROPIC, "response")
    assert [one["type"] for one in there.output["content"]] == ["mcp_tool_use", "mcp_tool_result"]
    assert losses(there) == [("TUL-6", "/output/0"), ("TUL-23", "/output/1/approval_request_id")]


def test_a_call_must_say_whose_tool_it_calls() -> None:
    call = {"type": "mcp_call", "id": "mcp_1", "name": "ask", "arguments": "{}"}
    with pytest.raises(proxai_ir.InvalidPayload, match=r"SHP-2 at /output/0: .*`server_label` is missing"):
        from_responses(responses_answer(call), ANTHROPIC, "response")
    del (block := asking("mcptoolu_1"))["server_name"]
    with pytest.raises(proxai_ir.InvalidPayload, match=r"SHP-2 at /content/0: .*`server_name` is missing"):
        to_responses(anthropic_answer(block), ANTHROPIC, "response")


# --- streams ----------------------------------------------------------------------------------------------------------


def test_in_a_stream_each_call_is_done_when_its_result_is_there() -> None:
    events = wire.messages(
        wire.call("mcptoolu_1", "ask", '{"a"', ":1}", kind="mcp_tool_use", server_name="wiki"),
        wire.call("mcptoolu_2", "ask", kind="mcp_tool_use", server_name="wiki"),
        wire.block(told("mcptoolu_2", "No.", is_error=True)),
        wire.text("Wait."),
        wire.block(told("mcptoolu_1", "Yes.")),
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


def test_a_stream_of_responses_tells_its_calls_to_anthropic() -> None:
    call, said = called("mcp_1", arguments='{"a":1}', output="Yes."), item(output_text("Yes."), id="msg_1")
    begun = {**call, "arguments": "", "output": None, "status": "in_progress"}
    where = {"output_index": 0, "item_id": "mcp_1"}
    source = [
        {"type": "response.created", "response": responses_answer(status="in_progress")},
        {"type": "response.output_item.added", "output_index": 0, "item": begun},
        {"type": "response.mcp_call.in_progress", **where},
        {"type": "response.mcp_call_arguments.delta", **where, "delta": '{"a":'},
        {"type": "response.mcp_call_arguments.delta", **where, "delta": "1}"},
        {"type": "response.mcp_call_arguments.done", **where, "arguments": '{"a":1}'},
        {"type": "response.mcp_call.completed", **where},
        {"type": "response.output_item.done", "output_index": 0, "item": call},
        {"type": "response.completed", "response": responses_answer(call, said)},
    ]
    events = proxai_ir.convert(source, RESPONSES, ANTHROPIC)
    blocks = [event["content_block"] for event in events if event["type"] == "content_block_start"]
    assert blocks == [asking("mcptoolu_mcp_1"), told("mcptoolu_mcp_1", "Yes.", is_error=False), text("")]
    deltas = [event["delta"] for event in events if event["type"] == "content_block_delta"]
    assert [one.get("partial_json") for one in deltas] == ['{"a":', "1}", None]
    assert proxai_ir.convert(source, RESPONSES, RESPONSES) == source


def begun(*items: Json) -> list[Json]:
    """A stream of Responses up to its end, each item told as it is added and done."""
    events: list[Json] = [{"type": "response.created", "response": responses_answer(status="in_progress")}]
    for index, one in enumerate(items):
        events.append({"type": "response.output_item.added", "output_index": index, "item": one})
        events.append({"type": "response.output_item.done", "output_index": index, "item": one})
    return events


@pytest.mark.parametrize("output", ["A", None])
def test_a_result_that_the_end_tells_otherwise_is_named(output: str | None) -> None:
    source = [
        *begun(called("mcp_1", output=output)),
        {"type": "response.completed", "response": responses_answer(called("mcp_1", output="B"))},
    ]
    made = proxai_ir.compile(source, RESPONSES, ANTHROPIC)
    assert ("STR-16", "/3/response/output") in losses(made)


def test_what_only_the_end_tells_of_a_call_is_named() -> None:
    call = called("mcp_1", output="Y", approval_request_id="mcpr_1", beam=3)
    source = [*begun(), {"type": "response.completed", "response": responses_answer(call)}]
    made = proxai_ir.compile(source, RESPONSES, ANTHROPIC)
    where = "/1/response/output/0"
    assert losses(made) == [("TUL-23", f"{where}/approval_request_id"), ("UNK-1", f"{where}/beam")]


def test_a_call_that_changes_its_name_is_named() -> None:
    call = called("mcp_1", output="Y")
    source = begun(call)
    source[1] = {**source[1], "item": {**call, "name": "", "output": None, "status": "in_progress"}}
    source.append({"type": "response.completed", "response": responses_answer(call)})
    made = proxai_ir.compile(source, RESPONSES, ANTHROPIC)
    assert losses(made) == [("STR-16", "/2/item/name")]


def test_no_more_arguments_may_follow_those_at_the_start() -> None:
    block = asking("mcptoolu_1", a=1)
    events = wire.messages(wire.block(block, {"type": "input_json_delta", "partial_json": ""}))
    assert proxai_ir.convert(events, ANTHROPIC, ANTHROPIC) == events
    made = proxai_ir.convert(events, ANTHROPIC, RESPONSES)
    assert made[-1]["response"]["output"][0]["arguments"] == '{"a":1}'


def test_a_result_of_another_kind_belongs_to_no_call() -> None:
    search = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "q"}}
    there = to_responses(anthropic_answer(search, told("s", "Yes."), text("Yes.")), ANTHROPIC, "response")
    assert [one["type"] for one in there.output["output"]] == ["web_search_call", "message"]
    assert losses(there) == [("TUL-23", "/content/1")]
