"""The laws of streams on recorded traffic, judged by the official clients and by the oracle."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import pytest

import proxai_ir
from proxai_ir import TranslationError
from proxai_ir.framing.common import DONE
from proxai_ir.ir.response import Response
from proxai_ir.ir.stream.aggregate import fold, unfold
from proxai_ir.ir.stream.events import Event
from proxai_ir.protocol.registry import frontend
from proxai_ir.streaming.lowering import reader_of
from proxai_ir.testing.payloads import canonical
from proxai_ir.testing.streams import (
    fed,
    folded,
    has_items,
    is_kept_in_json,
    legible,
    lowered,
    prefix_ends_legally,
)

from ..samples import READINGS, Sample, of, samples
from ..samples.sample import Events
from ..streams.test_bytes import assert_cut_anywhere, bytes_of, decoded, encoded
from ..trials import hold
from .shared import CHAT, RECORDED, Tools, pairs, some

PAIRS = pairs()
ROUTES = [*PAIRS, *((protocol, protocol) for protocol in RECORDED)]
each_protocol = pytest.mark.parametrize("protocol", RECORDED)
each_pair = pytest.mark.parametrize(("src", "dst"), PAIRS)
each_size = pytest.mark.parametrize(
    "size", [pytest.param(30, id="some"), pytest.param(sys.maxsize, id="all", marks=pytest.mark.slow)]
)

# --- bytes ------------------------------------------------------------------------------------------------------------

SMALL = 4000
"""Up to how many bytes a stream is cut at every one of them in a default run."""


@each_protocol
def test_bytes_there_and_back(tools: Tools, protocol: str) -> None:
    for name, events in tools.streams(protocol).items():
        assert decoded([encoded(events, protocol)]) == events, name


@each_protocol
def test_small_streams_cut_anywhere(tools: Tools, protocol: str) -> None:
    small = [events for events in tools.streams(protocol).values() if len(encoded(events, protocol)) <= SMALL]
    for events in some(small, 4):
        assert_cut_anywhere(encoded(events, protocol).replace(b"\n", b"\r\n"), events, step=5)


@pytest.mark.slow
@each_protocol
def test_streams_cut_anywhere(tools: Tools, protocol: str) -> None:
    for events in tools.streams(protocol).values():
        data = encoded(events, protocol)
        assert decoded(bytes_of(data)) == events
        if len(data) <= 10 * SMALL:
            assert_cut_anywhere(data, events, step=1 + len(data) // 2000)


# --- folds ------------------------------------------------------------------------------------------------------------


@each_protocol
def test_responses_unfolded_and_folded(tools: Tools, protocol: str) -> None:
    """Events know parts and their items; a turn without any part leaves no event."""
    for record in tools.records(protocol, "response"):
        node = proxai_ir.lower(record.payload, protocol, kind="response")
        if not isinstance(node, Response):
            continue
        again = fold(unfold(node))
        turns = [turn for one in node.candidates for turn in one.turns]
        if not of(protocol).cumulative or (turns and all(turn.parts for turn in turns)):
            assert again == node, record.id
        for before, after in zip(node.candidates, again.candidates, strict=True):
            assert (after.parts, after.terminal) == (before.parts, before.terminal), record.id


@pytest.mark.slow
@each_protocol
def test_streams_fold_to_what_the_official_client_has(tools: Tools, protocol: str) -> None:
    compared = 0
    for name, events in tools.streams(protocol).items():
        expected = None if tools.is_off(protocol, name) else tools.accumulated(protocol, events)
        if expected is not None:
            again = proxai_ir.raise_to(folded(events, protocol), protocol)
            assert tools.core(protocol, again) == tools.core(protocol, expected), name
            compared += 1
    assert compared > len(tools.streams(protocol)) // 2


def repeated(events: Events) -> Any:
    """The response that the terminal event of a Responses stream repeats."""
    return next(one["response"] for one in reversed(events) if isinstance(one, dict) and "response" in one)


@each_size
@each_protocol
def test_the_kept_response_is_what_the_stream_reports(tools: Tools, protocol: str, size: int) -> None:
    """STR-19: what the terminal event repeats, every member of it; else what the official client accumulates."""
    compared = 0
    tried = some([*tools.streams(protocol).items()], size)
    for name, events in tried:
        done = fed(events, protocol, protocol, keep_response=True)
        whole = done.converter.response if done.error is None else None
        if whole is None:
            continue
        if protocol == "openai_responses":
            assert canonical(whole) == canonical(repeated(events)), name
            compared += 1
        elif not tools.is_off(protocol, name):
            expected = tools.accumulated(protocol, events)
            assert expected is not None
            assert tools.core(protocol, whole) == tools.core(protocol, expected), name
            if protocol == "anthropic_messages":
                assert canonical(whole) == canonical(expected), name
            compared += 1
    assert compared > len(tried) // 4


@pytest.mark.parametrize("src", [one for one in RECORDED if one != "openai_responses"])
def test_what_is_written_as_responses_is_what_is_kept(tools: Tools, src: str) -> None:
    for name, events in tools.streams(src).items():
        done = fed(events, src, "openai_responses", keep_response=True)
        if done.error is None and done.converter.response is not None:
            assert canonical(done.converter.response) == canonical(done.out[-1]["response"]), name


@each_size
@pytest.mark.parametrize("dst", [one for one in RECORDED if one != "openai_responses"])
def test_the_kept_response_of_a_converted_stream_is_the_terminal_one_converted(
    tools: Tools, dst: str, size: int
) -> None:
    """STR-11, for the protocol whose end repeats everything."""
    for name, events in some([*tools.streams("openai_responses").items()], size):
        done = fed(events, "openai_responses", dst, keep_response=True)
        if done.error is None and done.converter.response is not None:
            whole = proxai_ir.convert(repeated(events), "openai_responses", dst, kind="response")
            assert canonical(done.converter.response) == canonical(whole), name


def read_for_others(events: Events, protocol: str) -> list[Event]:
    """The IR of a stream as other protocols get it: calls that only their whole input explains are read by it."""
    front = frontend(protocol)
    reader = reader_of(front, front.options)
    if protocol != CHAT:  # the others have an end of their own before the mark
        events = [event for event in events if event != DONE]
    return [found for event in events for found in reader.feed(event)] + reader.close()


def runs_on(events: Events, protocol: str) -> bool:
    """Whether a run of code has no result, so that its item is done, and read, behind the text that follows it."""
    done = [
        event for event in events if protocol == "openai_responses" and event["type"] == "response.output_item.done"
    ]
    return any(event["item"]["type"] == "code_interpreter_call" and not event["item"].get("outputs") for event in done)


def core_of(tools: Tools, dst: str, node: Response, items: bool) -> Any:
    """What is compared; `items` of text are paragraphs in a stream of Gemini's alone (PLC-8)."""
    core = tools.core(dst, proxai_ir.raise_to(node, dst))
    for candidate in core["candidates"] if items and dst == "gemini_generate_content" else ():
        candidate["text"] = candidate["text"].replace("\n\n", "")
    return core


def is_broken(tools: Tools, protocol: str, name: str) -> bool:
    """Whether a recorded stream is off, or tells of a failure: the whole of it is an error then, without what came
    before."""
    if tools.is_off(protocol, name):
        return True
    return bool(tools.scoreboard.failed(protocol, tools.accumulated(protocol, tools.streams(protocol)[name])))


@each_size
@each_pair
def test_converted_streams_fold_to_the_same(tools: Tools, src: str, dst: str, size: int) -> None:
    """What is converted, read in the target's protocol and folded, is what the source's fold converts to."""
    for name, events in some([*tools.streams(src).items()], size):
        done = fed(events, src, dst)
        if done.error is None and not is_broken(tools, src, name) and not runs_on(done.out, dst):
            node = fold(read_for_others(events, src))
            items = has_items(node)
            there = core_of(tools, dst, folded(done.out, dst), items)
            assert there == core_of(tools, dst, node, items), name


@each_protocol
def test_streams_are_kept_in_json(tools: Tools, protocol: str) -> None:
    compared = 0
    for events in tools.streams(protocol).values():
        try:
            lowered(events, protocol)
        except TranslationError:
            continue
        is_kept_in_json(events, protocol, ())
        compared += 1
    assert compared > len(tools.streams(protocol)) // 2


# --- what a client gets is legal --------------------------------------------------------------------------------------


WEAKENED = {"FIN-7", "STS-3"}
"""Rules of endings for which the target has no word: with a call, its word for a natural one looks wrong, and a call
that waits would be made up."""


@each_pair
def test_converted_generated_streams_are_legal(tools: Tools, src: str, dst: str) -> None:
    """Whole ones, and those that were refused half-way and then closed."""

    def law(events: Events) -> None:
        done = fed(events, src, dst)
        if done.error is not None:
            done.out += done.converter.close(error_event=True)
        weakened = any(rule in WEAKENED for rule, _ in done.found())
        found = tools.stream_errors(dst, done.out)
        assert [one for one in found if not (weakened and one.code == "finish")] == []

    hold(law, of(src).strategies["stream"])


CUTS = 60
SHORT = 250
JUDGED = 30
"""Up to how many events a recording's prefixes are each judged by the oracle, whose work grows with their squares."""


def faults(tools: Tools, protocol: str, events: Events) -> list[Any]:
    """The oracle's errors, less those that an error before the start of a response cannot avoid."""
    only = len(events) == 1 and READINGS[protocol].outcomes(events) == ["error"]
    return [one for one in tools.stream_errors(protocol, events) if not (only and one.code in ("incomplete", "order"))]


def assert_legal_wherever_cut(tools: Tools, events: Events, src: str, dst: str) -> None:
    """At every event, of long streams at many; the oracle is slow and sees fewer still."""
    step = 1 if len(events) <= JUDGED else len(events) // 10
    last = legible(events, src, dst)
    for cut in {*range(0, last + 1, 1 if len(events) <= SHORT else 9), last}:
        out = prefix_ends_legally(events, cut, src, dst, READINGS)
        if src != dst and cut % step == 0:
            assert faults(tools, dst, out) == [], (cut, out[-3:])


@pytest.mark.parametrize("sample", [one for one in samples("stream") if one.protocol in RECORDED], ids=str)
def test_samples_cut_anywhere(tools: Tools, sample: Sample) -> None:
    for dst in (one for one in RECORDED if one != sample.protocol):
        assert_legal_wherever_cut(tools, sample.make(), sample.protocol, dst)


@each_pair
def test_streams_cut_somewhere(tools: Tools, src: str, dst: str) -> None:
    """Of every recording a few cuts; those of the short ones are most of them."""
    places = [
        (name, events, cut)
        for name, events in tools.streams(src).items()
        for cut in some(list(range(legible(events, src, dst) + 1)), 3)
    ]
    for name, events, cut in some(places, CUTS):
        out = prefix_ends_legally(events, cut, src, dst, READINGS)
        if len(out) <= SHORT:
            assert faults(tools, dst, out) == [], (name, cut)


def members(value: Any) -> frozenset[str]:
    """The names of all members, and what the tags say."""
    if isinstance(value, list):
        return frozenset().union(*map(members, value))
    if not isinstance(value, dict):
        return frozenset()
    tags = {f"{name}={value[name]}" for name in ("type", "finish_reason", "finishReason") if value.get(name)}
    return frozenset({*value, *tags}).union(*map(members, value.values()))


def of_each_shape(streams: Iterable[Events]) -> list[Events]:
    """The shortest of those streams whose events have the same members and tags."""
    found: dict[frozenset[str], Events] = {}
    for events in sorted(streams, key=len):
        found.setdefault(members(events), events)
    return list(found.values())


@pytest.mark.slow
@pytest.mark.parametrize(("src", "dst"), ROUTES)
def test_streams_cut_anywhere_thoroughly(tools: Tools, src: str, dst: str) -> None:
    for events in of_each_shape(tools.streams(src).values()):
        assert_legal_wherever_cut(tools, events, src, dst)
