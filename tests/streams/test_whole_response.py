"""The whole response at the end of a stream, for callers that have to remember what they sent."""

from __future__ import annotations

from typing import Any

import pytest

from proxai_ir import StreamConverter, TranslationError, convert
from proxai_ir.testing.payloads import canonical
from proxai_ir.testing.streams import fed

from ..samples import PROTOCOLS, READINGS, Sample, others, samples
from ..samples.anthropic_messages import building as anthropic
from ..samples.sample import Json

ANTHROPIC, CHAT, RESPONSES = "anthropic_messages", "openai_chat_completions", "openai_responses"
HELLO = anthropic.stream(anthropic.text_block("Hel", "lo"), anthropic.call_block("toolu_1", "sky", '{"day"', ":1}"))


@pytest.mark.parametrize("dst", others(ANTHROPIC))
def test_it_is_the_response_as_a_whole_one_is_converted(dst: str) -> None:
    converter = StreamConverter(ANTHROPIC, dst, keep_response=True)
    for event in HELLO:
        assert converter.response is None
        converter.feed(event)
    converter.close()
    whole = READINGS[ANTHROPIC].whole(HELLO)
    assert canonical(converter.response) == canonical(convert(whole, ANTHROPIC, dst, kind="response"))
    assert converter.response is converter.response


@pytest.mark.parametrize("sample", [one for one in samples("stream") if not one.own], ids=str)
def test_its_content_is_that_of_the_events(sample: Sample) -> None:
    for dst in others(sample.protocol):
        plain = fed(sample.make(), sample.protocol, dst)
        if plain.error is not None or READINGS[dst].outcomes(plain.out)[-1] == "error":
            continue
        done = fed(sample.make(), sample.protocol, dst, keep_response=True)
        assert (done.out, done.diagnostics) == (plain.out, plain.diagnostics)
        kept, sent = (READINGS[dst].summary(one) for one in (done.converter.response, READINGS[dst].whole(done.out)))  # type: ignore[arg-type]
        assert {key: kept[key] for key in SAME} == {key: sent[key] for key in SAME}
        assert wording(kept) == wording(sent)


SAME = ("thinking", "calls")


def wording(summary: Json) -> str:
    """Text and refusal: in a stream it may be shown late which of the two it is (REF-6)."""
    text: str = summary["text"] + summary.get("refusal", "")
    return text


def thinking(summary: Json) -> str:
    """Without what keeps parts apart, which one string has and several parts do not need (PLC-8)."""
    text: str = summary.get("thinking") or ""
    return text.replace("\n\n", "")


def test_there_is_none_where_the_stream_failed() -> None:
    converter = StreamConverter(ANTHROPIC, CHAT, keep_response=True)
    for event in [*HELLO[:3], anthropic.error("overloaded_error", "Later.")]:
        converter.feed(event)
    assert converter.response is None


def test_it_is_kept_only_where_the_caller_asks_for_it() -> None:
    with pytest.raises(TypeError, match="keep_response"):
        _ = StreamConverter(ANTHROPIC, CHAT).response


@pytest.mark.parametrize("src", PROTOCOLS)
def test_a_response_that_came_whole_is_streamed(src: str) -> None:
    """Of a server that does not stream: the events add up to the response, to its own protocol as well."""
    for sample in samples("response", dense=False):
        if sample.protocol != src:
            continue
        for dst in PROTOCOLS:
            converter = StreamConverter(src, dst, keep_response=True)
            try:
                whole = convert(sample.make(), src, dst, kind="response")
                out = converter.feed_whole(sample.make())
            except TranslationError:
                continue
            if converter.failure is not None:
                continue
            assert converter.close() == []
            if len(whole.get("choices", ())) > 1:  # which the reading has no form for
                continue
            made, expected = (READINGS[dst].summary(one) for one in (READINGS[dst].whole(out), whole))
            if "calls" not in expected:  # several candidates, each with its own
                assert made.keys() == expected.keys()
                continue
            assert thinking(made) == thinking(expected)
            assert [call[1:] for call in made["calls"]] == [call[1:] for call in expected["calls"]]
            assert wording(made) == wording(expected)


def test_what_came_whole_and_is_no_response() -> None:
    payloads: tuple[Any, ...] = (None, [], "x", {}, {"content": 5})
    for payload in payloads:
        converter = StreamConverter(ANTHROPIC, CHAT, keep_response=True)
        with pytest.raises(TranslationError):
            converter.feed_whole(payload)
        assert "error" in converter.close(error_event=True)[-1]
    converter = StreamConverter(ANTHROPIC, CHAT, keep_response=True)
    (event,) = converter.feed_whole(anthropic.error("overloaded_error", "Later."))
    assert event["error"]["message"] == "Later."
    assert converter.failure is not None
    assert converter.failure.message == "Later."


@pytest.mark.parametrize("keep_response", [True, False])
def test_the_error_that_ended_a_stream_is_kept(keep_response: bool) -> None:
    converter = StreamConverter(ANTHROPIC, CHAT, keep_response=keep_response)
    for event in [*HELLO[:3], anthropic.error("overloaded_error", "Later.")]:
        assert converter.failure is None
        converter.feed(event)
    assert converter.failure is not None
    assert converter.failure.message == "Later."
