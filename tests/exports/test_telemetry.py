"""Attributes of OpenTelemetry's GenAI conventions, from every protocol and back."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from proxai_ir import Profile, TranslationError, Unrepresentable
from proxai_ir.exports import compile_export
from proxai_ir.exports.telemetry import INPUT, INSTRUCTIONS, KNOWN_ATTRIBUTES, OUTPUT, TOOLS

from ..stated import needs_stated
from .test_fine_tuning import ANTHROPIC, CALLED, CHAT, COMPLETION, GEMINI, MESSAGE, PAIRS, RESPONSES, SCHEMA

CALL = {"type": "tool_call", "id": "c1", "name": "weather", "arguments": {"city": "Rome"}}
RESULT = {"type": "tool_call_response", "id": "c1", "response": "31 C"}
SUNNY = {"role": "assistant", "parts": [{"type": "text", "content": "Sunny."}], "finish_reason": "stop"}
DEFINITIONS = [{"type": "function", "name": "weather", "parameters": SCHEMA}]


@pytest.mark.parametrize("src", PAIRS)
def test_the_attributes_are_the_same_from_every_protocol(src: str) -> None:
    before = copy.deepcopy(PAIRS[src])
    made = compile_export(PAIRS[src], src, "telemetry").output
    assert PAIRS[src] == before
    assert made[INSTRUCTIONS] == [{"type": "text", "content": "Be brief."}]
    asked, called, result = made[INPUT]
    assert asked == {"role": "user", "parts": [{"type": "text", "content": "Rome?"}]}
    assert called == {"role": "assistant", "parts": [CALL]}
    assert result["parts"] == [RESULT]
    assert made[TOOLS] == DEFINITIONS
    (output,) = made[OUTPUT]
    assert [part for part in output["parts"] if part["type"] != "reasoning"] == SUNNY["parts"]
    assert (output["role"], output["finish_reason"]) == ("assistant", "stop")
    assert made["gen_ai.response.finish_reasons"] == ["stop"]
    assert (made["gen_ai.response.id"], made["gen_ai.response.model"]) == ("r1", "m")


@pytest.mark.parametrize("dst", PAIRS)
def test_a_pair_comes_back(dst: str) -> None:
    """The conversation of Anthropic Messages through the attributes into every protocol, and from there again."""
    attributes = compile_export(PAIRS[ANTHROPIC], ANTHROPIC, "telemetry").output
    back = compile_export(attributes, "telemetry", dst).output
    if dst == ANTHROPIC:
        assert back == PAIRS[ANTHROPIC]
    again = compile_export(back, dst, "telemetry").output
    for name in (INSTRUCTIONS, TOOLS, OUTPUT):
        assert again[name] == attributes[name]


def message(*parts: Any, **more: Any) -> dict[str, Any]:
    response = {**MESSAGE, "content": list(parts), **more}
    return {"request": PAIRS[ANTHROPIC]["request"], "response": response}


def asked(*parts: Any) -> dict[str, Any]:
    request = {"model": "m", "max_tokens": 64, "messages": [{"role": "user", "content": list(parts)}]}
    return {"request": request, "response": MESSAGE}


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        (
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
            {"type": "blob", "modality": "image", "mime_type": "image/png", "content": "AAAA"},
        ),
        (
            {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}},
            {"type": "uri", "modality": "image", "uri": "https://example.com/a.png"},
        ),
        (
            {"type": "document", "source": {"type": "file", "file_id": "file_1"}},
            {"type": "file", "modality": "document", "file_id": "file_1"},
        ),
        (
            {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "Rain"}},
            {"type": "blob", "modality": "document", "mime_type": "text/plain", "content": "UmFpbg=="},
        ),
    ],
)
def test_media(part: dict[str, Any], expected: dict[str, Any]) -> None:
    done = compile_export(asked(part), ANTHROPIC, "telemetry")
    assert done.output[INPUT] == [{"role": "user", "parts": [expected]}]
    assert [one for one in done.diagnostics if one.severity == "loss"] == []


def test_media_come_back() -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}
    attributes = compile_export(asked(image), ANTHROPIC, "telemetry").output
    assert compile_export(attributes, "telemetry", ANTHROPIC).output["request"] == asked(image)["request"]


def test_usage_is_the_conventions_sums() -> None:
    counts = {
        "input_tokens": 5,
        "cache_read_input_tokens": 3,
        "cache_creation_input_tokens": 2,
        "output_tokens": 7,
    }
    made = compile_export({**PAIRS[ANTHROPIC], "response": {**MESSAGE, "usage": counts}}, ANTHROPIC, "telemetry").output
    assert {name: made[name] for name in made if name.startswith("gen_ai.usage.")} == {
        "gen_ai.usage.input_tokens": 10,
        "gen_ai.usage.output_tokens": 7,
        "gen_ai.usage.cache_read.input_tokens": 3,
        "gen_ai.usage.cache_creation.input_tokens": 2,
    }
    back = compile_export(made, "telemetry", ANTHROPIC).output["response"]["usage"]
    assert {name: back[name] for name in counts} == counts


def test_usage_that_was_not_reported_is_absent() -> None:
    made = compile_export({"request": PAIRS[CHAT]["request"], "response": COMPLETION}, CHAT, "telemetry").output
    assert [name for name in made if name.startswith("gen_ai.usage.")] == []


def test_settings() -> None:
    request = {**PAIRS[ANTHROPIC]["request"], "temperature": 0.5, "top_p": 0.9, "top_k": 4, "stop_sequences": ["END"]}
    made = compile_export({"request": request, "response": MESSAGE}, ANTHROPIC, "telemetry")
    assert {name: value for name, value in made.output.items() if name.startswith("gen_ai.request.")} == {
        "gen_ai.request.model": "m",
        "gen_ai.request.max_tokens": 64,
        "gen_ai.request.temperature": 0.5,
        "gen_ai.request.top_p": 0.9,
        "gen_ai.request.top_k": 4,
        "gen_ai.request.stop_sequences": ["END"],
    }
    assert made.diagnostics == ()
    both = Profile(ANTHROPIC, temperature_with_top_p=True)
    assert compile_export(made.output, "telemetry", both).output["request"] == request


def test_what_the_schemas_cannot_hold_is_named() -> None:
    pair = message(
        {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"},
        {"type": "redacted_thinking", "data": "eA=="},
        {"type": "text", "text": "Sunny."},
        stop_reason="stop_sequence",
        stop_sequence="END",
    )
    failed = {"type": "tool_result", "tool_use_id": "c1", "content": "No.", "is_error": True}
    pair["request"] = {
        **pair["request"],
        "messages": [*pair["request"]["messages"][:2], {"role": "user", "content": [failed]}],
    }
    done = compile_export(pair, ANTHROPIC, "telemetry")
    assert done.output[OUTPUT][0]["parts"] == [
        {"type": "reasoning", "content": "Hm."},
        {"type": "text", "content": "Sunny."},
    ]
    assert {(one.code, one.path) for one in done.diagnostics} == {
        ("EXP-5", "/request/messages/2/content/0/is_error"),
        ("EXP-5", "/response/content/0/signature"),
        ("EXP-5", "/response/content/1"),
        ("EXP-1", "/response/stop_sequence"),
        ("EXP-6", "/response/stop_reason"),
    }
    with pytest.raises(Unrepresentable):
        compile_export(pair, ANTHROPIC, "telemetry", strict=True)


def test_tools_that_the_provider_ran() -> None:
    call = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "rain"}}
    hit = {"type": "web_search_result", "url": "https://example.com", "title": "Rain", "encrypted_content": "eA=="}
    result = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [hit]}
    done = compile_export(message(call, result, {"type": "text", "text": "Yes."}), ANTHROPIC, "telemetry")
    assert done.output[OUTPUT][0]["parts"][:2] == [
        {
            "type": "server_tool_call",
            "id": "s1",
            "name": "web_search",
            "server_tool_call": {"type": "web_search", "queries": ["rain"]},
        },
        {
            "type": "server_tool_call_response",
            "id": "s1",
            "server_tool_call_response": {
                "type": "web_search",
                "results": [{"url": "https://example.com", "title": "Rain"}],
            },
        },
    ]
    lost = [one.path for one in done.diagnostics if one.severity == "loss"]
    assert lost == ["/response/content/1/content/0/encrypted_content"]


@pytest.mark.parametrize("arguments", ["{", '"x"', '{"a": NaN}', "[" * 100_000])
def test_arguments_that_are_no_object_stay_text(arguments: str) -> None:
    call = {"id": "c9", "type": "function", "function": {"name": "weather", "arguments": arguments}}
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": None, "tool_calls": [call]},
        "finish_reason": "tool_calls",
    }
    pair = {"request": PAIRS[CHAT]["request"], "response": {**COMPLETION, "choices": [choice]}}
    made = compile_export(pair, CHAT, "telemetry").output
    assert made[OUTPUT][0]["parts"][0]["arguments"] == arguments


def test_attributes_may_be_text() -> None:
    made = compile_export(PAIRS[ANTHROPIC], ANTHROPIC, "telemetry").output
    texts = {name: json.dumps(value) if isinstance(value, list) else value for name, value in made.items()}
    assert compile_export(texts, "telemetry", ANTHROPIC).output == PAIRS[ANTHROPIC]


def test_several_candidates() -> None:
    choices = [{**COMPLETION["choices"][0], "index": index} for index in range(2)]
    pair = {"request": {**PAIRS[CHAT]["request"], "n": 2}, "response": {**COMPLETION, "choices": choices}}
    made = compile_export(pair, CHAT, "telemetry").output
    assert made[OUTPUT] == [SUNNY, SUNNY]
    assert made["gen_ai.request.choice.count"] == 2
    assert compile_export(made, "telemetry", CHAT).output["response"]["choices"][1]["message"]["content"] == "Sunny."


def test_what_is_no_part_of_the_exchange_is_named() -> None:
    part = {"type": "video_call", "content": "x"}
    attributes = {
        "gen_ai.operation.name": "chat",
        INPUT: [{"role": "user", "parts": [{"type": "text", "content": "Hi", "colour": 1}, part], "mood": "good"}],
        TOOLS: [{"type": "retrieval", "name": "docs"}],
    }
    done = compile_export(attributes, "telemetry", CHAT, model="m")
    assert done.output == {"request": {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}}
    assert {(one.code, one.path) for one in done.diagnostics} == {
        ("EXP-1", "/gen_ai.operation.name"),
        ("UNK-1", f"/{INPUT}/0/mood"),
        ("UNK-1", f"/{INPUT}/0/parts/0/colour"),
        ("UNK-2", f"/{INPUT}/0/parts/1"),
        ("UNK-3", f"/{TOOLS}/0"),
    }
    with pytest.raises(Unrepresentable) as caught:
        compile_export(attributes, "telemetry", CHAT, model="m", strict=True)
    assert caught.value.rule in ("UNK-1", "UNK-2")


@pytest.mark.parametrize(
    ("attributes", "rule", "path"),
    [
        ([], "SHP-1", ""),
        ({INPUT: "["}, "SHP-6", f"/{INPUT}"),
        ({INPUT: {}}, "SHP-1", f"/{INPUT}"),
        ({INPUT: [3]}, "SHP-1", f"/{INPUT}/0"),
        ({INPUT: [{"parts": []}]}, "SHP-2", f"/{INPUT}/0"),
        ({INPUT: [{"role": "judge", "parts": []}]}, "SHP-3", f"/{INPUT}/0/role"),
        ({INPUT: [{"role": "user", "parts": ["x"]}]}, "SHP-1", f"/{INPUT}/0/parts/0"),
        ({INPUT: [{"role": "user", "parts": [{"type": "text"}]}]}, "SHP-2", f"/{INPUT}/0/parts/0"),
        ({"gen_ai.request.temperature": "hot"}, "SHP-1", "/gen_ai.request.temperature"),
        ({"gen_ai.request.max_tokens": True}, "SHP-1", "/gen_ai.request.max_tokens"),
        ({TOOLS: [{"type": "function", "name": "f", "parameters": "x"}]}, "SHP-1", f"/{TOOLS}/0/parameters"),
    ],
)
def test_bad_attributes_are_refused(attributes: Any, rule: str, path: str) -> None:
    with pytest.raises(TranslationError) as caught:
        compile_export(attributes, "telemetry", ANTHROPIC, model="m")
    assert (caught.value.rule, caught.value.path) == (rule, path)


def test_the_names_are_those_of_the_official_package() -> None:
    needs_stated("opentelemetry-semantic-conventions")
    official = pytest.importorskip(
        "opentelemetry.semconv._incubating.attributes.gen_ai_attributes",
        reason="the package opentelemetry-semantic-conventions is not installed",
    )
    names = {value for name, value in vars(official).items() if name.startswith("GEN_AI_")}
    assert names | {"error.type"} >= KNOWN_ATTRIBUTES


def test_gemini_schemas_become_json_schemas() -> None:
    declared = {"name": "weather", "parameters": {"type": "OBJECT", "properties": {"city": {"type": "STRING"}}}}
    request = {**PAIRS[GEMINI]["request"], "tools": [{"functionDeclarations": [declared]}]}
    made = compile_export({**PAIRS[GEMINI], "request": request}, GEMINI, "telemetry").output
    assert made[TOOLS] == DEFINITIONS
    assert compile_export(made, "telemetry", RESPONSES).output["request"]["tools"][0]["parameters"] == SCHEMA


def test_findings_point_to_the_attribute() -> None:
    attributes = {
        "gen_ai.request.model": "m",
        "gen_ai.request.seed": 4,
        "gen_ai.request.stop_sequences": ["."],
        "gen_ai.input.messages": [{"role": "user", "parts": [{"type": "text", "content": "Hi"}]}],
    }
    done = compile_export(attributes, "telemetry", RESPONSES)
    assert {(one.code, one.path) for one in done.diagnostics} == {
        ("SMP-11", "/gen_ai.request.stop_sequences"),
        ("SMP-10", "/gen_ai.request.seed"),
        ("CAP-4", ""),
    }


def test_facts_about_a_response_that_is_not_there_are_named() -> None:
    """As in spans that hold no output."""
    attributes = {
        "gen_ai.request.model": "m",
        "gen_ai.input.messages": [{"role": "user", "parts": [{"type": "text", "content": "Hi"}]}],
        "gen_ai.response.id": "r1",
        "gen_ai.response.finish_reasons": ["stop"],
        "gen_ai.usage.input_tokens": 9,
    }
    done = compile_export(attributes, "telemetry", CHAT)
    assert set(done.output) == {"request"}
    assert [(one.code, one.path) for one in done.diagnostics] == [
        ("EXP-1", "/gen_ai.response.id"),
        ("EXP-1", "/gen_ai.response.finish_reasons"),
        ("EXP-1", "/gen_ai.usage.input_tokens"),
    ]


def test_finish_reasons_that_messages_do_not_repeat_are_named() -> None:
    attributes = {
        "gen_ai.request.model": "m",
        "gen_ai.response.model": "m",
        "gen_ai.input.messages": [{"role": "user", "parts": [{"type": "text", "content": "Hi"}]}],
        "gen_ai.output.messages": [
            {"role": "assistant", "parts": [{"type": "text", "content": "Hello"}], "finish_reason": "stop"}
        ],
        "gen_ai.response.finish_reasons": ["length", "stop"],
    }
    done = compile_export(attributes, "telemetry", CHAT)
    named = [(one.code, one.path) for one in done.diagnostics if "finish_reasons" in one.path]
    assert named == [
        ("EXP-1", "/gen_ai.response.finish_reasons/0"),
        ("EXP-1", "/gen_ai.response.finish_reasons/1"),
    ]


HI = [{"role": "user", "parts": [{"type": "text", "content": "Hi"}]}]
ASKED: dict[str, Any] = {"gen_ai.request.model": "m", "gen_ai.request.max_tokens": 9, INPUT: HI}


def answered(word: str, *parts: Any) -> dict[str, Any]:
    return {**ASKED, OUTPUT: [{"role": "assistant", "parts": list(parts) or HI[0]["parts"], "finish_reason": word}]}


def test_operation_and_provider_are_stated() -> None:
    for src, provider in ((ANTHROPIC, "anthropic"), (RESPONSES, "openai"), (GEMINI, "gcp.gemini")):
        made = compile_export(PAIRS[src], src, "telemetry").output
        assert (made["gen_ai.operation.name"], made["gen_ai.provider.name"]) == ("chat", provider)


def test_a_request_alone_and_one_that_failed() -> None:
    request = {**PAIRS[ANTHROPIC]["request"], "stream": True}
    alone = compile_export({"request": request}, ANTHROPIC, "telemetry")
    assert alone.output["gen_ai.request.stream"] is True
    assert OUTPUT not in alone.output
    assert alone.diagnostics == ()
    failed = {"type": "error", "error": {"type": "rate_limit_error", "message": "Slow down"}}
    done = compile_export({"request": request, "response": failed}, ANTHROPIC, "telemetry")
    assert done.output == {**alone.output, "error.type": "rate_limit_error"}
    assert [(one.code, one.path) for one in done.diagnostics] == [("EXP-1", "/response/error/message")]
    lost = {**PAIRS[RESPONSES]["response"], "status": "failed", "error": {"code": "server_error", "message": "Lost"}}
    made = compile_export({**PAIRS[RESPONSES], "response": lost}, RESPONSES, "telemetry").output
    assert made["error.type"] == "server"
    back = compile_export(done.output, "telemetry", ANTHROPIC)
    assert back.output == {"request": request}
    assert ("EXP-1", "/error.type") in [(one.code, one.path) for one in back.diagnostics]


def test_the_form_of_the_output() -> None:
    json_object = {**PAIRS[CHAT]["request"], "response_format": {"type": "json_object"}}
    done = compile_export({"request": json_object, "response": COMPLETION}, CHAT, "telemetry")
    assert done.output["gen_ai.output.type"] == "json"
    assert [one.code for one in done.diagnostics if one.severity == "loss"] == []
    schema = {"type": "json_schema", "json_schema": {"name": "x", "schema": SCHEMA}}
    done = compile_export({"request": {**json_object, "response_format": schema}}, CHAT, "telemetry")
    assert done.output["gen_ai.output.type"] == "json"
    assert [one.path for one in done.diagnostics if one.severity == "loss"] == ["/request/response_format"]


@pytest.mark.parametrize(("given", "read"), [(9.0, 9), ("9", 9), ("-9", -9), (9, 9)])
def test_whole_numbers_as_tables_and_otlp_have_them(given: Any, read: int) -> None:
    made = compile_export({**ASKED, "gen_ai.request.seed": given}, "telemetry", CHAT).output
    assert made["request"]["seed"] == read
    assert type(made["request"]["seed"]) is int


@pytest.mark.parametrize("given", [9.5, "nine", "9" * 40, float("inf"), True])
def test_what_is_no_whole_number(given: Any) -> None:
    with pytest.raises(TranslationError) as caught:
        compile_export({**ASKED, "gen_ai.request.seed": given}, "telemetry", CHAT)
    assert (caught.value.rule, caught.value.path) == ("SHP-1", "/gen_ai.request.seed")


def test_what_pydantic_ai_writes() -> None:
    """`otel_message_parts` of its messages, with the content that is not in the schemas."""
    result = {"type": "tool_call_response", "id": "c1", "name": "weather", "result": "31 C"}
    thought = {"type": "thinking", "content": "Hm."}
    ran = {"type": "tool_call", "id": "s1", "name": "search", "arguments": {}, "builtin": True}
    attributes = {
        **ASKED,
        INPUT: [*HI, {"role": "assistant", "parts": [thought, ran, CALL]}, {"role": "user", "parts": [result]}],
    }
    done = compile_export(attributes, "telemetry", CHAT)
    assistant, tool = done.output["request"]["messages"][1:]
    assert (assistant["reasoning_content"], assistant["tool_calls"]) == ("Hm.", [CALLED])
    assert tool == {"role": "tool", "tool_call_id": "c1", "content": "31 C"}
    assert ("UNK-2", f"/{INPUT}/1/parts/1") in [(one.code, one.path) for one in done.diagnostics]


def test_what_the_official_types_of_pydantic_ai_give() -> None:
    messages = pytest.importorskip("pydantic_ai.messages", reason="pydantic-ai is not installed")
    settings = pytest.importorskip("pydantic_ai.models.instrumented").InstrumentationSettings()
    answer = messages.ModelResponse(
        [messages.ThinkingPart("Hm."), messages.ToolCallPart("weather", {"city": "Rome"}, tool_call_id="c1")]
    )
    returned = messages.ModelRequest([messages.ToolReturnPart("weather", "31 C", tool_call_id="c1")])
    asked = messages.ModelRequest([messages.UserPromptPart(["Hi", messages.ImageUrl("https://example.com/a.png")])])
    written = settings.messages_to_otel_messages([asked, answer, returned])
    done = compile_export({**ASKED, INPUT: json.loads(json.dumps(written))}, "telemetry", ANTHROPIC)
    first, second, third = done.output["request"]["messages"]
    assert [block["type"] for block in first["content"]] == ["text", "image"]
    assert second["content"][-1]["input"] == {"city": "Rome"}
    assert third["content"][0]["content"] == "31 C"


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ({"type": "uri", "uri": "https://x.com/a", "mime_type": "image/png"}, "image"),
        ({"type": "uri", "uri": "https://x.com/a.pdf"}, "document"),
        ({"type": "blob", "content": "AAAA", "mime_type": "application/pdf"}, "document"),
        ({"type": "binary", "content": "AAAA", "media_type": "image/png"}, "image"),
        ({"type": "image-url", "url": "https://x.com/a"}, "image"),
        ({"type": "document-url", "url": "https://x.com/a"}, "document"),
    ],
)
def test_media_without_a_modality(part: dict[str, Any], expected: str) -> None:
    made = compile_export({**ASKED, INPUT: [{"role": "user", "parts": [part]}]}, "telemetry", ANTHROPIC).output
    assert [block["type"] for block in made["request"]["messages"][0]["content"]] == [expected]


@pytest.mark.parametrize(
    ("word", "expected"),
    [("end_turn", "stop"), ("max_tokens", "length"), ("MAX_TOKENS", "length"), ("SAFETY", "content_filter")],
)
def test_vendors_words_for_endings(word: str, expected: str) -> None:
    done = compile_export(answered(word), "telemetry", CHAT)
    assert done.output["response"]["choices"][0]["finish_reason"] == expected
    assert "FIN-7" not in done.rules


def test_earlier_names_count_where_the_present_one_is_missing() -> None:
    usage = {"gen_ai.usage.prompt_tokens": 100, "gen_ai.usage.cache_read.input_tokens": 10}
    written = {"gen_ai.usage.cache_write.input_tokens": 60, "gen_ai.usage.output_tokens": 5}
    done = compile_export({**answered("stop"), **usage, **written}, "telemetry", ANTHROPIC)
    assert done.output["response"]["usage"] == {
        "input_tokens": 30,
        "cache_read_input_tokens": 10,
        "cache_creation_input_tokens": 60,
        "output_tokens": 5,
    }
    both = {**answered("stop"), **usage, "gen_ai.usage.input_tokens": 50}
    done = compile_export(both, "telemetry", ANTHROPIC)
    assert done.output["response"]["usage"]["input_tokens"] == 40
    assert ("UNK-6", "/gen_ai.usage.prompt_tokens") in [(one.code, one.path) for one in done.diagnostics]


@pytest.mark.parametrize(
    ("attributes", "named"),
    [
        ({"gen_ai.prompt.0.content": "Hi"}, "'gen_ai.prompt.0.content' (OpenLLMetry)"),
        ({"llm.input_messages.0.message.content": "Hi"}, "'llm.input_messages.0.message.content' (OpenInference)"),
        ({"input": {"messages": []}, "output": {}}, "'input' (Langfuse)"),
        ({"attributes": {"a": 1}}, "'attributes' (OTLP)"),
        ([{"key": "llm.input_messages.0.message.role", "value": {"stringValue": "b"}}], "(OpenInference)"),
        ({"gen_ai.request.model": "m"}, "recorded without content"),
        ({INPUT: [{"role": "user", "parts": [{"type": "text"}]}]}, "recorded without content"),
    ],
)
def test_other_layouts_are_named(attributes: Any, named: str) -> None:
    with pytest.raises(TranslationError) as caught:
        compile_export(attributes, "telemetry", ANTHROPIC, model="m")
    assert named in str(caught.value)


def test_content_of_another_layout_beside_messages_is_a_loss() -> None:
    done = compile_export({**ASKED, "gen_ai.prompt.0.content": "Hi", "note": 1}, "telemetry", ANTHROPIC)
    assert [(one.code, one.path) for one in done.diagnostics] == [
        ("UNK-1", "/gen_ai.prompt.0.content"),
        ("UNK-6", "/note"),
    ]


def test_tools_as_openai_nests_them() -> None:
    nested = {"type": "function", "function": {"name": "weather", "parameters": SCHEMA}}
    made = compile_export({**ASKED, TOOLS: [nested]}, "telemetry", ANTHROPIC).output
    assert made["request"]["tools"] == [{"name": "weather", "input_schema": SCHEMA}]


def test_an_effort_is_read() -> None:
    done = compile_export({**ASKED, "gen_ai.request.reasoning.level": "high"}, "telemetry", RESPONSES)
    assert done.output["request"]["reasoning"]["effort"] == "high"
    done = compile_export({**ASKED, "gen_ai.request.reasoning.level": "huge"}, "telemetry", RESPONSES)
    assert ("EXP-2", "/gen_ai.request.reasoning.level") in [(one.code, one.path) for one in done.diagnostics]


def test_attributes_as_otlp_lists_them() -> None:
    """OTLP's JSON has a list of keys and typed values, also for what is nested."""

    def typed(value: Any) -> Any:
        if isinstance(value, list):
            return {"arrayValue": {"values": [typed(one) for one in value]}}
        if isinstance(value, dict):
            return {"kvlistValue": {"values": [{"key": name, "value": typed(one)} for name, one in value.items()]}}
        if isinstance(value, int):
            return {"intValue": str(value)}
        return {"doubleValue": value} if isinstance(value, float) else {"stringValue": value}

    call = {"type": "tool_call", "id": "c", "name": "f", "arguments": {"x": 1, "y": {}}}
    attributes: dict[str, Any] = {
        "gen_ai.request.model": "m",
        "gen_ai.request.max_tokens": 9,
        "gen_ai.request.temperature": 0.5,
        "gen_ai.input.messages": [
            {"role": "user", "parts": [{"type": "text", "content": "Hi"}]},
            {"role": "assistant", "parts": [call]},
            {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c", "response": "31 C"}]},
        ],
    }
    plain = compile_export(attributes, "telemetry", ANTHROPIC)
    assert plain.output["request"]["messages"][1]["content"][0]["input"] == {"x": 1, "y": {}}
    nested = [{"key": name, "value": typed(value)} for name, value in attributes.items()]
    as_text = [{"key": "gen_ai.input.messages", "value": {"stringValue": json.dumps(attributes[INPUT])}}, *nested[:3]]
    for found in (nested, as_text):
        done = compile_export(found, "telemetry", ANTHROPIC)
        assert (done.output, done.diagnostics) == (plain.output, plain.diagnostics)


@pytest.mark.parametrize(
    ("listed", "rule", "path"),
    [
        ([3], "SHP-1", "/0"),
        ([{"key": "a"}, {"key": "a"}], "SHP-1", "/1"),
        ([{"key": "a", "values": 3}], "SHP-1", "/0"),
        ([{"key": "a", "value": "b"}], "SHP-1", "/0/value"),
        ([{"key": "a", "value": {"oddValue": "b"}}], "SHP-3", "/0/value"),
        ([{"key": "a", "value": {"arrayValue": 3}}], "SHP-3", "/0/value"),
        ([{"key": "a", "value": {"arrayValue": {"values": 3}}}], "SHP-3", "/0/value"),
        ([{"key": "a", "value": {"kvlistValue": {"values": "b"}}}], "SHP-3", "/0/value"),
    ],
)
def test_bad_lists_of_attributes_are_refused(listed: Any, rule: str, path: str) -> None:
    with pytest.raises(TranslationError) as caught:
        compile_export(listed, "telemetry", ANTHROPIC, model="m")
    assert (caught.value.rule, caught.value.path) == (rule, path)
