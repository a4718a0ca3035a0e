"""The laws of streams, on illegal and generated streams of every protocol; tests/test_conformance.py: on samples."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

import proxai_ir
from proxai_ir import StreamError
from proxai_ir.testing import streams
from proxai_ir.testing.strategies import mutated
from proxai_ir.testing.streams import folded, paragraphs_joined

from ..cases import each, in_turn
from ..samples import PROTOCOLS, READINGS, Sample, of, others, samples
from ..samples.sample import Events
from ..trials import each_count, hold

ROOT = Path(__file__).parents[2]
STREAMS = samples("stream")

each_source = pytest.mark.parametrize("src", PROTOCOLS)
each_target = pytest.mark.parametrize("dst", PROTOCOLS)


def folds_to_its_content(events: Events, protocol: str) -> None:
    """A stream, folded in the IR, is the response that its events add up to by the reading."""
    reading = READINGS[protocol]
    if "error" in reading.outcomes(events):  # there is no response
        return
    again = proxai_ir.raise_to(folded(events, protocol), protocol)
    assert paragraphs_joined(reading.summary(again)) == paragraphs_joined(reading.summary(reading.whole(events)))


@st.composite
def disordered(draw: st.DrawFn, streams: st.SearchStrategy[Any]) -> list[Any]:
    """Draw streams with one event dropped, repeated or exchanged with another, or with an early or late end."""
    events: list[Any] = draw(streams)
    index = draw(st.integers(0, len(events) - 1))
    change = draw(st.sampled_from(["drop", "repeat", "swap", "truncate", "append"]))
    if change == "drop":
        return events[:index] + events[index + 1 :]
    if change == "repeat":
        return events[: index + 1] + events[index:]
    if change == "truncate":
        return events[:index]
    if change == "append":
        return [*events, events[index]]
    there = draw(st.integers(0, len(events) - 1))
    events[index], events[there] = events[there], events[index]
    return events


# --- samples ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sample", [one for one in STREAMS if not one.own and not of(one.protocol).cumulative], ids=str)
def test_samples_fold_to_their_content(sample: Sample) -> None:
    folds_to_its_content(sample.make(), sample.protocol)


@pytest.mark.slow
@pytest.mark.parametrize(("sample", "dst"), [*in_turn(STREAMS, PROTOCOLS)], ids=str)
def test_every_wrong_value_at_every_place(sample: Sample, dst: str) -> None:
    streams.survives_mutation(sample.make(), sample.protocol, dst, READINGS, every=True)


@each_target
@each_source
@each("event", [None, True, 0, 1.5, "", "x", "[done]", [], [{}], {}, {"type": None}, {1: 2}, b"{}"])
def test_values_that_are_no_event(src: str, dst: str, event: Any) -> None:
    streams.converts_or_is_refused([event], src, dst, READINGS)
    begun = next(sample for sample in STREAMS if sample.protocol == src).make()[0]
    streams.converts_or_is_refused([begun, event], src, dst, READINGS)


# --- order ------------------------------------------------------------------------------------------------------------

ILLEGAL = [
    pytest.param(protocol, events, path, id=f"{protocol}: {name}")
    for protocol in PROTOCOLS
    for name, (events, path) in of(protocol).illegal.items()
]


@each_target
@each(("src", "events", "path"), ILLEGAL)
def test_illegal_orders(src: str, events: Events, path: str, dst: str) -> None:
    """STR-9, at the event in question; what the events before it gave has been given out."""
    done = streams.converts_or_is_refused(events, src, dst, READINGS)
    if src == dst:  # passed through
        assert done.out == events
        ((rule, place),) = done.found("info")
        assert (rule, place.startswith(path)) == ("STR-18", True)
        return
    assert isinstance(done.error, StreamError)
    assert done.error.rule == "STR-9"
    assert done.error.path.startswith(path)
    before = streams.fed(events[:-1], src, dst, close=False)
    assert before.error is None
    assert done.out == before.out


@each_target
@each_source
def test_a_stream_of_no_events_was_cut_off(src: str, dst: str) -> None:
    done = streams.fed([], src, dst)
    assert (done.rule(), done.out) == ("STR-2", [])
    *_, ending = done.converter.close(error_event=True)
    assert READINGS[dst].outcomes([ending]) == ["error"]


# --- generated --------------------------------------------------------------------------------------------------------


@each_count
@each_source
def test_generated_streams(src: str, count: int) -> None:
    def all_laws(events: Events) -> None:
        streams.is_relayed(events, src)
        streams.is_kept_in_json(events, src, others(src))
        if not of(src).cumulative:
            folds_to_its_content(events, src)
        for dst in others(src):
            streams.converts_or_is_refused(events, src, dst, READINGS)
            streams.is_not_changed(events, src, dst)
            streams.refuses_more_in_strict_mode(events, src, dst, READINGS)
            streams.folding_commutes(events, src, dst, READINGS)
            streams.folds_agree(events, src, dst, READINGS)

    hold(all_laws, of(src).strategies["stream"], count)


@each_count
@each_source
@pytest.mark.parametrize("change", [disordered, mutated], ids=["another order", "odd values"])
def test_generated_streams_that_are_changed(src: str, change: Any, count: int) -> None:
    """What is passed through in another order also comes back from the IR (STR-18)."""

    def law(events: Events) -> None:
        for dst in PROTOCOLS:
            done = streams.converts_or_is_refused(events, src, dst, READINGS)
            if dst == src and done.error is None and change is disordered:
                streams.is_legal(events, src)

    hold(law, change(of(src).strategies["stream"]), count)


# --- memory -----------------------------------------------------------------------------------------------------------

FAR = """
from proxai_ir.testing.streams import converts_or_is_refused
from tests.samples import PROTOCOLS, READINGS
from tests.samples.openai_chat_completions import building as chat
for index in (10**8, 2**70):
    for dst in PROTOCOLS:
        far = chat.chunk({"content": "Hi"})
        far["choices"][0]["index"] = index
        call = chat.chunk(chat.calls(chat.fragment(index, "{}", "call_1", "sky")))
        for events in ([chat.chunk({"role": "assistant"}), far], [call, chat.chunk({}, "tool_calls")]):
            converts_or_is_refused(events, "openai_chat_completions", dst, READINGS)
"""


def test_a_far_index_takes_no_memory() -> None:
    """In a process of its own, whose memory is bounded."""
    command = ["sh", "-c", f'ulimit -v 500000; exec {sys.executable} -c "$0"', FAR]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr[-1000:]
