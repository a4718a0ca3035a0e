"""One stream into the IR, without a target."""

from __future__ import annotations

import pytest

import proxai_ir
from proxai_ir import StreamError
from proxai_ir.ir.stream.events import Completed, Unread
from proxai_ir.streaming.lowering import LoweredStream

from ..samples import PROTOCOLS, samples
from ..samples.sample import Sample

STREAMS = [one for one in samples("stream") if one.protocol in PROTOCOLS]


@pytest.mark.parametrize("sample", STREAMS, ids=str)
def test_event_by_event_as_a_whole(sample: Sample) -> None:
    events = sample.make()
    stream = LoweredStream(sample.protocol, {})
    steps = [stream.feed(event) for event in events]
    whole = proxai_ir.lower(events, sample.protocol, kind="stream")
    assert (steps, stream.end()) == (whole.steps, whole.ending)
    assert stream.disorder is None


def test_what_is_out_of_its_place_is_unread_from_there_on() -> None:
    stream = LoweredStream("anthropic_messages", {})
    stop = {"type": "message_stop"}
    assert stream.feed({"type": "ping"}) and stream.disorder is None
    (first,), (second,) = stream.feed(stop), stream.feed({"type": "ping"})
    assert isinstance(first, Unread) and isinstance(second, Unread)
    assert first.detail == second.detail == stream.disorder


def test_a_stream_that_is_cut_off() -> None:
    stream = LoweredStream("openai_chat_completions", {})
    chunk = {"id": "c", "model": "m", "choices": [{"index": 0, "delta": {"role": "assistant", "content": "Hi"}}]}
    assert not any(isinstance(one, Completed) for one in stream.feed(chunk))
    with pytest.raises(StreamError) as caught:
        stream.end()
    assert (caught.value.rule, caught.value.path) == ("STR-2", "/0")
