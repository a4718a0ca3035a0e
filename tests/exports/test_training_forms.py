"""Training lines of other vendors and tools: written by hand here, from every protocol, and read back."""

from __future__ import annotations

import copy
import json
from functools import partial
from typing import Any

import pytest

from proxai_ir import InvalidPayload, TranslationError, Unrepresentable
from proxai_ir.exports import compile_export
from proxai_ir.exports.training_forms import TRAINING

from ..accounts import silent
from .test_fine_tuning import ANTHROPIC, CHAT, GEMINI, LINE, MESSAGE, PAIRS, RESPONSES, SCHEMA

Line = dict[str, Any]
TOOL = {"type": "function", "function": {"name": "weather", "parameters": SCHEMA}}
CONVERSATION = [{key: value for key, value in one.items() if key != "weight"} for one in LINE["messages"]]
GUESS = {**MESSAGE, "id": "r2", "content": [{"type": "text", "text": "Rain."}]}
LINES: dict[str, Line] = {
    "gemini_tuning": {
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "contents": [
            {"role": "user", "parts": [{"text": "Rome?"}]},
            {"role": "model", "parts": [{"functionCall": {"name": "weather", "args": {"city": "Rome"}}}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "weather", "response": {"output": "31 C"}}}]},
            {"role": "model", "parts": [{"text": "Sunny."}]},
        ],
        "tools": [
            {
                "functionDeclarations": [
                    {
                        "name": "weather",
                        "parameters": {"type": "OBJECT", "properties": {"city": {"type": "STRING"}}},
                    }
                ]
            }
        ],
    },
    "bedrock_tuning": {
        "schemaVersion": "bedrock-conversation-2024",
        "system": [{"text": "Be brief."}],
        "messages": [
            {"role": "user", "content": [{"text": "Rome?"}]},
            {
                "role": "assistant",
                "content": [{"toolUse": {"toolUseId": "c1", "name": "weather", "input": {"city": "Rome"}}}],
            },
            {"role": "user", "content": [{"toolResult": {"toolUseId": "c1", "content": [{"text": "31 C"}]}}]},
            {"role": "assistant", "content": [{"text": "Sunny."}]},
        ],
        "toolConfig": {"tools": [{"toolSpec": {"name": "weather", "inputSchema": {"json": SCHEMA}}}]},
    },
    "hf_messages": {
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Rome?"},
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [
                    {
                        "id": "c1",
                        "type": "function",
                        "function": {"name": "weather", "arguments": {"city": "Rome"}},
                    }
                ],
            },
            {"role": "tool", "name": "weather", "tool_call_id": "c1", "content": "31 C"},
            {"role": "assistant", "content": "Sunny."},
        ],
        "tools": [TOOL],
    },
    "sharegpt": {
        "conversations": [
            {"from": "system", "value": "Be brief."},
            {"from": "human", "value": "Rome?"},
            {"from": "function_call", "value": '{"name":"weather","arguments":{"city":"Rome"}}'},
            {"from": "observation", "value": "31 C"},
            {"from": "gpt", "value": "Sunny."},
        ],
        "tools": '[{"name":"weather","parameters":{"type":"object","properties":{"city":{"type":"string"}}}}]',
    },
}
PREFERENCE: Line = {
    "input": {"messages": CONVERSATION[:-1], "tools": [TOOL]},
    "preferred_output": [{"role": "assistant", "content": "Sunny."}],
    "non_preferred_output": [{"role": "assistant", "content": "Rain."}],
}
ALL = {"fine_tuning": LINE, "preference": PREFERENCE, **LINES}


def without_strict(line: Line) -> Line:
    """A line without what Responses states of its tools and the others do not."""
    made = copy.deepcopy(line)
    for tool in made.get("toolConfig", {}).get("tools", []):
        tool["toolSpec"].pop("strict", None)
    for tool in made.get("tools", []) if isinstance(made.get("tools"), list) else []:
        tool.get("function", {}).pop("strict", None)
    if isinstance(made.get("tools"), str):
        bare = [{key: one for key, one in tool.items() if key != "strict"} for tool in json.loads(made["tools"])]
        made["tools"] = json.dumps(bare, separators=(",", ":"))
    return made


@pytest.mark.parametrize("form", LINES)
@pytest.mark.parametrize("src", PAIRS)
def test_a_line_is_the_same_from_every_protocol(src: str, form: str) -> None:
    before = copy.deepcopy(PAIRS[src])
    done = compile_export(PAIRS[src], src, form)
    assert without_strict(done.output) == LINES[form]
    assert PAIRS[src] == before
    lost = {one.rule for one in done.diagnostics if one.severity == "loss"}
    assert lost == ({"EXP-5"} if src == RESPONSES else set())  # its reasoning


def test_a_preference_has_two_answers() -> None:
    pair = {**PAIRS[ANTHROPIC], "rejected": GUESS}
    done = compile_export(pair, ANTHROPIC, "preference")
    assert done.output == PREFERENCE
    assert ("EXP-1", "/rejected/id") in [(one.rule, one.path) for one in done.diagnostics]
    texts = {name: json.dumps(value) for name, value in pair.items()}
    assert compile_export(texts, ANTHROPIC, "preference").output == PREFERENCE
    back = compile_export(PREFERENCE, "preference", ANTHROPIC, pair=True, model="m", max_tokens=64).output
    assert back["request"] == PAIRS[ANTHROPIC]["request"]
    assert [back[name]["content"][0]["text"] for name in ("response", "rejected")] == ["Sunny.", "Rain."]


@pytest.mark.parametrize(
    ("changed", "rule", "path"),
    [
        ({}, "SHP-2", ""),
        ({"rejected": []}, "SHP-1", "/rejected"),
        ({"rejected": {**GUESS, "content": []}}, "EXP-8", "/rejected"),
        ({"rejected": {"type": "error", "error": {"type": "api_error", "message": "x"}}}, "SHP-5", "/rejected"),
    ],
)
def test_a_preference_needs_both_answers(changed: Line, rule: str, path: str) -> None:
    with pytest.raises(TranslationError) as caught:
        compile_export({**PAIRS[ANTHROPIC], **changed}, ANTHROPIC, "preference")
    assert (caught.value.rule, caught.value.path) == (rule, path)


@pytest.mark.parametrize("form", LINES)
@pytest.mark.parametrize("dst", PAIRS)
def test_a_line_as_a_pair_goes_to_every_protocol_and_back(dst: str, form: str) -> None:
    done = compile_export(LINES[form], form, dst, pair=True, model="m", strict=True)
    assert set(done.output) == {"request", "response"}
    back = compile_export(done.output, dst, form).output
    assert without_strict(back) == LINES[form]


@pytest.mark.parametrize("form", ALL)
def test_the_request_of_a_line_ends_before_its_answer(form: str) -> None:
    done = compile_export(ALL[form], form, CHAT, model="m")
    assert [one["role"] for one in done.output["messages"]] == ["system", "user", "assistant", "tool"]
    assert done.output["model"] == "m"
    left = [one.path for one in done.diagnostics if one.rule == "EXP-4"]
    assert (
        left
        == {
            "fine_tuning": ["/messages/4"],
            "preference": ["/preferred_output/0", "/non_preferred_output/0"],
            "gemini_tuning": ["/contents/3"],
            "bedrock_tuning": ["/messages/3"],
            "hf_messages": ["/messages/4"],
            "sharegpt": ["/conversations/4"],
        }[form]
    )


@pytest.mark.parametrize("form", TRAINING)
@pytest.mark.parametrize("src", PAIRS)
def test_no_leaf_of_a_pair_is_silent(src: str, form: str) -> None:
    pair = {**PAIRS[src], **({"rejected": PAIRS[src]["response"]} if form == "preference" else {})}
    found = silent(pair, partial(compile_export, src=src, dst=form))
    if form == "gemini_tuning":  # Google's schemas are of a type, which properties show where it is misspelt
        found = [one for one in found if not one.startswith("/request/tools/0/") or not one.endswith("/type")]
    assert found == []


@pytest.mark.parametrize("form", ALL)
@pytest.mark.parametrize("dst", PAIRS)
def test_no_leaf_of_a_line_is_silent(dst: str, form: str) -> None:
    for pair in (False, True):
        assert silent(ALL[form], partial(compile_export, src=form, dst=dst, model="m", pair=pair)) == []


@pytest.mark.parametrize("form", [*LINES, "fine_tuning"])
def test_an_answer_that_is_not_whole_is_a_loss(form: str) -> None:
    cut = {**PAIRS[ANTHROPIC], "response": {**MESSAGE, "stop_reason": "max_tokens"}}
    with pytest.raises(Unrepresentable) as caught:
        compile_export(cut, ANTHROPIC, form, strict=True)
    assert (caught.value.rule, caught.value.path) == ("EXP-7", "/response/stop_reason")
    for content in ([], [{"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}]):
        with pytest.raises(Unrepresentable) as caught:
            compile_export({**cut, "response": {**MESSAGE, "content": content}}, ANTHROPIC, form)
        assert (caught.value.rule, caught.value.path) == ("EXP-8", "/response")


def test_an_empty_answer_is_none_where_messages_need_a_text() -> None:
    empty = {**PAIRS[ANTHROPIC], "response": {**MESSAGE, "content": [{"type": "text", "text": ""}]}}
    for form in ("gemini_tuning", "bedrock_tuning"):
        with pytest.raises(Unrepresentable) as caught:
            compile_export(empty, ANTHROPIC, form)
        assert (caught.value.rule, caught.value.path) == ("EXP-8", "/response")
    done = compile_export(empty, ANTHROPIC, "sharegpt")
    assert done.output["conversations"][-1] == {"from": "gpt", "value": ""}
    assert "EXP-7" in done.rules


PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}
LINKED = {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}}


@pytest.mark.parametrize(
    ("form", "image", "held"),
    [
        ("fine_tuning", PICTURE, True),
        ("gemini_tuning", PICTURE, False),
        ("gemini_tuning", LINKED, True),
        ("bedrock_tuning", PICTURE, False),
        ("hf_messages", PICTURE, False),
        ("sharegpt", LINKED, False),
    ],
)
def test_media_that_a_form_does_not_hold_are_refused(form: str, image: Line, held: bool) -> None:
    pair = copy.deepcopy(PAIRS[ANTHROPIC])
    pair["request"]["messages"][0]["content"] = [image, {"type": "text", "text": "Rome?"}]
    if held:
        assert compile_export(pair, ANTHROPIC, form).output
        return
    with pytest.raises(Unrepresentable) as caught:
        compile_export(pair, ANTHROPIC, form)
    assert (caught.value.rule, caught.value.path) == ("EXP-3", "/request/messages/0/content/0")


def test_weights_are_of_forms_that_have_them() -> None:
    assert compile_export(PAIRS[CHAT], CHAT, "fine_tuning", train="response").output == LINE
    with pytest.raises(TypeError, match="lines of sharegpt have no weights"):
        compile_export(PAIRS[CHAT], CHAT, "sharegpt", train="response")
    line = copy.deepcopy(LINES["hf_messages"])
    line["messages"][2]["weight"] = 0
    done = compile_export(line, "hf_messages", CHAT, model="m")
    assert ("EXP-1", "/messages/2/weight") in [(one.rule, one.path) for one in done.diagnostics]
    assert "weight" not in done.output["messages"][2]


def test_refusals_and_names_are_named_where_texts_are_all_there_is() -> None:
    pair = copy.deepcopy(PAIRS[CHAT])
    pair["request"]["messages"][1]["name"] = "ann"
    pair["response"]["choices"][0]["message"] = {"role": "assistant", "content": None, "refusal": "No."}
    done = compile_export(pair, CHAT, "sharegpt")
    assert done.output["conversations"][-1] == {"from": "gpt", "value": "No."}
    found = [(one.rule, one.path) for one in done.diagnostics]
    assert ("EXP-6", "/response/choices/0/message/refusal") in found
    assert ("EXP-1", "/request/messages/1/name") in found


def test_parallel_calls_of_a_form_without_ids_keep_their_order() -> None:
    pair = copy.deepcopy(PAIRS[ANTHROPIC])
    use = [{"type": "tool_use", "id": one, "name": "weather", "input": {"city": one}} for one in ("Rome", "Oslo")]
    results = [{"type": "tool_result", "tool_use_id": one, "content": f"in {one}"} for one in ("Oslo", "Rome")]
    pair["request"]["messages"][1]["content"] = [{"type": "text", "text": "Two calls."}, *use]
    pair["request"]["messages"][2]["content"] = results
    line = compile_export(pair, ANTHROPIC, "sharegpt").output
    assert line["conversations"][2:6] == [
        {"from": "gpt", "value": "Two calls."},
        {
            "from": "function_call",
            "value": '[{"name":"weather","arguments":{"city":"Rome"}},{"name":"weather","arguments":{"city":"Oslo"}}]',
        },
        {"from": "observation", "value": "in Rome"},
        {"from": "observation", "value": "in Oslo"},
    ]
    back = compile_export(line, "sharegpt", CHAT, model="m", pair=True).output["request"]["messages"]
    calls = [call for one in back for call in one.get("tool_calls", [])]
    told = {one["tool_call_id"]: one["content"] for one in back if one["role"] == "tool"}
    assert [(json.loads(one["function"]["arguments"])["city"], told[one["id"]]) for one in calls] == [
        ("Rome", "in Rome"),
        ("Oslo", "in Oslo"),
    ]


def test_what_datasets_write_otherwise_is_read() -> None:
    older = {
        "system_instruction": LINES["gemini_tuning"]["systemInstruction"],
        "contents": [{"role": "user", "parts": [{"text": "Hi"}]}, {"role": "model", "parts": [{"text": "Hello."}]}],
    }
    done = compile_export(older, "gemini_tuning", CHAT, model="m", pair=True)
    assert done.output["request"]["messages"][0] == {"role": "system", "content": "Be brief."}
    twice = {**older, "systemInstruction": {"parts": [{"text": "Be long."}]}}
    done = compile_export(twice, "gemini_tuning", CHAT, model="m")
    assert done.output["messages"][0] == {"role": "system", "content": "Be long."}
    assert ("UNK-1", "/system_instruction") in [(one.rule, one.path) for one in done.diagnostics]
    without_ids = copy.deepcopy(LINES["hf_messages"])
    del without_ids["messages"][2]["tool_calls"][0]["id"], without_ids["messages"][3]["tool_call_id"]
    without_ids["tools"] = json.dumps([TOOL["function"]])
    done = compile_export(without_ids, "hf_messages", ANTHROPIC, model="m")
    assert done.output["messages"][2]["content"][0]["tool_use_id"] == done.output["messages"][1]["content"][0]["id"]
    assert done.output["tools"][0]["name"] == "weather"
    plain = {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]}
    done = compile_export({**plain, "tools": ""}, "hf_messages", CHAT, model="m")
    assert done.output == {"model": "m", "messages": plain["messages"][:1]}
    named = {"system": "Be brief.", "conversations": [{"from": "user", "value": "Hi"}, {"from": "gpt", "value": "x"}]}
    done = compile_export(named, "sharegpt", ANTHROPIC, model="m")
    assert (done.output["system"], done.output["messages"]) == ("Be brief.", [{"role": "user", "content": "Hi"}])


@pytest.mark.parametrize(
    ("form", "line", "rule", "path"),
    [
        ("gemini_tuning", {"contents": 3}, "SHP-1", ""),
        ("gemini_tuning", {"contents": [{"role": "user", "parts": [3]}]}, "SHP-1", "/contents/0/parts/0"),
        ("bedrock_tuning", {"messages": [{"role": "user", "content": "Hi"}]}, "SHP-1", "/messages/0/content"),
        ("preference", {"messages": []}, "SHP-1", ""),
        ("preference", {**PREFERENCE, "preferred_output": []}, "SHP-1", "/preferred_output"),
        (
            "preference",
            {**PREFERENCE, "input": {"messages": [{"role": "user", "content": 3}]}},
            "SHP-1",
            "/input/messages/0/content",
        ),
        (
            "hf_messages",
            {"messages": [{"role": "assistant", "content": "x", "weight": 2}]},
            "SHP-3",
            "/messages/0/weight",
        ),
        ("hf_messages", {**LINES["hf_messages"], "tools": "["}, "SHP-6", "/tools"),
        ("hf_messages", {**LINES["hf_messages"], "tools": 3}, "SHP-1", "/tools"),
        ("sharegpt", {"conversations": [3]}, "SHP-1", "/conversations/0"),
        ("sharegpt", {"conversations": [{"from": "human", "value": 3}]}, "SHP-1", "/conversations/0/value"),
        ("sharegpt", {"conversations": [{"from": "martian", "value": "x"}]}, "SHP-3", "/conversations/0/from"),
        ("sharegpt", {"conversations": [{"from": "function_call", "value": "f()"}]}, "SHP-6", "/conversations/0/value"),
        ("sharegpt", {"conversations": [{"from": "function_call", "value": "3"}]}, "SHP-1", "/conversations/0/value"),
        ("sharegpt", [], "SHP-1", ""),
    ],
)
def test_bad_lines_are_refused(form: str, line: Any, rule: str, path: str) -> None:
    with pytest.raises(TranslationError) as caught:
        compile_export(line, form, ANTHROPIC, model="m")
    assert (caught.value.rule, caught.value.path) == (rule, path)


def test_a_line_of_another_form_is_refused_and_wrong_options_are_errors() -> None:
    with pytest.raises(InvalidPayload, match="a list of `conversations`"):
        compile_export(LINE, "sharegpt", CHAT)
    with pytest.raises(TypeError, match="unknown options"):
        compile_export({}, "sharegpt", GEMINI, modell="m")
