"""Pain 10: a stream that broke off looks like a whole one, or a whole one never ends, and the client waits."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

import proxai_ir
from proxai_ir import StreamError, Unrepresentable

from ..samples.openai_chat_completions.building import DONE, chunk
from .support import ANTHROPIC, CHAT, anthropic, chat, cut_off, endings, notes, stream_to_anthropic, stream_to_chat

HELLO = anthropic.stream(anthropic.text_block("Hel", "lo"))
GREETING = chat.stream({"content": "Hel"}, {"content": "lo"})
LOOK = anthropic.stream(
    anthropic.text_block("I look."), anthropic.call_block("call_1", "look", '{"at":', "1}"), stop="tool_use"
)


def test_a_complete_stream_ends_with_the_events_of_its_target() -> None:
    assert endings(stream_to_anthropic(GREETING).output) == ["end_turn", "the end"]
    assert endings(stream_to_chat(HELLO).output) == ["stop", "the end"]
    assert stream_to_chat(HELLO).output[-1] == DONE
    assert DONE not in stream_to_anthropic(GREETING).output


@pytest.mark.parametrize("events", [GREETING, GREETING[:-1], GREETING[:-2], [*GREETING[:-2], DONE]])
def test_chat_is_whole_once_it_has_a_finish_reason(events: list[Any]) -> None:
    """With or without usage and [DONE], which some servers leave out."""
    assert endings(stream_to_anthropic(events).output) == ["end_turn", "the end"]


@pytest.mark.parametrize("cut", range(len(GREETING) - 2))
def test_chat_that_is_cut_off_is_an_error_to_anthropic(cut: int) -> None:
    assert endings(cut_off(GREETING[:cut], CHAT, ANTHROPIC)) == ["an error"]


@pytest.mark.parametrize("cut", range(2, len(GREETING) - 2))
def test_done_without_a_finish_reason_is_an_ending_without_one(cut: int) -> None:
    """Some servers never send one (STR-2, STS-10)."""
    made = stream_to_anthropic([*GREETING[:cut], DONE])
    assert endings(made.output) == ["end_turn", "the end"]
    assert "STS-10" in [code for code, _ in notes(made)]


@pytest.mark.parametrize("begun", [[], [chat.chunk(chat.calls(chat.fragment(0, '{"da', "call_1", "sky")))]])
def test_done_does_not_complete_what_was_cut_off(begun: list[Any]) -> None:
    """A proxy that appends [DONE] to whatever it got: before any chunk, or within the arguments of a call."""
    with pytest.raises(StreamError) as caught:
        stream_to_anthropic([*begun, DONE])
    assert (caught.value.rule, caught.value.path) == ("STR-2", f"/{len(begun)}")


@pytest.mark.parametrize("cut", range(len(HELLO)))
def test_anthropic_that_is_cut_off_is_an_error_to_chat(cut: int) -> None:
    """Even after the stop reason: only message_stop ends a stream, and there is no [DONE]."""
    made = cut_off(HELLO[:cut], ANTHROPIC, CHAT)
    assert endings(made)[-1] == "an error"
    assert DONE not in made


@pytest.mark.parametrize("cut", range(len(LOOK)))
def test_half_a_call_is_never_run(cut: int) -> None:
    """Until its end no client may take the call for whole."""
    made = cut_off(LOOK[:cut], ANTHROPIC, CHAT)
    assert "the end" not in endings(made)
    if cut < len(LOOK) - 1:  # the stop reason comes before the last word
        assert endings(made) == ["an error"]


@pytest.mark.parametrize("protocol", [CHAT, ANTHROPIC])
def test_cut_off_in_the_same_protocol(protocol: str) -> None:
    events = (GREETING if protocol == CHAT else HELLO)[:2]
    assert endings(cut_off(events, protocol, protocol)) == ["an error"]


def test_a_stream_of_nothing_is_cut_off() -> None:
    for src, dst in ((CHAT, ANTHROPIC), (ANTHROPIC, CHAT)):
        assert endings(cut_off([], src, dst)) == ["an error"]


def test_pings_do_not_end_a_stream() -> None:
    assert endings(cut_off([*HELLO[:-1], anthropic.PING, anthropic.PING], ANTHROPIC, CHAT)) == ["stop", "an error"]


def test_nothing_follows_the_end() -> None:
    for events, src, dst in ((GREETING, CHAT, ANTHROPIC), (HELLO, ANTHROPIC, CHAT)):
        for more in events[1:3]:
            with pytest.raises(StreamError) as caught:
                proxai_ir.convert([*events, deepcopy(more)], src, dst, kind="stream")
            assert caught.value.rule == "STR-9"
            assert caught.value.path.startswith(f"/{len(events)}")


def test_a_stream_that_failed_half_way_does_not_end_well() -> None:
    """Broken arguments: the client gets an error, and no stop reason that makes it run the call."""
    broken = chat.stream(chat.calls(chat.fragment(0, '{"at":', "call_1", "look")), finish="tool_calls")
    converter = proxai_ir.StreamConverter(CHAT, ANTHROPIC)
    out = [made for event in broken[:-1] for made in converter.feed(event)]
    with pytest.raises(Unrepresentable) as caught:
        converter.feed(broken[-1])
    assert caught.value.rule == "TUL-1"
    out += converter.close(error_event=True)
    assert endings(out) == ["an error"]


def test_a_response_that_reached_a_limit_is_complete() -> None:
    """A limit is an ending: what was cut is the response, not the stream."""
    assert endings(stream_to_anthropic(chat.stream({"content": "Hel"}, finish="length")).output) == [
        "max_tokens",
        "the end",
    ]
    assert endings(stream_to_chat(anthropic.stream(anthropic.text_block("Hel"), stop="max_tokens")).output) == [
        "length",
        "the end",
    ]


def test_half_a_call_before_a_limit_is_part_of_what_was_cut() -> None:
    events = chat.stream(chat.calls(chat.fragment(0, '{"at":', "call_1", "look")), finish="length")
    assert endings(stream_to_anthropic(events).output) == ["max_tokens", "the end"]


def test_a_finish_reason_that_is_repeated_ends_a_stream_once() -> None:
    events = [*GREETING[:-2], chunk({"content": ""}, "stop"), *GREETING[-2:]]
    assert endings(stream_to_anthropic(events).output) == ["end_turn", "the end"]
