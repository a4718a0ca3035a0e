"""How responses end, errors, usage: what is said of them arrives."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir
from proxai_ir.ir.error import overflows

from ..samples.anthropic_messages import building as anthropic
from ..samples.gemini_generate_content import building as gemini
from ..samples.openai_chat_completions import building as chat
from ..samples.openai_responses import building as responses
from .support import ANTHROPIC, CHAT, GEMINI, RESPONSES, Json, found, losses, made, texts, whole

REFUSED: Json = {"type": "refusal", "refusal": "No."}


def test_the_reason_of_a_bad_key_is_no_loss() -> None:
    info = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID", "domain": "x"}
    error = gemini.error("INVALID_ARGUMENT", "API key not valid.", details=[info])
    assert losses(made(error, GEMINI, CHAT, "error", status=400)) == []
    assert len(losses(made(error, GEMINI, ANTHROPIC, "error", status=400))) <= 1  # the code, which it has no place for


def test_numbers_of_enums_in_requests() -> None:
    tools = [{"functionDeclarations": [{"name": "f", "parameters": {"type": 6, "properties": {"a": {"type": 1}}}}]}]
    request = gemini.request(gemini.user("Hi"), tools=tools, toolConfig={"functionCallingConfig": {"mode": 2}})
    output = made(request, GEMINI, CHAT, "request").output
    assert output["tool_choice"] == "required"
    assert output["tools"][0]["function"]["parameters"]["properties"] == {"a": {"type": "string"}}


@pytest.mark.parametrize(
    "payload, src, path",
    [
        (responses.response(responses.message(REFUSED)), RESPONSES, "/status"),
        (chat.response("stop", content=None, refusal="No."), CHAT, "/choices/0/finish_reason"),
    ],
    ids=[RESPONSES, CHAT],
)
def test_that_a_refusal_was_completed_is_named(payload: Json, src: str, path: str) -> None:
    """No loss: how a refusal ended says nothing that the refusal does not (REF-13)."""
    conversion = made(payload, src, ANTHROPIC)
    assert ("REF-13", path) in found(conversion, "info")
    assert losses(conversion) == []


@pytest.mark.parametrize(
    "payload, src",
    [
        (chat.response("length", content=None, refusal="No."), CHAT),
        (
            responses.response(
                responses.message(REFUSED), status="incomplete", incomplete_details={"reason": "max_output_tokens"}
            ),
            RESPONSES,
        ),
    ],
    ids=[CHAT, RESPONSES],
)
def test_a_refusal_that_was_cut_off_is_a_refusal(payload: Json, src: str) -> None:
    output = made(payload, src, ANTHROPIC).output
    assert (output["stop_reason"], output["stop_details"]["explanation"]) == ("refusal", "No.")


def test_a_refusal_in_chunks_that_was_cut_off_is_a_refusal() -> None:
    output = whole(chat.stream({"refusal": "No."}, finish="length"), CHAT, ANTHROPIC)
    assert output["stop_reason"] == "refusal"


TWICE = responses.response(responses.message(responses.output_text("No."), REFUSED))


def test_a_repeated_refusal_goes_to_gemini_once() -> None:
    assert texts(made(TWICE, RESPONSES, GEMINI).output) == ["No."]


@pytest.mark.parametrize("dst", [ANTHROPIC, GEMINI])
def test_a_repeated_refusal_is_streamed_once(dst: str) -> None:
    assert texts(whole(responses.stream(TWICE), RESPONSES, dst)) == ["No."]


def test_a_repeated_refusal_is_streamed_once_to_chat() -> None:
    events = made(responses.stream(TWICE), RESPONSES, CHAT, "stream").output[:-1]
    deltas = [choice["delta"] for event in events for choice in event["choices"]]
    assert "".join((delta.get("content") or "") + (delta.get("refusal") or "") for delta in deltas) == "No."


@pytest.mark.parametrize("dst", [CHAT, ANTHROPIC, GEMINI])
def test_a_repeated_refusal_of_the_history_is_sent_once(dst: str) -> None:
    question = {"type": "message", "role": "user", "content": "Hi"}
    request = responses.request(question, TWICE["output"][0], question)
    assert str(made(request, RESPONSES, dst, "request").output).count("No.") == 1


def test_a_text_behind_a_refusal_is_out_of_order_in_chat() -> None:
    response = responses.response(responses.message(REFUSED, responses.output_text("But.")))
    assert ("PLC-4", "/output/0/content/1") in losses(made(response, RESPONSES, CHAT))


@pytest.mark.parametrize("member", ["stop_reason", "matched_stop"])
def test_the_stop_sequence_of_a_server_is_said(member: str) -> None:
    response = chat.response(content="ab")
    response["choices"][0][member] = "END"
    output = made(response, CHAT, ANTHROPIC).output
    assert (output["stop_reason"], output["stop_sequence"]) == ("stop_sequence", "END")


def test_the_id_of_a_token_is_no_stop_sequence() -> None:
    response = chat.response(content="ab")
    response["choices"][0]["matched_stop"] = 151645
    assert made(response, CHAT, ANTHROPIC).output["stop_reason"] == "end_turn"


@pytest.mark.parametrize("content", [None, "missing"])
def test_a_message_may_start_without_content(content: Any) -> None:
    events = anthropic.stream(anthropic.text_block("Hi"))
    if content is None:
        events[0]["message"]["content"] = None
    else:
        del events[0]["message"]["content"]
    assert texts(whole(events, ANTHROPIC, CHAT)) == ["Hi"]


@pytest.mark.parametrize("output", [None, "missing"])
def test_a_response_may_start_without_output(output: Any) -> None:
    events = responses.stream(
        responses.response(responses.message(responses.output_text("Hi"), id="m", status="completed"))
    )
    for event in events[:2]:
        if output is None:
            event["response"]["output"] = None
        else:
            event["response"].pop("output", None)
    assert texts(whole(events, RESPONSES, CHAT)) == ["Hi"]


def test_the_ending_and_the_usage_are_public() -> None:
    conversion = made(chat.response("length", content="Hi"), CHAT, ANTHROPIC)
    finish, usage = conversion.finish, conversion.usage
    assert finish is not None and usage is not None
    assert (finish.reason, finish.raw) == (proxai_ir.FinishReason.LENGTH, "length")
    assert (usage.input, usage.output) == (7, 5)
    assert "FinishReason" in proxai_ir.__all__


# --- usage ------------------------------------------------------------------------------------------------------------


def test_the_first_usage_of_gemini_is_known_at_the_start() -> None:
    events = [gemini.chunk("a", usage={"promptTokenCount": 17}), gemini.chunk("b", usage=gemini.USAGE, finish="STOP")]
    assert made(events, GEMINI, ANTHROPIC, "stream").output[0]["message"]["usage"]["input_tokens"] == 17


def test_a_count_of_an_earlier_chunk_is_kept() -> None:
    first = {"promptTokenCount": 7, "cachedContentTokenCount": 3, "zork": 1}
    events = [gemini.chunk("a", usage=first), gemini.chunk("b", usage=gemini.USAGE, finish="STOP")]
    conversion = made(events, GEMINI, CHAT, "stream")
    assert conversion.output[-2]["usage"]["prompt_tokens_details"] == {"cached_tokens": 3}
    assert ("UNK-6", "/0/usageMetadata/zork") in [(one.rule, one.path) for one in conversion.diagnostics]


@pytest.mark.parametrize("dst", [CHAT, RESPONSES, GEMINI])
def test_counts_that_add_up_do_not_fall(dst: str) -> None:
    events = anthropic.stream(anthropic.text_block("Hi"), usage={"input_tokens": 0, "output_tokens": 3})
    events[0]["message"]["usage"] = {"input_tokens": 100, "output_tokens": 1}
    usage = whole(events, ANTHROPIC, dst).get("usage") or whole(events, ANTHROPIC, dst)["usageMetadata"]
    assert 100 in usage.values()


@pytest.mark.parametrize(
    "usage, expected",
    [
        ({"input_tokens": 9, "output_tokens": 7}, {"input_tokens": 9, "output_tokens": 7}),
        (
            {"prompt_tokens": 9, "completion_tokens": 7, "prompt_tokens_details": {"cache_creation_tokens": 3}},
            {"input_tokens": 6, "cache_creation_input_tokens": 3, "output_tokens": 7},
        ),
        (
            {"prompt_tokens": 9, "completion_tokens": 7, "prompt_tokens_details": {"cached_creation_tokens": 3}},
            {"input_tokens": 6, "cache_creation_input_tokens": 3, "output_tokens": 7},
        ),
    ],
    ids=["input_tokens", "cache_creation_tokens", "cached_creation_tokens"],
)
def test_usage_in_other_spellings(usage: Json, expected: Json) -> None:
    made_usage = made(chat.response(content="Hi", usage=usage), CHAT, ANTHROPIC).output["usage"]
    assert {name: count for name, count in made_usage.items() if count} == expected


def test_thinking_tokens_are_counted() -> None:
    usage = {"prompt_tokens": 9, "completion_tokens": 7, "thinking_tokens": 2}
    output = made(chat.response(content="Hi", usage=usage), CHAT, RESPONSES).output
    assert output["usage"]["output_tokens_details"] == {"reasoning_tokens": 2}


# --- prompts that are too long ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "message",
    [
        "Unable to submit request because the input token count is 1251952 but model only supports up to 1048576.",
        "the input length exceeds the context length",
        "Input length 6491 exceeds context length 1500",
        "number of input tokens (167594) has exceeded max_prompt_tokens (163840) limit.",
        "Input prompt (36893 tokens) is too long and exceeds limit of 1000",
        "Input validation error: `inputs` must have less than 4096 tokens. Given: 5000",
        "Input Tokens Exceeded: Number of input tokens exceeds maximum length.",
        "Too many input tokens. Max input tokens: 8192, request input token count: 11000",
        "Malformed input request: expected maxLength: 42000, actual: 46735, please reformat your input and try again.",
        "Cannot truncate prompt with n_keep (13055) >= n_ctx (4096)",
    ],
    ids="Vertex Ollama LMStudio gateway vLLM TGI Nova Titan Bedrock n_keep".split(),
)
def test_a_prompt_that_is_too_long_is_known(message: str) -> None:
    assert overflows(message)
