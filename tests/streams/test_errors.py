"""Streams that fail: the same error ever after, the client told once, nothing lost that was said before."""

from __future__ import annotations

import pytest

import proxai_ir
from proxai_ir import StreamConverter, StreamError, TranslationError, Unrepresentable

from . import wire
from .feeding import fed
from .test_converter import GREETING, HELLO, choice
from .wire import ANTHROPIC, CHAT, DONE, PROTOCOLS, Events, is_error, other

BROKEN: dict[str, tuple[str, str, Events]] = {
    "an illegal event": (ANTHROPIC, CHAT, [*HELLO[:3], HELLO[0]]),
    "a malformed event": (ANTHROPIC, CHAT, [*HELLO[:3], 5]),
    "what the target cannot say": (CHAT, ANTHROPIC, [*GREETING[:2], choice(1, "Ho")]),
    "content after the ending": (CHAT, ANTHROPIC, [*GREETING[:4], wire.chunk({"content": "!"})]),
    "broken arguments": (
        CHAT,
        ANTHROPIC,
        wire.chunks(wire.calls(wire.fragment(0, "{", "call_1", "sky")), finish="tool_calls", usage=False, done=False),
    ),
    "at home": (CHAT, CHAT, [*GREETING[:4], wire.chunk({"content": "!"})]),
}


def broken(name: str) -> tuple[StreamConverter, TranslationError, Events]:
    src, dst, events = BROKEN[name]
    converter = StreamConverter(src, dst)
    for event in events[:-1]:
        converter.feed(event)
    with pytest.raises(TranslationError) as caught:
        converter.feed(events[-1])
    return converter, caught.value, HELLO if src == ANTHROPIC else GREETING


@pytest.mark.parametrize("name", BROKEN)
def test_a_stream_that_failed_stays_failed(name: str) -> None:
    """Whatever comes then: it is the same error again, and no ending is made up."""
    converter, error, more = broken(name)
    for event in [*more, DONE]:
        with pytest.raises(type(error)) as caught:
            converter.feed(event)
        assert (caught.value.rule, caught.value.path) == (error.rule, error.path)
    with pytest.raises(type(error)):
        converter.close()


@pytest.mark.parametrize("name", BROKEN)
def test_the_client_is_told_once_that_it_failed(name: str) -> None:
    converter, _, _ = broken(name)
    dst = BROKEN[name][1]
    ending = converter.close(error_event=True)
    assert is_error(dst, ending[-1])
    assert sum(is_error(dst, event) for event in ending) == 1
    assert not any(wire.is_success(dst, event) for event in ending)
    assert converter.close(error_event=True) == []


def test_what_the_failing_event_said_before_it_failed_is_not_lost() -> None:
    """Text and, in the same chunk, a role that may not be there."""
    event = wire.chunk({"content": "Hi"})
    event["choices"] += choice(1, "Ho")["choices"]
    converter = StreamConverter(CHAT, ANTHROPIC)
    with pytest.raises(Unrepresentable):
        converter.feed(event)
    ending = converter.close(error_event=True)
    assert [made["type"] for made in ending] == ["message_start", "content_block_start", "content_block_delta", "error"]


def test_the_error_says_whether_the_stream_was_cut_off() -> None:
    cut = StreamConverter(ANTHROPIC, CHAT)
    cut.feed(HELLO[0])
    (ending,) = cut.close(error_event=True)
    assert ending == {
        "error": {
            "message": "The stream was cut off before the response was complete.",
            "type": "server_error",
            "param": None,
            "code": None,
        }
    }
    converter, _, _ = broken("an illegal event")
    (ending,) = converter.close(error_event=True)
    assert "cut off" not in ending["error"]["message"]


def test_behind_the_end_of_the_target_nothing_is_added() -> None:
    """An illegal event after message_stop: the client has its whole answer already."""
    converter = StreamConverter(ANTHROPIC, CHAT)
    for event in HELLO:
        converter.feed(event)
    with pytest.raises(StreamError):
        converter.feed(HELLO[2])
    assert converter.close(error_event=True) == []


def test_an_error_of_the_source_is_an_end() -> None:
    failure = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    converter = StreamConverter(ANTHROPIC, CHAT)
    converter.feed(HELLO[0])
    (made,) = converter.feed(failure)
    assert made["error"]["message"] == "Overloaded"
    assert converter.close() == []
    with pytest.raises(StreamError) as caught:
        converter.feed(HELLO[1])
    assert (caught.value.rule, caught.value.path) == ("STR-9", "/2")


def test_a_check_tells_what_was_found_before_a_refusal_too() -> None:
    events = [wire.chunk({"role": "assistant", "content": "Hi"}) | {"x-extra": 1}]
    found = proxai_ir.check(events, CHAT, ANTHROPIC, kind="stream")
    assert [(one.code, one.path) for one in found][-2:] == [("UNK-1", "/0/x-extra"), ("STR-2", "/0")]


def test_an_error_before_anything_else() -> None:
    done = fed([{"error": {"message": "No.", "type": "server_error"}}, DONE], CHAT, ANTHROPIC)
    assert done.error is None
    assert done.out == [{"type": "error", "error": {"type": "api_error", "message": "No."}}]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_an_error_of_no_known_shape(protocol: str) -> None:
    dst = other(protocol)
    failure = {"type": "error", "error": {"status": 500}} if protocol == ANTHROPIC else {"error": "No."}
    done = fed([failure], protocol, dst)
    assert done.error is None
    assert is_error(dst, done.out[-1])
