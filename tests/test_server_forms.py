"""Forms in which servers of Chat Completions write what the official types write otherwise (spec/dialects.md)."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir
from proxai_ir.testing.streams import is_legal

from .pains.support import ANTHROPIC, CHAT, RESPONSES, Json

GEMINI = "gemini_generate_content"

CALLED = {"id": "c1", "type": "function", "function": {"name": "sky", "arguments": "{}"}}


def response(message: Json, finish: str = "stop", **envelope: Any) -> Json:
    choices = [{"index": 0, "message": {"role": "assistant", "refusal": None, **message}, "finish_reason": finish}]
    return {"id": "c", "object": "chat.completion", "created": 7, "model": "m", "choices": choices, **envelope}


def asked(*messages: Json) -> Json:
    return {"model": "m", "messages": [{"role": "user", "content": "Sky?"}, *messages]}


def chunk(delta: Json, finish: str | None = None, name: str = "chat.completion.chunk") -> Json:
    choices = [{"index": 0, "delta": delta, "finish_reason": finish}]
    return {"id": "c", "object": name, "created": 7, "model": "m", "choices": choices}


def about(conversion: proxai_ir.Conversion, path: str) -> list[tuple[str, str]]:
    return [(one.severity.value, one.code) for one in conversion.diagnostics if one.path == path]


def test_what_calls_itself_something_else_is_a_response_by_its_choices() -> None:
    made = proxai_ir.compile(response({"content": "Blue."}, object="list"), CHAT, ANTHROPIC, kind="response")
    assert about(made, "/object") == [("info", "UNK-6")]
    with pytest.raises(proxai_ir.TranslationError, match="SHP-2"):
        proxai_ir.compile({"object": "list", "data": []}, CHAT, ANTHROPIC, kind="response")


def test_a_chunk_may_call_itself_otherwise() -> None:
    events = [
        chunk({"role": "assistant", "content": "Bl"}, name="text_completion"),
        chunk({"content": "ue."}, name="text_completion"),
        chunk({}, "stop", "text_completion"),
    ]
    made = proxai_ir.compile(events, CHAT, ANTHROPIC)
    texts = [one["delta"]["text"] for one in made.output if one["type"] == "content_block_delta"]
    assert texts == ["Bl", "ue."]
    assert about(made, "/0/object") == [("info", "UNK-6")]
    is_legal(events, CHAT)


def test_a_role_that_is_empty_says_nothing() -> None:
    events = [chunk({"role": "", "content": "Bl"}), chunk({"role": "", "content": "ue."}), chunk({"role": ""}, "stop")]
    made = proxai_ir.compile(events, CHAT, ANTHROPIC)
    texts = [one["delta"]["text"] for one in made.output if one["type"] == "content_block_delta"]
    assert texts == ["Bl", "ue."]
    is_legal(events, CHAT)


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("max_tokens", "max_tokens"),
        ("MAX_TOKENS", "max_tokens"),
        ("end_turn", "end_turn"),
        ("STOP", "end_turn"),
        ("stop_sequence", "stop_sequence"),
    ],
)
def test_other_vendors_words_for_an_ending(word: str, reason: str) -> None:
    made = proxai_ir.compile(response({"content": "Blue."}, word), CHAT, ANTHROPIC)
    assert made.output["stop_reason"] == reason
    assert not about(made, "/choices/0/finish_reason")


def test_anothers_word_for_calls() -> None:
    made = proxai_ir.compile(response({"content": None, "tool_calls": [CALLED]}, "tool_use"), CHAT, RESPONSES)
    assert [item["type"] for item in made.output["output"]] == ["function_call"]
    assert not about(made, "/choices/0/finish_reason")


@pytest.mark.parametrize("dst", [ANTHROPIC, RESPONSES, GEMINI])
def test_the_name_of_a_result_repeats_that_of_its_call(dst: str) -> None:
    call = {"role": "assistant", "content": None, "tool_calls": [CALLED]}
    payload = asked(call, {"role": "tool", "tool_call_id": "c1", "name": "sky", "content": "Blue."})
    made = proxai_ir.compile(payload, CHAT, dst)
    assert about(made, "/messages/2/name") == [("info", "ENV-1")]
    assert proxai_ir.raise_to(proxai_ir.lower(payload, CHAT), CHAT) == payload


def test_arguments_may_be_an_object() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "sky", "arguments": {"at": "noon"}}}
    payload = response({"content": None, "tool_calls": [call]}, "tool_calls")
    made = proxai_ir.convert(payload, CHAT, ANTHROPIC)
    assert made["content"] == [{"type": "tool_use", "id": "c1", "name": "sky", "input": {"at": "noon"}}]
    assert proxai_ir.convert(payload, CHAT, RESPONSES)["output"][0]["arguments"] == '{"at":"noon"}'
    assert proxai_ir.raise_to(proxai_ir.lower(payload, CHAT), CHAT) == payload


def test_the_data_of_a_file_may_be_an_address() -> None:
    file = {"filename": "a.pdf", "file_data": "https://example.com/a.pdf"}
    payload = asked({"role": "user", "content": [{"type": "file", "file": file}]})
    (part,) = proxai_ir.convert(payload, CHAT, RESPONSES)["input"][1]["content"]
    assert part == {"type": "input_file", "filename": "a.pdf", "file_url": "https://example.com/a.pdf"}
    (part,) = proxai_ir.convert(payload, CHAT, ANTHROPIC)["messages"][-1]["content"]
    assert part["source"] == {"type": "url", "url": "https://example.com/a.pdf"}
    assert proxai_ir.raise_to(proxai_ir.lower(payload, CHAT), CHAT) == payload


def test_the_channel_of_a_message_repeats_its_members() -> None:
    made = proxai_ir.compile(response({"content": "Blue.", "channel": "final"}), CHAT, ANTHROPIC)
    assert about(made, "/choices/0/message/channel") == [("info", "ENV-1")]


def test_json_mode_may_have_a_schema() -> None:
    """Fireworks, Together and llama.cpp have it there."""
    schema = {"type": "object", "properties": {"at": {"type": "string"}}, "additionalProperties": False}
    payload = {**asked(), "response_format": {"type": "json_object", "schema": schema}}
    made = proxai_ir.compile(payload, CHAT, ANTHROPIC)
    assert made.output["output_config"] == {"format": {"type": "json_schema", "schema": schema}}
    assert [one.code for one in made.diagnostics] == ["SMP-1"]
    assert proxai_ir.convert(payload, CHAT, RESPONSES)["text"]["format"]["schema"] == schema
    assert proxai_ir.raise_to(proxai_ir.lower(payload, CHAT), CHAT) == payload


def fragment(**members: Any) -> Json:
    return chunk({"tool_calls": [{"index": 0, **members}]})


@pytest.mark.parametrize("first", [{"function": {"name": "", "arguments": ""}}, {"function": {"name": None}}, {}])
def test_the_name_of_a_call_may_come_after_its_id(first: Json) -> None:
    """As vLLM streams the calls of some models."""
    events = [
        chunk({"role": "assistant", "content": None}),
        fragment(id="c1", type="function", **first),
        fragment(function={"name": "sky", "arguments": ""}),
        fragment(function={"arguments": '{"at": "noon"}'}),
        chunk({}, "tool_calls"),
    ]
    made = proxai_ir.convert(events, CHAT, ANTHROPIC)
    (begun,) = [one["content_block"] for one in made if one["type"] == "content_block_start"]
    assert begun == {"type": "tool_use", "id": "c1", "name": "sky", "input": {}}
    assert [one["delta"]["partial_json"] for one in made if one["type"] == "content_block_delta"] == ['{"at": "noon"}']


def test_a_call_without_a_name_is_refused() -> None:
    events = [fragment(id="c1", type="function", function={"name": "", "arguments": ""}), chunk({}, "tool_calls")]
    with pytest.raises(proxai_ir.TranslationError, match="STR-9"):
        proxai_ir.convert(events, CHAT, ANTHROPIC)


def test_a_gateways_ping_says_nothing() -> None:
    begun = {"id": "r", "object": "response", "created_at": 7, "status": "in_progress", "model": "m", "output": []}
    said = {"type": "message", "id": "m1", "role": "assistant", "status": "completed"}
    ended = {
        **begun,
        "status": "completed",
        "output": [{**said, "content": [{"type": "output_text", "text": "Blue."}]}],
    }
    events = [
        {"type": "response.created", "sequence_number": 0, "response": begun},
        {"type": "ping", "sequence_number": 1},
        {"type": "response.completed", "sequence_number": 2, "response": ended},
    ]
    made = proxai_ir.compile(events, RESPONSES, ANTHROPIC)
    assert not any((one.path or "").startswith("/1") for one in made.diagnostics)


def test_when_a_response_ended_and_who_pays_is_no_echo_of_the_request() -> None:
    said = {"type": "message", "id": "m1", "role": "assistant", "status": "completed"}
    body = {
        "id": "r",
        "object": "response",
        "created_at": 7,
        "completed_at": 8,
        "billing": {"payer": "developer"},
        "status": "completed",
        "model": "m",
        "output": [{**said, "content": [{"type": "output_text", "text": "Blue."}]}],
    }
    made = proxai_ir.compile(body, RESPONSES, ANTHROPIC)
    assert about(made, "/billing") == about(made, "/completed_at") == [("info", "ENV-1")]


def test_the_name_of_a_response_is_the_servers_own() -> None:
    events = [chunk({"role": "assistant", "content": "Blue.", "name": "sky"}), chunk({}, "stop")]
    assert about(proxai_ir.compile(events, CHAT, ANTHROPIC), "/0/choices/0/delta/name") == [("info", "ENV-1")]


def test_a_time_may_have_a_fraction() -> None:
    """As LiteLLM writes it."""
    payload = response({"content": "Blue."}, created=7.25)
    made = proxai_ir.compile(payload, CHAT, RESPONSES)
    assert made.output["created_at"] == 7
    assert about(made, "/created") == [("info", "ENV-1")]
    assert proxai_ir.raise_to(proxai_ir.lower(payload, CHAT), CHAT) == payload
    events = [{**one, "created": 7.25} for one in (chunk({"role": "assistant", "content": "Blue."}), chunk({}, "stop"))]
    assert proxai_ir.convert(events, CHAT, RESPONSES)[0]["response"]["created_at"] == 7
    is_legal(events, CHAT)


@pytest.mark.parametrize("value", ["noon", True, [7]])
def test_a_time_is_a_number(value: Any) -> None:
    """ENV-15: another one is dropped, and the response arrives."""
    payload = response({"content": "Blue."}, created=value)
    made = proxai_ir.compile(payload, CHAT, RESPONSES)
    assert made.output["created_at"] == 0
    assert ("info", "ENV-15") in about(made, "/created")
    assert proxai_ir.raise_to(proxai_ir.lower(payload, CHAT), CHAT) == payload
