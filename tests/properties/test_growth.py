"""Work grows with the payload and no faster: function calls are counted; the clock, being flaky, has a wide margin."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

import proxai_ir

from ..benchmarks.payloads import PAIRS, REQUESTS, RESPONSES, Route
from .samples import ANTHROPIC, CHAT, Object, other


def chat(turns: int) -> Object:
    messages: list[Object] = [{"role": "system", "content": "Be brief."}]
    for index in range(turns // 4):
        name = f"c{index}"
        call = {"id": name, "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
        messages += [
            {"role": "user", "content": [{"type": "text", "text": "Hi", "zz": 1}]},
            {"role": "assistant", "content": "Yes", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": name, "content": "r"},
            {"role": "assistant", "content": "Done"},
        ]
    return {"model": "m", "messages": messages}


def anthropic(turns: int) -> Object:
    made: Object = proxai_ir.convert(chat(turns), CHAT, ANTHROPIC)
    for message in made["messages"]:
        message["zz"] = 1
    return made


def operations(run: Callable[[], Any]) -> int:
    """How many functions were called, ours and those in C."""
    count = 0

    def note(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(None)
    return count


def seconds(run: Callable[[], Any]) -> float:
    """The best of a few runs, garbage collection aside."""
    times = []
    gc.disable()
    try:
        for _ in range(3):
            start = time.perf_counter()
            run()
            times.append(time.perf_counter() - start)
    finally:
        gc.enable()
    return min(times)


@pytest.mark.parametrize(("src", "make"), [(CHAT, chat), (ANTHROPIC, anthropic)])
def test_operations_grow_with_the_turns(src: str, make: Callable[[int], Object]) -> None:
    counts = []
    for turns in (100, 1000, 4000):
        payload = make(turns)
        counts.append(operations(lambda payload=payload: proxai_ir.compile(payload, src, other(src))))  # type: ignore[misc]
    small, middle, large = counts
    assert middle <= 10.5 * small
    assert large <= 4.2 * middle


@pytest.mark.parametrize(("src", "make"), [(CHAT, chat), (ANTHROPIC, anthropic)])
def test_time_grows_with_the_turns(src: str, make: Callable[[int], Object]) -> None:
    """From 400 turns to 10,000: 25 times the work, and quadratic would be 625 times."""
    small, large = make(400), make(10_000)
    first = seconds(lambda: proxai_ir.compile(small, src, other(src)))
    assert seconds(lambda: proxai_ir.compile(large, src, other(src))) < 150 * first


@pytest.mark.parametrize("route", PAIRS, ids=str)
@pytest.mark.parametrize("kind", ["request", "response"])
def test_a_conversion_leaves_nothing_to_the_collector(kind: str, route: Route) -> None:
    """Cycles would keep payloads in memory until the next collection, which then has them all to walk."""
    payload = REQUESTS[route.src](3) if kind == "request" else RESPONSES[route.src]()

    def run() -> None:
        _ = proxai_ir.compile(payload, route.src, route.dst, kind=kind).diagnostics

    run()
    gc.collect()
    gc.disable()
    try:
        run()
        assert gc.collect() == 0
    finally:
        gc.enable()
