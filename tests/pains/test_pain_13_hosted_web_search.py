"""Pain 13: a tool that the provider runs is dropped in silence, or arrives as a function without an implementation."""

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
    assistant,
    chat,
    from_responses,
    losses,
    notes,
    refusals,
    responses,
    text,
    to_anthropic,
    to_chat,
    to_responses,
    user,
)

PLACE = {"city": "Ghent", "region": "Flanders", "country": "BE", "timezone": "Europe/Brussels"}
SEARCH: Json = {"type": "web_search_20250305", "name": "web_search"}


def test_web_search_of_chat_is_web_search_of_anthropic() -> None:
    options = {"search_context_size": "low", "user_location": {"type": "approximate", "approximate": PLACE}}
    made = to_anthropic(chat.request(user("News?"), web_search_options=options, tools=[chat.tool("look")]))
    assert made.output["tools"] == [
        {"name": "look", "input_schema": {"type": "object", "properties": {}}},
        {**SEARCH, "user_location": {"type": "approximate", **PLACE}},
    ]
    assert losses(made) == [("TUL-9", "/web_search_options/search_context_size")]
    assert notes(made) == []


def test_its_calls_in_the_history_leave_the_text_around_them() -> None:
    call = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "news"}}
    result = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
    made = to_chat(
        anthropic.request(
            user("News?"), assistant([text("I search. "), call, result, text("None.")]), user("Sure?"), tools=[SEARCH]
        ),
        web_search=True,
    )
    assert made.output["messages"][1] == assistant([text("I search. "), text("None.")])
    assert losses(made) == [("TUL-6", "/messages/1/content/1"), ("TUL-6", "/messages/1/content/2")]


ASKED: Json = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "news"}}
PAGE: Json = {"type": "web_search_result", "url": "https://a.example/", "title": "A", "encrypted_content": "eA=="}


def results(*pages: Json, of: str = "srvtoolu_1") -> Json:
    return {"type": "web_search_tool_result", "tool_use_id": of, "content": list(pages)}


def searched(identity: str, *queries: str, status: str = "completed", **action: Json | list[Json]) -> Json:
    asked = {"query": queries[0], "queries": list(queries)} if queries else {}
    return {
        "type": "web_search_call",
        "id": identity,
        "status": status,
        "action": {"type": "search", **asked, **action},
    }


def test_searches_of_anthropic_and_what_they_found_are_items_of_responses() -> None:
    """Also where the calls come first and their results after them, or where one has none."""
    later = {**ASKED, "id": "srvtoolu_2", "input": {"query": "weather"}}
    unanswered = {**ASKED, "id": "srvtoolu_3", "input": {}}
    made = to_responses(
        anthropic.response(ASKED, later, results(of="srvtoolu_2"), results(PAGE), unanswered, text("None.")),
        ANTHROPIC,
        "response",
    )
    assert made.output["output"][:3] == [
        searched("ws_srvtoolu_1", "news", sources=[{"type": "url", "url": "https://a.example/"}]),
        searched("ws_srvtoolu_2", "weather", sources=[]),
        searched("ws_srvtoolu_3"),
    ]
    assert [one["type"] for one in made.output["output"][3:]] == ["message"]
    assert losses(made) == [("TUL-22", "/content/3/content")]


def test_what_all_pages_of_a_search_lose_is_one_diagnostic() -> None:
    payload = anthropic.response(ASKED, results(*[PAGE] * 5), text("None."))
    made = to_responses(payload, ANTHROPIC, "response")
    (lost,) = [one for one in made.diagnostics if one.severity == "loss"]
    assert lost.path == "/content/1/content"
    assert lost.message.endswith("(title, encrypted content of 5 pages)")


def test_results_apart_from_their_call_are_named() -> None:
    made = to_responses(anthropic.response(results(PAGE, of="srvtoolu_0"), text("None.")), ANTHROPIC, "response")
    assert [one["type"] for one in made.output["output"]] == ["message"]
    assert ("TUL-22", "/content/0") in losses(made)


def test_the_id_of_a_search_is_the_same_again_on_the_way_back() -> None:
    there = from_responses(
        responses.response(searched("ws_1", "news"), responses.message(responses.output_text("None."))),
        ANTHROPIC,
        "response",
    )
    history = there.output["content"]
    assert history[:2] == [{**ASKED, "id": "srvtoolu_ws_1"}, results(of="srvtoolu_ws_1")]
    back = to_responses(anthropic.request(user("News?"), assistant(history), user("Sure?")), ANTHROPIC)
    assert back.output["input"][1] == searched("ws_1", "news", sources=[])
    assert losses(back) == []


def test_a_search_that_is_more_than_a_query_has_no_equivalent() -> None:
    opened = {
        "type": "web_search_call",
        "id": "ws_1",
        "status": "completed",
        "action": {"type": "open_page", "url": "u"},
    }
    there = from_responses(
        responses.response(opened, responses.message(responses.output_text("None."))), ANTHROPIC, "response"
    )
    assert there.output["content"] == [text("None.")]
    assert losses(there) == [("TUL-6", "/output/0")]
    odd = {**ASKED, "input": {"query": "news", "depth": 3}}
    made = to_responses(anthropic.response(odd, text("None.")), ANTHROPIC, "response")
    assert made.output["output"][0] == searched("ws_srvtoolu_1", "news")
    assert losses(made) == [("TUL-22", "/content/0/input")]


FETCHED: Json = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_fetch", "input": {"url": "https://e.com/"}}
FETCHED_PAGE: Json = {
    "type": "web_fetch_tool_result",
    "tool_use_id": "srvtoolu_1",
    "content": {"type": "web_fetch_tool_result_error", "error_code": "url_not_accessible"},
}
OPENED: Json = {
    "type": "web_search_call",
    "id": "ws_srvtoolu_1",
    "status": "completed",
    "action": {"type": "open_page", "url": "https://e.com/"},
}


def test_a_page_that_anthropic_opens_is_one_that_a_search_opens() -> None:
    history = anthropic.request(user("News?"), assistant([FETCHED, FETCHED_PAGE, text("None.")]), user("Sure?"))
    made = to_responses(history, ANTHROPIC)
    assert made.output["input"][1] == OPENED
    assert losses(made) == [("TUL-6", "/messages/1/content/1")]
    assert again(history, ANTHROPIC) == history
    in_chat = to_chat(history)
    assert losses(in_chat) == [("TUL-6", "/messages/1/content/0"), ("TUL-6", "/messages/1/content/1")]


FETCH: Json = {"type": "web_fetch_20250910", "name": "web_fetch"}


@pytest.mark.parametrize(
    ("listed", "sent"),
    [
        ([FETCH], [{"type": "web_search"}]),
        ([FETCH, {**FETCH, "type": "web_fetch_20260318"}], [{"type": "web_search"}]),
        (
            [FETCH, {**SEARCH, "allowed_domains": ["a.example"]}],
            [FILTERED := {"type": "web_search", "filters": {"allowed_domains": ["a.example"]}}],
        ),
        ([{**FETCH, "allowed_domains": ["a.example"]}], [FILTERED]),
        ([{**FETCH, "allowed_domains": [1], "max_uses": "2"}], [{"type": "web_search"}]),
    ],
)
def test_a_search_takes_the_place_of_tools_that_open_pages(listed: list[Json], sent: list[Json]) -> None:
    made = to_responses(anthropic.request(user("News?"), tools=listed), ANTHROPIC)
    assert made.output["tools"] == sent
    assert losses(made) == [("TUL-41", f"/tools/{at}") for at, one in enumerate(listed) if one["name"] == "web_fetch"]


def test_what_a_page_is_opened_with_besides_its_url_is_named() -> None:
    deep = {**FETCHED, "input": {"url": "https://e.com/", "depth": 3}}
    made = to_responses(anthropic.response(deep, text("None.")), ANTHROPIC, "response")
    assert made.output["output"][0] == OPENED
    assert losses(made) == [("TUL-22", "/content/0/input")]


@pytest.mark.parametrize("pieces", [('{"url":"https:', '//e.com/"}'), ()])
def test_a_page_that_is_opened_in_a_stream_waits_for_its_url(pieces: tuple[str, ...]) -> None:
    events = anthropic.stream(
        anthropic.call_block("srvtoolu_1", "web_fetch", *pieces, kind="server_tool_use"),
        anthropic.block(FETCHED_PAGE),
        anthropic.text_block("None."),
    )
    made = proxai_ir.compile(events, ANTHROPIC, RESPONSES)
    output = made.output[-1]["response"]["output"]
    assert [one["type"] for one in output] == ["web_search_call", "message"][0 if pieces else 1 :]
    assert not pieces or output[0] == OPENED
    assert [rule for rule, _ in losses(made)] == ["TUL-6"] * (1 if pieces else 2)
    assert [*proxai_ir.convert(events, ANTHROPIC, ANTHROPIC)] == events


def test_in_a_stream_each_search_is_done_when_its_results_are_there() -> None:
    later = anthropic.call_block("srvtoolu_2", "web_search", '{"query":"weather"}', kind="server_tool_use")
    events = anthropic.stream(
        anthropic.call_block("srvtoolu_1", "web_search", '{"que', 'ry":"news"}', kind="server_tool_use"),
        later,
        anthropic.block(results(of="srvtoolu_2")),
        anthropic.text_block("Wait."),
        anthropic.block(results(PAGE)),
        anthropic.text_block(" None."),
        anthropic.call_block("srvtoolu_3", "web_search", '{"query"', kind="server_tool_use"),
    )
    made = proxai_ir.compile(events, ANTHROPIC, RESPONSES)
    done = [event["item"] for event in made.output if event["type"] == "response.output_item.done"]
    news = searched("ws_srvtoolu_1", "news", sources=[{"type": "url", "url": "https://a.example/"}])
    weather = searched("ws_srvtoolu_2", "weather", sources=[])
    assert [one["id"] for one in done] == ["ws_srvtoolu_2", "ws_srvtoolu_1", "msg_msg_1_2", "ws_srvtoolu_3"]
    assert done[:2] == [weather, news]
    assert made.output[-1]["response"]["output"][:2] == [news, weather]
    assert made.output[-1]["response"]["output"][3] == searched("ws_srvtoolu_3")
    assert [part["text"] for part in made.output[-1]["response"]["output"][2]["content"]] == ["Wait.", " None."]
    assert [event["sequence_number"] for event in made.output] == list(range(len(made.output)))
    assert ("TUL-22", "/20") in [(one.code, one.path) for one in made.diagnostics]  # a query that is no JSON


def test_searches_in_a_stream_of_responses_reach_anthropic() -> None:
    search, written = searched("ws_1", "news"), responses.message(responses.output_text("None."), id="msg_1")
    source = [
        {"type": "response.created", "response": responses.response(status="in_progress")},
        {"type": "response.output_item.added", "output_index": 0, "item": {**search, "status": "in_progress"}},
        {"type": "response.web_search_call.searching", "output_index": 0, "item_id": "ws_1"},
        {"type": "response.output_item.done", "output_index": 0, "item": search},
        {"type": "response.completed", "response": responses.response(search, written)},
    ]
    events = proxai_ir.convert(source, RESPONSES, ANTHROPIC)
    blocks = [event["content_block"] for event in events if event["type"] == "content_block_start"]
    assert blocks == [{**ASKED, "id": "srvtoolu_ws_1", "input": {}}, results(of="srvtoolu_ws_1"), text("")]
    deltas = [event["delta"] for event in events if event["type"] == "content_block_delta"]
    assert deltas[0] == {"type": "input_json_delta", "partial_json": '{"query":"news"}'}


FLAT: Json = {"type": "web_search", "user_location": {"type": "approximate", **PLACE}}


def test_web_search_of_responses_is_web_search_of_both() -> None:
    tool = {**FLAT, "search_context_size": "low", "filters": {"allowed_domains": ["a.example"]}}
    asked = responses.request(user("News?"), tools=[tool])
    in_chat = from_responses(asked, CHAT, web_search=True)
    place = {"type": "approximate", "approximate": PLACE}
    assert in_chat.output["web_search_options"] == {"search_context_size": "low", "user_location": place}
    assert losses(in_chat) == [("TUL-9", "/tools/0/filters/allowed_domains")]
    in_anthropic = from_responses(asked, ANTHROPIC)
    located = {"type": "approximate", **PLACE}
    assert in_anthropic.output["tools"] == [{**SEARCH, "user_location": located, "allowed_domains": ["a.example"]}]
    assert losses(in_anthropic) == [("TUL-9", "/tools/0/search_context_size")]


@pytest.mark.parametrize("size", ["medium", "high"])
def test_only_the_default_context_size_is_no_loss_to_anthropic(size: str) -> None:
    in_responses = responses.request(user("Tides?"), tools=[{"type": "web_search", "search_context_size": size}])
    in_chat = chat.request(user("Tides?"), web_search_options={"search_context_size": size})
    for made in (from_responses(in_responses, ANTHROPIC), to_anthropic(in_chat)):
        assert ([code for code, _ in losses(made)] == ["TUL-9"]) is (size == "high")


def test_web_search_of_both_is_web_search_of_responses() -> None:
    options = {"user_location": {"type": "approximate", "approximate": PLACE}}
    made = to_responses(chat.request(user("News?"), web_search_options=options), CHAT)
    assert made.output["tools"] == [FLAT]
    tool = {**SEARCH, "user_location": {"type": "approximate", **PLACE}}
    made = to_responses(anthropic.request(user("News?"), tools=[tool]), ANTHROPIC)
    assert made.output["tools"] == [FLAT]
    assert losses(made) == []


def test_a_limit_on_searches_is_one_on_all_calls_where_there_are_no_others() -> None:
    limited = {**SEARCH, "max_uses": 3}
    there = to_responses(anthropic.request(user("News?"), tools=[limited]), ANTHROPIC)
    assert there.output["max_tool_calls"] == 3
    assert losses(there) == []
    back = from_responses(there.output, ANTHROPIC)
    assert back.output["tools"] == [limited]
    assert losses(back) == []
    in_chat = from_responses(there.output, CHAT, web_search=True)
    assert losses(in_chat) == [("TUL-9", "/max_tool_calls")]


@pytest.mark.parametrize("limit, others", [(3, [{"type": "file_search", "vector_store_ids": ["v"]}]), (0, [])])
def test_a_limit_on_all_calls_that_is_none_on_searches_alone_is_named(limit: int, others: list[Json]) -> None:
    asked = responses.request(user("News?"), tools=[{"type": "web_search"}, *others], max_tool_calls=limit)
    made = from_responses(asked, ANTHROPIC)
    assert made.output["tools"] == [SEARCH]
    assert ("TUL-9", "/max_tool_calls") in losses(made)
    assert again(asked, RESPONSES) == asked


def test_other_tools_of_responses_never_become_functions() -> None:
    tools = [{"type": "file_search", "vector_store_ids": ["v"]}, {"type": "image_generation"}]
    made = from_responses(responses.request(user("Draw."), tools=tools), ANTHROPIC)
    assert "tools" not in made.output
    assert losses(made) == [("TUL-6", "/tools/0"), ("TUL-6", "/tools/1")]
    forced = responses.request(user("Draw."), tools=tools, tool_choice={"type": "image_generation"})
    assert ("TUL-11", "/tool_choice") in refusals(forced, RESPONSES, dst=ANTHROPIC)


# --- a choice of it ---------------------------------------------------------------------------------------------------


def test_a_forced_search_is_forced_in_the_other_protocol() -> None:
    """Claude Code searches in a request of its own, which forces it."""
    choice = {"type": "tool", "name": "web_search", "disable_parallel_tool_use": True}
    given = anthropic.request(user("News?"), tools=[SEARCH, anthropic.tool("look")], tool_choice=choice)
    made = to_responses(given, ANTHROPIC)
    wanted = {"type": "allowed_tools", "mode": "required", "tools": [{"type": "web_search"}]}
    assert made.output["tool_choice"] == wanted
    assert made.output["parallel_tool_calls"] is False
    assert len(made.output["tools"]) == 2
    assert losses(made) == []
    assert again(given, ANTHROPIC) == given


@pytest.mark.parametrize("kind", ["web_search", "web_search_preview", "web_search_2025_08_26"])
def test_in_responses_too(kind: str) -> None:
    given = responses.request(user("News?"), tools=[{"type": "web_search"}], tool_choice={"type": kind})
    made = from_responses(given, ANTHROPIC)
    assert made.output["tool_choice"] == {"type": "tool", "name": "web_search"}
    assert losses(made) == []
    assert again(given, RESPONSES) == given


def test_a_function_of_that_name_is_no_web_search() -> None:
    choice = {"type": "tool", "name": "web_search"}
    given = anthropic.request(user("News?"), tools=[anthropic.tool("web_search")], tool_choice=choice)
    assert to_responses(given, ANTHROPIC).output["tool_choice"] == {"type": "function", "name": "web_search"}


def test_a_forced_search_that_does_not_travel_is_refused() -> None:
    choice = {"type": "tool", "name": "web_search"}
    given = anthropic.request(user("News?"), tools=[SEARCH], tool_choice=choice)
    assert ("TUL-11", "/tool_choice") in refusals(given, ANTHROPIC)
    searching = to_chat(given, web_search=True)
    assert "tool_choice" not in searching.output
    assert losses(searching) == []


def test_a_forced_search_that_is_not_defined_is_refused() -> None:
    forced = responses.request(user("News?"), tools=[responses.tool("look")], tool_choice={"type": "web_search"})
    assert refusals(forced, RESPONSES, dst=ANTHROPIC) == [("TUL-11", "/tool_choice")]


def test_in_a_stream_an_opened_page_is_done_before_the_text_that_follows() -> None:
    given = anthropic.call_block("srvtoolu_1", "web_fetch", '{"url":"https://e.com/"}', kind="server_tool_use")
    events = anthropic.stream(given, anthropic.block(FETCHED_PAGE), anthropic.text_block("Read."))
    done = proxai_ir.convert(events, ANTHROPIC, RESPONSES)
    items = [(one["type"], one["item"]["type"]) for one in done if "output_item" in one["type"]]
    assert items == [
        ("response.output_item.added", "web_search_call"),
        ("response.output_item.done", "web_search_call"),
        ("response.output_item.added", "message"),
        ("response.output_item.done", "message"),
    ]


@pytest.mark.parametrize(("live", "named"), [(False, [("TUL-9", "/tools/0/external_web_access")]), (True, [])])
def test_a_search_without_access_to_the_web_is_named_as_lost(live: bool, named: list[tuple[str, str]]) -> None:
    """Live access is what other providers' searches have."""
    asked = {"model": "m", "input": "Hi", "tools": [{"type": "web_search", "external_web_access": live}]}
    found = proxai_ir.check(asked, RESPONSES, ANTHROPIC)
    assert [(one.rule, one.path) for one in found if one.rule.startswith("TUL")] == named
