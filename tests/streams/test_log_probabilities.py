"""Log probabilities in streams: carried with their text, however late they come, or reported, or refused."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir
from proxai_ir import StreamError
from proxai_ir.testing.payloads import canonical

from ..samples.openai_chat_completions import building as chat
from ..samples.openai_responses import building as responses
from ..samples.sample import Events, Json

ANTHROPIC, CHAT, RESPONSES = "anthropic_messages", "openai_chat_completions", "openai_responses"


def scores(token: str) -> Json:
    return {"token": token, "logprob": -0.1, "bytes": None, "top_logprobs": []}


def scored_chunk(delta: Json, **scores: Any) -> Json:
    event = chat.chunk(delta)
    event["choices"][0]["logprobs"] = {"content": None, "refusal": None, **scores}
    return event


def test_log_probabilities_are_repeated_wherever_responses_repeats_the_text() -> None:
    start, *end = chat.stream(usage=False)
    scored = [scored_chunk({"content": token}, content=[scores(token)]) for token in ("Hi", " you")]
    made: list[Any] = proxai_ir.convert([start, *scored, *end], CHAT, RESPONSES)
    tokens = [{**scores(token), "bytes": []} for token in ("Hi", " you")]
    deltas = [one["logprobs"] for one in made if one["type"] == "response.output_text.delta"]
    assert deltas == [[tokens[0]], [tokens[1]]]
    (done,) = (one for one in made if one["type"] == "response.output_text.done")
    (part,) = (one["part"] for one in made if one["type"] == "response.content_part.done")
    (item,) = (one["item"] for one in made if one["type"] == "response.output_item.done")
    for holder in (done, part, item["content"][0], made[-1]["response"]["output"][0]["content"][0]):
        assert holder["logprobs"] == tokens
    assert len({id(one) for holder in (done, part, item["content"][0]) for one in holder["logprobs"]}) == 6


def test_ollama_has_them_in_a_chunk_beside_their_text() -> None:
    start, *end = chat.stream(usage=False)
    scored = scored_chunk({"content": "Hi"}, content=[scores("Hi")])
    made: list[Any] = proxai_ir.convert([start, scored, *end], CHAT, "ollama_chat", kind="stream")
    assert [one["logprobs"] for one in made if "logprobs" in one] == [[{"token": "Hi", "logprob": -0.1}]]
    assert "".join(one["message"]["content"] for one in made) == "Hi"


@pytest.mark.parametrize(
    "chunk",
    [
        scored_chunk({"refusal": "No"}, refusal=[scores("No")]),
        scored_chunk({"tool_calls": [chat.fragment(0, "{}", "c", "f")]}, content=[scores("{}")]),
    ],
    ids=["refusal", "call"],
)
def test_log_probabilities_of_what_is_no_text_end_the_stream(chunk: Json) -> None:
    events = chat.stream(usage=False)
    with pytest.raises(proxai_ir.TranslationError, match="STR-5"):
        proxai_ir.convert([events[0], chunk, *events[1:]], CHAT, RESPONSES)


@pytest.mark.parametrize("dst", [ANTHROPIC, "bedrock_converse", "gemini_interactions"])
def test_a_target_without_log_probabilities_loses_those_of_chat_by_name(dst: str) -> None:
    start, *end = chat.stream(usage=False)
    scored = [scored_chunk({"content": token}, content=[scores(token)]) for token in ("Hi", " you")]
    made = proxai_ir.compile([start, *scored, *end], CHAT, dst, kind="stream")
    assert [(one.code, one.path) for one in made.diagnostics if one.severity == "loss"] == [
        ("SMP-7", "/1/choices/0/logprobs")
    ]
    assert "Hi" in str(made.output)


def test_unasked_log_probabilities_of_responses_are_lost_by_name() -> None:
    events = responses.stream(responses.response(responses.message(responses.output_text("Hi there"))))
    for event in events:
        if event["type"] == "response.output_text.delta":
            event["logprobs"] = [{"token": event["delta"], "logprob": -0.5}]
    made = proxai_ir.compile(events, RESPONSES, ANTHROPIC, kind="stream")
    assert [one.code for one in made.diagnostics if one.severity == "loss"] == ["SMP-7"]
    assert made.output[-1] == {"type": "message_stop"}


SCORED: Json = {"token": "Hi", "logprob": -0.1, "bytes": [72, 105], "top_logprobs": []}


def late(*where: str) -> Events:
    """A text whose log probabilities are only in these events: of its end, its part, its item, the response."""
    response = {"id": "resp_1", "object": "response", "created_at": 1, "model": "m", "output": []}
    begun: Json = {"id": "msg_1", "type": "message", "role": "assistant", "status": "in_progress", "content": []}
    address = {"output_index": 0, "item_id": "msg_1", "content_index": 0}

    def scored(at: str, holder: Json) -> Json:
        return {**holder, "logprobs": [SCORED]} if at in where else holder

    def text(at: str) -> Json:
        return scored(at, {"type": "output_text", "text": "Hi", "annotations": []})

    def item(at: str) -> Json:
        return {**begun, "status": "completed", "content": [text(at)]}

    return [
        {"type": "response.created", "response": {**response, "status": "in_progress"}},
        {"type": "response.output_item.added", "output_index": 0, "item": begun},
        {"type": "response.content_part.added", **address, "part": {"type": "output_text", "text": ""}},
        {"type": "response.output_text.delta", **address, "delta": "Hi"},
        scored("text", {"type": "response.output_text.done", **address, "text": "Hi"}),
        {"type": "response.content_part.done", **address, "part": text("part")},
        {"type": "response.output_item.done", "output_index": 0, "item": item("item")},
        {"type": "response.completed", "response": {**response, "status": "completed", "output": [item("answer")]}},
    ]


@pytest.mark.parametrize(
    ("events", "named"),
    [
        (late("text", "part", "item", "answer"), None),
        (late("part", "item", "answer"), None),
        (late("item"), "/6/item/content/0/logprobs"),
        ([late()[0], *late("item", "answer")[6:]], None),
        ([late()[0], late("answer")[7]], None),
    ],
    ids=["text", "part", "a closed text", "item", "answer"],
)
def test_log_probabilities_that_come_with_the_whole_text_are_carried(events: Events, named: str | None) -> None:
    made = proxai_ir.compile(events, RESPONSES, CHAT)
    choices = [choice for event in made.output if event != chat.DONE for choice in event["choices"]]
    scores = [one for choice in choices for one in (choice.get("logprobs") or {}).get("content", ())]
    assert scores == ([] if named else [SCORED])
    losses = [(one.code, one.path) for one in made.diagnostics if one.severity == "loss"]
    assert losses == ([("STR-16", named)] if named else [])
    assert proxai_ir.raise_to(proxai_ir.lower(events, RESPONSES, kind="stream"), RESPONSES) == events


def test_log_probabilities_of_tokens_that_are_no_text_end_with_it() -> None:
    last: Json = {"token": "<eos>", "logprob": -0.2, "bytes": None, "top_logprobs": []}
    events: Events = [
        scored_chunk({"role": "assistant", "content": "Hi"}, content=[SCORED]),
        scored_chunk({"content": ""}, content=[last]),
        chat.chunk({}, "stop"),
        chat.DONE,
    ]
    made: list[Any] = proxai_ir.convert(events, CHAT, RESPONSES)
    (text,) = made[-1]["response"]["output"][0]["content"]
    assert [one["token"] for one in text["logprobs"]] == ["Hi", "<eos>"]


def test_log_probabilities_of_no_token_are_empty() -> None:
    events: Events = [
        scored_chunk({"role": "assistant", "content": "Hi"}, content=[]),
        chat.chunk({}, "stop"),
        chat.DONE,
    ]
    made = proxai_ir.compile(events, CHAT, ANTHROPIC)
    assert ("ENV-7", "/0/choices/0/logprobs") in [(one.code, one.path) for one in made.diagnostics]
    assert canonical(proxai_ir.raise_to(proxai_ir.lower(events, CHAT, kind="stream"), CHAT)) == canonical(events)


def test_log_probabilities_after_the_finish_reason_are_refused() -> None:
    late = scored_chunk({}, content=[SCORED])
    with pytest.raises(StreamError, match="STR-9 at /1/choices/0/logprobs"):
        proxai_ir.convert(
            [chat.chunk({"role": "assistant", "content": "Hi"}, "stop"), late, chat.DONE], CHAT, RESPONSES
        )
