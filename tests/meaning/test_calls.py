"""Results of tools and choices among them, as clients write them."""

from __future__ import annotations

import json
from typing import Any

import pytest

import proxai_ir

from ..samples.gemini_generate_content import building as gemini
from ..samples.openai_chat_completions import building as chat
from ..samples.openai_responses import building as responses
from .support import ANTHROPIC, BEDROCK, CHAT, GEMINI, RESPONSES, Json, found, losses, made, whole

TOOLS = gemini.tools(gemini.function("look"))


def with_result(result: Json, call_id: str | None) -> Json:
    call = gemini.model(gemini.call("look", call_id=call_id))
    return gemini.request(gemini.user("Hi"), call, gemini.user({"functionResponse": result}), tools=TOOLS)


@pytest.mark.parametrize("call_id", [None, "call_1"])
def test_a_result_without_a_name_is_that_of_its_call(call_id: str | None) -> None:
    result = {"response": {"a": 1}} | ({} if call_id is None else {"id": call_id})
    messages = made(with_result(result, call_id), GEMINI, CHAT, "request").output["messages"]
    assert (messages[2]["content"], messages[2]["tool_call_id"]) == ('{"a":1}', messages[1]["tool_calls"][0]["id"])


def test_repair_keeps_the_only_result_of_the_only_call() -> None:
    request = with_result({"name": "other", "response": {"a": 1}}, None)
    assert made(request, GEMINI, CHAT, "request", repair=("calls",)).output["messages"][2]["content"] == '{"a":1}'


def test_another_name_than_that_of_the_call_is_named() -> None:
    conversion = made(with_result({"name": "other", "response": {}, "id": "call_1"}, "call_1"), GEMINI, CHAT, "request")
    paths = [path for severity in ("info", "loss") for _, path in found(conversion, severity)]
    assert "/contents/2/parts/0/functionResponse/name" in paths


@pytest.mark.parametrize(
    ("dst", "content"),
    [
        (
            ANTHROPIC,
            [{"type": "tool_result", "tool_use_id": "call_1", "content": "4"}, {"type": "text", "text": "Well?"}],
        ),
        (BEDROCK, [{"toolResult": {"toolUseId": "call_1", "content": [{"text": "4"}]}}, {"text": "Well?"}]),
    ],
)
def test_a_result_behind_a_text_comes_first(dst: str, content: list[Json]) -> None:
    """In the turn after a call, results stand before all else (PLC-5)."""
    result = {"id": "call_1", "name": "look", "response": {"output": "4"}}
    answer = gemini.user("Well?", {"functionResponse": result})
    request = gemini.request(
        gemini.user("Hi"), gemini.model(gemini.call("look", call_id="call_1")), answer, tools=TOOLS
    )
    assert made(request, GEMINI, dst, "request").output["messages"][-1]["content"] == content


QUESTION: Json = {"type": "message", "role": "user", "content": "Hi"}


def test_code_is_forced_where_it_can_be() -> None:
    tool = {"type": "code_interpreter", "container": {"type": "auto"}}
    request = responses.request(QUESTION, tools=[tool], tool_choice={"type": "code_interpreter"})
    choice = made(request, RESPONSES, ANTHROPIC, "request").output["tool_choice"]
    assert choice == {"type": "tool", "name": "code_execution"}


@pytest.mark.parametrize("tool", [{"type": "web_search"}, {"type": "code_interpreter", "container": {"type": "auto"}}])
def test_a_tool_that_cannot_be_forced_is_sent(tool: Json) -> None:
    request = responses.request(QUESTION, tools=[tool], tool_choice={"type": tool["type"]})
    conversion = made(request, RESPONSES, GEMINI, "request")
    assert len(conversion.output["tools"]) == 1
    assert ("TUL-7", "/tool_choice") in losses(conversion)


# --- arguments that are no object -------------------------------------------------------------------------------------

CITY = '{"city": "Oslo"}'
TWICE = json.dumps(CITY)
ODD: dict[str, tuple[str, Json]] = {"null": ("null", {}), "JSON text of JSON text": (TWICE, json.loads(CITY))}
"""Arguments, and what they mean (TUL-44)."""


def called(*fragments: Json, finish: str = "tool_calls") -> list[Json]:
    return chat.stream(*map(chat.calls, fragments), finish=finish)


def pieces(text: str, index: int, name: str) -> list[Json]:
    return [chat.fragment(index, "", f"call_{index}", name), *(chat.fragment(index, one) for one in text)]


def arguments_of(response: Json, dst: str) -> list[Any]:
    if dst == RESPONSES:
        return [json.loads(one["arguments"]) for one in response["output"]]
    if dst == ANTHROPIC:
        return [one["input"] for one in response["content"]]
    return [one["functionCall"]["args"] for one in response["candidates"][0]["content"]["parts"]]


@pytest.mark.parametrize("dst", [RESPONSES, ANTHROPIC, GEMINI])
@pytest.mark.parametrize("form", ODD)
def test_odd_arguments_mean_the_same_in_streams(form: str, dst: str) -> None:
    text, meant = ODD[form]
    at_once, call = chat.fragment(0, text, "call_0", "look"), chat.call("look", text)
    expected = arguments_of(made(chat.response("tool_calls", tool_calls=[call]), CHAT, dst).output, dst)
    assert expected == [meant]
    for events in (called(at_once), called(*pieces(text, 0, "look"))):
        conversion = made(events, CHAT, dst, "stream")
        assert arguments_of(whole(events, CHAT, dst), dst) == expected
        assert losses(conversion) == []
        assert ("TUL-44" in [rule for rule, _ in found(conversion, "info")]) is (form == "null")


@pytest.mark.parametrize("dst", [RESPONSES, ANTHROPIC, GEMINI])
@pytest.mark.parametrize("form", ODD)
def test_odd_arguments_of_a_call_that_waits_for_another(form: str, dst: str) -> None:
    text, meant = ODD[form]
    begun, *rest = pieces('{"a":1}', 0, "look")
    later = chat.fragment(2, "{}", "call_2", "last")
    events = called(begun, rest[0], *pieces(text, 1, "see"), *rest[1:], later)
    assert arguments_of(whole(events, CHAT, dst), dst) == [{"a": 1}, meant, {}]


@pytest.mark.parametrize("dst", [RESPONSES, ANTHROPIC, GEMINI])
@pytest.mark.parametrize("form", ODD)
def test_odd_arguments_of_a_whole_response_that_is_sent_as_a_stream(form: str, dst: str) -> None:
    text, meant = ODD[form]
    converter = proxai_ir.StreamConverter(CHAT, dst)
    events = converter.feed_whole(chat.response("tool_calls", tool_calls=[chat.call("look", text)]))
    kept = proxai_ir.StreamConverter(dst, dst, keep_response=True)
    for event in [*events, *converter.close()]:
        kept.feed(event)
    kept.close()
    assert arguments_of(kept.response or {}, dst) == [meant]


@pytest.mark.parametrize("text", ["null", TWICE[:7]])
@pytest.mark.parametrize("dst", [ANTHROPIC, GEMINI])
def test_odd_arguments_that_were_cut_off_are_a_loss(text: str, dst: str) -> None:
    conversion = made(called(*pieces(text, 0, "look"), finish="length"), CHAT, dst, "stream")
    assert ("TUL-29", "/1/choices/0/delta/tool_calls/0") in losses(conversion)


@pytest.mark.parametrize("limit, ends", [(len(TWICE), True), (len(TWICE) - 1, False)])
def test_odd_arguments_are_held_back_up_to_the_limit(limit: int, ends: bool) -> None:
    events = called(*pieces(TWICE, 0, "look"))
    if ends:
        assert whole(events, CHAT, ANTHROPIC, buffer_limit=limit)["content"][0]["input"] == json.loads(CITY)
    else:
        with pytest.raises(proxai_ir.StreamError, match="STR-15"):
            made(events, CHAT, ANTHROPIC, "stream", buffer_limit=limit)


@pytest.mark.parametrize("answered", [True, False])
def test_instructions_are_moved_only_from_between_a_call_and_its_result(answered: bool) -> None:
    call = {"role": "assistant", "content": None, "tool_calls": [chat.call("look")]}
    told, result = {"role": "system", "content": "Be brief."}, chat.result("4")
    last = [result, told] if answered else [told, result]
    request = chat.request(chat.user("Hi"), call, *last, chat.user("And?"), tools=[chat.tool("look")])
    conversion = made(request, CHAT, "ollama_chat", "request")
    roles = [one["role"] for one in conversion.output["messages"]]
    assert roles[:3] == ["user", "assistant", "tool"]
    assert roles.index("system") == (3 if answered else 4)
    assert [path for rule, path in losses(conversion) if rule == "PLC-2"] == ([] if answered else ["/messages/2"])


@pytest.mark.parametrize(("behind", "flawed"), [(" " * 300, False), (" " * 300 + "junk", True), ("junk" * 100, True)])
def test_what_stands_far_behind_the_input_of_a_custom_tool_is_named(behind: str, flawed: bool) -> None:
    pieces = ['{"input": "x"}', *(behind[at : at + 50] for at in range(0, len(behind), 50))]
    begun = {"role": "assistant", "tool_calls": [chat.fragment(0, "", "c1", "patch")]}
    calls = [{"tool_calls": [chat.fragment(0, piece)]} for piece in pieces]
    events = [chat.chunk(begun), *map(chat.chunk, calls), chat.chunk({}, "tool_calls"), chat.DONE]
    conversion = made(events, CHAT, RESPONSES, "stream", state={"custom_tools": ["patch"]})
    item = conversion.output[-1]["response"]["output"][0]
    assert (item["type"], item["input"]) == ("custom_tool_call", "x")
    assert ("TUL-21" in [one.rule for one in conversion.diagnostics]) is flawed


def test_a_call_without_arguments_of_the_older_form_is_no_empty_member() -> None:
    """Only an object whose members are all empty is dropped (ENV-7)."""
    for given, names in (({"name": "look", "arguments": ""}, ["look"]), ({"name": "", "arguments": ""}, [])):
        response = chat.response("stop", content="Hi", function_call=given)
        content = made(response, CHAT, ANTHROPIC).output["content"]
        assert [block["name"] for block in content if block["type"] == "tool_use"] == names
