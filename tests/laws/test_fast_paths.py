"""What is read or passed by on a fast way is what the long way gives: events, findings, errors, kept responses."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest

import proxai_ir
from proxai_ir import StreamConverter, TranslationError
from proxai_ir.api import Kind
from proxai_ir.reporting.report import Facts
from proxai_ir.testing.payloads import other
from proxai_ir.testing.pointers import EXTRA, at, places, removed, replaced

from ..samples import PAIRS, PROTOCOLS, Sample, others, samples
from ..samples.anthropic_messages import building as anthropic
from ..samples.gemini_generate_content import building as gemini
from ..samples.openai_chat_completions import building as chat
from ..samples.openai_responses import building as responses
from ..samples.sample import Events, Json

ANTHROPIC, GEMINI, CHAT, RESPONSES = (
    "anthropic_messages",
    "gemini_generate_content",
    "openai_chat_completions",
    "openai_responses",
)
PIECES = ("a", "b", "c", "d")


def told(converter: StreamConverter, events: Events) -> list[Any]:
    """All that a caller sees of a stream: what each event gave, and what is known at its end."""
    seen: list[Any] = []
    try:
        seen += [converter.feed(event) for event in events]
        seen.append(converter.close())
        seen.append(converter.response)
    except TranslationError as error:
        seen.append([(one.code, one.path, one.message) for one in error.diagnostics])
    return [*seen, converter.diagnostics, converter.usage, converter.failure]


def assert_the_same_the_long_way(events: Events, src: str, dst: str, **options: Any) -> None:
    fast = StreamConverter(src, dst, keep_response=True, **options)
    long = StreamConverter(src, dst, keep_response=True, **options)
    long._text_delta = lambda event, part: None  # no event is taken for a piece of text alone
    assert told(fast, deepcopy(events)) == told(long, deepcopy(events))


@pytest.mark.parametrize("sample", samples("stream"), ids=str)
def test_samples(sample: Sample) -> None:
    for dst in others(sample.protocol):
        assert_the_same_the_long_way(sample.make(), sample.protocol, dst)


PADDED = [{"content": piece} for piece in PIECES]
SPOKEN: dict[str, tuple[str, Events]] = {
    "chat text": (CHAT, chat.stream(*({"content": piece} for piece in PIECES))),
    "chat reasoning": (CHAT, chat.stream(*({"reasoning_content": piece} for piece in PIECES), {"content": "a"})),
    "chat refusal": (CHAT, chat.stream(*({"refusal": piece} for piece in PIECES))),
    "chat call": (
        CHAT,
        chat.stream(
            chat.calls(chat.fragment(0, "", "call_1", "f")),
            *(chat.calls(chat.fragment(0, piece)) for piece in ('{"a"', ":", "1", "}")),
            finish="tool_calls",
        ),
    ),
    "chat padding": (
        CHAT,
        [
            {**one, "obfuscation": "x" * at} if isinstance(one, dict) and one["choices"] else one
            for at, one in enumerate(chat.stream(*PADDED))
        ],
    ),
    "anthropic": (
        ANTHROPIC,
        anthropic.stream(
            anthropic.thinking_block(*PIECES, signature="eA=="),
            anthropic.text_block(*PIECES),
            anthropic.call_block("c", "f", '{"a"', ":", "1", "}"),
            stop="tool_use",
        ),
    ),
    "gemini text": (GEMINI, gemini.stream(*map(gemini.chunk, PIECES))),
    "gemini thought": (
        GEMINI,
        gemini.stream(*(gemini.chunk(gemini.thought(piece), usage=gemini.USAGE) for piece in PIECES)),
    ),
    "responses": (
        RESPONSES,
        responses.stream(
            responses.response(
                responses.message(responses.output_text("abcd"), id="msg_1", status="completed"),
                responses.call("f", '{"a":1}', id="fc_1", status="completed"),
            ),
            list,
        ),
    ),
}
"""Four or more events of each kind that grows in which the last ones can take the fast way."""
VALUES: tuple[Any, ...] = (None, "", "x", 1, True, [], {}, [{}], "\ud800", {"type": "x"})


def altered(event: Any) -> Iterator[Any]:
    """An event with another value, none, or a member more at any one place."""
    for path in places(event):
        here = at(event, path)
        for value in VALUES:
            if value is not True or here != 1:  # which are equal, and not distinguished where every nanosecond counts
                yield replaced(event, path, value)
        if isinstance(here, (str, int, float)):
            yield replaced(event, path, other(here))
        if isinstance(here, dict):
            yield replaced(event, path, {**here, EXTRA: "x"})
        if isinstance(here, list):
            yield replaced(event, path, [*here, *deepcopy(here)])
        if path:
            yield removed(event, path)


def middle(events: Events) -> int:
    """An event in the middle of the last run of pieces."""
    return max(at for at, one in enumerate(events) if "delta" in str(one) or "candidates" in one) - 3


@pytest.mark.parametrize("name", SPOKEN)
def test_one_event_is_other_than_those_before(name: str) -> None:
    src, events = SPOKEN[name]
    turns = others(src)
    for position in (middle(events) - 1, middle(events)):
        for number, event in enumerate(altered(events[position])):
            changed = [*events[:position], event, *events[position + 1 :]]
            assert_the_same_the_long_way(changed, src, turns[number % len(turns)])


@pytest.mark.parametrize(("src", "dst"), PAIRS)
def test_a_limit_and_strict_mode(src: str, dst: str) -> None:
    for protocol, events in SPOKEN.values():
        if protocol == src:
            assert_the_same_the_long_way(events, src, dst, strict=True)
            assert_the_same_the_long_way(events, src, dst, buffer_limit=2)


@pytest.mark.parametrize("member", ["modelVersion", "responseId"])
def test_a_gemini_chunk_that_has_another_envelope(member: str) -> None:
    """Another id or model in the middle of a text is found, as it is elsewhere."""
    chunks = gemini.stream(*map(gemini.chunk, PIECES))
    changed = [*chunks[:2], {**chunks[2], member: "other"}, *chunks[3:]]
    plain, found = (
        told(StreamConverter(GEMINI, CHAT, keep_response=True), chunks),
        told(StreamConverter(GEMINI, CHAT, keep_response=True), changed),
    )
    assert plain != found
    assert_the_same_the_long_way(changed, GEMINI, CHAT)


# --- passes that a fact lets out --------------------------------------------------------------------------------------

GATES = ("linked", "emptied", "reshaped")
"""Facts that let passes out where there is nothing for them to do."""


def seen(payload: Json, src: str, dst: str, kind: Kind) -> Any:
    try:
        done = proxai_ir.compile(payload, src, dst, kind=kind)
    except TranslationError as error:
        return error.diagnostics
    return done.output, done.diagnostics


@pytest.mark.parametrize("gate", GATES)
@pytest.mark.parametrize("src", PROTOCOLS)
def test_a_pass_that_is_let_out_would_have_done_nothing(src: str, gate: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cases = [one for one in samples("request", "response") if one.protocol == src]
    expected = [[seen(one.make(), src, dst, one.kind) for dst in others(src)] for one in cases]
    monkeypatch.setattr(Facts, gate, True)
    for one, before in zip(cases, expected, strict=True):
        assert [seen(one.make(), src, dst, one.kind) for dst in others(src)] == before, str(one)
