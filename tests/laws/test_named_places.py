"""What becomes of a leaf is reported where it stands, also where what it is about stands elsewhere (LOS-1)."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir

from ..samples import PROTOCOLS, of, others
from ..samples.sample import Json

COHERE, OLLAMA, RESPONSES = "cohere_v2_chat", "ollama_chat", "openai_responses"
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def places(payload: Any, src: str, dst: str, kind: Any = "request") -> dict[str, str]:
    """The rules of the findings, by place."""
    return {one.path: one.rule for one in proxai_ir.check(payload, src, dst, kind=kind, model="m")}


FUNCTION: Json = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}


@pytest.mark.parametrize("dst", others(COHERE))
def test_a_setting_for_all_tools_is_named_and_the_tools_are_not(dst: str) -> None:
    """`strict_tools` of a request, where each tool has the field."""
    asked: Json = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "tools": [FUNCTION, FUNCTION]}
    asked["tools"] = [FUNCTION, {"type": "function", "function": {"name": "g", "parameters": {"type": "object"}}}]
    for strict in (True, False):
        found = places({**asked, "strict_tools": strict, "tool_choice": "REQUIRED"}, COHERE, dst)
        assert not {place for place, rule in found.items() if rule in ("SCH-10", "SCH-15", "SMP-6")} - {"/strict_tools"}


def test_members_of_a_tool_that_nobody_knows_are_named_beside_it() -> None:
    tool = {"type": "function", "beam": 1, "function": {**FUNCTION["function"], "ray": 2}}
    asked = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "tools": [tool], "strict_tools": True}
    found = places(asked, COHERE, OLLAMA)
    assert found["/tools/0/beam"] == found["/tools/0/function/ray"] == "UNK-1"
    assert found["/strict_tools"] == "SCH-10"
    assert proxai_ir.raise_to(proxai_ir.lower(asked, COHERE, kind="request"), COHERE) == asked


@pytest.mark.parametrize("dst", others(OLLAMA))
def test_the_position_of_a_call_is_named(dst: str) -> None:
    call = {"id": "c", "function": {"name": "f", "arguments": {}, "index": 0}}
    message = {"role": "assistant", "content": "", "tool_calls": [call]}
    response = {"model": "m", "created_at": "2026-01-01T00:00:00Z", "message": message, "done": True}
    found = places({**response, "done_reason": "stop"}, OLLAMA, dst, "response")
    assert found["/message/tool_calls/0/function/index"] == "ENV-1"


@pytest.mark.parametrize("dst", others(RESPONSES))
@pytest.mark.parametrize("namespace", ["crm", "f"])
def test_the_namespace_of_a_call_is_named_and_stands_in_its_name(dst: str, namespace: str) -> None:
    call = {"type": "function_call", "call_id": "c", "name": "f", "namespace": namespace, "arguments": "{}"}
    response = {"id": "r", "object": "response", "created_at": 0, "model": "m", "status": "completed", "output": [call]}
    assert places(response, RESPONSES, dst, "response")["/output/0/namespace"] == "TUL-25"
    made = proxai_ir.convert(response, RESPONSES, dst, kind="response")
    name = "f" if namespace == "f" else "crm__f"  # a search for tools gives a tool its own name as the namespace
    assert [one.name for turn in _turns(made, dst) for one in turn.parts] == [name]


def _turns(made: Json, protocol: str) -> Any:
    node: Any = proxai_ir.lower(made, protocol, kind="response")
    return node.candidates[0].turns


@pytest.mark.parametrize("dst", others(RESPONSES))
def test_an_item_that_changes_nothing_is_named(dst: str) -> None:
    asked = {"model": "m", "input": [{"role": "user", "content": "Hi"}, {"type": "configuration_update"}]}
    assert places(asked, RESPONSES, dst)["/input/1"] == "ENV-7"


@pytest.mark.parametrize("dst", others(COHERE))
def test_a_choice_without_tools_is_named(dst: str) -> None:
    asked = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "tool_choice": "NONE"}
    assert places(asked, COHERE, dst)["/tool_choice"] == "TUL-15"


WRONG_TYPES: dict[str, tuple[Json, str]] = {
    "bedrock_converse": (
        {"messages": [{"role": "user", "content": [{"image": {"format": "jpeg", "source": {"bytes": PNG}}}]}]},
        "/messages/0/content/0/image/format",
    ),
    "gemini_generate_content": (
        {"contents": [{"role": "user", "parts": [{"inlineData": {"mimeType": "image/jpeg", "data": PNG}}]}]},
        "/contents/0/parts/0/inlineData/mimeType",
    ),
    "gemini_interactions": (
        {"model": "m", "input": [{"type": "image", "mime_type": "image/jpeg", "data": PNG}]},
        "/input/0/mime_type",
    ),
}


@pytest.mark.parametrize("src", WRONG_TYPES)
@pytest.mark.parametrize("dst", ["openai_chat_completions", "anthropic_messages", "gemini_generate_content"])
def test_the_wrong_type_of_an_image_is_named_and_not_the_image(src: str, dst: str) -> None:
    asked, place = WRONG_TYPES[src]
    if src != dst:
        assert places(asked, src, dst)[place] == "SRC-4"


@pytest.mark.parametrize("dst", ["openai_chat_completions", "gemini_generate_content", "gemini_interactions"])
def test_the_wrong_format_of_an_image_that_was_generated_is_named(dst: str) -> None:
    image = {"type": "image_generation_call", "id": "ig", "status": "completed", "result": PNG}
    response = {"id": "r", "object": "response", "created_at": 0, "model": "m", "status": "completed"}
    response["output"] = [{**image, "output_format": "jpeg"}]
    assert places(response, RESPONSES, dst, "response")["/output/0/output_format"] == "SRC-4"


# --- what is written is of the target's own vocabulary ----------------------------------------------------------------


@pytest.mark.parametrize("src", PROTOCOLS)
def test_no_word_of_another_vendor_ends_a_response(src: str) -> None:
    """Each unknown word of the source, in every target."""
    for sample in of(src).of(src):
        if sample.kind != "response":
            continue
        payload = sample.make()
        for place in ("finish_reason", "stop_reason", "stopReason", "finishReason", "done_reason", "status"):
            _spell(payload, place)
        for dst in others(src):
            try:
                made = proxai_ir.compile(payload, src, dst, kind="response", model="m")
            except proxai_ir.TranslationError:
                continue
            assert made.kind == "error" or "tired_of_it" not in repr(made.output), dst


def _spell(value: Any, name: str) -> None:
    """Put an unknown word wherever a member of this name has one."""
    if isinstance(value, list):
        for one in value:
            _spell(one, name)
    elif isinstance(value, dict):
        if isinstance(value.get(name), str) and ("choices" not in value or name != "status"):
            value[name] = "tired_of_it"
        for one in value.values():
            _spell(one, name)


def test_json_among_documents_is_text_for_google() -> None:
    file = {"type": "input_file", "filename": "a.json", "file_data": "data:application/json;base64,e30="}
    asked = {"model": "m", "input": [{"role": "user", "content": [file]}]}
    made = proxai_ir.convert(asked, RESPONSES, "gemini_interactions", kind="request")
    document = {"type": "document", "data": "e30=", "mime_type": "text/plain"}
    assert made["input"] == [{"type": "user_input", "content": [document]}]
    made = proxai_ir.convert(asked, RESPONSES, "gemini_generate_content", kind="request")
    assert made["contents"][0]["parts"] == [{"inlineData": {"mimeType": "text/plain", "data": "e30="}}]


def test_ollama_gets_parameters_with_every_tool() -> None:
    asked = {
        "model": "m",
        "messages": [{"role": "user", "content": "Hi"}],
        "tools": [{"type": "function", "function": {"name": "f"}}],
    }
    made = proxai_ir.convert(asked, "openai_chat_completions", OLLAMA, kind="request")
    assert made["tools"][0]["function"]["parameters"] == {"type": "object", "properties": {}}


@pytest.mark.parametrize(
    "score", [{"token_ids": [1]}, {"token_ids": [1], "text": "Hi"}, {"token_ids": [1], "logprobs": [-1]}]
)
def test_a_score_without_its_text_or_value_refuses_no_response(score: Json) -> None:
    message = {"role": "assistant", "content": [{"type": "text", "text": "Hi"}]}
    response = {"id": "r", "finish_reason": "COMPLETE", "message": message, "logprobs": [score]}
    assert proxai_ir.raise_to(proxai_ir.lower(response, COHERE, kind="response"), COHERE) == response
    assert places(response, COHERE, "openai_chat_completions", "response")["/logprobs"] == "SMP-7"
    events = [
        {"type": "message-start", "id": "r", "delta": {"message": {"role": "assistant"}}},
        {"type": "content-start", "index": 0, "delta": {"message": {"content": {"type": "text", "text": ""}}}},
        {"type": "content-delta", "index": 0, "delta": {"message": {"content": {"text": "Hi"}}}, "logprobs": score},
        {"type": "content-end", "index": 0},
        {"type": "message-end", "delta": {"finish_reason": "COMPLETE"}},
    ]
    assert places(events, COHERE, "openai_chat_completions", "stream")["/2/logprobs"] == "SMP-7"
