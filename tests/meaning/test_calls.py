"""Results of tools and choices among them, as clients write them."""

from __future__ import annotations

import pytest

from ..samples.gemini_generate_content import building as gemini
from ..samples.openai_responses import building as responses
from .support import ANTHROPIC, CHAT, GEMINI, RESPONSES, Json, found, losses, made

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
