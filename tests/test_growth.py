"""Work grows with the payload and no faster; a long stream keeps memory, findings and the cost of an event as they were
(STR-1, STR-14, STR-15).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from typing import Any

import pytest

import proxai_ir
from proxai_ir import StreamConverter, StreamError, TranslationError, sse

from .samples import PROTOCOLS, READINGS, of, others, samples
from .samples.gemini_generate_content import building as gemini
from .samples.openai_chat_completions import building as chat
from .samples.sample import Events, Json
from .series import SERIES, long_keys
from .work import allocated, cycles, kept, operations, steps

CHAT, ANTHROPIC, GEMINI = "openai_chat_completions", "anthropic_messages", "gemini_generate_content"

# --- payloads ---------------------------------------------------------------------------------------------------------


def request(protocol: str, turns: int) -> Json:
    """A conversation with calls, and an unknown member in every turn."""
    messages: list[Json] = []
    for index in range(turns // 4):
        name = f"c{index}"
        called = chat.assistant("Yes", tool_calls=[chat.call("f", '{"a": 1}', name)])
        messages += [chat.user("Hi"), called, chat.result("r", name), chat.assistant("Done")]
    made: Json = chat.request(*messages)
    if protocol != CHAT:
        made = proxai_ir.convert(made, CHAT, protocol)
    for turn in next(value for value in made.values() if isinstance(value, list)):
        turn["zz"] = 1
    return made


def conversion(src: str, turns: int) -> Callable[[], Any]:
    payload = request(src, turns)
    return lambda: proxai_ir.compile(payload, src, others(src)[0])


@pytest.mark.parametrize("src", PROTOCOLS)
def test_operations_grow_with_the_turns(src: str) -> None:
    small, large = (operations(conversion(src, turns)) for turns in (100, 1000))
    assert large <= 10.5 * small


@pytest.mark.parametrize("src", PROTOCOLS)
def test_steps_grow_with_the_turns(src: str) -> None:
    small, large = (steps(conversion(src, turns)) for turns in (100, 1000))
    assert large <= 10.5 * small


@pytest.mark.parametrize("dst", PROTOCOLS)
def test_conversions_leave_nothing_to_the_collector(dst: str) -> None:
    cases = [(sample, sample.make()) for sample in samples("request", "response", "error")]

    def run() -> None:
        for sample, payload in cases:
            proxai_ir.check(payload, sample.protocol, dst, kind=sample.kind)

    assert cycles(run) == 0


def candidates(count: int) -> Events:
    return [gemini.chunk("a", index=at, finish=finish) for finish in (None, "STOP") for at in range(count)]


def supports(count: int) -> Events:
    """A text of several bytes a character, each piece of which rests on a page."""
    piece = "\u00e9\u4e16 "
    size = len(piece.encode())
    segments = [{"startIndex": size * at, "endIndex": size * (at + 1), "text": piece} for at in range(count)]
    grounding = {
        "groundingChunks": [{"web": {"uri": "https://tides.test", "title": "Tides"}}],
        "groundingSupports": [{"segment": one, "groundingChunkIndices": [0]} for one in segments],
    }
    return [gemini.chunk(piece * count, finish="STOP", groundingMetadata=grounding)]


@pytest.mark.parametrize("make", [candidates, supports])
def test_steps_grow_with_what_gemini_streams(make: Callable[[int], Events]) -> None:
    small, large = (steps(partial(proxai_ir.lower, make(count), GEMINI, kind="stream")) for count in (100, 1000))
    assert large <= 10.5 * small


# --- streams without end ----------------------------------------------------------------------------------------------

BOUND = 16 * 1024
WARM = 1_000
LONG = 4_000
VERY_LONG = 20_000  # in which a byte for each event would show

ENDLESS = [
    pytest.param(protocol, dst, make, id=f"{protocol} {name} to {dst}")
    for protocol in PROTOCOLS
    for name, make in of(protocol).endless.items()
    for dst in (*others(protocol), protocol)
]
each_endless = pytest.mark.parametrize(("src", "dst", "make"), ENDLESS)
Endless = Callable[[], Iterator[Any]]


def feed(converter: StreamConverter, events: Iterator[Any], count: int) -> None:
    for event in islice(events, count):
        converter.feed(event)


def warm(src: str, dst: str, events: Iterator[Any], **options: Any) -> StreamConverter:
    converter = StreamConverter(src, dst, **options)
    feed(converter, events, WARM)
    return converter


@each_endless
def test_memory_does_not_grow(src: str, dst: str, make: Endless) -> None:
    stays(src, dst, make, LONG)


@pytest.mark.slow
@pytest.mark.parametrize(("src", "dst", "make"), ENDLESS[::3])
def test_memory_does_not_grow_at_length(src: str, dst: str, make: Endless) -> None:
    stays(src, dst, make, VERY_LONG)


def stays(src: str, dst: str, make: Endless, count: int) -> None:
    events = make()
    converter = warm(src, dst, events)
    text = 16 * count * (of(src).cumulative + of(dst).cumulative)
    assert kept(lambda: feed(converter, events, count)) < BOUND + text


def test_a_converter_that_keeps_its_events_would_show() -> None:
    events = of(CHAT).endless["text"]()
    hoard: Events = []
    assert kept(lambda: hoard.extend(islice(events, LONG))) > BOUND


@each_endless
def test_later_events_cost_and_report_no_more(src: str, dst: str, make: Endless) -> None:
    converter, events = StreamConverter(src, dst), make()
    feed(converter, events, 10)
    reported = converter.diagnostics
    first = operations(lambda: feed(converter, events, 100))
    feed(converter, events, LONG)
    assert operations(lambda: feed(converter, events, 100)) <= first
    assert converter.diagnostics == reported
    assert len(reported) < 12


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_text_that_is_passed_on_costs_no_more_than_one_that_is_converted(protocol: str) -> None:
    def cost(dst: str) -> int:
        converter, events = StreamConverter(protocol, dst), of(protocol).endless["text"]()
        feed(converter, events, 10)
        return operations(lambda: feed(converter, events, 100))

    assert cost(protocol) <= 1.1 * max(cost(dst) for dst in others(protocol))


def test_a_repeated_finding_is_reported_where_it_is_met_first() -> None:
    converter, events = StreamConverter(CHAT, ANTHROPIC), of(CHAT).endless["dialect"]()
    feed(converter, events, 10)
    found = [(one.code, one.path) for one in converter.diagnostics if one.path.startswith("/1/")]
    assert sorted(found) == [
        ("ENV-7", "/1/choices/0/delta/refusal"),
        ("ENV-7", "/1/obfuscation"),
        ("STR-4", "/1/usage"),
        ("UNK-1", "/1/choices/0/delta/trace"),
        ("UNK-6", "/1/number"),
        ("UNK-6", "/1/provider"),
    ]
    assert not [one for one in converter.diagnostics if not one.path.startswith(("/0", "/1/"))]


def test_the_decoder_keeps_nothing() -> None:
    event = sse.encode(chat.chunk({"content": "word "}), CHAT)
    decoder = sse.Decoder()

    def run() -> None:
        for _ in range(LONG):
            decoder.feed(event[:50])
            decoder.feed(event[50:])

    assert kept(run) < BOUND


# --- what has to wait (STR-15) ----------------------------------------------------------------------------------------


def chunks(*first: Json, then: Json) -> Iterator[Any]:
    yield from map(chat.chunk, first)
    while True:
        yield chat.chunk(then)


def waiting_call(text: str) -> Iterator[Any]:
    """A call that waits for another one to be closed."""
    both = chat.calls(chat.fragment(0, "{", "call_0", "sky"), chat.fragment(1, "", "call_1", "now"))
    return chunks(both, then=chat.calls(chat.fragment(1, text)))


def sound() -> Iterator[Any]:
    """Audio whose transcript has not come."""
    return chunks({"role": "assistant"}, {"audio": {"id": "audio_1"}}, then={"audio": {"data": "aGk="}})


def test_what_waits_has_a_limit() -> None:
    with pytest.raises(StreamError) as caught:
        warm(CHAT, ANTHROPIC, waiting_call("x"), buffer_limit=100)
    assert caught.value.rule == "STR-15"
    assert caught.value.path in ("/100", "/101", "/102")


def test_white_space_does_not_wait() -> None:
    """It is text, and sent (PLC-9)."""
    spaces = chunks({"role": "assistant", "content": ""}, then={"content": " "})
    feed(warm(CHAT, ANTHROPIC, spaces, buffer_limit=10), spaces, 100)


def test_the_limit_is_for_what_waits_at_one_time() -> None:
    converter = StreamConverter(CHAT, ANTHROPIC, buffer_limit=100)
    for number in range(0, 100, 2):
        first = chat.fragment(number, '{"a":', f"call_{number}", "sky")
        second = chat.fragment(number + 1, '{"b":' + " " * 50, f"call_{number + 1}", "sky")
        converter.feed(chat.chunk(chat.calls(first, second)))
        converter.feed(chat.chunk(chat.calls(chat.fragment(number, "1}"), chat.fragment(number + 1, "2}"))))
    converter.feed(chat.chunk({}, "tool_calls"))
    assert READINGS[ANTHROPIC].outcomes(converter.close())[-1] == "end"


@pytest.mark.parametrize("make", [lambda: waiting_call(""), sound], ids=["empty pieces", "sound"])
def test_what_is_never_given_out_is_not_kept(make: Endless) -> None:
    events = make()
    converter = warm(CHAT, ANTHROPIC, events)
    assert kept(lambda: feed(converter, events, LONG)) < BOUND


# --- long responses ---------------------------------------------------------------------------------------------------


def streaming(events: Events, src: str, dst: str) -> Callable[[], Any]:
    def run() -> None:
        converter = StreamConverter(src, dst)
        for event in events:
            converter.feed(event)
        converter.close()

    return run


@pytest.mark.parametrize(
    ("src", "make"),
    [
        pytest.param(protocol, make, id=f"{protocol} {name}")
        for protocol in PROTOCOLS
        for name, make in of(protocol).growing.items()
    ],
)
def test_steps_grow_with_the_response(src: str, make: Callable[[int], Events]) -> None:
    """From 40 parts to 400."""
    for dst in others(src):
        assert steps(streaming(make(400), src, dst)) <= 10.5 * steps(streaming(make(40), src, dst))


# --- many elements ----------------------------------------------------------------------------------------------------

FEW = (100, 800)
MANY = (100, 1_600)
EVEN = 1.1
"""How much more than its share the larger size may take; quadratic work would take as many times its share as it is
larger."""


@pytest.mark.parametrize("name", SERIES)
def test_steps_grow_with_the_size(name: str) -> None:
    small, large = (steps(SERIES[name](size)) for size in FEW)
    assert large <= EVEN * FEW[1] / FEW[0] * small


def test_a_loop_that_is_quadratic_would_show() -> None:
    def looking(count: int) -> Callable[[], Any]:
        return lambda: [[other for other in range(number)] for number in range(count)]  # noqa: C416

    small, large = (steps(looking(size)) for size in FEW)
    assert large > EVEN * FEW[1] / FEW[0] * small


def share(series: Callable[[int], Callable[[], Any]], sizes: tuple[int, int]) -> float:
    """How many bytes the larger size allocates, of what it might: in proportion to the smaller one."""
    small, large = (allocated(series(size)) for size in sizes)
    return large / small / (sizes[1] / sizes[0])


@pytest.mark.slow
@pytest.mark.parametrize("name", SERIES)
def test_allocations_grow_with_the_size(name: str) -> None:
    """Copies that C makes are no steps."""
    assert share(SERIES[name], MANY) <= EVEN


def test_copies_that_are_quadratic_would_show() -> None:
    def joining(count: int) -> Callable[[], Any]:
        def run() -> None:
            joined: list[int] = []
            for number in range(count):
                joined = [*joined, number]

        return run

    assert share(joining, FEW) > 2 * EVEN


def test_a_line_in_small_pieces_takes_its_own_size() -> None:
    """An unfinished line is one buffer, however small the pieces that it comes in."""
    decoder = sse.Decoder()
    size = 40_000
    assert kept(lambda: [decoder.feed(b"xx") for _ in range(size // 2)] and None) < 2 * size


def test_texts_of_diagnostics_have_a_limit() -> None:
    """However long the keys, ids and numbers of findings are that they quote."""
    payload = long_keys(1_000)
    found = proxai_ir.check(payload, CHAT, ANTHROPIC)
    assert len(found) >= 1_000
    assert sum(len(one.path) + len(one.message) for one in found) < 1_000_000
    with pytest.raises(TranslationError) as caught:
        proxai_ir.convert(chat.request(*(chat.user(5) for _ in range(20_000))), CHAT, ANTHROPIC)
    assert len(caught.value.diagnostics) == 20_000
    assert len(str(caught.value)) < 20_000
    with pytest.raises(TranslationError) as caught:
        proxai_ir.convert(chat.request(chat.user("Hi"), chat.result("r", "x" * 600_000)), CHAT, ANTHROPIC)
    assert len(str(caught.value)) < 1_000
