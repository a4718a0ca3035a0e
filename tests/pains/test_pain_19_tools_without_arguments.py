"""Pain 19: a tool that takes nothing is called with an empty string, and the target chokes on it."""

from __future__ import annotations

import pytest

from proxai_ir import Unrepresentable

from ..servers import gemini_2_5, vertex_ai
from . import generate_content as google
from .generate_content import GEMINI
from .support import (
    ANTHROPIC,
    CHAT,
    RESPONSES,
    Json,
    again,
    anthropic,
    assistant,
    calls_of,
    chat,
    losses,
    message,
    refusals,
    stream_to_anthropic,
    stream_to_chat,
    to_anthropic,
    user,
)

ABSENT: Json = {"id": "call_1", "type": "function", "function": {"name": "now"}}


def replayed(call: Json) -> Json:
    return chat.request(user("Time?"), assistant(tool_calls=[call]), chat.result("noon"), tools=[chat.tool("now")])


@pytest.mark.parametrize("call", [*(chat.call("now", text) for text in ("", " \n", "null", "{}")), ABSENT])
def test_no_arguments_are_an_empty_object_to_anthropic(call: Json) -> None:
    made = to_anthropic(replayed(call))
    assert made.output["messages"][1] == assistant([anthropic.tool_use("now", {})])
    assert losses(made) == []
    response = to_anthropic(chat.response("tool_calls", tool_calls=[call]), "response")
    assert response.output["content"] == [anthropic.tool_use("now", {})]


INVALID = pytest.mark.parametrize("arguments", ['{"at":', "[]", '"now"', "now"])


@INVALID
def test_what_is_no_object_is_not_made_an_empty_one(arguments: str) -> None:
    (found,) = refusals(replayed(chat.call("now", arguments)), CHAT)
    assert found[0] == "TUL-1"
    assert found[1].startswith("/messages/1/tool_calls/0")
    (found,) = refusals(chat.response("tool_calls", tool_calls=[chat.call("now", arguments)]), CHAT, "response")
    assert found[0] == "TUL-1"
    assert found[1].startswith("/choices/0/message/tool_calls/0")


# --- streams ----------------------------------------------------------------------------------------------------------

NOW = ("call_1", "now")
FIRST = {"index": 0, "id": "call_1", "type": "function"}
SILENT: list[list[Json]] = [
    [chat.fragment(0, "", *NOW)],
    [chat.fragment(0, "", *NOW), chat.fragment(0, "")],
    [chat.fragment(0, None, *NOW)],
    [chat.fragment(0, "{}", *NOW)],
    [chat.fragment(0, "", *NOW), chat.fragment(0, "{"), chat.fragment(0, "}")],
    [chat.fragment(0, " ", *NOW)],
    [{**FIRST, "function": {"name": "now", "arguments": None}}],
]


@pytest.mark.parametrize("pieces", SILENT)
def test_no_arguments_in_a_stream_are_an_empty_object_to_anthropic(pieces: list[Json]) -> None:
    made = stream_to_anthropic(chat.stream(*map(chat.calls, pieces), finish="tool_calls"))
    assert calls_of(ANTHROPIC, made.output) == [("call_1", "now", {})]
    assert losses(made) == []


@pytest.mark.parametrize("pieces", SILENT)
def test_a_call_without_arguments_does_not_swallow_those_of_the_next(pieces: list[Json]) -> None:
    following = chat.fragment(1, '{"at":1}', "call_2", "look")
    made = stream_to_anthropic(chat.stream(*map(chat.calls, pieces), chat.calls(following), finish="tool_calls"))
    assert calls_of(ANTHROPIC, made.output) == [("call_1", "now", {}), ("call_2", "look", {"at": 1})]


@pytest.mark.parametrize("pieces", [(), ("",), ("", ""), ("{}",), ("", "{", "}")])
def test_no_arguments_in_a_stream_are_the_text_of_an_empty_object_to_chat(pieces: tuple[str, ...]) -> None:
    made = stream_to_chat(anthropic.stream(anthropic.call_block(*NOW, *pieces), stop="tool_use"))
    assert calls_of(CHAT, made.output) == [("call_1", "now", {})]
    assert losses(made) == []


@pytest.mark.parametrize("pieces", [(), ("",), ("", "")])
def test_neither_are_they_empty_to_chat_where_calls_come_in_turns(pieces: tuple[str, ...]) -> None:
    first = anthropic.numbered(0, anthropic.call_block("call_2", "look", '{"at":1}'))
    second = anthropic.numbered(1, anthropic.call_block(*NOW, *pieces))
    inner = [*first[:-1], *second, first[-1]]
    made = stream_to_chat(
        [anthropic.message_start(), *inner, anthropic.message_delta("tool_use"), anthropic.MESSAGE_STOP]
    )
    assert calls_of(CHAT, made.output) == [("call_2", "look", {"at": 1}), ("call_1", "now", {})]


def test_input_that_comes_with_the_start_of_its_block_is_carried() -> None:
    """Some servers give the whole input there, and no deltas."""
    start = {"type": "tool_use", "id": "call_1", "name": "look", "input": {"at": 1}}
    made = stream_to_chat(anthropic.stream(anthropic.block(start), stop="tool_use"))
    assert calls_of(CHAT, made.output) == [("call_1", "look", {"at": 1})]


@INVALID
def test_what_is_no_object_in_a_stream_is_not_made_an_empty_one(arguments: str) -> None:
    if arguments == "null":  # as in a whole response
        return
    events = chat.stream(chat.calls(chat.fragment(0, arguments, *NOW)), finish="tool_calls")
    with pytest.raises(Unrepresentable) as caught:
        stream_to_anthropic(events)
    assert caught.value.rule == "TUL-1"
    assert caught.value.path.startswith("/1/choices/0/delta/tool_calls/0")


# --- Gemini -----------------------------------------------------------------------------------------------------------
# A function without parameters, and calls without `args`.

NOW_TO_GEMINI = google.request(google.user(google.text("Time?")), tools=google.functions(google.function("now")))


def test_a_function_without_parameters() -> None:
    assert google.from_gemini(NOW_TO_GEMINI, CHAT).output["tools"] == [
        {"type": "function", "function": {"name": "now"}}
    ]
    (tool,) = google.from_gemini(NOW_TO_GEMINI, ANTHROPIC).output["tools"]
    assert (tool["name"], tool["input_schema"]["type"]) == ("now", "object")
    assert again(NOW_TO_GEMINI, GEMINI) == NOW_TO_GEMINI


@pytest.mark.parametrize("given", [{}, {"parameters": None}, {"parameters": {"type": "object", "properties": {}}}])
def test_a_function_of_chat_without_parameters(given: dict[str, object]) -> None:
    tools = [{"type": "function", "function": {"name": "now", **given}}]
    made = google.to_gemini(chat.request(user("Time?"), tools=tools), CHAT)
    (one,) = made.output["tools"][0]["functionDeclarations"]
    assert one["name"] == "now"
    assert one.get("parametersJsonSchema", {"type": "object"})["type"] == "object"
    assert gemini_2_5.refusals(made.output, {}) == vertex_ai.refusals(made.output, {}) == []


@pytest.mark.parametrize("args", [None, {}])
def test_a_call_without_args_has_empty_ones(args: dict[str, object] | None) -> None:
    called = google.response(google.call("now", args))
    (made,) = message(google.from_gemini(called, CHAT, "response"))["tool_calls"]
    assert made["function"] == {"name": "now", "arguments": "{}"}
    (block,) = google.from_gemini(called, ANTHROPIC, "response").output["content"]
    assert (block["name"], block["input"]) == ("now", {})
    (item,) = google.from_gemini(called, RESPONSES, "response").output["output"]
    assert (item["name"], item["arguments"]) == ("now", "{}")
    assert again(called, GEMINI, "response") == called


@pytest.mark.parametrize("dst", [CHAT, ANTHROPIC, RESPONSES])
def test_so_it_has_in_a_stream(dst: str) -> None:
    made = google.from_gemini(google.stream([google.call("now")]), dst, "stream")
    ((_, name, arguments),) = calls_of(dst, made.output)
    assert (name, arguments) == ("now", {})


def test_the_empty_arguments_of_chat_are_an_object() -> None:
    made = google.to_gemini(
        chat.request(
            user("Time?"),
            assistant(None, tool_calls=[chat.call("now", "", "a")]),
            chat.result("noon", "a"),
            tools=[chat.tool("now")],
        ),
        CHAT,
        dummy_signatures=False,
    )
    assert made.output["contents"][1] == google.model(google.call("now", {}, id="a"))


def test_empty_arguments_stream_to_gemini_as_an_object() -> None:
    events = anthropic.stream(anthropic.call_block("toolu_1", "now", ""), stop="tool_use")
    chunks = google.to_gemini(events, ANTHROPIC, "stream").output
    calls = [
        part["functionCall"]
        for chunk in chunks
        for candidate in chunk.get("candidates", ())
        for part in candidate.get("content", {}).get("parts", ())
        if "functionCall" in part
    ]
    assert [(one["name"], one["args"]) for one in calls] == [("now", {})]


def test_an_empty_result_is_an_empty_object() -> None:
    given = google.request(
        google.user(google.text("Time?")),
        google.model(google.call("now", {}, id="a")),
        google.user(google.result("now", {}, id="a")),
        tools=NOW_TO_GEMINI["tools"],
    )
    assert google.from_gemini(given, CHAT).output["messages"][2]["tool_call_id"] == "a"
    assert again(given, GEMINI) == given
