"""How responses ended and what they took, as callers read it: by hand, for every protocol, whole and streamed."""

from __future__ import annotations

import json
import pickle
import re
from pathlib import Path
from typing import Any

import pytest

import proxai_ir
from proxai_ir import Exchange, Finish, FinishReason, StreamConverter, Usage
from proxai_ir.conversion import conversion
from proxai_ir.ir.response import counts
from proxai_ir.protocol.detection import read_response
from proxai_ir.protocol.registry import framing_of

Json = Any
ANTHROPIC, CHAT = "anthropic_messages", "openai_chat_completions"
RESPONSES, GEMINI = "openai_responses", "gemini_generate_content"
PROTOCOLS = (ANTHROPIC, CHAT, RESPONSES, GEMINI)
STOP, LENGTH, CALLS = FinishReason.STOP, FinishReason.LENGTH, FinishReason.TOOL_CALLS
FILTERED, REFUSED, UNKNOWN = FinishReason.CONTENT_FILTER, FinishReason.REFUSAL, FinishReason.UNKNOWN
NOTHING, TEXT, CALL, REFUSAL = "nothing", "text", "call", "refusal"
CASES: list[tuple[str, str, str | None, FinishReason]] = [
    # protocol, content, the provider's word, what it is called
    (CHAT, TEXT, "stop", STOP),
    (CHAT, TEXT, "length", LENGTH),
    (CHAT, CALL, "tool_calls", CALLS),
    (CHAT, CALL, "stop", CALLS),
    (CHAT, CALL, "length", LENGTH),
    (CHAT, TEXT, "tool_calls", STOP),
    (CHAT, TEXT, "function_call", STOP),
    (CHAT, TEXT, "content_filter", FILTERED),
    (CHAT, REFUSAL, "stop", REFUSED),
    (CHAT, REFUSAL, "content_filter", REFUSED),
    (CHAT, TEXT, "weary", UNKNOWN),
    (CHAT, CALL, "weary", UNKNOWN),
    (ANTHROPIC, TEXT, "end_turn", STOP),
    (ANTHROPIC, TEXT, "stop_sequence", STOP),
    (ANTHROPIC, TEXT, "pause_turn", STOP),
    (ANTHROPIC, TEXT, "max_tokens", LENGTH),
    (ANTHROPIC, TEXT, "model_context_window_exceeded", LENGTH),
    (ANTHROPIC, CALL, "tool_use", CALLS),
    (ANTHROPIC, CALL, "end_turn", CALLS),
    (ANTHROPIC, TEXT, "refusal", REFUSED),
    (ANTHROPIC, TEXT, "budget_exhausted", UNKNOWN),
    (RESPONSES, TEXT, "completed", STOP),
    (RESPONSES, CALL, "completed", CALLS),
    (RESPONSES, REFUSAL, "completed", REFUSED),
    (RESPONSES, TEXT, "max_output_tokens", LENGTH),
    (RESPONSES, TEXT, "content_filter", FILTERED),
    (RESPONSES, TEXT, "power_saving", LENGTH),
    (GEMINI, TEXT, "STOP", STOP),
    (GEMINI, CALL, "STOP", CALLS),
    (GEMINI, TEXT, "MAX_TOKENS", LENGTH),
    (GEMINI, TEXT, "SAFETY", FILTERED),
    (GEMINI, NOTHING, "RECITATION", FILTERED),
    (GEMINI, TEXT, "PROHIBITED_CONTENT", FILTERED),
    (GEMINI, TEXT, "OTHER", UNKNOWN),
    (GEMINI, TEXT, "SOMETHING_NEW", UNKNOWN),
]
USED = {"input": 6, "cache_read": 4, "output": 3, "reasoning": 2}
"""By USE-1, of each of the payloads below."""


def chat(content: str, word: str | None, *, streamed: bool) -> Json:
    call = {"index": 0, "id": "c", "type": "function", "function": {"name": "now", "arguments": "{}"}}
    said: Json = {TEXT: {"content": "Hi"}, CALL: {"tool_calls": [call]}, REFUSAL: {"refusal": "No."}}[content]
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    usage["prompt_tokens_details"] = {"cached_tokens": 4}  # type: ignore[assignment]
    usage["completion_tokens_details"] = {"reasoning_tokens": 2}  # type: ignore[assignment]
    head = {"id": "r", "object": "chat.completion", "created": 7, "model": "m"}
    message = {"role": "assistant", "content": None, **said}
    if not streamed:
        return {**head, "choices": [{"index": 0, "message": message, "finish_reason": word}], "usage": usage}
    head["object"] = "chat.completion.chunk"
    return [
        {**head, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
        {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": word}]},
        {**head, "choices": [], "usage": usage},
        "[DONE]",
    ]


def anthropic(content: str, word: str | None, *, streamed: bool) -> Json:
    block = {"type": "tool_use", "id": "c", "name": "now", "input": {}} if content == CALL else {"type": "text"}
    sequence = "END" if word == "stop_sequence" else None
    used = {"output_tokens": 5, "output_tokens_details": {"thinking_tokens": 2}}
    read = {"input_tokens": 6, "cache_read_input_tokens": 4}
    head = {"id": "r", "type": "message", "role": "assistant", "model": "m"}
    if not streamed:
        blocks = [block if content == CALL else {**block, "text": "Hi"}]
        return {**head, "content": blocks, "stop_reason": word, "stop_sequence": sequence, "usage": {**read, **used}}
    delta = {"type": "input_json_delta", "partial_json": "{}"}
    empty = block if content == CALL else {**block, "text": ""}
    start: Json = {
        **head,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {**read, "output_tokens": 1},
    }
    return [
        {"type": "message_start", "message": start},
        {"type": "content_block_start", "index": 0, "content_block": empty},
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": delta if content == CALL else {"type": "text_delta", "text": "Hi"},
        },
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": word, "stop_sequence": sequence}, "usage": used},
        {"type": "message_stop"},
    ]


def responses(content: str, word: str | None, *, streamed: bool) -> Json:
    status = "completed" if word == "completed" else "incomplete"
    if content == CALL:
        item: Json = {"type": "function_call", "id": "f", "call_id": "c", "name": "now", "arguments": "{}"}
    else:
        text = {"type": "output_text", "text": "Hi", "annotations": []}
        part = {"type": "refusal", "refusal": "No."} if content == REFUSAL else text
        item = {"type": "message", "id": "m", "role": "assistant", "content": [part]}
    item["status"] = status
    whole = {
        "id": "r", "object": "response", "created_at": 7, "model": "m", "output": [item], "status": status,
        "error": None, "incomplete_details": None if status == "completed" else {"reason": word},
        "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
        "usage": {
            "input_tokens": 10, "input_tokens_details": {"cached_tokens": 4}, "output_tokens": 5,
            "output_tokens_details": {"reasoning_tokens": 2}, "total_tokens": 15,
        },
    }  # fmt: skip
    if not streamed:
        return whole
    begun = {**whole, "output": [], "status": "in_progress", "incomplete_details": None, "usage": None}
    at = {"item_id": item["id"], "output_index": 0}
    events: list[Json] = [{"type": "response.created", "response": begun}]
    if content == CALL:
        empty = {**item, "arguments": "", "status": "in_progress"}
        events += [
            {"type": "response.output_item.added", "output_index": 0, "item": empty},
            {"type": "response.function_call_arguments.delta", **at, "delta": "{}"},
            {"type": "response.function_call_arguments.done", **at, "arguments": "{}"},
        ]
    else:
        (part,) = item["content"]
        name, kind = ("refusal", "refusal") if content == REFUSAL else ("text", "output_text")
        empty, within = {**part, name: ""}, {**at, "content_index": 0}
        start = {**item, "content": [], "status": "in_progress"}
        events += [
            {"type": "response.output_item.added", "output_index": 0, "item": start},
            {"type": "response.content_part.added", **within, "part": empty},
            {"type": f"response.{kind}.delta", **within, "delta": part[name]},
            {"type": f"response.{kind}.done", **within, name: part[name]},
            {"type": "response.content_part.done", **within, "part": part},
        ]
    events += [
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": f"response.{status}", "response": whole},
    ]
    return [{**event, "sequence_number": number} for number, event in enumerate(events)]


def gemini(content: str, word: str | None, *, streamed: bool) -> Json:
    parts = {TEXT: [{"text": "Hi"}], CALL: [{"functionCall": {"name": "now", "args": {}}}], NOTHING: []}[content]
    used = {"promptTokenCount": 10, "cachedContentTokenCount": 4, "candidatesTokenCount": 3, "thoughtsTokenCount": 2}
    head = {"modelVersion": "m", "responseId": "r"}
    said = {"content": {"role": "model", "parts": parts}, "index": 0}
    end = {"finishReason": word} if word else {}
    usage = {**used, "totalTokenCount": 15}
    if not streamed:
        return {"candidates": [{**said, **end}], "usageMetadata": usage, **head}
    last = {"content": {"role": "model", "parts": []}, "index": 0, **end}
    return [{"candidates": [said], **head}, {"candidates": [last], "usageMetadata": usage, **head}]


MAKE = {CHAT: chat, ANTHROPIC: anthropic, RESPONSES: responses, GEMINI: gemini}
EVERY = pytest.mark.parametrize(("src", "content", "word", "reason"), CASES)
DST = pytest.mark.parametrize("dst", PROTOCOLS)


@EVERY
@DST
def test_whole(src: str, content: str, word: str, reason: FinishReason, dst: str) -> None:
    payload = MAKE[src](content, word, streamed=False)
    for source in (payload, json.dumps(payload).encode()):
        done = proxai_ir.compile(source, src, dst, kind="response")
        assert done.finish == Finish(reason, word)
        assert done.finishes == (done.finish,)
        assert counts(done.usage) == USED


@EVERY
@DST
def test_streamed(src: str, content: str, word: str, reason: FinishReason, dst: str) -> None:
    events = MAKE[src](content, word, streamed=True)
    for kept in (True, False):
        converter = StreamConverter(src, dst, keep_response=kept)
        assert (converter.finish, converter.finishes, converter.usage) == (None, (), None)
        for event in events:
            converter.feed(event)
        converter.close()
        assert converter.finish == Finish(reason, word)
        assert converter.finishes == (converter.finish,)
        assert counts(converter.usage) == USED
    done = proxai_ir.compile(events, src, dst, kind="stream")
    assert (done.finish, counts(done.usage)) == (Finish(reason, word), USED)


def asked(client: str, provider: str, *, streamed: bool) -> Exchange:
    path = f"/v1beta/models/m:{'streamGenerateContent?alt=sse' if streamed else 'generateContent'}"
    requests: dict[str, Json] = {
        CHAT: {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "stream": streamed},
        ANTHROPIC: {
            "model": "m", "max_tokens": 5, "messages": [{"role": "user", "content": "Hi"}], "stream": streamed
        },
        RESPONSES: {"model": "m", "input": "Hi", "stream": streamed},
        GEMINI: {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]},
    }  # fmt: skip
    exchange = Exchange(client, provider)
    exchange.request(requests[client], path=path if client == GEMINI else "")
    return exchange


@EVERY
@pytest.mark.parametrize("client", PROTOCOLS)
def test_through_a_proxy(src: str, content: str, word: str, reason: FinishReason, client: str) -> None:
    whole = json.dumps(MAKE[src](content, word, streamed=False)).encode()
    reply = asked(client, src, streamed=False).response(200, {}, whole)
    assert (reply.status, reply.finish, reply.finishes) == (200, Finish(reason, word), (Finish(reason, word),))
    assert reply.usage == USED
    framing = framing_of(src)
    sent = b"".join(framing.encode(event, src) for event in MAKE[src](content, word, streamed=True))
    stream = asked(client, src, streamed=True).stream(200, {"content-type": "text/event-stream"})
    assert not stream.finishes
    stream.feed(sent)
    stream.end()
    assert (stream.error, stream.finish, stream.finishes) == (None, Finish(reason, word), (Finish(reason, word),))
    assert stream.usage == USED
    gathered = asked(client, src, streamed=False).response(200, {"content-type": "text/event-stream"}, sent)
    assert (gathered.finish, gathered.usage) == (Finish(reason, word), USED)


@DST
@pytest.mark.parametrize("src", [CHAT, GEMINI])
def test_no_word_at_all(src: str, dst: str) -> None:
    for content, reason in ((TEXT, UNKNOWN), (CALL, CALLS)):
        done = proxai_ir.compile(MAKE[src](content, None, streamed=False), src, dst, kind="response")
        assert done.finish == Finish(reason, None)


@DST
def test_the_zero_value_of_an_enum_is_no_word(dst: str) -> None:
    payload = gemini(TEXT, "FINISH_REASON_UNSPECIFIED", streamed=False)
    done = proxai_ir.compile(payload, GEMINI, dst, kind="response")
    assert done.finish == Finish(UNKNOWN, "FINISH_REASON_UNSPECIFIED")


@DST
def test_gemini_blocked_prompt(dst: str) -> None:
    payload = {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "modelVersion": "m", "responseId": "r"}
    done = proxai_ir.compile(payload, GEMINI, dst, kind="response")
    assert done.finish == Finish(FILTERED, "PROHIBITED_CONTENT")


def test_several_candidates() -> None:
    payload = chat(TEXT, "stop", streamed=False)
    (first,) = payload["choices"]
    call = chat(CALL, "tool_calls", streamed=False)["choices"][0]
    payload["choices"] = [first, {**call, "index": 1}, {**first, "index": 2, "finish_reason": "length"}]
    done = proxai_ir.compile(payload, CHAT, GEMINI)
    assert done.finish == Finish(STOP, "stop")
    assert done.finishes == (Finish(STOP, "stop"), Finish(CALLS, "tool_calls"), Finish(LENGTH, "length"))
    converter = StreamConverter(CHAT, GEMINI)
    head, end, *rest = chat(TEXT, "stop", streamed=True)
    for one, word in ((1, "length"), (0, "stop")):
        for event in (head, end):
            choice = {**event["choices"][0], "index": one}
            converter.feed({**event, "choices": [{**choice, "finish_reason": choice["finish_reason"] and word}]})
        assert converter.finish == (Finish(LENGTH, "length") if one else Finish(STOP, "stop"))
    for event in rest:
        converter.feed(event)
    assert converter.finishes == (Finish(STOP, "stop"), Finish(LENGTH, "length"))


@DST
def test_a_failed_generation_is_an_error_and_no_ending(dst: str) -> None:
    payload = gemini(CALL, "MALFORMED_FUNCTION_CALL", streamed=False)
    done = proxai_ir.compile(payload, GEMINI, dst, kind="response")
    converter = StreamConverter(GEMINI, dst)
    for event in gemini(CALL, "MALFORMED_FUNCTION_CALL", streamed=True):
        converter.feed(event)
    converter.close()
    reply = asked(dst, GEMINI, streamed=False).response(200, {}, json.dumps(payload).encode())
    if dst == GEMINI:  # which has a word for it, and no other form
        assert {done.finish, converter.finish, reply.finish} == {Finish(UNKNOWN, "MALFORMED_FUNCTION_CALL")}
        return
    assert (done.kind, done.finish, done.finishes, done.usage) == ("error", None, (), None)
    assert (converter.finish, converter.finishes) == (None, ())
    assert converter.failure is not None
    assert converter.failure.code == "MALFORMED_FUNCTION_CALL"
    assert (reply.status >= 500, reply.finish, reply.finishes, reply.usage) == (True, None, (), None)


def test_what_is_no_response_has_none() -> None:
    request = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
    error = {"error": {"message": "Slow down.", "type": "rate_limit_error"}}
    for payload in (request, error):
        done = proxai_ir.compile(payload, CHAT, ANTHROPIC)
        assert (done.finish, done.finishes, done.usage) == (None, (), None)
    reply = asked(ANTHROPIC, CHAT, streamed=True).response(429, {}, json.dumps(error).encode())
    assert (reply.finish, reply.usage) == (None, None)
    stream = asked(ANTHROPIC, CHAT, streamed=True).stream(429, {})
    stream.feed(json.dumps(error).encode())
    stream.end()
    assert (stream.finish, stream.finishes, stream.usage) == (None, (), None)


@DST
def test_usage_that_is_not_reported_is_none_whatever_the_target_fills_in(dst: str) -> None:
    payload = chat(TEXT, "stop", streamed=False)
    del payload["usage"]
    assert proxai_ir.compile(payload, CHAT, dst).usage is None
    assert proxai_ir.compile(json.dumps(payload).encode(), CHAT, dst).usage is None
    assert asked(dst, CHAT, streamed=False).response(200, {}, json.dumps(payload).encode()).usage is None
    converter = StreamConverter(CHAT, dst)
    first, end, _, done = chat(TEXT, "stop", streamed=True)
    for event in (first, end, done):
        converter.feed(event)
    assert (converter.finish, converter.usage) == (Finish(STOP, "stop"), None)


def test_usage_is_whole_whatever_the_target_has() -> None:
    payload = chat(TEXT, "stop", streamed=False)
    payload["usage"]["completion_tokens_details"]["accepted_prediction_tokens"] = 1
    for dst in PROTOCOLS:
        usage = proxai_ir.compile(payload, CHAT, dst).usage
        assert usage is not None
        assert usage == Usage(6, 4, None, 3, 2, 15, {"output.accepted_prediction": 1})
        assert (usage.all_input, usage.all_output) == (10, 5)


def test_what_changes_afterwards_changes_nothing() -> None:
    payload = chat(TEXT, "length", streamed=False)
    done = proxai_ir.compile(payload, CHAT, ANTHROPIC)
    payload["choices"][0]["finish_reason"] = 7
    payload["usage"].clear()
    assert (done.finish, counts(done.usage)) == (Finish(LENGTH, "length"), USED)
    source = json.dumps(chat(TEXT, "stop", streamed=False)).encode()
    done = pickle.loads(pickle.dumps(proxai_ir.compile(source, CHAT, ANTHROPIC)))
    assert (done.finish, counts(done.usage)) == (Finish(STOP, "stop"), USED)


def test_nothing_is_read_again_before_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    source = json.dumps(chat(TEXT, "stop", streamed=False)).encode()
    done = proxai_ir.compile(source, CHAT, ANTHROPIC)
    asked_for: list[Any] = []

    def read(*given: Any) -> Any:
        asked_for.append(given)
        return read_response(*given)

    monkeypatch.setattr(conversion, "read_response", read)
    assert done.output
    assert done.diagnostics
    assert asked_for == []
    assert done.finish is done.finishes[0]
    assert done.usage
    assert len(asked_for) == 1


def test_a_reason_equals_its_word() -> None:
    reason = Finish(FinishReason("stop"), "end_turn").reason
    assert reason == "stop"
    assert f"{reason}" == "stop"
    assert json.dumps(reason) == '"stop"'
    assert [one.value for one in FinishReason] == [
        "unknown", "stop", "length", "content_filter", "tool_calls", "refusal"
    ]  # fmt: skip


@DST
def test_an_error_after_the_ending_takes_it_back(dst: str) -> None:
    first, end, usage, _ = chat(TEXT, "length", streamed=True)
    converter = StreamConverter(CHAT, dst)
    converter.feed(first)
    converter.feed(end)
    assert converter.finish == Finish(LENGTH, "length")
    converter.feed({**usage, "error": {"code": 400, "message": "Token limit reached"}})
    converter.close()
    assert not converter.finishes
    assert converter.failure is not None
    assert converter.failure.message == "Token limit reached"


def test_usage_of_a_stream_that_breaks_off() -> None:
    converter = StreamConverter(ANTHROPIC, CHAT)
    for event in anthropic(TEXT, "end_turn", streamed=True)[:3]:
        converter.feed(event)
    converter.close(error_event=True)
    assert converter.finish is None
    assert counts(converter.usage) == {"input": 6, "cache_read": 4, "output": 1}


def test_the_examples_of_the_documents(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("spec/terminal.md", "spec/usage.md"):
        blocks = re.findall(r"```python\n(.*?)```", (root / name).read_text(), re.DOTALL)
        (code,) = [one for one in blocks if "result.finish" in one or ".usage\n" in one]
        exec(code, {"proxai_ir": proxai_ir})
        shown = [line.removeprefix("# ") for line in code.splitlines() if line.startswith("# ")]
        assert capsys.readouterr().out.splitlines() == shown, name
        assert shown
