"""Responses as compatible chat servers write them: each member means what it means there, or is named."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir
from proxai_ir.testing.payloads import canonical

from .samples.sample import Json

ANTHROPIC, CHAT, RESPONSES = "anthropic_messages", "openai_chat_completions", "openai_responses"
GEMINI = "gemini_generate_content"
TARGETS = [ANTHROPIC, RESPONSES, GEMINI]

PAGE: Json = {
    "type": "url_citation",
    "url_citation": {"url": "https://sea.example/", "title": "Sea", "start_index": 0, "end_index": 2},
}
FILE = {"type": "file", "file": {"hash": "h", "name": "a.pdf", "content": [{"type": "text", "text": "Tides"}]}}
SEARCH = {"id": "t0", "type": "builtin_function", "function": {"name": "search", "arguments": '{"q":1}'}}


def response(message: Json, finish: str = "stop", **members: Any) -> Json:
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
    return {"id": "c1", "object": "chat.completion", "created": 7, "model": "m", "choices": [choice], **members}


def stream(*deltas: Json, finish: str = "stop") -> list[Any]:
    def chunk(delta: Json, reason: str | None) -> Json:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return {"id": "c1", "object": "chat.completion.chunk", "created": 7, "model": "m", "choices": [choice]}

    return [*(chunk(delta, None) for delta in deltas), chunk({}, finish), "[DONE]"]


def losses(payload: Any, dst: str) -> list[tuple[str, str]]:
    found = proxai_ir.compile(payload, CHAT, dst, kind="response").diagnostics
    return [(one.code, one.path) for one in found if one.severity == "loss"]


def streamed(events: list[Any], dst: str) -> tuple[list[Any], list[tuple[str, str]]]:
    converter = proxai_ir.StreamConverter(CHAT, dst)
    made = [one for event in events for one in converter.feed(event)] + list(converter.close())
    return made, [(one.code, one.path) for one in converter.diagnostics if one.severity == "loss"]


def again(payload: Json) -> Any:
    """The payload after the way through the IR."""
    return proxai_ir.raise_to(proxai_ir.lower(payload, CHAT, kind="response"), CHAT)


# --- annotations ------------------------------------------------------------------------------------------------------


def test_an_annotation_of_a_file_takes_no_citation_of_a_page_with_it() -> None:
    """OpenRouter annotates the files that it read for the model, beside the pages of its searches (CIT-1)."""
    payload = response({"content": "Hi", "annotations": [FILE, PAGE]})
    done = proxai_ir.compile(payload, CHAT, RESPONSES)
    assert done.output["output"][0]["content"][0]["annotations"] == [{"type": "url_citation"} | PAGE["url_citation"]]
    assert losses(payload, RESPONSES) == [("CIT-1", "/choices/0/message/annotations/0")]
    assert canonical(again(payload)) == canonical(payload)


def test_it_takes_none_with_it_in_a_stream() -> None:
    made, lost = streamed(stream({"role": "assistant", "content": "Hi"}, {"annotations": [FILE, PAGE]}), RESPONSES)
    assert made[-1]["response"]["output"][0]["content"][0]["annotations"] == [
        {"type": "url_citation"} | PAGE["url_citation"]
    ]
    assert lost == [("CIT-1", "/1/choices/0/delta/annotations/0")]


# --- functions of the server ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dst", TARGETS)
def test_a_call_of_a_servers_own_function_is_a_call(dst: str) -> None:
    """Kimi's `builtin_function` is called by the client: without the call the response would look finished (UNK-4)."""
    payload = response({"content": None, "tool_calls": [SEARCH]}, "tool_calls")
    done = proxai_ir.compile(payload, CHAT, dst)
    assert proxai_ir.convert(done.output, dst, CHAT, kind="response")["choices"][0]["finish_reason"] == "tool_calls"
    assert losses(payload, dst) == [("UNK-4", "/choices/0/message/tool_calls/0/type")]
    assert canonical(again(payload)) == canonical(payload)


def test_it_is_a_call_in_a_stream() -> None:
    begun = {"index": 0, **SEARCH, "function": {"name": "search", "arguments": ""}}
    grown = {"index": 0, "function": {"arguments": '{"q":1}'}}
    made, lost = streamed(stream({"tool_calls": [begun]}, {"tool_calls": [grown]}, finish="tool_calls"), ANTHROPIC)
    assert made[1]["content_block"] == {"type": "tool_use", "id": "t0", "name": "search", "input": {}}
    assert made[-2]["delta"]["stop_reason"] == "tool_use"
    assert lost == [("UNK-4", "/0/choices/0/delta/tool_calls/0/type")]


def test_it_is_a_call_in_the_history() -> None:
    payload = {
        "model": "m",
        "max_tokens": 64,
        "messages": [
            {"role": "user", "content": "Tides?"},
            {"role": "assistant", "content": None, "tool_calls": [SEARCH]},
            {"role": "tool", "tool_call_id": "t0", "content": "High."},
        ],
    }
    assert proxai_ir.convert(payload, CHAT, ANTHROPIC)["messages"][1:] == [
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t0", "name": "search", "input": {"q": 1}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t0", "content": "High."}]},
    ]
    assert proxai_ir.raise_to(proxai_ir.lower(payload, CHAT), CHAT) == payload


# --- members that say nothing -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("dst", TARGETS)
@pytest.mark.parametrize(
    "members",
    [
        {"name": "MiniMax AI", "audio_content": ""},
        {"provider_specific_fields": {"refusal": None}},
        {
            "reasoning_content": "Hm.",
            "thinking_blocks": [{"type": "thinking", "thinking": "Hm."}],
            "provider_specific_fields": {
                "citations": None,
                "thinking_blocks": [{"type": "thinking", "thinking": "Hm."}],
            },
        },
    ],
    ids=["MiniMax", "LiteLLM", "LiteLLM's Claude"],
)
def test_labels_and_copies_are_no_loss(members: Json, dst: str) -> None:
    payload = response({"content": "Hi", **members})
    assert losses(payload, dst) == []
    assert canonical(again(payload)) == canonical(payload)
    assert streamed(stream({"role": "assistant", "content": "Hi", **members}), dst)[1] == []


def test_what_stands_there_alone_is_a_loss() -> None:
    payload = response({"content": "Hi", "provider_specific_fields": {"citations": [[{"type": "char_location"}]]}})
    assert losses(payload, ANTHROPIC) == [("UNK-1", "/choices/0/message/provider_specific_fields")]


# --- usage ------------------------------------------------------------------------------------------------------------


def test_what_qwen_writes_into_its_cache_is_counted() -> None:
    details = {"cached_tokens": 0, "cache_creation_input_tokens": 90, "cache_type": "ephemeral"}
    usage = {"prompt_tokens": 100, "completion_tokens": 1, "total_tokens": 101, "prompt_tokens_details": details}
    payload = response({"content": "Hi"}, usage=usage)
    assert proxai_ir.convert(payload, CHAT, ANTHROPIC)["usage"] == {
        "input_tokens": 10,
        "cache_creation_input_tokens": 90,
        "cache_read_input_tokens": 0,
        "output_tokens": 1,
    }
    assert canonical(again(payload)) == canonical(payload)


# --- pages ------------------------------------------------------------------------------------------------------------


def test_a_page_that_could_not_be_opened_is_no_completed_one() -> None:
    pages = [
        {"retrievedUrl": "https://sea.example/", "urlRetrievalStatus": "URL_RETRIEVAL_STATUS_SUCCESS"},
        {"retrievedUrl": "https://gone.example/", "urlRetrievalStatus": "URL_RETRIEVAL_STATUS_ERROR"},
    ]
    content = {"role": "model", "parts": [{"text": "Hi"}]}
    candidate = {"content": content, "finishReason": "STOP", "urlContextMetadata": {"urlMetadata": pages}}
    made = proxai_ir.convert({"candidates": [candidate], "modelVersion": "m"}, GEMINI, RESPONSES)
    assert [one["status"] for one in made["output"]] == ["completed", "failed", "completed"]


def test_it_is_none_in_a_stream() -> None:
    page = {"retrievedUrl": "https://gone.example/", "urlRetrievalStatus": "URL_RETRIEVAL_STATUS_UNSAFE"}
    candidate = {
        "content": {"role": "model", "parts": [{"text": "Hi"}]},
        "finishReason": "STOP",
        "urlContextMetadata": {"urlMetadata": [page]},
    }
    made = proxai_ir.convert([{"candidates": [candidate], "modelVersion": "m"}], GEMINI, RESPONSES)
    assert [one["status"] for one in made[-1]["response"]["output"]] == ["completed", "failed"]
    assert "response.web_search_call.completed" not in {one["type"] for one in made}


# --- errors -----------------------------------------------------------------------------------------------------------

NAMED: list[tuple[Json, str]] = [
    ({"statusCode": 401, "message": "Unauthorized. Access token is missing."}, "authentication_error"),
    ({"error": {"message": "Too many.", "type": "rate_limit_reached_error"}}, "rate_limit_error"),
    ({"error": {"message": "Later.", "type": "engine_overloaded_error"}}, "overloaded_error"),
    ({"error": {"message": "Who?", "type": "invalid_authentication_error"}}, "authentication_error"),
    ({"code": "Arrearage", "message": "Access denied.", "request_id": "r1"}, "billing_error"),
    ({"code": "DataInspectionFailed", "message": "No.", "request_id": "r1"}, "invalid_request_error"),
    ({"error": {"message": "Slowly.", "type": "limit_requests", "code": "limit_requests"}}, "rate_limit_error"),
    ({"code": "InvalidParameter", "message": "No messages.", "request_id": "r1"}, "invalid_request_error"),
    ({"error": {"message": "Gone.", "code": "model_decommissioned"}}, "not_found_error"),
    ({"error": {"message": "Top up.", "code": "1113"}}, "billing_error"),
    ({"error": {"message": "Not so often.", "code": "1302"}}, "rate_limit_error"),
    ({"error": {"message": "Which?", "code": "1211"}}, "not_found_error"),
]


@pytest.mark.parametrize(("body", "kind"), NAMED, ids=lambda value: str(value)[:40])
def test_a_servers_own_words_and_statuses_name_the_category(body: Json, kind: str) -> None:
    assert proxai_ir.convert(body, CHAT, ANTHROPIC, kind="error")["error"]["type"] == kind
    assert proxai_ir.raise_to(proxai_ir.lower(body, CHAT, kind="error"), CHAT) == body


@pytest.mark.parametrize(("status", "kind"), [(500, "api_error"), (503, "overloaded_error"), (429, "rate_limit_error")])
def test_a_number_of_another_server_means_nothing(status: int, kind: str) -> None:
    """Z.AI has the code for keys that it does not know, and Mistral for failures of its own; its errors have a type."""
    body: Json = {"object": "error", "message": "Service unavailable.", "type": "internal_server_error", "param": None}
    made = proxai_ir.convert({**body, "code": "1000"}, CHAT, ANTHROPIC, kind="error", status=status)
    assert made["error"]["type"] == kind


def test_what_a_model_generated_in_vain_is_a_detail_of_its_server() -> None:
    failed = {"message": "Not JSON.", "code": "json_validate_failed", "failed_generation": "{"}
    made = proxai_ir.compile({"error": failed}, CHAT, ANTHROPIC, kind="error")
    assert made.output["error"] == {"type": "invalid_request_error", "message": "Not JSON."}
    assert ("loss", "ERR-4", "/error/failed_generation") in {
        (one.severity, one.rule, one.path) for one in made.diagnostics
    }


def test_a_message_may_be_an_object() -> None:
    """Mistral's 422 says what is wrong with each member."""
    detail = {"detail": [{"loc": ["body", "x"], "msg": "Extra inputs are not permitted"}]}
    body = {"object": "error", "message": detail, "type": "invalid_request_error", "raw_status_code": 422}
    assert proxai_ir.convert(body, CHAT, ANTHROPIC, kind="error") == {
        "type": "error",
        "error": {
            "type": "invalid_request_error",
            "message": '{"detail":[{"loc":["body","x"],"msg":"Extra inputs are not permitted"}]}',
        },
    }
    assert proxai_ir.raise_to(proxai_ir.lower(body, CHAT, kind="error"), CHAT) == body


# --- order ------------------------------------------------------------------------------------------------------------


def test_an_empty_text_behind_an_image_loses_no_order() -> None:
    """Responses ends an answer that is an image by an empty message (PLC-4)."""
    said = {"type": "output_text", "text": "", "annotations": []}
    output = [
        {"type": "image_generation_call", "id": "ig_1", "status": "completed", "result": "iVBORw0KGgo="},
        {"type": "message", "id": "m1", "role": "assistant", "status": "completed", "content": [said]},
    ]
    body = {"id": "r1", "object": "response", "created_at": 7, "model": "m", "status": "completed", "output": output}
    made = proxai_ir.compile(body, RESPONSES, CHAT)
    assert [one for one in made.diagnostics if one.severity == "loss"] == []
    assert len(made.output["choices"][0]["message"]["images"]) == 1
