"""How responses end: every finish reason of generateContent, and calls that the end of a response came within.

Both tables are written by hand from the rules (FIN-2 to FIN-8, TUL-1, TUL-29, STS-10) and hold for whole responses and
for streams, towards every target.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

import proxai_ir
from proxai_ir import Exchange, StreamConverter, TranslationError
from proxai_ir.testing.equality import canonical

GEMINI, CHAT = "gemini_generate_content", "openai_chat_completions"
ANTHROPIC, RESPONSES = "anthropic_messages", "openai_responses"
TARGETS = (ANTHROPIC, CHAT, GEMINI, RESPONSES)
Json = Any

# --- what a client sees -----------------------------------------------------------------------------------------------

WORDS: dict[str, dict[str, Json]] = {
    "stop": {ANTHROPIC: "end_turn", CHAT: "stop", GEMINI: "STOP", RESPONSES: "completed"},
    "calls": {ANTHROPIC: "tool_use", CHAT: "tool_calls", GEMINI: "STOP", RESPONSES: "completed"},
    "length": {ANTHROPIC: "max_tokens", CHAT: "length", GEMINI: "MAX_TOKENS", RESPONSES: "max_output_tokens"},
    "filter": {ANTHROPIC: "refusal", CHAT: "content_filter", GEMINI: "SAFETY", RESPONSES: "content_filter"},
    "unknown": {ANTHROPIC: "end_turn", CHAT: "stop", GEMINI: "OTHER", RESPONSES: "completed"},
}
"""The word of each target for an ending; OpenAI Responses has the reason of what is incomplete beside its status."""


def ended(dst: str, out: Json) -> Json:
    """The word of a whole response."""
    if dst == ANTHROPIC:
        return out["stop_reason"]
    if dst == CHAT:
        return out["choices"][0]["finish_reason"]
    if dst == GEMINI:
        return out["candidates"][0]["finishReason"]
    return (out["incomplete_details"] or {}).get("reason", out["status"])


def called(dst: str, out: Json) -> list[Json]:
    """The arguments of the calls of a whole response."""
    if dst == ANTHROPIC:
        return [block["input"] for block in out["content"] if block["type"] == "tool_use"]
    if dst == CHAT:
        return [one["function"]["arguments"] for one in out["choices"][0]["message"].get("tool_calls", ())]
    if dst == GEMINI:
        parts = out["candidates"][0]["content"]["parts"]
        return [part["functionCall"]["args"] for part in parts if "functionCall" in part]
    return [item["arguments"] for item in out["output"] if item["type"] == "function_call"]


def ended_stream(dst: str, out: list[Json]) -> Json:
    """The word that a stream ended with; "error": with the target's error event."""
    last = out[-1]
    if dst == RESPONSES:
        if last["type"] == "response.failed":
            assert out[-2]["type"] == "error"
            return "error"
        return ended(dst, last["response"])
    if "error" in last:
        return "error"
    if dst == ANTHROPIC:
        return out[-2]["delta"]["stop_reason"]
    if dst == CHAT:
        return next(one["choices"][0]["finish_reason"] for one in reversed(out[:-1]) if one["choices"])
    return ended(dst, last)


def called_in_stream(dst: str, out: list[Json]) -> list[str]:
    """The text of the arguments of the calls of a stream, as a client puts it together."""
    found: dict[int, str] = {}
    for event in out:
        if dst == ANTHROPIC and event["type"] == "content_block_start" and event["content_block"]["type"] == "tool_use":
            found[event["index"]] = ""
        elif dst == ANTHROPIC and event.get("delta", {}).get("type") == "input_json_delta":
            found[event["index"]] += event["delta"]["partial_json"]
        elif dst == RESPONSES and event["type"] == "response.output_item.done" and "arguments" in event["item"]:
            found[event["output_index"]] = event["item"]["arguments"]
        elif dst == GEMINI:
            for part in event["candidates"][0]["content"].get("parts", ()) if "candidates" in event else ():
                if "functionCall" in part:
                    found[len(found)] = json.dumps(part["functionCall"]["args"])
        elif dst == CHAT and event != "[DONE]":
            for one in event["choices"][0]["delta"].get("tool_calls", ()) if event.get("choices") else ():
                found[one["index"]] = found.get(one["index"], "") + one["function"]["arguments"]
    return [*found.values()]


def failure(dst: str, out: Json) -> tuple[str, Json]:
    """The message of an error's body or event, and its code where the target has one."""
    error = out["response"]["error"] if "response" in out else out["error"]
    if dst == GEMINI:
        return error["message"], error["details"][0]["reason"]
    return error["message"], error.get("code")


def codes(diagnostics: Any) -> set[str]:
    return {one.code for one in diagnostics}


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


@pytest.mark.parametrize("dst", TARGETS)
@pytest.mark.parametrize(("word", "index"), ALL)
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
        assert ("ERR-2" in codes(whole.diagnostics)) is (index < 2 or dst == ANTHROPIC)
        return
    assert ended(dst, whole.output) == WORDS["stop" if expected == "empty" else expected][dst]
    assert called(dst, whole.output) == ([] if index != 1 else [{"a": 1}] if dst == ANTHROPIC else ['{"a":1}'])
    assert ("FIN-7" in codes(whole.diagnostics)) is (word in UNKNOWN or word in (5, 6, 99))
    if dst == ANTHROPIC and expected == "filter":
        assert whole.output["stop_details"]["explanation"] == MESSAGE


@pytest.mark.parametrize("dst", TARGETS)
@pytest.mark.parametrize(("word", "index"), ALL)
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


@pytest.mark.parametrize("dst", [ANTHROPIC, CHAT, RESPONSES])
def test_a_tree_of_a_failed_generation_is_written_as_the_error(dst: str) -> None:
    payload = gemini(CONTENTS[1], "MALFORMED_FUNCTION_CALL")
    assert failure(dst, proxai_ir.raise_to(proxai_ir.lower(payload, GEMINI), dst))[0] == MESSAGE
    assert ended_stream(dst, proxai_ir.raise_to(proxai_ir.lower([payload], GEMINI), dst)) == "error"  # type: ignore[arg-type]


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
    if dst == RESPONSES:
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


# --- calls that the end came within -----------------------------------------------------------------------------------

EMPTY, BROKEN, WHOLE = "", '{"a', '{"a":1}'
CHAT_WORDS = {"stop": "stop", "calls": "tool_calls", "length": "length", "filter": "content_filter", "none": None}
CLAUDE_WORDS = {"stop": "end_turn", "calls": "tool_use", "length": "max_tokens", "filter": "sensitive", "none": None}


def chat_whole(arguments: str, word: str | None) -> Json:
    call = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": arguments}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    choice = {"index": 0, "message": message, "finish_reason": word}
    return {"id": "c1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}


def chat_stream(arguments: str, word: str | None) -> list[Json]:
    head = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    call = {"index": 0, "id": "call_1", "type": "function", "function": {"name": "f", "arguments": ""}}
    deltas: list[Json] = [{"role": "assistant", "tool_calls": [call]}]
    if arguments:
        deltas.append({"tool_calls": [{"index": 0, "function": {"arguments": arguments}}]})
    chunks: list[Json] = [{**head, "choices": [{"index": 0, "delta": one, "finish_reason": None}]} for one in deltas]
    if word is not None:
        chunks.append({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": word}]})
    return [*chunks, "[DONE]"]


DETAILS = {"length": {"reason": "max_output_tokens"}, "filter": {"reason": "content_filter"}}


def responses_whole(arguments: str, ending: str) -> Json:
    status = "incomplete" if ending in DETAILS else "completed"
    item = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "f", "arguments": arguments}
    response = {"id": "r1", "object": "response", "created_at": 1, "model": "m", "output": [{**item, "status": status}]}
    return {**response, "status": status, "incomplete_details": DETAILS.get(ending)}


def responses_stream(arguments: str, ending: str) -> list[Json]:
    whole = responses_whole(arguments, ending)
    (item,) = whole["output"]
    begun = {**item, "arguments": "", "status": "in_progress"}
    start = {**whole, "output": [], "status": "in_progress", "incomplete_details": None}
    grown: list[Json] = []
    if arguments:
        kind = "response.function_call_arguments.delta"
        grown.append({"type": kind, "item_id": "fc_1", "output_index": 0, "delta": arguments})
    return [
        {"type": "response.created", "response": start},
        {"type": "response.output_item.added", "output_index": 0, "item": begun},
        *grown,
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": f"response.{whole['status']}", "response": whole},
    ]


def claude_whole(arguments: str, word: str | None) -> Json:
    block = {"type": "tool_use", "id": "call_1", "name": "f", "input": json.loads(arguments)}
    message = {"id": "m1", "type": "message", "role": "assistant", "model": "m", "content": [block]}
    return {**message, "stop_reason": word, "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}


def claude_stream(arguments: str, word: str | None) -> list[Json]:
    start = {**claude_whole("{}", None), "content": []}
    del start["stop_reason"]
    block = {"type": "tool_use", "id": "call_1", "name": "f", "input": {}}
    delta = {"type": "input_json_delta", "partial_json": arguments}
    ending = {"stop_reason": word, "stop_sequence": None}
    return [
        {"type": "message_start", "message": start},
        {"type": "content_block_start", "index": 0, "content_block": block},
        *([{"type": "content_block_delta", "index": 0, "delta": delta}] if arguments else []),
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": ending, "usage": {"output_tokens": 1}},
        {"type": "message_stop"},
    ]


# Source -> what makes its whole response (of arguments that it can have) and its stream, of arguments and an ending.
SOURCES: dict[str, Any] = {
    CHAT: (
        lambda arguments, ending: chat_whole(arguments, CHAT_WORDS[ending]),
        lambda arguments, ending: chat_stream(arguments, CHAT_WORDS[ending]),
        ("stop", "calls", "length", "filter", "none"),
    ),
    RESPONSES: (responses_whole, responses_stream, ("stop", "length", "filter")),
    ANTHROPIC: (
        lambda arguments, ending: claude_whole(arguments, CLAUDE_WORDS[ending]) if arguments == WHOLE else None,
        lambda arguments, ending: claude_stream(arguments, CLAUDE_WORDS[ending]),
        ("stop", "calls", "length", "filter", "none"),
    ),
}
OBJECTS = (ANTHROPIC, GEMINI)  # targets whose calls have objects as arguments


def expected(src: str, dst: str, ending: str, arguments: str) -> tuple[str, str, str | None]:
    """How the response ends, the text of the call's arguments ("-": there is no call), and the rule that is reported.

    The ending is "refused" where the conversion is, under this rule.
    """
    text = dst not in OBJECTS
    if ending == "none" and src == CHAT and arguments != WHOLE:
        return "refused", "-", "TUL-45 STR-2"
    if arguments == WHOLE:
        return ("calls" if ending in ("stop", "calls", "none") else ending), WHOLE, None
    if ending in ("length", "filter"):
        return ending, (arguments if text else "-"), (None if text else "TUL-29")
    if arguments == EMPTY:
        return "calls", "{}", (None if src == ANTHROPIC else "TUL-44")
    return ("calls", arguments, None) if text else ("refused", "-", "TUL-1")


CASES = [
    (src, ending, arguments, dst)
    for src, (_, _, endings) in SOURCES.items()
    for ending in endings
    for arguments in (EMPTY, BROKEN, WHOLE)
    for dst in TARGETS
    if dst != src
]
CALL_RULES = {"TUL-1", "TUL-29", "TUL-44", "TUL-45"}


@pytest.mark.parametrize(("src", "ending", "arguments", "dst"), CASES)
def test_a_call_at_the_end_of_a_whole_response(src: str, ending: str, arguments: str, dst: str) -> None:
    payload = SOURCES[src][0](arguments, ending)
    if payload is None:  # the source has objects only
        return
    word, text, rule = expected(src, dst, ending, arguments)
    if word == "refused":
        with pytest.raises(TranslationError) as caught:
            proxai_ir.convert(payload, src, dst)
        assert caught.value.rule in (rule or "").split()
        return
    made = proxai_ir.compile(payload, src, dst)
    assert ended(dst, made.output) == WORDS[word][dst]
    given = [] if text == "-" else [json.loads(text) if dst in OBJECTS else text]
    assert called(dst, made.output) == given
    assert codes(made.diagnostics) & CALL_RULES == ({rule} if rule else set())


@pytest.mark.parametrize(("src", "ending", "arguments", "dst"), CASES)
def test_a_call_at_the_end_of_a_stream(src: str, ending: str, arguments: str, dst: str) -> None:
    word, text, rule = expected(src, dst, ending, arguments)
    converter = StreamConverter(src, dst, keep_response=True)
    out: list[Json] = []
    try:
        for event in SOURCES[src][1](arguments, ending):
            out += converter.feed(event)
        out += converter.close()
    except TranslationError as error:
        assert word == "refused"
        assert error.rule in (rule or "").split()
        assert ended_stream(dst, out + converter.close(error_event=True)) == "error"
        return
    assert ended_stream(dst, out) == WORDS[word][dst]
    sent = called_in_stream(dst, out)
    if text == "-":  # it has been sent as far as it came, where calls are not sent as a whole
        assert sent == ([arguments] if dst == ANTHROPIC else [])
    else:
        assert [json.loads(one or "{}") if dst in OBJECTS else one for one in sent] == [
            json.loads(text) if dst in OBJECTS else text
        ]
    assert codes(converter.diagnostics) & CALL_RULES == ({rule} if rule else set())
    if rule != "TUL-29":
        assert converter.response == proxai_ir.convert(converter.response, dst, dst)  # type: ignore[type-var]
        assert called(dst, converter.response) == ([json.loads(text) if dst in OBJECTS else text])


@pytest.mark.parametrize("dst", [ANTHROPIC, GEMINI, RESPONSES])
def test_a_call_without_arguments_that_others_follow_is_whole(dst: str) -> None:
    payload = chat_whole("", "length")
    calls = payload["choices"][0]["message"]["tool_calls"]
    calls.append({**calls[0], "id": "call_2", "function": {"name": "g", "arguments": '{"b":2}'}})
    assert [json.loads(one) if isinstance(one, str) else one for one in called(dst, convert(payload, dst))] == [
        {},
        {"b": 2},
    ]
    begun, *_, finish, done = chat_stream("", "length")
    later = {"index": 1, "id": "call_2", "type": "function", "function": {"name": "g", "arguments": '{"b":2}'}}
    second = {**begun, "choices": [{"index": 0, "delta": {"tool_calls": [later]}, "finish_reason": None}]}
    sent = called_in_stream(dst, proxai_ir.convert([begun, second, finish, done], CHAT, dst))
    assert [json.loads(one or "{}") for one in sent] == [{}, {"b": 2}]


def convert(payload: Json, dst: str) -> Json:
    return proxai_ir.convert(payload, CHAT, dst)


@pytest.mark.parametrize("dst", [ANTHROPIC, GEMINI, RESPONSES])
def test_reasoning_alone_and_no_reason_is_truncation(dst: str) -> None:
    chunk = chat_stream("", None)[0]
    chunk["choices"][0]["delta"] = {"role": "assistant", "reasoning_content": "Hm."}
    with pytest.raises(proxai_ir.StreamError, match="STR-2"):
        proxai_ir.convert([chunk, "[DONE]"], CHAT, dst)
    text = {**chunk, "choices": [{"index": 0, "delta": {"content": "Hi"}, "finish_reason": None}]}
    made = proxai_ir.compile([chunk, text, "[DONE]"], CHAT, dst)
    assert ended_stream(dst, made.output) == WORDS["stop"][dst]
    assert "STS-10" in codes(made.diagnostics)


@pytest.mark.parametrize("dst", [CHAT, GEMINI, RESPONSES])
@pytest.mark.parametrize("ending", [{"stop_reason": None}, {}, None])
def test_a_message_without_a_stop_reason_is_whole_at_its_end(ending: Json, dst: str) -> None:
    events = claude_stream(WHOLE, None)
    events[-2:-1] = [] if ending is None else [{**events[-2], "delta": ending}]
    made = proxai_ir.compile(events, ANTHROPIC, dst)
    assert ended_stream(dst, made.output) == WORDS["calls"][dst]
    assert [one.severity for one in made.diagnostics if one.code == "STS-10"] == ["info"]
    assert proxai_ir.convert(events, ANTHROPIC, ANTHROPIC) == events
    again = proxai_ir.raise_to(proxai_ir.lower(events, ANTHROPIC, kind="stream"), ANTHROPIC)
    assert canonical(again) == canonical(events)


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
