"""Long streams: memory stays what it was, findings stay few, the last events cost what the first did (STR-1, STR-14).

Function calls are counted; the clock, being flaky, has a wide margin.
"""

from __future__ import annotations

import gc
import time
import tracemalloc
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import pytest

from proxai_ir import StreamConverter, StreamError
from proxai_ir.framing import sse

from ..properties.test_growth import operations
from . import wire
from .wire import ANTHROPIC, CHAT, Events, Object

KILOBYTE = 1024
BOUND = 64 * KILOBYTE
WARM = 2_000
LONG = 20_000
VERY_LONG = 200_000


# --- what may be long -------------------------------------------------------------------------------------------------


def text_of_chat() -> Iterator[Any]:
    yield wire.chunk({"role": "assistant", "content": ""})
    while True:
        yield wire.chunk({"content": "word "})


def text_of_anthropic() -> Iterator[Any]:
    yield wire.message_start({"input_tokens": 1, "output_tokens": 1})
    yield {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    while True:
        yield {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "word "}}


def thoughts_of_chat() -> Iterator[Any]:
    yield wire.chunk({"role": "assistant", "content": ""})
    while True:
        yield wire.chunk({"reasoning_content": "hm "})


def thoughts_of_anthropic() -> Iterator[Any]:
    yield wire.message_start()
    yield {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}}
    while True:
        yield {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "hm "}}


def dialect_of_chat() -> Iterator[Any]:
    """What comes again with every chunk, and is told once."""
    yield wire.chunk({"role": "assistant", "content": ""})
    for number in iter(int, 1):
        usage = {"prompt_tokens": 1, "completion_tokens": 1}
        yield wire.chunk(
            {"role": "assistant", "content": "word ", "trace": {"n": 1}, "refusal": ""},
            usage=usage,
            obfuscation="x",
            provider="p",
            number=number,
        )


def keep_alives() -> Iterator[Any]:
    yield wire.message_start()
    while True:
        yield {"type": "ping"}
        yield {"type": "telemetry", "n": 1}


def empty_deltas() -> Iterator[Any]:
    yield wire.chunk({"role": "assistant", "content": ""})
    while True:
        yield wire.chunk({"content": ""})
        yield wire.chunk({})


STREAMS: dict[str, tuple[str, str, Callable[[], Iterator[Any]]]] = {
    "text of chat": (CHAT, ANTHROPIC, text_of_chat),
    "text of anthropic": (ANTHROPIC, CHAT, text_of_anthropic),
    "thoughts of chat": (CHAT, ANTHROPIC, thoughts_of_chat),
    "thoughts of anthropic": (ANTHROPIC, CHAT, thoughts_of_anthropic),
    "a dialect of chat": (CHAT, ANTHROPIC, dialect_of_chat),
    "keep-alives": (ANTHROPIC, CHAT, keep_alives),
    "empty deltas": (CHAT, ANTHROPIC, empty_deltas),
    "text of chat at home": (CHAT, CHAT, text_of_chat),
    "text of anthropic at home": (ANTHROPIC, ANTHROPIC, text_of_anthropic),
}
each_stream = pytest.mark.parametrize("name", STREAMS)


def feed(converter: StreamConverter, events: Iterator[Any], count: int) -> None:
    for event in islice(events, count):
        converter.feed(event)


# --- memory -----------------------------------------------------------------------------------------------------------


def kept(name: str, count: int) -> int:
    """How many bytes the converter holds more after so many events, once it has warmed up."""
    src, dst, make = STREAMS[name]
    converter, events = StreamConverter(src, dst), make()
    feed(converter, events, WARM)
    gc.collect()
    tracemalloc.start()
    try:
        feed(converter, events, count)
        gc.collect()
        return tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()


@each_stream
def test_memory_stays_what_it_was(name: str) -> None:
    assert kept(name, LONG) < BOUND


@pytest.mark.slow
@each_stream
def test_memory_stays_what_it_was_for_very_long(name: str) -> None:
    assert kept(name, VERY_LONG) < BOUND


def test_this_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A converter that keeps its events, as none should."""
    hoard: Events = []
    feed_once = StreamConverter.feed

    def hoarding(converter: StreamConverter, event: Any) -> Events:
        hoard.append(event)
        return feed_once(converter, event)

    monkeypatch.setattr(StreamConverter, "feed", hoarding)
    assert kept("text of chat", LONG) > 10 * BOUND


def test_the_decoder_keeps_nothing() -> None:
    event = sse.encode(wire.chunk({"content": "word "}), CHAT)
    decoder = sse.Decoder()
    pieces = [event[:50], event[50:]]
    gc.collect()
    tracemalloc.start()
    try:
        for _ in range(LONG):
            for piece in pieces:
                decoder.feed(piece)
        gc.collect()
        assert tracemalloc.get_traced_memory()[0] < BOUND
    finally:
        tracemalloc.stop()


# --- what waits, and for how long (STR-15) ----------------------------------------------------------------------------


def waiting_call(text: str) -> Iterator[Any]:
    """A call that waits for another one to be closed."""
    yield wire.chunk(wire.calls(wire.fragment(0, "{", "call_0", "sky"), wire.fragment(1, "", "call_1", "now")))
    while True:
        yield wire.chunk(wire.calls(wire.fragment(1, text)))


def blank_text() -> Iterator[Any]:
    """Blanks, which wait for a word."""
    yield wire.chunk({"role": "assistant", "content": ""})
    while True:
        yield wire.chunk({"content": " "})


def wordless_speech() -> Iterator[Any]:
    """Sound, which nothing is said of before its transcript comes."""
    yield wire.chunk({"role": "assistant", "content": ""})
    yield wire.chunk({"audio": {"id": "audio_1"}})
    while True:
        yield wire.chunk({"audio": {"data": "aGk="}})


@pytest.mark.parametrize("make", [lambda: waiting_call("x"), blank_text], ids=["a call", "blanks"])
def test_what_waits_has_a_limit(make: Callable[[], Iterator[Any]]) -> None:
    converter = StreamConverter(CHAT, ANTHROPIC, buffer_limit=100)
    with pytest.raises(StreamError) as caught:
        feed(converter, make(), 200)
    assert caught.value.rule == "STR-15"
    assert caught.value.path in ("/100", "/101", "/102")


def test_what_has_been_said_waits_no_more() -> None:
    """The limit is for what waits at one time."""
    converter = StreamConverter(CHAT, ANTHROPIC, buffer_limit=100)
    for number in range(0, 100, 2):
        first = wire.fragment(number, '{"a":', f"call_{number}", "sky")
        second = wire.fragment(number + 1, '{"b":' + " " * 50, f"call_{number + 1}", "sky")
        converter.feed(wire.chunk(wire.calls(first, second)))
        converter.feed(wire.chunk(wire.calls(wire.fragment(number, "1}"), wire.fragment(number + 1, "2}"))))
    converter.feed(wire.chunk({}, "tool_calls"))
    assert wire.is_success(ANTHROPIC, converter.close()[-1])


@pytest.mark.parametrize("make", [lambda: waiting_call(""), wordless_speech], ids=["empty pieces", "sound"])
def test_what_is_never_said_is_not_kept(make: Callable[[], Iterator[Any]]) -> None:
    converter, events = StreamConverter(CHAT, ANTHROPIC), make()
    feed(converter, events, WARM)
    gc.collect()
    tracemalloc.start()
    try:
        feed(converter, events, LONG)
        gc.collect()
        assert tracemalloc.get_traced_memory()[0] < BOUND
    finally:
        tracemalloc.stop()


# --- findings ---------------------------------------------------------------------------------------------------------


@each_stream
def test_findings_stay_few(name: str) -> None:
    src, dst, make = STREAMS[name]
    converter, events = StreamConverter(src, dst), make()
    feed(converter, events, 10)
    told = converter.diagnostics
    feed(converter, events, WARM)
    assert converter.diagnostics == told
    assert len(told) < 10


def test_what_comes_again_is_told_where_it_is_met_first() -> None:
    converter, events = StreamConverter(CHAT, ANTHROPIC), dialect_of_chat()
    feed(converter, events, 10)
    told = [(one.code, one.path) for one in converter.diagnostics if one.path.startswith("/1/")]
    assert sorted(told) == [
        ("ENV-7", "/1/choices/0/delta/refusal"),
        ("ENV-7", "/1/obfuscation"),
        ("STR-4", "/1/usage"),
        ("UNK-1", "/1/choices/0/delta/trace"),
        ("UNK-1", "/1/number"),
        ("UNK-1", "/1/provider"),
    ]
    assert not [one for one in converter.diagnostics if not one.path.startswith(("/0", "/1/"))]


# --- work -------------------------------------------------------------------------------------------------------------


@each_stream
def test_later_events_are_no_more_work(name: str) -> None:
    src, dst, make = STREAMS[name]
    converter, events = StreamConverter(src, dst), make()
    feed(converter, events, 10)
    first = operations(lambda: feed(converter, events, 100))
    feed(converter, events, LONG)
    assert operations(lambda: feed(converter, events, 100)) <= first


def blocks(count: int) -> Events:
    """Many blocks, each of them with something to tell."""
    made = [
        block
        for number in range(0, count, 2)
        for block in (
            wire.thinking("hm", signature="EqQB"),
            wire.call(f"toolu_{number}", "sky", "{}", caller={"type": "direct"}),
        )
    ]
    return wire.messages(*made, stop="tool_use")


def parts(count: int) -> Events:
    """Many calls and texts in turns."""
    deltas: list[Object] = []
    for number in range(count // 2):
        deltas += [wire.calls(wire.fragment(number, "{}", f"call_{number}", "sky")), {"content": "word"}]
    return wire.chunks(*deltas, finish="tool_calls")


def guarded(count: int) -> Events:
    """A call that stays open, while text and thinking take turns."""
    deltas: list[Object] = [wire.calls(wire.fragment(0, '{"a":"' + "x" * 100 * count, "call_0", "sky"))]
    for _ in range(count // 2):
        deltas += [{"content": "word"}, {"reasoning_content": "hm"}]
    return wire.chunks(*deltas, wire.calls(wire.fragment(0, '"}')), finish="tool_calls")


def blanks(count: int) -> Events:
    return wire.chunks(*[{"content": " "}] * (50 * count), {"content": "word"})


def seconds(events: Events, src: str, dst: str) -> float:
    """The best of a few runs on the processor, garbage collection aside."""
    times = []
    gc.disable()
    try:
        for _ in range(5):
            converter = StreamConverter(src, dst)
            start = time.process_time()
            for event in events:
                converter.feed(event)
            converter.close()
            times.append(time.process_time() - start)
    finally:
        gc.enable()
    return min(times)


LONG_ANSWERS: dict[str, tuple[str, str, Callable[[int], Events]]] = {
    "many blocks": (ANTHROPIC, CHAT, blocks),
    "many calls and texts": (CHAT, ANTHROPIC, parts),
    "a call that stays open": (CHAT, ANTHROPIC, guarded),
    "many blanks": (CHAT, ANTHROPIC, blanks),
}


@pytest.mark.parametrize("name", LONG_ANSWERS)
def test_time_grows_with_the_answer(name: str) -> None:
    """From 100 parts to 2,000: 20 times the work, and quadratic would be 400 times."""
    src, dst, make = LONG_ANSWERS[name]
    assert seconds(make(2_000), src, dst) < 80 * seconds(make(100), src, dst)
