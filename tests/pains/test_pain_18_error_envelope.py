"""Pain 18: an upstream's error arrives in the wrong envelope, or as a response that ended normally."""

from __future__ import annotations

import json
from typing import Any

import orjson
import pytest

import proxai_ir
from proxai_ir import InvalidPayload
from proxai_ir.ir import json_form as ir_json
from proxai_ir.ir.error import Error, ErrorCategory

from .support import (
    ANTHROPIC,
    BEDROCK,
    CHAT,
    COHERE,
    OLLAMA,
    RESPONSES,
    Json,
    again,
    anthropic,
    chat,
    endings,
    losses,
    notes,
    responses,
    stream_to_anthropic,
    stream_to_chat,
    to_anthropic,
    to_chat,
)

KINDS = [
    ("invalid_request_error", "invalid_request_error"),
    ("authentication_error", "authentication_error"),
    ("insufficient_quota", "billing_error"),
    ("permission_error", "permission_error"),
    ("not_found_error", "not_found_error"),
    ("request_too_large", "request_too_large"),
    ("rate_limit_error", "rate_limit_error"),
    ("server_error", "api_error"),
    ("timeout", "timeout_error"),
]
"""What both call the same trouble: chat's word, anthropic's word."""


@pytest.mark.parametrize(("of_chat", "of_anthropic"), KINDS)
def test_an_error_keeps_its_category_and_message(of_chat: str, of_anthropic: str) -> None:
    there = to_anthropic(chat.error(of_chat), "error")
    assert there.output == anthropic.error(of_anthropic)
    assert there.kind == "error"
    assert to_chat(anthropic.error(of_anthropic), "error").output == chat.error(of_chat)


def test_the_code_is_more_exact_than_the_type() -> None:
    made = to_anthropic(chat.error("invalid_request_error", "No such model: gtp", "model", "model_not_found"), "error")
    assert made.output == anthropic.error("not_found_error", "No such model: gtp")
    assert losses(made) == [("ERR-2", "/error/param")]
    assert notes(made) == [("ERR-6", "/error/code")]


def test_code_and_param_are_not_invented_for_chat() -> None:
    made = to_chat(anthropic.error("rate_limit_error", "Slow down.", request_id="req_1"), "error")
    assert made.output == chat.error("rate_limit_error", "Slow down.")
    assert (losses(made), notes(made)) == ([], [("ENV-1", "/request_id")])


def test_an_unknown_kind_keeps_its_text_and_is_reported() -> None:
    made = to_anthropic(chat.error("lunar_eclipse", "Too dark."), "error")
    assert made.output == anthropic.error("api_error", "Too dark.")
    assert [code for code, _ in notes(made)] == ["ERR-3"]
    made = to_chat(anthropic.error("lunar_eclipse", "Too dark."), "error")
    assert made.output == chat.error("server_error", "Too dark.")
    assert [code for code, _ in notes(made)] == ["ERR-3"]


def test_the_http_status_gives_the_category_that_the_body_lacks() -> None:
    made = to_anthropic({"error": "Slow down."}, "error", status=429)
    assert made.output == anthropic.error("rate_limit_error", "Slow down.")
    made = to_anthropic(chat.error(None, "Slow down.", code=429), "error")
    assert made.output == anthropic.error("rate_limit_error", "Slow down.")


@pytest.mark.parametrize("src", [CHAT, ANTHROPIC])
def test_an_error_body_is_recognised_and_is_no_response(src: str) -> None:
    payload = {CHAT: chat.error("server_error"), ANTHROPIC: anthropic.error("api_error")}[src]
    dst = ANTHROPIC if src == CHAT else CHAT
    assert proxai_ir.compile(payload, src, dst).kind == "error"
    with pytest.raises(InvalidPayload):
        proxai_ir.compile(payload, src, dst, kind="response")


@pytest.mark.parametrize("src", [CHAT, ANTHROPIC])
def test_a_page_of_text_is_an_error_all_the_same(src: str) -> None:
    """What a proxy sends when it cannot reach the provider."""
    dst = ANTHROPIC if src == CHAT else CHAT
    page = "<html>502 Bad Gateway</html>\r\n"
    made = proxai_ir.compile(page.encode(), src, dst, kind="error", status=502)
    node = proxai_ir.lower(page.encode(), src, kind="error")
    assert isinstance(node, Error)
    assert (node.category, node.message, node.verbatim) == (ErrorCategory.UNKNOWN, page, True)
    assert proxai_ir.raise_to(ir_json.loads(ir_json.dumps(node, source=True)), src) == page
    assert made.output == orjson.dumps(
        chat.error("server_error", message=page) if dst == CHAT else anthropic.error("api_error", message=page)
    )
    assert ("ERR-5", "") in notes(made)
    assert proxai_ir.convert(page.encode(), src, src, kind="error") == page.encode()


@pytest.mark.parametrize("body", ["busy", ["busy", 7], 7])
def test_a_body_that_is_no_object_keeps_its_text(body: Any) -> None:
    made = proxai_ir.compile(body, CHAT, ANTHROPIC, kind="error")
    assert made.output["error"]["message"] == ("busy" if body == "busy" else json.dumps(body, separators=(",", ":")))
    assert again(body, CHAT, "error") == body


@pytest.mark.parametrize("body", [None, {}, []])
def test_a_body_that_says_nothing_has_no_text(body: Any) -> None:
    made = proxai_ir.compile(body, CHAT, ANTHROPIC, kind="error")
    assert made.output["error"]["message"] == "The provider failed without a message."
    assert ("ERR-9", "") in notes(made)
    assert again(body, CHAT, "error") == body


@pytest.mark.parametrize("src", [BEDROCK, COHERE, OLLAMA])
@pytest.mark.parametrize("nulls", [{}, {"type": None, "code": None}])
def test_a_proxy_in_front_writes_openais_form(src: str, nulls: Any) -> None:
    """The text alone is the message, where nothing else is said; else the whole body is."""
    body = {"error": {"message": "Busy.", **nulls}}
    made = proxai_ir.compile(body, src, ANTHROPIC, kind="error", status=503)
    assert made.output == anthropic.error("overloaded_error", message="Busy.")
    assert ("ERR-5", "") in notes(made)
    assert again(body, src, "error") == body
    said = proxai_ir.convert({"error": {"message": "Busy.", "code": 7}}, src, ANTHROPIC, kind="error", status=503)
    assert said["error"]["message"] == '{"error":{"message":"Busy.","code":7}}'


def test_bytes_that_are_no_text_are_no_error() -> None:
    with pytest.raises(InvalidPayload) as caught:
        proxai_ir.convert(b"\xff\xfe", CHAT, ANTHROPIC, kind="error")
    assert caught.value.rule == "SHP-6"


# --- streams ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("of_chat", "of_anthropic"), KINDS)
def test_an_error_in_a_stream_keeps_its_category_and_message(of_chat: str, of_anthropic: str) -> None:
    there = stream_to_anthropic([*chat.stream({"content": "It"})[:2], chat.error(of_chat)])
    assert there.output[-1] == anthropic.error(of_anthropic)
    assert endings(there.output) == ["an error"]
    back = stream_to_chat([*anthropic.stream(anthropic.text_block("It"))[:3], anthropic.error(of_anthropic)])
    assert back.output[-1] == chat.error(of_chat)
    assert endings(back.output) == ["an error"]


def test_done_after_an_error_does_not_complete_the_stream() -> None:
    """Servers that send [DONE] whatever happened."""
    made = stream_to_anthropic([*chat.stream({"content": "It"})[:2], chat.error("server_error"), chat.DONE])
    assert endings(made.output) == ["an error"]


def test_an_error_after_the_stop_reason_is_an_error() -> None:
    """The reason has come, the last word has not."""
    made = stream_to_chat([*anthropic.stream(anthropic.text_block("It"))[:-1], anthropic.error("overloaded_error")])
    assert endings(made.output) == ["stop", "an error"]
    made = stream_to_anthropic([*chat.stream({"content": "It"})[:3], chat.error("server_error")])
    assert endings(made.output) == ["an error"]


def test_an_error_within_a_response_is_reported_at_its_place() -> None:
    made = stream_to_anthropic([*chat.stream()[:1], chat.error("lunar_eclipse", code="dark")])
    assert ("ERR-3", "/1/error/type") in notes(made)
    assert losses(made) == [("ERR-2", "/1/error/code")]


def test_the_error_event_of_responses_has_the_kind_of_error() -> None:
    """Its error event has one member for that; without it a client cannot know whether to retry."""
    start = anthropic.stream(anthropic.text_block("Hi"))[0]
    error = {"type": "error", "error": {"type": "rate_limit_error", "message": "Slow down."}}
    made = proxai_ir.convert([start, error], ANTHROPIC, RESPONSES)
    assert (made[-2]["type"], made[-2]["code"], made[-2]["message"]) == ("error", "rate_limit_exceeded", "Slow down.")
    assert made[-1]["response"]["error"] == {"code": "rate_limit_exceeded", "message": "Slow down."}
    back = proxai_ir.convert(made, RESPONSES, ANTHROPIC)
    assert back[-1] == error


@pytest.mark.parametrize("dst", [ANTHROPIC, RESPONSES])
@pytest.mark.parametrize("word", ["error", "network_error", "abort", "insufficient_system_resource"])
def test_a_response_that_was_aborted_is_not_complete(word: str, dst: str) -> None:
    made = proxai_ir.compile(chat.response(word, content="Half a"), CHAT, dst)
    assert made.kind == "error"
    assert made.output["error"]["message"] == f"The generation failed: {word}."
    chunks = [chat.chunk({"role": "assistant", "content": "Half a"}), chat.chunk({}, word), chat.DONE]
    streamed = proxai_ir.convert(chunks, CHAT, dst)
    last = streamed[-1]["response"] if dst == RESPONSES else streamed[-1]
    assert last["error"]["message"] == f"The generation failed: {word}."
    assert "Half a" in str(streamed)


@pytest.mark.parametrize("dst", [CHAT, ANTHROPIC, RESPONSES])
def test_an_error_that_the_response_repeats_is_sent_once(dst: str) -> None:
    response = {"id": "resp_1", "object": "response", "created_at": 1, "model": "m", "output": []}
    failure = {"code": "rate_limit_exceeded", "message": "Slow down."}
    events: list[Json] = [
        {"type": "response.created", "response": {**response, "status": "in_progress"}},
        {"type": "error", **failure, "param": None},
        {"type": "response.failed", "response": {**response, "status": "failed", "error": failure}},
    ]
    made: list[Json] = proxai_ir.convert(events, RESPONSES, dst)
    assert made == events if dst == RESPONSES else sum("error" in event for event in made) == 1
    assert proxai_ir.raise_to(proxai_ir.lower(events, RESPONSES, kind="stream"), RESPONSES) == events


def failing(*last: Json) -> list[Json]:
    response = {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": "m",
        "status": "in_progress",
        "output": [],
    }
    return [
        {"type": "response.created", "response": response},
        {"type": "error", "code": "rate_limit_exceeded", "message": "Slow down.", "param": None},
        *last,
    ]


def failed(message: str = "Slow down.", **members: Any) -> Json:
    error = {"code": "rate_limit_exceeded", "message": message}
    response = {"id": "resp_1", "object": "response", "created_at": 1, "model": "m", "status": "failed", "output": []}
    return {"type": "response.failed", "response": {**response, "error": error, **members}}


@pytest.mark.parametrize(
    ("last", "named"),
    [
        (failed("Slower."), ("STR-16", "/2/response/error")),
        (failed(usage={"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}), ("USE-4", "/2/response/usage")),
        (failed(beam=3), ("UNK-1", "/2/response/beam")),
    ],
    ids=["another message", "usage", "unknown"],
)
def test_what_the_response_adds_to_its_error_is_reported(last: Json, named: tuple[str, str]) -> None:
    made = proxai_ir.compile(failing(last), RESPONSES, CHAT)
    assert [(one.code, one.path) for one in made.diagnostics] == [named]


def test_a_response_fails_once_and_not_after_its_end() -> None:
    completed = {**failed()["response"], "status": "completed", "error": None}
    ended: Json = {"type": "response.completed", "response": completed}
    for events in (failing(failed(), failed()), [failing()[0], ended, failed()]):
        with pytest.raises(proxai_ir.StreamError, match="STR-9"):
            proxai_ir.convert(events, RESPONSES, CHAT)


@pytest.mark.parametrize(
    ("error", "category"),
    [
        ({"message": "No.", "param": None, "code": "401"}, ErrorCategory.AUTHENTICATION),
        ({"message": "No.", "param": None, "code": "418"}, ErrorCategory.INVALID_REQUEST),
        ({"message": "No.", "code": "RateLimitReached"}, ErrorCategory.RATE_LIMIT),
        ({"message": "No.", "code": "DeploymentNotFound"}, ErrorCategory.NOT_FOUND),
        ({"message": "No.", "param": "prompt", "code": "content_filter"}, ErrorCategory.INVALID_REQUEST),
        ({"message": "No.", "code": "context_length_exceeded"}, ErrorCategory.CONTEXT_LENGTH),
        (
            {"message": "This model's maximum context length is 8192 tokens.", "type": "BadRequestError", "code": 400},
            ErrorCategory.CONTEXT_LENGTH,
        ),
    ],
)
@pytest.mark.parametrize("protocol", [CHAT, RESPONSES])
def test_errors_of_servers_that_are_not_openai_have_a_category(
    protocol: str, error: Json, category: ErrorCategory
) -> None:
    node = proxai_ir.lower({"error": error}, protocol, kind="error")
    assert isinstance(node, Error)
    assert node.category is category
    assert again({"error": error}, protocol, "error") == {"error": error}


@pytest.mark.parametrize("protocol", [CHAT, RESPONSES, ANTHROPIC])
@pytest.mark.parametrize("member", ["message", "detail"])
def test_a_body_of_one_text_is_that_text(protocol: str, member: str) -> None:
    """As Bedrock and servers made with FastAPI send it."""
    body = {member: "The provided model identifier is invalid."}
    dst = CHAT if protocol != CHAT else ANTHROPIC
    made = proxai_ir.compile(body, protocol, dst, kind="error", status=400)
    assert made.output["error"]["message"] == body[member]
    assert made.output["error"]["type"] == "invalid_request_error"
    assert again(body, protocol, "error") == body


def test_the_types_of_openai_pass_between_its_protocols_as_they_are() -> None:
    error = {"message": "No such model.", "type": "invalid_request_error", "param": "model", "code": "model_not_found"}
    for src, dst in ((CHAT, RESPONSES), (RESPONSES, CHAT)):
        made = proxai_ir.compile({"error": error}, src, dst, kind="error")
        assert (made.output, made.diagnostics) == ({"error": error}, ())


def test_a_prompt_that_is_too_long_is_known_by_the_text_and_the_code_that_clients_expect() -> None:
    """ERR-7, there and back."""
    text = "prompt is too long: 205000 tokens > 200000 maximum"
    there = to_chat(anthropic.error("invalid_request_error", text), "error").output
    assert there == chat.error("invalid_request_error", text, code="context_length_exceeded")
    assert to_anthropic(there, "error").output == anthropic.error("invalid_request_error", text)
    window = "Your input exceeds the context window of this model."
    response = responses.response(status="failed", error={"code": "context_length_exceeded", "message": window})
    failed = {"type": "response.failed", "response": response}
    events = proxai_ir.convert([failed], RESPONSES, ANTHROPIC, kind="stream")
    assert events == [anthropic.error("invalid_request_error", f"prompt is too long: {window}")]
