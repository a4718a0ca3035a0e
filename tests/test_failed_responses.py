"""Responses of Chat Completions that hold an error, and the shapes in which servers send errors (STS-9, ERR-1)."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir

from .pains.support import ANTHROPIC, CHAT, RESPONSES, Json

GONE = {"code": 502, "message": "The provider disconnected."}
API_ERROR = {"type": "error", "error": {"type": "api_error", "message": "The provider disconnected."}}


def response(choice: Json, **envelope: Any) -> Json:
    return {
        "id": "gen-1",
        "object": "chat.completion",
        "created": 7,
        "model": "m",
        "choices": [{"index": 0, "finish_reason": "error", **choice}],
        **envelope,
    }


def chunk(delta: Json, **choice: Any) -> Json:
    choices = [{"index": 0, "delta": delta, "finish_reason": None, **choice}]
    return {"id": "gen-1", "object": "chat.completion.chunk", "created": 7, "model": "m", "choices": choices}


def found(conversion: proxai_ir.Conversion) -> set[tuple[str, str, str]]:
    return {(one.severity.value, one.code, one.path) for one in conversion.diagnostics if one.code != "ENV-1"}


def test_the_error_of_a_choice_is_the_responses_error() -> None:
    made = proxai_ir.compile(
        response({"message": {"role": "assistant", "content": "Once"}, "error": GONE}), CHAT, ANTHROPIC
    )
    assert made.kind == "error"
    assert made.output == API_ERROR
    assert found(made) == {("loss", "ERR-2", "/choices"), ("info", "ERR-6", "/choices/0/error/code")}


def test_a_choice_of_nothing_but_an_error_loses_nothing() -> None:
    made = proxai_ir.compile(
        response({"message": {"role": "assistant", "content": ""}, "error": GONE}), CHAT, ANTHROPIC
    )
    assert made.output == API_ERROR
    assert found(made) == {("info", "ERR-6", "/choices/0/error/code")}


@pytest.mark.parametrize(
    "payload", [response({"message": {"content": "Once"}, "error": GONE}), response({}, error=GONE, provider="P")]
)
def test_a_failed_response_returns_to_its_own_protocol(payload: Json) -> None:
    assert proxai_ir.raise_to(proxai_ir.lower(payload, CHAT), CHAT) == payload


def test_the_error_of_an_envelope_with_choices_is_the_responses_error() -> None:
    made = proxai_ir.compile({**response({}, error=GONE), "choices": []}, CHAT, RESPONSES)
    assert made.kind == "error"
    assert made.output == {"error": {"message": GONE["message"], "type": "server_error", "param": None, "code": "502"}}


def test_the_error_of_a_choice_ends_a_stream() -> None:
    events = [
        chunk({"role": "assistant", "content": "Once"}),
        chunk({"content": ""}, finish_reason="error", error=GONE),
    ]
    made = proxai_ir.compile(events, CHAT, ANTHROPIC)
    assert made.output[-1] == API_ERROR
    assert found(made) == {("info", "ERR-6", "/1/choices/0/error/code")}


def test_an_error_without_an_envelope_ends_a_stream() -> None:
    """As vLLM reports one in mid-stream."""
    flat = {"object": "error", "message": "Out of memory.", "type": "InternalServerError", "param": None, "code": 500}
    made = proxai_ir.compile([chunk({"role": "assistant", "content": "Once"}), flat, "[DONE]"], CHAT, ANTHROPIC)
    assert made.output[-1] == {"type": "error", "error": {"type": "api_error", "message": "Out of memory."}}
    assert found(made) == {("info", "ERR-6", "/1/code")}


def test_the_type_of_an_error_without_an_envelope_is_read() -> None:
    flat = {"object": "error", "message": "Slow down.", "type": "rate_limit_error", "param": "model", "code": "busy"}
    made = proxai_ir.compile(flat, CHAT, ANTHROPIC, kind="error")
    assert made.output == {"type": "error", "error": {"type": "rate_limit_error", "message": "Slow down."}}
    assert found(made) == {("loss", "ERR-2", "/code"), ("loss", "ERR-2", "/param")}
    assert proxai_ir.raise_to(proxai_ir.lower(flat, CHAT, kind="error"), CHAT) == flat


def test_a_code_beside_the_message_is_read() -> None:
    """As xAI sends errors."""
    body = {"code": "invalid-argument", "error": "There is no such model."}
    made = proxai_ir.compile(body, CHAT, RESPONSES, kind="error", status=404)
    assert made.output["error"]["code"] == "invalid-argument"
    assert made.output["error"]["message"] == "There is no such model."
    assert not found(made)
    assert proxai_ir.raise_to(proxai_ir.lower(body, CHAT, kind="error"), CHAT) == body


@pytest.mark.parametrize("src", [CHAT, RESPONSES])
@pytest.mark.parametrize("member", ["provider", "request_id", "user_id"])
def test_what_stands_around_an_error_is_no_content(src: str, member: str) -> None:
    body = {"error": {"message": "No.", "type": "permission_error", "param": None, "code": None}, member: "x"}
    made = proxai_ir.compile(body, src, ANTHROPIC, kind="error")
    assert [(one.severity.value, one.code, one.path) for one in made.diagnostics] == [("info", "ENV-1", f"/{member}")]


def test_the_status_in_a_body_is_reported() -> None:
    body = {"error": {"message": "No.", "type": "permission_error", "param": None, "code": None}, "status": 403}
    made = proxai_ir.compile(body, RESPONSES, ANTHROPIC, kind="error")
    assert [(one.code, one.path) for one in made.diagnostics] == [("ENV-1", "/status")]


def test_an_error_may_be_the_one_element_of_an_array() -> None:
    """As Google's servers of Chat Completions send errors."""
    body = [{"error": {"code": 404, "message": "There is no model m.", "status": "NOT_FOUND"}}]
    made = proxai_ir.compile(body, CHAT, ANTHROPIC, kind="error")
    assert made.output == {"type": "error", "error": {"type": "not_found_error", "message": "There is no model m."}}
    assert found(made) == {("info", "ERR-6", "/0/error/code")}
    assert proxai_ir.raise_to(proxai_ir.lower(body, CHAT, kind="error"), CHAT) == body


def test_an_array_of_anything_else_is_the_message() -> None:
    made = proxai_ir.compile(["No."], CHAT, ANTHROPIC, kind="error", status=500)
    assert made.output["error"]["message"] == '["No."]'
