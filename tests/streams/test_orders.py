"""Any events in any order: converted, or refused at the event that is wrong; then the client is told that it failed.

Nothing but a TranslationError is ever raised, and events are never changed.
"""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from proxai_ir import Severity, StreamError
from proxai_ir.rules.catalogue import RULES

from ..held.shared import PAIRS, RESPONSES, Tools
from ..properties.pointing import places, removed, replaced
from ..properties.vandal import vandalised
from . import wire
from .feeding import assert_settled, fed
from .specimens import SPECIMENS
from .strategies import QUICK, STREAMS, THOROUGH, disordered
from .wire import ANTHROPIC, CHAT, DONE, PROTOCOLS, Events, is_error

HOMES = tuple((protocol, protocol) for protocol in (CHAT, ANTHROPIC, RESPONSES))
ROOT = Path(__file__).parents[2]
each_specimen = pytest.mark.parametrize(("src", "make"), SPECIMENS, ids=[make.__name__ for _, make in SPECIMENS])
each_target = pytest.mark.parametrize("dst", PROTOCOLS)

# --- legal streams ----------------------------------------------------------------------------------------------------


def converts_or_says_why(events: Events, src: str, dst: str) -> None:
    before = repr(events)
    done = assert_settled(events, src, dst)
    assert repr(events) == before
    for one in (*done.diagnostics, *(done.error.diagnostics if done.error else ())):
        assert one.code in RULES
        assert one.message
    assert all(one.severity.value == RULES[one.code].severity for one in done.diagnostics)


@pytest.mark.parametrize(("src", "dst"), [*PAIRS, *HOMES])
def test_legal_streams(src: str, dst: str) -> None:
    QUICK(given(STREAMS[src])(lambda events: converts_or_says_why(events, src, dst)))()


@pytest.mark.slow
@pytest.mark.parametrize(("src", "dst"), [*PAIRS, *HOMES])
def test_legal_streams_thoroughly(src: str, dst: str) -> None:
    THOROUGH(given(STREAMS[src])(lambda events: converts_or_says_why(events, src, dst)))()


@pytest.mark.parametrize(("src", "dst"), PAIRS)
def test_what_is_made_of_legal_streams_is_legal(tools: Tools, src: str, dst: str) -> None:
    """By the oracle: whole ones are, and so are those that were refused half-way."""
    oracle = tools.scoreboard.oracle

    def law(events: Events) -> None:
        done = fed(events, src, dst)
        if done.error is not None:
            done.out += done.converter.close(error_event=True)
        assert oracle.errors(oracle.check_stream(dst, done.out)) == []

    QUICK(given(STREAMS[src])(law))()


@pytest.mark.parametrize(("src", "dst"), HOMES)
def test_at_home_events_come_back_as_they_are(src: str, dst: str) -> None:
    def law(events: Events) -> None:
        done = fed(events, src, dst)
        assert done.error is None
        assert len(done.out) == len(events)
        assert all(made is event for made, event in zip(done.out, events, strict=True))
        assert done.diagnostics == ()

    QUICK(given(STREAMS[src])(law))()


@pytest.mark.parametrize(("src", "dst"), PAIRS)
def test_twice_the_same(src: str, dst: str) -> None:
    def law(events: Events) -> None:
        first, second = fed(events, src, dst), fed(deepcopy(events), src, dst)
        assert repr(first.out) == repr(second.out)
        assert first.diagnostics == second.diagnostics

    QUICK(given(STREAMS[src])(law))()


def strict_ends_at_a_loss(events: Events, src: str, dst: str) -> None:
    """Strict mode refuses what loses something, and that only; until then the same is handed out (LOS-2)."""
    done, strict = fed(events, src, dst), assert_settled(events, src, dst, strict=True)
    lost = {one.code for one in done.diagnostics if one.severity is Severity.LOSS}
    if done.error is None:
        assert (strict.error is None) == (not lost)
    assert strict.out == done.out[: len(strict.out)]
    if strict.error is not None:
        assert strict.rule() in lost | {done.rule()}


@pytest.mark.parametrize(("src", "dst"), PAIRS)
def test_legal_streams_in_strict_mode(src: str, dst: str) -> None:
    QUICK(given(STREAMS[src])(lambda events: strict_ends_at_a_loss(events, src, dst)))()


# --- another order ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("src", "dst"), [*PAIRS, *HOMES])
def test_another_order(src: str, dst: str) -> None:
    QUICK(given(disordered(STREAMS[src]))(lambda events: converts_or_says_why(events, src, dst)))()


@pytest.mark.slow
@pytest.mark.parametrize(("src", "dst"), [*PAIRS, *HOMES])
def test_another_order_thoroughly(src: str, dst: str) -> None:
    THOROUGH(given(disordered(STREAMS[src]))(lambda events: converts_or_says_why(events, src, dst)))()


@each_target
@each_specimen
def test_every_event_missing_repeated_or_exchanged(src: str, make: Callable[[], Events], dst: str) -> None:
    events = make()
    for one in range(len(events)):
        assert_settled(events[:one] + events[one + 1 :], src, dst)
        assert_settled([*events[: one + 1], *events[one:]], src, dst)
        assert_settled([*events, events[one]], src, dst)
        for two in range(one):
            swapped = [*events]
            swapped[one], swapped[two] = events[two], events[one]
            assert_settled(swapped, src, dst)


TALK = wire.messages(wire.text("Hi"), wire.call("toolu_1", "sky", "{}"), stop="tool_use")
START, TEXT, WORD, STOP, CALL, GIVEN, CALLED, ENDING, END = TALK
UNFIT = {**WORD, "delta": {"type": "input_json_delta", "partial_json": "{}"}}
ILLEGAL: dict[str, tuple[str, Events, str]] = {
    "a second start": (ANTHROPIC, [START, START], "/1"),
    "a start with content": (
        ANTHROPIC,
        [wire.message_start(content=[{"type": "text", "text": "Hi"}])],
        "/0/message/content",
    ),
    "no start": (ANTHROPIC, [TEXT], "/0"),
    "a block that is opened twice": (ANTHROPIC, [START, TEXT, TEXT], "/2"),
    "a block that is opened again": (ANTHROPIC, [START, TEXT, STOP, TEXT], "/3"),
    "a delta without a block": (ANTHROPIC, [START, WORD], "/1/index"),
    "a delta for a block that is closed": (ANTHROPIC, [START, TEXT, STOP, WORD], "/3/index"),
    "a delta of another kind": (ANTHROPIC, [START, TEXT, UNFIT], "/2/delta/type"),
    "a stop without a block": (ANTHROPIC, [START, STOP], "/1"),
    "a block that is closed twice": (ANTHROPIC, [START, TEXT, WORD, STOP, STOP], "/4"),
    "an ending in the middle of a block": (ANTHROPIC, [START, TEXT, WORD, ENDING], "/3"),
    "a second ending": (ANTHROPIC, [*TALK[:8], ENDING], "/8"),
    "new content after the ending": (ANTHROPIC, [*TALK[:4], ENDING, CALL], "/5"),
    "the end without an ending": (ANTHROPIC, [*TALK[:4], END], "/4"),
    "anything behind the end": (ANTHROPIC, [*TALK, STOP], "/9"),
    "a second end": (ANTHROPIC, [*TALK, END], "/9"),
    "another id": (CHAT, [wire.chunk({"content": "Hi"}), wire.chunk({"content": "Hi"}, id="chatcmpl-2")], "/1/id"),
    "another id of a call": (
        CHAT,
        [
            wire.chunk(wire.calls(wire.fragment(0, "{", "call_1", "sky"))),
            wire.chunk(wire.calls({"index": 0, "id": "call_2", "function": {"arguments": "}"}})),
        ],
        "/1",
    ),
    "more of arguments that were whole": (
        CHAT,
        [
            wire.chunk(wire.calls(wire.fragment(0, "{}", "call_1", "sky"))),
            wire.chunk({"content": "Hi"}),
            wire.chunk(wire.calls(wire.fragment(0, "{}"))),
        ],
        "/2/choices/0/delta/tool_calls/0/function/arguments",
    ),
    "content after the ending": (
        CHAT,
        [wire.chunk({"content": "Hi"}, "stop"), wire.chunk({"content": "!"})],
        "/1/choices/0/delta",
    ),
    "a second ending of another kind": (
        CHAT,
        [wire.chunk({"content": "Hi"}, "stop"), wire.chunk({}, "length")],
        "/1/choices/0/finish_reason",
    ),
    "usage before any choice": (CHAT, [wire.usage_chunk()], "/0/usage"),
    "usage before the ending": (CHAT, [wire.chunk({"content": "Hi"}), wire.usage_chunk()], "/1/usage"),
    "usage twice": (CHAT, [wire.chunk({"content": "Hi"}, "stop"), wire.usage_chunk(), wire.usage_chunk()], "/2/usage"),
    "content behind the end": (CHAT, [wire.chunk({"content": "Hi"}, "stop"), DONE, wire.chunk({"content": "!"})], "/2"),
}


@each_target
@pytest.mark.parametrize("name", ILLEGAL)
def test_what_may_not_stand_there(name: str, dst: str) -> None:
    """STR-9, at the event in question; events before it have been handed out."""
    src, events, path = ILLEGAL[name]
    done = assert_settled(events, src, dst)
    assert isinstance(done.error, StreamError)
    assert done.error.rule == "STR-9"
    assert done.error.path.startswith(path)
    before = fed(events[:-1], src, dst, close=False)
    assert before.error is None
    assert done.out == before.out


def test_a_missing_start_is_named_for_what_it_is() -> None:
    done = fed([DONE], CHAT, ANTHROPIC)
    assert (done.rule(), done.out) == ("STR-2", [])
    done = fed([], ANTHROPIC, CHAT)
    assert (done.rule(), done.out) == ("STR-2", [])
    (ending,) = done.converter.close(error_event=True)
    assert is_error(CHAT, ending)


# --- wrong types ------------------------------------------------------------------------------------------------------

WRONG = {
    "missing": None,
    "null": None,
    "true": True,
    "integer": 1,
    "negative": -1,
    "number": 1.5,
    "string": "x",
    "empty": "",
    "blank": " ",
    "array": [],
    "object": {},
    "nested": [[{}]],
    "foreign": object(),
    "nan": math.nan,
    "surrogate": "\ud800",
    "odd keys": {1: 2},
    "tag": {"type": "x"},
    "odd tag": {"type": []},
}


@each_target
@each_specimen
@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_type_anywhere(src: str, make: Callable[[], Events], dst: str, wrong: str) -> None:
    events = make()
    for place in places(events):
        if place:
            assert_settled(
                removed(events, place) if wrong == "missing" else replaced(events, place, WRONG[wrong]), src, dst
            )


@each_target
@pytest.mark.parametrize("src", PROTOCOLS)
@pytest.mark.parametrize("event", [None, True, 0, 1.5, "", "x", "[done]", [], [{}], {}, {"type": None}, {1: 2}, b"{}"])
def test_what_is_no_event(src: str, dst: str, event: Any) -> None:
    assert_settled([event], src, dst)
    assert_settled([dict(SPECIMENS[0 if src == ANTHROPIC else 4][1]()[0]), event], src, dst)


@pytest.mark.parametrize(("src", "dst"), [*PAIRS, *HOMES])
def test_vandalised(src: str, dst: str) -> None:
    QUICK(given(vandalised(STREAMS[src]))(lambda events: converts_or_says_why(tamed(events), src, dst)))()


@pytest.mark.slow
@pytest.mark.parametrize(("src", "dst"), [*PAIRS, *HOMES])
def test_vandalised_thoroughly(src: str, dst: str) -> None:
    THOROUGH(given(vandalised(STREAMS[src]))(lambda events: converts_or_says_why(tamed(events), src, dst)))()


def tamed(events: Events) -> Events:
    """Less the integer that is far beyond any index: for that there is the next test, in bounded memory."""
    for place in places(events):
        if place and place[-1] == "index":
            at: Any = events
            for key in place[:-1]:
                at = at[key]
            if at["index"] == 2**70:
                return list(replaced(events, place, 7))
    return events


FAR = """
from tests.streams import wire
from tests.streams.feeding import assert_settled
far = wire.chunk({{"content": "Hi"}})
far["choices"][0]["index"] = {index}
assert_settled([wire.chunk({{"role": "assistant"}}), far], "{src}", "{dst}")
call = wire.chunk(wire.calls(wire.fragment({index}, "{{}}", "call_1", "sky")))
assert_settled([call, wire.chunk({{}}, "tool_calls")], "{src}", "{dst}")
"""


@each_target
@pytest.mark.parametrize("index", [10**8, 2**70])
def test_a_far_index_takes_no_memory(dst: str, index: int) -> None:
    """In a process of its own, whose memory is bounded."""
    program = FAR.format(index=index, src=CHAT, dst=dst)
    limited = f"ulimit -v 500000; exec {sys.executable} -c '{program}'"
    done = subprocess.run(["sh", "-c", limited], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr[-1000:]
