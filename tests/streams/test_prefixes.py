"""A stream that is cut off anywhere is never taken for a whole one (STR-2), and what a client has got by then is legal.

What may be cut: every recorded stream, and the specimens of this folder, behind each of their events.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from proxai_ir import StreamConverter, StreamError, TranslationError

from ..held.shared import PAIRS, Tools
from .recordings import sample, streams
from .specimens import SPECIMENS
from .wire import HOMES, PROTOCOLS, Events, is_error, is_success, is_whole, other

CUTS = 150
SHORT = 250
JUDGED = 30
"""Up to how many events a recording's prefixes are each judged by the oracle, whose work grows with their squares."""


def opened(events: Events, src: str, dst: str) -> tuple[StreamConverter, Events]:
    """A converter that got these events, and what it handed out; raises what it raises."""
    converter = StreamConverter(src, dst)
    return converter, [one for event in events for one in converter.feed(event)]


def assert_cut(events: Events, cut: int, src: str, dst: str) -> Events:
    """What holds of every prefix; returns what the target's client got of it, its last event included."""
    prefix = events[:cut]
    converter, out = opened(prefix, src, dst)
    if is_whole(src, prefix):
        out += converter.close(error_event=True)
        ends = [event for event in out if is_success(dst, event) or is_error(dst, event)]
        assert src == dst or ends == out[-1:]
        return out
    with pytest.raises(StreamError) as caught:
        converter.close()
    assert caught.value.rule == "STR-2"
    assert caught.value.path == (f"/{cut - 1}" if prefix else "")
    ending = opened(prefix, src, dst)[0].close(error_event=True)
    assert is_error(dst, ending[-1])
    assert not any(is_error(dst, event) for event in out + ending[:-1])
    assert not any(is_success(dst, event) for event in out + ending)
    return out + ending


def legible(events: Events, src: str, dst: str) -> int:
    """How many events of a stream are read before one is refused: all of them, mostly."""
    converter = StreamConverter(src, dst)
    for position, event in enumerate(events):
        try:
            converter.feed(event)
        except TranslationError:
            return position
    return len(events)


def judged(tools: Tools, protocol: str, events: Events) -> list[Any]:
    """The oracle's errors, less the one that an error before the start of an answer cannot avoid."""
    oracle = tools.scoreboard.oracle
    found = oracle.errors(oracle.check_stream(protocol, events))
    only = len(events) == 1 and is_error(protocol, events[0])
    return [problem for problem in found if not (only and problem.code == "incomplete")]


def assert_cut_anywhere(tools: Tools, events: Events, src: str, dst: str) -> None:
    """At every event of a stream, of long ones at many; the judge takes his time, and looks at fewer still."""
    seen = 1 if len(events) <= JUDGED else len(events) // 10
    last = legible(events, src, dst)
    for cut in {*range(0, last + 1, 1 if len(events) <= SHORT else 9), last}:
        out = assert_cut(events, cut, src, dst)
        if src != dst and cut % seen == 0:
            assert judged(tools, dst, out) == [], (cut, out[-3:])


# --- by hand ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dst", PROTOCOLS)
@pytest.mark.parametrize(("src", "make"), SPECIMENS, ids=[make.__name__ for _, make in SPECIMENS])
def test_a_specimen_cut_anywhere(src: str, make: Callable[[], Events], dst: str) -> None:
    events = make()
    for cut in range(legible(events, src, dst) + 1):
        assert_cut(events, cut, src, dst)


@pytest.mark.parametrize(("src", "make"), SPECIMENS, ids=[make.__name__ for _, make in SPECIMENS])
def test_what_a_client_gets_of_a_specimen_is_legal(tools: Tools, src: str, make: Callable[[], Events]) -> None:
    assert_cut_anywhere(tools, make(), src, other(src))


@pytest.mark.parametrize(("src", "make"), SPECIMENS, ids=[make.__name__ for _, make in SPECIMENS])
def test_nothing_is_taken_back(src: str, make: Callable[[], Events]) -> None:
    """What has been handed out of a prefix is how the whole begins (STR-1)."""
    events, dst = make(), other(src)
    readable = legible(events, src, dst)
    whole = opened(events[:readable], src, dst)[1]
    for cut in range(readable + 1):
        out = opened(events[:cut], src, dst)[1]
        assert out == whole[: len(out)]


# --- recorded ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("src", "dst"), PAIRS)
def test_recordings_cut_somewhere(tools: Tools, src: str, dst: str) -> None:
    """Of every recording a few cuts; those of the short ones are most of them."""
    places = [
        (name, events, cut)
        for name, events in streams(tools, src).items()
        for cut in sample(list(range(legible(events, src, dst) + 1)), 3)
    ]
    for name, events, cut in sample(places, CUTS):
        out = assert_cut(events, cut, src, dst)
        if len(out) <= SHORT:
            assert judged(tools, dst, out) == [], (name, cut)


@pytest.mark.slow
@pytest.mark.parametrize(("src", "dst"), [*PAIRS, *HOMES])
def test_recordings_cut_anywhere(tools: Tools, src: str, dst: str) -> None:
    for events in streams(tools, src).values():
        assert_cut_anywhere(tools, events, src, dst)
