"""The JSON form of a stream of the IR: there and back equal, and what comes back is raised as the source was."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given

import proxai_ir
from proxai_ir import TranslationError
from proxai_ir.ir.parts import Text
from proxai_ir.ir.response import Response
from proxai_ir.ir.terminal import StopReason, Terminal
from proxai_ir.ir.usage import Usage
from proxai_ir.ir_json import dumps, loads
from proxai_ir.streaming.events import (
    Completed,
    Ended,
    Event,
    PartClosed,
    PartGrew,
    PartOpened,
    Started,
    Stream,
    UsageReported,
)

from ..held.shared import PROTOCOLS as ALL
from ..held.shared import Tools
from ..properties.equality import canonical
from . import wire
from .feeding import fed
from .recordings import streams
from .specimens import SPECIMENS
from .strategies import QUICK, STREAMS
from .wire import ANTHROPIC, PROTOCOLS, ROUTES, Events, other

each_specimen = pytest.mark.parametrize(("protocol", "make"), SPECIMENS, ids=[make.__name__ for _, make in SPECIMENS])


def lowered(events: Events, protocol: str) -> Stream:
    stream = proxai_ir.lower(events, protocol, kind="stream")
    assert isinstance(stream, Stream)
    return stream


def reloaded(events: Events, protocol: str) -> Stream:
    """The stream after it was written down; it is the same."""
    stream = lowered(events, protocol)
    back = loads(dumps(stream))
    assert back == stream
    assert dumps(back) == dumps(stream)
    assert isinstance(back, Stream)
    return back


def test_what_it_looks_like() -> None:
    events = wire.messages(wire.text("Hi"))
    assert json.loads(dumps(lowered(events, ANTHROPIC))) == {
        "is": "Stream",
        "protocol": ANTHROPIC,
        "steps": [
            [
                {
                    "is": "Started",
                    "response": {
                        "protocol": ANTHROPIC,
                        "id": "msg_1",
                        "model": "claude",
                        "candidates": [],
                        "usage": {"input": 9, "output": 1},
                    },
                }
            ],
            [{"is": "PartOpened", "index": 0, "part": {"is": "Text", "text": ""}}],
            [{"is": "PartGrew", "index": 0, "text": "Hi"}],
            [{"is": "PartClosed", "index": 0}],
            [
                {"is": "Ended", "terminal": {"reason": "end", "raw": "end_turn"}},
                {"is": "UsageReported", "usage": {"output": 7}},
            ],
            [{"is": "Completed"}],
        ],
    }


def test_a_stream_by_hand_is_raised_like_one_that_was_read() -> None:
    steps: list[list[Event]] = [
        [Started(Response(None, "m1", "m", []))],
        [PartOpened(0, Text("")), PartGrew(0, "Hi"), PartClosed(0)],
        [Ended(Terminal(StopReason.END, "end_turn"))],
        [UsageReported(Usage(9, output=7)), Completed()],
    ]
    made = proxai_ir.raise_to(loads(dumps(Stream(None, steps))), ANTHROPIC)
    assert made == [
        wire.message_start({"input_tokens": 0, "output_tokens": 0}, id="m1", model="m"),
        *wire.numbered(0, wire.text("Hi")),
        wire.message_delta("end_turn", {"input_tokens": 9, "output_tokens": 7}),
        wire.MESSAGE_STOP,
    ]


@each_specimen
def test_specimens(protocol: str, make: Callable[[], Events]) -> None:
    again = proxai_ir.raise_to(reloaded(make(), protocol), protocol)
    assert [canonical(event) for event in again] == [canonical(event) for event in make()]


@each_specimen
def test_specimens_to_the_other_protocol(protocol: str, make: Callable[[], Events]) -> None:
    """What was written down is raised as the events are converted."""
    dst = other(protocol)
    done = fed(make(), protocol, dst)
    if done.error is None:
        assert proxai_ir.raise_to(reloaded(make(), protocol), dst) == done.out
        return
    with pytest.raises(TranslationError) as caught:
        proxai_ir.raise_to(reloaded(make(), protocol), dst)
    assert caught.value.rule == done.rule()


@pytest.mark.parametrize("protocol", ALL)
def test_recordings(tools: Tools, protocol: str) -> None:
    normal = tools.scoreboard.normal
    compared = 0
    for name, events in streams(tools, protocol).items():
        try:
            lowered(events, protocol)
        except TranslationError:
            continue
        again = proxai_ir.raise_to(reloaded(events, protocol), protocol)
        assert normal(again) == normal(events), name
        compared += 1
    assert compared > 50


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_generated_streams(protocol: str) -> None:
    def law(events: Events) -> None:
        again = proxai_ir.raise_to(reloaded(events, protocol), protocol)
        assert [canonical(event) for event in again] == [canonical(event) for event in events]

    QUICK(given(STREAMS[protocol])(law))()


@pytest.mark.parametrize(("src", "dst"), ROUTES)
def test_generated_streams_are_raised_as_they_are_converted(src: str, dst: str) -> None:
    def law(events: Events) -> None:
        done = fed(events, src, dst)
        if done.error is None:
            assert proxai_ir.raise_to(reloaded(events, src), dst) == done.out

    QUICK(given(STREAMS[src])(law))()


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_raising_changes_nothing(protocol: str) -> None:
    for source, make in SPECIMENS:
        if source == protocol:
            stream = lowered(make(), protocol)
            before = dumps(stream)
            for dst in PROTOCOLS:
                try:
                    proxai_ir.raise_to(stream, dst)
                except TranslationError:
                    assert dst != protocol
            assert dumps(stream) == before
