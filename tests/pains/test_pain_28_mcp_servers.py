"""Pain 28, where both providers run the tool: MCP servers travel, and none is called unasked (TUL-23)."""

from __future__ import annotations

import pytest

import proxai_ir

from .support import (
    ANTHROPIC,
    CHAT,
    RESPONSES,
    Json,
    again,
    anthropic,
    from_responses,
    losses,
    refusals,
    responses,
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
def test_a_server_of_anthropic_is_one_without_approvals(
    servers: list[Json], tools: list[Json], made: list[Json]
) -> None:
    request = anthropic.request(user("Ask."), mcp_servers=servers, tools=[anthropic.tool("look"), *tools])
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
def test_a_configuration_beyond_a_list_of_tools_has_no_equivalent(servers: list[Json], tools: list[Json]) -> None:
    """Else a tool that was switched off could be called after all."""
    request = anthropic.request(user("Ask."), mcp_servers=servers, tools=[*tools, anthropic.tool("look")])
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
    ids=["always", "default", "some", "connector", "filtered"],
)
def test_calls_that_wait_for_approval_are_not_made_without(server: Json) -> None:
    there = from_responses(responses.request(user("Ask."), tools=[server]), ANTHROPIC)
    assert "mcp_servers" not in there.output
    assert losses(there) == [("TUL-6", "/tools/0")]


def test_a_filter_of_names_is_a_list_of_them() -> None:
    server = {**SERVED, "allowed_tools": {"tool_names": ["ask"]}, "headers": {"X-Team": "1"}}
    request = responses.request(user("Ask."), tools=[server], tool_choice="required")
    there = from_responses(request, ANTHROPIC)
    assert there.output["mcp_servers"] == [WIKI]
    assert there.output["tools"] == [{**TOOLSET, **ONLY}]
    assert there.output["tool_choice"] == {"type": "any"}
    assert losses(there) == [("TUL-23", "/tools/0/headers")]
    assert again(request, RESPONSES) == request


def test_a_server_is_no_function_that_a_choice_could_name() -> None:
    forced = responses.request(user("Ask."), tools=[SERVED], tool_choice={"type": "function", "name": "wiki"})
    assert refusals(forced, RESPONSES, dst=ANTHROPIC) == [("TUL-11", "/tool_choice/name")]


def test_chat_has_no_servers() -> None:
    there = to_chat(anthropic.request(user("Ask."), mcp_servers=[WIKI], tools=[anthropic.tool("look")]))
    assert [one["function"]["name"] for one in there.output["tools"]] == ["look"]
    assert losses(there) == [("TUL-6", "/mcp_servers/0")]
    there = to_chat(anthropic.request(user("Ask."), mcp_servers=[WIKI], tools=[{**TOOLSET, **ONLY}]))
    assert losses(there) == [("TUL-6", "/tools/0"), ("TUL-6", "/mcp_servers/0")]


def test_the_order_of_toolsets_means_nothing() -> None:
    mail, look = {**WIKI, "name": "mail"}, anthropic.tool("look")
    tools = [{**TOOLSET, "mcp_server_name": "mail"}, look, {**TOOLSET, **ONLY}]
    request = anthropic.request(user("Ask."), mcp_servers=[WIKI, mail, {**WIKI, "name": "plain"}], tools=tools)
    there = to_responses(request, ANTHROPIC)
    assert [one.get("server_label") for one in there.output["tools"]] == [None, "wiki", "mail", "plain"]
    assert [one.get("allowed_tools") for one in there.output["tools"]] == [None, ["ask"], None, None]
    assert losses(there) == []
    assert again(request, ANTHROPIC) == request


@pytest.mark.parametrize("configuration", [{}, {"enabled": True}, {"allowed_tools": []}])
def test_a_configuration_comes_back_as_it_was(configuration: Json) -> None:
    request = anthropic.request(user("Ask."), mcp_servers=[{**WIKI, "tool_configuration": configuration}])
    assert again(request, ANTHROPIC) == request


def test_no_servers_ask_for_nothing() -> None:
    request = anthropic.request(user("Ask."), mcp_servers=[])
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
    """Otherwise a tool that the caller switched off could be called without approval."""
    tools = [LOOK, SERVED, MAIL, {"type": "web_search"}]
    request = responses.request(user("Ask."), tools=tools, tool_choice=choosing(*allowed))
    there = from_responses(request, ANTHROPIC)
    made = [one.get("name", one.get("mcp_server_name")) for one in there.output.get("tools", ())]
    assert made == names
    assert [one["name"] for one in there.output.get("mcp_servers", ())] == [one for one in names if one == "mail"]
    assert [code for code, _ in losses(there)] == ["TUL-12"] * (4 - len(names))
    assert again(request, RESPONSES) == request


def test_a_choice_may_force_a_server() -> None:
    forced = choosing({"type": "mcp", "server_label": "wiki"}, mode="required")
    there = from_responses(responses.request(user("Ask."), tools=[SERVED], tool_choice=forced), ANTHROPIC)
    assert there.output["tool_choice"] == {"type": "any"}
    assert losses(there) == []


def test_chat_searches_only_where_the_choice_allows_it() -> None:
    request = responses.request(
        user("Ask."), tools=[LOOK, {"type": "web_search"}], tool_choice=choosing({"type": "function", "name": "look"})
    )
    there = from_responses(request, CHAT, web_search=True)
    assert "web_search_options" not in there.output
    assert losses(there) == [("TUL-12", "/tools/1")]
    request = responses.request(
        user("Ask."), tools=[LOOK, SERVED], tool_choice=choosing({"type": "mcp", "server_label": "wiki"})
    )
    there = from_responses(request, CHAT)
    assert there.output["tool_choice"] == "none"
    assert losses(there) == [("TUL-6", "/tools/1"), ("TUL-6", "/tool_choice/tools")]


# --- the header that Anthropic asks for -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("payload", "source"),
    [
        (responses.request(user("Ask."), tools=[SERVED]), RESPONSES),
        (anthropic.request(user("Ask."), mcp_servers=[WIKI], tools=[TOOLSET]), ANTHROPIC),
    ],
    ids=["converted", "the same protocol"],
)
def test_the_header_that_servers_require_is_given(payload: Json, source: str) -> None:
    made = proxai_ir.compile(payload, source, ANTHROPIC, kind="request")
    assert made.headers == {"anthropic-version": "2023-06-01", "anthropic-beta": "mcp-client-2025-11-20"}
    assert made.route == {}


def test_without_servers_no_beta_header_is_needed() -> None:
    for target in (ANTHROPIC, CHAT, RESPONSES):
        made = proxai_ir.compile(responses.request(user("Hi")), RESPONSES, target, kind="request")
        assert "anthropic-beta" not in made.headers
