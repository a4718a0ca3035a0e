"""Pain 1: the pieces of parallel calls come in turns, and end up in the wrong call, or in blocks inside one another."""

from __future__ import annotations

import json
from itertools import permutations
from typing import Any

import pytest
from hypothesis import strategies as st

from proxai_ir import StreamConverter, StreamError

from ..samples.openai_chat_completions.building import chunk, fragment
from ..samples.words import cut, interleaved
from ..trials import hold
from .support import (
    ANTHROPIC,
    CHAT,
    READINGS,
    Json,
    anthropic,
    calls_of,
    chat,
    endings,
    losses,
    stream_to_anthropic,
    stream_to_chat,
)

Calls = list[tuple[str, str, Json]]

SKY = ('{"city":', '"Os', 'lo"}')
NOW = ('{"zone":', '"CE', 'T"}')
BOTH: Calls = [("call_1", "sky", {"city": "Oslo"}), ("call_2", "now", {"zone": "CET"})]


def assert_blocks_follow_one_another(events: list[Any]) -> None:
    """Each block is opened, grows and is closed before the next one is, and they are counted from 0."""
    inside = [event for event in events if event["type"].startswith("content_block")]
    index = -1
    is_open = False
    for event in inside:
        if event["type"] == "content_block_start":
            assert not is_open
            index, is_open = index + 1, True
        assert is_open
        assert event["index"] == index
        is_open = event["type"] != "content_block_stop"
    assert not is_open


def made_of(deltas: list[Json], finish: str = "tool_calls") -> Calls:
    """The calls that a client of anthropic gets of these deltas."""
    made = stream_to_anthropic(chat.stream(*deltas, finish=finish))
    assert_blocks_follow_one_another(made.output)
    assert endings(made.output) == ["tool_use", "the end"]
    assert losses(made) == []
    return calls_of(ANTHROPIC, made.output)


def in_order(order: tuple[int, ...]) -> list[Json]:
    """The pieces of two calls in this order of calls; the first of each has its id and name."""
    given = {0: list(SKY), 1: list(NOW)}
    names = {0: ("call_1", "sky"), 1: ("call_2", "now")}
    return [fragment(index, given[index].pop(0), *names.pop(index, (None, None))) for index in order]


ORDERS = sorted({order for order in permutations((0, 0, 0, 1, 1, 1)) if order[0] == 0})


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: "".join(map(str, order)))
def test_two_calls_in_any_turns(order: tuple[int, ...]) -> None:
    pieces = in_order(order)
    assert made_of([chat.calls(piece) for piece in pieces]) == BOTH
    assert made_of([chat.calls(*pieces)]) == BOTH
    assert made_of([chat.calls(*pieces[:3]), chat.calls(*pieces[3:])]) == BOTH


def test_both_begin_in_one_chunk_and_grow_in_one() -> None:
    begun = chat.calls(fragment(0, "", "call_1", "sky"), fragment(1, "", "call_2", "now"))
    grown = [chat.calls(fragment(0, sky), fragment(1, now)) for sky, now in zip(SKY, NOW, strict=True)]
    assert made_of([begun, *grown]) == BOTH


def test_the_later_call_is_whole_before_the_first() -> None:
    first, last = chat.calls(fragment(0, SKY[0], "call_1", "sky")), chat.calls(fragment(0, SKY[1] + SKY[2]))
    assert made_of([first, chat.calls(fragment(1, "".join(NOW), "call_2", "now")), last]) == BOTH


def test_the_first_of_two_in_turns_is_handed_on_at_once() -> None:
    """Only the second waits, and follows as a whole (STR-1, STR-8)."""
    converter = StreamConverter(CHAT, ANTHROPIC)
    pieces = in_order((0, 1, 0, 1, 0, 1))
    kinds = [
        [(made["type"], made.get("index")) for made in converter.feed(chunk(chat.calls(piece)))] for piece in pieces
    ]
    grown = ("content_block_delta", 0)
    assert kinds == [[("message_start", None), ("content_block_start", 0), grown], [], [grown], [], [grown], []]
    ending = converter.feed(chunk({}, "tool_calls"))
    assert [made["index"] for made in ending] == [0, 1, 1, 1, 1, 1]


def test_calls_one_after_the_other_are_not_held_back() -> None:
    """A call whose arguments are whole is closed as soon as another begins."""
    converter = StreamConverter(CHAT, ANTHROPIC)
    for piece in in_order((0, 0, 0)):
        converter.feed(chunk(chat.calls(piece)))
    made = converter.feed(chunk(chat.calls(fragment(1, NOW[0], "call_2", "now"))))
    assert [(one["type"], one["index"]) for one in made] == [
        ("content_block_stop", 0),
        ("content_block_start", 1),
        ("content_block_delta", 1),
    ]


def test_calls_without_index_are_distinguished_by_their_ids() -> None:
    """A dialect: every piece has its id and none its index."""
    pieces = [
        {"id": "call_1", "type": "function", "function": {"name": "sky", "arguments": SKY[0]}},
        {"id": "call_2", "type": "function", "function": {"name": "now", "arguments": "".join(NOW)}},
        {"id": "call_1", "function": {"arguments": SKY[1] + SKY[2]}},
    ]
    assert made_of([chat.calls(piece) for piece in pieces]) == BOTH


def test_calls_that_all_have_index_0_are_distinguished_by_their_ids() -> None:
    """A dialect: whole calls, one a chunk."""
    whole_calls = [fragment(0, "".join(SKY), "call_1", "sky"), fragment(0, "".join(NOW), "call_2", "now")]
    made = stream_to_anthropic(chat.stream(*map(chat.calls, whole_calls), finish="tool_calls"))
    assert calls_of(ANTHROPIC, made.output) == BOTH
    assert_blocks_follow_one_another(made.output)


def test_indexes_need_not_begin_with_0() -> None:
    pieces = [
        fragment(3, SKY[0], "call_1", "sky"),
        fragment(7, "".join(NOW), "call_2", "now"),
        fragment(3, SKY[1] + SKY[2]),
    ]
    made = stream_to_anthropic(chat.stream(*map(chat.calls, pieces), finish="tool_calls"))
    assert calls_of(ANTHROPIC, made.output) == BOTH
    assert_blocks_follow_one_another(made.output)


def test_text_between_the_pieces_stays_text() -> None:
    begun, rest = chat.calls(fragment(0, SKY[0], "call_1", "sky")), chat.calls(fragment(0, SKY[1] + SKY[2]))
    made = stream_to_anthropic(chat.stream({"content": "I "}, begun, {"content": "look."}, rest, finish="tool_calls"))
    assert_blocks_follow_one_another(made.output)
    reading = READINGS[ANTHROPIC]
    found = reading.summary(reading.whole(made.output))
    assert (found["text"], found["calls"]) == ("I look.", BOTH[:1])


@pytest.mark.parametrize("indexes", [(0, 1), (1, 2), (4, 9)])
def test_blocks_in_turns_become_calls_counted_from_0(indexes: tuple[int, int]) -> None:
    first, second = (
        anthropic.numbered(index, anthropic.call_block(identity, name, *pieces))
        for index, identity, name, pieces in zip(indexes, ("call_1", "call_2"), ("sky", "now"), (SKY, NOW), strict=True)
    )
    inner = [event for pair in zip(first, second, strict=True) for event in pair]
    made = stream_to_chat(
        [anthropic.message_start(), *inner, anthropic.message_delta("tool_use"), anthropic.MESSAGE_STOP]
    )
    assert calls_of(CHAT, made.output) == BOTH
    pieces = [
        piece["index"]
        for event in made.output[:-1]
        for choice in event["choices"]
        for piece in choice["delta"].get("tool_calls", ())
    ]
    assert pieces == sorted(pieces)
    assert set(pieces) == {0, 1}


@st.composite
def tangles(draw: st.DrawFn) -> tuple[Calls, list[Json]]:
    """Up to four calls, and their pieces in any turns."""
    calls: Calls = []
    sequences = []
    for index in range(draw(st.integers(1, 4))):
        arguments: Json = draw(
            st.dictionaries(st.sampled_from("abc"), st.sampled_from(["é", "}", 1, None, {}]), max_size=2)
        )
        calls.append((f"call_{index}", draw(st.sampled_from(["sky", "now"])), arguments))
        first, *more = cut(draw, json.dumps(arguments, ensure_ascii=False))
        sequences.append([fragment(index, first, *calls[-1][:2]), *(fragment(index, piece) for piece in more)])
    pieces = draw(interleaved(sequences))
    deltas = []
    while pieces:
        size = draw(st.integers(1, 3))
        deltas.append(chat.calls(*pieces[:size]))
        pieces = pieces[size:]
    return calls, deltas


def test_any_calls_in_any_turns() -> None:
    def law(tangle: tuple[Calls, list[Json]]) -> None:
        calls, deltas = tangle
        assert made_of(deltas) == calls

    hold(law, tangles(), 100)


def test_a_piece_of_no_call() -> None:
    """It belongs to nothing that has begun: refused, not guessed."""
    with pytest.raises(StreamError) as caught:
        stream_to_anthropic([chunk({"role": "assistant"}), chunk(chat.calls(fragment(0, "{}")))])
    assert caught.value.path.startswith("/1/choices/0/delta/tool_calls/0")


@pytest.mark.parametrize("late", [None, '{"zone":"CET"}'], ids=["none", "behind those of the second"])
def test_a_call_that_has_no_arguments_yet_may_get_them(late: str | None) -> None:
    """Nothing shows that it is over before the finish reason, and a block that was closed takes no more (STR-8)."""
    begun = [{"role": "assistant"}, chat.calls(fragment(0, "", "a", "now")), chat.calls(fragment(1, "{}", "b", "sky"))]
    converter = StreamConverter(CHAT, ANTHROPIC)
    out = [made for delta in begun for made in converter.feed(chunk(delta))]
    assert [event["type"] for event in out] == ["message_start", "content_block_start"]
    more = [] if late is None else [chunk(chat.calls(fragment(0, late)))]
    out += [made for event in (*more, chunk({}, "tool_calls"), chat.DONE) for made in converter.feed(event)]
    blocks = [event["content_block"]["id"] for event in out if event["type"] == "content_block_start"]
    assert blocks == ["a", "b"]
    pieces = [event["delta"]["partial_json"] for event in out if event["type"] == "content_block_delta"]
    assert pieces == [*([] if late is None else [late]), "{}"]
