"""Pain 13: a tool that the provider runs is dropped in silence, or arrives as a function that nobody implements."""

from __future__ import annotations

from .support import (
    ANTHROPIC,
    CHAT,
    RESPONSES,
    Json,
    anthropic_request,
    anthropic_tool,
    assistant,
    chat_request,
    chat_tool,
    from_responses,
    losses,
    notes,
    refusals,
    responses_request,
    text,
    to_anthropic,
    to_chat,
    to_responses,
    user,
)

PLACE = {"city": "Ghent", "region": "Flanders", "country": "BE", "timezone": "Europe/Brussels"}
SEARCH: Json = {"type": "web_search_20250305", "name": "web_search"}
CODE: Json = {"type": "code_execution_20250825", "name": "code_execution"}


def test_web_search_of_anthropic_is_web_search_of_chat() -> None:
    tool = {
        **SEARCH,
        "user_location": {"type": "approximate", **PLACE},
        "max_uses": 3,
        "blocked_domains": ["a.example"],
    }
    made = to_chat(anthropic_request(user("News?"), tools=[tool]))
    assert made.output["web_search_options"] == {"user_location": {"type": "approximate", "approximate": PLACE}}
    assert "tools" not in made.output
    assert sorted(losses(made)) == [("TUL-9", "/tools/0/blocked_domains"), ("TUL-9", "/tools/0/max_uses")]


def test_web_search_of_chat_is_web_search_of_anthropic() -> None:
    options = {"search_context_size": "low", "user_location": {"type": "approximate", "approximate": PLACE}}
    made = to_anthropic(chat_request(user("News?"), web_search_options=options, tools=[chat_tool("look")]))
    assert made.output["tools"] == [
        {"name": "look", "input_schema": {"type": "object", "properties": {}}},
        {**SEARCH, "user_location": {"type": "approximate", **PLACE}},
    ]
    assert losses(made) == [("TUL-9", "/web_search_options/search_context_size")]
    assert notes(made) == []


def test_a_tool_that_only_its_provider_has_is_named() -> None:
    made = to_chat(anthropic_request(user("Count."), tools=[CODE, anthropic_tool("look")]))
    assert made.output["tools"] == [chat_tool("look")]
    assert losses(made) == [("TUL-6", "/tools/0")]


def test_a_tool_that_nobody_knows_is_named() -> None:
    made = to_chat(anthropic_request(user("Count."), tools=[{"type": "telepathy_20300101", "name": "guess"}]))
    assert "tools" not in made.output
    assert losses(made) == [("UNK-3", "/tools/0")]


def test_a_forced_tool_that_is_lost_stops_the_conversion() -> None:
    forced = anthropic_request(user("Count."), tools=[CODE], tool_choice={"type": "tool", "name": "code_execution"})
    assert refusals(forced, ANTHROPIC) == [("TUL-11", "/tool_choice/name")]
    whichever = anthropic_request(user("Count."), tools=[CODE], tool_choice={"type": "any"})
    assert refusals(whichever, ANTHROPIC) == [("TUL-11", "/tool_choice/type")]


def test_its_calls_in_the_history_leave_the_text_around_them() -> None:
    call = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "news"}}
    result = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
    made = to_chat(
        anthropic_request(
            user("News?"), assistant([text("I search. "), call, result, text("None.")]), user("Sure?"), tools=[SEARCH]
        )
    )
    assert made.output["messages"][1] == assistant([text("I search. "), text("None.")])
    assert losses(made) == [("TUL-6", "/messages/1/content/1"), ("TUL-6", "/messages/1/content/2")]


FLAT: Json = {"type": "web_search", "user_location": {"type": "approximate", **PLACE}}


def test_web_search_of_responses_is_web_search_of_both() -> None:
    tool = {**FLAT, "search_context_size": "low", "filters": {"allowed_domains": ["a.example"]}}
    asked = responses_request(user("News?"), tools=[tool])
    chat = from_responses(asked, CHAT)
    place = {"type": "approximate", "approximate": PLACE}
    assert chat.output["web_search_options"] == {"search_context_size": "low", "user_location": place}
    assert losses(chat) == [("TUL-9", "/tools/0/filters/allowed_domains")]
    anthropic = from_responses(asked, ANTHROPIC)
    located = {"type": "approximate", **PLACE}
    assert anthropic.output["tools"] == [{**SEARCH, "user_location": located, "allowed_domains": ["a.example"]}]
    assert losses(anthropic) == [("TUL-9", "/tools/0/search_context_size")]


def test_web_search_of_both_is_web_search_of_responses() -> None:
    options = {"user_location": {"type": "approximate", "approximate": PLACE}}
    made = to_responses(chat_request(user("News?"), web_search_options=options), CHAT)
    assert made.output["tools"] == [FLAT]
    tool = {**SEARCH, "user_location": {"type": "approximate", **PLACE}}
    made = to_responses(anthropic_request(user("News?"), tools=[tool]), ANTHROPIC)
    assert made.output["tools"] == [FLAT]
    assert losses(made) == []


def test_other_tools_of_responses_never_become_functions() -> None:
    tools = [{"type": "code_interpreter", "container": {"type": "auto"}}, {"type": "image_generation"}]
    made = from_responses(responses_request(user("Draw."), tools=tools), ANTHROPIC)
    assert "tools" not in made.output
    assert losses(made) == [("TUL-6", "/tools/0"), ("TUL-6", "/tools/1")]
    forced = responses_request(user("Draw."), tools=tools, tool_choice={"type": "image_generation"})
    assert ("TUL-11", "/tool_choice") in refusals(forced, RESPONSES, dst=ANTHROPIC)
