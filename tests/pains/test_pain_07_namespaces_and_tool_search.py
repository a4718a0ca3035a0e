"""Pain 07: namespaces and tools that are listed in the conversation vanish on the way to another protocol (TUL-25)."""

from __future__ import annotations

import zlib
from copy import deepcopy

import pytest

import proxai_ir

from .generate_content import GEMINI
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

LOOK: Json = responses.tool("look")
PATCH: Json = {"type": "custom", "name": "patch"}
NAMESPACE: Json = {"type": "namespace", "name": "files", "description": "Files.", "tools": [LOOK, PATCH]}
SERVER: Json = {"type": "mcp", "server_label": "wiki", "server_url": "https://mcp.example"}  # which asks before a call
SEARCH: Json = {"type": "tool_search"}
FOUND: list[Json] = [
    {"type": "tool_search_call", "call_id": "s1", "execution": "server", "arguments": {}, "status": "completed"},
    {"type": "tool_search_output", "call_id": "s1", "execution": "server", "tools": [LOOK], "status": "completed"},
]
STATE = {
    "tool_names": {"files__look": "look", "files__patch": "patch"},
    "namespaces": {"files__look": "files", "files__patch": "files"},
}


def listed(*tools: Json) -> Json:
    return {"type": "additional_tools", "role": "developer", "tools": list(tools)}


@pytest.mark.parametrize("dst", [CHAT, ANTHROPIC])
@pytest.mark.parametrize(("tool", "rule"), [(SERVER, "TUL-6"), (SEARCH, "TUL-38")], ids=["server", "search"])
def test_a_definition_that_has_no_place_is_named_and_the_others_stay(tool: Json, rule: str, dst: str) -> None:
    """A search for tools is no loss where the target gets all tools at once."""
    made = from_responses(responses.request(user("Look."), tools=[tool, LOOK]), dst)
    assert len(made.output["tools"]) == 1
    assert (rule, "/tools/0") in [(one.code, one.path) for one in made.diagnostics]
    assert losses(made) == ([("TUL-6", "/tools/0")] if rule == "TUL-6" else [])


@pytest.mark.parametrize("dst", [CHAT, ANTHROPIC])
def test_a_choice_that_forces_one_is_refused(dst: str) -> None:
    forced = responses.request(user("Look."), tools=[SERVER], tool_choice={"type": "mcp", "server_label": "wiki"})
    assert refusals(forced, RESPONSES, dst=dst) == [("TUL-11", "/tool_choice")]


# --- namespaces -------------------------------------------------------------------------------------------------------


def test_tools_of_a_namespace_are_sent_under_qualified_names() -> None:
    """The description that they share stands before that of the first."""
    described = {**NAMESPACE, "tools": [{**LOOK, "description": "Looks."}, PATCH]}
    made = from_responses(responses.request(user("Look."), tools=[described, LOOK]), CHAT, custom_tools=True)
    assert made.output["tools"] == [
        chat.tool("files__look", description="Files.\n\nLooks.", strict=False),
        {"type": "custom", "custom": {"name": "files__patch"}},
        chat.tool("look", strict=False),
    ]
    assert losses(made) == []
    assert notes(made) == [("TUL-25", "/tools/0")]
    assert made.state == {**STATE, "custom_tools": ["files__patch"]}


def test_custom_tools_of_a_namespace_are_emulated_where_the_target_has_none() -> None:
    made = from_responses(responses.request(user("Look."), tools=[NAMESPACE]), ANTHROPIC, emulate="auto")
    assert [tool["name"] for tool in made.output["tools"]] == ["files__look", "files__patch"]
    assert made.state == {**STATE, "custom_tools": ["files__patch"]}
    call = anthropic.tool_use("files__patch", {"input": "x"})
    back = to_responses(anthropic.response(call, stop="tool_use"), ANTHROPIC, "response", state=made.state)
    (item,) = back.output["output"]
    assert (item["type"], item["namespace"], item["name"], item["input"]) == ("custom_tool_call", "files", "patch", "x")


def test_calls_in_the_history_name_their_tool_in_the_same_way() -> None:
    items = [user("Look."), responses.call("look", namespace="files"), responses.result("one")]
    made = from_responses(responses.request(*items, tools=[NAMESPACE]), CHAT, custom_tools=True)
    assert made.output["messages"][1] == assistant(tool_calls=[chat.call("files__look")])
    assert notes(made)[-1] == ("TUL-25", "/input/1/namespace")


def test_a_choice_means_the_tool_in_its_namespace() -> None:
    choice = {"type": "function", "name": "look"}
    given = responses.request(user("Look."), tools=[NAMESPACE], tool_choice=choice)
    made = from_responses(given, CHAT, custom_tools=True)
    assert made.output["tool_choice"] == {"type": "function", "function": {"name": "files__look"}}


def test_names_that_would_be_the_same_stay_two() -> None:
    first = {"type": "namespace", "name": "a", "tools": [responses.tool("b__c")]}
    second = {"type": "namespace", "name": "a__b", "tools": [responses.tool("c")]}
    made = from_responses(responses.request(user("?"), tools=[first, second, responses.tool("x__y")]), CHAT)
    names = [tool["function"]["name"] for tool in made.output["tools"]]
    assert names == ["a__b__c", f"a__b__c_{zlib.crc32(b'a__b__c'):08x}", "x__y"]


def test_a_qualified_name_that_is_too_long_is_shortened() -> None:
    long = {"type": "namespace", "name": "n" * 40, "tools": [responses.tool("t" * 40)]}
    made = from_responses(responses.request(user("?"), tools=[long]), CHAT)
    (name,) = (tool["function"]["name"] for tool in made.output["tools"])
    assert name == f"{'n' * 40}__{'t' * 13}_{zlib.crc32(b'n' * 40 + b'__' + b't' * 40):08x}"
    assert made.state == {"tool_names": {name: "t" * 40}, "namespaces": {name: "n" * 40}}


@pytest.mark.parametrize(("upstream", "reply"), [(ANTHROPIC, anthropic), (CHAT, chat)])
def test_the_call_of_a_response_has_its_namespace_again(upstream: str, reply: object) -> None:
    if upstream == ANTHROPIC:
        answered = anthropic.response(anthropic.tool_use("files__look"), stop="tool_use")
    else:
        answered = chat.response("tool_calls", tool_calls=[chat.call("files__look")])
    (item,) = to_responses(answered, upstream, "response", state=STATE).output["output"]
    assert (item["type"], item["namespace"], item["name"]) == ("function_call", "files", "look")


def test_so_has_the_call_of_a_stream() -> None:
    events = anthropic.stream(anthropic.call_block("call_1", "files__look", "{}"), stop="tool_use")
    made = proxai_ir.convert(events, ANTHROPIC, RESPONSES, state=STATE)
    added = [event["item"] for event in made if event["type"] == "response.output_item.added"]
    (item,) = READINGS[RESPONSES].whole(made)["output"]
    for one in (*added, item):
        assert (one["type"], one["namespace"], one["name"]) == ("function_call", "files", "look")


def test_a_namespace_in_a_response_goes_into_the_name_where_calls_have_none() -> None:
    answered = responses.response(responses.call("look", namespace="files", id="fc_1"))
    made = from_responses(answered, CHAT, "response")
    assert message(made)["tool_calls"] == [chat.call("files__look")]
    assert ("TUL-25", "/output/0/namespace") in notes(made)
    streamed = proxai_ir.compile(responses.stream(answered), RESPONSES, CHAT, kind="stream")
    assert READINGS[CHAT].summary(READINGS[CHAT].whole(streamed.output))["calls"] == [("call_1", "files__look", {})]


def test_one_that_is_too_long_then_is_shortened() -> None:
    answered = responses.response(responses.call("look", namespace="n" * 64, id="fc_1"))
    name = f"{'n' * 55}_{zlib.crc32(b'n' * 64 + b'__look'):08x}"
    assert message(from_responses(answered, CHAT, "response"))["tool_calls"] == [chat.call(name)]
    streamed = proxai_ir.convert(responses.stream(answered), RESPONSES, CHAT)
    assert READINGS[CHAT].summary(READINGS[CHAT].whole(streamed))["calls"] == [("call_1", name, {})]


# --- tools that the conversation defines ------------------------------------------------------------------------------


@pytest.mark.parametrize("dst", [CHAT, ANTHROPIC])
def test_tools_that_are_listed_in_the_conversation_are_tools_of_the_request(dst: str) -> None:
    given = responses.request(listed(NAMESPACE, LOOK), user("Look."), listed(responses.tool("now")))
    made = from_responses(given, dst, emulate="auto")
    names = [tool.get("name") or tool[tool["type"]]["name"] for tool in made.output["tools"]]
    assert names == ["files__look", "files__patch", "look", "now"]
    assert made.output["messages"] == [user("Look.")]
    assert losses(made) == []
    listings = [("TUL-25", "/input/0"), ("TUL-25", "/input/0/tools/0"), ("TUL-25", "/input/2")]
    assert [one for one in notes(made) if one[0] == "TUL-25"] == listings


def test_what_is_defined_twice_is_sent_once() -> None:
    first, second = deepcopy(LOOK), deepcopy(LOOK)
    made = from_responses(responses.request(user("Look."), listed(first), listed(second), tools=[LOOK]), CHAT)
    assert made.output["tools"] == [chat.tool("look", strict=False)]
    repeated = [path for rule, path in notes(made) if rule == "TUL-61"]
    assert repeated == ["/input/1/tools/0", "/input/2/tools/0"]


def test_another_definition_of_a_tool_is_named() -> None:
    other = {**LOOK, "parameters": {"type": "object", "properties": {"at": {"type": "string"}}}}
    made = from_responses(responses.request(user("Look."), listed(other), tools=[LOOK]), CHAT)
    assert made.output["tools"] == [chat.tool("look", strict=False)]
    assert losses(made) == [("TUL-60", "/input/1/tools/0")]


@pytest.mark.parametrize("dst", [CHAT, ANTHROPIC, GEMINI])
def test_a_tool_that_a_search_found_alone_is_the_one_that_is_defined(dst: str) -> None:
    """It is in a namespace of its own name then."""
    found = [FOUND[0], {**FOUND[1], "tools": [{"type": "namespace", "name": "look", "tools": [deepcopy(LOOK)]}]}]
    made = from_responses(responses.request(user("Look."), *found, tools=[LOOK]), dst)
    assert len(made.output["tools"]) == 1
    assert ("TUL-61", "/input/2/tools/0/tools/0") in notes(made)


@pytest.mark.parametrize("execution", ["server", "client"])
def test_what_a_search_found_is_sent_as_plain_functions(execution: str) -> None:
    found = [{**item, "execution": execution} for item in FOUND]
    found[1]["tools"] = [NAMESPACE]
    items = [user("Look."), *found, responses.call("look", namespace="files"), responses.result("one")]
    made = from_responses(responses.request(*items, tools=[SEARCH, LOOK]), CHAT, custom_tools=True)
    assert made.output["messages"] == [
        user("Look."),
        assistant(tool_calls=[chat.call("files__look")]),
        chat.result("one"),
    ]
    assert [tool[tool["type"]]["name"] for tool in made.output["tools"]] == ["look", "files__look", "files__patch"]


@pytest.mark.parametrize("dst", [CHAT, ANTHROPIC])
@pytest.mark.parametrize("execution", ["server", "client"])
def test_a_search_of_the_clients_in_the_history_is_lost_but_for_what_it_found(execution: str, dst: str) -> None:
    """The turn of which nothing is left is not named a second time. A search of the provider's is no loss."""
    found = [{**one, "execution": execution} for one in FOUND]
    made = from_responses(responses.request(user("Look."), *found, tools=[SEARCH]), dst)
    assert losses(made) == [("TUL-34", place) for place in ("/input/1", "/input/2") if execution == "client"]
    assert ("TUL-38", "/tools/0") in notes(made)
    assert (("TUL-38", "/input/1") in notes(made)) is (execution == "server")
    assert len(made.output["tools"]) == 1


@pytest.mark.parametrize("dst", [CHAT, RESPONSES])
def test_a_search_of_anthropic_is_named(dst: str) -> None:
    blocks = [
        {"type": "server_tool_use", "id": "srvtoolu_1", "name": "tool_search_tool_regex", "input": {"pattern": "l"}},
        {
            "type": "tool_search_tool_result",
            "tool_use_id": "srvtoolu_1",
            "content": {
                "type": "tool_search_tool_search_result",
                "tool_references": [{"type": "tool_reference", "tool_name": "look"}],
            },
        },
    ]
    response = proxai_ir.compile(anthropic.response(*blocks, text("Hi")), ANTHROPIC, dst, kind="response")
    assert losses(response) == []
    assert notes(response)[:2] == [("TUL-38", "/content/0"), ("TUL-38", "/content/1")]
    asked = anthropic.request(user("Look."), assistant([*blocks, text("Hi")]), user("And?"))
    request = proxai_ir.compile(asked, ANTHROPIC, dst, kind="request")
    assert losses(request) == []
    assert ("TUL-38", "/messages/1/content/0") in notes(request)
    assert ("TUL-38", "/messages/1/content/1") in notes(request)


@pytest.mark.parametrize("dst", [CHAT, RESPONSES, GEMINI])
def test_the_model_sees_the_tools_that_its_call_found(dst: str) -> None:
    names = ["look", "listen"]
    result = {"type": "tool_result", "tool_use_id": "c1"}
    references = [{"type": "tool_reference", "tool_name": name} for name in names]
    call = {"type": "tool_use", "id": "c1", "name": "find", "input": {}}
    asked = anthropic.request(user("Look."), assistant([call]), user([{**result, "content": references}]))
    made = proxai_ir.compile(asked, ANTHROPIC, dst, kind="request")
    if dst == GEMINI:
        response = made.output["contents"][2]["parts"][0]["functionResponse"]["response"]
        assert response == {"output": "look\nlisten"}
    else:
        inner = made.output["messages"][2]["content"] if dst == CHAT else made.output["input"][2]["output"]
        assert [part["text"] for part in inner] == names
    assert losses(made) == []
    found = [place for rule, place in notes(made) if rule == "TUL-42"]
    assert found == [f"/messages/2/content/0/content/{index}" for index in range(len(names))]
    joined = to_chat(asked, content_arrays=False)
    assert joined.output["messages"][2]["content"] == "look\nlisten"
    odd = anthropic.request(
        user("Look."), assistant([call]), user([{**result, "content": [{"type": "tool_reference"}]}])
    )
    assert [code for code, _ in losses(proxai_ir.compile(odd, ANTHROPIC, dst, kind="request"))] == ["TUL-6"]


def test_a_function_that_a_search_found_alone_keeps_its_name() -> None:
    """OpenAI puts it into a namespace of its own name, in what the search found and in the call."""
    alone = {"type": "namespace", "name": "look", "description": "", "tools": [LOOK]}
    found = [FOUND[0], {**FOUND[1], "tools": [alone]}]
    call = responses.call("look", namespace="look")
    items = [user("Look."), *found, call, responses.result("one")]
    for tools in ([SEARCH, {**LOOK, "defer_loading": True}], [SEARCH]):
        made = from_responses(responses.request(*items, tools=tools), CHAT)
        name = "look" if len(tools) == 2 else "look__look"
        assert [tool["function"]["name"] for tool in made.output["tools"]] == [name]
        assert made.output["messages"][1] == assistant(tool_calls=[chat.call(name)])
    gone = from_responses(responses.request(user("Look."), call, responses.result("one")), CHAT)
    assert gone.output["messages"][1] == assistant(tool_calls=[chat.call("look")])
    answered = from_responses(responses.response({**call, "id": "fc_1"}), CHAT, "response")
    assert message(answered)["tool_calls"] == [chat.call("look")]


def test_a_call_of_a_namespace_that_is_not_defined_means_the_plain_tool_of_that_name() -> None:
    items = [user("Look."), responses.call("look", namespace="files"), responses.result("one")]
    made = from_responses(responses.request(*items, tools=[LOOK]), CHAT)
    assert made.output["messages"][1] == assistant(tool_calls=[chat.call("look")])


def test_a_namespace_inside_a_namespace_is_no_known_tool() -> None:
    made = from_responses(responses.request(user("?"), tools=[{**NAMESPACE, "tools": [NAMESPACE, LOOK]}]), CHAT)
    assert losses(made) == [("UNK-3", "/tools/0/tools/0")]


def test_a_tool_of_a_namespace_without_a_name_is_refused_where_it_stands() -> None:
    broken = responses.request(user("?"), tools=[{**NAMESPACE, "tools": [{"type": "function"}]}])
    with pytest.raises(proxai_ir.InvalidPayload) as caught:
        proxai_ir.convert(broken, RESPONSES, CHAT)
    assert (caught.value.rule, caught.value.path) == ("SHP-2", "/tools/0/tools/0")


@pytest.mark.parametrize("first", [user("Look."), {"role": "system", "content": "Be brief."}, listed(LOOK)])
@pytest.mark.parametrize("settings", [{}, {"instructions": "Be brief."}, {"tools": [NAMESPACE, SERVER, SEARCH, LOOK]}])
def test_all_of_it_comes_back_in_its_own_protocol(first: Json, settings: Json) -> None:
    items = [first, listed(NAMESPACE, SERVER), user("Look."), *FOUND, responses.call("look", namespace="files")]
    payload = responses.request(*items, responses.result("one"), listed(), **settings)
    assert again(payload, RESPONSES) == payload


def test_a_name_that_is_allowed_often_and_stands_in_many_namespaces_is_listed_once_for_each() -> None:
    spaces = [{"type": "namespace", "name": f"n{index}", "tools": [LOOK]} for index in range(100)]
    choice = {"type": "allowed_tools", "mode": "auto", "tools": [{"type": "function", "name": "look"}] * 100}
    made = from_responses(responses.request(user("?"), tools=spaces, tool_choice=choice), CHAT)
    assert len(made.output["tool_choice"]["allowed_tools"]["tools"]) == 100
