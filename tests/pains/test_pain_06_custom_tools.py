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
    assert refusals(payload, CHAT, kind) == found  # type: ignore[arg-type]


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
    there = from_responses(items, CHAT, custom_tools=True)
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
    assert refusals(payload, RESPONSES, kind, ANTHROPIC) == found  # type: ignore[arg-type]


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
        [{"type": "custom", "custom": {"name": "patch", "format": {"type": "dance"}}}],
        [{"type": "custom", "custom": {"name": "patch", "format": {**GRAMMAR, "strictly": True}}}],
        [{"type": "custom", "custom": {"name": "patch", "format": {"type": "grammar", "grammar": {"syntax": "lark"}}}}],
    ],
    ids=["unknown format", "unknown member", "no definition"],
)
def test_custom_tools_that_functions_cannot_emulate_are_refused(tools: list[Json]) -> None:
    with pytest.raises(Unrepresentable) as caught:
        to_anthropic(chat.request(user("Edit."), tools=tools), emulate=EMULATE)
    assert (caught.value.rule, caught.value.path) == ("TUL-2", f"/tools/{len(tools) - 1}")


def test_a_target_with_custom_tools_gets_custom_tools() -> None:
    payload = responses.request(user("Edit."), tools=[FLAT])
    with_emulation = from_responses(payload, CHAT, custom_tools=True, emulate=EMULATE)
    assert with_emulation.output == from_responses(payload, CHAT, custom_tools=True).output
    assert with_emulation.state == STATE


def test_chat_has_custom_tools_where_the_server_is_known_to() -> None:
    payload = responses.request(user("Edit."), tools=[FLAT])
    assert refusals(payload, RESPONSES, dst=CHAT) == [("TUL-2", "/tools/0")]
    assert proxai_ir.convert(payload, RESPONSES, proxai_ir.profiles.OPENAI_CHAT)["tools"] == [PATCH]
    (tool,) = from_responses(payload, CHAT, emulate="auto").output["tools"]
    assert (tool["type"], tool["function"]["name"]) == ("function", "patch")


@pytest.mark.parametrize("arguments", ['{"input": "*** Begin"}', '{"input":"*** Begin"}'])
def test_a_server_that_calls_a_custom_tool_as_a_function_is_understood(arguments: str) -> None:
    """Whatever was sent: the client defined a custom tool."""
    sent = from_responses(responses.request(user("Edit."), tools=[FLAT]), CHAT, custom_tools=True)
    answered = chat.response("tool_calls", tool_calls=[chat.call("patch", arguments)])
    (item,) = to_responses(answered, CHAT, "response", state=sent.state).output["output"]
    assert (item["type"], item["call_id"], item["input"]) == ("custom_tool_call", "call_1", "*** Begin")
    events = chat.stream(chat.calls(chat.fragment(0, arguments, "call_1", "patch")), finish="tool_calls")
    made = proxai_ir.convert(events, CHAT, RESPONSES, kind="stream", state=sent.state)
    assert "".join(inputs(made)) == made[-1]["response"]["output"][0]["input"] == "*** Begin"


def test_a_client_of_chat_gets_calls_of_the_custom_tools_that_it_defined() -> None:
    """Whatever servers of its protocol accept."""
    asked = to_anthropic(chat.request(user("Edit."), tools=[PATCH]), emulate=EMULATE)
    response = anthropic.response(anthropic.tool_use("patch", {"input": "*** Begin"}), stop="tool_use")
    made = proxai_ir.compile(response, ANTHROPIC, CHAT, kind="response", state=asked.state)
    assert message(made)["tool_calls"] == [CALL]


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


@pytest.mark.parametrize(
    ("given", "expected"),
    [({}, "{}"), ({"cmd": "ls"}, '{"cmd": "ls"}'), ({"input": 7}, '{"input": 7}'), ({"more": 1, "input": "x"}, "x")],
)
def test_other_arguments_are_delivered(given: Json, expected: str) -> None:
    """The client's tool refuses them, and the model tries again."""
    response = anthropic.response(anthropic.tool_use("patch", given), stop="tool_use")
    made = proxai_ir.compile(response, ANTHROPIC, RESPONSES, kind="response", state=STATE)
    assert made.output["output"][0]["input"] == expected
    assert losses(made) == [("TUL-21", "/content/0/input")]
    with pytest.raises(Unrepresentable, match="TUL-21"):
        proxai_ir.convert(response, ANTHROPIC, RESPONSES, kind="response", state=STATE, strict=True)


OTHERS = [
    ("{}", "{}"),
    ('{"cmd": "ls"}', '{"cmd": "ls"}'),
    ('{"input": "pwd", "timeout": 5}', "pwd"),
    ('{"timeout": 5, "input": "pwd"}', "pwd"),
    ('{"input": 7}', '{"input": 7}'),
    ('{"input": "pwd"', "pwd"),
    ('{"cmd": "l', '{"cmd": "l'),
    ("pwd", "pwd"),
    ("", ""),
    ('{"input": "C:\\path\\u12"}', "C:\\path\\u12"),
    ('{"input": "one\ntwo"}', "one\ntwo"),
    ('{"input": "a"} and "more"', "a"),
    ("[" * 2000, "[" * 2000),
]


@pytest.mark.parametrize(("arguments", "expected"), OTHERS, ids=[repr(given)[:40] for given, _ in OTHERS])
def test_other_arguments_are_the_same_in_a_stream_wherever_it_is_cut(arguments: str, expected: str) -> None:
    response = chat.response("tool_calls", tool_calls=[chat.call("patch", arguments)])
    whole = proxai_ir.compile(response, CHAT, RESPONSES, kind="response", state=STATE)
    assert whole.output["output"][0]["input"] == expected
    assert losses(whole) == [("TUL-21", "/choices/0/message/tool_calls/0/function/arguments")]
    for cut in range(min(len(arguments), 40) + 1):
        pieces = [chat.calls(chat.fragment(0, arguments[:cut], "call_1", "patch"))]
        events = chat.stream(*pieces, chat.calls(chat.fragment(0, arguments[cut:])), finish="tool_calls")
        made = proxai_ir.compile(events, CHAT, RESPONSES, kind="stream", state=STATE)
        assert made.output[-1]["type"] == "response.completed"
        assert made.output[-1]["response"]["output"][0]["input"] == "".join(inputs(made.output)) == expected
        assert [rule for rule, _ in losses(made)] == ["TUL-21"]


def test_what_follows_a_call_waits_for_it_and_not_for_more() -> None:
    """A call of which only the ending shows what it is, and one behind it."""
    events = chat.stream(
        chat.calls(chat.fragment(0, '{"cmd": ', "call_1", "patch")),
        chat.calls(chat.fragment(1, '{"input": "b"}', "call_2", "patch")),
        finish="tool_calls",
    )
    made = proxai_ir.convert(events, CHAT, RESPONSES, kind="stream", state=STATE)
    assert [item["input"] for item in made[-1]["response"]["output"]] == ['{"cmd": ', "b"]


def test_what_is_kept_of_a_stream_has_a_limit() -> None:
    events = chat.stream(chat.calls(chat.fragment(0, '{"cmd": "' + "a" * 300, "call_1", "patch")), finish="tool_calls")
    with pytest.raises(TranslationError) as caught:
        proxai_ir.convert(events, CHAT, RESPONSES, kind="stream", state=STATE, buffer_limit=200)
    assert caught.value.rule == "STR-15"


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


def test_a_stream_that_was_cut_off_before_the_input_has_none() -> None:
    cut = stream_of('{"cmd": "l', stop="max_tokens")
    made = proxai_ir.compile(cut, ANTHROPIC, RESPONSES, kind="stream", state=STATE)
    assert inputs(made.output) == []
    assert losses(made) == [("TUL-29", "/1/content_block/input")]


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
