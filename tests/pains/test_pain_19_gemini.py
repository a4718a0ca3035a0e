"""Pain 19, of Gemini: a function without parameters, and calls without `args`."""

from __future__ import annotations

import pytest

from ..servers import gemini_2_5, vertex_ai
from .generate_content import (
    GEMINI,
    call,
    from_gemini,
    function,
    functions,
    model,
    request,
    response,
    result,
    stream,
    text,
    to_gemini,
)
from .generate_content import user as asked
from .support import ANTHROPIC, CHAT, RESPONSES, again, anthropic, assistant, calls_of, chat, message, user

NOW = request(asked(text("Time?")), tools=functions(function("now")))


def test_a_function_without_parameters() -> None:
    assert from_gemini(NOW, CHAT).output["tools"] == [{"type": "function", "function": {"name": "now"}}]
    (tool,) = from_gemini(NOW, ANTHROPIC).output["tools"]
    assert (tool["name"], tool["input_schema"]["type"]) == ("now", "object")
    assert again(NOW, GEMINI) == NOW


@pytest.mark.parametrize("given", [{}, {"parameters": None}, {"parameters": {"type": "object", "properties": {}}}])
def test_a_function_of_chat_without_parameters(given: dict[str, object]) -> None:
    tools = [{"type": "function", "function": {"name": "now", **given}}]
    made = to_gemini(chat.request(user("Time?"), tools=tools), CHAT)
    (one,) = made.output["tools"][0]["functionDeclarations"]
    assert one["name"] == "now"
    assert one.get("parametersJsonSchema", {"type": "object"})["type"] == "object"
    assert gemini_2_5.refusals(made.output, {}) == vertex_ai.refusals(made.output, {}) == []


@pytest.mark.parametrize("args", [None, {}])
def test_a_call_without_args_has_empty_ones(args: dict[str, object] | None) -> None:
    called = response(call("now", args))
    (made,) = message(from_gemini(called, CHAT, "response"))["tool_calls"]
    assert made["function"] == {"name": "now", "arguments": "{}"}
    (block,) = from_gemini(called, ANTHROPIC, "response").output["content"]
    assert (block["name"], block["input"]) == ("now", {})
    (item,) = from_gemini(called, RESPONSES, "response").output["output"]
    assert (item["name"], item["arguments"]) == ("now", "{}")
    assert again(called, GEMINI, "response") == called


@pytest.mark.parametrize("dst", [CHAT, ANTHROPIC, RESPONSES])
def test_so_it_has_in_a_stream(dst: str) -> None:
    made = from_gemini(stream([call("now")]), dst, "stream")
    ((_, name, arguments),) = calls_of(dst, made.output)
    assert (name, arguments) == ("now", {})


def test_the_empty_arguments_of_chat_are_an_object() -> None:
    made = to_gemini(
        chat.request(
            user("Time?"),
            assistant(None, tool_calls=[chat.call("now", "", "a")]),
            chat.result("noon", "a"),
            tools=[chat.tool("now")],
        ),
        CHAT,
        dummy_signatures=False,
    )
    assert made.output["contents"][1] == model(call("now", {}, id="a"))


def test_empty_arguments_stream_to_gemini_as_an_object() -> None:
    events = anthropic.stream(anthropic.call_block("toolu_1", "now", ""), stop="tool_use")
    chunks = to_gemini(events, ANTHROPIC, "stream").output
    calls = [
        part["functionCall"]
        for chunk in chunks
        for candidate in chunk.get("candidates", ())
        for part in candidate.get("content", {}).get("parts", ())
        if "functionCall" in part
    ]
    assert [(one["name"], one["args"]) for one in calls] == [("now", {})]


def test_an_empty_result_is_an_empty_object() -> None:
    given = request(
        asked(text("Time?")), model(call("now", {}, id="a")), asked(result("now", {}, id="a")), tools=NOW["tools"]
    )
    assert from_gemini(given, CHAT).output["messages"][2]["tool_call_id"] == "a"
    assert again(given, GEMINI) == given
