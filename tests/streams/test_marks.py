"""What gateways append to the streams of every protocol is no event of theirs, behind the end (STR-26)."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir
from proxai_ir import Exchange, StreamConverter
from proxai_ir.ir.stream.events import Unread
from proxai_ir.protocol.registry import framing_of
from proxai_ir.testing.streams import fed, lowered

from ..samples import PROTOCOLS, Sample, others, samples

MARKS: tuple[Any, ...] = ("[DONE]", "", {}, None)
LINES = (
    b"data: [DONE]\n\n",
    b"event: done\ndata: [DONE]\n\n",
    b"event: done\ndata: {}\n\n",
    b"event: done\n\n",
    b"data: \n\n",
    b"data:  \n\n",
    b": keep-alive\n\n",
    b"\n\n",
)
IN_LINES = (b"data: [DONE]\n\n", b"[DONE]\n", b"data: \n\n", b"data:\n\n", b": keep-alive\n\n", b"\n\n")
"""Where every line is JSON."""
STREAMS = [one for one in samples("stream") if not one.own]

each_sample = pytest.mark.parametrize("sample", STREAMS, ids=str)


def outcome(events: list[Any], src: str, dst: str) -> tuple[Any, ...]:
    done = fed(events, src, dst)
    return done.rule(), done.out, done.found(), done.converter.usage


@each_sample
def test_events_that_hold_nothing(sample: Sample) -> None:
    """Once or several times; the response is the same, and nothing is found. Its own protocol gets them as they are."""
    for dst in others(sample.protocol):
        expected = outcome(sample.make(), sample.protocol, dst)
        for mark in MARKS:
            assert outcome([*sample.make(), mark, mark], sample.protocol, dst) == expected, (dst, mark)
    own = fed([*sample.make(), "[DONE]"], sample.protocol, sample.protocol)
    assert own.found() == fed(sample.make(), sample.protocol, sample.protocol).found()
    assert not any(isinstance(one, Unread) for one in lowered([*sample.make(), "[DONE]"], sample.protocol).steps[-1])


@each_sample
def test_lines_that_hold_nothing(sample: Sample) -> None:
    """In bytes, as a gateway's client gets them."""
    framing = framing_of(sample.protocol)
    if framing.binary:  # whose frames nobody appends lines to
        return
    data = b"".join(framing.encode(event, sample.protocol) for event in sample.make())
    client = others(sample.protocol)[0]

    def replied(sent: bytes) -> tuple[bytes, Any]:
        stream = Exchange(client, sample.protocol, model="m", now=7.0).stream(200, {})
        return stream.feed(sent) + stream.end(), stream.error

    expected = replied(data)
    for line in LINES if framing.name == "sse" else IN_LINES:
        assert replied(data + line + line) == expected, line


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_before_the_end_they_are_no_end(protocol: str) -> None:
    sample = next(one for one in STREAMS if one.protocol == protocol)
    converter = StreamConverter(protocol, others(protocol)[0])
    converter.feed(sample.make()[0])
    with pytest.raises(proxai_ir.TranslationError):
        converter.feed("[DONE]")
