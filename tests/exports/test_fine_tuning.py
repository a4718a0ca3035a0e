"""Training lines from a request with its response, of every protocol, and the request back from a line."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from proxai_ir import InvalidPayload, TranslationError, Unrepresentable
from proxai_ir.exports import compile_export

ANTHROPIC, CHAT, RESPONSES = "anthropic_messages", "openai_chat_completions", "openai_responses"
GEMINI = "gemini_generate_content"
Pair = dict[str, Any]

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}
MESSAGE = {
    "id": "r1",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "content": [{"type": "text", "text": "Sunny."}],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {"input_tokens": 9, "output_tokens": 2},
}
CALLED = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city":"Rome"}'}}
COMPLETION: dict[str, Any] = {
    "id": "r1",
    "object": "chat.completion",
    "created": 5,
    "model": "m",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Sunny."}, "finish_reason": "stop"}],
}
PAIRS: dict[str, Pair] = {
    ANTHROPIC: {
        "request": {
            "model": "m",
            "max_tokens": 64,
            "system": "Be brief.",
            "tools": [{"name": "weather", "input_schema": SCHEMA}],
            "messages": [
                {"role": "user", "content": "Rome?"},
                {
                    "role": "assistant",
                    "content": [{"type": "tool_use", "id": "c1", "name": "weather", "input": {"city": "Rome"}}],
                },
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "31 C"}]},
            ],
        },
        "response": MESSAGE,
    },
    CHAT: {
        "request": {
            "model": "m",
            "tools": [{"type": "function", "function": {"name": "weather", "parameters": SCHEMA}}],
            "messages": [
                {"role": "developer", "content": "Be brief."},
                {"role": "user", "content": "Rome?"},
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [
                        {
                            "id": "c1",
                            "type": "function",
                            "function": {"name": "weather", "arguments": '{"city":"Rome"}'},
                        }
                    ],
                },
                {"role": "tool", "tool_call_id": "c1", "content": "31 C"},
            ],
        },
        "response": COMPLETION,
    },
    RESPONSES: {
        "request": {
            "model": "m",
            "instructions": "Be brief.",
            "tools": [{"type": "function", "name": "weather", "parameters": SCHEMA, "strict": False}],
            "input": [
                {"role": "user", "content": "Rome?"},
                {"type": "function_call", "call_id": "c1", "name": "weather", "arguments": '{"city":"Rome"}'},
                {"type": "function_call_output", "call_id": "c1", "output": "31 C"},
            ],
        },
        "response": {
            "id": "r1",
            "object": "response",
            "created_at": 5,
            "model": "m",
            "status": "completed",
            "output": [
                {"id": "rs1", "type": "reasoning", "summary": [{"type": "summary_text", "text": "Hot."}]},
                {
                    "id": "m1",
                    "type": "message",
                    "role": "assistant",
                    "status": "completed",
                    "content": [{"type": "output_text", "text": "Sunny.", "annotations": []}],
                },
            ],
        },
    },
    GEMINI: {
        "request": {
            "systemInstruction": {"parts": [{"text": "Be brief."}]},
            "tools": [{"functionDeclarations": [{"name": "weather", "parametersJsonSchema": SCHEMA}]}],
            "contents": [
                {"role": "user", "parts": [{"text": "Rome?"}]},
                {
                    "role": "model",
                    "parts": [{"functionCall": {"id": "c1", "name": "weather", "args": {"city": "Rome"}}}],
                },
                {
                    "role": "user",
                    "parts": [{"functionResponse": {"id": "c1", "name": "weather", "response": {"output": "31 C"}}}],
                },
            ],
        },
        "response": {
            "candidates": [
                {"content": {"role": "model", "parts": [{"text": "Sunny."}]}, "finishReason": "STOP", "index": 0}
            ],
            "modelVersion": "m",
            "responseId": "r1",
        },
    },
}
LINE: dict[str, Any] = {
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Rome?"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [CALLED],
            "weight": 0,
        },
        {"role": "tool", "tool_call_id": "c1", "content": "31 C"},
        {"role": "assistant", "content": "Sunny."},
    ],
    "tools": [{"type": "function", "function": {"name": "weather", "parameters": SCHEMA}}],
}


@pytest.mark.parametrize("src", PAIRS)
def test_a_line_is_the_same_from_every_protocol(src: str) -> None:
    before = copy.deepcopy(PAIRS[src])
    done = compile_export(PAIRS[src], src, "fine_tuning")
    made = copy.deepcopy(done.output)
    for tool in made["tools"]:
        tool["function"].pop("strict", None)  # which Responses states and the others do not
    assert made == LINE
    assert PAIRS[src] == before
    assert all(one.path.startswith(("/request/", "/response/")) for one in done.diagnostics)


def test_what_is_left_out_is_named() -> None:
    pair = copy.deepcopy(PAIRS[CHAT])
    pair["request"] |= {"seed": 7, "tool_choice": "required", "response_format": {"type": "json_object"}, "colour": 1}
    pair["response"]["choices"][0]["message"]["reasoning_content"] = "Hot."
    pair["note"] = "x"
    done = compile_export(pair, CHAT, "fine_tuning")
    assert {(one.code, one.path) for one in done.diagnostics} == {
        ("UNK-1", "/note"),
        ("UNK-1", "/request/colour"),
        ("EXP-1", "/request/model"),
        ("EXP-1", "/request/seed"),
        ("EXP-2", "/request/tool_choice"),
        ("EXP-2", "/request/response_format"),
        ("EXP-5", "/response/choices/0/message/reasoning_content"),
        ("EXP-1", "/response/id"),
        ("EXP-1", "/response/model"),
        ("EXP-1", "/response/created"),
        ("EXP-1", "/response/choices/0/finish_reason"),
    }
    assert done.output == LINE


def test_strict_mode_refuses_losses() -> None:
    pair = copy.deepcopy(PAIRS[CHAT])
    pair["request"]["tool_choice"] = "required"
    with pytest.raises(Unrepresentable) as caught:
        compile_export(pair, CHAT, "fine_tuning", strict=True)
    assert (caught.value.rule, caught.value.path) == ("EXP-2", "/request/tool_choice")
    assert compile_export(pair, CHAT, "fine_tuning", strict=True, accept=("EXP-2",)).output == LINE


def test_the_response_alone_is_trained_or_all() -> None:
    weights = [
        one.get("weight") for one in compile_export(PAIRS[CHAT], CHAT, "fine_tuning", train="all").output["messages"]
    ]
    assert weights == [None] * 5
    with pytest.raises(TypeError, match="expected one of response, all"):
        compile_export(PAIRS[CHAT], CHAT, "fine_tuning", train="none")


@pytest.mark.parametrize("count", [1, 2])
def test_a_response_may_end_with_calls(count: int) -> None:
    calls = [{"type": "tool_use", "id": f"d{n}", "name": "weather", "input": {"city": "Oslo"}} for n in range(count)]
    pair = {**PAIRS[ANTHROPIC], "response": {**MESSAGE, "content": calls, "stop_reason": "tool_use"}}
    messages = compile_export(pair, ANTHROPIC, "fine_tuning").output["messages"]
    assert [one["role"] for one in messages] == ["system", "user", "assistant", "tool", "assistant"]
    assert [one["id"] for one in messages[-1]["tool_calls"]] == [f"d{n}" for n in range(count)]


CALL = {"type": "tool_use", "id": "d1", "name": "weather", "input": {}}
THOUGHT = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}


def answered(content: list[Any], reason: str) -> Pair:
    return {**PAIRS[ANTHROPIC], "response": {**MESSAGE, "content": content, "stop_reason": reason}}


@pytest.mark.parametrize(
    ("content", "reason", "path"),
    [
        (MESSAGE["content"], "max_tokens", "/response/stop_reason"),
        (MESSAGE["content"], "model_context_window_exceeded", "/response/stop_reason"),
        (MESSAGE["content"], "refusal", "/response/stop_reason"),
        (MESSAGE["content"], "pause_turn", "/response/stop_reason"),
        ([CALL], "max_tokens", "/response/stop_reason"),
        ([{"type": "text", "text": ""}], "end_turn", "/response/content/0"),
    ],
)
def test_a_response_that_is_not_whole_is_a_loss(content: list[Any], reason: str, path: str) -> None:
    pair = answered(content, reason)
    done = compile_export(pair, ANTHROPIC, "fine_tuning")
    assert [one.path for one in done.diagnostics if one.rule == "EXP-7"] == [path]
    assert [one.rule for one in done.diagnostics if one.path == path] == ["EXP-7"]
    with pytest.raises(Unrepresentable) as caught:
        compile_export(pair, ANTHROPIC, "fine_tuning", strict=True)
    assert (caught.value.rule, caught.value.path) == ("EXP-7", path)
    assert compile_export(pair, ANTHROPIC, "fine_tuning", strict=True, accept=("EXP-7",)).output == done.output


@pytest.mark.parametrize("content", [[], [THOUGHT]])
def test_a_response_without_an_answer_is_refused(content: list[Any]) -> None:
    with pytest.raises(Unrepresentable) as caught:
        compile_export(answered(content, "end_turn"), ANTHROPIC, "fine_tuning")
    assert (caught.value.rule, caught.value.path) == ("EXP-8", "/response")


def test_a_refusal_that_is_whole_is_an_answer() -> None:
    message = {"role": "assistant", "content": None, "refusal": "No."}
    pair = {
        **PAIRS[CHAT],
        "response": {**COMPLETION, "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]},
    }
    done = compile_export(pair, CHAT, "fine_tuning")
    assert done.output["messages"][-1] == {"role": "assistant", "refusal": "No.", "content": None}
    assert "EXP-7" not in done.rules


@pytest.mark.parametrize(
    ("changed", "rule", "path"),
    [
        ({"request": None}, "SHP-2", ""),
        ({"response": []}, "SHP-1", "/response"),
        ({"request": {"model": "m", "messages": 3}}, "SHP-1", "/request/messages"),
        (
            {"response": {**COMPLETION, "choices": [{**COMPLETION["choices"][0], "index": n} for n in range(2)]}},
            "CHO-1",
            "/response",
        ),
        (
            {
                "request": {
                    "model": "m",
                    "messages": [
                        {
                            "role": "user",
                            "content": [{"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}}],
                        }
                    ],
                }
            },
            "EXP-3",
            "/request/messages/0/content/0",
        ),
    ],
)
def test_bad_pairs_are_refused(changed: Pair, rule: str, path: str) -> None:
    with pytest.raises(TranslationError) as caught:
        compile_export({**PAIRS[CHAT], **changed}, CHAT, "fine_tuning")
    assert (caught.value.rule, caught.value.path) == (rule, path)


def test_a_failed_response_is_refused() -> None:
    failed = {**PAIRS[RESPONSES]["response"], "status": "failed", "error": {"code": "server_error", "message": "Lost"}}
    with pytest.raises(InvalidPayload) as caught:
        compile_export({**PAIRS[RESPONSES], "response": failed}, RESPONSES, "fine_tuning")
    assert (caught.value.rule, caught.value.path) == ("SHP-5", "/response")


def test_the_request_of_a_line() -> None:
    done = compile_export(LINE, "fine_tuning", ANTHROPIC, model="m", max_tokens=64)
    assert done.output == PAIRS[ANTHROPIC]["request"]
    assert [(one.code, one.path) for one in done.diagnostics if one.code.startswith("EXP")] == [
        ("EXP-1", "/messages/2/weight"),
        ("EXP-4", "/messages/4"),
    ]


def test_a_line_without_a_response_is_a_whole_request() -> None:
    line = {"messages": [{"role": "user", "content": "Hi"}], "parallel_tool_calls": False}
    done = compile_export(line, "fine_tuning", CHAT, model="m")
    assert done.output == {"model": "m", **line}
    assert done.diagnostics == ()


@pytest.mark.parametrize(
    ("line", "rule", "path"),
    [
        ([], "SHP-1", ""),
        ({"messages": "Hi"}, "SHP-1", ""),
        ({"messages": [{"role": "assistant", "content": "x", "weight": 0.5}]}, "SHP-3", "/messages/0/weight"),
        ({"messages": [3]}, "SHP-1", "/messages/0"),
        ({"messages": [{"role": "x", "content": "x"}]}, "SHP-3", "/messages/0/role"),
    ],
)
def test_bad_lines_are_refused(line: Any, rule: str, path: str) -> None:
    with pytest.raises(TranslationError) as caught:
        compile_export(line, "fine_tuning", ANTHROPIC, model="m")
    assert (caught.value.rule, caught.value.path) == (rule, path)


def test_a_line_without_a_model_leaves_it_to_the_caller() -> None:
    done = compile_export({"messages": [{"role": "user", "content": "Hi"}]}, "fine_tuning", ANTHROPIC, max_tokens=9)
    assert done.output == {"max_tokens": 9, "messages": [{"role": "user", "content": "Hi"}]}
    assert ("ENV-5", "") in [(one.rule, one.path) for one in done.diagnostics]


@pytest.mark.parametrize("pair", [[], "x", 3])
def test_what_is_no_pair(pair: Any) -> None:
    with pytest.raises(InvalidPayload, match="expected an object with `request` and `response`") as caught:
        compile_export(pair, CHAT, "fine_tuning")
    assert (caught.value.rule, caught.value.path) == ("SHP-1", "")


def test_bytes_come_back_as_bytes() -> None:
    made = compile_export(json.dumps(PAIRS[CHAT]).encode(), CHAT, "fine_tuning").output
    assert json.loads(made) == LINE


def test_members_of_a_pair_may_be_text() -> None:
    texts = {name: json.dumps(value) for name, value in PAIRS[CHAT].items()}
    done = compile_export(texts, CHAT, "fine_tuning")
    assert (done.output, done.diagnostics) == (LINE, compile_export(PAIRS[CHAT], CHAT, "fine_tuning").diagnostics)
    with pytest.raises(InvalidPayload) as caught:
        compile_export({**texts, "response": "{"}, CHAT, "fine_tuning")
    assert (caught.value.rule, caught.value.path) == ("SHP-6", "/response")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "expected JSON, found nothing"),
        ("<html>", "expected JSON, found a page of HTML or XML"),
        ("data: {}\n\n", "expected JSON, found server-sent events, which are of the kind 'stream'"),
        ("\ud800", "expected JSON in UTF-8, found a byte at 0 that is not valid UTF-8"),
    ],
)
def test_a_member_that_is_another_text_is_named(text: str, said: str) -> None:
    pair = {"request": PAIRS[CHAT]["request"], "response": text}
    with pytest.raises(InvalidPayload) as caught:
        compile_export(pair, CHAT, "fine_tuning")
    assert caught.value.diagnostics[0].message == f"The payload is not valid JSON. ({said})"


def test_one_side_is_a_form() -> None:
    with pytest.raises(InvalidPayload, match=r"fine_tuning, .*, telemetry"):
        compile_export(PAIRS[CHAT], CHAT, ANTHROPIC)


@pytest.mark.parametrize("src", PAIRS)
def test_a_line_as_a_pair_goes_to_every_protocol_and_back(src: str) -> None:
    done = compile_export(LINE, "fine_tuning", src, pair=True, model="m", strict=True)
    assert set(done.output) == {"request", "response"}
    assert "EXP-4" not in done.rules
    back = compile_export(done.output, src, "fine_tuning").output
    assert back["messages"] == LINE["messages"]


def test_a_pair_of_a_line_has_what_the_line_has() -> None:
    done = compile_export(LINE, "fine_tuning", ANTHROPIC, pair=True, model="m", max_tokens=64)
    assert done.output["request"] == PAIRS[ANTHROPIC]["request"]
    assert done.output["response"]["content"] == MESSAGE["content"]
    called = {"messages": [*LINE["messages"][:2], {"role": "assistant", "tool_calls": [CALLED], "weight": 1}]}
    made = compile_export(called, "fine_tuning", ANTHROPIC, pair=True, model="m").output["response"]
    assert (made["stop_reason"], made["content"][0]["input"]) == ("tool_use", {"city": "Rome"})
    open_ended = {"messages": LINE["messages"][:2]}
    assert set(compile_export(open_ended, "fine_tuning", ANTHROPIC, pair=True, model="m").output) == {"request"}


def test_findings_about_the_response_of_a_line_point_into_it() -> None:
    line = {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": 3}]}
    with pytest.raises(TranslationError) as caught:
        compile_export(line, "fine_tuning", ANTHROPIC, pair=True, model="m")
    assert (caught.value.rule, caught.value.path) == ("SHP-1", "/messages/1/content")
    line["messages"][1] = {"role": "assistant", "content": "x", "colour": 1}
    done = compile_export(line, "fine_tuning", ANTHROPIC, pair=True, model="m")
    assert ("UNK-1", "/messages/1/colour") in [(one.code, one.path) for one in done.diagnostics]
    with pytest.raises(TypeError, match="expected a bool"):
        compile_export(line, "fine_tuning", ANTHROPIC, pair="yes")
