"""Facts of the envelope may come at any time: usage before its response, within any part, again (STR-4, STR-23)."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir
from proxai_ir import StreamConverter
from proxai_ir.ir.response import Usage
from proxai_ir.testing.streams import fed

from ..samples import PROTOCOLS, Sample, others, samples
from ..samples.bedrock_converse import building as bedrock
from ..samples.gemini_generate_content import building as gemini
from ..samples.openai_chat_completions import building as chat
from ..samples.sample import Events, Json

CHAT, BEDROCK = "openai_chat_completions", "bedrock_converse"
COUNTS = {"promptTokenCount": 3, "candidatesTokenCount": 2, "totalTokenCount": 5}
ALONE: dict[str, Json] = {
    CHAT: chat.usage_chunk(3, 2),
    "anthropic_messages": {"type": "message_delta", "delta": {}, "usage": {"output_tokens": 2}},
    BEDROCK: {"metadata": {"usage": {"inputTokens": 3, "outputTokens": 2, "totalTokens": 5}}},
    "gemini_generate_content": {"usageMetadata": COUNTS},
    "ollama_chat": {
        "model": "m",
        "created_at": "2026-01-01T00:00:00Z",
        "message": {"role": "assistant", "content": ""},
        "done": False,
        "prompt_eval_count": 3,
        "eval_count": 2,
    },
}
"""By protocol an event with usage and nothing else."""
AT_THE_END = {"openai_responses", "cohere_v2_chat", "gemini_interactions"}
"""Protocols in which the last event alone has a place for usage."""
Counts = tuple[int | None, int | None] | None
STREAMS = [one for one in samples("stream") if not one.own and one.protocol in ALONE]


def test_every_protocol_is_one_or_the_other() -> None:
    assert ALONE.keys() | AT_THE_END == set(PROTOCOLS)


def used(events: Events, src: str, dst: str) -> tuple[str, Counts, Counts]:
    """What refused a stream; the usage that is reported of it, and that of its response in the target."""
    done = fed(events, src, dst, keep_response=True)
    whole = done.converter.response
    response: Any = None if whole is None else proxai_ir.lower(whole, dst, kind="response")
    return done.rule(), counted(done.converter.usage), counted(getattr(response, "usage", None))


def counted(usage: Usage | None) -> Counts:
    return None if usage is None else (usage.all_input, usage.all_output)


def reports(sample: Sample) -> int:
    """How many events come before the last report of usage."""
    reader, last = StreamConverter(sample.protocol, sample.protocol), 0
    known = None
    for number, event in enumerate(sample.make()):
        reader.feed(event)
        if reader.usage != known:
            known, last = reader.usage, number
    return last


@pytest.mark.parametrize("sample", STREAMS, ids=str)
def test_usage_may_come_anywhere_and_the_last_counts(sample: Sample) -> None:
    src = sample.protocol
    for dst in others(src):
        expected = used(sample.make(), src, dst)
        if not expected[1] or not all(expected[1]):  # it failed, or was blocked
            continue
        for place in range(reports(sample)):
            events = sample.make()
            events.insert(place, ALONE[src])
            assert used(events, src, dst) == expected, (dst, place)


@pytest.mark.parametrize("protocol", ALONE)
def test_an_early_report_counts_where_none_follows(protocol: str) -> None:
    """In the middle of the response, and before all of it."""
    sample = next(one for one in STREAMS if one.protocol == protocol)
    bare = [event for event in map(without_usage, sample.make()) if event is not None]
    for place in (0, 2):
        events = [*bare[:place], ALONE[protocol], *bare[place:]]
        rule, usage, _ = used(events, protocol, next(iter(others(protocol))))
        assert rule == ""
        assert usage is not None
        assert usage[1] == 2


def without_usage(event: Any) -> Any:
    """None of an event that has nothing else."""
    if not isinstance(event, dict):
        return event
    if event.get("choices") == [] or "metadata" in event:
        return None
    kept = {key: value for key, value in event.items() if key not in USED}
    if "message" in kept and "usage" in kept["message"]:
        kept["message"] = {**kept["message"], "usage": None}
    return kept


USED = ("usage", "usageMetadata", "prompt_eval_count", "eval_count", "prompt_eval_cached_count")

# --- as servers and gateways send it ----------------------------------------------------------------------------------

ROLE, CALL = chat.chunk({"role": "assistant"}), chat.chunk(chat.calls(chat.fragment(0, '{"a":', "call_1", "sky")))
MORE, ENDED = chat.chunk(chat.calls(chat.fragment(0, "1}"))), chat.chunk({}, "tool_calls")
ZEROS = {**chat.usage_chunk(0, 0), "prompt_filter_results": [{"prompt_index": 0, "content_filter_results": {}}]}


@pytest.mark.parametrize(
    "events",
    [
        [ZEROS, ROLE, CALL, MORE, ENDED, chat.usage_chunk(9, 7), chat.DONE],
        [ROLE, chat.usage_chunk(9, 0), CALL, MORE, ENDED, chat.usage_chunk(9, 7), chat.DONE],
        [ROLE, CALL, chat.usage_chunk(9, 1), MORE, ENDED, chat.usage_chunk(9, 7), chat.DONE],
        [ROLE, chat.chunk({"reasoning_content": "Hm."}), chat.usage_chunk(9, 1), CALL, MORE, ENDED, chat.usage_chunk()],
    ],
    ids=["zeros of a filter", "before any answer", "within a call", "within reasoning"],
)
def test_a_chunk_without_choices_is_running_usage(events: Events) -> None:
    """vllm-project/semantic-router#2215 and #2231, and Azure's first chunk."""
    for dst in others(CHAT):
        done = fed(events, CHAT, dst)
        assert done.rule() == ""
        assert done.converter.usage is not None
        assert (done.converter.usage.all_input, done.converter.usage.all_output) == (9, 7)
    assert fed(events, CHAT, CHAT).found("info", "loss") == [
        (rule, path) for rule, path in fed(events, CHAT, CHAT).found() if rule != "STR-18"
    ]


def test_usage_while_a_second_choice_is_open() -> None:
    second = {**chat.chunk(), "choices": [{"index": 1, "delta": {"content": "Ho"}, "finish_reason": None}]}
    last = {**chat.chunk(), "choices": [{"index": 1, "delta": {}, "finish_reason": "stop"}]}
    first = [chat.chunk({"role": "assistant", "content": "Hi"}), second, chat.chunk({}, "stop")]
    done = fed([*first, chat.usage_chunk(9, 3), last, chat.usage_chunk(9, 7)], CHAT, "gemini_generate_content")
    assert (done.rule(), done.converter.usage and done.converter.usage.all_output) == ("", 7)


@pytest.mark.parametrize("place", [0, 1, 3])
def test_metadata_of_bedrock_before_the_end(place: int) -> None:
    """AWS documents no order of events."""
    *events, metadata = bedrock.stream(bedrock.text_block("It ", "rains."))
    for dst in others(BEDROCK):
        done = fed([*events[:place], metadata, *events[place:]], BEDROCK, dst)
        assert (done.rule(), done.converter.usage is not None) == ("", True)


def test_usage_of_gemini_before_its_response() -> None:
    events = [{"usageMetadata": COUNTS}, *gemini.stream(gemini.chunk("Hi"))]
    assert fed(events, "gemini_generate_content", CHAT).rule() == ""
