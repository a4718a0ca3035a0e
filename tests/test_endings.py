"""Finish reasons: every one of generateContent, and responses without content (FIN-2 to FIN-8, CHO-5).

The table is written by hand from the rules, and holds for whole responses and for streams, towards every target.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

import proxai_ir
from proxai_ir import Exchange, StreamConverter, TranslationError

from .cases import each
from .endings import (
    ANTHROPIC,
    CHAT,
    GEMINI,
    RESPONSES,
    TARGETS,
    WORDS,
    Json,
    called,
    called_in_stream,
    chat_stream,
    chat_whole,
    codes,
    ended,
    ended_stream,
    failure,
)

# --- every finish reason of generateContent ---------------------------------------------------------------------------

FAILED = """MALFORMED_FUNCTION_CALL UNEXPECTED_TOOL_CALL TOO_MANY_TOOL_CALLS MALFORMED_RESPONSE
MISSING_THOUGHT_SIGNATURE""".split()
FILTERED = """SAFETY RECITATION BLOCKLIST PROHIBITED_CONTENT SPII MODEL_ARMOR IMAGE_SAFETY IMAGE_PROHIBITED_CONTENT
IMAGE_RECITATION IMAGE_OTHER NO_IMAGE""".split()
UNKNOWN = "OTHER LANGUAGE ESCALATION PUP_LIMITED_DISABLED TIRED_OF_IT".split()

# How a response with this word ends: with a text, with a call, with nothing.
FINISH: dict[Json, tuple[str, str, str]] = {
    "STOP": ("stop", "calls", "empty"),
    "MAX_TOKENS": ("length", "length", "length"),
    **dict.fromkeys(FILTERED, ("filter", "filter", "filter")),
    **dict.fromkeys(FAILED, ("error", "error", "error")),
    **dict.fromkeys(UNKNOWN, ("unknown", "unknown", "error")),
    # as numbers
    1: ("stop", "calls", "empty"),
    2: ("length", "length", "length"),
    **dict.fromkeys((3, 4, 7, 8, 9, 11, 14, 15, 16, 17), ("filter", "filter", "filter")),
    **dict.fromkeys((10, 12, 13), ("error", "error", "error")),
    **dict.fromkeys((5, 6, 99), ("unknown", "unknown", "error")),
}
CONTENTS: tuple[list[Json], ...] = ([{"text": "Hi"}], [{"functionCall": {"name": "f", "args": {"a": 1}}}], [])
MESSAGE = "This is why."
ALL = [(word, index) for word in FINISH for index in range(len(CONTENTS))]


def allowed(dst: str) -> dict[str, Any]:
    """An option of the one target that refuses empty responses."""
    return {"allow_empty": True} if dst == ANTHROPIC else {}


def gemini(parts: list[Json], word: Json) -> Json:
    content = {"role": "model", "parts": parts}
    candidate = {"content": content, "finishReason": word, "finishMessage": MESSAGE, "index": 0}
    return {"candidates": [candidate], "modelVersion": "g", "responseId": "r1"}


@each("dst", TARGETS)
@each(("word", "index"), ALL)
def test_every_finish_reason(word: Json, index: int, dst: str) -> None:
    expected, payload = FINISH[word][index], gemini(CONTENTS[index], word)
    if dst == GEMINI:
        assert proxai_ir.convert(payload, GEMINI, GEMINI) == payload
        assert proxai_ir.raise_to(proxai_ir.lower(payload, GEMINI), GEMINI) == payload
        return
    whole = proxai_ir.compile(payload, GEMINI, dst, **allowed(dst))
    if expected == "error":
        assert whole.kind == "error"
        message, code = failure(dst, whole.output)
        assert message == MESSAGE
        assert dst == ANTHROPIC or code.isdecimal() or code in (*FAILED, *UNKNOWN)
        assert ("ERR-2" in codes(whole.diagnostics)) is (index == 0 or dst == ANTHROPIC)
        return
    assert ended(dst, whole.output) == WORDS["stop" if expected == "empty" else expected][dst]
    assert called(dst, whole.output) == ([] if index != 1 else [{"a": 1}] if dst == ANTHROPIC else ['{"a":1}'])
    assert ("FIN-7" in codes(whole.diagnostics)) is (word in UNKNOWN or word in (5, 6, 99))
    if dst == ANTHROPIC and expected == "filter":
        assert whole.output["stop_details"]["explanation"] == MESSAGE


@each("dst", TARGETS)
@each(("word", "index"), ALL)
def test_every_finish_reason_of_a_stream(word: Json, index: int, dst: str) -> None:
    expected, payload = FINISH[word][index], gemini(CONTENTS[index], word)
    if dst == GEMINI:
        assert proxai_ir.convert([payload], GEMINI, GEMINI) == [payload]
        assert proxai_ir.raise_to(proxai_ir.lower([payload], GEMINI), GEMINI) == [payload]
        return
    made = proxai_ir.compile([payload], GEMINI, dst, **allowed(dst))
    if expected == "error":
        assert ended_stream(dst, made.output) == "error"
        assert failure(dst, made.output[-1])[0] == MESSAGE
        assert called_in_stream(dst, made.output) == []
        assert ("ERR-2" in codes(made.diagnostics)) is (index == 1 or dst == ANTHROPIC)
        return
    assert ended_stream(dst, made.output) == WORDS["stop" if expected == "empty" else expected][dst]
    assert called_in_stream(dst, made.output) == (['{"a":1}'] if index == 1 else [])
    assert ("FIN-7" in codes(made.diagnostics)) is (word in UNKNOWN or word in (5, 6, 99))


@each("streamed", [False, True])
@each("dst", [CHAT, RESPONSES])
@each("word", FILTERED)
def test_a_word_that_says_more_than_that_content_was_filtered_is_lost(word: str, dst: str, streamed: bool) -> None:
    payload = gemini(CONTENTS[0], word)
    made = proxai_ir.compile([payload] if streamed else payload, GEMINI, dst)
    assert ("STS-3" in codes(made.diagnostics)) is (word != "SAFETY")


@pytest.mark.parametrize("dst", [ANTHROPIC, CHAT, RESPONSES])
def test_a_tree_of_a_failed_generation_is_written_as_the_error(dst: str) -> None:
    payload = gemini(CONTENTS[1], "MALFORMED_FUNCTION_CALL")
    assert failure(dst, proxai_ir.raise_to(proxai_ir.lower(payload, GEMINI), dst))[0] == MESSAGE
    events: Any = proxai_ir.raise_to(proxai_ir.lower([payload], GEMINI), dst)
    assert ended_stream(dst, events) == "error"


@pytest.mark.parametrize("dst", [ANTHROPIC, CHAT, RESPONSES])
def test_a_call_that_was_sent_before_the_failure_is_followed_by_the_error(dst: str) -> None:
    begun = {**gemini(CONTENTS[1], None), "usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 2}}
    made = proxai_ir.compile([begun, gemini([], "MALFORMED_FUNCTION_CALL")], GEMINI, dst)
    assert ended_stream(dst, made.output) == "error"
    assert "'stop_reason': 'tool_use'" not in str(made.output)
    assert "'finish_reason': 'tool_calls'" not in str(made.output)
    if dst == RESPONSES:
        assert made.output[-1]["response"]["usage"]["output_tokens"] == 2


@pytest.mark.parametrize("arguments", ["", '{"a', '{"a":1}'])
@pytest.mark.parametrize("dst", [ANTHROPIC, GEMINI, RESPONSES])
def test_a_call_that_the_failure_came_within_is_not_completed(dst: str, arguments: str) -> None:
    converter = StreamConverter(CHAT, dst, keep_response=True)
    out = [made for event in chat_stream(arguments, "error") for made in converter.feed(event)] + converter.close()
    assert ended_stream(dst, out) == "error"
    assert failure(dst, out[-1]) == ("The generation failed: error.", None if dst == ANTHROPIC else "error")
    assert not [event for event in out if event.get("type") in ("content_block_stop", "response.output_item.done")]
    assert "functionCall" not in str(out)
    assert "ERR-2" in codes(converter.diagnostics)
    assert converter.response is None
    assert converter.failure is not None
    if dst == RESPONSES and not arguments:  # the call had not begun
        assert out[-1]["response"]["output"] == []
    elif dst == RESPONSES:
        (item,) = out[-1]["response"]["output"]
        assert (item["arguments"], item["status"]) == (arguments, "incomplete")


def test_a_missing_reason_is_no_unknown_one() -> None:
    for dst in (ANTHROPIC, CHAT, RESPONSES):
        for word in ("FINISH_REASON_UNSPECIFIED", 0, None):
            for index, expected in ((0, "stop"), (1, "calls")):
                made = proxai_ir.compile(gemini(CONTENTS[index], word), GEMINI, dst)
                assert ended(dst, made.output) == WORDS[expected][dst]
                assert codes(made.diagnostics) & {"STS-10", "FIN-7"} == {"STS-10"}
    made = proxai_ir.compile(chat_whole("{}", None), CHAT, GEMINI)
    assert ended(GEMINI, made.output) == "STOP"


def test_an_exchange_gives_the_client_an_error_to_try_again() -> None:
    exchange = Exchange(ANTHROPIC, GEMINI)
    sent = json.dumps(gemini(CONTENTS[1], "MALFORMED_FUNCTION_CALL")).encode()
    reply = exchange.response(200, {"content-type": "application/json"}, sent)
    assert reply.status == 500
    assert json.loads(reply.body) == {"type": "error", "error": {"type": "api_error", "message": MESSAGE}}
    gathered = exchange.response(200, {"content-type": "text/event-stream"}, b"data: " + sent + b"\n\n")
    assert (gathered.status, gathered.body) == (reply.status, reply.body)
    stream = exchange.stream(200, {"content-type": "text/event-stream"})
    out = stream.feed(b"data: " + sent + b"\n\n") + stream.end()
    assert b"event: error" in out
    assert b"tool_use" not in out
    assert stream.response is None
    assert stream.error is None


def test_several_candidates_of_which_one_failed_are_an_error() -> None:
    payload = gemini(CONTENTS[0], "STOP")
    payload["candidates"].append({**gemini([], "MALFORMED_RESPONSE")["candidates"][0], "index": 1})
    assert proxai_ir.compile(payload, GEMINI, CHAT).kind == "error"


def test_numbers_of_other_words() -> None:
    blocked = {"promptFeedback": {"blockReason": 4}, "modelVersion": "g", "responseId": "r1"}
    assert ended(CHAT, proxai_ir.convert(blocked, GEMINI, CHAT)) == "content_filter"
    assert proxai_ir.raise_to(proxai_ir.lower(blocked, GEMINI), GEMINI) == blocked
    run = [
        {"executableCode": {"language": 1, "code": "1/0", "id": "x"}},
        {"codeExecutionResult": {"outcome": 2, "output": "", "id": "x"}},
        {"text": "No."},
    ]
    counted = {"promptTokenCount": 3, "promptTokensDetails": [{"modality": 4, "tokenCount": 3}]}
    payload = {**gemini(run, 1), "usageMetadata": counted}
    words: list[Json] = [{"executableCode": {"language": "PYTHON", "code": "1/0", "id": "x"}}]
    words.append({"codeExecutionResult": {"outcome": "OUTCOME_FAILED", "output": "", "id": "x"}})
    details = [{"modality": "AUDIO", "tokenCount": 3}]
    plain = {**gemini([*words, run[2]], "STOP"), "usageMetadata": {**counted, "promptTokensDetails": details}}
    for dst in (ANTHROPIC, CHAT, RESPONSES):
        assert proxai_ir.convert(payload, GEMINI, dst) == proxai_ir.convert(plain, GEMINI, dst)
    assert proxai_ir.raise_to(proxai_ir.lower(payload, GEMINI), GEMINI) == payload


# --- empty responses --------------------------------------------------------------------------------------------------


def test_an_empty_response_arrives_through_an_exchange() -> None:
    message = {"role": "assistant", "content": ""}
    payload = chat_whole("", "stop")
    payload["choices"][0]["message"] = message
    body = json.dumps(payload).encode()
    events = chat_stream("", "stop")
    events[0]["choices"][0]["delta"] = message
    stream = b"".join(b"data: " + (one if one == "[DONE]" else json.dumps(one)).encode() + b"\n\n" for one in events)
    kind, sse = {"content-type": "application/json"}, {"content-type": "text/event-stream"}
    reply = Exchange(ANTHROPIC, CHAT).response(200, kind, body)
    assert reply.status == 200
    assert [one.severity for one in reply.diagnostics if one.code == "CHO-5"] == ["info"]
    assert json.loads(reply.body)["content"] == []
    streamed = Exchange(ANTHROPIC, CHAT).stream(200, sse)
    out = streamed.feed(stream) + streamed.end()
    assert b"message_stop" in out
    assert "CHO-5" in codes(streamed.diagnostics)
    assert Exchange(ANTHROPIC, CHAT, strict=True).response(200, kind, body).status == 502
    assert Exchange(ANTHROPIC, CHAT, allow_empty=False).response(200, kind, body).status == 502
    with pytest.raises(TranslationError, match="CHO-3"):
        proxai_ir.convert(payload, CHAT, ANTHROPIC)


def test_an_exchange_gives_a_response_the_request_id() -> None:
    payload = chat_whole("{}", "tool_calls")
    del payload["id"]
    headers = {"content-type": "application/json", "x-request-id": "req_7"}
    reply = Exchange(ANTHROPIC, CHAT).response(200, headers, json.dumps(payload).encode())
    assert json.loads(reply.body)["id"] == "req_7"


@pytest.mark.parametrize("dst", [ANTHROPIC, RESPONSES])
def test_a_refusal_in_chunks_without_a_model_is_converted(dst: str) -> None:
    chunks: list[Json] = [
        {
            "id": "c1",
            "object": "chat.completion.chunk",
            "choices": [{"index": 0, "delta": delta, "finish_reason": word}],
        }
        for delta, word in (({"role": "assistant"}, None), ({"refusal": "No."}, None), ({}, "stop"))
    ]
    made = proxai_ir.compile([*chunks, "[DONE]"], CHAT, dst)
    assert (made.output[0].get("message") or made.output[0]["response"])["model"] == ""
    assert [one.severity for one in made.diagnostics if one.code == "ENV-6"] == ["info"]


@pytest.mark.parametrize("dst", [CHAT, RESPONSES])
def test_a_refusal_without_a_model_is_converted(dst: str) -> None:
    message = {"id": "m1", "type": "message", "role": "assistant", "content": [{"type": "text", "text": "No."}]}
    made = proxai_ir.convert({**message, "stop_reason": "refusal"}, ANTHROPIC, dst)
    assert made["model"] == ""


def test_vertex_ai_numbers_its_finish_reasons_otherwise() -> None:
    """Its responses have a time, by which they are known."""
    payload = gemini(CONTENTS[1], 9)
    assert ended(CHAT, proxai_ir.convert(payload, GEMINI, CHAT)) == "content_filter"
    timed = payload | {"createTime": "2026-03-01T09:00:00Z"}
    assert failure(CHAT, proxai_ir.convert(timed, GEMINI, CHAT)) == (MESSAGE, "MALFORMED_FUNCTION_CALL")
    assert proxai_ir.raise_to(proxai_ir.lower(timed, GEMINI), GEMINI) == timed


# --- the word of Zhipu, and of Claude on other platforms ------------------------------------------------------------


@each("dst", (RESPONSES, GEMINI))
@each("streamed", (False, True))
def test_sensitive_is_moderation(dst: str, streamed: bool) -> None:
    """FIN-5: a client must not take what was withheld for a natural ending, whichever server has the word."""
    word = {RESPONSES: "content_filter", GEMINI: "SAFETY"}[dst]
    for src, given in (
        (CHAT, ZHIPU_STREAM if streamed else ZHIPU),
        (ANTHROPIC, CLAUDE_STREAM if streamed else CLAUDE),
    ):
        made = proxai_ir.compile(given, src, dst, kind="stream" if streamed else "response")
        assert word in json.dumps(made.output)
        assert "FIN-7" not in codes(made.diagnostics)


ZHIPU = {
    "id": "c1",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "And then"}, "finish_reason": "sensitive"}],
}
ZHIPU_STREAM: list[Json] = [
    {
        **ZHIPU,
        "object": "chat.completion.chunk",
        "choices": [{"index": 0, "delta": {"content": "And then"}, "finish_reason": "sensitive"}],
    },
    "[DONE]",
]
CLAUDE: Json = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "content": [{"type": "text", "text": "And then"}],
    "stop_reason": "sensitive",
    "stop_sequence": None,
}
CLAUDE_STREAM: list[Json] = [
    {"type": "message_start", "message": {**CLAUDE, "content": [], "stop_reason": None}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "And then"}},
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "sensitive", "stop_sequence": None}},
    {"type": "message_stop"},
]
