"""Pain 06: free-form tools become function tools that cannot work, or vanish. Anthropic has none: refused (TUL-2)."""

from __future__ import annotations

import json
from typing import Any

import pytest

import proxai_ir
from proxai_ir import Conversion, TranslationError, Unrepresentable

from .support import (
    ANTHROPIC,
    CHAT,
    RESPONSES,
    Found,
    Json,
    again,
    anthropic,
    assistant,
    chat,
    from_responses,
    losses,
    message,
    refusals,
    responses,
    to_anthropic,
    to_responses,
    user,
)

GRAMMAR = {"type": "grammar", "grammar": {"syntax": "lark", "definition": 'start: "*** Begin"'}}
PATCH = {"type": "custom", "custom": {"name": "patch", "description": "Edits files.", "format": GRAMMAR}}
CALL = {"id": "call_1", "type": "custom", "custom": {"name": "patch", "input": "*** Begin"}}
FORCED = {"type": "custom", "custom": {"name": "patch"}}

DEFINED = chat.request(user("Edit."), tools=[chat.tool("look"), PATCH])
FORCING = chat.request(user("Edit."), tools=[PATCH], tool_choice=FORCED)
REPLAYED = chat.request(user("Edit."), assistant(tool_calls=[CALL]), chat.result("done"))
ANSWERED = chat.response("tool_calls", tool_calls=[CALL])


@pytest.mark.parametrize(
    ("payload", "kind", "found"),
    [
        (DEFINED, "request", [("TUL-2", "/tools/1")]),
        (FORCING, "request", [("TUL-2", "/tools/0"), ("TUL-2", "/tool_choice")]),
        pytest.param(REPLAYED, "request", [("TUL-2", "/messages/1/tool_calls/0")]),
        pytest.param(ANSWERED, "response", [("TUL-2", "/choices/0/message/tool_calls/0")]),
    ],
    ids=["defined", "forced", "replayed", "answered"],
)
def test_they_are_refused_where_they_stand_and_nothing_else(payload: Json, kind: str, found: Found) -> None:
    assert refusals(payload, CHAT, kind) == found


@pytest.mark.parametrize("payload", [DEFINED, FORCING, REPLAYED], ids=["defined", "forced", "replayed"])
def test_grammar_and_input_come_back(payload: Json) -> None:
    assert again(payload, CHAT) == payload


def test_a_response_with_a_custom_call_comes_back() -> None:
    assert again(ANSWERED, CHAT, "response") == ANSWERED


# The same in Responses, where the grammar's members are next to the format's type.
FLAT = {
    "type": "custom",
    "name": "patch",
    "description": "Edits files.",
    "format": {"type": "grammar", "syntax": "lark", "definition": 'start: "*** Begin"'},
}
CALL_ITEM = {"type": "custom_tool_call", "call_id": "call_1", "name": "patch", "input": "*** Begin"}
FORCED_FLAT = {"type": "custom", "name": "patch"}
OUTPUT_ITEM = {"type": "custom_tool_call_output", "call_id": "call_1", "output": "done"}


def test_chat_and_responses_exchange_definition_choice_call_and_result() -> None:
    items = responses.request(user("Edit."), CALL_ITEM, OUTPUT_ITEM, tools=[FLAT], tool_choice=FORCED_FLAT)
    there = from_responses(items, CHAT)
    assert there.output["tools"] == [PATCH]
    assert there.output["tool_choice"] == FORCED
    assert there.output["messages"] == [user("Edit."), assistant(tool_calls=[CALL]), chat.result("done")]
    assert losses(there) == []
    back = to_responses(there.output, CHAT)
    assert back.output["tools"] == [FLAT]
    assert back.output["tool_choice"] == FORCED_FLAT
    assert back.output["input"][1:] == [CALL_ITEM, OUTPUT_ITEM]
    assert losses(back) == []


def test_a_response_with_a_custom_call_is_carried_to_chat() -> None:
    made = from_responses(responses.response({**CALL_ITEM, "id": "ctc_1"}), CHAT, "response")
    assert message(made)["tool_calls"] == [CALL]
    assert made.output["choices"][0]["finish_reason"] == "tool_calls"


@pytest.mark.parametrize(
    ("payload", "kind", "found"),
    [
        (responses.request(user("Edit."), tools=[FLAT]), "request", [("TUL-2", "/tools/0")]),
        (responses.request(user("Edit."), CALL_ITEM, OUTPUT_ITEM), "request", [("TUL-2", "/input/1")]),
        (responses.response(CALL_ITEM), "response", [("TUL-2", "/output/0")]),
    ],
    ids=["defined", "replayed", "answered"],
)
def test_those_of_responses_are_refused_by_anthropic_where_they_stand(payload: Json, kind: str, found: Found) -> None:
    assert refusals(payload, RESPONSES, kind, ANTHROPIC) == found


def test_those_of_responses_come_back_as_they_were() -> None:
    payload = responses.request(user("Edit."), CALL_ITEM, OUTPUT_ITEM, tools=[FLAT], tool_choice=FORCED_FLAT)
    assert again(payload, RESPONSES) == payload


# --- emulation: functions of one string instead, if the caller asks ---------------------------------------------------

EMULATE: Any = ("custom_tools",)
WORDS = 'Edits files.\n\n`input` is text of this lark grammar:\nstart: "*** Begin"'
SCHEMA = {
    "type": "object",
    "properties": {"input": {"type": "string"}},
    "required": ["input"],
    "additionalProperties": False,
}
WRAPPED = {"name": "patch", "description": WORDS, "input_schema": SCHEMA}
STATE = {"custom_tools": ["patch"]}


def found_at(made: Conversion, rule: str) -> list[str]:
    return [one.path for one in made.diagnostics if one.code == rule]


def test_a_custom_tool_becomes_a_function_whose_description_has_the_grammar() -> None:
    made = to_anthropic(FORCING, emulate=EMULATE)
    assert made.output["tools"] == [WRAPPED]
    assert made.output["tool_choice"] == {"type": "tool", "name": "patch"}
    assert made.state == STATE
    assert found_at(made, "TUL-19") == ["/tools/0"]
    assert losses(made) == [("TUL-20", "/tools/0/custom/format")]


def test_an_allowed_custom_tool_is_an_allowed_function() -> None:
    allowed = {"mode": "required", "tools": [{"type": "custom", "custom": {"name": "patch"}}]}
    choice = {"type": "allowed_tools", "allowed_tools": allowed}
    made = to_anthropic(
        chat.request(user("Edit."), tools=[chat.tool("look"), PATCH], tool_choice=choice), emulate=EMULATE
    )
    assert made.output["tools"] == [WRAPPED]
    assert made.output["tool_choice"] == {"type": "any"}


def test_without_a_grammar_nothing_is_lost() -> None:
    tool = {"type": "custom", "custom": {"name": "shell", "format": {"type": "text"}}}
    made = to_anthropic(chat.request(user("List."), tools=[tool]), emulate=EMULATE, strict=True)
    assert made.output["tools"] == [{"name": "shell", "description": "`input` is free text.", "input_schema": SCHEMA}]


@pytest.mark.parametrize(
    "tools",
    [
        [chat.tool("patch"), PATCH],
        [{"type": "custom", "custom": {"name": "patch", "format": {"type": "dance"}}}],
        [{"type": "custom", "custom": {"name": "patch", "format": {**GRAMMAR, "strictly": True}}}],
        [{"type": "custom", "custom": {"name": "patch", "format": {"type": "grammar", "grammar": {"syntax": "lark"}}}}],
    ],
    ids=["name taken", "unknown format", "unknown member", "no definition"],
)
def test_custom_tools_that_functions_cannot_emulate_are_refused(tools: list[Json]) -> None:
    with pytest.raises(Unrepresentable) as caught:
        to_anthropic(chat.request(user("Edit."), tools=tools), emulate=EMULATE)
    assert (caught.value.rule, caught.value.path) == ("TUL-2", f"/tools/{len(tools) - 1}")


def test_a_target_with_custom_tools_gets_custom_tools() -> None:
    payload = responses.request(user("Edit."), tools=[FLAT])
    assert from_responses(payload, CHAT, emulate=EMULATE).output == from_responses(payload, CHAT).output


@pytest.mark.parametrize("dst", [CHAT, RESPONSES])
def test_the_way_back_unwraps(dst: str) -> None:
    text = 'a "quoted"\n\U0001f600 line'
    response = anthropic.response(
        anthropic.tool_use("patch", {"input": text}), anthropic.tool_use("look", {}, "call_2"), stop="tool_use"
    )
    made = proxai_ir.compile(response, ANTHROPIC, dst, kind="response", state=STATE)
    if dst == CHAT:
        custom, function = message(made)["tool_calls"]
        assert custom == {"id": "call_1", "type": "custom", "custom": {"name": "patch", "input": text}}
    else:
        custom, function = made.output["output"]
        assert (custom["type"], custom["call_id"], custom["input"]) == ("custom_tool_call", "call_1", text)
    assert function["type"].startswith("function")


def test_there_and_back_for_a_client_of_responses() -> None:
    """The client's next request, with the call and its result, is the same conversation for the model."""
    asked = responses.request(user("Edit."), tools=[FLAT])
    sent = from_responses(asked, ANTHROPIC, emulate=EMULATE)
    response = anthropic.response(anthropic.tool_use("patch", {"input": "*** Begin"}), stop="tool_use")
    (call,) = proxai_ir.convert(response, ANTHROPIC, RESPONSES, kind="response", state=sent.state)["output"]
    result = {"type": "custom_tool_call_output", "call_id": call["call_id"], "output": "done"}
    again_asked = responses.request(user("Edit."), call, result, tools=[FLAT])
    made = from_responses(again_asked, ANTHROPIC, emulate=EMULATE)
    assert made.output["messages"][1] == {"role": "assistant", "content": response["content"]}
    assert made.output["messages"][2]["content"] == [anthropic.tool_result("done")]


@pytest.mark.parametrize("given", [{}, {"text": "x"}, {"input": 7}, {"input": "x", "more": 1}])
def test_other_arguments_are_refused(given: Json) -> None:
    response = anthropic.response(anthropic.tool_use("patch", given), stop="tool_use")
    with pytest.raises(Unrepresentable) as caught:
        proxai_ir.convert(response, ANTHROPIC, RESPONSES, kind="response", state=STATE)
    assert (caught.value.rule, caught.value.path) == ("TUL-21", "/content/0/input")


@pytest.mark.parametrize(
    ("arguments", "expected"), [('{"input": "*** Be', "*** Be"), ('{"input": "\\ud83d', ""), ('{"in', ""), ("", "")]
)
def test_a_call_that_was_cut_off_has_the_input_that_there_is(arguments: str, expected: str) -> None:
    response = chat.response("length", tool_calls=[chat.call("patch", arguments)])
    (call,) = proxai_ir.convert(response, CHAT, RESPONSES, kind="response", state=STATE)["output"]
    assert (call["type"], call["input"]) == ("custom_tool_call", expected)


def stream_of(*pieces: str, stop: str = "tool_use") -> list[Json]:
    start = {**anthropic.tool_use("patch"), "input": {}}
    deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
    return [
        {"type": "message_start", "message": anthropic.response(stop=None)},
        {"type": "content_block_start", "index": 0, "content_block": start},
        *({"type": "content_block_delta", "index": 0, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": {"output_tokens": 5}},
        {"type": "message_stop"},
    ]


def inputs(events: list[Json]) -> list[str]:
    return [event["delta"] for event in events if event["type"] == "response.custom_tool_call_input.delta"]


TEXT = 'a "b"\\\n\té\U0001f600/'


def test_a_stream_unwraps_wherever_it_is_cut() -> None:
    """JSON text cut at every place, in all its forms: the input is the same, and grows as it arrives."""
    for spelled in (json.dumps({"input": TEXT}), json.dumps({"input": TEXT}, indent=2, ensure_ascii=False)):
        for cut in range(len(spelled) + 1):
            sent = stream_of(spelled[:cut], spelled[cut:])
            made = proxai_ir.convert(sent, ANTHROPIC, RESPONSES, kind="stream", state=STATE)
            assert "".join(inputs(made)) == TEXT
        pieces = proxai_ir.convert(stream_of(*spelled), ANTHROPIC, RESPONSES, kind="stream", state=STATE)
        assert "".join(inputs(pieces)) == TEXT
        assert len(inputs(pieces)) == len(TEXT)
        assert pieces[-1]["response"]["output"][0]["input"] == TEXT


def test_a_stream_of_other_arguments_is_refused() -> None:
    with pytest.raises(TranslationError) as caught:
        proxai_ir.convert(stream_of('{"input": "a", "b": 1}'), ANTHROPIC, RESPONSES, kind="stream", state=STATE)
    assert caught.value.rule == "TUL-21"
    with pytest.raises(TranslationError) as caught:
        proxai_ir.convert(stream_of('{"text": "' + "a" * 300), ANTHROPIC, RESPONSES, kind="stream", state=STATE)
    assert (caught.value.rule, caught.value.path) == ("TUL-21", "/1/content_block/input")


def test_a_stream_that_was_cut_off_carries_the_input_so_far() -> None:
    cut = stream_of('{"input": "*** Be', stop="max_tokens")
    made = proxai_ir.convert(cut, ANTHROPIC, RESPONSES, kind="stream", state=STATE)
    assert inputs(made) == ["*** Be"]


def test_a_stream_of_custom_calls_is_wrapped() -> None:
    unwrapped = proxai_ir.convert(
        stream_of(*json.dumps({"input": TEXT})), ANTHROPIC, RESPONSES, kind="stream", state=STATE
    )
    back = proxai_ir.compile(unwrapped, RESPONSES, ANTHROPIC, kind="stream", emulate=EMULATE)
    pieces = [event["delta"]["partial_json"] for event in back.output if event["type"] == "content_block_delta"]
    assert json.loads("".join(pieces)) == {"input": TEXT}
    assert len(found_at(back, "TUL-19")) == 1


@pytest.mark.parametrize(
    "options",
    [
        {"emulate": "custom_tools"},
        {"emulate": ("magic",)},
        {"emulate": 1},
        {"state": {"magic": []}},
        {"state": {"custom_tools": "patch"}},
        {"state": {"custom_tools": [1]}},
        {"state": None},
    ],
)
def test_a_wrong_option_is_the_callers_mistake(options: Json) -> None:
    with pytest.raises(TypeError, match=r"option '(emulate|state)'"):
        to_anthropic(DEFINED, **options)


def test_a_stream_of_custom_calls_reaches_chat_in_its_own_form() -> None:
    """STR-5: `custom` with name and input, in pieces, and back again."""
    call = {"type": "custom_tool_call", "id": "ctc_1", "call_id": "call_1", "name": "patch", "input": "*** Begin"}
    sent = responses.stream(responses.response(call))
    made = proxai_ir.convert(sent, RESPONSES, CHAT, kind="stream")
    begun, *pieces = [one for event in made[1:-2] for one in event["choices"][0]["delta"].get("tool_calls", ())]
    assert begun == {"index": 0, "id": "call_1", "type": "custom", "custom": {"name": "patch", "input": ""}}
    assert [piece.keys() for piece in pieces] == [{"index", "custom"}] * len(pieces)
    assert "".join(piece["custom"]["input"] for piece in pieces) == "*** Begin"
    back = proxai_ir.convert(made, CHAT, RESPONSES, kind="stream")
    assert back[-1]["response"]["output"][0]["input"] == "*** Begin"
