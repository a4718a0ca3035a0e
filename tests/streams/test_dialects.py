"""Streams as servers of other vendors send them: the text arrives, and in their own protocol they come back whole."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

import proxai_ir
from proxai_ir import Diagnostic, ir
from proxai_ir.ir.response import Response
from proxai_ir.testing.payloads import canonical
from proxai_ir.testing.pointers import exists
from proxai_ir.testing.streams import folded

from ..cases import each
from ..samples.anthropic_messages import building as anthropic
from ..samples.openai_chat_completions import building as chat
from ..samples.openai_chat_completions.dialects import DIALECTS, usage, whole
from ..samples.openai_chat_completions.dialects import chunk as dialect_chunk
from ..samples.sample import Events, Json

ANTHROPIC, CHAT, RESPONSES = "anthropic_messages", "openai_chat_completions", "openai_responses"


FILTER: Json = {"id": "", "object": "", "created": 0, "model": ""}
UNFILTERED = {"hate": {"filtered": False, "severity": "safe"}}


def azure() -> Events:
    """The findings of filters come before the response, with its end, and after it."""
    first = {
        **FILTER,
        "choices": [],
        "prompt_filter_results": [{"prompt_index": 0, "content_filter_results": UNFILTERED}],
    }
    last = {**FILTER, "choices": [{"index": 0, "finish_reason": None, "content_filter_results": UNFILTERED}]}
    start, *chunks, done = chat.stream({"content": "Hi"}, usage=False)
    return [first, start, *chunks, last, done]


def vllm() -> Events:
    """Reasoning has parts of its own kind of event."""
    thought = {"id": "rs_1", "type": "reasoning", "summary": []}
    piece = {"type": "reasoning_text", "text": "Hm."}
    text = {"type": "output_text", "text": "Hi", "annotations": []}
    message: Json = {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": [text]}
    response = {"id": "resp_1", "object": "response", "created_at": 1, "model": "m", "output": []}
    where = {"output_index": 0, "item_id": "rs_1", "content_index": 0}
    output = [{**thought, "content": [piece]}, message]
    return [
        {"type": "response.created", "response": {**response, "status": "in_progress"}},
        {"type": "response.output_item.added", "output_index": 0, "item": thought},
        {"type": "response.reasoning_part.added", **where, "part": {**piece, "text": ""}},
        {"type": "response.reasoning_text.delta", **where, "delta": "Hm."},
        {"type": "response.reasoning_text.done", **where, "text": "Hm."},
        {"type": "response.reasoning_part.done", **where, "part": piece},
        {"type": "response.output_item.done", "output_index": 0, "item": output[0]},
        {"type": "response.output_item.done", "output_index": 1, "item": message},
        {"type": "response.completed", "response": {**response, "status": "completed", "output": output}},
    ]


def hesitant() -> Events:
    """A finish reason that is "" until there is one, and chunks without choices while the model thinks."""
    *chunks, done = chat.stream({"content": "H"}, {"content": "i"}, usage=False)
    for chunk in chunks:
        (choice,) = chunk["choices"]
        choice["finish_reason"] = choice.get("finish_reason") or ""
    waiting: Json = {"id": "c1", "object": "chat.completion.chunk", "created": 7, "model": "m", "choices": None}
    return [waiting, chunks[0], waiting, *chunks[1:], done]


def ended_like_chat() -> Events:
    return [*anthropic.stream(anthropic.text_block("Hi")), chat.DONE]


def whole_at_once() -> Events:
    """Nothing grows: the text and the arguments stand where they begin."""
    text, call = {"type": "text", "text": "Hi"}, {"type": "tool_use", "id": "t_1", "name": "f", "input": {"a": 1}}
    return anthropic.stream(anthropic.block(text), anthropic.block(call), stop="tool_use")


SERVERS = {
    "azure": (CHAT, azure()),
    "hesitant": (CHAT, hesitant()),
    "vllm": (RESPONSES, vllm()),
    "ended like chat": (ANTHROPIC, ended_like_chat()),
    "all at once": (ANTHROPIC, whole_at_once()),
}


def text_of(protocol: str, events: Events) -> str:
    """The response's text, from its deltas."""
    if protocol == CHAT:
        choices = [choice for event in events if event != chat.DONE for choice in event["choices"] or ()]
        return "".join(choice["delta"].get("content") or "" for choice in choices)
    if protocol == ANTHROPIC:
        deltas = [event["delta"] for event in events if event["type"] == "content_block_delta"]
        return "".join(delta.get("text", "") for delta in deltas)
    return "".join(event["delta"] for event in events if event["type"] == "response.output_text.delta")


@pytest.mark.parametrize("dst", [CHAT, ANTHROPIC, RESPONSES])
@pytest.mark.parametrize("name", SERVERS)
def test_the_text_arrives(name: str, dst: str) -> None:
    src, events = SERVERS[name]
    made = proxai_ir.compile(events, src, dst, kind="stream")
    assert src == dst or text_of(dst, made.output) == "Hi"


@pytest.mark.parametrize("name", SERVERS)
def test_it_comes_back_in_its_own_protocol(name: str) -> None:
    src, events = SERVERS[name]
    again = proxai_ir.raise_to(proxai_ir.lower(events, src, kind="stream"), src)
    assert canonical(again) == canonical(events)


def test_what_filters_found_is_named() -> None:
    made = proxai_ir.compile(azure(), CHAT, ANTHROPIC)
    found = [(one.code, one.path) for one in made.diagnostics if one.code.startswith("UNK-")]
    assert found == [("UNK-6", "/0/prompt_filter_results"), ("UNK-6", "/4/choices/0/content_filter_results")]


def test_arguments_that_come_at_once_are_one_fragment() -> None:
    events: list[Any] = proxai_ir.convert(whole_at_once(), ANTHROPIC, RESPONSES)
    fragments = [event["delta"] for event in events if event["type"] == "response.function_call_arguments.delta"]
    assert fragments == ['{"a":1}']
    assert events[-1]["response"]["output"][1]["arguments"] == '{"a":1}'


BEGUN: Json = {"index": 0, "id": "call_1", "type": "function", "function": {"name": "sky", "arguments": ""}}
LEFT, RIGHT = {"function": {"arguments": '{"a":'}}, {"function": {"arguments": "1}"}}
FIRST = {"index": 0, **LEFT}


@pytest.mark.parametrize(
    "chunks",
    [
        [[BEGUN], [FIRST, RIGHT]],
        [[BEGUN, LEFT, {"index": 0, **RIGHT}]],
        [[BEGUN], [{"index": 0}], [{}], [FIRST, {"index": 0}, {"index": 0, "id": "call_1"}], [RIGHT, {}]],
        [[BEGUN], [{"index": 0, "function": None}, {"index": 0, "type": "function", **LEFT}, RIGHT]],
    ],
    ids=["text without an index", "together with the start", "without text", "other members"],
)
def test_each_fragment_of_a_call_comes_back(chunks: list[list[Json]]) -> None:
    events = chat.stream(*(chat.calls(*fragments) for fragments in chunks), finish="tool_calls")
    assert canonical(proxai_ir.raise_to(proxai_ir.lower(events, CHAT, kind="stream"), CHAT)) == canonical(events)
    (part,) = folded(events, CHAT).candidates[0].parts
    assert isinstance(part, ir.FunctionCall)
    assert (part.id, part.arguments) == ("call_1", '{"a":1}')


def test_what_a_later_fragment_has_besides_is_named() -> None:
    fragments = ({**BEGUN, "function": {"name": "sky", "arguments": "{"}}, {"index": 0, "zz": 1}, {"index": 0, **RIGHT})
    events = chat.stream(*map(chat.calls, fragments), finish="tool_calls")
    converter = proxai_ir.StreamConverter(CHAT, ANTHROPIC)
    for event in events[:3]:
        converter.feed(event)
    assert ("UNK-1", "/2/choices/0/delta/tool_calls/0/zz") in [(one.code, one.path) for one in converter.diagnostics]


def test_an_error_that_comes_with_a_chunk_is_an_error() -> None:
    """As routers report that their provider failed."""
    start, text, *_ = chat.stream({"content": "Hi"})
    piece = {**chat.chunk({"content": ""}, "error"), "error": {"code": 502, "message": "Gone"}}
    made = proxai_ir.compile([start, text, piece], CHAT, ANTHROPIC)
    assert made.output[-1]["error"]["message"] == "Gone"
    about = {(one.severity, one.code, one.path) for one in made.diagnostics if one.code.startswith("ERR")}
    assert about == {("info", "ERR-6", "/2/error/code")}


# --- dialects of Chat Completions -------------------------------------------------------------------------------------

THOUGHT = {"reasoning": "Hm."}
DIFFERENT: dict[str, dict[str, Any]] = {
    "Mistral": THOUGHT,
    "Mistral, a call": {"text": "", "calls": [("sky", {"city": "Oslo"})]},
    "DeepSeek": THOUGHT,
    "GLM": THOUGHT,
    "Kimi": THOUGHT,
    "Qwen": THOUGHT,
    "OpenRouter": THOUGHT,
    "Perplexity": {"text": "Rain[1]."},
    "Groq": THOUGHT,
    "xAI": THOUGHT,
    "Cerebras": THOUGHT,
    "Cloudflare": {"text": '{"sky":"Rain."}'},
    "LM Studio": {"text": "", "calls": [("sky", {"city": "Oslo"})]},
}
"""What a dialect's answer has besides the text "Rain.", or in its place."""

LOST = {
    ("OpenRouter", RESPONSES): {"RSN-4"},  # a signature of Anthropic's
    ("Perplexity", ANTHROPIC): {"CIT-1"},
}
each_dialect = each("name", DIALECTS)
to_each = each("dst", [ANTHROPIC, RESPONSES])


def answer(response: Response) -> dict[str, Any]:
    """Text, reasoning, calls and tokens."""
    (candidate,) = response.candidates
    calls = [part for part in candidate.parts if isinstance(part, ir.FunctionCall)]
    inputs = [json.loads(call.arguments) if isinstance(call.arguments, str) else call.arguments for call in calls]
    assert all(call.id for call in calls)
    used = response.usage
    return {
        "text": "".join(part.text for part in candidate.parts if isinstance(part, ir.Text)),
        "reasoning": "".join(part.text or "" for part in candidate.parts if isinstance(part, ir.Reasoning)),
        "calls": [(call.name, given) for call, given in zip(calls, inputs, strict=True)],
        "tokens": None if used is None else (used.all_input, used.all_output),
    }


def expected(name: str) -> dict[str, Any]:
    return {"text": "Rain.", "reasoning": "", "calls": [], "tokens": (9, 7)} | DIFFERENT.get(name, {})


@to_each
@each_dialect
def test_a_dialect_as_a_whole(name: str, dst: str) -> None:
    response, _ = DIALECTS[name]
    made = proxai_ir.compile(response, CHAT, dst)
    lowered = proxai_ir.lower(made.output, dst)
    assert isinstance(lowered, Response)
    assert answer(lowered) == expected(name)
    assert {one.code for one in made.diagnostics if one.severity == "loss"} == LOST.get((name, dst), set())
    assert accounts_for_all(made.diagnostics, response)


@to_each
@each_dialect
def test_a_dialect_as_a_stream(name: str, dst: str) -> None:
    _, events = DIALECTS[name]
    made = proxai_ir.compile(events, CHAT, dst, kind="stream")
    found = answer(folded(made.output, dst))
    if name == "no finish reason":  # whose usage nothing reports
        found["tokens"] = (9, 7)
    assert found == expected(name)
    assert {one.code for one in made.diagnostics if one.severity == "loss"} == LOST.get((name, dst), set())
    assert accounts_for_all(made.diagnostics, events)


def accounts_for_all(diagnostics: tuple[Diagnostic, ...], payload: Any) -> bool:
    """Whether every finding points at something that is there."""
    return all(exists(payload, one.path) for one in diagnostics)


@each_dialect
def test_a_dialect_comes_back(name: str) -> None:
    response, events = DIALECTS[name]
    again = proxai_ir.raise_to(proxai_ir.lower(response, CHAT), CHAT)
    assert again == response
    again = proxai_ir.raise_to(proxai_ir.lower(events, CHAT, kind="stream"), CHAT)
    assert canonical(again) == canonical(events)


@to_each
def test_a_signature_of_anthropic_is_one_only_by_its_label(dst: str) -> None:
    """Whatever a label is, no protocol takes the signatures of others for its own."""
    for label in ("openai-responses-v1", "google-gemini-v1", "anthropic", "openai", None):
        response: Json = copy.deepcopy(DIALECTS["OpenRouter"][0])
        response["choices"][0]["message"]["reasoning_details"][0]["format"] = label
        made = proxai_ir.compile(response, CHAT, dst)
        assert "c2ln" not in json.dumps(made.output)
        assert "RSN-4" in {one.code for one in made.diagnostics}
    made = proxai_ir.compile(DIALECTS["OpenRouter"][0], CHAT, dst)
    assert ("c2ln" in json.dumps(made.output)) == (dst == ANTHROPIC)


def test_encrypted_reasoning_is_read_too() -> None:
    sealed = {"type": "reasoning.encrypted", "data": "c2Vh", "format": "anthropic-claude-v1", "index": 0}
    response = whole({"content": "Rain.", "reasoning_details": [sealed]}, usage=usage())
    made: Any = proxai_ir.convert(response, CHAT, ANTHROPIC)
    assert made["content"][0] == {"type": "redacted_thinking", "data": "c2Vh"}
    events = [dialect_chunk({"role": "assistant", "reasoning_details": [sealed]}), *DIALECTS["no finish reason"][1][1:]]
    made = proxai_ir.convert(events, CHAT, ANTHROPIC)
    assert made[1]["content_block"] == {"type": "redacted_thinking", "data": "c2Vh"}


def test_thinking_that_is_not_shown_has_its_signature() -> None:
    detail = {"type": "reasoning.text", "text": "", "format": "anthropic-claude-v1", "index": 0}
    signed = dialect_chunk({"reasoning_details": [{**detail, "signature": "c2ln"}]})
    events = [dialect_chunk({"role": "assistant", "reasoning_details": [detail]}), signed]
    made: Any = proxai_ir.convert([*events, *DIALECTS["no finish reason"][1][1:]], CHAT, ANTHROPIC)
    assert made[1]["content_block"] == {"type": "thinking", "thinking": "", "signature": "c2ln"}
    shown = dialect_chunk({"reasoning_details": [{**detail, "text": "Hm."}]})
    late = [events[0], shown, dialect_chunk({"content": "Rain."}), signed, chat.DONE]
    codes = {one.code: one.path for one in proxai_ir.compile(late, CHAT, ANTHROPIC).diagnostics}
    assert codes["RSN-4"] == "/3/choices/0/delta/reasoning_details/0/signature"  # its text is over


def test_references_are_citations() -> None:
    response, events = DIALECTS["Perplexity"]
    made: Any = proxai_ir.convert(response, CHAT, RESPONSES)
    notes = made["output"][0]["content"][0]["annotations"]
    assert [(one["url"], one["start_index"], one["end_index"]) for one in notes] == [
        ("https://a.example/", 4, 7),
        ("https://b.example/", 0, 8),  # without a reference, of the whole text
    ]
    streamed: Any = proxai_ir.convert(events, CHAT, RESPONSES)
    assert streamed[-1]["response"]["output"][0]["content"] == made["output"][0]["content"]


def test_sources_without_a_text_are_named() -> None:
    refusal = whole({"content": None, "refusal": "No."}, citations=["https://a.example/"])
    made = proxai_ir.compile(refusal, CHAT, RESPONSES)
    assert ("CIT-1", "/citations") in [(one.code, one.path) for one in made.diagnostics]
    events = [
        dialect_chunk({"role": "assistant", "refusal": "No."}, citations=["https://a.example/"]),
        dialect_chunk({}, "stop", citations=["https://a.example/"]),
    ]
    made = proxai_ir.compile(events, CHAT, RESPONSES)  # type: ignore[arg-type]
    assert ("CIT-1", "/1/citations") in [(one.code, one.path) for one in made.diagnostics]


def test_a_filtered_choice_has_no_message() -> None:
    response: Json = whole({}, "content_filter", usage=usage())
    del response["choices"][0]["message"]
    made: Any = proxai_ir.convert(response, CHAT, RESPONSES)
    assert (made["status"], made["incomplete_details"]) == ("incomplete", {"reason": "content_filter"})
    assert canonical(proxai_ir.raise_to(proxai_ir.lower(response, CHAT), CHAT)) == canonical(response)
    response["choices"][0]["finish_reason"] = "stop"
    with pytest.raises(proxai_ir.InvalidPayload, match="SHP-2"):
        proxai_ir.convert(response, CHAT, RESPONSES)


@pytest.mark.parametrize("arguments", ["", "{}", '{"city":', "[]"])
def test_a_call_that_nothing_ends_must_be_whole(arguments: str) -> None:
    call = {"index": 0, "id": "c1", "type": "function", "function": {"name": "sky", "arguments": arguments}}
    events = [dialect_chunk({"role": "assistant", "tool_calls": [call]}), chat.DONE]
    if arguments == "{}":
        made: Any = proxai_ir.convert(events, CHAT, ANTHROPIC)
        assert made[-2]["delta"]["stop_reason"] == "tool_use"
    else:
        with pytest.raises(proxai_ir.StreamError, match="STR-2"):
            proxai_ir.convert(events, CHAT, ANTHROPIC)


def test_done_alone_is_no_response() -> None:
    with pytest.raises(proxai_ir.StreamError, match="STR-2"):
        proxai_ir.convert([chat.DONE], CHAT, ANTHROPIC, kind="stream")


@pytest.mark.parametrize(("total", "received"), [(588, 281), (333, 255), (None, 255)])
def test_reasoning_is_on_top_only_where_the_total_proves_it(total: int | None, received: int) -> None:
    used = {"prompt_tokens": 307, "completion_tokens": 26, "completion_tokens_details": {"reasoning_tokens": 255}}
    if total is not None:
        used["total_tokens"] = total
    made: Any = proxai_ir.convert(whole({"content": "Rain."}, usage=used), CHAT, RESPONSES)
    assert made["usage"]["output_tokens"] == received


@pytest.mark.parametrize("member", ["content", "reasoning"])
def test_chunks_may_have_nothing_but_the_text(member: str) -> None:
    events: Events = [{"choices": [{"delta": {member: text}}]} for text in ("It ", "rains", ".")]
    events += [{"choices": [{"delta": {}, "finish_reason": "stop"}]}, chat.DONE]
    said: Any = ir.Reasoning if member == "reasoning" else ir.Text
    (turn,) = folded(events, CHAT).candidates[0].turns
    assert turn.parts == [said("It rains.")]
    made: Any = proxai_ir.convert(events, CHAT, RESPONSES)
    assert made[-1]["response"]["status"] == "completed"
