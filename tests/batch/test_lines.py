"""Batch lines of each vendor into those of the others: ids, bodies, errors, requests that were not processed."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

import proxai_ir
from proxai_ir import InvalidPayload, Profile, TranslationError, Unrepresentable
from proxai_ir.batch import accepted_id, compile_line, convert_line

from ..cases import each

ANTHROPIC, CHAT, RESPONSES = "anthropic_messages", "openai_chat_completions", "openai_responses"
GEMINI = "gemini_generate_content"
Line = dict[str, Any]

HI = [{"role": "user", "content": "Hi"}]
REQUESTS: dict[str, Line] = {
    CHAT: {
        "custom_id": "q-1",
        "method": "POST",
        "url": "/v1/chat/completions",
        "body": {"model": "m", "messages": HI, "max_completion_tokens": 64},
    },
    RESPONSES: {
        "custom_id": "q-1",
        "method": "POST",
        "url": "/v1/responses",
        "body": {
            "model": "m",
            "input": [{"type": "message", "role": "user", "content": "Hi"}],
            "max_output_tokens": 64,
        },
    },
    ANTHROPIC: {"custom_id": "q-1", "params": {"model": "m", "max_tokens": 64, "messages": HI}},
    GEMINI: {
        "key": "q-1",
        "request": {
            "contents": [{"role": "user", "parts": [{"text": "Hi"}]}],
            "generationConfig": {"maxOutputTokens": 64},
        },
    },
}
COMPLETION = {
    "id": "r1",
    "object": "chat.completion",
    "created": 5,
    "model": "m",
    "choices": [
        {"index": 0, "message": {"role": "assistant", "content": "Hello", "refusal": None}, "finish_reason": "stop"}
    ],
    "usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3},
}
MESSAGE = {
    "id": "r1",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "content": [{"type": "text", "text": "Hello"}],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {"input_tokens": 1, "output_tokens": 2},
}
CANDIDATES = {
    "candidates": [{"content": {"parts": [{"text": "Hello"}], "role": "model"}, "finishReason": "STOP", "index": 0}],
    "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 2, "totalTokenCount": 3},
    "modelVersion": "m",
    "responseId": "r1",
}


def outcome(body: Any, status: int = 200) -> Line:
    response = {"status_code": status, "request_id": "req_1", "body": body}
    return {"id": "batch_req_1", "custom_id": "q-1", "response": response, "error": None}


def found(line: Line, src: str | None, dst: str, **options: Any) -> list[tuple[str, str]]:
    return [(one.code, one.path) for one in compile_line(line, src, dst, **options).diagnostics]


@pytest.mark.parametrize("dst", REQUESTS)
@pytest.mark.parametrize("src", REQUESTS)
def test_a_request_line_keeps_its_id_and_converts_its_body(src: str, dst: str) -> None:
    before = copy.deepcopy(REQUESTS[src])
    done = compile_line(REQUESTS[src], src, dst, model="m")
    assert done.kind == "request"
    expected = copy.deepcopy(REQUESTS[dst])
    if dst == RESPONSES != src:  # which stores unless it is forbidden (CAP-4)
        expected["body"]["store"] = False
    assert done.output == expected
    assert REQUESTS[src] == before


@pytest.mark.parametrize("src", REQUESTS)
def test_a_line_shows_its_protocol(src: str) -> None:
    done = compile_line(REQUESTS[src], None, ANTHROPIC, model="m")
    assert (done.src, done.output) == (src, REQUESTS[ANTHROPIC])


SUCCEEDED = {"custom_id": "q-1", "result": {"type": "succeeded", "message": MESSAGE}}
COMPLETED = {"custom_id": "q-1", "response": {"status_code": 200, "body": {**COMPLETION, "created": 0}}, "error": None}


@pytest.mark.parametrize(
    ("line", "src", "dst", "expected"),
    [
        (outcome(COMPLETION), CHAT, ANTHROPIC, SUCCEEDED),
        (outcome(COMPLETION), CHAT, GEMINI, {"key": "q-1", "response": CANDIDATES}),
        ({"key": "q-1", "response": CANDIDATES}, GEMINI, ANTHROPIC, SUCCEEDED),
        (SUCCEEDED, ANTHROPIC, CHAT, COMPLETED),
    ],
)
def test_a_response_line(line: Line, src: str, dst: str, expected: Line) -> None:
    done = compile_line(line, src, dst)
    assert done.kind == "response"
    assert done.output == expected


def test_what_only_openai_has_around_a_result_is_reported() -> None:
    assert found(outcome(COMPLETION), CHAT, ANTHROPIC) == [
        ("ENV-1", "/id"),
        ("ENV-1", "/response/request_id"),
        ("ENV-1", "/response/body/created"),
        ("USE-3", "/response/body/usage/total_tokens"),
    ]


def test_between_openai_protocols_it_stays() -> None:
    made = convert_line(outcome(COMPLETION), CHAT, RESPONSES)
    assert made["id"] == "batch_req_1"
    assert made["error"] is None
    assert (made["response"]["status_code"], made["response"]["request_id"]) == (200, "req_1")
    assert made["response"]["body"]["output"][0]["content"][0]["text"] == "Hello"


BUSY = {"type": "error", "error": {"type": "overloaded_error", "message": "Busy"}}
BUSY_OPENAI = {"error": {"message": "Busy", "type": "overloaded_error", "param": None, "code": None}}


@pytest.mark.parametrize(
    ("line", "dst", "expected"),
    [
        (
            {"custom_id": "q-1", "result": {"type": "errored", "error": BUSY}},
            CHAT,
            {"custom_id": "q-1", "response": {"status_code": 503, "body": BUSY_OPENAI}, "error": None},
        ),
        (
            {"custom_id": "q-1", "result": {"type": "errored", "error": BUSY}},
            GEMINI,
            {"key": "q-1", "error": {"code": 14, "message": "Busy"}},
        ),
        (
            outcome(BUSY_OPENAI, 503),
            ANTHROPIC,
            {"custom_id": "q-1", "result": {"type": "errored", "error": BUSY}},
        ),
        (
            {"key": "q-1", "error": {"code": 14, "message": "Busy"}},
            ANTHROPIC,
            {"custom_id": "q-1", "result": {"type": "errored", "error": BUSY}},
        ),
        (
            {"custom_id": "q-1", "response": None, "error": {"code": "request_timeout", "message": "Slow"}},
            ANTHROPIC,
            {
                "custom_id": "q-1",
                "result": {
                    "type": "errored",
                    "error": {"type": "error", "error": {"type": "timeout_error", "message": "Slow"}},
                },
            },
        ),
    ],
)
def test_an_error_keeps_its_body(line: Line, dst: str, expected: Line) -> None:
    done = compile_line(line, None, dst)
    assert done.kind == "error"
    assert done.output == expected


def test_a_body_of_no_known_shape_is_an_error_with_its_text() -> None:
    made = convert_line(outcome("Bad gateway", 502), None, ANTHROPIC)
    assert made["result"]["error"]["error"] == {"type": "api_error", "message": "Bad gateway"}


def test_a_body_that_says_nothing_is_what_its_status_means() -> None:
    made = convert_line(outcome(None, 500), None, ANTHROPIC)
    assert made["result"]["error"]["error"] == {"type": "api_error", "message": "The provider had an internal error."}


def test_a_response_that_failed_is_an_error() -> None:
    error = {"code": "server_error", "message": "Lost"}
    body = {
        "id": "r1",
        "object": "response",
        "created_at": 5,
        "model": "m",
        "status": "failed",
        "error": error,
        "output": [],
    }
    done = compile_line(outcome(body), RESPONSES, ANTHROPIC)
    assert done.kind == "error"
    assert done.output["result"]["type"] == "errored"
    made = convert_line(outcome(body), RESPONSES, CHAT)
    assert made["response"]["status_code"] == 500


@pytest.mark.parametrize(
    ("kind", "code", "number"), [("canceled", "batch_cancelled", 1), ("expired", "batch_expired", 4)]
)
def test_requests_that_were_not_processed(kind: str, code: str, number: int) -> None:
    theirs = {"custom_id": "q-1", "result": {"type": kind}}
    made = compile_line(theirs, None, RESPONSES)
    assert (made.kind, made.output["response"], made.output["error"]["code"]) == (kind, None, code)
    assert convert_line(made.output, RESPONSES, ANTHROPIC) == theirs
    sent = compile_line(theirs, None, GEMINI)
    assert sent.output["error"]["code"] == number
    assert [one.code for one in sent.diagnostics] == ["BAT-2"]
    with pytest.raises(Unrepresentable) as caught:
        compile_line(theirs, None, GEMINI, strict=True)
    assert caught.value.rule == "BAT-2"


def test_a_canceled_request_of_gemini_is_canceled() -> None:
    line = {"key": "q-1", "error": {"code": 1, "message": "Canceled."}}
    done = compile_line(line, None, ANTHROPIC)
    assert done.output == {"custom_id": "q-1", "result": {"type": "canceled"}}
    assert [(one.code, one.path) for one in done.diagnostics] == [("ENV-1", "/error/message")]


VERTEX = {"key": "q-1", "status": "", "processed_time": "t", "request": REQUESTS[GEMINI]["request"]}


def test_a_result_of_vertex_ai_repeats_its_request() -> None:
    done = compile_line({**VERTEX, "response": CANDIDATES, "note": "x"}, None, ANTHROPIC)
    assert (done.kind, done.output) == ("response", SUCCEEDED)
    around = [(one.code, one.path) for one in done.diagnostics if not one.path.startswith("/response")]
    assert around == [("UNK-1", "/note"), ("ENV-1", "/request"), ("ENV-1", "/processed_time"), ("ENV-1", "/status")]


@pytest.mark.parametrize("response", [{}, None])
def test_an_error_of_vertex_ai_is_its_status(response: Any) -> None:
    done = compile_line({**VERTEX, "status": "Bad Request", "response": response}, None, ANTHROPIC)
    assert (done.kind, done.output["result"]["type"]) == ("error", "errored")
    assert done.output["result"]["error"]["error"] == {"type": "api_error", "message": "Bad Request"}


@pytest.mark.parametrize("given", ["", "a b", "é", "a" * 65, "\ud800"])
def test_an_id_that_the_target_does_not_accept(given: str) -> None:
    line = {**REQUESTS[CHAT], "custom_id": given}
    done = compile_line(line, CHAT, ANTHROPIC)
    made = done.output["custom_id"]
    assert made == accepted_id(given, ANTHROPIC)
    assert len(made) == 64
    assert ("BAT-1", "/custom_id") in [(one.code, one.path) for one in done.diagnostics]
    assert accepted_id(given, GEMINI) == given
    with pytest.raises(Unrepresentable) as caught:
        compile_line(line, CHAT, ANTHROPIC, strict=True)
    assert (caught.value.rule, caught.value.path) == ("BAT-1", "/custom_id")
    assert compile_line(line, CHAT, ANTHROPIC, strict=True, accept=("BAT-1",)).output == done.output


def test_different_ids_stay_different() -> None:
    assert accepted_id("a b", ANTHROPIC) != accepted_id("a  b", ANTHROPIC)
    assert accepted_id("a" * 64, ANTHROPIC) == "a" * 64


def test_a_line_without_an_id() -> None:
    line = {"response": CANDIDATES}
    with pytest.raises(InvalidPayload, match="'key'"):
        compile_line(line, GEMINI, CHAT)
    assert convert_line(line, GEMINI, CHAT, custom_id="row-7")["custom_id"] == "row-7"


def test_a_line_of_vertex_without_an_id_has_that_of_its_request() -> None:
    """Whatever the order of its members; another request has another."""
    request = REQUESTS[GEMINI]["request"]
    turned = dict(reversed(request.items()))
    ids = [convert_line({"request": one}, GEMINI, CHAT, model="m")["custom_id"] for one in (request, turned)]
    other = convert_line({"request": {"contents": [{"parts": [{"text": "Ho"}]}]}}, GEMINI, CHAT, model="m")["custom_id"]
    assert ids[0] == ids[1] != other
    assert accepted_id(ids[0], ANTHROPIC) == ids[0]
    assert convert_line({"request": request}, GEMINI, CHAT, model="m", custom_id="row-7")["custom_id"] == "row-7"


def test_undocumented_members_are_reported() -> None:
    line = {**REQUESTS[ANTHROPIC], "note": "x", "empty": None}
    assert ("UNK-1", "/note") in found(line, None, CHAT)
    assert found({**REQUESTS[CHAT], "note": "x"}, None, RESPONSES) == found(REQUESTS[CHAT], None, RESPONSES)
    assert convert_line({**REQUESTS[CHAT], "note": "x"}, None, RESPONSES)["note"] == "x"


@each(
    ("line", "src", "rule", "path"),
    [
        ([], None, "SHP-1", ""),
        ({}, None, "SHP-3", ""),
        ({}, GEMINI, "SHP-3", ""),
        (REQUESTS[ANTHROPIC], CHAT, "SHP-3", ""),
        (REQUESTS[RESPONSES], CHAT, "SHP-3", "/url"),
        ({**REQUESTS[CHAT], "url": "/v1/embeddings"}, None, "SHP-3", "/url"),
        ({**REQUESTS[CHAT], "method": "GET"}, None, "SHP-3", "/method"),
        ({**REQUESTS[CHAT], "custom_id": 7}, None, "SHP-1", "/custom_id"),
        ({**REQUESTS[CHAT], "body": [1]}, None, "SHP-1", "/body"),
        ({**REQUESTS[CHAT], "body": {**REQUESTS[CHAT]["body"], "stream": True}}, None, "SHP-3", "/body/stream"),
        ({**REQUESTS[CHAT], "body": {"model": "m", "messages": 3}}, None, "SHP-1", "/body/messages"),
        (outcome(COMPLETION, True), None, "SHP-1", "/response/status_code"),
        (outcome(COMPLETION), RESPONSES, "SHP-3", "/response/body"),
        (outcome({}), None, "SHP-3", "/response/body"),
        ({**outcome(COMPLETION), "error": {"code": "x", "message": "y"}}, None, "SHP-4", ""),
        ({"custom_id": "a", "response": None, "error": None}, None, "SHP-4", ""),
        ({"custom_id": "a", "result": {"type": "lost"}}, None, "SHP-3", "/result/type"),
        ({"custom_id": "a", "result": {"type": "succeeded"}}, None, "SHP-2", "/result"),
        ({"key": "a", "error": {"code": 77, "message": "x"}}, None, "SHP-3", "/error/code"),
        ({"key": "a", "request": {}, "response": {}}, None, "SHP-4", ""),
        ({"key": "a", "request": {}, "response": CANDIDATES, "status": "Bad Request"}, None, "SHP-4", ""),
        ({"key": "a", "request": {}, "response": CANDIDATES, "status": 3}, None, "SHP-1", "/status"),
        ({"key": "a", "response": CANDIDATES, "error": {"code": 3, "message": "x"}}, None, "SHP-4", ""),
        (b'{"custom_id": ', None, "SHP-6", ""),
    ],
)
def test_bad_lines_are_refused_with_rule_and_pointer(line: Any, src: str | None, rule: str, path: str) -> None:
    with pytest.raises(TranslationError) as caught:
        compile_line(line, src, ANTHROPIC)
    assert (caught.value.rule, caught.value.path) == (rule, path)


def test_a_result_of_no_protocol_names_the_members_that_tell_them_apart() -> None:
    with pytest.raises(TranslationError, match="expected a response with `choices` or `output`"):
        compile_line(outcome({}), None, ANTHROPIC)


def test_a_line_for_its_own_protocol_is_checked_and_stays() -> None:
    line = REQUESTS[ANTHROPIC]
    assert convert_line(line, ANTHROPIC, ANTHROPIC) is line
    with pytest.raises(TranslationError) as caught:
        convert_line({"custom_id": "a", "params": {"model": "m", "messages": 3}}, None, ANTHROPIC)
    assert caught.value.path == "/params/messages"


def test_bytes_come_back_as_bytes() -> None:
    made = convert_line(json.dumps(REQUESTS[CHAT]).encode(), CHAT, Profile(ANTHROPIC))
    assert json.loads(made) == REQUESTS[ANTHROPIC]
    assert b"\n" not in made


def test_what_the_call_that_creates_the_batch_needs() -> None:
    done = compile_line(REQUESTS[CHAT], CHAT, ANTHROPIC)
    assert done.headers == {"anthropic-version": "2023-06-01"}
    assert compile_line(REQUESTS[CHAT], CHAT, GEMINI).route["model"] == "m"


def test_the_state_of_a_request_is_for_its_own_response() -> None:
    tool = {"type": "custom", "custom": {"name": "run"}}
    line = {**REQUESTS[CHAT], "body": {**REQUESTS[CHAT]["body"], "tools": [tool]}}
    state = compile_line(line, CHAT, ANTHROPIC, emulate="auto").state
    call = {"type": "tool_use", "id": "c1", "name": "run", "input": {"input": "ls"}}
    message = {**MESSAGE, "content": [call], "stop_reason": "tool_use"}
    result = {"custom_id": "q-1", "result": {"type": "succeeded", "message": message}}
    made = convert_line(result, ANTHROPIC, CHAT, state=state)
    (back,) = made["response"]["body"]["choices"][0]["message"]["tool_calls"]
    assert back == {"id": "c1", "type": "custom", "custom": {"name": "run", "input": "ls"}}


def test_an_unknown_protocol_or_option() -> None:
    with pytest.raises(proxai_ir.UnknownProtocol, match="'nothing' is not installed"):
        compile_line(REQUESTS[CHAT], CHAT, "nothing")
    with pytest.raises(TypeError, match="unknown options"):
        compile_line(REQUESTS[CHAT], CHAT, ANTHROPIC, colour=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unknown options"):
        compile_line({"custom_id": "a", "result": {"type": "expired"}}, None, CHAT, colour=1)  # type: ignore[call-arg]


def test_values_stay_out_of_messages() -> None:
    line = {**REQUESTS[CHAT], "custom_id": "secret id", "method": "secret"}
    with pytest.raises(TranslationError) as caught:
        compile_line(line, CHAT, ANTHROPIC, quote_values=False)
    assert "secret" not in str(caught.value)
    done = compile_line({**line, "method": "POST"}, CHAT, ANTHROPIC, quote_values=False)
    assert all(accepted_id("secret id", ANTHROPIC) not in one.message for one in done.diagnostics)


REPEATED = {"custom_id": "q-1", "method": "POST", "url": "/v1/chat/completions"}
REPEATED_BODY = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "max_completion_tokens": 9}


@pytest.mark.parametrize("dst", ["openai_chat_completions", "openai_responses", "anthropic_messages"])
def test_an_id_that_comes_twice(dst: str) -> None:
    """The id that is sent counts, also where the line goes on as it is; it is noted where it is new."""
    line = {**REPEATED, "body": REPEATED_BODY}
    ids: dict[str, int] = {}
    first, second = (
        compile_line(line, "openai_chat_completions", dst, number=at, ids=ids, quote_values=at == 4) for at in (3, 4)
    )
    assert ids == {"q-1": 3}
    assert "BAT-4" not in first.rules
    (found,) = [one for one in second.diagnostics if one.rule == "BAT-4"]
    assert (found.severity, found.path) == ("info", "/custom_id")
    assert found.message.endswith("(line 3 has 'q-1', too)")
    assert second.output == first.output


def test_equal_requests_without_ids() -> None:
    line = {"request": {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]}}
    ids: dict[str, int] = {}
    about: dict[str, Any] = {"model": "m", "quote_values": False, "ids": ids}
    compile_line(line, "gemini_generate_content", "openai_chat_completions", number=1, **about)
    done = compile_line(line, "gemini_generate_content", "openai_chat_completions", number=2, **about)
    (found,) = [one for one in done.diagnostics if one.rule == "BAT-4"]
    assert found.path == ""
    assert next(iter(ids)) not in found.message
