"""Call ids that frontends generate where a protocol has none."""

from __future__ import annotations

from typing import Any

from proxai_ir.frontends._lib.reading import generate_call_ids, response_call_id
from proxai_ir.ir.parts import FunctionCall, Text, ToolResult
from proxai_ir.ir.request import Role, Turn

USER, ASSISTANT, TOOL = Role.USER, Role.ASSISTANT, Role.TOOL


def call(name: str, identity: str | None = None) -> FunctionCall:
    return FunctionCall(identity, name, {})


def result(name: str | None = None, identity: str = "") -> ToolResult:
    return ToolResult(identity, [Text("r")], name=name)


def ids(*turns: Turn) -> list[Any]:
    generate_call_ids(turns)
    parts = [part for turn in turns for part in turn.parts]
    return [
        part.id if isinstance(part, FunctionCall) else part.call_id
        for part in parts
        if isinstance(part, (FunctionCall, ToolResult))
    ]


def test_a_call_gets_an_id_by_its_place_and_its_result_the_same() -> None:
    assert ids(Turn(USER, [Text("Hi")]), Turn(ASSISTANT, [Text("Hm"), call("a")]), Turn(TOOL, [result("a")])) == [
        "call_1_1",
        "call_1_1",
    ]


def test_results_are_given_by_name_and_then_in_order() -> None:
    calls = Turn(ASSISTANT, [call("a"), call("b"), call("a")])
    assert ids(calls, Turn(TOOL, [result("b"), result("a"), result("a")])) == [
        "call_0_0",
        "call_0_1",
        "call_0_2",
        "call_0_1",
        "call_0_0",
        "call_0_2",
    ]
    nameless = Turn(ASSISTANT, [call("a")])
    assert ids(nameless, Turn(TOOL, [result("")])) == ["call_0_0", "call_0_0"]
    unnamed = Turn(ASSISTANT, [call("a"), call("b")])
    assert ids(unnamed, Turn(TOOL, [result(), result()]))[2:] == ["call_0_0", "call_0_1"]


def test_ids_that_are_there_stay() -> None:
    calls = Turn(ASSISTANT, [call("a", "x"), call("a")])
    assert ids(calls, Turn(TOOL, [result("a", "x"), result("a")])) == ["x", "call_0_1", "x", "call_0_1"]


def test_a_result_of_no_call_stays_without() -> None:
    first = Turn(ASSISTANT, [call("a")])
    later = Turn(ASSISTANT, [call("b")])
    assert ids(first, Turn(TOOL, [result("c"), result("a"), result("a")]), later, Turn(TOOL, [result("a")])) == [
        "call_0_0",
        "",
        "call_0_0",
        "",
        "call_2_0",
        "",
    ]


def test_ids_do_not_depend_on_what_follows() -> None:
    def begun() -> list[Turn]:
        return [Turn(USER, [Text("Hi")]), Turn(ASSISTANT, [call("a")]), Turn(TOOL, [result("a")])]

    assert ids(*begun(), Turn(ASSISTANT, [call("a")]), Turn(TOOL, [result("a")]))[:2] == ids(*begun())


def test_calls_of_a_response_are_counted() -> None:
    assert [response_call_id("r1", number) for number in range(2)] == ["call_r1_0", "call_r1_1"]
